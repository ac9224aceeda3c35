"""`breakpoint()` that stops when the graph runs."""

from __future__ import annotations

import os
import pdb
import sys
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from autograph.operators.calls.host_snapshot import Recording
from autograph.source.build import is_converted
from autograph.staging.region import UNDEFINED
from runtime import default_graph
from runtime.graph.location import is_ours


class _Hidden:
    """Stands for a value that may not be read."""

    def __repr__(self) -> str:
        return "<may be a view of an array that was written>"


def breakpoint_() -> None:
    """Stop in the debugger: here in plain Python, and in a staged function when its graph runs.

    There the debugger shows this line, and the variables of the function with the values that they
    have at that moment; it stops in each round of a staged loop, in order with what is printed.
    What it changes changes nothing. `sys.breakpointhook` and `PYTHONBREAKPOINT` decide, as for
    Python's `breakpoint()`, which in a staged function stops while it is traced.

    >>> import sys
    >>> hook, sys.breakpointhook = sys.breakpointhook, lambda: print("stopped")
    >>> breakpoint_()
    stopped
    >>> sys.breakpointhook = hook
    """
    frame = sys._getframe(1)
    code, line = frame.f_code, frame.f_lineno
    if default_graph.current() is not None:
        _stop_later(frame)
    elif sys.breakpointhook is sys.__breakpointhook__ and _is_usual():
        pdb.Pdb().set_trace(frame)
    else:
        _stop(code, line, frame.f_globals, dict(frame.f_locals))


def _is_usual() -> bool:
    return os.environ.get("PYTHONBREAKPOINT", "") in ("", "pdb.set_trace")


def _stop_later(frame: FrameType) -> None:
    recording = Recording(lambda leaf: leaf, _Hidden())
    rebuilds = {name: recording.add(value) for name, value in _variables(frame).items()}
    code, line, scope = frame.f_code, frame.f_lineno, frame.f_globals

    def stop(*values: Any) -> None:
        made = {name: rebuild(values) for name, rebuild in rebuilds.items()}
        _stop(code, line, scope, {k: v for k, v in made.items() if v is not UNDEFINED})

    recording.hand_over(stop)


def _stop(code: CodeType, line: int, scope: dict[str, Any], variables: dict[str, Any]) -> None:
    """Call the hook from a frame that looks like the user's: file, line, name and variables."""
    text = "\n" * (line - 1) + f"{_HOOK}()"
    made = compile(text, code.co_filename, "exec").replace(co_name=code.co_name)
    exec(made, {**scope, _HOOK: sys.breakpointhook}, variables)


_HOOK = "__autograph_breakpointhook__"


def _variables(frame: FrameType) -> dict[str, Any]:
    """Return the user's variables: of a function, and of the arms and rounds of it that run now."""
    found: dict[str, Any] = {}
    for one in _parts(frame):
        found = {**one.f_locals, **found}
    return {name: value for name, value in found.items() if not _is_made_by_us(value)}


def _parts(frame: FrameType) -> Iterator[FrameType]:
    """Yield the frames of one function of the user's, the innermost first."""
    name, one = _name(frame.f_code), frame
    while True:
        yield one
        outer = one.f_back
        while outer is not None and is_ours(outer.f_code.co_filename):
            outer = outer.f_back
        if outer is None or _name(outer.f_code) != name:
            return
        one = outer


def _name(code: CodeType) -> str:
    """Return the name that a function shares with the closures that were made of its parts."""
    return f"{code.co_filename} {getattr(code, 'co_qualname', code.co_name)}"


def _is_made_by_us(value: Any) -> bool:
    is_operators = isinstance(value, ModuleType) and value.__name__.startswith("autograph.")
    return is_operators or (isinstance(value, FunctionType) and is_converted(value))
