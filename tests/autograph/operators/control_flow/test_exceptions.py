"""Exceptions of staged code are values: class, arguments, text and line are Python's."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import conversion, operators
from runtime.graph.interpret import interpret
from runtime.graph.printer import print_graph
from runtime.graph.reader import read_graph
from runtime.graph.verify import verify
from runtime.passes.pipeline import optimise
from tests.autograph.operators.control_flow.exception_samples import SAMPLES, Coded, own_class

NUMBERS = (6, 2, -1)


def told(error: BaseException | None) -> Any:
    """Return all that an exception says, with its cause and its context."""
    if error is None:
        return None
    chain = [told(x) for x in (error.__cause__, error.__context__)]
    members = {name: value for name, value in vars(error).items() if name != "is_located"}
    own = type(error), error.args, str(error), repr(error), members
    return [*map(repr, own), error.__suppress_context__, chain]


def outcome(function: Callable[..., Any], n: int) -> tuple[Any, ...]:
    """Return how a call ends."""
    try:
        return repr(function(np.int64(n))), None, None
    except BaseException as error:
        return "raises", told(error), traceback.extract_tb(error.__traceback__)[-1].lineno


@cache
def forms(sample: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return a sample converted, and staged; for all numbers the same."""
    return conversion.convert(sample, operators), ag.function(sample)


@pytest.mark.parametrize("n", NUMBERS)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_it_raises_and_catches_what_python_does(sample: Callable[..., Any], n: int) -> None:
    converted, staged = forms(sample)
    expected = outcome(sample, n)
    assert outcome(converted, n)[:2] == expected[:2]
    for _ in range(2):  # the slow path, and the entry
        found = outcome(staged, n)
        assert found[:2] == expected[:2]
        if expected[2] is not None and sample.__name__ != "cause_of_numpy":
            assert found[2] == expected[2]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_the_interpreter_the_passes_and_the_text_agree(sample: Callable[..., Any]) -> None:
    graph = ag.function(sample).get_concrete_function(np.int64(1)).traced_graph
    others = [optimise(graph, check=verify), read_graph(print_graph(graph, elide=False))]
    for n in NUMBERS:
        expected = _interpreted(graph, n)
        assert [_interpreted(other, n) for other in others] == [expected, expected]


def _interpreted(graph: Any, n: int) -> Any:
    try:
        return repr(interpret(graph, [np.int64(n)], np))
    except BaseException as error:
        return told(error)


def test_an_array_in_an_exception_is_the_callers_own() -> None:
    def fails(x: Any) -> None:
        if x[0] > 0:
            raise ValueError(x * 2)

    staged, errors = ag.function(fails), []
    for k in (1.0, 2.0):
        with pytest.raises(ValueError) as caught:  # noqa: PT011  (what it holds is asked below)
            staged(np.full(3, k))
        errors.append(caught.value)
    assert [error.args[0].tolist() for error in errors] == [[2.0] * 3, [4.0] * 3]


def test_a_call_inside_a_handler_has_the_context_of_that_call() -> None:
    staged = ag.function(own_class)
    for cause in (KeyError("first"), IndexError("second")):
        try:
            raise cause
        except LookupError:
            with pytest.raises(Coded) as caught:
                staged(np.int64(6))
        assert caught.value.__context__ is cause


@pytest.mark.parametrize("is_under_a_condition", [False, True])
def test_one_of_several_exceptions_is_refused(is_under_a_condition: bool) -> None:
    def raises(x: Any) -> Any:
        error = ValueError("small")
        if x > 3:
            error = KeyError(x)
        if x > 0 or not is_under_a_condition:
            raise error
        return x

    with pytest.raises(ag.StagedValueError, match=r"(?s)one of several exceptions.*raise error"):
        ag.function(raises)(np.int64(6))


def test_an_exception_that_another_process_traced_is_refused() -> None:
    form = "@exception('Coded', 1, 'elsewhere')"
    graph = read_graph(f"graph(%x: bool[]) {{\n  check(%x, error={form})\n  return\n}}")
    with pytest.raises(RuntimeError, match="exception 'Coded' of the process that traced it"):
        interpret(graph, [np.bool_(False)], np)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("builtins:KeyError(?)", KeyError(3.0)),
        (
            "builtins:ValueError('two (of them)', 1.5, ?, None)",
            ValueError("two (of them)", 1.5, 3.0, None),
        ),
        ("builtins:StopIteration()", StopIteration()),
    ],
)
def test_an_exception_of_a_module_and_of_literals_is_found_by_its_name(
    name: str, error: Exception
) -> None:
    text = (
        f"graph(%x: bool, %y: f64[]) {{\n  check(%x, %y, error=@exception({name!r}))\n  return\n}}"
    )
    with pytest.raises(type(error)) as caught:
        interpret(read_graph(text), [False, np.float64(3.0)], np)
    assert caught.value.args == error.args


def test_what_is_no_exception_is_not_raised() -> None:
    text = "graph(%x: bool) {\n  check(%x, error=@exception('math:sin(1)'))\n  return\n}"
    with pytest.raises(RuntimeError, match="math:sin is no exception"):
        interpret(read_graph(text), [False], np)
