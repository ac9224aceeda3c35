"""Errors of the runtime.

Comes in: what went wrong, in the words of the person who wrote the program. Goes out: exception
classes. Each class also is the exception that plain Python or NumPy raises for the same mistake, so
that code which catches that one keeps working.
"""

from __future__ import annotations

import difflib
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

E = TypeVar("E", bound=BaseException)

_UNBOUND_LOCAL = (
    "cannot access local variable '{}' where it is not associated with a value"
    if sys.version_info >= (3, 11)
    else "local variable '{}' referenced before assignment"
)


def unbound_local_text(name: str) -> str:
    """Return what this Python's UnboundLocalError says of a variable."""
    return _UNBOUND_LOCAL.format(name)


_SAYS_THE_SAME = "__autograph_exact__"


def exact(error: E) -> E:
    """Return an error that is raised in the place of plain Python's, and says the same."""
    vars(error)[_SAYS_THE_SAME] = True
    return error


def is_exact(error: BaseException) -> bool:
    """Tell whether an error is one of `exact`."""
    return _SAYS_THE_SAME in vars(error)


class TracingWarning(UserWarning):
    """What is traced is probably not meant: said while tracing, not when the graph runs."""


class AttributeName(str):
    """What messages call an attribute that may be absent.

    Args:
        text: the way to it.
        owner: the name of the class of its object.
        attribute: its own name.
    """

    __slots__ = ("attribute", "owner")

    def __new__(cls, text: str, owner: str, attribute: str) -> AttributeName:
        name = super().__new__(cls, text)
        name.owner, name.attribute = owner, attribute
        return name

    owner: str
    attribute: str


def absence(name: str) -> tuple[str, str]:
    """Return the name and the text of Python's error where a value is missing."""
    if isinstance(name, AttributeName):
        return "AttributeError", f"{name.owner!r} object has no attribute {name.attribute!r}"
    return "UnboundLocalError", unbound_local_text(name)


def absence_error(name: str) -> AttributeError | UnboundLocalError:
    """Return Python's error where a value is missing."""
    text = absence(name)[1]
    return AttributeError(text) if isinstance(name, AttributeName) else UnboundLocalError(text)


class Notes:
    """The exceptions about staging that are made in a block, which are held by nobody else.

    Args:
        is_swallowed: tells whether one whose last holder lets it go is to be kept.

    Attributes:
        kept: those.
    """

    def __init__(self, is_swallowed: Callable[[BaseException], bool]) -> None:
        self.kept: list[BaseException] = []
        self.around = _NOTING.notes
        self._is_swallowed = is_swallowed
        self._made: dict[int, weakref.ref[BaseException]] = {}

    def add(self, error: BaseException) -> None:
        """Note an exception that is made."""
        self._made[id(error)] = weakref.ref(error)

    def end(self, error: BaseException) -> None:
        """Keep an exception that nobody holds any longer, if it was swallowed."""
        if self._made.pop(id(error), None) is not None and self._is_swallowed(error):
            self.kept.append(error)
        elif self.around is not None:
            self.around.end(error)

    def swallowed(self) -> list[BaseException]:
        """Return what was swallowed, held by somebody or not."""
        held = [error for made in self._made.values() if (error := made()) is not None]
        return [*self.kept, *filter(self._is_swallowed, held)]


class _Noting(threading.local):
    notes: Notes | None = None


_NOTING = _Noting()


@contextmanager
def noting(is_swallowed: Callable[[BaseException], bool]) -> Iterator[Notes]:
    """Note the exceptions about staging that are made in a `with` block."""
    before = _NOTING.notes
    _NOTING.notes = notes = Notes(is_swallowed)
    try:
        yield notes
    except BaseException as error:
        if before is not None and isinstance(error, Noted):
            before.add(error)  # what is traced around this may swallow it, too
        raise
    finally:
        _NOTING.notes = before


class Noted(BaseException):
    """Base of exceptions about staging: each is noted when it is made."""

    def __new__(cls: type[E], *args: Any, **kwargs: Any) -> E:
        error: E = super().__new__(cls, *args, **kwargs)  # type: ignore[misc]
        if _NOTING.notes is not None:
            _NOTING.notes.add(error)
        return error

    def __del__(self) -> None:
        if _NOTING.notes is not None:
            _NOTING.notes.end(self)


class RuntimeGraphError(Noted, Exception):
    """Base of every error that the runtime raises on its own account.

    `is_located` tells whether the message already names the user's line; `plain_text` is what it
    says before operands and line were added, as NumPy does.
    """

    is_located = False
    plain_text: str | None = None


