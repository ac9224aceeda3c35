"""Many lists that are known become items of a staged list at once, and mean what they mean."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

import autograph as ag


def empty_rows(xs: Any) -> Any:
    rows = [[] for _ in range(20)]
    for x in xs:
        rows[x].append(x * 2)
        rows[x - 1] += [x]
    return rows


def filled_rows(xs: Any) -> Any:
    rows = [[k] * (k % 4) for k in range(20)]
    for x in xs:
        rows[x].append(x)
        if len(rows[x]) > 2:
            rows[x].pop(0)
    return rows, sum(map(len, rows))


def one_list_often(xs: Any) -> Any:
    one = [0]
    rows = [one if k % 3 else [k] for k in range(20)]
    for x in xs:
        rows[x].append(x)
    return rows, one, rows[1] is rows[2], [len(x) for x in rows]


def of_two_classes(xs: Any) -> Any:
    rows = [[] if k % 2 else [0.5 * k] for k in range(20)]
    for x in xs:
        rows[x].append(x)
        rows[19 - x].append(1.5)
    return rows


def pairs(xs: Any) -> Any:
    rows = [[(k, 0.5)] for k in range(12)]
    for x in xs:
        for k, weight in rows[x % 12]:
            if weight < x:
                rows[k].append((x % 12, weight + 1.0))
    return rows


def deep(xs: Any) -> Any:
    rows = [[[k, 1], []] for k in range(9)]
    for x in xs:
        rows[x % 9][x % 2].append(x)
        rows[x % 9].append([x])
    return rows


def dicts(xs: Any) -> Any:
    rows = [{k: 1} for k in range(10)]
    for x in xs:
        rows[x % 10][x] = rows[x % 10].get(x, 0) + 1
    return rows


def later(xs: Any) -> Any:
    rows = [[1], [2]]
    for x in xs:
        rows.append([x])
    more = [[k] for k in range(9)]
    for x in xs:
        more[x % 9].append(x)
        rows[0], more[1] = more[2], rows[x % 2]
    return rows, more


def numbers(xs: Any) -> Any:
    a, b, c, d = [0] * 30, [0.5] * 30, [False] * 30, [0, 0.5] * 15
    for x in xs:
        a[x] += 1
        b[x] += a[x]
        c[x] = not c[x]
        d[x] = x
    q = deque([0] * 30)
    for x in xs:
        q.append(x * 0.5)
        q.popleft()
    return a, b, c, d, q


PROGRAMS = [
    empty_rows, filled_rows, one_list_often, of_two_classes, pairs, deep, dicts,
    later, numbers,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS)
def test_staged_means_what_python_means(function: Any) -> None:
    staged, random = ag.function(function), np.random.default_rng(5)
    for _ in range(3):
        xs = random.integers(0, 20, 25)
        assert repr(staged(xs)) == repr(function(xs))
