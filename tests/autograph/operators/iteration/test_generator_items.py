"""`any`, `all`, `sum`, `max` and `min` of generators whose items are staged: few, and many."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import autograph as ag


def unsorted(x, _):
    return any(a > b for a, b in pairwise(x))


def no_zero(_, rows):
    return all(item != 0 for row in rows for item in row)


def reductions(x, rows):
    positive = (v * 2 for v in x if v > 0)
    return sum(v * v for v in x), max(v - 1 for v in x), min(abs(v) for v in x), sum(positive)


def found(x, _):
    return any(v == 7 for v in x), all(i * 3 < 99 + v for i, v in enumerate(x))


@pytest.mark.parametrize("function", [unsorted, no_zero, reductions, found])
@pytest.mark.parametrize("count", [3, 90])
def test_they_are_as_in_python(function, count):
    staged = ag.function(function)
    for x in (np.arange(count), np.arange(count)[::-1] - 2, np.ones(count, int)):
        arguments = x, np.array([x[:2], x[1:3]])
        assert repr(staged(*arguments)) == repr(function(*arguments))


def test_the_graph_of_many_items_is_a_loop():
    def f(x):
        return any(v > 9 for v in x), sum(v * 2 for v in x)

    concrete = ag.function(f).get_concrete_function(np.arange(400))
    assert len(concrete.traced_graph.nodes) < 40
