"""Variables outside of a function that change from call to call become arguments of its graphs."""

from __future__ import annotations

import gc
import threading
import weakref
from collections import deque
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.function.leak_check import HOLDING, Outside
from autograph.operators.mutation.trace_journal import Printed, TraceJournal
from runtime.errors import MutationError

F = np.float64
total = F(0.0)
grid = np.zeros(3)
steps = 0
log: list[int] = []


class Model:
    seen = F(0.0)

    def __init__(self):
        self.n, self.k, self.rate, self.state = F(0.0), 0, 0.5, "idle"
        self.best = self.m = None
        self.w = np.arange(3.0)
        self.v = self.w[1:]

    def counted(self, x):
        self.k += 1
        self.n += x
        if x > 1:
            self.n *= 2
        return self.n

    def trained(self, x):
        if self.m is None:
            self.m = np.zeros(3)
        self.m = 0.9 * self.m + x
        self.w = self.w - self.rate * self.m
        return self.w.sum()

    def in_place(self, x):
        self.w[0] += x
        if x > 1:
            self.w[1:] = x
        return self.w

    def through_views(self, x):
        self.v[0] = x
        self.w *= 2
        return self.v.sum(), self.w

    def states(self, x):
        self.state = "busy" if self.state == "idle" else "idle"
        self.n += x
        return self.state

    def best_so_far(self, x):
        if self.best is None or x > self.best:
            self.best = x
        return self.best

    def of_the_class(self, x):
        Model.seen = Model.seen + x
        return Model.seen

    def alternates(self, x):
        self.n += x
        if hasattr(self, "extra"):
            del self.extra
        else:
            self.extra = x
        return self.n

    def large(self, x):
        self.k = self.k * 1000 + 7
        return x

    def fails(self, x):
        self.n += x
        self.w[1] = x
        if x > 1:
            raise ValueError("too large")
        self.k += 1
        return self.n


def outcome(function: Any, model: Model, x: Any) -> Any:
    try:
        found = function(model, x)
    except ValueError as error:
        found = error.args
    return repr(found), repr(vars(model)), repr(Model.seen), found is model.w


METHODS = [x for name, x in vars(Model).items() if callable(x) and not name.startswith("_")]


@pytest.mark.parametrize("method", METHODS, ids=lambda x: x.__name__)
def test_calls_leave_what_plain_calls_leave(method: Any) -> None:
    found = []
    for function in (method, ag.function(method)):
        for first in (1, 2):
            models, Model.seen = (Model(), Model()), F(0.0)
            xs = (first, 2, 0, 3, 1)
            found.append([outcome(function, m, F(x)) for x in xs for m in models])
    assert found[:2] == found[2:]


@pytest.mark.parametrize("name", ["counted", "trained", "in_place", "best_so_far", "large"])
def test_few_calls_are_traced(name: str) -> None:
    staged, model = ag.function(getattr(Model, name)), Model()
    for k in range(5):
        staged(model, F(k))
    count = staged.trace_count
    for k in range(5):
        staged(model, F(k))
    assert staged.trace_count == count <= 3


def test_methods_of_an_instance_are_traced_twice() -> None:
    class Counter:
        def __init__(self):
            self.n = F(0.0)

        @ag.function
        def add(self, x):
            self.n += x
            return self.n

    counter = Counter()
    assert [counter.add(F(1.0)) for _ in range(5)] == [1, 2, 3, 4, 5]
    assert counter.add.trace_count == 2
    gone = weakref.ref(counter)
    del counter
    gc.collect()
    assert gone() is None


def test_globals_and_variables_around() -> None:
    global total, grid
    count = 0

    @ag.function
    def f(x):
        global total
        nonlocal count
        total = total + x
        count += 1
        grid[count % 3] += x
        return total

    assert [f(F(1.0)) for _ in range(6)] == [1, 2, 3, 4, 5, 6]
    assert (count, grid.tolist(), f.trace_count <= 3) == (6, [2.0, 2.0, 2.0], True)
    grid = np.zeros(3)
    f(F(5.0))
    assert grid.tolist() == [0.0, 5.0, 0.0]
    total, grid = F(0.0), np.zeros(3)


def test_what_somebody_else_assigns_again_and_again_is_an_argument() -> None:
    model = Model()

    @ag.function
    def f(x):
        return x * model.rate + model.w.sum()

    for k in range(20):
        model.rate = k / 2
        model.w = np.full(3, k)
        assert f(F(2.0)) == k + 3 * k
    assert f.trace_count <= 8


shared = np.zeros(3)
HOLDERS = {"list": [shared], "deque": deque([shared]), "dict": {"a": shared}}


def default(x, held=shared):
    return held[0] + x


@pytest.mark.parametrize("read", [*HOLDERS, "default"])
def test_an_array_that_a_container_has_too_is_not_written(read: str) -> None:
    held: Any = HOLDERS.get(read)

    def f(x):
        shared[0] += x
        return default(x) if held is None else held["a" if read == "dict" else 0][0]

    with pytest.raises(MutationError, match="made outside of the staged function"):
        ag.function(f)(F(1.0))
    assert shared[0] == 0


