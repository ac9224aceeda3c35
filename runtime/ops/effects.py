"""Ops with effects: what they do besides their result keeps its order and is never dropped."""

from __future__ import annotations

import builtins
import operator
import re
import sys
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from runtime.dtypes import as_texts, conversion, is_lossless, is_string
from runtime.errors import DtypeError, ShapeError
from runtime.graph.opdef import op
from runtime.ops.rules import need_scalar
from runtime.ops.tensor_text import tensor_text
from runtime.spec import TensorSpec, accepts, make_spec

EXCEPTIONS = frozenset(
    [
        "ArithmeticError",
        "AssertionError",
        "AttributeError",
        "BufferError",
        "EOFError",
        "Exception",
        "FloatingPointError",
        "IndexError",
        "KeyError",
        "LookupError",
        "NameError",
        "NotImplementedError",
        "OSError",
        "OverflowError",
        "RuntimeError",
        "StopIteration",
        "TypeError",
        "UnboundLocalError",
        "UnicodeError",
        "ValueError",
        "ZeroDivisionError",
    ]
)
"""The names of the exceptions that a check may raise."""


def exception_class(name: str) -> type[Exception]:
    """Return an exception of Python's own, or NumPy's `LinAlgError`, by its name."""
    found: type[Exception] = getattr(builtins, name, np.linalg.LinAlgError)
    return found


_PLACES = re.compile(r"\{\{|\}\}|\{(?:!([rsat]))?(?::([^{}]*))?\}")


def literal(text: str) -> str:
    """Return the form that writes a text as it is, braces included.

    >>> literal("{}")
    '{{}}'
    """
    return text.replace("{", "{{").replace("}", "}}")


def fill_text(text: str, values: tuple[Any, ...]) -> str:
    """Return a text with the values, as Python writes them, in the places of `{}`.

    A place may say how: `{!r}`, `{:.3f}`, or `{!t:3}` for `tensor_text`. Other braces stand for
    themselves.

    >>> fill_text("{{x}} = {}, {:.2f}", (1.5, 2.5))
    '{x} = 1.5, 2.50'
    """
    given = iter(values)

    def fill(found: re.Match[str]) -> str:
        if found[0] in ("{{", "}}"):
            return found[0][0]
        value = _on_host(next(given))
        if found[1] == "t":
            return tensor_text(value, int(found[2]))
        converted = _CONVERSIONS[found[1]](value) if found[1] else value
        return format(converted, found[2] or "")

    return _PLACES.sub(fill, text)


_CONVERSIONS: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}


def _on_host(x: Any) -> Any:
    """Return a NumPy array of an array of any module."""
    return x.get() if hasattr(x, "get") else x


def _print_kernel(xp: Any, *values: Any, format: str, stream: str, flush: bool) -> tuple[Any, ...]:
    file = getattr(sys, stream)
    file.write(fill_text(format, values))
    if flush:
        file.flush()
    return ()


def _print_spec(
    *values: TensorSpec, format: str, stream: str, flush: bool
) -> tuple[TensorSpec, ...]:
    if stream not in ("stdout", "stderr"):
        raise DtypeError(f"a graph prints to 'stdout' or 'stderr', not to {stream!r}")
    return ()


print_ = op(
    "print(*values, format, stream='stdout', flush=False)",
    doc="Write a text to the standard output, with the values in the places of `{}`.",
    spec=_print_spec,
    kernel=_print_kernel,
    samples=None,
    effect="output",
    multiple=True,
)


def _check_spec(
    test: TensorSpec, *values: TensorSpec, error: str, message: str
) -> tuple[TensorSpec, ...]:
    need_scalar(test, "what is checked")
    if error not in EXCEPTIONS:
        names = ", ".join(sorted(EXCEPTIONS))
        raise DtypeError(f"a check cannot raise {error}; it can raise {names}")
    return ()


def _check_kernel(xp: Any, test: Any, *values: Any, error: str, message: str) -> tuple[Any, ...]:
    if not test:
        kind = getattr(builtins, error)
        raise kind(fill_text(message, values)) if message else kind()
    return ()


check = op(
    "check(test, *values, error='AssertionError', message='')",
    doc="Raise the named exception, with a text made of message and values, unless `test` is true.",
    spec=_check_spec,
    kernel=_check_kernel,
    samples=None,
    effect="check",
    multiple=True,
)


class Failure(Exception):  # noqa: N818  (it never leaves a graph)
    """A staged `try` is left at one of its points, with the values that its handler takes."""

    def __init__(self, point: int, values: tuple[Any, ...]) -> None:
        super().__init__(point)
        self.point = point
        self.values = values

    def among(self, points: tuple[int, ...]) -> tuple[int, tuple[Any, ...]]:
        """Return the number of the handler, from 1, and its values; go on when it has none."""
        if self.point not in points:
            raise self
        return points.index(self.point) + 1, self.values


def _fail_spec(test: TensorSpec, *values: TensorSpec, point: int) -> tuple[TensorSpec, ...]:
    need_scalar(test, "what is checked")
    return ()


def _fail_kernel(xp: Any, test: Any, *values: Any, point: int) -> tuple[Any, ...]:
    if not test:
        raise Failure(point, values)
    return ()


