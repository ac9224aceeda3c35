"""Errors of the library's own code, told from those of the program that it stages.

Comes in: an exception that ends a trace. Goes out: whether an instruction of ours failed that asks
nothing of the program's values. Plain Python would not raise such a one: no handler of the program
sees it, no arm defers it, and it ends the trace as an `InternalError`.
"""

from __future__ import annotations

import dis
from types import FrameType

from autograph.conversion import original_of
from runtime.errors import InternalError

_OURS = ("autograph.", "runtime.")
_OWN = ("LOAD_", "STORE_", "DELETE_", "UNPACK_", "BINARY_SUBSCR", "BINARY_SLICE")
"""Instructions by which our code reads and writes what is its own. What a program asks of its
values is asked by calls: of `operator.getitem`, say."""


def is_internal(error: BaseException) -> bool:
    """Tell whether an error comes from an instruction of ours that does nothing for the program."""
    trace = error.__traceback__
    if trace is None or not isinstance(error, Exception):
        return False
    if isinstance(error, RecursionError | MemoryError | Warning):
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    return is_own(trace.tb_frame, trace.tb_lasti)


def is_own(frame: FrameType, instruction: int) -> bool:
    """Tell whether an instruction of a frame is ours and asks nothing for the program."""
    code, module = frame.f_code, frame.f_globals.get("__name__") or ""
    if not module.startswith(_OURS) or original_of(code) is not None:
        return False
    return dis.opname[code.co_code[instruction]].startswith(_OWN)


def internal_error(error: BaseException) -> InternalError:
    """Return the error that ends a trace in which an instruction of ours failed."""
    return InternalError(
        f"staging failed by a mistake of the library, not of the program: {type(error).__name__}: "
        f"{error}. Have this line run as plain Python (ag.do_not_convert), or write it in another "
        "way; AUTOGRAPH_FULL_TRACEBACK=1 shows what to report"
    )
