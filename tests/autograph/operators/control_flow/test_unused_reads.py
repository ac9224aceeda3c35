"""A variable that may be unbound raises where it is read, though nobody uses what it holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag


def as_statement(x: Any) -> Any:
    if x > 0:
        y = 1
    y  # noqa: B018
    return x


def handed_on(x: Any) -> Any:
    if x > 0:
        y = 1
    z = (y, 2)
    return x


def second(first: Any, other: Any) -> Any:
    return other


def as_argument(x: Any) -> Any:
    if x > 0:
        y = 1
    second(y, x)
    return x


def in_rounds(x: Any) -> Any:
    for _ in range(200):
        while x > -2:
            x = x - 1
            z = y  # noqa: F821
        y = 3
    return x


def caught(x: Any) -> Any:
    if x > 0:
        y = 1
    try:
        z = y
    except NameError:
        z = -1
    return z


def bound_in_handler(x: Any) -> Any:
    if x > 0:
        y = x
    try:
        y  # noqa: B018
    except Exception:
        y = x * 2
    return y


@pytest.mark.parametrize("value", [2.0, -1.0])
@pytest.mark.parametrize(
    "program", [as_statement, handed_on, as_argument, in_rounds, caught, bound_in_handler]
)
def test_names_are_looked_up_where_they_are_read(program: Any, value: float) -> None:
    assert outcome(program, value) == outcome(ag.function(program), value)


def outcome(function: Any, value: float) -> str:
    """Return what a call gives, or the message of its error."""
    try:
        return repr(function(np.float64(value)))
    except UnboundLocalError as error:
        return str(error)
