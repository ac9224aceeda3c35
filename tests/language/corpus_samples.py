"""Idioms that programs of two public collections were refused or raised for, with arguments."""

from __future__ import annotations

import operator
from collections import defaultdict, deque
from functools import cache, reduce
from itertools import chain, combinations, combinations_with_replacement, permutations, product
from math import comb, factorial, gcd, inf, lcm

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


def rows_of(x):
    rows = []
    for e in x:
        if e > 1:
            rows.append([e, e + 1])
    return rows


def columns_of_rows(x):
    rows = rows_of(x)
    total = 0
    for column in zip(*rows):  # noqa: B905
        for e in column:
            total += e
    sums = [sum(column) for column in zip(*rows)]  # noqa: B905
    return list(zip(*rows)), list(map(list, zip(*rows))), sums, total  # noqa: B905


def two_columns(x):
    a, b = zip(*[(e, -e) for e in x if e > 1])  # noqa: B905
    return a, b, max(a)


def items_as_arguments(x):
    def line(a, b, *, c=1):
        return a * 10 + b + c

    items = [e for e in x if e > 1]
    print(*items, 0, sep="-")
    flat = list(chain([0], *rows_of(x)))
    found = max(*items, 1, 2), min(0, *items), gcd(*items), lcm(*items), flat
    return found, line(*items[:2], c=3), max(*(e for e in x if e > 1)), chain_of(x)


def chain_of(x):
    return "".join(chain(*[[str(e)] for e in x if e > 2]))


def tuples_with_stars(x, n):
    items, grown = [e for e in x if e > n], ()
    for e in x:
        if e > n:
            grown = (*grown, e)
    one = (n,) if n > 2 else (n, n)
    parts = (*items,), (n, *items, 3), (*x, n), (n, *grown), (*grown, *grown)
    return parts, [*one], (*one, 2), {*one}, *one


def texts_among_numbers(x):
    rows, parts = [[1, "a"], [2, "b"]], []
    for e in x:
        parts.append(rows[e % 2][1])
    return "-".join(parts)


def cells_of_three_levels(x, n):
    cells = [[[inf] * 3 for _ in range(4)] for _ in range(n)]
    cells[0][0][0] = 0
    for i in range(1, n):
        for j in range(4):
            for k in range(1, 3):
                cells[i][j][k] = min(cells[i - 1][j][k] + x[j], cells[i - 1][j][k - 1] * 2)
                if cells[i][j][0] > x[j]:
                    cells[i][j][0] = x[i]
    return cells


def tuples_as_keys(x, n):
    grouped, seen, kept, found = defaultdict(list), set(), [], []
    counts = {}
    for e in x:
        digits = [0] * 3
        digits[e % 3] += e
        grouped[tuple(digits)].append(e)
        if e > n:
            kept.append(e)
        found.append(tuple(kept) in seen)
        seen.add(tuple(kept))
        counts[(e % 2, tuple(kept))] = counts.get((e % 2, tuple(kept)), 0) + 1
    return grouped, found, sorted(seen), len(seen), counts, (3,) in seen


def deeper_than_a_trace(x):
    @cache
    def best(i):
        if i >= len(x):
            return 0
        return max(best(i + 1), x[i] + best(i + 2))

    def total(i):
        return 0 if i >= len(x) else x[i] + total(i + 1)

    return best(0), total(0)


def cheapest_products(sizes):
    @cache
    def least(i, j):
        inner = range(i + 1, j)
        return min(
            (least(i, k) + sizes[i] * sizes[k] * sizes[j] + least(k, j) for k in inner),
            default=0,
        )

    return least(0, len(sizes) - 1)


class Bits:
    __slots__ = ("children", "count")

    def __init__(self):
        self.children = [None, None]
        self.count = 0

    def insert(self, x):
        node = self
        for i in range(3, -1, -1):
            bit = (x >> i) & 1
            if node.children[bit] is None:
                node.children[bit] = Bits()
            node = node.children[bit]
            node.count += 1

    def most(self, x):
        node, found = self, 0
        for i in range(3, -1, -1):
            bit = (x >> i) & 1
            if node.children[bit ^ 1]:
                found |= 1 << i
                bit ^= 1
            node = node.children[bit]
        return found


