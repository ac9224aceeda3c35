"""Who waits for variables: those are told whenever a layer or an optimiser has made some.

A checkpoint may be restored before the variables are there that it is of. What they held then is
kept until they come.
"""

from __future__ import annotations

from collections.abc import Callable

from autograph.operators.calls.converting import do_not_convert

_WAITING: list[Callable[[], bool]] = []


def wait(told: Callable[[], bool]) -> None:
    """Have a function called when variables were made, until it returns that all is there."""
    if told not in _WAITING:
        _WAITING.append(told)


@do_not_convert
def variables_were_made() -> None:
    """Tell all who wait."""
    _WAITING[:] = [told for told in _WAITING if not told()]


def is_awaited() -> bool:
    """Tell whether anyone waits."""
    return bool(_WAITING)
