"""What an arm or a body raises while it is traced, raised when the graph runs it.

Comes in: an exception. Goes out: whether plain Python would raise it there as well, if the code ran
at all, and a node that does so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from autograph.conversion import original_of
from autograph.staging.context import caught_by, region_of, trace_of
from autograph.staging.internal_errors import is_internal
from runtime import default_graph, trees
from runtime.deferred_results import as_result
from runtime.dispatch import apply, as_value
from runtime.errors import (
    AxisError,
    DtypeError,
    LoopStateError,
    ShapeError,
    StagedValueError,
    UnsupportedDtypeError,
)
from runtime.graph.builder import Builder
from runtime.graph.location import PLACE, error_location, user_location
from runtime.graph.opdef import REGISTRY
from runtime.ops.effects import literal
from runtime.ops.exceptions import (
    REFUSAL,
    VALUE,
    ExceptionForm,
    Parts,
    is_builtin,
    mapped,
    parts_of,
)
from runtime.tensor import Symbol, is_staged
from runtime.texts import StagedText
from runtime.tree_classes import is_reference
from runtime.union import Choice, values_of


def is_of_the_program(builder: Builder, error: BaseException) -> bool:
    """Tell whether an error is one that the code would raise in plain Python, if it ran at all.

    What comes from the interpreter, or from staging, ends the tracing at once.
    """
    refuse_union(builder, error)
    if isinstance(error, KeyboardInterrupt | GeneratorExit) or is_of_tracing(builder, error):
        return False
    if isinstance(error, RecursionError):
        return not str(error).startswith("maximum recursion depth exceeded")
    is_likely = isinstance(error, Exception) and not isinstance(error, MemoryError | Warning)
    if is_likely or isinstance(error, SystemExit):
        return True
    is_staged_text = any(type(x) is StagedText for x in error.args)  # no interpreter makes one
    return is_staged_text or hasattr(error, PLACE) or _is_raised_by_the_program(error)


def refuse_union(builder: Builder, error: BaseException) -> None:
    """Raise StagedValueError for a `raise` of what is one of several exceptions."""
    may_be = type(error) is TypeError and trace_of(builder).choices and error.args
    text = error.args[0] if may_be else None
    if type(text) is str and text == "exceptions must derive from BaseException":
        place = error_location(error)
        where = f"\n{place.describe()}" if place is not None else ""
        raise StagedValueError(
            "what is raised here depends on a staged condition, so that it is one of several "
            f"exceptions; raise each in its branch of the condition{where}"
        ) from None


def _is_raised_by_the_program(error: BaseException) -> bool:
    """Tell whether converted code raised an error, not what it calls."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is None or original_of(trace.tb_frame.f_code) is not None


def _is_explained(builder: Builder, error: BaseException) -> bool:
    """Tell whether a variable is undefined because a graph cannot hold what it holds."""
    names = trace_of(builder).undefined
    return isinstance(error, NameError) and any(f"'{x}'" in str(error) for x in names)


def is_of_tracing(builder: Builder, error: BaseException) -> bool:
    """Tell whether an error is about staging, so that plain Python would not raise it."""
    if isinstance(error, DtypeError | ShapeError) and not isinstance(error, UnsupportedDtypeError):
        return False
    is_ours = hasattr(error, "is_located") or type(error).__module__.startswith(_OURS)
    texts = [x for x in (*error.args[:1], getattr(error, "text", None)) if type(x) is str]
    if error.__traceback__ is not None:  # one that the graph raises has none
        is_ours = is_ours or any(_MARKERS.search(x) or PLACEHOLDERS.search(x) for x in texts)
    return is_ours or is_internal(error) or _is_explained(builder, error)


def names_placeholders(error: BaseException) -> bool:
    """Tell whether an error that escapes is of code that took for a value what stands for it."""
    found = (x for x in error.args if type(x) is str)
    return any(PLACEHOLDERS.search(x) or _CLASSES.search(x) for x in found)


PLACEHOLDERS = re.compile(r"<staged |<one of .* or ")
"""What `repr` shows of what stands for a value."""
_MARKERS = re.compile("'Marker' object has no attribute|changed size during iteration$")
"""What Python says where code that knows no staged containers met what stands in one, or goes over
one that has become one."""
_CLASSES = re.compile(r"\b(Symbol|StagedText|Choice|Opaque|Marker)\b")
_OURS = ("runtime.", "autograph.")


def is_caught(builder: Builder, error: BaseException) -> bool:
    """Tell whether a `try` around what is being built catches an error of the program."""
    catcher = region_of(builder).catcher
    return catcher is not None and is_of_the_program(builder, error) and catcher.catches(error)


def error_of_every_round(error: Exception) -> LoopStateError:
    """Return the error for a loop that a `try` around it catches the first round of."""
    return LoopStateError(
        f"the body of this staged loop raises {type(error).__name__} in every round, inside a "
        "`try` that catches it. Raise it under a condition that depends on the arrays, or catch it "
        "inside the loop"
    )


def fail_caught(error: BaseException) -> bool:
    """Leave the `try` that catches an error, if there is one, from here; tell whether it does."""
    builder = default_graph.current()
    assert builder is not None
    if not is_caught(builder, error):
        return False
    catcher = region_of(builder).catcher
    assert catcher is not None
    error = as_plain(error)
    operands, attrs = catcher.leave(builder, error, as_value(builder, False))
    builder.emit(REGISTRY["fail"], operands, attrs, location=error_location(error))
    return True


