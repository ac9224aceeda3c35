"""Everyday programs over numbers, lists, dicts and sets, with the arguments that they are given."""

from __future__ import annotations

import heapq
from bisect import bisect, bisect_left, bisect_right, insort
from collections import Counter, defaultdict, deque

import numpy as np

I = np.int64  # noqa: E741
EDGES = np.array([[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [0, 9], [9, 17]])


def smallest_capacity(weights, days):
    def is_enough(most):
        load, used = 0, 1
        for weight in weights:
            load += weight
            if load > most:
                used += 1
                load = weight
        return used <= days

    low = max(weights)
    return low + bisect_left(range(low, sum(weights) + 1), True, key=is_enough)


def places_in_ranges(n, x):
    numbers = range(0, n, 3)
    return bisect_right(numbers, x), bisect_left(numbers, x, hi=n // 6), bisect(numbers, x, 1)


def negative_low(n, x):
    try:
        return bisect_left(range(10), x, lo=n)
    except ValueError as error:
        return str(error)


def keys_that_are_staged(x):
    return heapq.nsmallest(2, [5, 1, 4], key=lambda v: abs(v - x)), heapq.nlargest(x, [1, 2, 3])


def kept_in_order(items, x):
    found = sorted(items)
    insort(found, x, key=lambda v: -v)
    return found


def parts_of_a_range(n, k):
    r = range(n)
    return r[1:3], list(r[::2]), len(r[1:]), r[-2:], r[::-1], list(r[n:k:-2]), range(9)[k], r[k:n]


def asked_of_a_range(n):
    r = range(2, n, 2)
    try:
        place = r.index(4)
    except ValueError as error:
        place = str(error)
    return 4 in r, n in r, place, r.count(5), r.start, r.stop, r.step


def inner_targets(rows, n):
    total = 0
    for k, ((a, b), [c, d]) in enumerate(rows):
        if n > a:
            total += b * c - d + k
    return total, [(x, w) for (x, y), (z, w) in rows if x < n]


def covered(tiles, length):
    j = total = best = 0
    for first, (left, right) in enumerate(tiles):
        while j < len(tiles) and tiles[j][1] - left + 1 <= length:
            total += tiles[j][1] - tiles[j][0] + 1
            j += 1
        best = max(best, total + first)
        total -= right - left + 1
    return best


def targets_one_after_the_other(x, n):
    d, i = {}, 0
    (d[i], (i, d[i])), y = (x, (n, n + 1)), 3
    first = p, (q, *r) = [n, [x, 5, 6]]
    first.append(y)
    return d, i, y, first, p, q, r


def inner_target_of_too_many(n):
    a = [0] * 3
    try:
        a[0], (a[1], b), a[2] = n, (n, n + 1, n + 2), 5
    except ValueError as error:
        return a, str(error)
    return a, b


def parts_of_several_kinds(rows, n):
    if n > 0:
        rows.append([n, [n, 1]])
    a, (b, c) = rows[-1]
    return a, b, c


def window(items, most):
    counts, longest, first = defaultdict(int), 0, 0
    for last, x in enumerate(items):
        counts[x] += 1
        while counts[x] > most:
            counts[items[first]] -= 1
            first += 1
        longest = max(longest, last - first + 1)
    return longest, dict(counts)


def condition_that_fills(items, n):
    found, i = defaultdict(list), 0
    while len(found[i]) < n and i < len(items):
        found[i].append(items[i])
        i += found[i][-1] % 2 + 1
    return dict(found), i


def condition_that_logs(items):
    i, log = 0, []

    def more():
        log.append(i)
        return i < len(items) and items[i] > 0

    while more():
        i += 1
    return i, log


def condition_that_pops(items, n):
    rest = list(items)
    while rest.pop() > n:
        if rest[-1] == 5:
            break
    else:
        rest.append(-1)
    return rest


def commonest(items, k):
    counts = Counter(items)
    return [x for x, _ in counts.most_common(k)], counts.most_common()[:1], counts


def written_back(items, left, right):
    part = []
    for x in items[left:right]:
        part.insert(0, x * 2)
    items[left:right] = part
    return items


def written_back_whole(items, n):
    part = []
    for x in items:
        if x > n:
            part.append(n * 3)
    items[1:3] = part
    return items


def breadth_first(edges):
    graph = defaultdict(set)
    for u, v in edges:
        graph[u].add(v)
        graph[v].add(u)
    far, queue, order = {0: 0}, deque([0]), []
    while queue:
        i = queue.popleft()
        order.append(i)
        for j in graph[i]:
            if j not in far:
                far[j] = far[i] + 1
                queue.append(j)
    return order, far, graph


def leaves_taken(edges, n):
    graph = [set() for _ in range(18)]
    for u, v in edges:
        graph[u].add(v)
        graph[v].add(u)
    leaves = [i for i in range(18) if len(graph[i]) == 1]
    steps = []
    while len(steps) < n:
        leaf = leaves.pop()
        near = graph[leaf].pop()
        graph[near].remove(leaf)
        steps.append((leaf, near))
        if len(graph[near]) == 1:
            leaves.append(near)
    return steps, graph, [list(x) for x in graph]


def sets_of_a_dict(edges, n):
    graph = {k: set() for k in range(18)}
    for u, v in edges:
        graph[u].add(v)
        graph[v].add(u)
    total = 0
    for u, v in edges:
        for w in graph[u] & graph[v]:
            total = total * 3 + w
    graph[5] = graph[0].copy()
    graph[5].discard(1)
    graph[5] |= {99, n}
    return total, list(graph[0] | graph[1]), graph, {k: list(s) for k, s in graph.items()}


def sets_that_were_there(items, n):
    groups = {0: {1, 2, 300}, 1: set()}
    for x in items:
        if x > n:
            groups[0].add(x * 7)
        else:
            groups[1].add(x)
    groups[1].update(groups[0])
    return list(groups[0]), groups, list(groups[1]), str(groups)


def pairs_in_sets(items):
    groups = defaultdict(set)
    for i, x in enumerate(items):
        groups[x % 3].add((x, i))
    return {k: list(v) for k, v in groups.items()}, {k: sorted(v) for k, v in groups.items()}


def sets_that_grow(items):
    groups = [set(), set()]
    for x in items:
        groups[x % 2].add(x * 5)
    return groups, [x for group in groups for x in group]


def table_of_three(m, n):
    return [[[0] * 2 for _ in range(n)] for _ in range(m)]


def table_of_three_filled(m, n):
    best = [[[0] * n for _ in range(n)] for _ in range(m)]
    for i in range(m):
        for j in range(n):
            best[i][j][j] = i * j + 1
    return best, best[0][1], sum(best[1][1])


def time_to_tell(head, managers, times):
    def longest(i):
        found = 0
        for j in below[i]:
            found = max(found, longest(j) + times[i])
        return found

    below = defaultdict(list)
    for i, x in enumerate(managers):
        below[x].append(i)
    return longest(head)


def sums_of_distances(n, edges):
    def down(i, above, depth):
        total[0] += depth
        size[i] = 1
        for j in near[i]:
            if j != above:
                down(j, i, depth + 1)
                size[i] += size[j]

    def again(i, above, distance):
        total[i] = distance
        for j in near[i]:
            if j != above:
                again(j, i, distance - size[j] + n - size[j])

    near = defaultdict(list)
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    total, size = [0] * n, [0] * n
    down(0, -1, 0)
    again(0, -1, total[0])
    return total, size


def array_sorted_as_a_list(rows):
    rows.sort(key=lambda row: -row[1])
    return rows


class Bits:
    def __init__(self):
        self.next = [None] * 2

    def insert(self, x):
        node = self
        for i in range(5, -1, -1):
            bit = (x >> i) & 1
            if node.next[bit] is None:
                node.next[bit] = Bits()
            node = node.next[bit]

    def farthest(self, x):
        node, found = self, 0
        for i in range(5, -1, -1):
            bit = (x >> i) & 1
            if node.next[bit ^ 1]:
                found = found << 1 | 1
                bit ^= 1
            else:
                found <<= 1
            node = node.next[bit]
        return found


def greatest_xor(items):
    bits, best = Bits(), 0
    for x in items:
        bits.insert(x)
    for x in items:
        best = max(best, bits.farthest(x))
    return best


def empty_sets_together(x):
    g = [set()]
    for e in x:
        g[0] |= g[e]
    g[0] |= g[0]
    return g


def components(edges, n):
    graph, seen, found = defaultdict(set), set(), []
    for a, b in edges:
        graph[a].add(b)
        graph[b].add(a)
    for start in range(n):
        if start not in seen:
            stack, one = [start], []
            while stack:
                place = stack.pop()
                if place not in seen:
                    seen.add(place)
                    one.append(place)
                    for other in graph[place]:
                        stack.append(other)
            found.append(one)
    return found


ROWS = [[(1, 2), [3, 4]], [(5, 6), [7, 8]], [(2, 2), [3, 3]]]


def rounded_to_places(x, n):
    return round(x, n), round(float(x), int(n)), round(x * 100, n - 2)


CALLS = {
    rounded_to_places: [(np.float64(2.675), np.int64(2)), (np.float64(-1234.5), np.int64(-1))],
    smallest_capacity: [(np.arange(1, 11), I(5)), (np.array([3, 2, 2, 4, 1, 4]), I(3))],
    places_in_ranges: [(I(20), I(7)), (I(3), I(100)), (I(0), I(1))],
    negative_low: [(I(3), I(5)), (I(-1), I(5))],
    keys_that_are_staged: [(I(3),), (I(0),), (I(-9),)],
    kept_in_order: [(np.array([3, 1, 2]), I(2)), (np.array([3]), I(9))],
    parts_of_a_range: [(I(5), I(0)), (I(9), I(3)), (I(0), I(8))],
    asked_of_a_range: [(I(9),), (I(4),), (I(-3),)],
    inner_targets: [(ROWS, I(3)), (ROWS, I(0))],
    covered: [([[1, 5], [10, 11], [12, 18], [20, 25], [30, 32]], I(10))],
    targets_one_after_the_other: [(I(1), I(2)), (I(0), I(0))],
    inner_target_of_too_many: [(I(1),)],
    parts_of_several_kinds: [([[1, [2, 3]], [4, [5, 6]]], I(2)), ([[1, [2, 3]]], I(-2))],
    window: [(np.array([1, 2, 3, 1, 2, 3, 1, 2]), I(2)), (np.array([1, 1, 1]), I(1))],
    condition_that_fills: [(np.array([1, 2, 3]), I(2)), (np.array([2, 2, 2]), I(1))],
    condition_that_logs: [(np.array([1, 2, 0]),), (np.array([], int),)],
    condition_that_pops: [(np.array([1, 5, 3, 7]), I(4)), (np.array([1, 5]), I(0))],
    commonest: [(["b", "a", "b"], I(1)), (["b", "a", "b"], I(5))],
    written_back: [(np.arange(5), I(1), I(4)), (np.arange(5.0), I(3), I(1))],
    written_back_whole: [(np.array([5, 6, 7]), I(x)) for x in (6, 5, 4)],
    breadth_first: [(EDGES,), (EDGES[1:],)],
    leaves_taken: [(EDGES[1:], I(3)), (EDGES[1:], I(5))],
    sets_of_a_dict: [(EDGES, I(4)), (EDGES[:3], I(0))],
    sets_that_were_there: [(np.array([1, 50, 7, 900]), I(10)), (np.array([], int), I(1))],
    pairs_in_sets: [(np.array([5, 7, 9, 11, 300, 2]),)],
    table_of_three: [(I(2), I(3)), (I(0), I(1))],
    table_of_three_filled: [(I(2), I(3)), (I(3), I(2))],
    time_to_tell: [
        (I(2), np.array([2, 2, -1, 2, 2, 0]), np.array([3, 0, 1, 0, 0, 7])),
        (I(0), np.array([-1]), np.array([0])),
    ],
    sums_of_distances: [(I(6), np.array([[0, 1], [0, 2], [2, 3], [2, 4], [2, 5]]))],
    array_sorted_as_a_list: [([[1, 2], [3, 4]],), (np.array([[1, 2], [3, 4]]),)],
    greatest_xor: [(np.array([3, 10, 5, 25, 2, 8]),), (np.array([7]),)],
    empty_sets_together: [(np.array([0, 0]),), (np.array([0, 1]),), (np.array([], int),)],
    components: [(EDGES, I(18)), (EDGES[:2], I(4))],
    sets_that_grow: [(np.arange(30),), (np.arange(7),)],
}
