"""Items of staged deques are taken away in front without moving the others."""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.walk import walk
from runtime.ops.indexing import update


def queue(xs: Any) -> Any:
    found, seen = deque([1]), []
    for x in xs:
        found.append(x)
        if x % 3 == 0:
            seen.append(found.popleft())
        if len(found) > 5:
            seen.append(found.popleft() - found[0] + found[-1])
    return found, seen, list(found), sum(found)


def window(xs: Any) -> Any:
    last, found = deque([0, 0], maxlen=4), []
    for x in xs:
        last.append(x)
        found.append(sum(last) + len(last) + last[0])
        if x == 7:
            last.appendleft(x)
    return last, found


def both_ends(xs: Any) -> Any:
    ends = deque()
    for x in xs:
        if x % 2:
            ends.append(x)
        else:
            ends.appendleft(x)
        if x > 5:
            ends.popleft()
        if x == 4:
            ends.pop()
            ends.rotate(1)
        ends.extend([x, x + 1])
        ends[0] += 1
        ends[-1] -= 1
    return ends, max(ends), len(ends), 3 in ends, list(reversed(ends)), ends.copy()


def chosen(xs: Any) -> Any:
    a, b = deque([1, 2, 3]), deque([4])
    for x in xs:
        c = a if x > 4 else b
        c.append(x)
        if len(c) > 2:
            c.popleft()
    return a, b, len(a) == len(b)


def levels(xs: Any) -> Any:
    todo, found = deque([(0, 0)]), []
    while todo:
        k, depth = todo.popleft()
        found.append((k, depth))
        for j in (2 * k + 1, 2 * k + 2):
            if j < len(xs) and xs[j] > 0:
                todo.append((j, depth + 1))
    return found


def inner(xs: Any) -> Any:
    rows = [deque([1, 2]) for _ in range(3)]
    for x in xs:
        row = rows[x % 3]
        row.append(x)
        if x > 3:
            row.popleft()
    return rows


def emptied(xs: Any) -> Any:
    found = deque(xs)
    total = 0
    while len(found) > 1:
        total += found.popleft() * found.pop()
        if total % 5 == 0 and total < 400:
            found.append(total)
    found.popleft()
    return total, found, found.popleft()


def either(xs: Any) -> Any:
    p, q, total = deque([1, 2]), deque([3]), 0
    for x in xs:
        r = p if x % 2 == 0 else q
        if r:
            total += r.popleft()
        p.append(x)
    return total, p, q


def gathered(xs: Any) -> Any:
    places = deque(k for k in range(len(xs)) if xs[k] > 2)
    return places, deque((x for x in xs if x < 5), maxlen=3), Counter(x % 2 for x in xs if x > 0)


PROGRAMS = [gathered, either, queue, window, both_ends, chosen, levels, inner, emptied]


def outcome(function: Any, xs: Any) -> Any:
    try:
        return repr(function(xs))
    except (IndexError, ValueError) as error:
        return repr(error)


@pytest.mark.parametrize("function", PROGRAMS)
def test_staged_means_what_python_means(function: Any) -> None:
    staged = ag.function(function, reduce_retracing=True)
    random = np.random.default_rng(3)
    for size in (9, 60, 0, 1):
        xs = random.integers(0, 9, size)
        assert outcome(staged, xs) == outcome(function, xs)


def test_taking_an_item_away_in_front_moves_none() -> None:
    def taken(xs: Any) -> Any:
        found, total = deque([1, 2, 3]), 0
        for x in xs:
            total += found.popleft()
            found.append(x)
        return total

    graph = ag.function(taken).get_concrete_function(np.arange(20)).traced_graph
    under_no_condition = [x for node in graph.nodes for r in node.regions for x in r.nodes]
    keys = [x.attrs["key"] for x in under_no_condition if x.op is update]
    assert {*keys} == {"?"}
    assert any(x.op is update and x.attrs["key"] == "?:?" for x in walk(graph))  # where room ends


def test_a_maxlen_that_only_the_graph_knows_is_refused():
    def last(n):
        return deque([1, 2], maxlen=n)

    for function in (last, lambda n: deque([1, 2], n), lambda n: deque(maxlen=int(n))):
        with pytest.raises(ag.StagedValueError, match="maxlen of a deque is known only when"):
            ag.function(function)(np.int64(3))
