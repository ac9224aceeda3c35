"""Leaving the interpreter in a staged branch happens when the branch runs."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import autograph as ag


def leave(n):
    if n > 5:
        sys.exit("too many")
    return n


def leave_with_numbers(n):
    for k in range(n):
        if k == 6:
            sys.exit((k, "of", n))
    return n


def leave_without(n):
    if n > 5:
        sys.exit()
    return n


def leave_as_it_is(n):
    if n > 5:
        sys.exit(SystemExit(n, 2))
    return n


def quit_(n):
    if n > 5:
        quit((n, 1))
    exit(n)


def leave_in_vain(n):
    try:
        if n > 5:
            sys.exit(n + 1)
    except SystemExit as error:
        return error.code
    return n


def leave_wrongly(n):
    if n > 5:
        sys.exit(n, 1)
    return n


ALL = (leave, leave_with_numbers, leave_without, leave_as_it_is, leave_in_vain, leave_wrongly)


def ended(function: Any, n: Any) -> Any:
    try:
        return function(n)
    except (SystemExit, TypeError) as error:
        return type(error), repr(error.args), getattr(error, "code", None)


@pytest.mark.parametrize("function", ALL)
def test_it_is_left_where_plain_python_leaves(function: Any) -> None:
    staged = ag.function(function)
    for n in (np.int64(3), np.int64(8)):
        assert ended(staged, n) == ended(function, n)
    assert staged.trace_count == 1


def test_quit_closes_no_input_while_tracing() -> None:
    staged = ag.function(quit_)
    with pytest.raises(SystemExit) as caught:
        staged(np.int64(8))
    assert caught.value.code == (8, 1)
    with pytest.raises(SystemExit) as caught:
        staged(np.int64(3))
    assert caught.value.code == 3
    assert not sys.stdin.closed
