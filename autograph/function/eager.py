"""Whether staged functions run as plain Python: all of them, or single ones.

Then a call runs the user's own function, so that a debugger steps through the user's own lines.
"""

from __future__ import annotations

from runtime.kernels.calls import PAUSED


class Switch:
    """Which functions run eagerly.

    Attributes:
        is_used: whether any may: the short way of a call asks no more.
        for_all: whether all do.
    """

    __slots__ = ("for_all", "is_used")

    def __init__(self) -> None:
        self.is_used = False
        self.for_all = False


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
    PAUSED.value = eagerly
    SWITCH.is_used = SWITCH.is_used or eagerly


def functions_run_eagerly() -> bool:
    """Tell whether all staged functions run as plain Python.

    >>> functions_run_eagerly()
    False
    """
    return SWITCH.for_all
