"""An exception in converted code shows the lines, columns and names that it shows in Python."""

from __future__ import annotations

import builtins
import os
import re
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
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


def raised(function: Callable[..., Any], *arguments: Any) -> BaseException:
    """Return what a call raises."""
    with pytest.raises(BaseException) as caught:  # noqa: PT011  (whichever it is in plain Python)
        function(*arguments)
    return caught.value


def spots(function: Callable[..., Any], *arguments: Any) -> tuple[BaseException, list[Spot]]:
    """Return what a call raises, and its frames in the samples, outermost first."""
    error = raised(function, *arguments)
    summary = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in summary if frame.filename == samples.__file__]
    return error, [_spot(frame) for frame in own]


def shown_files(error: BaseException) -> set[str]:
    """Return the files of all frames of a traceback but the first, which is `raised`."""
    return {frame.filename for frame in traceback.extract_tb(error.__traceback__)[1:]}


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
    error, plain = spots(function, 1)
    traced_error, traced = spots(ag.function(function), 1)
    assert shown(traced, function) == shown(plain, function)
    assert shown_files(traced_error) == shown_files(error) == {samples.__file__}


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


class NeedsArgumentsError(Exception):
    def __init__(self, left: int, *, right: int) -> None:
        super().__init__(left)
        self.right = right


def interrupts(x: Any) -> Any:
    for _ in range(int(x)):
        raise KeyboardInterrupt("here")
    return x


def exits(x: Any) -> Any:
    if x:
        raise SystemExit(3)
    return x


def stops(x: Any) -> Any:
    while x:
        x = next(iter(()))
    return x


def stops_in_function(x: Any) -> Any:
    return [stops(x) for _ in range(2)]


def needs_arguments(x: Any) -> Any:
    if x:
        raise NeedsArgumentsError(x, right=2)
    return x


def has_cause(x: Any) -> Any:
    try:
        if x:
            return {}["missing"]
    except KeyError as error:
        raise ValueError("cause") from error


def has_context(x: Any) -> Any:
    try:
        if x:
            return {}["missing"]
    except KeyError:
        if x:
            raise ValueError("context")  # noqa: B904  (that is what is tested)


def hides_context(x: Any) -> Any:
    try:
        if x:
            return {}["missing"]
    except KeyError:
        raise ValueError("hidden") from None


def has_attributes(x: Any) -> Any:
    error = ValueError("attributes", x, {"key": [x]})
    error.detail = "more"  # type: ignore[attr-defined]
    error.__notes__ = ["one", "two"]  # type: ignore[attr-defined]
    if x:
        raise error


def is_os_error(x: Any) -> Any:
    if x:
        os.listdir("/nowhere")


def is_unicode_error(x: Any) -> Any:
    if x:
        b"\xff".decode()


def ends_generator(x: Any) -> Any:
    if x:
        raise GeneratorExit


RAISING = [
    interrupts,
    exits,
    stops,
    stops_in_function,
    needs_arguments,
    has_cause,
    has_context,
    hides_context,
    has_attributes,
    is_os_error,
    is_unicode_error,
    ends_generator,
]


def everything(error: BaseException | None) -> Any:
    """Return all that an exception holds, and where it was raised."""
    if error is None:
        return None
    chained = everything(error.__cause__), everything(error.__context__)
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = place.filename, place.lineno
    return type(error), str(error), repr(error.args), vars(error), chained, where


@pytest.mark.parametrize("function", RAISING, ids=lambda f: f.__name__)
def test_what_user_code_raises_while_it_is_traced_is_kept(function: Any) -> None:
    plain, traced = raised(function, 1), raised(ag.function(function), 1)
    assert everything(traced) == everything(plain)
    for error in (traced, traced.__cause__, traced.__context__):
        assert error is None or shown_files(error) <= {__file__}


def test_an_exception_is_the_very_object_that_was_raised() -> None:
    error = ValueError("this one")

    def f(x: Any) -> Any:
        if x:
            raise error
        return x

    assert raised(ag.function(f), 1) is error


@pytest.mark.skipif(sys.version_info < (3, 11), reason="groups came with 3.11")
def test_the_members_of_a_group_show_the_users_frames_only() -> None:
    def fails(x: Any) -> Any:
        if x:
            raise ValueError(x)

    def f(x: Any) -> Any:
        try:
            fails(x)
        except ValueError as error:
            errors = [error, KeyError("never raised")]
        raise builtins.ExceptionGroup("several", errors)

    group: Any = raised(ag.function(f), 1)
    for error in (group, group.exceptions[0]):
        assert shown_files(error) <= {__file__}
        assert traceback.extract_tb(error.__traceback__)[-1].filename == __file__


def test_callbacks_of_the_user_below_our_operators_are_shown() -> None:
    def key(x: Any) -> Any:
        return x / 0

    def f(x: Any) -> Any:
        if x:
            return sorted([x, x], key=key)
        return x

    error = raised(ag.function(f), 1)
    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    assert names == ["raised", "f", "f", "key"]
    assert shown_files(error) == {__file__}


def test_locals_can_be_looked_at_after_an_error() -> None:
    def f(x: Any) -> Any:
        before = x + 1
        if x:
            inside = before + 1
            return inside / 0
        return x

    error = raised(ag.function(f), 1)
    found: dict[str, Any] = {}
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_name == "f":
            found |= frame.f_locals
    assert {name: found[name] for name in ("x", "before", "inside")} == {
        "x": 1,
        "before": 2,
        "inside": 3,
    }


def test_a_staging_error_ends_in_the_users_line() -> None:
    def f(x: Any) -> Any:
        y = x + 1
        return y.base

    error = raised(ag.function(f), np.ones(3))
    assert isinstance(error, ag.StagedValueError)
    assert shown_files(error) == {__file__}
    assert traceback.extract_tb(error.__traceback__)[-1].line == "return y.base"


def test_a_conversion_error_shows_the_call_of_the_staged_function() -> None:
    scope: dict[str, Any] = {}
    exec("def f(x):\n    return x\n", scope)
    staged = ag.function(scope["f"])
    for call in (staged, staged.get_concrete_function, staged.graph, staged.plan):
        error = raised(call, np.ones(3))
        assert isinstance(error, ag.ConversionError)
        assert [f.name for f in traceback.extract_tb(error.__traceback__)] == ["raised"]


def test_the_decorator_shows_the_line_where_it_stands() -> None:
    def generator(x: Any) -> Any:
        yield x

    error = raised(ag.function, generator)
    assert [f.name for f in traceback.extract_tb(error.__traceback__)] == ["raised"]


def test_an_error_with_numpys_frames_shows_them_as_plain_python_does() -> None:
    def f(x: Any) -> Any:
        return np.linalg.inv(x)

    plain, staged = raised(f, np.zeros((2, 2))), raised(ag.function(f), np.zeros((2, 2)))
    assert shown_files(staged) == shown_files(plain)
    assert str(staged) == str(plain)


@pytest.mark.parametrize("value", ["1", "0", ""])
def test_a_variable_of_the_environment_shows_all_frames(value: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import autograph as ag\n@ag.function\ndef f(x):\n"
        "    if x:\n        return x / 0\n    return x\nf(1)\n"
    )
    environment = {**os.environ, "AUTOGRAPH_FULL_TRACEBACK": value}
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, env=environment
    )
    named = re.findall(r'File "(.*)", line (\d+), in (.*)', done.stderr)
    lines = [(line, name) for file, line, name in named if file == str(program)]
    assert lines == [("7", "<module>"), ("4", "f"), ("5", "f")]
    assert (len(named) > 3) == (value == "1")
