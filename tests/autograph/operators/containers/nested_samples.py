"""Functions with lists of lists, and other containers in containers, that staged code changes."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

X = np.array([3, 1, 4, 1, 5, 9, 2, 6])
EDGES = np.array([[0, 1], [1, 2], [0, 3], [3, 2], [2, 4]])
I = np.int64  # noqa: E741


def neighbours(edges, n):
    adjacent = [[] for _ in range(n)]
    for a, b in edges:
        adjacent[a].append(b)
        adjacent[b].append(a)
    order, seen, stack = [], [False] * n, [0]
    while stack:
        v = stack.pop()
        if seen[v]:
            continue
        seen[v] = True
        order.append(v)
        for w in adjacent[v]:
            if not seen[w]:
                stack.append(w)
    return adjacent, order


def one_row_under_two_names(x, t):
    rows, row = [], []
    for v in x:
        rows.append(row)
        row.append(v)
        if v > t:
            row = []
    rows[0].append(-1)
    return rows, row, rows[1] is rows[0], rows[-1] is row, sum(map(len, rows))


def repeated_rows(n, i):
    rows = [[0] * 3] * n
    rows[0][i] = 5
    for k in range(n):
        rows[k].append(k)
    return rows, rows[0] is rows[-1]


def chosen_rows(x):
    rows = []
    for v in x:
        rows.append([v])
    row = rows[0] if x[0] > 2 else rows[1]
    row.append(100)
    best = rows[0]
    for r in rows:
        if r[0] > best[0]:
            best = r
    best.append(-1)
    return rows, best, row


def chunks(x):
    found, part = [], []
    for v in x:
        part.append(v)
        if len(part) == 3 or v > 8:
            found.append(part)
            part = []
    if part:
        found.append(part)
    return found


def intervals(x):
    found = []
    for a in x:
        if found and found[-1][1] >= a:
            found[-1][1] = max(found[-1][1], a + 1)
        else:
            found.append([a, a + 1])
    return found


def subsets(n):
    found = [[]]
    for i in range(n):
        found = found + [s + [i] for s in found]
    return found


def triangle(n):
    rows = []
    for i in range(n):
        row = [1] * (i + 1)
        for j in range(1, i):
            row[j] = rows[i - 1][j - 1] + rows[i - 1][j]
        rows.append(row)
    return rows


def numbers_of_two_classes(x):
    rows = []
    for v in x:
        rows.append([1, v])
    rows[0].append(2.5)
    return rows


def rows_before_an_error(x):
    rows = []
    for v in x:
        try:
            rows.append([v])
            if v > 5:
                raise ValueError(v)
            rows[-1].append(0)
        except ValueError:
            rows[-1].append(-1)
    return rows


def rows_of_outside_before_an_error(x):
    row = []
    rows = [row]
    try:
        row.append(x[0])
        if x[1] > 0:
            raise ValueError(x[1])
    except ValueError:
        rows.append([1])
    return rows, row


def a_row_of_outside_beside_a_generator(x):
    row, rows, s = [x[0]], [[0] * 2] * 3, 0
    more = [row]
    if x[0] not in rows[0]:
        rows.extend(more[:1])
        s = sum(len(r) for r in more)
    return rows, more, s


def moved_rows(x):
    rows = []
    for v in x:
        rows.append([v, v % 3])
    rows.sort(key=lambda r: (r[1], r[0]))
    rows.insert(1, [0])
    del rows[0]
    rows.reverse()
    last = rows.pop()
    rows[0].extend(last)
    for a, b in zip(rows, rows[1:], strict=False):
        a.append(b[0])
    return rows, rows[2:4], last


def cubes(x):
    found = []
    for v in x:
        found.append([[v], [v, v]])
    found[1][0].append(5)
    found[x[0] - 2].append(found[0][1])
    return found, found[0][1] is found[1][2]


def dicts_and_sets_in_lists(x):
    dicts, sets = [], []
    for v in x:
        dicts.append({0: v, 1: v + 1})
        sets.append({v, v % 2})
    dicts[0][v] = 7
    return dicts, [len(s) for s in sets]


def lists_in_dicts(x):
    groups, made = {}, defaultdict(list)
    for i, v in enumerate(x):
        groups.setdefault(v % 3, []).append(i)
        made[v % 2].append(v)
        groups[-v] = groups.get(-v, []) + [v]
    return groups, made, {k: sum(vs) for k, vs in made.items()}


def pairs_with_lists(x):
    pairs = []
    for v in x:
        pairs.append((v, [v]))
    for k, items in pairs:
        if k > 2:
            items.append(k)
    return pairs


def texts_in_rows(x):
    rows = []
    for v in x:
        rows.append([f"a{v}", "b"])
    return rows


def a_row_leaves_the_loop(x):
    rows = []
    for v in x:
        rows.append([v])
    for r in rows:
        if r[0] > 4:
            r.append(0)
            return r
    return []


CASES = [
    (neighbours, [(EDGES, I(5))]),
    (one_row_under_two_names, [(X, I(3))]),
    (repeated_rows, [(I(3), I(1))]),
    (chosen_rows, [(X,), (X[1:],)]),
    (chunks, [(X,)]),
    (intervals, [(np.sort(X),)]),
    (subsets, [(I(0),), (I(3),)]),
    (triangle, [(I(5),)]),
    (numbers_of_two_classes, [(X,)]),
    (rows_before_an_error, [(X,)]),
    (rows_of_outside_before_an_error, [(X,), (X - 9,)]),
    (a_row_of_outside_beside_a_generator, [(X,), (X * 0,)]),
    (moved_rows, [(X,)]),
    (cubes, [(X,)]),
    (dicts_and_sets_in_lists, [(X,)]),
    (lists_in_dicts, [(X,)]),
    (pairs_with_lists, [(X,)]),
    (texts_in_rows, [(X[:3],)]),
    (a_row_leaves_the_loop, [(X,), (X[:2],)]),
]
NATIVE = (intervals, triangle)
