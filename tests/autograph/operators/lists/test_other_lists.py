"""Variables that staged branches and loops assign other lists mean what they mean in Python."""

from __future__ import annotations

import copy
from collections import deque

import numpy as np
import pytest

import autograph as ag
from autograph.staging import references
from runtime.tree_nodes import containers
from tests.autograph.operators.lists.other_list_samples import CASES, REFUSED


@pytest.mark.parametrize(("function", "xs"), CASES)
def test_the_list_that_a_variable_holds_is_the_one_that_is_written(function, xs):
    staged = ag.function(function)
    for x in xs:
        wanted = function(copy.deepcopy(x))
        assert staged(copy.deepcopy(x)) == wanted, x


@pytest.mark.parametrize(("function", "xs"), CASES)
def test_lists_that_count_as_shared_without_being_so_mean_the_same(function, xs, monkeypatch):
    monkeypatch.setattr(references, "_shared", every_container)
    wanted = function(copy.deepcopy(xs[-1]))
    assert ag.function(function)(xs[-1]) == wanted


def every_container(values, holders):
    return {id(x) for value in values for x in containers(value)}


@pytest.mark.parametrize(("function", "message"), REFUSED)
@pytest.mark.parametrize("x", [1.0, -1.0])
def test_what_cannot_be_followed_is_refused(function, message, x):
    with pytest.raises(ag.MutationError, match=message):
        ag.function(function)(np.float64(x))


def steps_to_the_corner(g):
    queue = deque([(0, 0, 0)])
    seen = {(0, 0)}
    while queue:
        i, j, steps = queue.popleft()
        if (i, j) == (2, 2):
            return steps
        for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            if 0 <= a < 3 and 0 <= b < 3 and (a, b) not in seen and g[a, b] == 0:
                seen.add((a, b))
                queue.append((a, b, steps + 1))
    return -1


@pytest.mark.parametrize("blocked", [(0, 2), (0, 1)])
def test_rows_of_staged_numbers_are_compared_with_rows_that_are_written_down(blocked):
    g = np.array([[0, 0, 1], [1, 0, 1], [1, 0, 0]])
    g[blocked] = 1
    assert ag.function(steps_to_the_corner)(g) == steps_to_the_corner(g)
