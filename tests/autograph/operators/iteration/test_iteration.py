"""Iterators that staged code takes from stand afterwards where plain Python leaves them."""

from __future__ import annotations

import itertools
import traceback

import numpy as np
import pytest

import autograph as ag
from autograph.operators.control_flow import unrolled_loops
from tests.autograph.operators.iteration import iteration_samples as samples


def outcome(function, n):
    found = function(np.int64(n))
    return [int(x) for x in np.ravel(np.array(found if type(found) is not tuple else flat(found)))]


def flat(value):
    return [x for part in value for x in flat(part)] if isinstance(value, tuple | list) else [value]


@pytest.mark.parametrize("sample", samples.SAMPLES, ids=lambda x: x.__name__)
def test_an_iterator_goes_on_where_a_staged_jump_left_it(sample):
    staged = ag.function(sample)
    for n in (-1, 0, 2, 4, 9, 100):
        assert outcome(staged, n) == outcome(sample, n)
    assert staged.trace_count == 1


def test_items_that_do_something_when_they_are_made_are_refused():
    with pytest.raises(ag.StagedValueError, match="items do something when they are made"):
        ag.function(samples.effects_of_items)(np.int64(3))


def test_rounds_that_do_not_end_are_not_traced_for_ever(monkeypatch):
    monkeypatch.setattr(unrolled_loops, "MOST_ROUNDS", 40)
    with pytest.raises(ag.StagedValueError, match="after 40 rounds it was not known") as caught:
        ag.function(samples.many_of_several_kinds)(np.int64(3))
    assert "for item in itertools.chain" in "".join(traceback.format_exception(caught.value))


def numbered_counts(x):
    total = 0
    for place, number in enumerate(itertools.count(2, 3)):
        if number > x:
            break
        total += place * number
    return total


def counts_side_by_side(x):
    total = 0
    for place, number in zip(itertools.count(5), itertools.count(2, 3)):
        if number > x:
            break
        total += place * number
    return total


@pytest.mark.parametrize("function", [numbered_counts, counts_side_by_side])
@pytest.mark.parametrize("x", [1.0, 2.0, 20.0])
def test_what_is_drawn_in_a_loop_is_the_item_of_the_round(function, x):
    assert ag.function(function)(np.float64(x)) == function(x)


def until_one_ends(a, b, c):
    n = 0
    try:
        for n, (x, y, _) in enumerate(zip(a, b[b >= 0], c, strict=True), 1):
            a[0] += x * y
            if n > 4:
                break
    except ValueError as error:
        return n, str(error), a
    return n, a


def with_an_iterator(x, n):
    it, found, k = iter([1.0, 2.0, 3.0]), 0.0, 0
    try:
        for k, (a, b) in enumerate(zip(x, it, strict=True)):
            found += a * b
            if k == n:
                break
    except ValueError as error:
        return found, k, str(error), next(it, -1)
    return found, k, next(it, -1)


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("n", [1, 9])
def test_strict_zip_of_an_iterator_raises_when_one_of_them_ends(size, n):
    x, n = np.arange(1.0, 1.0 + size), np.int64(n)
    assert ag.function(with_an_iterator)(x, n) == with_an_iterator(x, n)


@pytest.mark.parametrize("sizes", [(3, 3, 3), (3, 4, 5), (5, 4, 3), (3, 3, 2), (0, 1, 1)])
def test_strict_zip_raises_after_the_last_full_round(sizes):
    a, b, c = map(np.arange, sizes)
    expected = until_one_ends(a.copy(), b, c)
    assert str(ag.function(until_one_ends)(a, b, c)) == str(expected)