class ShapeError(RuntimeGraphError, ValueError):
    """Shapes do not fit together (NumPy: ValueError)."""


class SignatureError(ShapeError, TypeError):
    """An argument has another shape than a signature says."""


class AxisError(ShapeError, np.exceptions.AxisError):
    """There is no such axis (NumPy: AxisError, which is a ValueError and an IndexError).

    Args:
        message: what is wrong.
        axis, ndim: what was asked for, and of how many.
    """

    def __init__(self, message: str, axis: int | None = None, ndim: int | None = None) -> None:
        super().__init__(message)
        self.axis = axis
        self.ndim = ndim

    def __str__(self) -> str:
        return str(self.args[0])


class DtypeError(RuntimeGraphError, TypeError):
    """A dtype is not supported, or an operation is not defined for it (NumPy: TypeError)."""


class UnsupportedDtypeError(DtypeError):
    """A dtype is one of NumPy's, and none of a graph's."""


class StagedValueError(RuntimeGraphError, TypeError):
    """A staged value was used where Python needs a value that is known now."""


class StagedIndexError(StagedValueError):
    """A staged value was used where Python needs an integer that is known now, such as an index."""


class StagedKeyError(StagedIndexError, TypeError):
    """A staged value was used where Python needs a key that is known now."""


class StagedLengthError(StagedValueError):
    """How many items there are is staged, and Python goes over them one by one now."""


class StagedBoolError(StagedValueError, ValueError):
    """The truth of a staged value was asked for outside of converted code."""


class LeakedSymbolError(RuntimeGraphError, RuntimeError):
    """A staged value was used after the graph that it belongs to was finished."""


class BranchMismatchError(RuntimeGraphError, TypeError, ValueError):
    """The two arms of a staged branch leave values that cannot be joined."""


class CallMismatchError(RuntimeGraphError, TypeError, ValueError):
    """A function that calls itself takes or returns what no one type of the graph holds."""


class LoopStateError(RuntimeGraphError, TypeError, ValueError):
    """A variable of a staged loop changes in a way that one loop state cannot hold."""


class LateStagingError(RuntimeGraphError, TypeError, NotImplementedError):
    """What ends a loop of Python's became staged after its first rounds, in a strict function."""


class MutationError(RuntimeGraphError, TypeError):
    """A write cannot be staged with the meaning that NumPy gives it."""


class DerivativeError(RuntimeGraphError, TypeError):
    """Something is to be differentiated that has no derivative."""


class OverlapError(MutationError):
    """An array that a graph writes shares memory with another that it is given."""


class StructureError(RuntimeGraphError, ValueError):
    """Containers around values do not have the structure that is needed."""


class StructureChangedError(StructureError):
    """What was a tree when it was taken apart is none now."""


class GraphFormatError(RuntimeGraphError, ValueError):
    """A graph is malformed, or the text of a graph cannot be read."""


class InternalError(RuntimeGraphError, RuntimeError):
    """The library failed where plain Python would not; its cause says how."""


class BackendError(RuntimeGraphError, RuntimeError):
    """A backend was asked for that is not available here."""


class MixedArraysError(BackendError, TypeError):
    """Arrays of several libraries were given to one graph, or to another one than theirs."""


def not_an_operand(value: object) -> DtypeError:
    """Return the error of a value where an array is needed."""
    return DtypeError(f"{value!r} ({type(value).__name__}) is not an array or a number")


def missing_attribute(value: object, name: str) -> AttributeError:
    """Return the error for an attribute that a staged value does not have."""
    if name.startswith("_"):  # protocols that are asked for, and slots that are not set yet
        return AttributeError(f"a staged value has no attribute {name!r}")
    error = AttributeError(
        f"{value!r} has no attribute {name!r}: {_advice_on(name)}", name=name, obj=value
    )
    vars(error)["is_located"] = False
    return error


def _advice_on(name: str) -> str:
    """Return what to do about an attribute that staged values do not have."""
    if hasattr(np.ndarray, name):
        return (
            "NumPy's arrays have it, but it needs an array with its memory, and this one is known "
            "only when the graph runs. Use it outside of the staged function, or in a function "
            "that ag.numpy_function calls when the graph runs"
        )
    public = [other for other in dir(np.ndarray) if not other.startswith("_")]
    near = difflib.get_close_matches(name, public, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "dir(np.ndarray) lists what there is"
    return f"NumPy's arrays have none of that name; {hint}"
