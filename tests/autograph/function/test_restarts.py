"""A trace that is given up, as the function has to be traced otherwise, leaves nothing done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.errors import MutationError, StagedValueError


class Model:
    def __init__(self) -> None:
        self.calls = 0
        self.seen: list[Any] = []
        self.names = {"first": 0}


CALLS = 0
LOG: list[str] = []


def positive(x: Any) -> list[Any]:
    """Have a comprehension that is to be staged, which is found in the first trace."""
    return [v for v in x if v > 0]


def caught(x: Any) -> Any:
    """Have a `try` that is to be staged, which is found in the first trace."""
    try:
        if x[0] > 1:
            raise KeyError("large")
    except KeyError:
        x = -x
    return x


@pytest.mark.parametrize("ending", [positive, caught])
def test_what_a_function_writes_is_written_once(ending: Callable[[Any], Any]) -> None:
    def counted() -> None:
        nonlocal inner
        inner += 1

    @ag.function
    def f(x: Any, model: Model, log: list[int]) -> Any:
        global CALLS
        CALLS += 1
        counted()
        model.calls += 1
        model.seen.append("x")
        model.names["second"] = model.names["first"] + 1
        model.late = 1
        LOG.append("called")
        log.append(3)
        return ending(x)

    global CALLS
    CALLS, inner = 0, 0
    LOG.clear()
    model, log = Model(), [1]
    f(np.array([2.0]), model, log)
    assert (CALLS, inner, LOG, log) == (1, 1, ["called"], [1, 3])
    assert (model.calls, model.seen) == (1, ["x"])
    assert model.names == {"first": 0, "second": 1}


@pytest.mark.parametrize("ending", [positive, caught])
def test_what_it_prints_is_printed_once(
    ending: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    @ag.function
    def f(x: Any) -> Any:
        print("one", 1, sep="-")
        found = ending(x)
        print("two", end=".")
        print("two", end=".")
        return found

    f(np.array([2.0]))
    assert capsys.readouterr().out == "one-1\ntwo.two."


def test_an_iterator_of_a_list_gives_its_items_again() -> None:
    items = iter([1, 2, 3, 4])

    @ag.function
    def f(x: Any) -> Any:
        return next(items), positive(x)

    assert f(np.array([2.0]))[0] == 1
    assert list(items) == [2, 3, 4]


def test_another_iterator_is_refused_by_name() -> None:
    items = (k for k in range(4))

    @ag.function
    def f(x: Any, given: Any) -> Any:
        return next(given), positive(x)

    with pytest.raises(StagedValueError, match="the iterator 'given', of type generator"):
        f(np.array([2.0]), items)


def test_a_refusal_is_told_though_an_iterator_has_given_items() -> None:
    model = Model()

    @ag.function
    def f(x: Any, given: Any) -> Any:
        next(given)
        model.__late__ = x  # type: ignore[attr-defined]
        return x

    with pytest.raises(MutationError, match="late"):
        f(np.array([2.0]), (k for k in range(4)))


def test_what_is_refused_has_written_nothing() -> None:
    model = Model()

    @ag.function
    def f(x: Any) -> Any:
        model.calls += 1
        model.names["second"] = 2
        model.__late__ = x  # type: ignore[attr-defined]
        return x

    with pytest.raises(MutationError):
        f(np.array([2.0]))
    assert model.names == {"first": 0}
    assert model.calls == 0


def test_an_error_of_the_program_has_written_what_came_before_it() -> None:
    model = Model()

    @ag.function
    def f(x: Any) -> Any:
        model.calls += 1
        caught(x)
        raise ValueError("of the program")

    with pytest.raises(ValueError, match="of the program"):
        f(np.array([2.0]))
    assert model.calls == 1
