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


def known_in_an_arm(v, n):
    y = np.array([1.0, 0.0])
    if n > 2:
        y = 1 / y
    return y


def known_in_rounds(v, n):
    y = np.array([0.0, 1.0])
    while n > 0:
        y = y / np.array([0.0, 1.0])
        n -= 1
    return y


def known_in_a_function(v, n):
    def ratio():
        return np.mean(np.zeros(0)) + np.float64(1) / np.float64(0)

    return ratio() if n > 2 else n


def said_by_the_program(v, n):
    if n > 2:
        warnings.warn("large", DeprecationWarning, stacklevel=1)
    return n


@pytest.mark.parametrize(
    "function", [known_in_an_arm, known_in_rounds, known_in_a_function, said_by_the_program]
)
def test_what_is_computed_while_tracing_warns_when_the_graph_runs(
    function: Callable[..., Any],
) -> None:
    staged = ag.function(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):  # the first call traces
            staged(np.arange(3.0), np.int64(0))
    if function is not known_in_a_function:  # NumPy's lines are not the program's
        assert warned(staged) == warned(function)
    assert {x[0] for x in warned(staged)} == {x[0] for x in warned(function)}


def test_a_filter_shows_what_was_computed_while_tracing_once() -> None:
    staged = ag.function(said_by_the_program)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for _ in range(3):
            staged(np.arange(3.0), np.int64(3))
    assert len(found) == 1
