"""Comparing what a plain random program does with what its converted forms do.

Comes in: the text of a program. Goes out: "same", or the first difference. Compared are the result
or the error with its arguments, causes and contexts, by value and class; the arguments afterwards,
the events, what is printed, and the warnings.
"""

from __future__ import annotations

import io
import linecache
import re
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from functools import partial
from types import FunctionType
from typing import Any

from autograph import conversion, operators
from autograph.files.modules import convert_module
from tests.autograph.converting import FORMS, converted_by
from tests.random_programs import plain_world
from tests.random_programs.limits import SAME, TOO_LONG, TimeLimitError, some, time_limit

SECONDS = 2.0
_UNBOUND = re.compile(r"(?:UnboundLocal|Name)Error\(\"[\w ]*variable '(\w+)'[\w ]*\"\)")


def _with_operators(function: FunctionType) -> FunctionType:
    return conversion.convert(function, operators)


def _written(function: FunctionType) -> FunctionType:
    """Return the function of the file that `autograph convert` writes."""
    file = function.__code__.co_filename
    text = convert_module("".join(linecache.getlines(file)), file)
    return compiled(str(text), f"{file[1:-1].removeprefix('random program ')}, written")


WAYS: dict[str, Callable[[FunctionType], FunctionType]] = {
    "with the operators": _with_operators,
    "written to a file": _written,
    **{
        f"stand-ins, {name}": partial(converted_by, operators=known, form=form)
        for name, (known, form) in FORMS.items()
    },
}
"""How a program is converted: with the operators, or with those of tests."""


def compiled(text: str, name: str) -> FunctionType:
    """Return the function `f` of a program, in a module of its own."""
    file = f"<random program {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {**plain_world.NAMES, "__name__": "random_program"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, file, "exec", dont_inherit=True), space)
    found: FunctionType = space["f"]
    return found


def behaviour(function: Callable[..., Any], space: dict[str, Any], arguments: str) -> list[str]:
    """Return all that can be seen of a call, as lines."""
    log = plain_world.Log()
    space.update(t=log, G=1)
    given = eval(f"[{arguments}]", space)
    with warnings.catch_warnings(record=True) as warned, redirect_stdout(io.StringIO()) as printed:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", SyntaxWarning)  # Python's own, about what programs do
        try:
            with time_limit(SECONDS):
                end = f"returned {plain_world.text(function(*given))}"
        except Exception as error:
            end = f"raised {plain_world.text(error)}"
        except (plain_world.TooLongError, TimeLimitError):
            return [TOO_LONG]
    seen = [f"{one.category.__name__}: {one.message}" for one in warned]
    log.events += [*seen, *printed.getvalue().splitlines()]
    return [*log.events, end, f"arguments {plain_world.text(given)}", f"G {space['G']}"]


def compare_plain(text: str, name: str, arguments: Sequence[str], turn: int | None) -> str:
    """Compare a program for each of some argument lists with two of its forms, or with all."""
    plain = compiled(text, name)
    found = SAME
    for form in some(list(WAYS), 2, turn):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's own, about what programs do
            function = WAYS[form](plain)
        for given in arguments:
            expected = behaviour(plain, plain.__globals__, given)
            other = behaviour(function, function.__globals__, given)
            if TOO_LONG in (expected[0], other[0]):
                found = TOO_LONG
            elif other != expected and _loosely(other) != _loosely(expected):
                return f"{form}, f({given}):\n{difference(expected, other)}"
    return found


def _loosely(lines: Sequence[str]) -> list[str]:
    """Return lines in which errors of variables without a value are one, but for one at the end.

    A handler in a branch or loop that is a closure sees a free variable; Python tells a local one.
    What leaves the program is Python's in any case, if not what was raised before it.
    """
    *log, end, given, variable = lines
    last, _, before = end.partition("<")
    return [*map(_unbound, log), last, _unbound(before), given, variable]


def _unbound(line: str) -> str:
    return _UNBOUND.sub(r"unbound \1", line)


def difference(expected: Sequence[str], found: Sequence[str]) -> str:
    """Show the first line in which two behaviours differ."""
    pairs = zip([*expected, "nothing"], [*found, "nothing"], strict=False)
    k, (x, y) = next((k, pair) for k, pair in enumerate(pairs) if pair[0] != pair[1])
    return f"line {k}: expected {x}\n{' ' * len(f'line {k}: ')}found    {y}"