@contextmanager
def never_failing() -> Iterator[None]:
    """Emit ops that raise nothing, such as indices that exist.

    No `try` is left before them, and what was written by then need not be known.
    """
    builder = default_graph.current()
    assert builder is not None
    watcher, builder.watcher = builder.watcher, None
    try:
        with caught_by(builder, None):
            yield
    finally:
        builder.watcher = watcher


def emit_failure(error: BaseException) -> None:
    """Add a node that raises the error to the graph that is being built."""
    emit_check(False, as_plain(error))


def emit_check(test: Any, error: BaseException) -> None:
    """Add a node that raises an error unless a test is true."""
    builder = default_graph.current()
    assert builder is not None
    attrs, values = _described(builder, error)
    location = error_location(error)
    for row in _by_class(test, values):
        operands = [as_value(builder, operand) for operand in row]
        builder.emit(REGISTRY["check"], operands, attrs, location=location)


def _by_class(test: Any, values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield a test and the values for each class that the numbers among them may be of.

    The last one has the test itself, as all others were asked for before.
    """
    unions = (k for k, x in enumerate(values) if type(x) is Symbol and x.union is not None)
    k = next(unions, None)
    if k is None:
        yield test, *values
        return
    union = values[k].union
    *others, last = values_of(union)
    for number, one in enumerate(others):
        is_another = apply(REGISTRY["not_equal"], [union._which, number])
        passes = apply(REGISTRY["logical_or"], [test, is_another])
        yield from _by_class(passes, [*values[:k], one, *values[k + 1 :]])
    yield from _by_class(test, [*values[:k], last, *values[k + 1 :]])


def placed(error: BaseException) -> BaseException:
    """Return an exception that is raised nowhere while tracing, with the line that it is of."""
    setattr(error, PLACE, user_location())
    return error


def as_plain(error: BaseException) -> BaseException:
    """Return the exception that NumPy raises where the runtime raises one of its own."""
    if isinstance(error, AxisError):
        known = (error.axis, error.ndim, None) if error.axis is not None else error.args
        found: Exception = np.exceptions.AxisError(*known)
    elif isinstance(error, DtypeError | ShapeError):
        text = error.plain_text if error.plain_text is not None else str(error)
        found = (TypeError if isinstance(error, DtypeError) else ValueError)(text)
    else:
        return error
    setattr(found, PLACE, error_location(error))
    return found


def _described(builder: Builder, error: BaseException) -> tuple[dict[str, Any], Sequence[Any]]:
    """Return the attributes of a check that raises an error, and the values in it."""
    parts = parts_of(error, end=trace_of(builder).handled)
    text = parts.args[0] if len(parts.args) == 1 else ""
    is_chained = parts.cause is not None or parts.context is not None or parts.suppresses
    is_named = is_builtin(parts.kind.__name__) and parts.kind.__module__ == "builtins"
    if is_named or parts.kind is REFUSAL:
        if type(text) is StagedText and not (is_chained or parts.members):
            return {"error": parts.kind.__name__, "message": text.form}, text.values
        is_bare = type(text) is str and bool(text) == bool(parts.args)
        if is_bare and not (is_chained or parts.members):
            return {"error": parts.kind.__name__, "message": literal(text)}, ()
    leaves, structure = trees.flatten_to(parts, _is_known)
    for cls in _references(structure):
        raise StagedValueError(
            f"an exception holds an object of the class {cls.__name__}, which is made here and is "
            "none of Python's until the graph runs. Give it what the object holds"
        )
    values = [x for x in leaves if is_staged(x)]
    known = [VALUE if is_staged(x) else x for x in leaves]
    form = ExceptionForm(structure, as_result(structure), known)
    return {"error": form, "message": ""}, values


def _is_known(value: Any) -> bool:
    """Tell whether a part of an exception is what it is already, and keeps its identity."""
    return type(value) is not Parts and not _holds_staged(value)


def _holds_staged(value: Any) -> bool:
    if type(value) in (StagedText, Choice):
        return True
    leaves, structure = trees.flatten(value)
    return any(map(is_staged, leaves)) or any(_references(structure))


def _references(structure: trees.Structure) -> Iterator[type]:
    """Yield the classes of the objects in a structure that stand for others."""
    for entry in structure.entries:
        if entry is not None and entry[0] is Choice:
            for option in entry[1]:
                yield from _references(option.structure)
        elif entry is not None and is_reference(entry[0]):
            yield entry[0]


def unreached(builder: Builder, error: BaseException) -> BaseException:
    """Return what ends the tracing where the graph has raised an exception, which has its values.

    It is of that class, and has no value of a region that has ended.
    """
    return _without_values(parts_of(error, error_location(error), trace_of(builder).handled)).made()


def _without_values(parts: Parts) -> Parts:
    inner = mapped(parts.args, Parts, _without_values)
    args = tuple("" if _holds_staged(x) else x for x in inner)
    members = {name: x for name, x in parts.members.items() if not _holds_staged(x)}
    return replace(parts, args=args, members=members, cause=None, context=None)


def holds_staged(builder: Builder, error: BaseException) -> bool:
    """Tell whether an exception has arguments or attributes that the graph computes."""
    return _holds_staged(parts_of(error, end=trace_of(builder).handled))
