"""Errors of the runtime.

Comes in: what went wrong, in the words of the person who wrote the program. Goes out: exception
classes. Each class also is the exception that plain Python or NumPy raises for the same mistake, so
that code which catches that one keeps working.
"""

from __future__ import annotations

import sys

_UNBOUND_LOCAL = (
    "cannot access local variable '{}' where it is not associated with a value"
    if sys.version_info >= (3, 11)
    else "local variable '{}' referenced before assignment"
)


def unbound_local_text(name: str) -> str:
    """Return what this Python's UnboundLocalError says of a variable."""
    return _UNBOUND_LOCAL.format(name)


class RuntimeGraphError(Exception):
    """Base of every error that the runtime raises on its own account.

    `is_located` tells whether the message already names the user's line.
    """

    is_located = False


class ShapeError(RuntimeGraphError, ValueError):
    """Shapes do not fit together (NumPy: ValueError)."""


class SignatureError(ShapeError, TypeError):
    """An argument has another shape than a signature says."""


class AxisError(ShapeError, IndexError):
    """There is no such axis (NumPy: AxisError, which is a ValueError and an IndexError)."""


class DtypeError(RuntimeGraphError, TypeError):
    """A dtype is not supported, or an operation is not defined for it (NumPy: TypeError)."""


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


class StructureError(RuntimeGraphError, ValueError):
    """Containers around values do not have the structure that is needed."""


class GraphFormatError(RuntimeGraphError, ValueError):
    """A graph is malformed, or the text of a graph cannot be read."""


class BackendError(RuntimeGraphError, RuntimeError):
    """A backend was asked for that is not available here."""
