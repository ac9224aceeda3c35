"""What a trace found outside of the function, and has changed since, leads to a new trace."""

from __future__ import annotations

import functools
import gc
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.function.captures import reads_of
from autograph.function.guards import Guards

X = np.array([1.0, 2.0])
RATE = 0.5
TABLE = {"scale": 2.0, "rows": [1.0, 2.0]}
WEIGHTS = np.array([3.0, 4.0])
settings = types.ModuleType("settings")
settings.gain = 1.0  # type: ignore[attr-defined]


def shift(x):
    return x + RATE


class Layer:
    bias = 10.0

    def __init__(self) -> None:
        self.rate = 2.0
        self.parts = [Part(1.0), Part(2.0)]
        self.weights = np.array([1.0, 1.0])

    def __call__(self, x):
        for part in self.parts:
            x = x * part.factor
        return x * self.rate + self.bias

    @property
    def doubled(self):
        return self.rate * 2


def check(x):
    return x * RATE


def make(x):
    return check(x) + shift(x)


class Slotted:
    __slots__ = ("rate",)

    def __init__(self) -> None:
        self.rate = 2.0


def gained(function):
    @functools.wraps(function)
    def wrapper(x):
        return function(x) * GAIN

    return wrapper


GAIN = 1.0
slotted = Slotted()
part = functools.partial(lambda x, k: x * k, k=3.0)


@gained
def decorated(x):
    return x + 1.0


def reads_slots(x):
    return x * slotted.rate


def reads_a_partial(x):
    return part(x)


def reads_by_a_decorator(x):
    return decorated(x)


class Part:
    def __init__(self, factor: float) -> None:
        self.factor = factor


layer = Layer()


def reads_a_global(x):
    return x * RATE


def reads_by_a_helper(x):
    return shift(x)


def reads_items(x):
    return x * TABLE["scale"] + TABLE["rows"][1]


def reads_attributes(x):
    return layer(x) + layer.doubled


def reads_a_module(x):
    return x * settings.gain


def set_global(name: str, value: Any) -> Callable[[], None]:
    return lambda: globals().__setitem__(name, value)


CHANGES = [
    (reads_a_global, set_global("RATE", 0.75)),
    (reads_by_a_helper, set_global("RATE", 0.25)),
    (reads_by_a_helper, set_global("shift", lambda x: x * 5)),
    (reads_items, lambda: TABLE.update(scale=3.0)),
    (reads_items, lambda: TABLE["rows"].__setitem__(1, 9.0)),
    (reads_items, lambda: TABLE.update(rows=[0.0, 0.0])),
    (reads_attributes, lambda: setattr(layer, "rate", 3.0)),
    (reads_attributes, lambda: setattr(Layer, "bias", 20.0)),
    (reads_attributes, lambda: setattr(layer.parts[1], "factor", 7.0)),
    (reads_attributes, lambda: layer.parts.append(Part(11.0))),
    (reads_attributes, set_global("layer", Layer())),
    (reads_slots, lambda: setattr(slotted, "rate", 5.0)),
    (reads_a_partial, set_global("part", functools.partial(lambda x, k: x * k, k=9.0))),
    (reads_by_a_decorator, set_global("GAIN", 4.0)),
    (reads_a_module, lambda: setattr(settings, "gain", 4.0)),
]


@pytest.mark.parametrize(("function", "change"), CHANGES)
def test_a_change_is_seen_by_the_next_call(function: Any, change: Callable[[], None]) -> None:
    staged = ag.function(function)
    before = staged(X)
    np.testing.assert_array_equal(before, function(X))
    np.testing.assert_array_equal(staged(X), before)
    assert staged.trace_count == 1
    change()
    np.testing.assert_array_equal(staged(X), function(X))
    assert not np.array_equal(staged(X), before)
    assert staged.trace_count == 2


def test_a_variable_of_a_function_around_it_may_change_and_change_back() -> None:
    rate = 1.0

    @ag.function
    def scaled(x):
        return x * rate

    found = []
    for rate in (1.0, 2.0, 1.0, 2.0, 1):
        found.append(scaled(np.float64(3.0)))
    assert found == [3.0, 6.0, 3.0, 6.0, 3.0]
    assert scaled.trace_count == 3  # 1 is another number than 1.0


def test_an_attribute_of_the_object_of_a_method_may_change() -> None:
    class Model:
        def __init__(self) -> None:
            self.rate = 1.0
            self.other = 0

        @ag.function
        def scaled(self, x):
            return x * self.rate

    model = Model()
    assert model.scaled(np.float64(2.0)) == 2.0
    model.rate = 5.0
    assert model.scaled(np.float64(2.0)) == 10.0
    model.other = 1
    model.scaled(np.float64(2.0))
    assert model.scaled.trace_count == 2


