"""`copy.copy` and `copy.deepcopy` of what staged code has changed."""

from __future__ import annotations

import copy
from collections import deque

import numpy as np
import pytest

import autograph as ag


def of_sets_in_a_list(x):
    rows = [{1}, {2}]
    if x > 1:
        rows[0].add(x)
    other = copy.deepcopy(rows)
    other[0].add(7)
    rows.append({x})
    return rows, other


def of_sets_in_a_dict_that_share_one(x):
    one = {1}
    d = {"a": one, "b": one, "c": {x}}
    if x > 1:
        one.add(x)
    e = copy.deepcopy(d)
    e["a"].add(9)
    return d, e, e["a"] is e["b"], e["a"] is one


def of_containers_themselves(x):
    s, q, d = {1}, deque([1], 3), {}
    for k in range(x):
        s.add(k)
        q.append(k)
        d[k] = (k, 1)
    t, u = copy.deepcopy(s), copy.copy(s)
    p, e = copy.deepcopy(q), copy.copy(d)
    t.add(8)
    u.add(9)
    p.append(5)
    e[0] = (0, 0)
    return s, t, u, q, p, d, e, tuple(q), copy.copy([x]), copy.copy(x)


class Held:
    def __init__(self, items):
        self.items = items


def of_an_object(x):
    held = Held([1])
    if x > 1:
        held.items.append(x)
    other = copy.deepcopy(held)
    other.items.append(3)
    return held.items, other.items


PROGRAMS = [
    *(of_sets_in_a_list, of_sets_in_a_dict_that_share_one, of_containers_themselves),
    of_an_object,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_copy_holds_the_same_and_is_another(program):
    staged = ag.function(program)
    for x in (0, 1, 2, 4):
        assert repr(staged(np.int64(x))) == repr(program(np.int64(x)))


def lists_of_lists(x):
    rows = []
    for k in range(x):
        rows.append([k])
    return copy.deepcopy(rows)


def test_lists_inside_of_what_the_graph_counts_are_not_copied():
    with pytest.raises(ag.MutationError, match=r"deepcopy\(\), with containers among its items"):
        ag.function(lists_of_lists)(np.int64(2))
