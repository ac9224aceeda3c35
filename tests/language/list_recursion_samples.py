"""Everyday functions that call themselves with lists, sets and dicts, and their arguments."""

from __future__ import annotations

import numpy as np

I = np.int64  # noqa: E741
NUMBERS = np.array([3, 1, 2, 2, 5])
FEW = np.array([0, 4])
NONE = np.array([], int)


def positive(x):
    return [e for e in x if e > 0]


def quicksort(x):
    if len(x) <= 1:
        return list(x)
    first = x[0]
    low = quicksort([e for e in x[1:] if e < first])
    return low + [first] + quicksort([e for e in x[1:] if e >= first])


def merged(a, b):
    if not a:
        return b
    if not b:
        return a
    if a[0] < b[0]:
        return [a[0], *merged(a[1:], b)]
    return [b[0]] + merged(a, b[1:])


def merge_sort(x):
    def sort(items):
        if len(items) <= 1:
            return items
        middle = len(items) // 2
        return merged(sort(items[:middle]), sort(items[middle:]))

    return sort(positive(x))


def permutations(x):
    found = []

    def permute(rest, chosen):
        if not rest:
            found.append(chosen)
            return
        for k in range(len(rest)):
            permute(rest[:k] + rest[k + 1 :], chosen + [rest[k]])

    permute(positive(x)[:3], [])
    return found


def subsets(x):
    def of(items):
        if not items:
            return [[]]
        rest = of(items[1:])
        return rest + [[items[0]] + one for one in rest]

    return of(positive(x)[:4])


def given_and_returned(x):
    def collect(items, found):
        if not items:
            return found
        found.append(items[0])
        return collect(items[1:], found)

    given = []
    got = collect(positive(x), given)
    got.append(99)
    return given, got, given is got


def one_of_two_returned(x):
    found = []

    def collect(k):
        if k == 0:
            return found
        if x[k - 1] == 2:
            return [7]
        found.append(x[k - 1])
        return collect(k - 1)

    got = collect(len(positive(x)))
    got.append(9)
    return found, got


def written_in_each_call(x):
    def add(items):
        if not items:
            return items
        items[0] += 10
        add(items[1:])
        return items

    given = positive(x)
    got = add(given)
    got.append(5)
    return given, got


def towers(x):
    def move(k, a, b, c):
        if k == 0:
            return 0
        moves = move(k - 1, a, c, b)
        b.append(a.pop())
        return moves + 1 + move(k - 1, c, b, a)

    a, b, c = positive(x), [], []
    return move(len(a), a, b, c), a, b, c


def sets_handed_on(x):
    def rests(k, seen):
        return seen if k == 0 else rests(k - 1, seen | {x[k - 1] % 3})

    return sorted(rests(len(positive(x)), set()))


def dicts_handed_on(x):
    def places(k, found):
        if k == 0:
            return found
        more = dict(found)
        more[k] = x[k - 1]
        return places(k - 1, more)

    return places(len(positive(x)), {})


def grown_by_sums(x):
    kept, best = [], []
    for e in x:
        kept = kept + [e]
        if sum(kept) % 2:
            best = kept
        elif e > 2:
            kept = [e] + kept[1:]
    return kept, best


def written_under_another_name(x):
    kept, best = [], []
    for e in x:
        kept = kept + [e]
        if e > 2:
            best = kept
        kept.append(0)
    return kept, best


def repeated_and_joined(x):
    kept = []
    for e in x:
        part = [e] * e
        kept = kept + part
    return kept


def items_without_parts(x):
    found = [()]
    if len(positive(x)) > 1:
        found.append(())
    return found + [()], found + found, list(found), found[:], found * 2


def chosen_or_not(x):
    def of(k, path):
        if k == len(x):
            return [path]
        found = of(k + 1, path)
        if x[k] > 1:
            found = found + of(k + 1, path + (x[k],))  # noqa: RUF005
        return found

    return of(0, ())


CALLS = {
    quicksort: [(NUMBERS,), (FEW,), (NONE,), ([4, 2, 9],)],
    merge_sort: [(NUMBERS,), (NONE,)],
    permutations: [(NUMBERS,), (FEW,)],
    subsets: [(NUMBERS,), (NONE,)],
    given_and_returned: [(NUMBERS,), (NONE,)],
    one_of_two_returned: [(NUMBERS,), (FEW,), (np.array([1, 0, 4]),)],
    written_in_each_call: [(NUMBERS,), (NONE,)],
    towers: [(NUMBERS,), (FEW,)],
    sets_handed_on: [(NUMBERS,), (FEW,)],
    dicts_handed_on: [(NUMBERS,), (NONE,)],
    written_under_another_name: [(NUMBERS,), (NONE,)],
    repeated_and_joined: [(NUMBERS,), (FEW,), (NONE,)],
    items_without_parts: [(NUMBERS,), (FEW,)],
    chosen_or_not: [(NUMBERS,), (FEW,), (NONE,)],
    grown_by_sums: [(NUMBERS,), (FEW,), (NONE,)],
}
