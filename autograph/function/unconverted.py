"""Why the code that asked for the truth of a staged value was not converted, and what to write.

Comes in: the error, with its traceback. Goes out: the same error with the reason in its message.
"""

from __future__ import annotations

import dis
import inspect
from types import CodeType, FrameType, SimpleNamespace, TracebackType

from autograph import operators
from autograph.operators.calls.call import UNCONVERTED
from autograph.source.build import is_converted
from runtime.errors import StagedBoolError
from runtime.graph.location import Location, entries, error_location

_SEES_FRAME = ("locals", "vars", "dir", "eval", "exec")
_OWN_FUNCTION = "Put the computation into a function of its own and call that"
_CONDITION = (
    "a condition stays Python in a `finally` that it leaves by a jump, and more than fifty "
    "statements deep. Jump after the `finally`, or put what is inside into a function of its own"
)
_INNER = ("<listcomp>", "<setcomp>", "<dictcomp>")
_KINDS = (
    (inspect.CO_ASYNC_GENERATOR | inspect.CO_COROUTINE, "an async function", _OWN_FUNCTION),
    (
        inspect.CO_GENERATOR,
        "a generator, and what takes its steps is no loop of converted code",
        "Go over it by a `for` loop, or by list(), sum(), enumerate() and the like; for next(), "
        "send(), set(), dict() or join() write a loop",
    ),
)


_BINDS = "a lambda that binds a name by `:=` is left as Python. Write it as a function, with `def`"


def explain_unconverted(error: StagedBoolError) -> None:
    """Let an error say why the innermost code of the user's was left as Python."""
    steps = list(entries(error.__traceback__))
    found = [_could_not(step.tb_frame) for step in steps if step.tb_frame.f_code in UNCONVERTED]
    place = error_location(error)
    asking = [step for step in steps if place is not None and _stands_at(step, place)]
    reason = found[-1] if found else None
    if asking and reason is None:
        reason = _reason(asking[-1].tb_frame) or _condition(asking[-1])
    if reason is not None:
        question = str(error).partition(". ")[0]
        error.args = (f"{question}: {reason}",)


def _stands_at(step: TracebackType, place: Location) -> bool:
    return (step.tb_frame.f_code.co_filename, step.tb_lineno) == (place.file, place.line)


def _condition(step: TracebackType) -> str | None:
    """Say why a converted function has an `if` or `while` that was left as it is."""
    code = step.tb_frame.f_code
    parts = (part for part in dis.get_instructions(code) if part.offset == step.tb_lasti)
    asks = (
        part.opname.startswith(("POP_JUMP", "TO_BOOL")) or "bool(" in part.argrepr for part in parts
    )
    is_jump = next(asks, False)
    return _CONDITION if is_jump and is_converted(SimpleNamespace(__code__=code)) else None


def _is_converted(frame: FrameType) -> bool:
    return any(frame.f_locals.get(name) is operators for name in frame.f_code.co_freevars)


def _could_not(frame: FrameType) -> str:
    return f"{frame.f_code.co_name} could not be converted:\n{UNCONVERTED[frame.f_code]}"


def _reason(frame: FrameType) -> str | None:
    code = frame.f_code
    if code.co_name == "<lambda>" and len(code.co_varnames) > code.co_argcount:
        return _BINDS
    if _is_converted(frame) or code.co_name in ("<genexpr>", "<lambda>"):
        return None
    if frame.f_back is not None and (code.co_filename == "<string>" or code.co_name in _INNER):
        return _reason(frame.f_back)
    for flag, kind, advice in _KINDS:
        if code.co_flags & flag:
            return f"{code.co_name} was left as Python because it is {kind}. {advice}"
    if not code.co_flags & inspect.CO_NEWLOCALS and code.co_name != "<module>":
        return (
            f"the body of the class {code.co_name} runs as Python. Compute the value before the "
            "class, with `if` or `while` there, and use it in the body"
        )
    return _frame_reason(code)


def _frame_reason(code: CodeType) -> str | None:
    """Say what in a function sees the variables of its frame."""
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        line = getattr(instruction, "line_number", instruction.starts_line) or line
        if not instruction.opname.startswith(("LOAD_GLOBAL", "LOAD_NAME")):
            continue
        name = instruction.argval
        if name in _SEES_FRAME or name == "UnboundLocalError":
            what = f"{name}()" if name in _SEES_FRAME else f"except {name}"
            return (
                f"{code.co_name} was left as Python because of `{what}` in line {line}, which "
                f"would see other variables in converted code. {_OWN_FUNCTION}"
            )
    return None
