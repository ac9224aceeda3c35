"""Of which class a key is that was taken out and put in again, or that was there before."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag


def discarded(x):
    s = {1}
    s.discard(x)
    s.add(x)
    return s


def removed_of_two(x):
    s = {1, 2}
    s.remove(x)
    s.add(x)
    return s


def discarded_in_a_branch(x):
    s = {1, 3}
    if x > 1:
        s.discard(x)
    s.add(x)
    return s


def by_operators(x):
    s = {True}
    s -= {x}
    s |= {x}
    return s


def signs_of_zero(x):
    s = {0.0}
    s.discard(x - 1)
    s.add(-0.0 * x)
    return s


def popped(x):
    d = {1: "a", 2: "b"}
    d.pop(x, None)
    d[x] = "c"
    return d


def deleted(x):
    d = {(1, 2): 0}
    d.pop((x, 2), 0)
    d[x, 2] = 5
    return d


def still_there(x):
    s, d = {1, 2}, {1: 0, 2: 0}
    s.add(x)
    d[x] = 1
    return s, d


def popped_of_a_set_in_an_arm(x):
    s = {1, 2, 3}
    if x > 1:
        s.pop()
    s.add(x)
    return s


PROGRAMS = [
    *(discarded, removed_of_two, discarded_in_a_branch, by_operators, signs_of_zero),
    *(popped, deleted, still_there, popped_of_a_set_in_an_arm),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_keys_are_of_the_class_that_plain_python_leaves(program):
    staged = ag.function(program)
    for x in (np.int64(1), np.int64(2), np.float64(1.0)):
        assert repr(staged(x)) == repr(program(x))
