"""Warnings of staged functions are those of plain ones, and show the user's line."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def of_an_array(v, n):
    return v / (n - n)


def of_numbers(v, n):
    x = v[0]
    return v[1] / x


def in_a_loop(v, n):
    total = 0.0
    for x in v:
        total += 1 / x
    return total


def in_a_while(v, n):
    x = v[1] * 1e300
    while x < 1e305:
        x = x * x
    return x


def in_a_branch(v, n):
    if n > 2:
        return np.log(v)
    return np.sqrt(v)


def in_a_chain(v, n):
    y = np.exp(v * 1000)
    return np.log(y - y)


def of_functions_of_numpy(v, n):
    return np.sqrt(-v), np.nanmean(v * np.nan), np.polyfit(v, v, 4)


def of_a_cast(v, n):
    return (1 / v).astype(np.int64)


def of_an_integer(v, n):
    return n * 2**62


PROGRAMS = (
    of_an_array, of_numbers, in_a_loop, in_a_while, in_a_branch, in_a_chain, of_functions_of_numpy,
    of_a_cast, of_an_integer,
)  # fmt: skip


def warned(function: Callable[..., Any]) -> list[Any]:
    """Return what a call warns of, and where."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(np.arange(3.0), np.int64(3))
    return sorted((str(x.message), x.category.__name__, x.filename, x.lineno) for x in found)


@pytest.mark.parametrize("function", PROGRAMS)
def test_warnings_show_the_line_of_the_program(function: Callable[..., Any]) -> None:
    staged, expected = ag.function(function), warned(function)
    assert expected
    for _ in range(2):
        assert warned(staged) == expected
