"""What a traceback shows: the user's frames, and none of this library's.

Comes in: an exception that is about to leave the library. Goes out: the same exception. Only the
tracebacks of it, and of its causes and contexts, are changed: our frames are left out, and where a
compiled graph ran, the user's own line takes the place of the driver's.

An entry that stands there, although nothing of the user's runs, is made the way of Jinja2's debug
module: by a `raise` that was compiled under the other file name and line.

Warnings, too, show the user's line, where NumPy or this library warns in a line that is none of it.
What a program warns of while it is traced is shown when the graph runs, in the branches that it
takes. And what a public face exports is behind a door (`pruned`): its functions, and the methods of
its classes, in place. The library's own modules import a function from where it is defined.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import ctypes
import functools
import linecache
import os
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from runtime.graph.location import PLACE, Location, Span, entries, is_ours, location_in

if TYPE_CHECKING:
    from runtime.lower.driver import Driver


import warnings
from functools import cache

from runtime.graph.location import is_internal
from runtime.staged_warnings import is_staged
from runtime.tensor import Readable, Symbol, Tensor, TensorLike

P = ParamSpec("P")
R = TypeVar("R")

_GROUP = getattr(builtins, "BaseExceptionGroup", ())
_HELPERS = frozenset({contextlib.__file__, functools.__file__})

VARIABLE = "AUTOGRAPH_FULL_TRACEBACK"
"""The environment variable that shows all frames, for a whole run of Python."""
DRIVER = "__driver__"
"""The global variable of the code of a driver that tells where its lines come from."""


class _Shown:
    internal = os.environ.get(VARIABLE, "0") not in ("", "0")


def show_internal_frames(show: bool = True) -> None:
    """Show all frames in tracebacks, those of this library too; or the user's only, as by default.

    The environment variable `AUTOGRAPH_FULL_TRACEBACK=1` does the same from the start. What else
    an exception says does not depend on it.

    >>> show_internal_frames(True)
    >>> show_internal_frames(False)
    """
    if not isinstance(show, bool):
        raise TypeError(f"show_internal_frames(show): show is True or False, not {show!r}")
    _Shown.internal = show


def prune(error: BaseException) -> None:
    """Leave out our frames from the tracebacks of an exception, its causes and contexts.

    To be called where the exception is handled, before a bare `raise`, which then adds no frame.
    """
    for part in _related(error):
        _place(part)
        before = list(entries(part.__traceback__))
        ours = _ours([entry.tb_frame.f_code.co_filename for entry in before])
        after = [x for entry, own in zip(before, ours, strict=True) for x in _shown(entry, own)]
        if before != after:
            part.__traceback__ = _chain(after)
    if sys.version_info < (3, 11):
        _raise_again_with(error)


def _place(error: BaseException) -> None:
    """Let an exception that a graph raised nowhere, a cause or a context, show the user's line."""
    place = vars(error).pop(PLACE, None)
    if place is not None and error.__traceback__ is None:
        error.__traceback__ = entry_at(place)


