"""Traces that serve other sizes and numbers, and types that classes define (rows A-074, A-075)."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import autograph as ag


def sizes(function: Any, *lengths: int) -> list[int]:
    """Return the number of traces after a call with each length; results are as in Python."""
    counts = []
    for n in lengths:
        x = np.arange(float(n))
        np.testing.assert_array_equal(function(x), function.python_function(x))
        counts.append(function.trace_count)
    return counts


def test_the_second_trace_is_general_when_it_is_asked_for_a075() -> None:
    f = ag.function(lambda x: x * 2 + x.sum(), reduce_retracing=True)
    assert sizes(f, 2, 3, 4, 9) == [1, 2, 2, 2]
    assert [str(t) for t in f.concrete_functions[-1].types] == ["f64[n0]"]


def test_by_default_the_fifth_trace_is_general() -> None:
    f = ag.function(lambda x: x * 2)
    assert sizes(f, 1, 2, 3, 4, 5, 6, 7) == [1, 2, 3, 4, 5, 5, 5]


def test_no_trace_is_general_when_that_is_switched_off() -> None:
    f = ag.function(lambda x: x * 2, reduce_retracing=False)
    assert sizes(f, *range(1, 9)) == list(range(1, 9))


def test_sizes_that_were_equal_have_one_name() -> None:
    @ag.function(reduce_retracing=True)
    def f(x, y):
        return x @ y

    for k in (2, 3, 4):
        assert f(np.ones((2, k)), np.ones((k, 5)))[0, 0] == k
    assert f.trace_count == 2
    assert [str(t) for t in f.concrete_functions[-1].types] == ["f64[2, n0]", "f64[n0, 5]"]


def test_numbers_that_are_only_computed_with_are_parameters() -> None:
    @ag.function(reduce_retracing=True)
    def f(x, n, scale=1.0):
        return x * n + scale, n

    for n in (2, 3, 10, -4):
        found, same = f(np.int8([1, 2]), n)
        assert found.tolist() == [n + 1.0, 2 * n + 1.0]
        assert (same, type(same)) == (n, int)
    assert f.trace_count == 2
    assert f(np.int8([1]), 2, 0.5)[0].dtype == (np.int8([1]) * 2 + 0.5).dtype


def test_numbers_that_decide_keep_traces_of_their_own() -> None:
    @ag.function(reduce_retracing=True)
    def power(x, n):
        result = x
        for _ in range(n - 1):
            result = result * x
        return result

    assert [power(np.float64(2.0), n) for n in (1, 2, 3, 4)] == [2.0, 4.0, 8.0, 16.0]
    assert power.trace_count == 4
    assert "while" not in power.graph(np.float64(2.0), 4)


def test_a_function_that_needs_its_sizes_keeps_exact_traces() -> None:
    @ag.function(reduce_retracing=True)
    def f(x):
        return namedtuple("Row", ["a", "b", "c", "d"][: len(x)])(*x)

    for n in (2, 3, 4):
        assert list(f(np.arange(float(n)))._fields) == ["a", "b", "c", "d"][:n]
    assert f.trace_count == 3


def test_errors_of_the_program_are_no_reason_to_be_exact() -> None:
    f = ag.function(lambda x, y: x + y, reduce_retracing=True)
    f(np.ones(2), np.ones(2))
    with pytest.raises(ValueError, match="broadcast"):
        f(np.ones(3), np.ones(4))
    with pytest.raises(ValueError, match="broadcast"):
        f(np.ones((3, 1, 2)), np.ones((3, 4, 3)))
    f(np.ones(5), np.ones(5))
    f(np.ones(6), np.ones(6))
    assert f.trace_count == 2


def test_a_general_trace_is_told_as_such() -> None:
    f = ag.function(lambda x: x, reduce_retracing=True)
    sizes(f, 1, 2)
    assert "This trace serves all that differ only in this." in str(f.explain_retraces())


class Config:
    """Configurations of one width are one to a trace."""

    def __init__(self, width: int, note: str = "") -> None:
        self.width = width
        self.note = note

    def __tracing_type__(self) -> Any:
        return ("width", self.width)


def test_a_class_says_what_a_trace_depends_on_a074() -> None:
    f = ag.function(lambda x, config: x * config.width)
    found = [f(1.0, Config(2, "a")), f(1.0, Config(2, "b")), f(1.0, Config(3))]
    assert found == [2.0, 2.0, 3.0]
    assert f.trace_count == 2


class AtMost:
    def __init__(self, limit: int) -> None:
        self.limit = limit

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AtMost) and self.limit == other.limit

    def __hash__(self) -> int:
        return hash(self.limit)

    def is_subtype_of(self, other: AtMost) -> bool:
        return self.limit <= other.limit


class Bounded:
    def __init__(self, limit: int) -> None:
        self.limit = limit

    def __tracing_type__(self) -> AtMost:
        return AtMost(self.limit)


def test_a_type_may_be_a_subtype_of_another_a074() -> None:
    f = ag.function(lambda x, bounded: x + bounded.limit)
    assert f(0, Bounded(10)) == 10
    assert f(0, Bounded(3)) == 10
    assert f(0, Bounded(11)) == 11
    assert f.trace_count == 2
