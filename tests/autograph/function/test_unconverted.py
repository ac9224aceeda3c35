"""A staged truth in code that was left as Python: the error says why, and what to write."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

OWN = "Put the computation into a function of its own and call that"


def uses_locals(x):
    names = locals()
    if x > 0:
        return names
    return -x


def calls_it(x):
    return uses_locals(x) or x


def uses_eval(x):
    return eval("1 if x > 0 else 2")


def catches_unbound(x):
    try:
        if x > 0:
            y = x
        return y
    except UnboundLocalError:
        return x


def steps(x):
    if x > 0:
        yield x
    yield -x


def uses_a_generator(x):
    return len(frozenset(steps(x)))


async def waits(x):
    return x if x > 0 else -x


def uses_a_coroutine(x):
    return asyncio.run(waits(x))


def has_a_class(x):
    class Sign:
        if x > 0:
            value = 1
        else:
            value = -1

    return Sign.value


def has_a_class_with_a_comprehension(x):
    class Sign:
        values = tuple([v for v in (1.0, 2.0) if x > v])

    return Sign.values


def has_a_lambda(x):
    function = lambda a: a > 0 and (b := a + 1) and b  # noqa: E731
    return function(x)


def line(function: Any, offset: int) -> int:
    """Return the number of a line of a function, counted from its first."""
    return int(function.__code__.co_firstlineno) + offset


LEFT = "was left as Python because"


@pytest.mark.parametrize(
    ("function", "parts"),
    [
        (uses_locals, [f"uses_locals {LEFT} of `locals()` in line {line(uses_locals, 1)}, ", OWN]),
        (calls_it, [f"uses_locals {LEFT} of `locals()` in line {line(uses_locals, 1)}, ", OWN]),
        (uses_eval, [f"uses_eval {LEFT} of `eval()` in line {line(uses_eval, 1)}, ", OWN]),
        (
            catches_unbound,
            [f"of `except UnboundLocalError` in line {line(catches_unbound, 5)}", OWN],
        ),
        (uses_a_generator, [f"steps {LEFT} it is a generator, ", "Go over it by a `for` loop"]),
        (uses_a_coroutine, [f"waits {LEFT} it is an async function. {OWN}"]),
        (has_a_class, ["the body of the class Sign runs as Python. Compute the value before"]),
        (has_a_class_with_a_comprehension, ["the body of the class Sign runs as Python. Compute"]),
        (has_a_lambda, ["a lambda that binds a name by `:=` is left as Python. Write it as a"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_error_says_why_and_what_to_write(
    function: Callable[..., Any], parts: list[str]
) -> None:
    with pytest.raises(ag.StagedBoolError, match="in code that was not converted: ") as caught:
        ag.function(function)(np.float64(1))
    for part in parts:
        assert part in str(caught.value)


def kept(x):
    return {(w := v) for v in (1.0, 2.0) if x > v}, w


def kept_lazily(x):
    return max({(w := v): v for v in (1.0, 2.0) if v > 1 and x > v}), w


@pytest.mark.parametrize("function", [kept, kept_lazily])
def test_a_staged_condition_of_a_comprehension_says_what_to_write(
    function: Callable[..., Any],
) -> None:
    with pytest.raises(ag.StagedBoolError, match=r"comprehension is staged.*x\[x > 0\]"):
        ag.function(function)(np.float64(1))
