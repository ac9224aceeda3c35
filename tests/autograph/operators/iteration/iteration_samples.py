"""Functions that leave iterators by staged jumps and go on with them."""

from __future__ import annotations

import itertools
from collections import Counter, deque


def loops_one_after_the_other(items, n):
    total = 0
    for item in items:
        total = total + item
        if total > n:
            break
    rest = 0
    for item in items:
        rest = rest * 10 + item
    return total, rest


def listed(n):
    return loops_one_after_the_other(iter([1, 2, 3, 4, 5]), n)


def ranged(n):
    return loops_one_after_the_other(iter(range(1, 6)), n)


def mapped(n):
    return loops_one_after_the_other(map(lambda item: item * 2, [1, 2, 3]), n)


def filtered(n):
    return loops_one_after_the_other(filter(lambda item: item != 2, [1, 2, 3, 4]), n)


def reversed_list(n):
    return loops_one_after_the_other(reversed([1, 2, 3]), n)


def keys(n):
    return loops_one_after_the_other(iter({1: "a", 2: "b", 5: "c"}), n)


def of_another(n):
    source = iter([1, 2, 3, 4])
    first = loops_one_after_the_other(map(lambda item: item * 2, source), n)
    return first, next(source, -1)


def pairs_of_one(n):
    source = iter(range(7))
    total = 0
    for a, b in zip(source, source):  # noqa: B905
        total = total + a * b
        if total > n:
            break
    return total, list(source)


def numbered(n):
    pairs = enumerate([3, 1, 2])
    total = 0
    for number, item in pairs:
        total = total + number * item
        if item + number > n:
            break
    return total, next(pairs, None) is None


def of_two_loops(n):
    items = iter([1, 2, 3, 4, 5, 6])
    total = 0
    for a in items:
        for b in items:
            total = total + a * b
            if total > n:
                break
    return total


def left_by_return(n):
    items = iter([1, 2, 3, 4, 5, 6])

    def above():
        for item in items:
            if item > n:
                return item
        return 0

    return above(), above(), next(items, -1)


def left_by_an_error(n):
    items = iter([1, 2, 3])
    total = 0
    try:
        for item in items:
            total = total + item
            if total > n:
                raise ValueError
    except ValueError:
        total = total + 100
    return total, next(items, 0)


def caught_at_the_end(n):
    items = iter([1, 2, 3])
    total = 0
    try:
        while total < n:
            total = total + next(items)
    except StopIteration:
        total = -total
    return total


def counted(n):
    numbers = itertools.count(2, 3)
    total = 0
    for number in numbers:
        total = total + number
        if total > n:
            break
    return total, next(numbers)


def cycled(n):
    numbers = itertools.cycle([1, 2, 4])
    total = 0
    for number in numbers:
        total = total + number
        if total > n:
            break
    return total, next(numbers)


def shorter_ends_first(n):
    first, second = iter([1, 2]), itertools.count()
    total = 0
    for a, b in zip(first, second):  # noqa: B905
        if n < 2:
            continue
        total = total + a * b
    return total, next(second)


def of_mixed_items(n):
    items = iter(["a", None, 2.5, (1, 2)])
    for _ in items:
        n = n - 1
        if n < 0:
            break
    return sum(1 for _ in items)


def from_an_arm(n):
    items = iter([1, 2, 3]) if n > 1 else iter([4, 5])
    total = 0
    for item in items:
        total = total * 10 + item
    return total


def generator_used_twice(n):
    return loops_one_after_the_other((item for item in range(5)), n)


def fibonacci(a, b, stop):
    yield a
    while b < stop:
        yield b
        a, b = b, a + b
    yield -1


def own_generator(n):
    numbers = fibonacci(1, 2, 20)
    total = next(numbers) if n > 2 else 0
    for number in numbers:
        total = total * 3 + number
        if total > n:
            break
    return total, next(numbers, -2), list(numbers)


def taken_by_a_condition(n):
    numbers = fibonacci(1, 2, 9)
    total = 0
    while (number := next(numbers, 150)) < n:
        total = total + number
    return total, 3 in numbers, next(numbers, -2)


def zipped_with_itself(n):
    doubles = map(lambda v: v * 2, iter([1, 2, 3, 4, 5]))
    total = 0
    for a, b in zip(doubles, doubles):
        if n > a:
            total += a * b
    return total, list(doubles)


def zipped_with_what_it_draws_from(n):
    numbers = iter([1, 2, 3, 4, 5, 6, 7])
    pairs = [(a * n, b) for a, b in zip((v + 1 for v in numbers), enumerate(numbers))]
    return [(a, k, v) for a, (k, v) in pairs], list(numbers)


def iterator_of_a_list_that_grew(n):
    items = []
    for k in (1, 2, 3):
        if k < n:
            items.append(k)
    left = iter(items)
    items.append(99)
    first = next(left, -1)
    rest = list(left)
    items.append(98)
    return first, rest, list(left)


def containers_that_take_generators(n):
    x = [n, 2, n - 3, 5]
    last = deque((v for v in x if v > 0), maxlen=2)
    last.extendleft(v * 10 for v in x if v > 2)
    counts = Counter(v % 3 for v in x if v > 0)
    counts.update(v for v in x if v < 0)
    found, seen = {5: 1}, {1}
    found.update((v, k) for k, v in enumerate(x) if v > 1)
    seen.update(v for v in x if v > 1)
    return list(last), sorted(counts.items()), list(found.items()), sorted(seen)


SAMPLES = (
    *(zipped_with_itself, zipped_with_what_it_draws_from, iterator_of_a_list_that_grew),
    containers_that_take_generators,
    *(generator_used_twice, own_generator, taken_by_a_condition),
    *(listed, ranged, mapped, filtered, reversed_list, keys, of_another, pairs_of_one, numbered),
    *(of_two_loops, left_by_return, left_by_an_error, caught_at_the_end, counted, cycled),
    *(shorter_ends_first, of_mixed_items, from_an_arm),
)


def effects_of_items(n):
    items = filter(lambda item: print(item + n) or True, [1, 2, 3])
    for item in items:
        n = n - item
        if n < 0:
            break
    return n


def many_of_several_kinds(n):
    for item in itertools.chain(["a"], range(60)):
        n = n - 1
        if n < 0:
            break
    return item
