"""Sets together, and deques with a greatest length: programs, plain and staged."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

import autograph as ag


def new_ones(x, y):
    p, q = set(x), {v for v in y}  # noqa: C416
    return p | q, p & q, p - q, p ^ q, p.union(y, x), p.symmetric_difference(y)


def relations(x, y):
    p, q = set(x), set(y)
    return [
        *(p == q, p != q, p <= q, p < q, p >= q, p > q),
        *(p.isdisjoint(q), p.issubset(y), p.issuperset(y), q <= {1, 2, 5}),
    ]


def changed(x, y):
    p = q = set(x)
    p |= set(y)
    p -= {1}
    p.update([9], x)
    p.difference_update([2])
    p.intersection_update([*y, 9])
    return p is q, p


def known_on_the_left(x, y):
    a, b, c = {1, 2, 3}, {1, 2}, {1, 2} - set(x)
    a &= set(x)
    b ^= set(y)
    return a, b, c, {1, 2} & set(x)


def in_loops(x, y):
    common, seen = set(x), set()
    for k in range(len(y)):
        common &= set(y[k:])
        if y[k] in set(x):
            seen |= {y[k]}
    return common, seen


def a_window(x, y):
    last, found = deque(maxlen=2), []
    for v in x:
        last.append(v)
        found.append(sum(last) / len(last))
    return found, last, deque(y, 1)


def both_ends_of_a_full_deque(x, y):
    d = deque([7, 8], maxlen=3)
    for v in x:
        if v > 1:
            d.appendleft(v)
        else:
            d.extend([v, -v])
            d.rotate(1)
    d.extendleft(y)
    return d, d.maxlen


PAIRS = [([3, 1, 2, 3, 1], [1, 2, 5]), ([1, 2], [2, 1]), ([], [1]), ([1], [])]
PROGRAMS = [
    *(new_ones, relations, changed, known_on_the_left, in_loops),
    *(a_window, both_ends_of_a_full_deque),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_staged_means_what_python_means(program):
    staged = ag.function(program, reduce_retracing=True)
    for pair in PAIRS:
        x, y = (np.array(values, dtype=int) for values in pair)
        assert staged(x, y) == program(x, y)


@pytest.mark.filterwarnings("ignore::autograph.FallbackWarning")
def test_nan_is_found_where_python_finds_it():
    def f(x):
        y = x if x > 0 else x + 0.0
        return x in (x,), [y].index(x) if x > 0 else [x].index(x), [x] == [x], {x} == {x}

    assert ag.function(f)(np.float64(np.nan)) == f(np.float64(np.nan))


def test_nan_in_sets_is_told_where_there_is_no_other_way():
    staged = ag.function(lambda x: len(set(x) & set(x)))
    with pytest.warns(ag.FallbackWarning, match="nan in the set 'found' is found in Python if it"):
        assert staged(np.array([np.nan])) == 0


def test_a_full_deque_takes_nothing_in_the_midst():
    def insert(x):
        d = deque(x, 2)
        d.insert(1, 3.0)
        return d

    for form in (insert, ag.function(insert)):
        with pytest.raises(IndexError, match="deque already at its maximum size"):
            form(np.ones(2))
        assert form(np.ones(1)) == deque([1.0, 3.0])


def test_a_staged_set_goes_with_sets_only():
    for form in (lambda x: set(x) | [1], ag.function(lambda x: set(x) | [1])):
        with pytest.raises((TypeError, ag.MutationError), match=r"unsupported operand|`\|` of the"):
            form(np.ones(2))


def test_what_would_be_a_frozenset_is_refused():
    with pytest.raises(ag.MutationError, match="`&` of a frozenset and of the set"):
        ag.function(lambda x: frozenset([1, 2]) & set(x))(np.ones(2))
