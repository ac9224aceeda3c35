"""Calls that no trace serves run as plain Python."""

from __future__ import annotations

import collections
import sys
import threading
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.errors import MutationError

X = np.float64(2.0)


class Reader:
    """Takes items from an iterator in a branch, which no graph does."""

    def __init__(self) -> None:
        self.items, self.calls, self.shown, self.named = iter([*range(5, 20)]), 0, 0, 0
        self.names = collections.defaultdict(self.name)

    def __format__(self, form: str) -> str:
        self.shown += 1
        return "reader"

    def name(self) -> int:
        self.named += 1
        return self.named

    @ag.function
    def read(self, x: Any) -> Any:
        self.calls += len(f"{self}") - 5 + 0 * self.names[self.calls]
        if x > 1:
            return x * next(self.items)
        return x * 0


def test_what_cannot_be_staged_runs_as_plain_python_and_says_so_once() -> None:
    reader = Reader()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = [reader.read(np.int64(k)) for k in (1, 2, 1, 2, 2, 1, 3, 2)]
    assert found == [0, 10, 0, 12, 14, 0, 24, 18]
    assert (reader.calls, reader.shown, reader.named, len(reader.names)) == (8, 8, 8, 8)
    assert next(reader.items) == 10
    (warning,) = told
    assert warning.category is ag.FallbackWarning
    assert warning.filename == __file__
    text = str(warning.message)
    assert text.startswith("Reader.read runs as plain Python, as it cannot be staged. Mutation")
    assert "in read" in text


def test_where_the_warning_is_an_error_the_refusal_is_raised_and_nothing_is_done() -> None:
    reader = Reader()
    for _ in range(2):
        with pytest.raises(MutationError):
            reader.read(np.int64(2))
    assert (reader.calls, reader.shown, reader.named, reader.names) == (0, 0, 0, {})
    assert next(reader.items) == 5


def test_errors_of_the_program_are_no_refusals(recwarn: Any) -> None:
    @ag.function
    def f(x: Any) -> Any:
        raise KeyError(len(x))

    with pytest.raises(KeyError, match="3"):
        f(np.ones(3))
    assert not recwarn


def test_what_cannot_be_undone_is_refused() -> None:
    seen, items = [], iter(range(9))

    @ag.do_not_convert
    def note() -> None:
        seen.append(1)

    @ag.function
    def f(x: Any) -> Any:
        note()
        return next(items) if x > 1 else x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(MutationError):
            f(X)
    assert len(seen) == 1


def test_iterators_that_the_trace_made_hinder_nothing() -> None:
    items = iter(range(5, 9))

    @ag.function
    def f(x: Any) -> Any:
        powers = [x**k for k in range(3)]
        for k, _ in enumerate(powers):
            powers[k] += next(iter([1]))
        if x > 1:
            return sum(powers) * next(items)
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [f(X), f(-X), f(X)] == [50.0, -2.0, 60.0]


def test_values_that_a_graph_has_no_form_for_run_as_plain_python() -> None:
    @ag.function
    def f(x: Any, sizes: Any) -> Any:
        rows = [x[:1] + 1]
        for n in sizes:
            rows.append(x[: int(n)] * 2)
        x[0] = x[0] + 1
        return rows

    def called(sizes: Any) -> Any:
        x = np.array([3.0, 4.0])
        return [row.tolist() for row in f(x, np.array(sizes))], x.tolist()

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert called([1, 1]) == ([[4.0], [6.0], [6.0]], [4.0, 4.0])
        assert not told
        assert called([1, 2]) == ([[4.0], [6.0], [6.0, 8.0]], [4.0, 4.0])
        assert called([2, 0]) == ([[4.0], [6.0, 8.0], []], [4.0, 4.0])
        assert called([1, 1]) == ([[4.0], [6.0], [6.0]], [4.0, 4.0])
    assert [x.category for x in told] == [ag.FallbackWarning]
    assert "StagedValueError is raised: a list that staged branches" in str(told[0].message)


