"""Comparing what programs raise: classes, arguments, texts, attributes, causes and lines.

Comes in: the text of a program and arguments. Goes out: how its converted and its staged form
differ from the plain one, if they do.
"""

from __future__ import annotations

import copy
import traceback
import warnings
from collections.abc import Sequence
from typing import Any

import autograph as ag
from autograph import conversion, operators
from tests.random_programs.comparing import compiled, is_refusal
from tests.random_programs.limits import SAME, TOO_LONG, TimeLimitError, some, time_limit


def told(error: BaseException | None, chained: bool = True) -> Any:
    """Return all that an exception says, with its cause and its context if it is `chained`."""
    if error is None:
        return None
    members = {name: value for name, value in vars(error).items() if name != "is_located"}
    own = type(error).__name__, repr(error.args), str(error), repr(error), repr(members)
    if not chained:
        return own
    return *own, told(error.__cause__), told(error.__context__), error.__suppress_context__


def ended(
    function: Any, arguments: Sequence[Any], file: str, chained: bool = True
) -> tuple[Any, BaseException | None]:
    """Return how a call ends, in words, what its arguments hold then, and its error.

    If it returns and is `chained`, what it warned of is told; else nobody may use the last values.
    """
    given = copy.deepcopy(arguments)
    try:
        with warnings.catch_warnings(record=True) as log:
            warnings.simplefilter("always")
            warnings.simplefilter("error", ag.FallbackWarning)  # it is refused
            found = function(*given)
        # What is computed once warns once.
        warned = sorted({str(x.message) for x in log}) if chained else []
        return ("returns", repr(found), repr(given), warned), None
    except Exception as error:
        places = traceback.extract_tb(error.__traceback__)
        lines = [
            x.lineno for x in places if x.filename == file and not hasattr(error, "exceptions")
        ]
        return ("raises", told(error, chained), lines[-1:], repr(given)), error


def compare_exceptions(
    text: str,
    name: str,
    arguments: Sequence[Sequence[Any]],
    turn: int | None,
    chained: bool = True,
) -> str:
    """Compare a program for two argument lists or all; returns the worst finding."""
    found = SAME
    plain = compiled(text, name)
    converted, staged = conversion.convert(plain, operators), ag.function(plain)
    try:
        with time_limit():
            for given in some(arguments, 2, turn):
                for other in (converted, staged, staged):
                    one = _compared(plain, other, given, chained)
                    if one != SAME and not one.startswith("refused"):
                        return one
                    found = found if one == SAME else one
    except TimeLimitError:
        return TOO_LONG
    return found


def _compared(plain: Any, other: Any, given: Sequence[Any], chained: bool) -> str:
    file = plain.__code__.co_filename
    expected, _ = ended(plain, given, file, chained)
    found, error = ended(other, given, file, chained)
    if found == expected:
        return SAME
    if isinstance(error, Exception) and is_refusal(error):
        return f"refused: {error}"
    return f"{found} for {expected}"
