"""A staged `try` catches what staged code raises, with the variables as they are there."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from fractions import Fraction
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
from tests.autograph.operators.control_flow.try_samples import SAMPLES, OwnError

NUMBERS = (-3.0, -2.0, -1.0, 0.0, 1.0, 1.25, 2.0, 3.0, 7.0)


def outcome(function: Callable[..., Any], n: float, factor: float = 1.0) -> tuple[Any, ...]:
    """Return how a call ends, with what it did to its argument, or where it raised."""
    x = np.array([1.0, 2.0, 3.0]) * factor
    try:
        result = function(x, np.float64(n))
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return type(error), str(error), place.filename, place.lineno
    return repr(result), repr(x)


@cache
def forms(sample: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return a sample converted, and staged; for all numbers the same."""
    return conversion.convert(sample, operators), ag.function(sample)


@pytest.mark.parametrize("n", NUMBERS)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_it_does_what_python_does(sample: Callable[..., Any], n: float) -> None:
    converted, staged = forms(sample)
    for factor in (1.0, 0.0):
        expected = outcome(sample, n, factor)
        assert outcome(converted, n, factor)[:2] == expected[:2]
        assert outcome(staged, n, factor) == expected


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_the_interpreter_the_passes_and_the_text_agree(sample: Callable[..., Any]) -> None:
    x = np.array([1.0, 2.0, 3.0])
    graph = ag.function(sample).get_concrete_function(x, np.float64(1)).traced_graph
    others = [optimise(graph, check=verify), read_graph(print_graph(graph, elide=False))]
    for n in NUMBERS:
        expected = _interpreted(graph, n)
        assert [_interpreted(other, n) for other in others] == [expected, expected]


def _interpreted(graph: Any, n: float) -> str:
    try:
        return repr(interpret(graph, [np.array([1.0, 2.0, 3.0]), np.float64(n)], np))
    except Exception as error:
        return repr(error)


def test_no_region_is_made_when_nothing_in_the_graph_can_fail() -> None:
    def plain(x: Any) -> Any:
        y = x + 1
        try:
            y = y * {"a": 2}["b"]
        except KeyError:
            y = y * 3
        return y

    staged = ag.function(plain)
    assert "try_" not in print_graph(staged.get_concrete_function(np.ones(2)).traced_graph)
    assert staged(np.ones(2)).tolist() == [6.0, 6.0]


def test_the_program_has_a_real_try() -> None:
    def clipped(x: Any) -> Any:
        try:
            assert x.sum() > 0
            y = x * 2
        except AssertionError:
            y = x * 3
        return y

    source = str(ag.function(clipped).get_concrete_function(np.ones(2)).plan)
    assert "try {" in source
    assert "fail 1 () {" in source


def test_a_loop_that_always_raises_is_refused() -> None:
    def loops(x: Any, n: Any) -> Any:
        i = 0
        try:
            while i < n:
                i = i + 1
                raise ValueError("round")
        except ValueError:
            i = -i
        return i

    with pytest.raises(ag.LoopStateError, match="raises ValueError in every round, inside a `try`"):
        ag.function(loops)(np.ones(2), np.int64(1))


def test_an_error_about_staging_is_not_caught() -> None:
    def catches(x: Any) -> Any:
        y = 0
        try:
            if x.sum() > 0:
                y = f"{x}".encode()
        except Exception:
            y = 1
        return y

    with pytest.raises(ag.StagedValueError, match="known only when the graph runs"):
        ag.function(catches)(np.ones(2))


def rational(n: Any) -> Any:
    try:
        return n + Fraction(n).denominator
    except TypeError:
        return -1


def rational_of_any(n: Any) -> Any:
    try:
        return n + Fraction(n).denominator
    except:  # noqa: E722
        return -1


