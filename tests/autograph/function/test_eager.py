"""Staged functions that run eagerly are the user's own Python."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag

ran: list[str] = []


@ag.do_not_convert
def note(x: Any) -> None:
    ran.append(type(x).__name__)


def settle(x):
    note(x)
    while x > 1.0:
        x = x / 2
    return x


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    ran.clear()
    yield
    ag.run_functions_eagerly(False)


def test_the_switch_lets_every_call_run_the_python_function() -> None:
    staged = ag.function(settle)
    ag.run_functions_eagerly(True)
    assert ag.functions_run_eagerly()
    assert [staged(np.float64(5.0)) for _ in range(2)] == [0.625, 0.625]
    assert (ran, staged.trace_count) == (["float64", "float64"], 0)
    ag.run_functions_eagerly(False)
    assert not ag.functions_run_eagerly()
    assert [staged(np.float64(5.0)) for _ in range(2)] == [0.625, 0.625]
    assert (len(ran), staged.trace_count) == (3, 1)


def test_a_function_that_was_traced_runs_eagerly_too() -> None:
    staged = ag.function(settle)
    staged(np.float64(5.0))
    ran.clear()
    ag.run_functions_eagerly(True)
    staged(np.float64(5.0))
    assert ran == ["float64"]


def test_a_concrete_function_is_traced_while_the_switch_is_on() -> None:
    staged = ag.function(settle)
    ag.run_functions_eagerly(True)
    concrete = staged.get_concrete_function(np.float64(5.0))
    assert concrete.run([np.float64(5.0)]) == 0.625
    assert (ran, staged.trace_count) == (["Symbol"], 1)
    assert "while_loop" in staged.graph(np.float64(5.0))


def test_a_single_function_runs_eagerly() -> None:
    one, other = ag.function(settle), ag.function(settle)
    one.run_eagerly = True
    assert (one.run_eagerly, other.run_eagerly) == (True, False)
    assert one(np.float64(3.0)) == other(np.float64(3.0)) == 0.75
    assert (one.trace_count, other.trace_count) == (0, 1)
    one.run_eagerly = False
    one(np.float64(3.0))
    assert one.trace_count == 1


def test_an_eager_function_is_staged_inside_of_another() -> None:
    inner = ag.function(settle)
    inner.run_eagerly = True
    outer = ag.function(lambda x: inner(x) + 1)
    assert outer(np.float64(3.0)) == 1.75
    assert ran == ["Symbol"]


class Scale:
    def __init__(self) -> None:
        self.rate = 2.0

    @ag.function
    def apply(self, x):
        note(x)
        return x * self.rate


@pytest.mark.parametrize("for_all", [True, False])
def test_methods_run_eagerly(for_all: bool) -> None:
    before, after = Scale(), Scale()
    assert before.apply(np.float64(1.0)) == 2.0
    ran.clear()
    if for_all:
        ag.run_functions_eagerly(True)
    else:
        Scale.apply.run_eagerly = True
    try:
        assert [one.apply(np.float64(1.0)) for one in (before, after)] == [2.0, 2.0]
        assert Scale.apply(after, np.float64(1.0)) == 2.0
    finally:
        Scale.apply.run_eagerly = False
    assert ran == ["float64"] * 3


def test_arguments_are_converted_by_the_signature_in_both_ways() -> None:
    spec = ag.TensorSpec((2,), np.float32)
    staged = ag.function(lambda x: x * 2, input_signature=[spec])
    expected = staged([1, 2])
    ag.run_functions_eagerly(True)
    found = staged([1, 2])
    assert (found.dtype, found.tolist()) == (expected.dtype, expected.tolist()) == (
        np.float32, [2.0, 4.0]
    )  # fmt: skip


def test_a_debugger_steps_through_the_lines_of_the_user() -> None:
    lines = []

    def follow(frame: Any, event: str, argument: Any) -> Any:
        if event == "line" and frame.f_code is settle.__code__:
            lines.append((frame.f_lineno - settle.__code__.co_firstlineno, dict(frame.f_locals)))
        return follow

    staged = ag.function(settle)
    staged.run_eagerly = True
    before = sys.gettrace()
    sys.settrace(follow)
    try:
        staged(np.float64(3.0))
    finally:
        sys.settrace(before)
    assert [line for line, _ in lines] == [1, 2, 3, 2, 3, 2, 4]
    assert [seen["x"] for _, seen in lines] == [3.0, 3.0, 3.0, 1.5, 1.5, 0.75, 0.75]
    assert inspect.getsource(settle).splitlines()[4].strip() == "return x"


def test_errors_are_those_of_python() -> None:
    def fails(x):
        return x + missing  # noqa: F821

    staged = ag.function(fails)
    ag.run_functions_eagerly(True)
    with pytest.raises(NameError, match="name 'missing' is not defined"):
        staged(np.float64(1.0))


def test_the_switch_takes_true_or_false() -> None:
    with pytest.raises(TypeError, match="run_functions_eagerly takes True or False, not 1"):
        ag.run_functions_eagerly(1)  # type: ignore[arg-type]
