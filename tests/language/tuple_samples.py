"""Everyday programs of tuples whose length only the graph knows, and their arguments."""

from __future__ import annotations

from collections import deque

import numpy as np

NUMBERS = np.array([3, 1, 2, 2, 5])
FEW = np.array([0, 4])
NONE = np.array([], int)


def positive(x):
    return tuple(e for e in x if e > 0)


def asked(x):
    t = positive(x)
    return t, len(t), bool(t), type(t), isinstance(t, tuple), isinstance(t, list), 2 in t


def written_out(x):
    t = positive(x)
    return str(t), f"{t}", [t], t.count(2)


def parts(x):
    t = positive(x)
    return t[1:], t[::-1], sum(t), sorted(t), list(t), [e for e in reversed(t)]


def item(x, k):
    t = positive(x)
    try:
        return t[k]
    except IndexError as error:
        return str(error)


def place(x, k):
    try:
        return positive(x).index(k)
    except ValueError as error:
        return str(error)


def sums(x):
    t = positive(x)
    return t + (1, 2), (0,) + t, t + t, t * 2  # noqa: RUF005


def equal(x):
    t, u = positive(x), positive(x)
    return t == u, t != u, t == (3, 1, 2, 2, 5), t == (4,), t == list(u)


def grown(x):
    t, u = (), (1,)
    for e in x:
        if e > 1:
            t += (e,)
        u = u + (e, e * 0.5)  # noqa: RUF005
    return t, u, len(u)


def grown_by_a_test(x):
    t = (1,)
    while len(t) < 4 and x.sum() > 0:
        t = t + (t[-1] * 2,)  # noqa: RUF005
    return t


def written_into(x):
    t = positive(x)
    try:
        t[0] = 5
    except TypeError as error:
        return str(error)


def joined_with_a_list(x):
    t = positive(x)
    try:
        return t + [1]  # noqa: RUF005
    except TypeError as error:
        return str(error)


def items_of_others(x):
    groups = {}
    for e in x:
        groups.setdefault(e % 3, []).append(e)
    less = []
    for e in x:
        less.append(tuple(v for v in x if v < e))
    return {k: tuple(group) for k, group in groups.items()}, less


def taken_apart(x):
    first, *rest = positive(x)
    return first, rest


def of_other_things(x, n):
    return tuple(range(n)), tuple(x[x > n]), tuple(enumerate(x)), tuple({e: 0 for e in x})


def by_class(x):
    match positive(x):
        case list():
            return 1
        case tuple(t):
            return 2, t


def places_in_known_ones(x, n):
    counts = (x[0], n, 3).count(3), (1, 2, 1).count(n), ["a", "b"].count("ab"[n % 2])
    return counts, (x[0], n, 3).index(n), deque([x[0], 4]).index(4)


def not_in_a_known_one(x, n):
    try:
        return (7, 8).index(n)
    except ValueError as error:
        return str(error), [7, 8].index(x[0])


CALLS = {
    asked: [(NUMBERS,), (FEW,), (NONE,)],
    written_out: [(NUMBERS,), (FEW,), (NONE,)],
    parts: [(NUMBERS,), (NONE,)],
    item: [(NUMBERS, np.int64(1)), (NUMBERS, np.int64(7)), (NONE, np.int64(0))],
    place: [(NUMBERS, np.int64(2)), (FEW, np.int64(2))],
    sums: [(NUMBERS,), (NONE,)],
    equal: [(NUMBERS,), (FEW,), (NONE,)],
    grown: [(NUMBERS,), (FEW,), (NONE,)],
    grown_by_a_test: [(NUMBERS,), (NONE,)],
    written_into: [(NUMBERS,), (NONE,)],
    joined_with_a_list: [(NUMBERS,), (NONE,)],
    items_of_others: [(NUMBERS,), (NONE,)],
    taken_apart: [(NUMBERS,), (FEW,), (NONE,)],
    of_other_things: [(NUMBERS, np.int64(2)), (NONE, np.int64(0))],
    by_class: [(NUMBERS,), (NONE,)],
    places_in_known_ones: [(NUMBERS, np.int64(2)), (NUMBERS, np.int64(1)), (NUMBERS, np.int64(3))],
    not_in_a_known_one: [(NUMBERS, np.int64(8)), (NUMBERS, np.int64(1))],
}
