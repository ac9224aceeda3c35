"""`tf.errors`: TensorFlow's classes of errors, each also the exception that Python would raise."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from runtime import default_graph
from runtime.errors import AxisError, DtypeError, LoopStateError, ShapeError

F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "AbortedError",
    "AlreadyExistsError",
    "CancelledError",
    "DataLossError",
    "DeadlineExceededError",
    "FailedPreconditionError",
    "InternalError",
    "InvalidArgumentError",
    "NotFoundError",
    "OpError",
    "OutOfRangeError",
    "PermissionDeniedError",
    "ResourceExhaustedError",
    "UnavailableError",
    "UnimplementedError",
    "UnknownError",
]


class OpError(Exception):
    """The base of the errors that functions of `autograph.tf` raise."""

    @property
    def message(self) -> str:
        """What went wrong."""
        return str(self)


class InvalidArgumentError(OpError, ValueError):
    """An argument of a function has a value, shape or dtype that is not possible."""


class OutOfRangeError(OpError, IndexError):
    """There is no further element."""


class FailedPreconditionError(OpError, RuntimeError):
    """Something was used before it was ready."""


class NotFoundError(OpError, FileNotFoundError):
    """There is no such file."""


class UnimplementedError(OpError, NotImplementedError):
    """It is not there."""


class ResourceExhaustedError(OpError, MemoryError):
    """There is no memory left."""


class AbortedError(OpError, RuntimeError):
    """It was given up."""


class AlreadyExistsError(OpError, FileExistsError):
    """There is such a file already."""


class CancelledError(OpError, RuntimeError):
    """It was cancelled."""


class DataLossError(OpError, ValueError):
    """A file is damaged."""


class DeadlineExceededError(OpError, TimeoutError):
    """It took too long."""


class PermissionDeniedError(OpError, PermissionError):
    """It is not allowed."""


class UnavailableError(OpError, RuntimeError):
    """It is not there now."""


class UnknownError(OpError, RuntimeError):
    """Something went wrong."""


class InternalError(OpError, RuntimeError):
    """Something is broken."""


INVALID = (ShapeError, AxisError, DtypeError, LoopStateError, IndexError, AssertionError)
"""What is raised, too, as an `InvalidArgumentError`."""
TRANSLATED = (*INVALID, StopIteration)
"""What is raised as an error of TensorFlow's, too."""


_BOTH: dict[type[BaseException], type[BaseException]] = {}


def _both(kind: type[BaseException]) -> type[BaseException]:
    """Return the class of errors that are an error of TensorFlow's and an exception of a kind."""
    if kind not in _BOTH:
        _BOTH[kind] = _made(kind)
    return _BOTH[kind]


def _made(kind: type[BaseException]) -> type[BaseException]:
    other = OutOfRangeError if issubclass(kind, StopIteration) else InvalidArgumentError

    def begin(self: Any, *given: Any) -> None:
        other.__init__(self, *given)
        kind.__init__(self, *given)  # CPython reads what StopIteration keeps there

    return type(other.__name__, (other, kind), {"__module__": __name__, "__init__": begin})


class translating:  # noqa: N801  (it reads as a statement: `with translating():`)
    """Raise what is wrong with arguments as an `InvalidArgumentError` of the same exception.

    The end of a dataset is an `OutOfRangeError`. Only outside of staged functions: inside, the
    function that is traced does it.

    Args:
        of_user: whether the user's own functions are called, whose `ValueError` is left alone.
    """

    __slots__ = ("_of_user",)

    def __init__(self, of_user: bool = False) -> None:
        self._of_user = of_user

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: Any) -> None:
        is_numpys = type(error) is ValueError and not self._of_user
        if not (isinstance(error, TRANSLATED) or is_numpys) or isinstance(error, OpError):
            return
        if default_graph.current() is None:
            assert error is not None
            both = _both(type(error))(*error.args)
            raise both.with_traceback(trace) from error.__cause__


def translated(function: F) -> F:
    """Let a function raise what is wrong with its arguments as `translating` does."""

    @functools.wraps(function)
    def public(*args: Any, **options: Any) -> Any:
        with translating():
            return function(*args, **options)

    made: Any = public
    return made  # type: ignore[no-any-return]