def test_an_attribute_of_an_argument_may_change() -> None:
    part = Part(2.0)
    staged = ag.function(lambda x, part: x * part.factor)
    assert staged(np.float64(2.0), part) == 4.0
    part.factor = 3.0
    assert staged(np.float64(2.0), part) == 6.0


def test_a_global_that_is_deleted_is_missed_as_in_python() -> None:
    space: dict[str, Any] = {"scale": 2.0}
    function = types.FunctionType((lambda x: x * scale).__code__, space)  # noqa: F821
    staged = ag.function(autograph=False)(function)
    assert staged(np.float64(2.0)) == 4.0
    del space["scale"]
    with pytest.raises(NameError, match="scale"):
        staged(np.float64(2.0))


def test_an_array_from_outside_may_be_written_and_is_no_constant() -> None:
    weights = np.array([3.0, 4.0])

    @ag.function
    def weighted(x):
        total = x @ weights
        for row in x:
            total += row * weights[0]
        return total

    assert weighted(X) == X @ weights + X.sum() * weights[0]
    assert "%weights: f64[2]" in weighted.graph(X)
    assert weighted.trace_count == 1


def test_a_written_array_is_seen_without_a_new_trace() -> None:
    weights = np.array([3.0, 4.0])
    staged = ag.function(lambda x: (x * weights).sum())
    assert staged(X) == 11.0
    weights[0] = 10.0
    assert staged(X) == 18.0
    assert staged.trace_count == 1


def test_an_array_that_is_another_one_is_traced_anew() -> None:
    layer = Layer()
    staged = ag.function(lambda x: x * layer.weights)
    assert staged(X).tolist() == [1.0, 2.0]
    layer.weights = np.array([[2.0], [3.0]])
    assert staged(X).tolist() == [[2.0, 4.0], [3.0, 6.0]]


def test_writing_an_argument_that_shares_memory_with_an_array_outside_is_refused() -> None:
    shared = np.ones(3)

    @ag.function
    def add(x):
        x += shared
        return x

    with pytest.raises(ag.MutationError, match="two arguments share memory"):
        add(shared[:])


def test_what_a_function_changes_itself_happens_at_each_call(
    caplog: pytest.LogCaptureFixture,
) -> None:
    calls: dict[int, int] = {}
    count = 0

    @ag.function
    def f(x):
        nonlocal count
        count += 1
        calls[count] = count
        return x + count

    assert [f(np.float64(1.0)) for _ in range(3)] == [2.0, 3.0, 4.0]
    assert (calls, f.trace_count) == ({1: 1, 2: 2, 3: 3}, 2)  # the last one is plain Python's
    assert "f changes calls, which no graph does: each call is traced anew, or" in caplog.text


def test_many_changes_leave_few_traces_and_short_calls() -> None:
    rate = 0

    @ag.function
    def f(x):
        return x * rate

    for rate in range(40):
        assert f(np.float64(2.0)) == 2.0 * rate
    assert f.trace_count == 5  # four numbers that were found there, then any
    assert len(f.concrete_functions) == 5


def test_guards_keep_nothing_alive() -> None:
    class Model:
        def __init__(self) -> None:
            self.parts = [Part(1.0)]
            self.rate = 2.0

    model = Model()
    staged = ag.function(lambda x, model: x * model.rate * model.parts[0].factor)
    assert staged(np.float64(1.0), model) == 2.0
    gone = [weakref.ref(model), weakref.ref(model.parts[0])]
    del model
    gc.collect()
    assert [reference() for reference in gone] == [None, None]


def test_changes_are_told_by_the_names_of_the_user() -> None:
    part, rate = Part(2.0), 1.0

    def f(x):
        return x * part.factor * rate * RATE

    guards = Guards(reads_of(f), f.__globals__)
    assert guards.check()
    assert guards.changed() == []
    part.factor, rate = 3.0, 2.0
    told = {place.text: (str(place.before), now) for place, now in guards.changed()}
    assert told == {
        "part.factor": ("2.0", 3.0),
        "the variable 'rate' around a function": ("1.0", 2.0),
    }
    assert not guards.check()


def test_globals_may_have_the_names_that_guards_use() -> None:
    f = ag.function(lambda x: make(x))
    np.testing.assert_array_equal(f(X), make(X))
    assert f(X) is not None
    assert f.trace_count == 1


def test_what_one_of_two_objects_does_not_have_is_asked_of_that_one() -> None:
    def f(one, other, x):
        if not hasattr(one, "rate"):
            x = x + 100
        return x + other.factor

    for has_rate in (False, True):
        staged, one, other = ag.function(f), Part(1.0), Part(2.0)
        del one.factor
        if has_rate:
            other.rate = 1
        for _ in range(2):
            assert staged(one, other, np.float64(1.0)) == f(one, other, np.float64(1.0))
        one.rate = 5
        assert staged(one, other, np.float64(1.0)) == f(one, other, np.float64(1.0))
        assert staged.trace_count == 2