class Part:
    __slots__ = "left", "right", "value"


def objects_with_slots(x):
    bits = Bits()
    for e in x:
        bits.insert(e)
    return max(bits.most(e) for e in x), bits.count, type(bits) is Bits


def slots_that_are_empty(x, n):
    parts = [Part() for _ in range(len(x))]
    for i, e in enumerate(x):
        parts[i].left = i
        parts[i].value = e
    if n > 2:
        parts[n].right = 3
    found = [hasattr(part, "right") for part in parts]
    try:
        found.append(parts[0].right)
    except AttributeError as error:
        found.append(str(error))
    if parts[n].value == 2:
        parts[n].other = 1
    return [part.value + part.left for part in parts], found


def two_lists_or_none(x, n):
    large, small = [e for e in x if e > n], [e for e in x if e <= n]
    if len(large) > len(small):
        return []
    return [large, small]


def lists_in_either_order(x, n):
    large, small = [e for e in x if e > n], [e for e in x if e <= n]
    found = {"large": large} if n > 2 else {}
    pair = [large, 1] if n > 2 else [small, "k"]
    for e in x:
        if e == n:
            return [large, e], found, pair
    return [small, -1], found, pair


def rows_of_an_operand(x, n):
    rows = [[0] * 3 for _ in range(2)]
    for j, e in enumerate(x[:3]):
        if e > n:
            rows[0][j] = 1
        if e < n:
            rows[1][j] = 2
            if j > 1:
                return []
    return rows if n > 2 else []


def rows_written_in_arms(x):
    rows = [[0] * len(x) for _ in range(8)]
    for i in range(1, 8):
        for j, e in enumerate(x):
            if i >> j & 1:
                rest = i ^ (1 << j)
                if rest == 0:
                    rows[i][j] = 1
                    continue
                for k, other in enumerate(x):
                    if e % other == 0 or other % e == 0:
                        rows[i][j] += rows[rest][k]
    return rows, sum(rows[-1])


def factorials_of_one_class(n):
    number = 3 if n > 2 else 3.0
    try:
        return factorial(number), comb(5, number)
    except TypeError:
        return n


def rows_that_are_there(x, n):
    rows, sets, dicts = [], [], []
    for e in x:
        row = sorted([e % n, e % 2])
        if row not in rows:
            rows.append(row)
        if {e % 3} not in sets:
            sets.append({e % 3})
        if {e % 2: e % n} not in dicts:
            dicts.append({e % 2: e % n})
    place = rows.index(rows[-1])
    rows.remove([0, 1])
    return rows, sets, dicts, place, [0, 1] in rows, rows.count([1, 1])


def known_rows_are_asked(x, n):
    rows, pairs, row = [[1], [2, 3]], [(1,), (2, 3)], [e for e in x if e < n]
    found = [row in rows, [n] in rows, (n,) in pairs, tuple(row) in pairs]
    counts = rows.count([n]), pairs.count((n,)), rows.count(row)
    t = (n,)
    for e in x:
        if list(t) not in rows:
            rows.append(list(t))
        t = t if e > n else (*t, e)
    return found, counts, rows


def lists_of_lists_in_order(x, n):
    shapes = [[] for _ in range(3)]
    for i, e in enumerate(x):
        shapes[e % 3].append([e, i % n])
    for shape in shapes:
        shape.sort()
    shapes.sort()
    a, b = [e for e in x if e > n], [e for e in x if e <= n]
    return shapes, max(shapes), operator.lt(a, b), operator.add(a, b), reduce(operator.add, [a, b])


