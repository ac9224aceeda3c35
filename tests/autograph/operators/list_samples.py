"""Functions that change Python lists in staged branches and loops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


def multiples(x, n):
    found = []
    for i in range(n):
        found.append(x * i)
    return found


def large_items(xs, limit):
    found = []
    for x in xs:
        if x > limit:
            found.append(x)
    return found


def one_more(x):
    items = [1.0, 2.0]
    if x > 0:
        items.append(float(x))
    return items


def both_arms(x):
    items = []
    if x > 0:
        items.append(1)
    else:
        items.append(2)
        items.append(3)
    return items


def python_numbers(n):
    flags, counts = [], []
    for i in range(n):
        counts.append(i)
        flags.append(i % 2 == 0)
    return flags, counts


def rows(x, n):
    found = []
    for i in range(n):
        found.append(x + i)
    return found


def pairs(x, n):
    found = []
    for i in range(n):
        found.append((i, x * i))
    return found


class Point(NamedTuple):
    x: float
    y: float


def points(x, n):
    path = [Point(x, x)]
    while len(path) < n:
        path.append(Point(x * len(path), x))
    return path


def until_found(xs, wanted):
    before = []
    for x in xs:
        if x == wanted:
            break
        if x < 0:
            continue
        before.append(x)
    return before


def nested(n, m):
    found = []
    for i in range(n):
        for j in range(m):
            if (i + j) % 2 == 0:
                found.append(i * 10 + j)
    return found


def widens(x, n):
    items = [0]
    for i in range(n):
        items.append(x * i)
    items.append(1)
    return items[1:] if n is None else items


def by_a_called_function(xs):
    found = []
    for x in xs:
        _note(found, x)
    return found


def _note(items, x):
    if x > 0:
        items.append(x)


def by_an_alias(n):
    items = []
    same = items
    for i in range(n):
        same.append(i)
    return items


def by_an_inner_function(n):
    items = []

    def add(k):
        items.append(k * 2)

    for i in range(n):
        add(i)
    return items


class Log:
    def __init__(self):
        self.lines = []

    def write(self, x):
        self.lines.append(x)


def in_an_attribute(xs):
    log = Log()
    for x in xs:
        log.write(x)
    return log.lines


def stack(n):
    work, count = [n], 0
    while work:
        k = work.pop()
        count += 1
        if k > 1:
            work.append(k - 1)
            work.append(k - 2)
    return count


def pops_in_a_branch(x):
    items = [1, 2, 3]
    if x > 0:
        items.pop()
    return len(items), items


def pops_from_empty(n):
    items = [1]
    for _ in range(n):
        items.pop()
    return items


def in_a_dict(x, n):
    parts = {"even": [], "odd": []}
    for i in range(n):
        if i % 2 == 0:
            parts["even"].append(x * i)
        else:
            parts["odd"].append(x * i)
    return parts


def given_by_the_caller(items, x):
    if x > 0:
        items.append(x)
    items.append(2 * x)
    return items


def in_what_the_caller_gave(parts, xs):
    for x in xs:
        parts["found"][0].append(x)
    parts["count"] = len(parts["found"][0])


F, I = np.float64, np.int64

CASES = [
    (multiples, [(F(2), I(n)) for n in (0, 1, 8, 9, 40)]),
    (large_items, [(np.arange(5.0), F(limit)) for limit in (-1, 2, 9)]),
    (one_more, [(F(1),), (F(-1),)]),
    (both_arms, [(F(1),), (F(-1),)]),
    (python_numbers, [(I(0),), (I(3),)]),
    (rows, [(np.arange(3.0), I(n)) for n in (0, 1, 12)]),
    (pairs, [(np.arange(3.0), I(2)), (F(1), I(3))]),
    (points, [(F(2), I(4)), (F(2), I(0))]),
    (until_found, [(np.array([1.0, -1.0, 3.0, 4.0]), F(k)) for k in (1, 3, 9)]),
    (nested, [(I(3), I(4)), (I(0), I(4)), (I(3), I(0))]),
    (by_a_called_function, [(np.array([1.0, -1.0, 2.0]),)]),
    (by_an_alias, [(I(0),), (I(3),)]),
    (by_an_inner_function, [(I(0),), (I(3),)]),
    (in_an_attribute, [(np.arange(3.0),)]),
    (stack, [(I(0),), (I(7),)]),
    (pops_in_a_branch, [(F(1),), (F(-1),)]),
    (pops_from_empty, [(I(0),), (I(1),), (I(2),)]),
    (given_by_the_caller, [([F(1)], F(2)), ([], F(2)), ([F(1)], F(-2))]),
    (in_what_the_caller_gave, [({"found": ([],)}, np.arange(3.0))]),
    (in_a_dict, [(F(2), I(5)), (F(2), I(0))]),
]


def shapes_differ(x, n):
    found = [x]
    for i in range(n):
        found.append(np.zeros(2))
    return found


def texts(x, n):
    found = []
    for i in range(n):
        found.append("again")
    return found


def lists_in_lists(x, n):
    found = []
    for i in range(n):
        found.append([i, x])
    return found


REFUSED = [
    (
        shapes_differ,
        (np.ones(3), I(2)),
        "the list 'found', which a staged branch or loop changes, holds f64[3] and f64[2]. Its "
        "items must have one structure, one shape, and a dtype that holds all of them without loss",
    ),
    (texts, (F(1), I(2)), "is or holds 'again' (str). Such a list holds numbers, arrays and"),
    (lists_in_lists, (F(1), I(2)), "an item of the list 'found', which a staged branch or loop"),
]
