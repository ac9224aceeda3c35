"""Functions that builtins call for each item, and that write something: once for each item."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autograph as ag


def keys(x):
    log, n = [], 0

    def h(v):
        nonlocal n
        n += v
        log.append(v)
        return -v

    found = sorted(x, key=h), max(x, key=h), min(x, key=h, default=0)
    return found, log, n


def mapped(x):
    log = []

    def h(v):
        log.append(v)
        return v * 2

    found = max(map(h, x)), sum(map(h, x), 1), math.prod(map(h, x)), sorted(map(h, x))
    return found, log, set(map(h, x)), dict(zip(x, map(h, x), strict=True)), len(log)


def of_several(x):
    log = []

    def h(a, b):
        log.append(a)
        return a + b + len(log)

    return sum(map(h, x, x)), list(map(h, x, [1, 2])), log


def asked_until_one_is(x):
    log = []

    def h(v):
        log.append(v)
        return v > 2

    return any(map(h, x)), h(1) in map(h, x), log


def seen_before(x):
    seen = {}

    def h(v):
        if v not in seen:
            seen[v] = len(seen)
        return -seen[v]

    return sorted(x, key=h), max(map(h, x)), seen


def keys_of_what_is_asked_for_one_by_one(x):
    n = 0

    def h(v):
        nonlocal n
        n += v
        return n

    found = [max(map(h, x), key=h), min((h(v) for v in x), key=h), max(map(h, x), key=h, default=0)]
    return [*found, *sorted(map(h, x), key=h)], n


class Counter:
    def __init__(self):
        self.n = 0

    def up(self, v):
        self.n += v
        return self.n


def methods(x):
    c, s = Counter(), 0
    if x[0] > 1:
        s = max(x, key=c.up)
    for k in x:
        if k > 1:
            s += sum(map(c.up, x))
    return s, c.n


def next_in_an_arm(x):
    t = 0

    def h(v):
        nonlocal t
        t += v
        return t

    it = map(h, x)
    a = next(it)
    b = next(it) if a > 1 else 0
    return a, b, t


PROGRAMS = [
    keys,
    mapped,
    keys_of_what_is_asked_for_one_by_one,
    of_several,
    asked_until_one_is,
    seen_before,
    methods,
    next_in_an_arm,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_item_is_asked_once_as_in_python(program):
    staged = ag.function(program)
    for x in (np.array([1, 2, 3]), np.array([3, 1]), np.array([2.0, 1.0, 1.0])):
        assert repr(staged(x)) == repr(program(x))


def test_an_array_of_any_length_is_gone_over_by_a_loop_of_the_graph():
    staged = ag.function(keys, reduce_retracing=True)
    for count in (3, 4, 5, 6):
        x = np.arange(count)[::-1].copy()
        assert repr(staged(x)) == repr(keys(x))
    assert staged.trace_count <= 3