def test_what_is_traced_for_long_runs_as_plain_python_first(monkeypatch: Any) -> None:
    clock, calls = [0.0], []
    here = sys.modules["autograph.function.fallback"]
    monkeypatch.setattr(here, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    monkeypatch.setattr(here, "PATIENCE", 0.0)

    @ag.function
    def f(x: Any) -> Any:
        for k in ag.hint(range(80), unroll=True):
            x = x * 0.5 + k
        return x

    def slowly(x: Any) -> Any:
        clock[0] += 1000
        calls.append(x)
        return f.python_function(x)

    f._call_eagerly = slowly
    expected = f.python_function(X)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = [f(X) for _ in range(4)]
    assert found == [expected] * 4
    assert len(calls) == 1
    assert f.trace_count == 1
    assert [x.category for x in told] == [ag.FallbackWarning]
    assert "f runs as plain Python, for now: tracing it costs" in str(told[0].message)


def test_what_stages_nothing_is_soon_given_up(monkeypatch: Any) -> None:
    monkeypatch.setattr(sys.modules["autograph.function.trace"], "IDLE", 0.0)

    def fibonacci(n: int) -> int:
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    @ag.function
    def f(x: Any, n: int) -> Any:
        return x + fibonacci(n)

    with pytest.warns(ag.FallbackWarning, match="seconds and made 0 operations so far"):
        assert f(X, 12) == X + 144


def test_what_changes_a_dict_outside_is_soon_called_as_it_is() -> None:
    counts: dict[str, int] = {}

    @ag.function
    def f(x: Any, word: str) -> Any:
        counts[word] = counts.get(word, 0) + 1
        return x * counts[word]

    assert [f(X, "ab"[k % 2]) for k in range(40)] == [2.0 * (k // 2 + 1) for k in range(40)]
    assert counts == {"a": 20, "b": 20}
    assert f.trace_count <= 10


def test_texts_that_are_new_at_each_call_are_not_traced_for_ever() -> None:
    @ag.function
    def f(x: Any, word: str) -> Any:
        return x * len(word)

    for k in range(1, 200):
        assert f(X, "a" * k) == 2.0 * k
    assert f.trace_count < 30
    assert f(X, "a") == 2.0


def test_a_trace_that_serves_is_tried_again() -> None:
    table: dict[int, int] = {}

    @ag.function
    def f(x: Any) -> Any:
        if len(table) < 6:
            table[len(table)] = 1
        return x * len(table)

    found = [f(X) for _ in range(40)]
    assert found == [2.0 * min(k, 6) for k in range(1, 41)]
    assert len(f.concrete_functions) == 1


def test_what_is_slower_as_plain_python_is_traced(monkeypatch: Any) -> None:
    table: dict[int, int] = {}
    clock, plain = [0.0], []

    @ag.function
    def f(x: Any) -> Any:
        table[len(table)] = 1
        return x * len(table)

    def slowly(x: Any) -> Any:
        clock[0] += 1
        plain.append(x)
        return f.python_function(x)

    f._call_eagerly = slowly
    time = SimpleNamespace(perf_counter=lambda: clock[0])
    monkeypatch.setattr(sys.modules["autograph.function.fallback"], "time", time)
    assert [f(X) for _ in range(20)] == [2.0 * k for k in range(1, 21)]
    assert len(plain) == 1 + 2 + 1  # then it is sure


class Counter:
    def __init__(self) -> None:
        self.count, self.log = 0, []

    @ag.function
    def step(self, x: Any) -> Any:
        if x < 0:
            raise ValueError("negative")
        self.count += 1
        self.log.append(self.count)
        y = 10 // int(x)
        self.log.append("done")
        return y


def test_what_stands_behind_a_raise_is_not_done() -> None:
    counter = Counter()
    for x, kind in ((-1, ValueError), (0, ZeroDivisionError), (-1, ValueError), (2, None)):
        if kind is None:
            assert counter.step(np.float64(x)) == 5
        else:
            with pytest.raises(kind) as caught:
                counter.step(np.float64(x))
            assert caught.value.__context__ is None
    assert (counter.count, counter.log) == (2, [1, 2, "done"])


def test_gradients_need_the_graph() -> None:
    reader = Reader()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(MutationError):
            ag.grad(reader.read)(np.float64(2.0))


def test_what_other_threads_do_meanwhile_stays() -> None:
    seen: list[int] = []
    begun, done = threading.Event(), threading.Event()

    def work() -> None:
        begun.wait()
        for k in range(5):
            seen.append(k)  # noqa: PERF402
        done.set()
        ended.wait()

    ended = threading.Event()
    thread = threading.Thread(target=work)
    thread.start()

    @ag.do_not_convert
    def meet() -> None:
        begun.set()
        done.wait()

    @ag.function
    def f(x: Any) -> Any:
        meet()
        return next(items) if x > 1 else x * len(seen)

    items = iter(range(9))
    with pytest.raises(MutationError):
        f(X)
    ended.set()
    thread.join()
    assert seen == [0, 1, 2, 3, 4]


def ragged(x: Any) -> Any:
    return [x[: k % 3 + 1] * 2 for k in range(300)]


class Windows:
    """Assigns an attribute, which is an argument of its traces."""

    def __init__(self) -> None:
        self.calls = 0

    def of(self, x: Any, limit: Any) -> Any:
        self.calls += 1
        found = []
        for k in range(300):
            found.append(x[: k % 3 + 1] * self.calls)
        return found, x[0] > limit


@pytest.mark.parametrize("signature", [None, [ag.TensorSpec((50,), float)]])
def test_what_a_run_refuses_of_a_loop_that_rolls_is_traced_again_unrolled(signature: Any) -> None:
    staged = ag.function(ragged, input_signature=signature)
    for x in (np.arange(50.0), np.ones(50)):
        for a, b in zip(staged(x), ragged(x), strict=True):
            np.testing.assert_array_equal(a, b)
    assert staged.trace_count == 2


def test_loops_are_traced_unrolled_with_variables_that_are_lifted_too() -> None:
    one, other = Windows(), Windows()
    staged = ag.function(other.of)
    for k in range(6):
        x = np.arange(50.0) + k
        for a, b in zip(one.of(x, 1)[0], staged(x, 1)[0], strict=True):
            np.testing.assert_array_equal(a, b)
    assert one.calls == other.calls == 6
    assert staged.trace_count < 6
