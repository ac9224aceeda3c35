"""What programs of all families may end with, and how much time and how many forms they get."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from runtime import default_graph

T = TypeVar("T")

SAME = "same"
TOO_LONG = "too long"
SECONDS = 15.0


class TimeLimitError(BaseException):
    """A program ran for too long; no `except Exception` of the program catches it."""


@contextmanager
def time_limit(seconds: float = SECONDS) -> Iterator[None]:
    """Raise TimeLimitError in what computes for longer, again and again until it ends.

    It is the processor's time that counts: other work on the machine makes no program too long.
    A trace that is interrupted just where it ends may stay open; it is closed here.
    """

    def stop(*_: object) -> None:
        raise TimeLimitError

    builder = default_graph._MODE.builder
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        default_graph._MODE.builder = builder


def some(choices: Sequence[T], count: int, turn: int | None) -> list[T]:
    """Return so many of the choices, others at another turn; all of them if there is no turn."""
    if turn is None:
        return list(choices)
    return [choices[(turn + k) % len(choices)] for k in range(count)]
