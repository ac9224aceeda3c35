"""`tf.debugging`: checks, made at once or when the graph runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators.control_flow.conditionals import check
from autograph.tf.absent import missing_from
from autograph.tf.dtype import as_dtype
from autograph.tf.errors import InvalidArgumentError, translating
from autograph.tf.tensors import convert_to_tensor, pair
from runtime import default_graph
from runtime.errors import ShapeError
from runtime.tensor import Symbol, Tensor

COMPARISONS = {
    "assert_equal": ("equal", "=="), "assert_none_equal": ("not_equal", "!="),
    "assert_less": ("less", "<"), "assert_less_equal": ("less_equal", "<="),
    "assert_greater": ("greater", ">"), "assert_greater_equal": ("greater_equal", ">="),
}  # fmt: skip
SIGNS = {
    "assert_positive": ("greater", "x > 0"), "assert_negative": ("less", "x < 0"),
    "assert_non_negative": ("greater_equal", "x >= 0"),
    "assert_non_positive": ("less_equal", "x <= 0"),
}  # fmt: skip
__all__ = [  # noqa: PLE0604  (most names stand in tables)
    *COMPARISONS,
    *SIGNS,
    "Assert",
    "assert_all_finite",
    "assert_integer",
    "assert_near",
    "assert_rank",
    "assert_rank_at_least",
    "assert_scalar",
    "assert_shapes",
    "assert_type",
    "check_numerics",
    "is_numeric_tensor",
]


def need(test: Any, message: str) -> None:
    """Raise InvalidArgumentError unless a test is true, now or when the graph runs."""
    if default_graph.current() is None:
        if not bool(np.asarray(test)):
            raise InvalidArgumentError(message)
        return
    check(test, message, error=AssertionError)


def _comparison(name: str, function: str, sign: str) -> Callable[..., None]:
    compare = getattr(rnp, function)

    def public(x: Any, y: Any, message: str | None = None, **others: Any) -> None:
        with translating():
            a, b = pair(x, y)
            need(rnp.all(compare(a, b)), message or f"x {sign} y is not true of all elements")

    public.__name__ = public.__qualname__ = name
    public.__doc__ = f"Raise InvalidArgumentError unless `x {sign} y` is true of all elements."
    return public


def _sign(name: str, function: str, text: str) -> Callable[..., None]:
    compare = getattr(rnp, function)

    def public(x: Any, message: str | None = None, **others: Any) -> None:
        with translating():
            test = rnp.all(compare(convert_to_tensor(x), 0))
            need(test, message or f"{text} is not true of all elements")

    public.__name__ = public.__qualname__ = name
    public.__doc__ = f"Raise InvalidArgumentError unless `{text}` is true of all elements."
    return public


globals().update({name: _comparison(name, *given) for name, given in COMPARISONS.items()})
globals().update({name: _sign(name, *given) for name, given in SIGNS.items()})


def Assert(condition: Any, data: Any, **others: Any) -> None:  # noqa: N802  (its name there)
    """Raise InvalidArgumentError unless a condition is true."""
    shown = ", ".join(str(x) for x in data) if default_graph.current() is None else "a check"
    with translating():
        need(convert_to_tensor(condition), f"{shown} failed: the condition is false")


def check_numerics(tensor: Any, message: str, name: Any = None) -> Any:
    """Return a tensor; InvalidArgumentError when an element of it is infinite or NaN."""
    with translating():
        found = convert_to_tensor(tensor)
        need(rnp.all(rnp.isfinite(found)), f"{message}: the tensor has an infinity or NaN")
        return found


def assert_all_finite(x: Any, message: str, name: Any = None) -> Any:
    """Return a tensor; InvalidArgumentError when an element of it is infinite or NaN."""
    return check_numerics(x, message)


def assert_rank(x: Any, rank: int, message: str | None = None, **others: Any) -> None:
    """Raise a ValueError unless a tensor has so many dimensions."""
    found = convert_to_tensor(x).ndim
    if found != rank:
        raise ShapeError(message or f"the tensor has {found} dimensions, and {rank} are needed")


def assert_rank_at_least(x: Any, rank: int, message: str | None = None, **others: Any) -> None:
    """Raise a ValueError unless a tensor has so many dimensions or more."""
    found = convert_to_tensor(x).ndim
    if found < rank:
        raise ShapeError(
            message or f"the tensor has {found} dimensions, and at least {rank} are needed"
        )


def assert_scalar(tensor: Any, message: str | None = None, **others: Any) -> Any:
    """Return a tensor; a ValueError when it has dimensions."""
    assert_rank(tensor, 0, message)
    return convert_to_tensor(tensor)


def assert_integer(x: Any, message: str | None = None, **others: Any) -> None:
    """Raise a TypeError unless a tensor is one of integers."""
    found = as_dtype(convert_to_tensor(x).dtype)
    if not found.is_integer:
        raise TypeError(message or f"the tensor is one of {found.name}, and integers are needed")


def assert_near(
    x: Any, y: Any, rtol: Any = None, atol: Any = None, message: str | None = None, **others: Any
) -> None:
    """Raise InvalidArgumentError unless `|x - y| <= atol + rtol * |y|` is true of all elements."""
    with translating():
        a, b = pair(x, y)
        least = 10 * float(np.finfo(a.dtype).eps)
        relative, absolute = (least if z is None else z for z in (rtol, atol))
        test = rnp.abs(a - b) <= absolute + relative * rnp.abs(b)
        need(rnp.all(test), message or "x and y are not near each other in all elements")


def is_numeric_tensor(tensor: Any) -> bool:
    """Tell whether a value is a tensor of numbers."""
    return isinstance(tensor, Tensor | Symbol) and tensor.spec.dtype.kind in "iufc"


def assert_type(tensor: Any, tf_type: Any, message: str | None = None, **others: Any) -> None:
    """Raise a TypeError unless a tensor has a dtype."""
    found, wanted = as_dtype(convert_to_tensor(tensor).dtype), as_dtype(tf_type)
    if found != wanted:
        raise TypeError(
            message or f"the tensor is one of {found.name}, and {wanted.name} is needed"
        )


def assert_shapes(shapes: Any, **others: Any) -> None:
    """Raise a ValueError unless tensors have shapes, in which equal names are equal sizes."""
    sizes: dict[Any, Any] = {}
    for tensor, shape in shapes.items() if isinstance(shapes, dict) else shapes:
        found = convert_to_tensor(tensor).shape
        if len(found) != len(shape):
            raise ShapeError(f"a tensor has the shape {found}, and {shape} is needed")
        for size, wanted in zip(found, shape, strict=True):
            expected = sizes.setdefault(wanted, size) if isinstance(wanted, str) else wanted
            if expected is not None and size != expected:
                raise ShapeError(f"a tensor has the shape {found}, and {shape} is needed")


__getattr__ = missing_from("autograph.tf.debugging", globals())
