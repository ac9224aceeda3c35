"""How floating point errors are reported inside of a staged function holds when its graph runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import autograph as ag

X, ZEROS, ONES = np.arange(3.0), np.zeros(3), np.ones(3)


def ignored(x: Any, y: Any) -> Any:
    with np.errstate(divide="ignore"):
        z = x / y
    return z, np.log(y)


def raised(x: Any, y: Any) -> Any:
    with np.errstate(divide="raise"):
        return x / y


def raised_of_what_nobody_uses(x: Any, y: Any) -> Any:
    with np.errstate(all="raise"):
        x / y
    return x


def caught(x: Any, y: Any) -> Any:
    with np.errstate(all="raise"):
        try:
            for k in range(x.shape[0]):
                x[k] = x[k] + 1 / y[k]
        except FloatingPointError as error:
            return x, str(error)
    return x, ""


def set_and_set_back(x: Any, y: Any) -> Any:
    old = np.seterr(all="ignore")
    z = x / y
    np.seterr(**old)
    return z, x / y


@np.errstate(all="ignore")
def decorated(x: Any, y: Any) -> Any:
    return x / y


def in_one_round_of_two(x: Any, y: Any) -> Any:
    k = 0
    while k < x.shape[0] and y[k] >= 0:
        if k % 2 == 0:
            with np.errstate(all="ignore"):
                x[k] = x[k] / y[k]
        else:
            x[k] = np.log(y[k])
        k += 1
    return x


def around_a_loop(x: Any, y: Any) -> Any:
    total = np.float64(0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        for k in range(x.shape[0]):
            if y[k] < 5:
                total = total + x[k] / y[k]
    return total, np.log(y)


def filtered(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        z = x / y
    return z, np.log(y)


def filtered_by_text(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "divide by zero", RuntimeWarning)
        return x / y


def an_error_that_is_caught(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return x / y
        except RuntimeWarning as warning:
            return str(warning)


def asked(x: Any, y: Any) -> Any:
    return x / y if np.geterr()["divide"] == "warn" else x


SAMPLES = (
    ignored, raised, raised_of_what_nobody_uses, caught, set_and_set_back, decorated,
    in_one_round_of_two, around_a_loop, filtered, filtered_by_text, an_error_that_is_caught, asked,
)  # fmt: skip


def outcome(function: Callable[..., Any], values: Sequence[Any]) -> tuple[str, list[str]]:
    """Return how a call ends, and what it warns of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = repr(function(*(x.copy() for x in values)))
        except (FloatingPointError, RuntimeWarning) as error:
            found = repr(error)
    return found, [f"{x.lineno}: {x.message}" for x in told]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_it_is_as_in_plain_python(sample: Callable[..., Any]) -> None:
    staged = ag.function(sample)
    for y in (ZEROS, ONES, ZEROS):
        assert outcome(staged, (X, y)) == outcome(sample, (X, y))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_what_holds_around_the_call_is_asked_for_at_each_call(sample: Callable[..., Any]) -> None:
    staged = ag.function(sample)
    for around in ("warn", "ignore", "raise", "warn"):
        with np.errstate(divide=around):  # type: ignore[arg-type]
            assert outcome(staged, (X, ZEROS)) == outcome(sample, (X, ZEROS))


def test_a_loop_that_reports_in_one_way_is_one_kernel() -> None:
    staged = ag.function(around_a_loop)
    x = np.ones(500)
    assert str(staged.get_concrete_function(x, x).plan).count("reporting(") == 1
    text = str(staged.graph(x, x))
    assert text.index("switch(") < text.index("reduce(")


@pytest.mark.parametrize("back", [ag.grad, lambda function: ag.vmap(function)])
def test_derivatives_and_batches_report_as_it_says(back: Any) -> None:
    def root(x: Any) -> Any:
        with np.errstate(all="ignore"):
            return np.sqrt(x) * np.log(x)

    with np.errstate(all="raise"):
        ag.function(back(root))(np.float64(0.0) if back is ag.grad else ZEROS)


def called(x: Any) -> Any:
    with np.errstate(all="call", call=print):
        return 1 / x


def recorded(x: Any) -> Any:
    with warnings.catch_warnings(record=True):
        return 1 / x


def last(x: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", append=True)
        return 1 / x


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (called, r"np\.errstate\(divide='call', .*\)"),
        (recorded, r"warnings\.catch_warnings\(record=True\)"),
        (last, "a filter of warnings that is not first"),
    ],
)
def test_what_calls_python_back_is_refused(function: Any, what: str) -> None:
    with pytest.raises(ag.StagedValueError, match=f"{what}.* holds while the function is traced"):
        ag.function(function)(ZEROS)


def test_settings_that_are_not_set_back_are_refused() -> None:
    @ag.function
    def leaves(x: Any) -> Any:
        np.seterr(all="ignore")
        return 1 / x

    before = np.geterr()
    with pytest.raises(ag.MutationError, match=r"np\.seterr\(\) was called while"):
        leaves(ZEROS)
    assert np.geterr() == before
