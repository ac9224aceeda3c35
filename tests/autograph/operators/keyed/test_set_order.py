"""What the order of a set's items shows: programs, plain and staged."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import autograph as ag


def filled(xs):
    found = set()
    for x in xs:
        if x % 3:
            found.add(x)
    return found


def loops(xs, ys):
    total, items = 0, []
    for x in filled(xs):
        total = (total * 31 + x) % 1009
        items.append(x)
    items.extend(filled(ys))
    return total, items, [*filled(xs)], [x * 2 for x in filled(ys)]


def comprehensions(xs, ys):
    s = filled(xs)
    return {x: x // 2 for x in s}, [x for x in s if x in filled(ys)], {x % 5 for x in s}


def reductions(xs, ys):
    s = filled(xs)
    return sum(s), any(x > 50 for x in s), all(x in s for x in filled(ys)), sum(x / 7 for x in s)


def pops(xs, ys):
    s, taken = filled(xs), []
    while len(s) > 2:
        taken.append(s.pop())
        if len(taken) == 2:
            s.add(taken[0] + 64)
            s.discard(ys[0])
    return taken, list(s)


def pops_too_many(xs, ys):
    s = filled(xs)
    try:
        for _ in range(len(xs)):
            s.pop()
    except KeyError as error:
        return error.args
    return len(s)


def algebra(xs, ys):
    p, q = filled(xs), filled(ys)
    return [list(s) for s in (p | q, p & q, p - q, q - p, p ^ q, p.copy(), set(q))]


def in_place(xs, ys):
    p, q, r, s = filled(xs), filled(ys), filled(xs), filled(ys)
    p |= q
    q -= {8, 16, 5}
    r ^= s
    s &= p
    found = [list(x) for x in (p, q, r, s)]
    p.clear()
    p.update(ys, q, dict.fromkeys([7, 71, 135]))
    return found, list(p), list(p.union([3, 11], r)), list(p.difference([7], q))


def by_itself(xs, ys):
    p, q, r = filled(xs), filled(xs), filled(xs)
    for y in ys:
        p.discard(y)
        q.discard(y)
    q &= q
    q.add(72)
    r |= r
    return list(p & p), list(p.intersection(p)), list(p.union(ys, p)), list(q), list(r), list(p ^ p)


def of_dicts_and_frozen_sets(xs, ys):
    d, known, s = {}, frozenset((128, 64, 1, 8, 0, 136)), set()
    for x in xs:
        d[x * 8] = 1
    t = set()
    t |= known
    s.update(dict.fromkeys((64, 8, 0, 1, 72)), ys)
    return list(set(d)), list(s), list(filled(ys) | known), list(t.union(ys)), list(set().union(d))


def known_before(xs, ys):
    s, others = set(range(0, 32, 8)), (128, 1, 64)
    s.add(3)
    s.discard(8)
    s.remove(3)
    for x in xs:
        if x > 2:
            s.add(x)
    return list(s), list({*others} | s)


def pairs(xs, ys):
    seen = set()
    for x in xs:
        seen.add((x % 4, -x))
        seen.discard((1, -ys[0]))
    return list(seen)


def floats(xs, ys):
    seen = set()
    for x in xs:
        seen.add(x / 4)
        seen.add(x * 1e300)
    return list(seen)


def changes_in_its_loop(xs, ys):
    s = filled(xs)
    try:
        for x in s:
            s.add(x + 100)
    except RuntimeError as error:
        return str(error)
    return len(s)


def texts(xs, ys):
    s = filled(xs)
    return str(s), f"{filled(ys)!r}", str({(x, x + 1) for x in s})


def unpacked(xs, ys):
    first, *rest = filled(xs)
    return first, rest, max(filled(xs)), min(filled(xs), key=lambda x: x % 7)


def returned(xs, ys):
    p, q = filled(xs), filled(ys)
    p -= q
    q.discard(5)
    q.add(11)
    return p, q, p | q, {(x, x) for x in q}


def neighbours(xs, ys):
    graph, found = defaultdict(set), []
    for x in xs:
        graph[x % 5].add(x % 3)
        graph[x % 3].add(x % 5)
    for start in graph:
        todo, near = [start], set()
        while todo:
            v = todo.pop()
            if v not in near:
                near.add(v)
                todo.extend(sorted(graph[v] - near))
        found.append(sorted(near))
    return found


PROGRAMS = [
    *(loops, comprehensions, reductions, pops, pops_too_many, algebra, in_place, known_before),
    *(
        pairs,
        floats,
        changes_in_its_loop,
        texts,
        unpacked,
        returned,
        neighbours,
        by_itself,
        of_dicts_and_frozen_sets,
    ),
]
ARRAYS = [
    (np.array([5, 3, 8, 1, 1, 9, 77, 13, 100, 64, 32, -7, -1]), np.array([8, 64, 2, 5, 1000])),
    (np.arange(1, 140, 2) * 8 - 300, np.arange(0, 70) * 5),
    (np.array([2, 1]), np.array([1])),
]


def outcome(program, arrays):
    try:
        return repr(program(*arrays))
    except ValueError as error:
        return type(error)


@pytest.mark.parametrize("program", PROGRAMS)
def test_items_are_in_the_order_of_pythons_sets(program):
    staged = ag.function(program, input_signature=[ag.TensorSpec([None], "int64")] * 2)
    for arrays in ARRAYS:
        assert outcome(staged, arrays) == outcome(program, arrays)
