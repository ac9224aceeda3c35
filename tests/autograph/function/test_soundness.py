"""Traces under threads, errors and repetition leave the cache sound and memory flat."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import autograph as ag
from autograph.function.cache import Cache
from autograph.function.concrete import ConcreteFunction
from autograph.function.tracetype import trace_type
from runtime import default_graph
from runtime.graph.builder import Builder


def busy(x, state):
    total = x.sum()
    rows = []
    for k in range(3):
        if total > k:
            state.assign_add(total)
            x = x * 2
        rows.append(x[k])
    while total < 40:
        total = total + np.max(x)
    return np.stack(rows), total, state.value()


def at_once(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Run something in threads that start together; return the results, in order."""
    found: list[Any] = [None] * count
    barrier = threading.Barrier(count)

    def run(k: int) -> None:
        barrier.wait()
        found[k] = work(k)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return found


def test_first_calls_from_many_threads_trace_once() -> None:
    @ag.function
    def f(x):
        while x < 100:
            x = x * 2
        return x

    for found in at_once(16, lambda k: [f(np.float64(3.0)) for _ in range(20)]):
        assert found == [192.0] * 20
    assert f.trace_count == 1


def test_threads_with_arguments_of_their_own_get_their_own_results() -> None:
    f = ag.function(lambda x, n: x * n + x.sum(), reduce_retracing=False)

    def work(k: int) -> bool:
        x = np.arange(float(k + 1))
        return all(np.array_equal(f(x, k), x * k + x.sum()) for _ in range(30))

    assert at_once(12, work) == [True] * 12
    assert f.trace_count == 12


class _Stop(BaseException):
    """An interruption of the kind of Ctrl-C."""


@pytest.mark.parametrize("error", [KeyboardInterrupt, _Stop, MemoryError])
def test_an_error_at_any_op_of_a_trace_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    emit, x = Builder.emit, np.ones(3)
    plain = busy(x, ag.Variable(1.0))
    state = ag.Variable(1.0)
    staged = ag.function(lambda x: busy(x, state))
    failures = 0
    while True:
        left = [failures + 1]

        def failing(self: Builder, *args: Any, **kwargs: Any) -> Any:
            left[0] -= 1  # noqa: B023
            if not left[0]:  # noqa: B023
                raise error("in the middle")
            return emit(self, *args, **kwargs)

        monkeypatch.setattr(Builder, "emit", failing)
        try:
            found = staged(x)
        except error:
            failures += 1
            assert default_graph.current() is None
            assert staged.trace_count == 0
            assert state == 1.0
            continue
        break
    monkeypatch.setattr(Builder, "emit", emit)
    assert failures > 20
    np.testing.assert_equal(found, plain)
    assert staged.trace_count == 1


def test_an_error_while_a_graph_runs_leaves_the_next_call_sound() -> None:
    state = ag.Variable(0.0)

    @ag.function
    def f(x, i):
        state.assign_add(1.0)
        return x[i] + state

    x = np.arange(3.0)
    assert f(x, np.int64(1)) == 2.0
    with pytest.raises(IndexError):
        f(x, np.int64(7))
    assert f(x, np.int64(1)) == 1.0 + state.numpy()
    assert f.trace_count == 1


def test_a_staged_function_may_call_itself_with_other_types() -> None:
    @ag.function
    def f(x, depth):
        return x if depth == 0 else f(x * 2, depth - 1)

    assert f(np.float64(1.0), 3) == 8.0
    assert f.trace_count == 1


def test_a_recursion_without_end_says_so_and_leaves_the_function_usable() -> None:
    @ag.function
    def f(x):
        return f(x - 1) + 1

    with pytest.raises(RecursionError, match="f calls itself, whatever its arguments are"):
        f(np.float64(3.0))
    assert default_graph.current() is None
    assert ag.function(lambda x: x + 1)(1.0) == 2.0


def test_a_call_made_while_tracing_another_function_is_part_of_it() -> None:
    calls = []

    @ag.do_not_convert
    def note():
        calls.append(1)

    @ag.function
    def inner(x):
        note()
        return x * 2

    outer = ag.function(lambda x: inner(x) + inner(x))
    inner(np.float64(1.0))
    assert outer(np.float64(1.0)) == 4.0
    assert (inner.trace_count, outer.trace_count, len(calls)) == (1, 1, 3)


def left_behind(repeat: Callable[[], Any], rounds: int) -> float:
    """Return how many blocks of memory each round leaves behind, after as many not counted."""
    held = []
    for _ in range(2):
        for _ in range(rounds):
            repeat()
        gc.collect()
        held.append(sys.getallocatedblocks())
    return (held[1] - held[0]) / rounds


def test_memory_is_flat_over_100_000_calls() -> None:
    state = ag.Variable(np.zeros(8))
    f = ag.function(lambda x: state.assign_add(x))
    x = np.ones(8)
    assert left_behind(lambda: f(x), 50_000) < 0.01


def test_memory_is_flat_over_1_000_traces() -> None:
    rate = {"now": 0.0}
    f = ag.function(lambda x: x * rate["now"])
    f._fallback.is_off = True

    def again() -> None:
        for k in range(32):  # more than are kept, so that each is traced again
            rate["now"] = float(k)
            assert f(np.float64(2.0)) == 2.0 * k

    assert left_behind(again, 16) < 32 * 2  # one trace alone takes more than a hundred
    assert f.trace_count == 32 * 32
    assert len(f.concrete_functions) <= 8


class Thing:
    scale = 2.0

    @ag.function
    def scaled(self, x):
        return x * self.scale


def test_10_000_objects_that_are_dropped_are_gone_a074() -> None:
    cache = Cache()
    gone = []
    for _ in range(10_000):
        thing = Thing()
        gone.append(weakref.ref(thing))
        assert thing.scaled.trace_count == 0
        types = (trace_type(thing),)
        found = SimpleNamespace(is_current=True, types=types)
        cache.add("one", cast("ConcreteFunction", found))
        assert cache.find("one", types) is found
    del thing
    gc.collect()
    assert not any(reference() for reference in gone)
    assert len(cache) <= 64
    assert len(Thing.scaled._bound) == 0


def test_objects_that_are_dropped_are_gone_a074() -> None:
    f = ag.function(lambda x, thing: x * thing.scale)
    gone = []
    for _ in range(100):
        thing = Thing()
        gone.append(weakref.ref(thing))
        assert f(np.float64(1.0), thing) == thing.scaled(np.float64(1.0)) == 2.0
    del thing
    gc.collect()
    assert not any(reference() for reference in gone)
    assert len(f.concrete_functions) <= 64
    assert len(Thing.scaled._bound) == 0
