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


def sieve(n):
    composite = np.zeros(40, bool)
    primes = []
    for k in range(2, n):
        if not composite[k]:
            primes.append(k)
            for m in range(k * k, n, k):
                composite[m] = True
    return primes, np.array(primes), len(primes)


def run_lengths(xs):
    values, counts = [], []
    for x in xs:
        if values and values[-1] == x:
            counts[-1] += 1
        else:
            values.append(x)
            counts.append(1)
    return values, counts


def depth_first(edges, start):
    seen = np.zeros(len(edges), bool)
    order = []
    stack = [start]
    while stack:
        node = stack.pop()
        if seen[node]:
            continue
        seen[node] = True
        order.append(node)
        for other in range(len(edges) - 1, -1, -1):
            if edges[node, other] and not seen[other]:
                stack.append(other)
    return order


def breadth_first(edges, start):
    distance = np.full(len(edges), -1)
    distance[start] = 0
    queue = [start]
    while len(queue) > 0:
        node = queue.pop(0)
        for other in range(len(edges)):
            if edges[node, other] and distance[other] < 0:
                distance[other] = distance[node] + 1
                queue.append(other)
    return distance


def grows_while_iterated(edges, start):
    seen = np.zeros(len(edges), bool)
    seen[start] = True
    queue = [start]
    for node in queue:
        for other in range(len(edges)):
            if edges[node, other] and not seen[other]:
                seen[other] = True
                queue.append(other)
    return queue


def bubble_sort(xs):
    items = [x for x in xs]
    swapped = True
    while swapped:
        swapped = False
        for i in range(len(items) - 1):
            if items[i] > items[i + 1]:
                items[i], items[i + 1] = items[i + 1], items[i]
                swapped = True
    return items


def two_stacks(codes):
    numbers, operators = [], []
    for code in codes:
        if code >= 0:
            numbers.append(code)
            while operators and operators[-1] == -2:
                operators.pop()
                b = numbers.pop()
                a = numbers.pop()
                numbers.append(a * b)
        else:
            operators.append(code)
    while operators:
        operators.pop()
        b = numbers.pop()
        a = numbers.pop()
        numbers.append(a + b)
    return numbers[0]


def indexed(xs, i):
    items = []
    for x in xs:
        items.append(x)
    items[i] = items[i - 1] * 10
    items[-1] += 1
    return items, items[0], items[i]


def iterated(xs):
    items = []
    for x in xs:
        if x > 0:
            items.append(x)
    total = 0.0
    for item in items:
        if item > 100:
            break
        total += item
    for k, item in enumerate(items):
        total += k * item
    for a, b in zip(items, reversed(items)):
        total += a * b
    return total, sum(items), any(x > 2 for x in [total]), len(items)


def folded(n):
    items = []
    for i in range(n):
        items.append((i * 7) % 5)
    return sum(items), max(items), min(items), sorted(items), any(items), all(items)


def other_methods(n):
    items = []
    for i in range(n):
        items.append(i)
    items.reverse()
    items.insert(1, 50)
    items.insert(-1, 60)
    items.insert(100, 70)
    del items[0]
    items.pop(1)
    items.extend([5, 6])
    items += [7]
    other = items.copy()
    other.append(1)
    other.extend(items)
    items.sort()
    return items, other, items[1:3], items[::-1], items[:2] + other[-2:]


def sorts_by_a_key(xs):
    items = []
    for x in xs:
        items.append((x, -x * x))
    return sorted(items, key=lambda item: item[1]), sorted(items, reverse=True)


def arrays_of_lists(xs):
    items, rows, both = [], [], []
    for x in xs:
        items.append(x)
        rows.append(np.array([x, 2 * x]))
        both.append((x, x + 1))
    return np.array(items), np.stack(rows), np.asarray(both), np.sum(items), np.mean(rows)


def truth(xs):
    items = []
    for x in xs:
        if x > 1:
            items.append(x)
    found = 1 if items else 0
    if not items:
        found += 2
    if items == []:
        found += 4
    return found


