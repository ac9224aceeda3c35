"""Loops over lists that their bodies change, through builtins that give their items one by one."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag


def first_numbers(n):
    found = []
    for k in range(n):
        found.append(k % 5)
    return found


def grows_under_enumerate(n):
    items = first_numbers(n)
    total = 0
    for i, x in enumerate(items, 1):
        if x > 0 and len(items) < 8:
            items.append(x - 1)
        total += i * x
    return total, items


def writes_ahead_under_enumerate(n):
    items = first_numbers(n)
    total = 0
    for i, x in enumerate(items):
        if i + 1 < len(items):
            items[i + 1] += x
        total = total * 3 + x
    return total, items


def writes_ahead_under_reversed(n):
    items = first_numbers(n)
    total = 0
    for x in reversed(items):
        items[0] = items[0] + x
        total = total * 3 + x
    return total, items


def grows_under_reversed(n):
    items = first_numbers(n)
    for x in reversed(items):
        items.append(x)
    return items


def shrinks_under_reversed(n):
    items = first_numbers(n)
    total = 0
    for x in reversed(items):
        items.pop(0)
        items.pop(0)
        total = total * 3 + x
        if len(items) < 2:
            break
    return total, items


def ends_under_reversed(n):
    items = first_numbers(n)
    rounds = 0
    for _ in reversed(items):
        rounds += 1
        if rounds == 1:
            items.clear()
    return rounds


def grows_under_zip(n):
    items = first_numbers(n)
    total = 0
    for a, x in zip([1, 2, 3, 4, 5, 6], items, strict=False):
        if x > 0 and len(items) < 8:
            items.append(x - 1)
        total += a * x
    return total, items


def two_grow_under_zip(n):
    items, others = first_numbers(n), first_numbers(n)
    total = 0
    for x, y in zip(items, others, strict=False):
        if len(items) < 9:
            items.append(x + y)
            others.append(y + 1)
        total = (total * 3 + x - y) % 1000
    return total, items, others


def larger(x):
    return x * 2 + 1


def grows_under_map(n):
    items = first_numbers(n)
    total = 0
    for x in map(larger, items):
        if len(items) < 7:
            items.append(x)
        total = total * 3 + x
    return total, items


def grows_under_zip_of_enumerate(n):
    items = first_numbers(n)
    total = 0
    for (i, x), y in zip(enumerate(items), items, strict=False):
        if len(items) < 7:
            items.append(x + 1)
        total = (total * 3 + i * x + y) % 1000
    return total, items


FUNCTIONS = [
    grows_under_enumerate,
    writes_ahead_under_enumerate,
    writes_ahead_under_reversed,
    grows_under_reversed,
    shrinks_under_reversed,
    ends_under_reversed,
    grows_under_zip,
    two_grow_under_zip,
    grows_under_map,
    grows_under_zip_of_enumerate,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_a_loop_does_to_its_list_is_seen_in_its_rounds(function):
    staged = ag.function(function)
    for n in (0, 1, 3, 6):
        assert outcome(staged, n) == outcome(function, n)
    assert staged.trace_count == 1


def outcome(function, n):
    try:
        return function(np.int64(n))
    except (IndexError, ValueError) as error:
        return str(error).split("\n")[0]


def reversed_side_by_side(n):
    items, others = first_numbers(n), first_numbers(n)
    if n > 3:
        others.append(7.0)
    total = 0.0
    for (k, x), y in zip(enumerate(reversed(items)), others, strict=True):
        total += k * x * y
    for x, y in zip(reversed(items), reversed(others), strict=True):
        total = 2 * total + x * y
    return total


@pytest.mark.parametrize("n", [0, 3, 4])
def test_strict_zip_of_iterators_of_known_numbers_compares_these(n):
    assert outcome(ag.function(reversed_side_by_side), n) == outcome(reversed_side_by_side, n)


def test_strict_zip_of_a_list_that_the_loop_changes_is_refused():
    @ag.function
    def f(n):
        items = first_numbers(n)
        for x, y in zip(items, items, strict=True):
            items.append(x + y)
        return items

    with pytest.raises(
        ag.StagedValueError, match=r"zip\(strict=True\) of a list that the loop over"
    ):
        f(np.int64(3))
