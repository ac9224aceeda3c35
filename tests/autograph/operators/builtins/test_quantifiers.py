"""`any` and `all` ask no item behind the one that decides: what the others would do is not done."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import autograph as ag


def generators(x, n):
    out = []

    def noted(v):
        out.append(v)
        return v > n

    found = any(noted(i) for i in (x, x + 1, x + 2)), all(noted(i) for i in [x + 1, n, x])
    return found, out


def maps(x, n):
    out = []

    def noted(v):
        out.append(v)
        return v > n

    return any(map(noted, (x, x + 1, x + 2))), all(map(noted, [x + 1, n, x])), out


def dicts_that_make_items(x, n):
    counts: defaultdict[Any, int] = defaultdict(int)
    counts[x] += 1
    return any(counts[i] == n for i in (x, n + x, n)), counts


def arrays(x, n):
    room = np.zeros(3)

    def put(i):
        room[i] = n + 1
        return room[i] > x + i

    return any(put(i) for i in range(3)), all(put(i) for i in range(3)), room


def depth_first(x, n):
    edges, seen = [[1, 2], [3], [3], []], set()

    def reaches(node):
        if node in seen:
            return False
        seen.add(node)
        return node == n or any(reaches(k) for k in edges[node])

    return reaches(0), len(seen), x


@pytest.mark.parametrize("function", [generators, maps, dicts_that_make_items, arrays, depth_first])
def test_what_items_do_is_done_up_to_the_one_that_decides(function: Any) -> None:
    staged = ag.function(function)
    for x, n in ((0, 1), (1, 1), (2, 3), (3, 0)):
        given = np.int64(x), np.int64(n)
        assert repr(staged(*given)) == repr(function(*given))