def writes_by_a_staged_index(i, x):
    items = [1.0, 2.0, 3.0]
    items[i] = x
    return items


def out_of_range(xs, i):
    items = []
    for x in xs:
        items.append(x)
    return items[i]


def pops_out_of_range(xs, i):
    items = []
    for x in xs:
        items.append(x)
    items.pop(i)
    return items


def takes_apart(xs):
    items = []
    for x in xs:
        if x > 0:
            items.append(x)
    a, b = items
    return a, b


def clears(n):
    items = [0]
    for i in range(n):
        items.append(i)
        if i == 2:
            items.clear()
    return items


def merge(xs):
    a, b = [], []
    for x in xs:
        if x > 1:
            a.append(x)
        else:
            b.append(x)
    out = []
    while a and b:
        if a[0] < b[0]:
            out.append(a.pop(0))
        else:
            out.append(b.pop(0))
    while len(a) > 0 or b:
        if a:
            out.append(a.pop(0))
        else:
            out.append(b.pop(0))
    return out


def repeated(n):
    table = [0.0] * n
    for i in range(n):
        table[i] = i * 2.0
    return table


def looked_for(xs, x):
    items = []
    for value in xs:
        items.append(value)
    return x in items, x not in items, items.count(x), items.index(x)


def removed(xs, x):
    items = []
    for value in xs:
        items.append(value)
    items.remove(x)
    return items


def caught(n):
    items = []
    for i in range(n):
        items.append(i)
    try:
        found = items[3]
    except IndexError:
        found = -1
    return found, items[-1] if items else -1


def returns_early(xs, limit):
    found = []
    for x in xs:
        found.append(x)
        if x > limit:
            return found
    found.append(xs[0])
    return found


def by_levels(n):
    level, count = [n], 0
    while level:
        below = []
        for k in level:
            count += 1
            if k > 1:
                below.append(k - 1)
                below.append(k - 2)
        level[:] = below
    return count


class Stack:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, k):
        return self.items[k]


def in_an_object_that_has_a_length(n):
    stack = Stack()
    for i in range(n):
        stack.push(i)
    if not stack:
        return 0, -1
    return len(stack), stack[0]


def by_a_method_taken_before(n):
    items = []
    push = items.append
    for _ in range(n):
        push(1)
    return items


def path(costs):
    i, j = 0, 0
    steps = [(i, j)]
    n = len(costs) - 1
    while i < n or j < n:
        if j == n:
            i += 1
        elif i == n:
            j += 1
        elif costs[i + 1, j] < costs[i, j + 1]:
            i += 1
        else:
            j += 1
        steps.append((i, j))
    return steps


F, I = np.float64, np.int64

EDGES = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0]])


def chosen(x):
    first, second = [x], [x * 2]
    if x > 0:
        first.append(x)
    return first if x > 1 else second


def at_staged_places(x, n):
    found = [x, 2.0 * x, 3.0 * x]
    found.insert(n, x + 1)
    taken = found.pop(n - 1)
    part = found[n:]
    del found[n - 2]
    return found, taken, part


def staged_items_of_known_lists(x, n):
    found = [x, x + n, x - 1.0, x]
    places = found.index(x + n), found.count(x)
    found.remove(x)
    found.sort()
    return found, places


def lists_in_lists_are_joined(x, n):
    grown, known = [x], [x + 1]
    for i in range(n):
        grown.append(x * i)
    known.extend(grown)
    known += grown
    return [*known, x, *grown], [x] + grown


def slices_are_assigned(x, n):
    found = [x]
    for i in range(n):
        found.append(x * i)
    found[1:3] = [7.0, 8.0, 9.0]
    found[n:] = found[:2]
    found[:0] = []
    del found[-1:]
    return found


def slices_with_steps_are_assigned(x, n, step):
    found = [x * i for i in range(n)]
    found[::2] = [7.0] * len(found[::2])
    found[n::-step] = range(len(found[n::-step]))
    found[step::step] = found[step::step][::-1]
    kept = found[:]
    del found[::step], kept[-1::-2]
    return found, kept


