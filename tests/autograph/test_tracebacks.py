"""An exception in converted code shows the lines, columns and names that it shows in Python."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph as ag
from autograph import operators
from autograph.conversion import convert
from tests.autograph import traceback_samples as samples


class Spot(NamedTuple):
    """What a frame of a traceback shows."""

    name: str
    line: int
    columns: tuple[int | None, int | None, int | None]


def spots(function: Callable[..., Any], *arguments: Any) -> tuple[BaseException, list[Spot]]:
    """Return what a call raises, and its frames in the samples, outermost first."""
    with pytest.raises(Exception) as caught:  # noqa: PT011  (whichever it is in plain Python)
        function(*arguments)
    summary = traceback.extract_tb(caught.value.__traceback__)
    own = [frame for frame in summary if frame.filename == samples.__file__]
    return caught.value, [_spot(frame) for frame in own]


def _spot(frame: Any) -> Spot:
    places = [getattr(frame, x, None) for x in ("end_lineno", "colno", "end_colno")]
    return Spot(frame.name, frame.lineno, tuple(places))


# Where exactly a loop or an assertion fails is told differently by each version of Python.
STATEMENTS = {samples.in_iterable, samples.in_assertion}


def shown(frames: list[Spot], function: Any) -> Spot:
    """Return the innermost frame, without columns where Python itself does not agree."""
    found = frames[-1]
    return found._replace(columns=(None, None, None)) if function in STATEMENTS else found


def per_call(frames: list[Spot]) -> list[str]:
    """Return the names of frames, those of one function and what was made from it as one."""
    names = [frame.name for frame in frames]
    return [name for k, name in enumerate(names) if names[k - 1 : k] != [name]]


@pytest.mark.parametrize("function", samples.FUNCTIONS, ids=lambda f: f.__name__)
def test_a_converted_function_fails_where_the_plain_one_does(function: Any) -> None:
    error, plain = spots(function, 1)
    converted_error, converted = spots(convert(function, operators), 1)
    assert (type(converted_error), str(converted_error)) == (type(error), str(error))
    assert shown(converted, function) == shown(plain, function)
    assert per_call(converted) == per_call(plain)


@pytest.mark.parametrize("function", samples.FUNCTIONS, ids=lambda f: f.__name__)
def test_a_function_fails_in_the_same_place_while_it_is_traced(function: Any) -> None:
    _, plain = spots(function, 1)
    _, traced = spots(ag.function(function), 1)
    assert shown(traced, function) == shown(plain, function)


@ag.function
def staged_in_branch(x, n):
    for i in range(n):
        if x[i] > 0 and n > 2:
            x[i] = x[i] + "text"
    return x


def test_an_error_in_a_staged_branch_in_a_staged_loop_is_shown_in_its_line():
    with pytest.raises(TypeError) as caught:
        staged_in_branch(np.ones(3), np.int64(3))
    summary = traceback.extract_tb(caught.value.__traceback__)
    own = [frame for frame in summary if frame.filename == __file__]
    assert own[-1].line == 'x[i] = x[i] + "text"'
    assert {frame.name for frame in own[1:]} == {"staged_in_branch"}
