"""Lists, dicts and objects that a staged condition chooses between stay the ones that they are."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import pytest

import autograph as ag
from autograph.staging import references
from runtime.tree_nodes import taken_apart
from tests.random_programs.families import check_seed

pytestmark = pytest.mark.usefixtures("thawed")


@dataclass
class Node:
    value: float


class Plain:
    def __init__(self, value):
        self.value = value


def write_one_of_two(x):
    a, b = [1.0, 2.0], [3.0, 4.0]
    p = a if x > 0 else b
    p[0] = 10.0
    return a, b, p


def write_an_argument(x, a, b):
    if x > 0:
        p = a
    else:
        p = b
    p[0] = 10.0
    return a[0], b[0], p[0]


def write_what_was_chosen(x):
    a, b = [1.0], [3.0]
    if x > 0:
        p = a
    else:
        p = b
    a[0] = 10.0
    return a, b, p


def write_a_dict(x):
    a, b = {"k": 1.0}, {"k": 2.0}
    if x > 0:
        p = a
    else:
        p = b
    p["k"] += 3.0
    return a["k"], b["k"], p["k"]


def write_a_dataclass(x):
    a, b = Node(1.0), Node(2.0)
    p = a if x > 0 else b
    p.value = 5.0
    return a.value, b.value


def write_an_object(x):
    a, b = Plain(1.0), Plain(2.0)
    p = a if x > 0 else b
    p.value = x
    return a.value, b.value


def write_inside_a_tuple(x):
    a = [1.0]
    p = (a, 1.0) if x > 0 else (a, 2.0)
    p[0][0] = 4.0
    return a, p[1]


def write_after_a_loop(x):
    a, b = [1.0], [2.0]
    best = a
    for _ in range(x):
        best = b
    best[0] = 9.0
    return a[0], b[0]


def write_in_each_round(x):
    a, b = [1.0], [2.0]
    best = a
    for _ in range(x):
        best[0] += 1.0
        best = b
    return a[0], b[0]


def swap_and_write(x):
    a, b = [1.0, 2.0], [2.0, 3.0]
    for _ in range(x):
        a, b = b, a
        a[0] += 1.0
    return a[0], b[0]


def keep_the_best(x):
    best = [0.0, 0.0]
    for i in range(x):
        if i > best[0]:
            best = [i * 1.0, 1.0]
        best[1] += 1.0
    return best


def follow(x):
    node = first = Plain(1.0)
    second = Plain(2.0)
    while x > 0:
        node.value += x * 1.0
        node = second if x > 1 else first
        x -= 1
    return first.value, second.value


def swap_what_is_held_elsewhere(x):
    a, b = [1.0, 2.0], [2.0, 3.0]
    first = a
    for _ in range(x):
        a, b = b, a
        a[0] += 1.0
    return a[0], b[0], first[0]


def write_what_a_later_round_holds_twice(x):
    a, c = Node(9.0), Node(5.0)
    b = c
    for _ in range(x):
        b = a
        if c.value > 4.0:
            b, c = c, b
            c.value = b.value + b.value
    return a.value, b.value, c.value


def grow_one_of_two(x):
    p, q = [x], []
    r = p if x > 0 else q
    r.append(3.0)
    return p, q, r


def grow_one_of_two_that_grow(x):
    p, q = [], deque()
    for e in range(x):
        p.append(e)
        r = p if e > 1 else []
        r.append(e)
        s = q if e % 2 else deque([e])
        if s:
            s.pop()
        q.append(e)
    return p, list(q)


def take_from_one_of_two_that_grow(x):
    p, q = [], []
    for e in range(x):
        p.append(e)
        r = p if e > 1 else q
        if r:
            r.pop()
        else:
            q.append(e)
    return p, q


CHOSEN = [write_one_of_two, write_what_was_chosen, write_a_dict, write_a_dataclass, write_an_object]
CHOSEN.append(grow_one_of_two)
LOOPS = [
    write_after_a_loop,
    write_in_each_round,
    swap_and_write,
    keep_the_best,
    follow,
    swap_what_is_held_elsewhere,
    write_what_a_later_round_holds_twice,
    grow_one_of_two_that_grow,
    take_from_one_of_two_that_grow,
]


@pytest.mark.parametrize("function", [*CHOSEN, write_inside_a_tuple])
@pytest.mark.parametrize("x", [1.5, -1.5])
def test_what_is_written_through_one_name_is_seen_through_the_others(function, x):
    assert ag.function(function)(np.float64(x)) == function(np.float64(x))


@pytest.mark.parametrize("function", LOOPS)
def test_rounds_of_a_loop_write_the_containers_that_variables_hold(function):
    staged = ag.function(function)
    for x in np.arange(6):
        assert staged(x) == function(x), x


@pytest.mark.parametrize("x", [1.5, -1.5])
def test_the_lists_of_the_caller_are_written(x):
    found = []
    for run in (write_an_argument, ag.function(write_an_argument)):
        lists = [1.0, 2.0], [3.0, 4.0]
        found.append((run(np.float64(x), *lists), lists))
    assert found[0] == found[1]


def test_objects_behind_many_others_are_seen():
    numbers = [float(k) for k in range(1000)]
    boxes = [Plain(float(k)) for k in range(300)]

    def f(x):
        if x > 0:
            numbers[0] if numbers else None
            boxes[299].value = 7.0
        return boxes[299].value

    for x in (-1, 1):
        found = ag.function(f)(np.float64(x))
        assert (found, boxes[299].value) == ((7.0, 7.0) if x > 0 else (299.0, 299.0))


def test_an_object_may_be_written_or_made_anew_by_a_round():
    @dataclass
    class Pair:
        p: float
        q: float

    def f(x, n):
        a = Pair(9.0, 6.0)
        for _ in range(n):
            if x > 0:
                a.q += 0
            else:
                a = Pair(4.0, x)
        return a.q

    class Plain:
        def __init__(self, p, q):
            self.p, self.q = p, q

    def g(x, n):
        a = Plain(9.0, 6.0)
        for _ in range(n):
            if x > 0:
                a.q += 0
            else:
                a = Plain(4.0, x)
        return a.q

    assert ag.function(f)(np.float64(1), np.int64(2)) == 6.0
    for n in range(4):
        assert ag.function(g)(np.float64(1), np.int64(n)) == g(1, n)
        assert ag.function(g)(np.float64(-1), np.int64(n)) == g(-1.0, n)


def one_of_two_limits(x):
    found = deque()
    for e in x:
        found.append(e)
    chosen = found if x[0] > 1 else deque([0], 2)
    chosen.append(5)
    return list(chosen)


def test_containers_of_several_limits_are_refused_in_one_variable():
    with pytest.raises(ag.MutationError, match="a deque, and another one of another default or"):
        ag.function(one_of_two_limits)(np.array([1, 2]))


def replaced(x):
    t = {2, 3}
    for _ in x:
        t = {1}
    return t


def replaced_in_a_branch(x):
    t = {2, 3}
    for e in x:
        if e > 1:
            t = {1, 7}
    return t


def united(x):
    s, t = {1, 2, 3}, {2, 3}
    for e in x:
        t = s & t if e > 0 else t | {4}
    return t


def stepped(x):
    front, seen = {0}, {0}
    while front and x.sum() > len(seen):
        front = {v + 1 for v in front} - seen
        seen |= front
    return seen, front


@pytest.mark.filterwarnings("error::autograph.FallbackWarning")
@pytest.mark.parametrize("function", [replaced, replaced_in_a_branch, united, stepped])
def test_sets_that_rounds_make_anew_are_joined(function):
    staged = ag.function(function)
    for x in ([0, 1, 2, 3], [3, 0, 0, 0], [0, 0, 0, 0]):
        assert staged(np.array(x)) == function(np.array(x))


def test_random_programs_find_sets_whose_other_names_are_forgotten(monkeypatch):
    assert check_seed("alias", 8) == "same"
    monkeypatch.setattr(references, "_can_be_shared", lambda x: taken_apart(x) is not None)
    assert check_seed("alias", 8).startswith("as usual")
