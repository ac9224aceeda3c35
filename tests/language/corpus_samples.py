"""Idioms that programs of two public collections were refused or raised for, with arguments."""

from __future__ import annotations

from collections import defaultdict, deque
from functools import cache
from math import inf

import numpy as np

I = np.int64  # noqa: E741
X = np.array([3, 1, 4, 1, 5, 9, 2, 6])


def defaults_of_two_kinds(x):
    found = {}
    for e in x:
        if e % 3 not in found:
            found[e % 3] = (defaultdict(int), defaultdict(list))
        counts, items = found[e % 3]
        counts[e] += 1
        items[e % 2].append(e)
    return {key: (dict(a), dict(b)) for key, (a, b) in found.items()}


def limits_of_two_kinds(x):
    pairs = []
    for e in x:
        if e > 1:
            pairs.append((deque(maxlen=2), deque(maxlen=3), deque()))
    for e in x:
        for queue in pairs[e % len(pairs)]:
            queue.extend([e, e + 1, e + 2])
    return pairs[0], pairs[-1]


def list_in_a_list_of_one_arm(x, n):
    if n > 2:
        large = [e for e in x if e > n]
        rows = [large, [2]]
        same = large
    if n > 2:
        rows[0].append(n)
        return rows, len(same)
    return 0


def list_in_a_list_of_two_arms(x, n):
    rows = [[0], [1]]
    if n > 2:
        rows = [[e for e in x if e > n], [2]]
        rows[0].append(n)
    return rows


def white_tiles(floor, carpets, length):
    @cache
    def fewest(i, left):
        if i >= n:
            return 0
        if floor[i] == "0":
            return fewest(i + 1, left)
        if left == 0:
            return sums[-1] - sums[i]
        return min(1 + fewest(i + 1, left), fewest(i + length, left - 1))

    n = len(floor)
    sums = [0] * (n + 1)
    for i, c in enumerate(floor):
        sums[i + 1] = sums[i] + int(c == "1")
    return fewest(0, carpets)


def two_functions_that_call_themselves(numbers, edges):
    def total(i, above):
        result = numbers[i]
        for j in beside[i]:
            if j != above:
                result ^= total(j, i)
        return result

    def look(i, above):
        nonlocal least
        result = numbers[i]
        for j in beside[i]:
            if j != above:
                part = look(j, i)
                result ^= part
                least = min(least, abs(part - first))
        return result

    beside = defaultdict(list)
    for a, b in edges:
        beside[a].append(b)
        beside[b].append(a)
    least = inf
    for i in range(len(numbers)):
        for j in beside[i]:
            first = total(i, j)
            look(i, j)
    return least


TREE = np.array([[0, 1], [1, 2], [1, 3], [3, 4]])

CALLS = {
    defaults_of_two_kinds: [(X,)],
    limits_of_two_kinds: [(X,)],
    list_in_a_list_of_one_arm: [(X, I(3)), (X, I(1))],
    list_in_a_list_of_two_arms: [(X, I(3)), (X, I(1))],
    white_tiles: [("10110101", I(2), I(2)), ("11111", I(2), I(3))],
    two_functions_that_call_themselves: [(np.array([1, 5, 5, 4, 11]), TREE)],
}
