"""Loops over Python's numbers: which of them are rolled, and which are unrolled after all."""

from __future__ import annotations

from collections import namedtuple
from itertools import chain, combinations, product

import numpy as np


def folding(x, n):
    table = np.zeros((n, n))
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            table[i, j] = np.maximum(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = np.maximum(table[i, j], table[i + 1, j])
            if i < j - 1:
                table[i, j] = np.maximum(table[i, j], x[i] + x[j])
    return table


def decomposed(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


def stepped(x, n):
    t, k = 0.0, 0
    while k < n:
        x = x + 0.01 * (np.sin(t) - x)
        x = x - 0.001 * x * x
        t += 0.01
        k += 1
    return x, t, k


def nested_shortly(x):
    total, n = np.zeros(len(x)), len(x)
    for i in range(n):
        for j in range(n - 2):
            for k in range(n - 3):
                for m in range(n - 1):
                    total[m] += x[(i + j) % 5] * x[(k + m) % 5] - i * j
    return total


def left_early(x, limit):
    total = 0
    for k in range(300):
        total = total + x[k % 5] * 2 - 1
        if total > limit:
            break
    return total, k


def returned_from(x, limit):
    for k in range(300):
        x = x * 1.01 + 0.1 * k - 0.01
        if x > limit:
            return k, x
    return -1, x


def factorials(x):
    total, product = 0, 1
    for k in range(1, 90):
        product *= k
        total += x**k / product
        total = total * 0.5 + 1.0 / k
    return total, product


def widened_by_a_round(x):
    y = np.float32(1)
    for k in range(300):
        y = y * x + k
        y = y - 0.5 * k
    return y


def collected(x):
    found = []
    for k in range(300):
        found.append(x * k + 1)
    return found[7], len(found)


class Model:
    def __init__(self):
        self.weight = np.ones(3)
        self.steps = 0

    def step(self, x, k):
        self.weight = self.weight * 0.9 + x * k
        self.steps += 1
        return self.weight.sum()


def trained(x):
    model = Model()
    loss = 0.0
    for k in range(300):
        loss = model.step(x, k)
    return loss, model.steps


def picked_objects(x):
    functions = (np.sin, np.cos, np.tanh)
    for k in range(300):
        x = functions[k % 3](x) + 0.1 * k
    return x


def named(x):
    found = {}
    for k in range(300):
        found[f"round {k}"] = x * k + 1
    return found["round 7"]


def used_after(x):
    for k in range(300):
        x = x * 0.5 + k
    return x * len(bytes(k))


def drawn(x):
    generator = np.random.default_rng(0)
    for k in range(300):
        x = x + generator.normal() * k
    return x


def longest_increase(x):
    lengths = [1] * len(x)  # a list that is staged: the round number picks its items
    for i in range(len(x)):
        for j in range(i):
            if x[j] < x[i]:
                lengths[i] = max(lengths[i], lengths[j] + 1)
    return max(lengths)


V = np.arange(5.0)
MATRIX = np.arange(600).reshape(300, 2)
Point = namedtuple("Point", "x y")


def over_a_list(x):
    for v in [k * 0.5 for k in range(300)]:
        x = x * 0.5 + v - 1
    return x


def over_a_tuple(x):
    for v in tuple(k % 4 for k in range(300)):
        x = x * 0.5 + [1, 2.5, x, 4][v]
        if x > 1000:
            break
    return x


def over_enumerate_and_zip(x):
    numbers = [k * 0.5 for k in range(200)]
    for v, w in zip(numbers, range(5, 400)):
        x = x * 0.5 + v - w / 2
        if x > 1000:
            break
    for k, v in enumerate(numbers):
        x = x * 0.25 + v / (k + 1)
    return x


def over_pairs(x):
    p = q = None
    edges = [((k, k % 3 == 0), k * 0.5) for k in range(300)]
    for (p, q), w in edges:
        x = x * 0.5 + (p if q else w)
    for k, (v, (_, w)) in enumerate(zip([n % 7 for n in range(300)], edges)):
        x = x * 0.25 + v * w - k
    for point in [Point(k, np.float32(k / 3)) for k in range(300)]:
        x = x * 0.5 + point.x - point.y
    return x, p, q, point.x, point.y


def over_known_arrays(x):
    rows = np.arange(600.0).reshape(300, 2)
    for t in np.linspace(0.0, 1.0, 300):
        x = x * 0.5 + t
    for k, (v, w) in enumerate(rows):
        x = x * 0.5 + v - w * k
        rows[k, 0] = x
    for v, w in MATRIX:
        x = x * 0.5 + v * w
    return x, rows, v


def over_products(x):
    for k, v in product(range(90), [0.5, 1.5, 2.5]):
        x = x * 0.5 + k * v
        if x > 1000:
            break
    else:
        x = x + 100
    for (k, v), w in zip(combinations(range(26), 2), reversed([n * 0.5 for n in range(350)])):
        x = x * 0.5 + k * v - w
    for k, v in np.ndindex(20, 15):
        x = x * 0.5 + k * v
    return x, k, v


def over_places_of_a_list(x):
    pairs = [(k, k * 0.5) for k in range(300)]
    for k in range(len(pairs)):
        v, w = pairs[k]
        x = x * 0.5 + v * w
    return x, v, w


def over_pairs_of_several_classes(x):
    for v, w in [(k, 0.5 if k % 2 else 3) for k in range(200)]:
        x = x * 0.5 + v * w
    return x, w


def over_a_chain_that_grows(x):
    numbers, others = [k * 0.5 for k in range(300)], [1.0] * 10
    for v in chain(numbers, others):
        if len(others) < 30:
            others.append(3.0)
        x = x * 0.5 + v
    return x


def over_a_list_that_grows(x):
    numbers, count = [k * 0.5 for k in range(300)], 0
    for v in numbers:
        x, count = x * 0.5 + v, count + 1
        if count == 5:
            numbers.append(9.0)
    return x, count, numbers[-1]


def comprehended(x):
    doubled = [v * 2 + x[3] for v in x]
    powers = [x[1] ** 2 * k for k in range(300)]
    pairs = [(v, w) for v, w in zip(x, doubled)]
    rows = np.array([[v, v + 1] for v in x])
    return doubled, powers[7:9], pairs[5], rows, len(powers)


def comprehended_keys(x):
    named = {k: v * 3 for k, v in enumerate(x)}
    return named[30], len(named)


def comprehended_apart(x):
    shapes = [x[: k + 1] * 2 for k in range(200)]
    first, second, *_ = [v + 1 for v in x]
    table = np.array([v * 2 for v in x]).reshape(4, -1)
    return shapes[2], first, second, table


def reflected(x):
    """Householder's reflections: small arrays, which become smaller from round to round."""
    y = x.copy()
    for k in range(x.shape[1]):
        v = y[k:, k].copy()
        v[0] += np.sign(v[0]) * np.sqrt(np.sum(v * v))
        v = v / np.sqrt(np.sum(v * v))
        y[k:] -= 2 * np.outer(v, np.sum(y[k:], axis=0))
    return y


def around_cells(cells):
    """Go over items that are written down, staged numbers among them, in rounds with loops."""
    left, order = set(), []
    for i in range(len(cells)):
        for j in range(len(cells)):
            if cells[i][j]:
                left.add((i, j))
    stack = [(0, 0)]
    while stack:
        i, j = stack.pop()
        for c in ((i + 1, j), (i - 1, j), (i, j + 1), (i, 2)):
            if c in left:
                left.remove(c)
                stack.append(c)
                order.append(c)
    return order, left


def counted_around(x):
    counts = {}
    for v in x:
        for d in (-1, 0, 1, 2.5):
            counts[v + d] = counts.get(v + d, 0) + 1
        for d in (-1, 0, 1):
            counts[v + d] = counts.get(v + d, 0) + d
    return counts


WRITTEN_DOWN = [
    (around_cells, (np.arange(49).reshape(7, 7) % 4 > 0,)),
    (counted_around, (V,)),
]
ROLLED = [
    (reflected, (np.random.default_rng(4).normal(size=(14, 12)),)),
    (comprehended, (np.arange(80.0),)),
    (comprehended_keys, (np.arange(80.0),)),
    (over_a_list, (np.float64(3),)),
    (over_a_tuple, (np.float64(3),)),
    (over_enumerate_and_zip, (np.float64(3),)),
    (over_pairs, (np.float64(3),)),
    (over_known_arrays, (np.float64(3),)),
    (over_products, (np.float64(3),)),
    (over_places_of_a_list, (np.float64(3),)),
    (drawn, (np.float64(0),)),
    (folding, (np.arange(20.0), 20)),
    (decomposed, (np.eye(16) * 50 + np.arange(256.0).reshape(16, 16) / 256,)),
    (stepped, (np.float64(1), 300)),
    (nested_shortly, (V,)),
    (left_early, (V, np.float64(50))),
    (left_early, (V, np.float64(1e9))),
    (returned_from, (np.float64(0), np.float64(30))),
    (returned_from, (np.float64(0), np.float64(1e30))),
    (factorials, (np.float64(0.5),)),
    (widened_by_a_round, (np.float32(1.01),)),
    (widened_by_a_round, (np.float64(1.01),)),
    (collected, (V,)),
    (trained, (np.arange(3.0),)),
    (named, (V,)),
    (longest_increase, (np.sin(np.arange(40.0)),)),
]
UNROLLED = [
    (comprehended_apart, (np.arange(80.0),)),
    (over_a_list_that_grows, (np.float64(3),)),
    (over_pairs_of_several_classes, (np.float64(3),)),
    (over_a_chain_that_grows, (np.float64(3),)),
    (picked_objects, (V,)),
    (used_after, (V,)),
]


def over_three(s, i):
    for k in (i + 1, i - 1, i):
        s[k] = s.get(k, 0) + i


def over_six(s, i):
    for k in (i + 1, i - 1, i, i - 7, i + 7, i * 2):
        s[k] = s.get(k, 0) + i