def comprehensions_of_comprehensions(x, n):
    doubled = [2 * e for e in [e for e in x if e > n]]
    unlike = [list(pair) for pair in sorted({(e, e % 2) for e in x if e > n})]
    found = {k: [e for e in x if e > k] for k in [e for e in x if e < n]}
    total = sum(e for e in [e * 2 for e in x if e > n] if e % 3)
    return (
        doubled,
        unlike,
        found,
        total,
        [i for i, e in enumerate([e for e in x if e < n]) if e > i],
    )


def tuples_of_itertools(x, n):
    items = [e for e in x if e > n]
    pairs = [a * 10 + b for a, b in combinations(items, 2)]
    turned = list(permutations(items, 2))
    grid = [(i, j) for i, j in product(range(n), repeat=2) if i < j]
    return pairs, turned, grid, list(combinations_with_replacement(range(n), 2))


def tuples_that_are_looked_at(x, n):
    items = [e for e in x if e > n]
    total, unlike = 0, sorted({t for t in combinations(sorted(x[:5]), 3) if sum(t) > n * 3})
    for a, b in product(items, [1, 2]):
        if a % (b + 1):
            total += a
    return total, len(list(combinations(items, 3))), unlike


def sums_of_parts(numbers, values):
    @cache
    def least(i, j, mask):
        if n - i < m - j:
            return inf
        if j == m:
            return 0 if i == n else inf
        mask &= numbers[i]
        if mask < values[j]:
            return inf
        found = least(i + 1, j, mask)
        if mask == values[j]:
            found = min(found, least(i + 1, j + 1, -1) + numbers[i])
        return found

    n, m = len(numbers), len(values)
    found = least(0, 0, -1)
    return found if found < inf else -1


TREE = np.array([[0, 1], [1, 2], [1, 3], [3, 4]])

CALLS = {
    defaults_of_two_kinds: [(X,)],
    limits_of_two_kinds: [(X,)],
    list_in_a_list_of_one_arm: [(X, I(3)), (X, I(1))],
    list_in_a_list_of_two_arms: [(X, I(3)), (X, I(1))],
    white_tiles: [("10110101", I(2), I(2)), ("11111", I(2), I(3))],
    columns_of_rows: [(X,), (X + 1,), (X - X,)],
    two_columns: [(X,), (X + 1,)],
    items_as_arguments: [(X,), (X + 1,)],
    tuples_with_stars: [(X, I(2)), (X, I(3))],
    texts_among_numbers: [(X,), (X[:0],)],
    tuples_as_keys: [(X, I(3)), (X, I(9))],
    deeper_than_a_trace: [(np.arange(300) % 7,)],
    cheapest_products: [(list(range(1, 90)),), ([3, 5, 2],)],
    objects_with_slots: [(X,), (X + 3,)],
    slots_that_are_empty: [(X, I(3)), (X, I(1)), (X, I(6))],
    two_lists_or_none: [(X, I(3)), (X, I(1))],
    lists_in_either_order: [(X, I(3)), (X, I(7)), (X, I(2))],
    rows_of_an_operand: [(X, I(3)), (X, I(1)), (X, I(5))],
    rows_written_in_arms: [(np.array([2, 3, 6]),)],
    factorials_of_one_class: [(I(3),), (I(1),)],
    rows_that_are_there: [(X, I(3)), (X, I(4))],
    known_rows_are_asked: [(X, I(3)), (X, I(1)), (X, I(2))],
    lists_of_lists_in_order: [(X, I(3)), (X, I(2))],
    comprehensions_of_comprehensions: [(X, I(3)), (X, I(1))],
    tuples_of_itertools: [(X, I(3)), (X[::-1] * 6, I(2)), (X, I(0))],
    tuples_that_are_looked_at: [(X, I(3)), (X[::-1] * 6, I(2)), (X, I(0))],
    sums_of_parts: [(np.array([1, 4, 3, 3, 2]), np.array([0, 3, 3, 2])), (X, X[:2])],
    cells_of_three_levels: [(X, I(3)), (X, I(2))],
    two_functions_that_call_themselves: [(np.array([1, 5, 5, 4, 11]), TREE)],
}
