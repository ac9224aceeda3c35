"""No handler of the program catches what staging raises: the trace is given up instead."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

X = np.float64(2.0)


def kept_for_a_handler(x: Any) -> Any:
    try:
        y = 1 if x > 0 else 2
    except ValueError:
        y = 5
    except UnboundLocalError:
        y = 6
    return y


@ag.do_not_convert
def with_a_plain_handler(x: Any) -> Any:
    try:
        return float(x)
    except TypeError:
        return 3.0


@ag.do_not_convert
def with_a_context(x: Any) -> Any:
    with contextlib.suppress(ValueError):
        return 1 if x > 0 else 2
    return 3


@ag.do_not_convert
def with_a_jump_in_finally(x: Any) -> Any:
    while True:
        try:
            return int(x)
        finally:
            break  # noqa: B012
    return 3


@ag.do_not_convert
def that_holds_what_it_caught(x: Any) -> Any:
    held = None
    try:
        return {x: 1}
    except TypeError as error:
        held = error
    return len(str(held))


@ag.do_not_convert
def that_raises_another(x: Any) -> Any:
    try:
        return float(x)
    except TypeError:
        raise KeyError("no number") from None


def calls_one(x: Any) -> Any:
    try:
        return with_a_plain_handler(x)
    except ValueError:
        return 4.0


@pytest.mark.parametrize(
    "swallows",
    [
        kept_for_a_handler,
        with_a_plain_handler,
        with_a_context,
        with_a_jump_in_finally,
        that_holds_what_it_caught,
        that_raises_another,
        calls_one,
    ],
    ids=lambda function: function.__name__,
)
def test_a_refusal_that_a_handler_caught_is_raised_after_all(swallows: Any) -> None:
    def calls(x: Any) -> Any:
        return swallows(x)

    with pytest.raises(ag.StagedValueError, match=r"staged|unhashable"):
        ag.function(calls)(X)


def test_it_says_where_it_was_caught() -> None:
    with pytest.raises(ag.StagedValueError) as found:
        ag.function(lambda x: with_a_plain_handler(x))(X)
    line = with_a_plain_handler.__code__.co_firstlineno + 3
    assert "a handler around this line caught it:\n" in str(found.value)
    assert f"line {line}, in with_a_plain_handler\n    return float(x)" in str(found.value)


def test_a_trace_that_starts_again_does_so_whatever_catches_that() -> None:
    @ag.do_not_convert
    def catching(function: Callable[[Any], Any], x: Any) -> Any:
        try:
            return function(x)
        except BaseException:
            return -1

    @ag.function
    def inner(x: Any) -> Any:
        rows = []
        for value in x:
            if value > 0:
                rows.append(value)
        return len(rows)

    assert ag.function(lambda x: catching(inner, x))(np.array([1.0, -1.0, 2.0])) == 2


@pytest.mark.parametrize(
    ("question", "x"),
    [
        (float, np.ones(3)),
        (bool, np.ones(3)),
        (operator.index, X),
        (hash, np.ones(3)),
        (len, X),
        (iter, X),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_a_question_to_which_numpy_has_no_answer_is_no_refusal(question: Any, x: Any) -> None:
    @ag.do_not_convert
    def asks(x: Any) -> Any:
        try:
            question(x)
        except (TypeError, ValueError) as error:
            return x, type(error).__name__
        return x, ""

    plain, staged = asks(x), ag.function(lambda x: asks(x))(x)
    assert staged[1] == plain[1] != ""
