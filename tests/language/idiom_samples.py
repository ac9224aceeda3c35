"""Idioms of programs that others wrote, with the arguments that they are given."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict, deque
from functools import cache
from math import inf

import numpy as np

I = np.int64  # noqa: E741
X = np.array([3, 1, 4, 1, 5, 9, 2, 6])


def texts_as_keys(x):
    seen, counts = {str(x[0])}, {}
    for e in x:
        seen.add(f"<{e}>")
        counts[str(e)] = counts.get(str(e), 0) + 1
    return len(seen), "<4>" in seen, counts


def dicts_of_dicts(x):
    found = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for e in x:
        found[e % 3][e][0] += 1
        found[e % 3][e][1] += e
    return {key: dict(value) for key, value in found.items()}


def three_levels(x):
    found = defaultdict(lambda: defaultdict(lambda: defaultdict(int)))
    for e in x:
        found[e % 3][e % 2][e] += e
    return sum(found[a][b][x[0]] for a in range(3) for b in range(2)), len(found)


def queues_of_two_limits(x):
    queues = [deque(maxlen=2), deque(maxlen=3)]
    for e in x:
        queues[e % 2].append(e)
    return [list(queue) for queue in queues]


def default_of_a_closure(x):
    found = {}
    for e in x:
        found[e % 3] = defaultdict(lambda: e)  # noqa: B023
    return found[0][1]


def lists_in_order(x):
    rows = []
    for e in x:
        rows.append([e % 3, e])
        if e > 4:
            rows.append([e % 3])
    turned = sorted(rows, key=lambda row: row[::-1])
    return sorted(rows), max(rows), min(rows), turned, rows[0] < rows[1], rows[0] >= rows[1]


def heap_of_lists(x):
    heap = [[e, 1] for e in x]
    heapq.heapify(heap)
    found = []
    while heap:
        found.append(heapq.heappop(heap))
        if len(found) == 3:
            heapq.heappush(heap, [x[0], 0])
    return found


def tuples_of_two_lengths(x):
    found = []
    for e in x:
        found.append((e, 1) if e > 2 else (e,))
    return sorted(found), max(found), min(found), sorted(found, reverse=True)


def order_of_tuples(x):
    t, u = tuple(e for e in x if e > 0), tuple(e for e in x if e > 1)
    return t < u, t <= u, t > u, max(t, u), min(t, (1, 2)), (3,) < t, t < (3, 1), t < t, t <= t


def known_rows_in_order(x):
    a, b, t, u = [x[0], 2], [3, x[1], 1], (x[0],), (x[0], x[1])
    return max(a, b), min(a, b), sorted([a, b]), sorted([t, u], reverse=True), max(t, u)


def equal_keys_stay_in_order(x):
    rows = []
    for k, e in enumerate(x):
        rows.append((e % 2, k))
    first = lambda row: [row[0]]
    falling = sorted(rows, key=first, reverse=True)
    return sorted(rows, key=first), falling, max(rows, key=first), min(rows, key=first)


def ordered_by_counts(x):
    counts = Counter()
    for e in x:
        counts[e] += 1
    return max(counts, key=counts.get), sorted(counts, key=counts.get), min(counts, key=counts.get)


def nothing_in_order(x):
    rows = []
    for e in x:
        if e > 100:
            rows.append([e])
    return sorted(rows), max(rows, default=None)


def extreme_of_nothing(x):
    rows = []
    for e in x:
        if e > 100:
            rows.append([e])
    return min(rows)


def none_in_order(x):
    rows = []
    for e in x:
        rows.append(e if e > 1 else None)
    return sorted(rows)


def cached_in_two_classes(n):
    @cache
    def ways(k):
        if k < 2:
            return 1
        found = 0
        for left in range(0, k, 2):
            found += ways(left) * ways(k - left - 2)
        return found % 1000

    return ways(n)


def cached_from_zero(n, k, most):
    @cache
    def chance(i):
        if i >= k:
            return int(i <= n)
        if i == k - 1:
            return min(n - k + 1, most) / most
        return chance(i + 1) + (chance(i + 1) - chance(i + most + 1)) / most

    return chance(0)


def longest_rising(x):
    tails = []
    for e in x:
        k = 0
        while k < len(tails) and tails[k] < e:
            k += 1
        tails = tails[:k] + [e] + tails[k + 1 :]
    return tails


def large(x):
    found = []
    for e in x:
        if e > 1:
            found.append(e)
    return found


def chosen_parts(x):
    found = large(x)
    y = found[1:] if x[0] > 2 else [*found, 7]
    y.append(5)
    z = (found[:1], 1) if x[1] > 1 else (found + [3], 2)
    z[0].append(6)
    return y, z, found, len(found[1:] if x[0] > 2 else found)


def part_or_whole(x):
    found = large(x)
    y = found[1:] if x[0] > 2 else found
    y.append(5)
    return y, found


def part_or_another(x):
    found, known = large(x), [1, 2]
    y = found[1:] if x[0] > 2 else known
    known.append(9)
    z = known if x[0] > 2 else found + [1]
    z[0] += 1
    return y, z, known, found


def kept_part(x):
    found, kept = large(x), []

    def keep(part):
        kept.append(part)
        return part

    y = keep(found[1:]) if x[0] > 2 else keep(found + [7])
    y.append(5)
    return y, kept


def part_of_a_chosen_list(x):
    found, others = large(x), [1]
    chosen = found if x[0] > 2 else others
    y = chosen + [1]
    y.append(3)
    return y, found, others


def which_list_it_is(x):
    a, b = [1, 2], [3]
    y = a if x[0] > 2 else b
    if x[1] > 2:
        z = a
    else:
        z = y
    return y is a, y is b, z is y, z is not a, y[0]


def bounds_of_several_classes(x):
    low = inf
    for e in x:
        low = min(low, e)
    items = [5, 6, 7, 8]
    parts = items[:low], items[low:], [0] * low, "a" * low
    last = items.pop(low)
    return parts, last, items, list(range(low, 5)), list(enumerate(items, low))


def bounds_that_are_no_integers(x, how):
    low = inf
    for e in x:
        if e > 100:
            low = e
    if how == 0:
        return range(low)
    if how == 1:
        return [1, 2][:low]
    return [1, 2] * low


def heap_of_an_array(x, how):
    if how == 0:
        heapq.heapify(x)
    elif how == 1:
        heapq.heappush(x, x[0])
    return heapq.heappop(x)


def assigned_in_one_branch(x):
    if x[0] > 2:
        y = large(x)
    for e in x:
        if e > 3:
            z = large(x)
            z.append(e)
    if x[0] > 2:
        z.append(y[0])
    return len(z), z


def assigned_in_a_loop(x):
    while x[0] > 2:
        y = large(x)
        break
    else:
        return []
    return y[1:]


def maybe_unassigned(x):
    if x[0] > 2:
        counts = Counter(large(x))
    counts[7] += 1
    return counts


def conditions_that_write(x, n):
    queue, taken = deque(e for e in x if e > 0), 0
    while queue and queue.popleft() < n:
        taken += 1
        if taken == 2:
            break
    else:
        taken += 10
    stack, total = [1, 2, 3], 0
    while stack and (e := stack.pop()) > n - 2:
        total += e
        if total > 100:
            break
    else:
        total = -total
    return taken, list(queue), stack, total, e


def conditions_that_find_nothing_more(n):
    queue, k, counts = deque([2, n]), 0, defaultdict(int)
    while len(queue) > 1 and queue.popleft() != n:
        counts[k] += 1
        k += 1
    items = [2, n, n]

    def is_another():
        if len(items) > 2:
            items.pop()
            return n != 2
        return False

    while is_another():
        k += 10
    return k, queue, items, dict(counts)


def left_by_one_return(x, n):
    counts, k = [0] * 10, 0
    while True:
        counts[x[k]] += 1
        k += 1
        if k > n:
            return counts


def left_by_returns_that_are_alike(x, n):
    found, k = [], 0
    while True:
        k += 1
        if x[k] > n:
            if k > 3:
                return found, k
            found.append(x[k])
        elif k == 7:
            return found, k


def left_by_two_returns(x, n):
    k = 0
    while True:
        k += 1
        while True:
            if x[k] > n:
                return k
            break
        if k == 7:
            return -k


def one_of_two_lists(x, n):
    known, made = [2, 1], [x[0]]
    while True:
        n -= 1
        known[0] += n
        if x[1] > n:
            made.append(n)
            return made
        if x[3] > n:
            return known


def one_of_two_lists_in_a_tuple(x, n):
    known, made = [2, 1], [x[0]]
    while True:
        n -= 1
        known[0] += n
        if x[1] > n:
            made.append(n)
            return made, 1
        if x[3] > n + x[0]:
            return known, 2


def found_in_a_list_that_others_hold(x, n):
    def chosen(items, limit):
        for e in items:
            if e > limit:
                return items, e
        return [], 0

    held = [2, 1]
    also = held
    found, e = chosen(also, x[0] - n)
    found.append(e)
    return held, also, found


def of_two_classes_and_given_to_a_call(x, n):
    def same(value):
        return value % 97

    total = 0
    while n > 5:
        total = total + 2.5
        n -= 1
    if x[0] > 2:
        found = total % 7
    return same(found)


CALLS = {
    of_two_classes_and_given_to_a_call: [(X, I(3)), (X, I(7)), (X[1:], I(3))],
    one_of_two_lists: [(X, I(3)), (X, I(2)), (X, I(-5))],
    one_of_two_lists_in_a_tuple: [(X, I(3)), (X, I(2)), (X - 4, I(-5))],
    found_in_a_list_that_others_hold: [(X, I(2)), (X, I(-5))],
    left_by_one_return: [(X, I(2)), (X, I(5))],
    left_by_returns_that_are_alike: [(X, I(2)), (X, I(5)), (X, I(10))],
    left_by_two_returns: [(X, I(2)), (X, I(5)), (X, I(10))],
    conditions_that_find_nothing_more: [(I(1),), (I(2),)],
    assigned_in_one_branch: [(X,), (X[1:],), (X[:2],)],
    assigned_in_a_loop: [(X,), (X[1:],)],
    maybe_unassigned: [(X,), (X[1:],)],
    conditions_that_write: [(X, I(4)), (X, I(2)), (-X, I(1))],
    longest_rising: [(X,)],
    chosen_parts: [(X,), (X[::-1],), (X[1:],)],
    part_or_whole: [(X,), (X[1:],)],
    part_or_another: [(X,), (X[1:],)],
    kept_part: [(X,), (X[1:],)],
    part_of_a_chosen_list: [(X,), (X[1:],)],
    which_list_it_is: [(X,), (X[1:],)],
    bounds_of_several_classes: [(X,), (X[2:3],)],
    bounds_that_are_no_integers: [(X, 0), (X, 1), (X, 2)],
    heap_of_an_array: [(X, 0), (X, 1), (X, 2)],
    lists_in_order: [(X,)],
    heap_of_lists: [(X,)],
    tuples_of_two_lengths: [(X,)],
    order_of_tuples: [(X,), (-X,)],
    known_rows_in_order: [(X,), (X[::-1],)],
    equal_keys_stay_in_order: [(X,)],
    ordered_by_counts: [(X,)],
    nothing_in_order: [(X,)],
    extreme_of_nothing: [(X,)],
    none_in_order: [(X,)],
    cached_in_two_classes: [(I(4),), (I(6),)],
    cached_from_zero: [(I(10), I(1), I(10)), (I(6), I(4), I(5))],
    texts_as_keys: [(X,)],
    dicts_of_dicts: [(X,)],
    three_levels: [(X,)],
    queues_of_two_limits: [(X,)],
    default_of_a_closure: [(X,)],
}