fail = op(
    "fail(test, *values, point)",
    doc="Leave the `try_` that has this point, with values for its handler, unless `test` is true.",
    spec=_fail_spec,
    kernel=_fail_kernel,
    samples=None,
    effect="check",
    multiple=True,
)


class Called:
    """A Python function that graphs call. It lives as long as they do; printed it is a number.

    Args:
        function: takes arrays on the host.
        gradient: for what derives the graph: takes the same arrays, then the gradients of the
            results, and returns the gradients of the arrays; None where there is none.
    """

    __slots__ = ("__weakref__", "function", "gradient", "number")

    def __init__(
        self, function: Callable[..., Any], gradient: Callable[..., Any] | None = None
    ) -> None:
        self.function = function
        self.gradient = gradient
        self.number = next(_COUNT)
        _CALLED[self.number] = self

    def __call__(self, *values: Any) -> Any:
        return self.function(*values)

    def __index__(self) -> int:
        return self.number

    def __repr__(self) -> str:
        return repr(self.number)

    def forget(self) -> None:
        """Drop the function: no graph calls it any more."""
        self.function = _refuse_forgotten


_CALLED: WeakValueDictionary[int, Called] = WeakValueDictionary()
_COUNT = count()


def called(number: Any) -> Called:
    """Return what is called by a number, as it stands in a graph that was printed."""
    found = _CALLED.get(operator.index(number))
    if found is None:
        raise RuntimeError(
            f"this graph calls function {operator.index(number)} of the process that traced it, "
            "and this is another process; trace it here"
        )
    return found


def _refuse_forgotten(*values: Any) -> None:
    raise RuntimeError("the Python function that this graph calls is gone")


def _call_kernel(xp: Any, *values: Any, number: Any) -> tuple[Any, ...]:
    called(number)(*map(_on_host, values))
    return ()


call_python = op(
    "call_python(*values, number)",
    doc="Hand values to a Python function, in order with what is printed.",
    spec=lambda *values, number: (),
    kernel=_call_kernel,
    samples=None,
    effect="output",
    multiple=True,
)


def _declared(dtypes: tuple[str, ...], shapes: tuple[Any, ...]) -> tuple[TensorSpec, ...]:
    """Return the specs of results; None in a shape is an unknown size, and for one an unknown."""
    return tuple(TensorSpec(shape, dtype) for dtype, shape in zip(dtypes, shapes, strict=True))


def as_declared(found: Any, spec: TensorSpec, what: str) -> Any:
    """Return a result of a Python function as an array of the dtype and shape that are declared.

    Raises:
        DtypeError: it has another dtype, which would lose something.
        ShapeError: it has another shape.
    """
    array = _texts(found) if is_string(spec.dtype) else np.asarray(found)
    weak = isinstance(found, bool | int | float | complex | list | tuple)
    fits = weak and np.can_cast(array.dtype, spec.dtype, "same_kind")
    if not (fits or is_lossless(array.dtype, spec.dtype)):
        raise DtypeError(
            f"{what} returned {array.dtype}, and {spec} is declared: declare what it returns, or "
            f"convert there: {conversion(spec.dtype)}"
        )
    if not accepts(make_spec(spec.dtype, spec.shape), make_spec(spec.dtype, array.shape)):
        raise ShapeError(
            f"{what} returned an array of shape {array.shape}, and {spec} is declared: declare "
            "what it returns, with None for sizes that vary"
        )
    return array.astype(spec.dtype, copy=False)


def _texts(found: Any) -> Any:
    """Return texts, or bytes that encode them, as an array of texts; other arrays as they are."""
    array = np.asarray(found)
    if array.dtype.kind == "S" or (array.dtype == object and isinstance(array.flat[0], bytes)):
        array = np.vectorize(bytes.decode, otypes=[object])(array)
    return as_texts(array) if array.dtype.kind in "OU" else array


def _ask_kernel(
    xp: Any, *values: Any, number: Any, dtypes: tuple[str, ...], shapes: tuple[Any, ...]
) -> tuple[Any, ...]:
    found = called(number)(*map(_on_host, values))
    return tuple(x if type(x) is str else xp.asarray(x) for x in found)


ask_python = op(
    "ask_python(*values, number, dtypes, shapes)",
    doc="Call a Python function with values, in order with what is printed, for declared results.",
    spec=lambda *values, number, dtypes, shapes: _declared(dtypes, shapes),
    kernel=_ask_kernel,
    samples=None,
    effect="output",
    multiple=True,
)


STORES: WeakValueDictionary[int, Any] = WeakValueDictionary()
"""Variables by number, as long as they are there."""


def _keep_kernel(xp: Any, value: Any, *before: Any, number: int) -> tuple[Any, ...]:
    variable = STORES.get(number)
    if variable is not None:
        variable.lend(value)
    return ()


keep = op(
    "keep(value, *before, number)",
    doc="Have a variable hold a value from here on; nobody may write into what it held before.",
    spec=lambda value, *before, number: (),
    kernel=_keep_kernel,
    samples=None,
    effect="state",
    multiple=True,
)


def settle(numbers: Iterable[int]) -> None:
    """Have variables hold arrays of their own, when a graph that has lent them some has failed."""
    for number in numbers:
        variable = STORES.get(number)
        if variable is not None:
            variable.settle()
