"""Functions of each element, and comparisons: `tf.math` and what of it is in `tf` itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.nn import activations
from autograph.tf.composite import as_list, takes_composites
from autograph.tf.errors import translating
from autograph.tf.tensors import as_result, convert_to_tensor, pair, takes
from runtime.dispatch import apply
from runtime.dtypes import as_dtype, dtype_name, is_string
from runtime.errors import DtypeError
from runtime.ops import special
from runtime.ops.movement import copy
from runtime.ops.movement import stop_gradient as stop

UNARY = {
    "abs": "absolute", "negative": "negative", "sign": "sign", "square": "square", "sqrt": "sqrt",
    "exp": "exp", "expm1": "expm1", "log": "log", "log1p": "log1p", "sin": "sin", "cos": "cos",
    "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
    "floor": "floor", "ceil": "ceil", "rint": "rint", "round": "rint", "reciprocal": "reciprocal",
    "is_nan": "isnan", "is_inf": "isinf", "is_finite": "isfinite", "logical_not": "logical_not",
    "real": "real", "imag": "imag", "conj": "conjugate", "angle": "angle",
}  # fmt: skip
BINARY = {
    "add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "true_divide",
    "truediv": "true_divide", "floordiv": "floor_divide", "mod": "mod", "floormod": "mod",
    "pow": "power", "maximum": "maximum", "minimum": "minimum", "atan2": "arctan2",
    "equal": "equal", "not_equal": "not_equal", "less": "less", "less_equal": "less_equal",
    "greater": "greater", "greater_equal": "greater_equal", "logical_and": "logical_and",
    "logical_or": "logical_or", "logical_xor": "logical_xor", "realdiv": "true_divide",
    "truncatemod": "fmod", "nextafter": "nextafter",
}  # fmt: skip
"""Names here, and those of NumPy."""


def _unary(name: str, numpy_name: str) -> Callable[..., Any]:
    function = getattr(rnp, numpy_name)

    def public(x: Any) -> Any:
        return function(x)

    public.__name__ = public.__qualname__ = name
    public.__doc__ = f"Return `np.{numpy_name}` of each element."
    return takes(1)(public)


def _binary(name: str, numpy_name: str) -> Callable[..., Any]:
    function = getattr(rnp, numpy_name)

    def public(x: Any, y: Any, name: Any = None) -> Any:
        with translating():
            return as_result(function(*pair(x, y)))

    public.__name__ = public.__qualname__ = name
    public.__doc__ = f"Return `np.{numpy_name}` of each pair of elements."
    return takes_composites(public)


globals().update({name: _unary(name, numpy_name) for name, numpy_name in UNARY.items()})
globals().update({name: _binary(name, numpy_name) for name, numpy_name in BINARY.items()})


@takes(1)
def rsqrt(x: Any) -> Any:
    """Return one divided by the square root."""
    return 1 / rnp.sqrt(x)


@takes(1)
def sigmoid(x: Any) -> Any:
    """Return the logistic function, without overflow."""
    return activations.sigmoid(x)


@takes(1)
def softplus(x: Any) -> Any:
    """Return `log(1 + exp(x))`, without overflow."""
    return activations.softplus(x)


def _special(op: Any, name: str, what: str) -> Callable[..., Any]:
    def public(x: Any) -> Any:
        return apply(op, (x,))

    public.__name__ = public.__qualname__ = name
    public.__doc__ = f"Return {what} of each element."
    return takes(1)(public)


erf = _special(special.erf, "erf", "the error function")
erfc = _special(special.erfc, "erfc", "one less the error function")
lgamma = _special(special.lgamma, "lgamma", "the logarithm of the gamma function")
digamma = _special(special.digamma, "digamma", "the derivative of `lgamma`")
erfinv = _special(special.erfinv, "erfinv", "the inverse of the error function")
erfcinv = _special(special.erfcinv, "erfcinv", "the inverse of one less the error function")
ndtri = _special(special.ndtri, "ndtri", "the quantiles of the normal distribution")


@takes(1)
def log_sigmoid(x: Any) -> Any:
    """Return the logarithm of the logistic function, without overflow."""
    return activations.log_sigmoid(x)


def _no_nan(name: str, doc: str, function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def public(x: Any, y: Any, name: Any = None) -> Any:
        with translating():
            a, b = pair(x, y)
            return as_result(function(a, b))

    public.__name__ = public.__qualname__ = name
    public.__doc__ = doc
    return public


multiply_no_nan = _no_nan(
    "multiply_no_nan",
    "Return `x * y`, and 0 where `y` is 0, whatever `x` is.",
    lambda x, y: rnp.where(y == 0, rnp.zeros_like(x), x) * y,
)
xlogy = _no_nan(
    "xlogy",
    "Return `x * log(y)`, and 0 where `x` is 0.",
    lambda x, y: rnp.where(x == 0, rnp.zeros_like(x), x * rnp.log(rnp.where(x == 0, 1, y))),
)


xdivy = _no_nan(
    "xdivy",
    "Return `x / y`, and 0 where `x` is 0, whatever `y` is.",
    lambda x, y: x / rnp.where(x == 0, rnp.ones_like(y), y),
)
xlog1py = _no_nan(
    "xlog1py",
    "Return `x * log1p(y)`, and 0 where `x` is 0, whatever `y` is.",
    lambda x, y: x * rnp.log1p(rnp.where(x == 0, rnp.zeros_like(y), y)),
)
truncatediv = _no_nan(
    "truncatediv",
    "Return `x / y`, rounded to zero.",
    lambda x, y: ((x - rnp.fmod(x, y)) / y).astype(x.dtype),
)


def scalar_mul(scalar: Any, x: Any, name: Any = None) -> Any:
    """Return a tensor times a number."""
    with translating():
        return as_result(rnp.multiply(*pair(scalar, x)))


def complex(real: Any, imag: Any, name: Any = None) -> Any:
    """Return complex numbers of their parts."""
    with translating():
        a, b = pair(real, imag)
        unit = np.complex64(1j) if a.dtype == np.float32 else 1j
        return as_result(rnp.add(a, rnp.multiply(b, unit)))


@takes(1)
def saturate_cast(value: Any, dtype: Any) -> Any:
    """Return a tensor of another dtype, numbers beyond its range at the bounds."""
    kind = as_dtype(dtype)
    if kind.kind not in "iu":
        return value.astype(kind)
    bounds = np.iinfo(kind)
    return rnp.clip(value, bounds.min, bounds.max).astype(kind)


def squared_difference(x: Any, y: Any, name: Any = None) -> Any:
    """Return the square of `x - y`."""
    with translating():
        a, b = pair(x, y)
        return as_result(rnp.square(a - b))


def divide_no_nan(x: Any, y: Any, name: Any = None) -> Any:
    """Return `x / y`, and 0 where `y` is 0."""
    with translating():
        a, b = pair(x, y)
        return as_result(rnp.where(b == 0, 0, a / rnp.where(b == 0, 1, b)).astype(a.dtype))


@takes_composites
def add_n(inputs: Any, name: Any = None) -> Any:
    """Return the sum of several tensors."""
    with translating():
        found = convert_to_tensor(inputs[0])
        for one in inputs[1:]:
            found = found + convert_to_tensor(one)
        return as_result(found)


@takes_composites
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: Any = None) -> Any:
    """Return a tensor with its elements between two bounds."""
    with translating():
        x, low = pair(t, clip_value_min)
        return as_result(rnp.minimum(rnp.maximum(x, low), pair(t, clip_value_max)[1]))


@takes(1)
def clip_by_norm(t: Any, clip_norm: float, axes: Any = None) -> Any:
    """Return a tensor scaled down to a norm, of the whole or along axes."""
    axes = tuple(axes) if isinstance(axes, list) else axes
    total = rnp.sum(t * t, axis=axes, keepdims=axes is not None)
    norm = rnp.where(total > 0, rnp.sqrt(rnp.where(total > 0, total, 1)), 0)
    return t * clip_norm / rnp.maximum(norm, clip_norm)


@takes(1)
def reciprocal_no_nan(x: Any) -> Any:
    """Return `1 / x`, and 0 where `x` is 0."""
    return rnp.where(x == 0, 0, 1 / rnp.where(x == 0, 1, x))


@takes(1)
def cast(x: Any, dtype: Any) -> Any:
    """Return a tensor of another dtype."""
    kind = as_dtype(dtype)
    if is_string(kind) != is_string(x.dtype):
        write = "tf.as_string(x)" if is_string(kind) else "tf.strings.to_number(x)"
        both = f"{dtype_name(x.dtype)} to {dtype_name(kind)}"
        raise DtypeError(f"tf.cast of {both}: texts are no numbers; write {write}")
    return x.astype(kind)


@takes(1)
def identity(x: Any) -> Any:
    """Return a tensor of the same elements; a gradient by it is not that by what it was made of."""
    return apply(copy, (x,))


def identity_n(input: Any, name: Any = None) -> list[Any]:
    """Return tensors of the same elements as several ones."""
    return [identity(x) for x in as_list(input, "tf.identity_n")]


@takes(1)
def stop_gradient(x: Any) -> Any:
    """Return the tensor itself, as if it followed nothing."""
    return apply(stop, (x,))


@takes_composites
def where(condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Any:
    """Return elements of `x` where a condition is true, of `y` elsewhere.

    Without them, return the indices of the true elements, one in each row.
    """
    with translating():
        test = convert_to_tensor(condition)
        if x is None and y is None:
            return as_result(rnp.stack(list(rnp.nonzero(test)), axis=-1))
        if x is None or y is None:
            raise DtypeError("tf.where takes both x and y, or neither; give the other one, too")
        return as_result(rnp.where(test, *pair(x, y)))


def to_float(x: Any) -> Any:
    """Return a tensor of `float32`."""
    return cast(x, np.float32)