def a_slice_with_a_step_keeps_its_length(x, n):
    found = [x * i for i in range(n)]
    found[1::2] = [x, x]
    return found


def a_sieve(n):
    prime = [True] * (n + 1)
    prime[0:2] = [False, False]
    for i in range(2, int(n**0.5) + 1):
        if prime[i]:
            prime[i * i :: i] = [False] * len(prime[i * i :: i])
    return [i for i, p in enumerate(prime) if p]


def the_rest_is_taken(x, n):
    found = [x]
    for i in range(n):
        found.append(x * i)
    first, *rest = found
    *others, last = found
    return first, rest, others, last


def lists_are_compared(x, n):
    a, b = [x], [x]
    for i in range(n):
        a.append(x * i)
        b.append(x * (i % 2))
    return a == b, a != b, a == [x], [x, 0.0 * x] == a


def too_few_for_the_names(x, n):
    found = []
    for i in range(n):
        found.append(x)
    first, second, *rest = found
    return first, second, rest


def arrays_of_a_staged_size(x, n):
    found, row = [], np.zeros(n)
    for v in x:
        if v > 0:
            found.append((v, row + v, np.ones(n) * v))
    return found


def those_below(x):
    found = []
    for v in x:
        found.append(x[x < v])
    return found


def after_a_known_one(x):
    found = [np.zeros(2)]
    for v in x:
        found.append(x[x <= v])
    return found


def lists_of_arrays_of_staged_sizes(x, n):
    found, more = [], []
    for v in x:
        if v > 5:
            found.append(np.ones(n) * v)
        if v > 0:
            more.append(np.ones(n) * v)
    found.extend(more)
    found.insert(0, np.zeros(n))
    while more:
        more.pop()
    more.append(np.ones(n + 2))
    return found + more[:0], more


def words_of_a_beam(x, n):
    beam = [(0.0, np.zeros(n, int))]
    for t in range(n):
        found = []
        for score, words in beam:
            for k in range(2):
                longer = words.copy()
                longer[t] = k
                found.append((score - x[k] * score + x[t % 3], longer))
        found.sort(key=lambda item: -item[0])
        beam = found[:2]
        if beam[0][0] > 9:
            break
    return beam


