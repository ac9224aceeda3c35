"""What the library says of its own work, by Python's `logging`.

Everything goes to the logger `autograph`. `set_verbosity`, or `AUTOGRAPH_VERBOSITY` in the
environment, says how much: 0 nothing, 1 what is converted and traced, 2 also what is left as it is
and why, 3 and more also the converted code.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO

VARIABLE = "AUTOGRAPH_VERBOSITY"
MOST = 10
LOGGER = logging.getLogger("autograph")


class _Verbosity:
    level = 0
    handler: logging.Handler | None = None


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Say how much the library tells of what it converts.

    Messages go to the logger `autograph` of Python's `logging`, as INFO.

    Args:
        level: from 0, nothing, to 10, everything.
        alsologtostdout: whether they are printed, too.

    Raises:
        ValueError: the level is no number from 0 to 10.

    >>> set_verbosity(11)
    Traceback (most recent call last):
    ValueError: the verbosity is a number from 0 to 10, not 11
    """
    if level not in range(MOST + 1):
        raise ValueError(f"the verbosity is a number from 0 to {MOST}, not {level!r}")
    _Verbosity.level = level
    LOGGER.setLevel(logging.INFO if level else logging.NOTSET)
    _print_to(sys.stdout if alsologtostdout else None)


def _print_to(stream: TextIO | None) -> None:
    if _Verbosity.handler is not None:
        LOGGER.removeHandler(_Verbosity.handler)
    _Verbosity.handler = logging.StreamHandler(stream) if stream is not None else None
    if _Verbosity.handler is not None:
        LOGGER.addHandler(_Verbosity.handler)


def log(level: int, message: Callable[[], str]) -> None:
    """Log a message, made only if the verbosity is at least `level`."""
    if _Verbosity.level >= level:
        LOGGER.info("%s", message())


def start() -> None:
    """Begin with the verbosity that the environment asks for; messages go to the standard error.

    Raises:
        ValueError: it is no number from 0 to 10.
    """
    wanted = os.environ.get(VARIABLE, "")
    if not wanted:
        return
    if not wanted.isdecimal() or int(wanted) > MOST:
        raise ValueError(f"{VARIABLE} is a number from 0 to {MOST}, not {wanted!r}")
    set_verbosity(int(wanted))
    _print_to(sys.stderr if int(wanted) else None)


def trace(*values: Any) -> None:
    """Print values at once: in a staged function while it is traced, not when its graph runs.

    >>> trace("tracing with", 3)
    tracing with 3
    """
    sys.stdout.write(" ".join(map(str, values)) + "\n")


start()
