"""Loops that only an exception ends are loops of the graph."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def raises(x: Any) -> Any:
    while True:
        x = x + 1
        if x > 10:
            raise ValueError("large", x)


def asserts(x: Any) -> Any:
    while True:
        x = x * 2
        if not x < 100:
            raise AssertionError(x)


def catches(x: Any) -> Any:
    rounds = 0
    try:
        while True:
            rounds += 1
            x = x + np.array([1.0, 5.0, 7.0])[rounds]
    except IndexError:
        return x, rounds


def counts(x: Any) -> Any:
    for k in itertools.count():
        x = x + k
        if x > 50:
            raise KeyError(k)


def takes_what_python_knows(x: Any) -> Any:
    known = iter({"a": 1, "b": 2}.values())
    try:
        while True:
            x = x + next(known)
    except StopIteration:
        return x


def grows(x: Any) -> Any:
    rows = (np.array([x, 1.0]),)
    while True:
        rows = (*rows, rows[-1] + 1)
        if rows[-1].sum() > 100:
            raise ValueError(len(rows))


def outcome(function: Callable[[Any], Any]) -> str:
    """Return how a call ends."""
    try:
        return repr(function(np.float64(1.0)))
    except (ValueError, AssertionError, KeyError) as error:
        return repr(error)


@pytest.mark.parametrize(
    "sample",
    [raises, asserts, catches, counts, takes_what_python_knows, grows],
    ids=lambda sample: sample.__name__,
)
def test_it_ends_as_in_plain_python(sample: Callable[[Any], Any]) -> None:
    assert outcome(ag.function(sample)) == outcome(sample)
