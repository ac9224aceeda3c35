"""Arms that return lists, of which some are known and some grow in staged loops."""

from __future__ import annotations

import copy
from collections import deque

import numpy as np
import pytest

import autograph as ag


def numbers(n):
    found = []
    for k in range(n):
        found.append(k + 0)
    return found


def early(c, n):
    if n == 0:
        return []
    found = [True]
    for k in range(n):
        if k != c:
            found.append(k * 0.5)
    if not found[1:]:
        return [7]
    return found


def twice(c, n):
    def inner():
        if c > 0:
            return []
        return numbers(n)

    first, second = inner(), inner()
    first.append(True)
    return first, second, len(first) + len(second)


def merged(c, n):
    first, second = numbers(n), numbers(c)

    def longer():
        if len(first) > len(second):
            return first
        return second

    return longer(), first, second


def of_structures_that_differ(c, n):
    kept, found = {}, []
    for k in range(n):
        kept[k * c] = k
        found.append(k * 0.5)
        if k == c:
            return k, found
    if n > 2:
        return c, found, 2
    return "all", {"kept": sorted(kept.items()), "found": found}


@pytest.mark.parametrize("function", [early, twice, merged, of_structures_that_differ])
def test_they_are_one_list(function):
    staged = ag.function(function)
    for c, n in ((1, 3), (-1, 3), (0, 0), (0, 1), (2, 1)):
        arguments = np.int64(c), np.int64(n)
        assert repr(staged(*arguments)) == repr(function(*arguments))
    assert staged.trace_count == 1


def given(c, found, n):
    if c > 0:
        return found
    return numbers(n)


def written_through_the_result(c, n):
    found = numbers(n)
    result = given(c, found, n)
    result.append(1)
    return found, result


def known_and_written_through_the_result(c, n):
    found = [7]
    result = given(c, found, n)
    result.append(1)
    return found, result


def written_after_the_return(c, n):
    found = numbers(n)
    result = given(c, found, n)
    found.append(1)
    return found, result


def in_a_tuple(c, n):
    def pick():
        for k in range(n):
            if k > c:
                return found, {"others": others, "k": k}
        return others, {"others": [], "k": None}

    found, others = numbers(n), [1, 2]
    result, more = pick()
    result.append(77)
    others.append(8)
    return found, others, result, more


def out_of_a_loop(c, n):
    def pick():
        for k in range(n):
            if k > c:
                return found
        return numbers(c)

    found = numbers(n)
    result = pick()
    result.append(77)
    return found, result


def beside_none(c, n):
    def pick():
        if n == 1:
            return None
        found = numbers(n)
        for k in range(n):
            if k > c:
                return found
        return []

    result = pick()
    if result is None:
        return 0, None
    result.append(77)
    return len(result), result


def beside_a_number(c, n):
    if c > 0:
        return -1 if n < 3 else "many"
    found = {}
    for k in range(n):
        found[k] = 0.5
    return found


@pytest.mark.parametrize(
    "function",
    [
        written_through_the_result,
        known_and_written_through_the_result,
        written_after_the_return,
        in_a_tuple,
        out_of_a_loop,
        beside_none,
        beside_a_number,
    ],
)
def test_they_are_the_lists_that_were_returned(function):
    staged = ag.function(function, backend="numpy")
    for c, n in ((1, 3), (-1, 3), (0, 0), (0, 1), (2, 1)):
        arguments = np.int64(c), np.int64(n)
        assert repr(staged(*arguments)) == repr(function(*arguments))
    assert staged.trace_count == 1


def last_of(n, most):
    kept = deque(maxlen=most)
    for k in range(n):
        kept.append(k)
    return kept


def limited(c, n):
    def pick():
        if c > 0:
            return last_of(n, 2)
        return deque([1, 2], 2)

    result = pick()
    result.append(1)
    return result, result.maxlen


def of_two_limits(c, n):
    if c > 0:
        return last_of(n, 2)
    return last_of(n, 3)


def test_deques_keep_their_greatest_length():
    staged = ag.function(limited)
    for c, n in ((1, 5), (-1, 3)):
        assert repr(staged(np.int64(c), np.int64(n))) == repr(limited(c, n))
    with pytest.raises(ag.MutationError, match="another class or limit"):
        ag.function(of_two_limits)(np.int64(1), np.int64(2))


def test_lists_of_the_caller_may_be_items():
    def f(rows):
        out = []
        for row in sorted(rows, key=lambda row: row[0]):
            if row[0] > 1:
                out.append(row)
        out[-1][-1] = 7
        return out

    rows = [[np.int64(4), np.int64(5)], [np.int64(1), np.int64(9)]]
    given = copy.deepcopy(rows)
    found = ag.function(f)(given)
    assert repr(found) == repr(f(rows))
    assert repr(given) == repr(rows)
    assert found[0] is given[0]