def pruned(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function whose exceptions show the user's frames only.

    It has the global variables of the other, as what looks for examples in docstrings expects.
    """
    trim = prune

    def door(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            trim(error)
            raise

    names = getattr(function, "__globals__", globals())
    made = FunctionType(door.__code__, names, door.__name__, None, door.__closure__)
    return functools.update_wrapper(made, function)


def _related(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception, its causes and contexts, and those inside of groups, each once."""
    waiting, seen = [error], {id(error)}
    while waiting:
        part = waiting.pop()
        yield part
        for other in (part.__cause__, part.__context__, *_members(part)):
            if other is not None and id(other) not in seen:
                seen.add(id(other))
                waiting.append(other)


def _members(error: BaseException) -> tuple[BaseException, ...]:
    found: tuple[BaseException, ...] = getattr(error, "exceptions", ())
    return found if isinstance(error, _GROUP) else ()


def _ours(files: list[str]) -> list[bool]:
    """Tell of each frame whether it is ours, or of `functools` or `contextlib` between ours."""
    ours = [is_ours(file) for file in files]
    inside = zip(ours, files[1:], ours[2:], strict=False)
    between = [before and after and file in _HELPERS for before, file, after in inside]
    return [own or helps for own, helps in zip(ours, [False, *between, False], strict=False)]


def _shown(entry: TracebackType, own: bool) -> Iterator[TracebackType]:
    """Yield what is shown for an entry of a traceback: itself, the user's line, both or nothing."""
    if _Shown.internal and is_made(entry):  # its driver's entry is still there, and gives it anew
        return
    if _Shown.internal or not own:
        yield entry
    location = location_of(entry.tb_frame, entry.tb_lineno, entry.tb_lasti)
    if location is not None:
        yield entry_at(location)


def location_of(frame: FrameType, line: int, offset: int) -> Location | None:
    """Return what part of the user's program an instruction of a driver stands for."""
    driver: Driver | None = frame.f_globals.get(DRIVER)
    if driver is None:
        return None
    here = location_in(frame.f_code, line, offset)
    text = driver.source.splitlines()[here.line - 1]
    span = here.span
    operation = "" if span is None else text.encode()[span.column : span.end_column].decode()
    return driver.locate(here.line, operation)


def _chain(entries: list[TracebackType]) -> TracebackType | None:
    following: TracebackType | None = None
    for entry in reversed(entries):
        following = TracebackType(following, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return following


def _raise_again_with(error: BaseException) -> None:
    """Make a bare `raise` use the new traceback: before Python 3.11 it has one of its own."""
    trace = error.__traceback__
    parts: list[ctypes.py_object[Any]] = [ctypes.py_object(x) for x in (type(error), error)]
    parts.append(ctypes.py_object() if trace is None else ctypes.py_object(trace))
    for part in parts:  # the next call keeps a reference to each
        ctypes.pythonapi.Py_IncRef(part)
    ctypes.pythonapi.PyErr_SetExcInfo(*parts)


def entry_at(location: Location) -> TracebackType:
    """Return a traceback entry that stands at a line of the user's program."""
    try:
        exec(_raiser(location), {"_MarkerError": _MarkerError})
    except _MarkerError as error:
        trace = error.__traceback__
        assert trace is not None
        assert trace.tb_next is not None
        return trace.tb_next
    raise AssertionError("a compiled `raise` raised nothing")


def is_made(entry: TracebackType) -> bool:
    """Tell whether a traceback entry was made by `entry_at`."""
    return "_MarkerError" in entry.tb_frame.f_globals


class _MarkerError(Exception):
    """Is raised to get a traceback."""


def _raiser(location: Location) -> CodeType:
    """Compile a `raise` that stands at a location."""
    tree = ast.parse("raise _MarkerError")
    span = location.span or _whole_line(location)
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt):
            node.lineno, node.end_lineno, node.col_offset, node.end_col_offset = span
    code = compile(tree, location.file, "exec")
    code = code.replace(co_name=location.function)
    if sys.version_info >= (3, 11) and location.qualname:
        code = code.replace(co_qualname=location.qualname)
    return code


def _whole_line(location: Location) -> Span:
    text = linecache.getline(location.file, location.line).rstrip()
    start = len(text) - len(text.lstrip())
    return Span(location.line, location.line, start, len(text.encode()))


_HOOK = "_showwarnmsg"
"""What `warnings` calls for each warning that no filter drops; there to be replaced, it says."""


@cache
def place_warnings() -> None:
    """Have warnings of lines that are not the user's show the user's line from now on."""
    shown: Callable[[warnings.WarningMessage], None] = getattr(warnings, _HOOK)

    def show(message: Any) -> None:
        if is_ours(message.filename):
            place = _place_in(sys._getframe(1))
            if place is not None:
                message.filename, message.lineno = place.file, place.line
        if not is_staged(message):
            shown(message)

    setattr(warnings, _HOOK, show)


def _place_in(frame: FrameType | None) -> Location | None:
    """Return the innermost line of the user's that is run, or that a graph stands for."""
    while frame is not None:
        found = location_of(frame, frame.f_lineno, frame.f_lasti)
        if found is not None:
            return found
        if not is_internal(frame.f_code.co_filename):
            return location_in(frame.f_code, frame.f_lineno, frame.f_lasti)
        frame = frame.f_back
    return None


Exported = TypeVar("Exported")

_DOOR = pruned(pruned).__code__
_INTERNAL: set[type] = {object, TensorLike, Tensor, Symbol, Readable}
"""Classes whose methods stay as they are, since the library calls them itself all the time."""


def export(face: str, *but: str) -> None:
    """Put doors before what a module exports.

    Args:
        face: the module's name.
        but: names that stay as they are, such as those of functions that look at their caller.
    """
    names = vars(sys.modules[face])
    for name in names["__all__"]:
        if name in names and name not in but:
            names[name] = exported(face, name, names[name])


def exported(face: str, name: str, value: Exported) -> Exported:
    """Return what a face exports: a function behind a door, or a class whose methods are."""
    if isinstance(value, FunctionType):
        return _door(value, face, name)  # type: ignore[return-value]
    if isinstance(value, type) and not issubclass(value, BaseException):
        for owner in (*type(value).__mro__, *value.__mro__):
            if owner not in _INTERNAL and _is_of_ours(owner):
                _INTERNAL.add(owner)
                _put_doors(owner)
    return value


def _is_of_ours(owner: type) -> bool:
    return is_ours(getattr(sys.modules.get(owner.__module__), "__file__", None) or "")


def _put_doors(owner: type) -> None:
    """Put doors before the constructor of a class, and before its public methods."""
    makes = "__call__" if issubclass(owner, type) else "__init__"
    for name, value in list(vars(owner).items()):
        if name.startswith("_") and name != makes:
            continue
        if isinstance(value, staticmethod | classmethod):
            setattr(owner, name, type(value)(_door(value.__func__)))
        elif isinstance(value, FunctionType):
            setattr(owner, name, _door(value))


def _door(function: Callable[..., Any], face: str = "", name: str = "") -> Callable[..., Any]:
    """Return a function behind a door, which belongs to a face where one is given."""
    if not isinstance(function, FunctionType) or function.__code__ is _DOOR:
        return function
    door = pruned(function)
    if face:
        door.__module__, door.__qualname__ = face, name
    return door
