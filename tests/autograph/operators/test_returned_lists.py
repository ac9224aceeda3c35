"""Arms that return lists, of which some are known and some grow in staged loops."""

from __future__ import annotations

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


@pytest.mark.parametrize("function", [early, twice, merged])
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


@pytest.mark.parametrize(
    "function",
    [written_through_the_result, known_and_written_through_the_result, written_after_the_return],
)
def test_what_is_another_list_too_may_not_be_written(function):
    with pytest.raises(ag.MutationError, match="one of them is written afterwards"):
        ag.function(function)(np.int64(1), np.int64(2))
