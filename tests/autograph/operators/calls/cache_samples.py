"""Functions that keep what they gave, and groups of neighbours: everyday programs."""

from __future__ import annotations

import functools
import itertools
import operator

import numpy as np


def common_subsequence(a, b):
    @functools.cache
    def longest(i, j):
        if i == len(a) or j == len(b):
            return 0
        if a[i] == b[j]:
            return 1 + longest(i + 1, j + 1)
        return max(longest(i + 1, j), longest(i, j + 1))

    return longest(0, 0)


def knapsack(weights, values, room):
    @functools.lru_cache(maxsize=None)
    def best(k, room):
        if k == len(weights):
            return 0
        found = best(k + 1, room)
        if weights[k] <= room:
            found = max(found, values[k] + best(k + 1, room=room - weights[k]))
        return found

    return best(0, room)


@functools.lru_cache(maxsize=None)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def lasting(x, n):
    return sum(fibonacci(k) for k in range(n) if x[k] > 0) + fibonacci(10)


def cheapest_path(costs):
    rows, columns = costs.shape

    @functools.cache
    def cost(i, j):
        if i == 0 and j == 0:
            return costs[0, 0]
        before = []
        if i > 0:
            before.append(cost(i - 1, j))
        if j > 0:
            before.append(cost(i, j - 1))
        return costs[i, j] + min(before)

    return cost(rows - 1, columns - 1)


def how_often_it_runs(x):
    runs = []

    @functools.cache
    def squared(v):
        runs.append(v)
        return v * v

    return [squared(v) for v in x], runs


class Polynomial:
    def __init__(self, factors):
        self.factors = factors

    @functools.cache
    def at(self, x):
        found = 0.0
        for factor in self.factors:
            found = found * x + factor
        return found


def of_a_method(x):
    first, second = Polynomial((1.0, 2.0)), Polynomial((0.5, 3.0))
    return first.at(x), second.at(x), first.at(x) + first.at(x + 1)


def counted(x, n):
    count = 0

    @functools.cache
    def halves(k, y):
        nonlocal count
        if k <= 0:
            return y * 0.5
        count += k
        for _ in range(k % 3):
            y = y + halves(k // 2, y * 0.5)
        return y

    return halves(n, x), count


A, B = np.array([1, 2, 3, 4]), np.array([2, 4, 3, 4])
COSTS = np.arange(12).reshape(3, 4) * 7 % 5

CACHED = (
    (common_subsequence, [(A, B), (A, A), (B, -A)]),
    (knapsack, [(A, B, np.int64(n)) for n in (7, 0, 100)]),
    (lasting, [(A - 2, np.int64(n)) for n in (4, 0)]),
    (cheapest_path, [(COSTS,), (-COSTS,)]),
    (how_often_it_runs, [(np.array([1, 2, 1, 1, 3]),), (A,)]),
    (counted, [(np.float64(1.5), np.int64(3)), (np.float64(2.0), np.int64(5))]),
    (of_a_method, [(np.float64(2.0),), (np.float64(-1.0),)]),
)


def runs_of(x):
    return [(key, len(list(group))) for key, group in itertools.groupby(x)]


def groups_taken_twice(x):
    return [(list(group), sum(group)) for _, group in itertools.groupby(x)]


def groups_by_sign(x):
    found = {}
    for key, group in itertools.groupby(sorted(x), key=lambda v: v > 0):
        found[int(key)] = list(group)
    return found


def first_of_each(x):
    return [next(group) for _, group in itertools.groupby(x, lambda v: v % 2)]


def left_by_jumps(x):
    total = 0
    for key, group in itertools.groupby(x):
        if key < 0:
            continue
        for v in group:
            total = total * 3 + v
        if total > 100:
            break
    return total


def consecutive(x):
    found = []
    for _, group in itertools.groupby(enumerate(x), key=lambda pair: pair[1] - pair[0]):
        run = [v for _, v in group]
        found.append((run[0], run[-1]))
    return found


def of_pairs(x):
    pairs = zip(x, x[::-1], strict=True)
    return [key for key, group in itertools.groupby(pairs, key=operator.itemgetter(0))]


GROUPED = (
    *(runs_of, groups_taken_twice, groups_by_sign, first_of_each),
    *(left_by_jumps, consecutive, of_pairs),
)
