"""Comparing calls of a program, one after another, with those of its staged form in a like world.

Comes in: the text of a program, and a class that makes what is outside of it and tells what calls
leave there. Goes out: the first call that differs in what it returns and leaves behind, prints,
warns of or raises.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable
from contextlib import redirect_stdout
from typing import Any, Protocol, TypeVar

import autograph as ag
from tests.random_programs.comparing import compiled, difference
from tests.random_programs.limits import SAME, TOO_LONG, TimeLimitError, time_limit

C = TypeVar("C")


class World(Protocol[C]):
    """What a program finds outside of itself: a module's names and objects of its own."""

    def __init__(self, space: dict[str, Any]) -> None:
        """Make the objects by the classes of a module."""

    def given(self, call: C, number: int) -> list[Any]:
        """Return the arguments of a call, after what somebody else does before it."""

    def left(self, given: list[Any], found: Any) -> Any:
        """Return what a call returned, None if it raised, and what can be seen after it."""


def compare_worlds(
    text: str, name: str, world: type[World[C]], calls: Iterable[C], falls_back: bool
) -> str:
    """Compare calls of a program; unless it `falls_back`, one that runs as plain Python is refused.

    If it does not, each call of every second program is traced.
    """
    plain, other = compiled(text, f"{name}, plain"), compiled(text, f"{name}, staged")
    staged = ag.function(other)
    staged._fallback.is_off = not falls_back and len(text) % 2 == 0
    sides = [(f, world(g.__globals__)) for f, g in ((plain, plain), (staged, other))]
    try:
        for number, call in enumerate(calls):
            expected, found = (_called(*side, call, number, falls_back) for side in sides)
            finding = difference(expected, found)
            if finding != SAME:
                return finding if finding.startswith("refused") else f"call {call}: {finding}"
    except TimeLimitError:
        return TOO_LONG
    return SAME


def _called(
    function: Any, world: World[C], call: C, number: int, falls_back: bool
) -> tuple[Any, Exception | None]:
    given = world.given(call, number)
    found, error = None, None
    with warnings.catch_warnings(record=True) as log, redirect_stdout(io.StringIO()) as printed:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore" if falls_back else "error", ag.FallbackWarning)
        try:
            with time_limit():
                found = function(*given)
        except Exception as raised:
            error = raised
    warned = sorted({str(x.message) for x in log})
    return (world.left(given, found), printed.getvalue(), warned), error