CASES = [
    (arrays_of_a_staged_size, [(np.array([1.0, -1, 2]), I(n)) for n in (0, 3)]),
    (lists_of_arrays_of_staged_sizes, [(np.array([6.0, -1, 2]), I(n)) for n in (0, 3)]),
    (words_of_a_beam, [(np.array([0.5, -1, 2]), I(n)) for n in (0, 1, 5)]),
    (at_staged_places, [(F(2), I(n)) for n in (1, 2, 3)]),
    (staged_items_of_known_lists, [(F(2), I(1)), (F(-2), I(4))]),
    (lists_in_lists_are_joined, [(F(2), I(n)) for n in (0, 3)]),
    (slices_are_assigned, [(F(2), I(n)) for n in (0, 1, 5)]),
    (slices_with_steps_are_assigned, [(F(2), I(n), I(k)) for n in (0, 1, 5, 8) for k in (1, 2, 3)]),
    (a_slice_with_a_step_keeps_its_length, [(F(2), I(n)) for n in (0, 3, 4, 5, 6)]),
    (a_sieve, [(I(n),) for n in (1, 2, 3, 30)]),
    (the_rest_is_taken, [(F(2), I(n)) for n in (0, 4)]),
    (lists_are_compared, [(F(2), I(n)) for n in (0, 1, 2, 3)]),
    (too_few_for_the_names, [(F(2), I(n)) for n in (2, 3)]),
    (multiples, [(F(2), I(n)) for n in (0, 1, 8, 9, 40)]),
    (large_items, [(np.arange(5.0), F(limit)) for limit in (-1, 2, 9)]),
    (one_more, [(F(1),), (F(-1),)]),
    (chosen, [(F(2),), (F(0.5),), (F(-1),)]),
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
    (sieve, [(I(30),), (I(3),)]),
    (run_lengths, [(np.array([1.0, 1.0, 2.0, 1.0]),), (np.ones(5),)]),
    (depth_first, [(EDGES, I(0)), (EDGES, I(2))]),
    (breadth_first, [(EDGES, I(0)), (EDGES, I(2))]),
    (grows_while_iterated, [(EDGES, I(0)), (EDGES * 0, I(2))]),
    (bubble_sort, [(np.array([3.0, 1.0, 2.0, 0.0]),)]),
    (two_stacks, [(np.array([2, -1, 3, -2, 4]),), (np.array([5]),)]),
    (indexed, [(np.arange(4.0), I(k)) for k in (0, 2, -1)]),
    (iterated, [(np.array([1.0, -2.0, 3.0, 200.0]),), (np.ones(1),)]),
    (folded, [(I(6),), (I(1),), (I(0),)]),
    (other_methods, [(I(n),) for n in (0, 1, 5)]),
    (sorts_by_a_key, [(np.array([1.0, 3.0, -2.0]),)]),
    (arrays_of_lists, [(np.arange(3.0),)]),
    (truth, [(np.arange(3.0),), (np.zeros(2),)]),
    (writes_by_a_staged_index, [(I(k), F(9)) for k in (0, -1, 3)]),
    (out_of_range, [(np.arange(3.0), I(k)) for k in (2, -3, 3, -4)]),
    (pops_out_of_range, [(np.arange(3.0), I(k)) for k in (1, -3, 3, -4)]),
    (takes_apart, [(np.array([1.0, 2.0]),)]),
    (clears, [(I(2),), (I(5),)]),
    (merge, [(np.array([3.0, 0.0, 2.0, 1.0, 5.0]),), (np.zeros(2),)]),
    (repeated, [(I(3),), (I(0),)]),
    (looked_for, [(np.array([1.0, 2.0, 1.0]), F(k)) for k in (1, 2)]),
    (removed, [(np.array([1.0, 2.0, 1.0]), F(k)) for k in (1, 2, 5)]),
    (caught, [(I(2),), (I(5),), (I(0),)]),
    (returns_early, [(np.arange(4.0), F(k)) for k in (-1, 2, 9)]),
    (by_levels, [(I(0),), (I(5),)]),
    (in_an_object_that_has_a_length, [(I(0),), (I(3),)]),
    (by_a_method_taken_before, [(I(0),), (I(3),)]),
    (path, [(np.arange(9).reshape(3, 3) % 4,)]),
    (in_a_dict, [(F(2), I(5)), (F(2), I(0))]),
]


def shapes_differ(x, n):
    found = [x]
    for i in range(n):
        found.append(np.zeros(2))
    return found


def functions(x, n):
    found = []
    for i in range(n):
        found.append(object())
    return found


def writes_an_array_that_was_appended(x, n):
    found = []
    for i in range(n):
        found.append(x)
        x += 1
    return found


def writes_an_item(x, n):
    found = []
    for i in range(n):
        found.append(x * i)
    found[0][1] = 7.0
    return found


def formatted(n):
    found = []
    for i in range(n):
        found.append(i)
    return "{found}".format_map({"found": found})


def arrays_of_two_dtypes(xs):
    found = [np.zeros(3)]
    for x in xs:
        found.append(x)
    return found


REFUSED = [
    (
        shapes_differ,
        (np.ones(3), I(2)),
        "the list 'found', which a staged branch or loop changes, holds f64[3] and f64[2]. Arrays "
        "among its items must have one shape and one dtype",
    ),
    (functions, (F(1), I(2)), "is or holds <object object at"),
    (writes_an_array_that_was_appended, (np.ones(2), I(2)), "an array was written that may be"),
    (writes_an_item, (np.ones(2), I(2)), "is kept there as a copy; writing it would not change"),
    (arrays_of_two_dtypes, (np.ones((2, 3), np.float32),), "holds f64[3] and f32[3]"),
]
