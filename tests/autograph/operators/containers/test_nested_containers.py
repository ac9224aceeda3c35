"""Containers in containers that staged code changes are written through all of their names."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.autograph.operators.containers import nested_samples
from tests.autograph.operators.lists.test_lists import interpreted, outcome, same


@pytest.mark.parametrize(
    ("function", "calls"), nested_samples.CASES, ids=lambda x: getattr(x, "__name__", "")
)
def test_staged_means_what_python_means(function, calls):
    is_large = function not in nested_samples.NATIVE  # whose kernels take seconds to compile
    staged = ag.function(function, backend="numpy" if is_large else None)
    for arguments in calls:
        wanted = outcome(function, arguments)
        found = outcome(staged, arguments)
        assert same(list(found), list(wanted)), (found, wanted)
    concrete = staged.get_concrete_function(*calls[-1])
    assert same(interpreted(concrete, calls[-1]), outcome(function, calls[-1])[1])


def last_of_many(x):
    rows, kept = [], []
    for v in x:
        row = [v]
        for k in range(v):
            row.append(k * k)
        rows.append(row)
    for k in range(0, len(x), 4):
        kept.append(rows[k])
    kept.append(kept[0])
    return kept


@pytest.mark.parametrize("length", [0, 1, 3, 40])
def test_lists_between_others_that_are_not_returned_are_left_out(length):
    x = np.random.default_rng(length).integers(0, 9, length * 4)
    found = ag.function(last_of_many)(x) if length else []
    assert found == (last_of_many(x) if length else [])
    assert not found or found[-1] is found[0]


def test_what_is_returned_twice_is_one_list():
    @ag.function
    def f(x):
        rows = []
        for v in x:
            rows.append([v])
        return rows, rows[1], [rows[0]] * 2

    rows, second, twice = f(np.arange(3))
    assert rows[1] is second
    assert twice[0] is twice[1] is rows[0]
    assert f(np.arange(3))[0][1] is not second  # each call makes its own


def test_lists_of_the_caller_stay_the_same_objects():
    @ag.function
    def f(rows, i):
        rows[i].append(7)
        rows.append(rows[0])
        return rows[i]

    rows = [[1, 2], [3]]
    first, second = rows
    assert f(rows, np.int64(1)) is second
    assert rows == [[1, 2], [3, 7], [1, 2]]
    assert rows[0] is rows[2] is first


def test_an_error_leaves_the_callers_lists_as_python_does():
    def f(rows, x):
        for i, v in enumerate(x):
            rows[i].append(10 // v)

    rows, others = [[], [], []], [[], [], []]
    for function, given in ((f, rows), (ag.function(f), others)):
        with pytest.raises(ZeroDivisionError), np.errstate(divide="raise"):
            function(given, [5, 2, 0])
    assert rows == others == [[2], [5], []]


def test_inner_lists_of_one_size_are_written_in_native_loops():
    @ag.function
    def f(x, n):
        buckets = [[] for _ in range(n)]
        for v in x:
            buckets[v % n].append(v)
        return buckets

    concrete = f.get_concrete_function(np.arange(9), np.int64(3))
    assert str(concrete.plan).count("native(") >= 2


def test_a_list_and_a_number_may_be_in_one_place():
    def f(x):
        found = []
        for v in x:
            found.append([v])
            found.append(v)
            found[0].append(v)
        return found

    assert repr(ag.function(f)(np.arange(3))) == repr(f(np.arange(3)))