@pytest.mark.parametrize("sample", [rational, rational_of_any])
def test_what_is_raised_of_a_staged_value_that_a_function_does_not_know_is_not_caught(
    sample: Any,
) -> None:
    assert sample(np.int64(3)) == 4
    with pytest.raises(ag.StagedValueError, match=r"Fraction\(\) was given a staged value and rai"):
        ag.function(sample)(np.int64(3))


def test_a_class_of_ones_own_that_nobody_catches_is_raised_when_the_graph_runs() -> None:
    def raises(x: Any) -> Any:
        try:
            if x.sum() > 0:
                raise OwnError("mine")
        except KeyError:
            x = x + 1
        return x

    staged = ag.function(raises)
    assert staged(-np.ones(2)).tolist() == [-1.0, -1.0]
    with pytest.raises(OwnError, match="mine"):
        staged(np.ones(2))


def test_outside_of_tracing_the_error_is_unchanged() -> None:
    def notes() -> list[Any]:
        found: list[Any] = []
        try:
            try:
                int("a")
            except ValueError as error:
                raise KeyError("b") from error
        except KeyError as error:
            found.append((error.__cause__, error.__context__))
            entries = traceback.extract_tb(error.__traceback__)
            found.append([entry.name for entry in entries])
        return found

    (cause, context), names = conversion.convert(notes, operators)()
    assert str(cause) == "invalid literal for int() with base 10: 'a'"
    assert cause is context
    assert set(names) == {"notes"}


def test_what_is_no_exception_class_is_refused_as_in_python() -> None:
    def wrong() -> None:
        try:
            int("a")
        except ValueError("an instance"):  # type: ignore[misc]
            pass

    with pytest.raises(TypeError, match="catching classes that do not inherit from BaseException"):
        conversion.convert(wrong, operators)()


def in_another_function_too(v: Any) -> Any:
    def doubled(k: Any) -> Any:
        try:
            return v * k
        except KeyError as e:
            return e

    try:
        if doubled(2) > 6:
            raise ValueError(v)
    except ValueError as e:
        return e.args
    return v


def of_a_variable(v: Any) -> Any:
    for e in range(2):
        v = v + e
    try:
        if v > 4:
            raise ValueError(v)
    except ValueError as e:
        v = e.args[0] + 1
    return v


def of_a_handler_inside(v: Any) -> Any:
    try:
        if v > 3:
            raise ValueError(v)
    except ValueError as e:
        try:
            if v > 4:
                raise KeyError(v) from e
        except KeyError as e:
            return e.args
        return 2
    return v


def unbound_afterwards(v: Any) -> Any:
    e = 3
    try:
        if v > 3:
            raise ValueError(v)
    except ValueError as e:
        v = 1
    return v, e


@pytest.mark.parametrize(
    "function", [in_another_function_too, of_a_variable, of_a_handler_inside, unbound_afterwards]
)
def test_the_name_of_an_exception_may_have_other_uses(function: Any) -> None:
    staged = ag.function(function)
    for v in map(np.int64, (1, 4, 5)):
        if function is unbound_afterwards and v > 3:
            with pytest.raises(UnboundLocalError, match="variable 'e'"):
                staged(v)
        else:
            assert staged(v) == function(v)


def test_a_handler_in_a_handler_gives_a_dict_a_key_that_the_body_writes() -> None:
    """The dict is staged as a whole there, and the body's state had the item of its known key."""

    def f(x: Any, n: Any, items: Any, table: Any) -> Any:
        try:
            table["a"] = n * 1.0
            if x[n] // n == 1:
                raise ValueError(n)
        except ValueError:
            try:
                x[n + 1] = x[n] + 1
            except Exception:
                table["new"] = items[0] * 2.0
                items[0] = table["a"] * 2

    def outcome(function: Any, n: Any) -> str:
        given = np.arange(4.0), n, [1.0], {"a": 1.0}
        function(*given)
        return repr(given)

    staged = ag.function(f)
    for n in (np.int64(1), np.int64(2), np.int64(3)):
        assert outcome(staged, n) == outcome(f, n)