def test_an_array_that_an_object_in_an_argument_has_too_is_not_written() -> None:
    model = Model()
    model.w = shared

    @ag.function
    def f(models, x):
        shared[0] += x
        return models[0].w[0]

    with pytest.raises(MutationError, match="made outside of the staged function"):
        f([model], F(1.0))
    assert shared[0] == 0


def test_arguments_may_share_memory_with_what_is_outside() -> None:
    model, plain = Model(), Model()

    def f(m, x, y):
        m.w[0] += x
        y[1] = m.w[0]
        return y.sum()

    staged = ag.function(f)
    for k in range(4):
        assert staged(model, F(k), model.w) == f(plain, F(k), plain.w)
        assert model.w.tolist() == plain.w.tolist()


def test_other_threads_do_not_see_symbols() -> None:
    model, errors = Model(), []

    @ag.function
    def f(x):
        model.n = model.n + x
        return model.n

    def calls(kind: Any) -> None:
        try:
            for _ in range(30):
                assert f(kind(1)) >= 1
        except Exception as error:
            errors.append(error)

    kinds = (np.float64, np.float32, np.int64, np.int32)
    threads = [threading.Thread(target=calls, args=(x,)) for x in kinds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert isinstance(model.n, np.float64)


class Unreadable:
    key = ("unreadable",)

    def read(self):
        raise AttributeError("gone")


def test_a_variable_that_cannot_be_read_locks_nobody_out() -> None:
    outside, free = Outside(TraceJournal(None, [], [], Printed(), print)), threading.Event()

    def take() -> None:
        with HOLDING:
            free.set()

    with pytest.raises(AttributeError):
        outside.hold([Unreadable()], [1])
    outside.let_go()
    threading.Thread(target=take, daemon=True).start()
    assert free.wait(timeout=30)


def test_what_is_refused_as_an_argument_is_a_part_of_the_trace() -> None:
    model, plain = Model(), Model()

    def f(m, x):
        m.k += 1
        m.n += x
        return [x] * m.k, np.zeros(m.k), f"{m.k}", {m.k: x}

    staged = ag.function(f)
    for k in range(4):
        assert repr(staged(model, F(k))) == repr(f(plain, F(k)))
        assert repr(vars(model)) == repr(vars(plain))


class Logged:
    @ag.function
    def noted(self, x):
        global steps
        steps += 1
        log.append(steps)
        return x


def test_methods_change_globals_at_each_call() -> None:
    """They were changed by the trace alone: nobody looked into what a method's function names."""
    global steps
    logged = Logged()
    for _ in range(3):
        logged.noted(F(1.0))
    assert (steps, log) == (3, [1, 2, 3])
    steps = 0
    log.clear()


def kept(x, items=[]):  # noqa: B006
    items.append(x)
    return len(items)


def test_defaults_of_functions_that_are_called_are_outside() -> None:
    found = []
    for function in (deepcopy, ag.function):
        kept.__defaults__ = ([],)
        f = (lambda x: kept(x + 1)) if function is deepcopy else ag.function(lambda x: kept(x + 1))
        found.append(([f(F(k)) for k in range(3)], repr(kept.__defaults__)))
    assert found[0] == found[1]


def test_effects_of_calls_with_views_of_one_array_happen_once() -> None:
    items: list[int] = []

    @ag.function
    def f(x, y):
        items.append(len(items))
        x[0] += 1.0
        return y, x

    memory = np.zeros(4)
    for k in range(3):
        x, y = memory[:3], memory[1:]
        found = f(x, y)
        assert found[0] is y
        assert found[1] is x
        assert items == [*range(k + 1)]
    assert memory[0] == 3


def counted():
    global steps
    steps += 2
    return steps


def test_functions_that_are_called_in_branches_change_globals() -> None:
    """The variable was assigned a staged value, of which the trace's journal did not know."""
    global steps

    @ag.function
    def f(x):
        y = x * 0
        if x > 2:
            y = y - counted()
        return y

    assert [(f(F(x)), steps) for x in (1, 3, 3, 1)] == [(0, 0), (-2, 2), (-4, 4), (0, 4)]
    steps = 0


def test_lists_that_others_change_are_lifted_and_long_ones_of_several_classes_are_not() -> None:
    class Held:
        def __init__(self, items: list[Any]) -> None:
            self.items = items

        @ag.function
        def at(self, k: Any) -> Any:
            return self.items[k]

    for items, most in ([-1] * 20, 3), ([-1] * 200, 4), ([np.int64(1), *[-1] * 200], 20):
        held = Held(items)
        for k in range(40):
            held.items[k % 20] = type(held.items[k % 20])(k)
            found = held.at(np.int64(k % 20))
            assert (found, type(found)) == (k, type(held.items[k % 20]))
        assert held.at.trace_count <= most
