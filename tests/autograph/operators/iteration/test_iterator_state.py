"""How far iterators of Python's have come, and what staged branches and loops take from them."""

from __future__ import annotations

import csv
import io
import itertools
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.operators.iteration.iterator_state import is_iterator, position
from runtime.errors import MutationError, StagedValueError


def same_again():
    for _ in [1, 1, 1, 1]:
        yield 5


ITERATORS: list[Any] = [
    iter([1, 2, 3]), iter((1, 2, 3)), iter("abc"), iter(b"abc"), iter(range(9)), reversed([1, 2]),
    iter({1: 2, 3: 4}), iter({1, 2, 3}), enumerate([1, 2, 3]), zip([1, 2], "ab"),  # noqa: B905
    map(str, [1, 2]), filter(None, [1, 2]), same_again(), (x for x in [1, 2, 3]),
    itertools.count(), itertools.cycle([1, 2]), itertools.repeat(3, 9), itertools.chain([1, 2]),
    itertools.islice([1, 2, 3], 1, None), itertools.product([1, 2], [3, 4]),
    itertools.combinations([1, 2, 3], 2), itertools.accumulate([0, 0, 0]),
    itertools.takewhile(bool, [1, 1]), itertools.pairwise([1, 2, 3, 4]),
    itertools.zip_longest([1, 2], [1]), enumerate(zip(same_again(), itertools.count())),
    io.StringIO("a\nb\n"), csv.reader(io.StringIO("a\nb\n")),
]  # fmt: skip


@pytest.mark.parametrize("iterator", ITERATORS, ids=lambda x: type(x).__name__)
def test_a_position_is_another_one_after_each_item(iterator):
    assert is_iterator(iterator)
    for _ in range(2):
        before = position(iterator)
        assert position(iterator) == before
        next(iterator)
        assert position(iterator) != before


def in_a_loop(n):
    items = iter(range(10))
    total = 0
    for _ in range(n):
        total += next(items)
    return total


def in_a_branch(n):
    items = iter([1.0, 2.0])
    if n > 0:
        n = n + next(items)
    return n + next(items)


def by_a_loop_of_python(n):
    pairs = zip([1, 2], [3, 4])  # noqa: B905
    while n > 0:
        for a, b in pairs:
            n = n - a * b
        n = n - 1
    return n


def by_a_comprehension(n):
    items = iter([1.0, 2.0])
    return [x * n for x in items] if n > 0 else [n, n]


def by_sum(n):
    items = same_again()
    if n > 0:
        n = n + sum(items)
    return n


class Reader:
    def __init__(self):
        self.items = iter([1.0, 2.0])

    def read(self):
        return next(self.items)


def by_a_method(n):
    reader = Reader()
    while n < 5:
        n = n + reader.read()
    return n


class Held:
    def __init__(self, n):
        self.items = (x for x in [1.0, 2.0] if n)


def by_sum_of_an_attribute(n):
    held = Held(4)
    if n > 0:
        n = n + sum(held.items)
    return n


COUNTS = itertools.count()


def of_a_global(n):
    if n > 0:
        n = n + next(COUNTS)
    return n


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (of_a_global, "'COUNTS', of type count"),
    ],
)
def test_an_iterator_of_pythons_is_refused_by_name(function, name):
    with pytest.raises(MutationError, match=f"the iterator {name}, gives an item in a staged"):
        ag.function(function)(np.int64(3))


@pytest.mark.parametrize(
    "function",
    [in_a_loop, in_a_branch, by_a_loop_of_python, by_a_comprehension, by_a_method, by_sum],
)
def test_an_iterator_goes_on_in_staged_branches_and_loops(function):
    staged = ag.function(function)
    for n in (-1, 0, 2, 3, 5):
        assert outcome(staged, n) == outcome(function, n)


def outcome(function, n):
    try:
        return function(np.int64(n))
    except StopIteration:
        return StopIteration


def test_an_iterator_may_be_used_around_and_inside():
    def f(x):
        counts = itertools.count()
        for a, b in zip([1, 2], [3, 4]):  # noqa: B905
            k = next(counts)
            if x > k:
                inner = iter([a, b])
                x = x - next(inner) * next(inner)
        return x

    for x in (np.float64(0), np.float64(3.5), np.float64(9)):
        assert ag.function(f)(x) == f(x)


@pytest.mark.parametrize("function", [map, filter, itertools.filterfalse])
def test_what_an_iterator_of_an_arm_draws_from_goes_on_with_it(function):
    def f(n):
        numbers = first = iter([1, 5, 2, 0, 7])
        if n > 0:
            numbers = function(lambda x: x - 5, numbers)
        taken = itertools.islice(numbers, 2)
        return next(taken), next(first, -1)

    for n in (1, -1):
        assert ag.function(f)(np.int64(n)) == f(n)


def test_a_generator_goes_on_in_the_arm_where_it_was_taken_from_only():
    def f(n):
        numbers = iter([1, 5, 2, 0])
        taken = itertools.islice((x for x in numbers), 2)
        if n > 0:
            next(taken)
        return next(numbers)

    for n in (1, -1):
        assert ag.function(f)(np.int64(n)) == f(n)


def test_a_generator_that_filters_is_refused_outside_of_its_branch():
    with pytest.raises(StagedValueError, match=r"<genexpr>\(\) was made outside of the staged"):
        ag.function(by_sum_of_an_attribute)(np.int64(3))


@pytest.mark.parametrize("size", [0, 2, 3, 4])
def test_a_strict_zip_that_ends_unevenly_has_taken_what_python_takes(size: int) -> None:
    def f(x):
        drawn, told = iter([1, 2, 3]), ""
        try:
            for _ in zip(x[:0], drawn, strict=True):
                pass
        except ValueError as error:
            told = str(error)
        return told, list(drawn)

    x = np.arange(float(size))
    assert ag.function(f)(x) == f(x)
