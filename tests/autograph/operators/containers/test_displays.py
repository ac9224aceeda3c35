"""Dicts and lists that are written down with stars, of what only the graph knows."""
# ruff: noqa: PERF403, PIE800  (displays and loops are what this is about)

from __future__ import annotations

import operator
from collections import Counter, defaultdict

import numpy as np
import pytest

import autograph as ag


def one_of_two(k, a, b):
    return {**{"a": a}, **({"b": b} if k > 1 else {})}


def key_of_the_graph(k, a, b):
    return {k: "c", **{1: "a", 2: "b"}}, {**{1: "a"}, k: "d", **{k + 1: "e"}}


def grown(k, a, b):
    d = {}
    for i in range(k):
        d[i] = a
    e = {**d}
    e[7] = b
    return d, e, {7: b, **d, 0: 1.0}, {**{0: 9.0}, **d}


def updated(k, a, b):
    d = {}
    for i in range(k):
        d[i] = i
    e, c, g = {0: 5}, Counter([1]), defaultdict(int)
    e.update(d)
    c.update(d)
    g.update(d)
    d.update(e)
    return e, c, g, d


def no_mapping(k, a, b):
    d = {0: k}
    d[k] = 1
    try:
        return {**d, **[1]}
    except TypeError as error:
        return str(error)


def star_of_one_of_two_iterators(k, a, b):
    row = [1]
    for _ in range(k):
        row = [1, *map(operator.add, row, row[1:]), 1]
    return row


PROGRAMS = [
    *(one_of_two, key_of_the_graph, grown, updated, no_mapping),
    star_of_one_of_two_iterators,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_they_hold_what_plain_python_has(program):
    staged = ag.function(program)
    for k in range(4):
        given = np.int64(k), np.float64(2.0), np.float64(5.0)
        assert repr(staged(*given)) == repr(program(*given))
