"""Whether staged functions run as plain Python: all of them, or single ones.

Then a call runs the user's own function, so that a debugger steps through the user's own lines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from runtime import default_graph, kernels
from runtime.active_tapes import RECORDERS
from runtime.forks import Lock

Entry: TypeAlias = Callable[..., Any]

_LOCK = Lock()


class Switch:
    """Which functions run eagerly.

    Attributes:
        is_used: whether any may: the short way of a call asks no more.
        for_all: whether all do.
        tapes: how many tapes look on; then no call is native.
        seen: what each trace that runs is given to, if anything; then no call is native.
    """

    __slots__ = ("for_all", "is_used", "seen", "tapes")

    def __init__(self) -> None:
        self.is_used = False
        self.for_all = False
        self.tapes = 0
        self.seen: Callable[[Any], None] | None = None

    def entry(self, is_eager: bool, short: Entry, eager: Entry, slow: Entry) -> Entry:
        """Return which of its entries a function is called by; tapes are told by the slow one."""
        if default_graph.current() is not None:
            return short
        if self.for_all or is_eager:
            return eager
        return slow if RECORDERS.active or self.seen is not None else short

    def tape(self, more: int) -> None:
        """Count one more tape that looks on, or one less."""
        with _LOCK:
            self.tapes += more
            self.settle()

    def watch(self, seen: Callable[[Any], None] | None) -> None:
        """Let each trace that runs from now on be given to a function; None for no more."""
        with _LOCK:
            self.seen = seen
            self.settle()

    def settle(self) -> None:
        """Have native calls stand back, or not."""
        stands_back = self.for_all or self.tapes > 0 or self.seen is not None
        self.is_used = self.is_used or stands_back
        kernels.calls.PAUSED.value = stands_back


SWITCH = Switch()


def run_functions_eagerly(eagerly: bool) -> None:
    """Let all staged functions run as plain Python, or as graphs again.

    Nothing is traced or compiled by calls then; `get_concrete_function`, `graph` and `plan` trace
    as ever. A single function runs eagerly with `f.run_eagerly = True`.

    >>> import autograph as ag
    >>> ag.run_functions_eagerly(True)
    >>> ag.functions_run_eagerly()
    True
    >>> ag.run_functions_eagerly(False)
    """
    if not isinstance(eagerly, bool):
        raise TypeError(f"run_functions_eagerly takes True or False, not {eagerly!r}")
    SWITCH.for_all = eagerly
    SWITCH.settle()


def functions_run_eagerly() -> bool:
    """Tell whether all staged functions run as plain Python.

    >>> functions_run_eagerly()
    False
    """
    return SWITCH.for_all
