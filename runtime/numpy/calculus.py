"""Public functions that add up, difference and average, with NumPy's own signatures."""

from __future__ import annotations

import functools
from itertools import accumulate
from typing import Any

import numpy as np

from runtime.dispatch import apply
from runtime.errors import StagedValueError
from runtime.numpy import array_creation, shaping
from runtime.numpy import functions as fn
from runtime.numpy.face import as_attribute, call_concretely, named, stands_for
from runtime.numpy.searching import where
from runtime.numpy.shaping import operand, rank_of
from runtime.ops import linear, reductions
from runtime.ops.effects import check
from runtime.ops.einsum_subscripts import read_subscripts
from runtime.ops.spec_rules import normal_axis
from runtime.ops.strides import diagonals
from runtime.spec import UNKNOWN
from runtime.subscripts import describe
from runtime.tensor import Symbol

stands_for(np.amax)(fn.max)
stands_for(np.amin)(fn.min)


stands_for(np.around)(fn.round)


@stands_for(np.average)
def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    """Return the weighted mean over axes, and the sum of weights when `returned` is true."""
    a = operand(a)
    if weights is None:
        found = fn.mean(a, axis=axis, keepdims=keepdims)
        count = fn.divide(fn.size(a), fn.size(found)) if returned else None
        return (found, found * 0 + count) if returned else found
    weights = _weights(operand(weights), a, axis)
    total = fn.sum(weights, axis=axis, keepdims=keepdims)
    apply(
        check,
        (fn.all(fn.not_equal(total, 0.0)),),
        error="ZeroDivisionError",
        message="Weights sum to zero, can't be normalized",
    )
    found = fn.sum(fn.multiply(a, weights), axis=axis, keepdims=keepdims) / total
    return (found, total) if returned else found


def _weights(weights: Any, a: Any, axis: Any) -> Any:
    """Return weights in the dtype and with the axes of what is averaged."""
    mean = float if describe(a).dtype.kind in "biu" else describe(a).dtype
    dtype = np.result_type(describe(a).dtype, describe(weights).dtype, mean)
    weights = weights.astype(dtype) if hasattr(weights, "astype") else dtype.type(weights)
    rank = rank_of(a, "averaging")
    if rank_of(weights, "averaging") == rank:
        return shaping.broadcast_to(weights, shaping.shape(a))
    if not isinstance(axis, int):
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    wide = fn.expand_dims(weights, tuple(k for k in range(rank) if k != normal_axis(axis, rank)))
    return shaping.broadcast_to(wide, shaping.shape(a))


@stands_for(np.diff)
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Return differences of neighbours along an axis, `n` times."""
    if type(n) is int and not n:
        return a
    a = operand(a)
    ends = [_end(x, a, axis) for x in (prepend, append)]
    if prepend is not None or append is not None:
        parts = [*ends[:1], a, *ends[1:]]
        a = shaping.concatenate([x for x in parts if x is not None], axis)
    return apply(reductions.diff, (a,), n=as_attribute("n", n), axis=as_attribute("axis", axis))


def _end(x: Any, a: Any, axis: int) -> Any:
    """Return what is put before or after an array: a scalar as a slice of the array's shape."""
    if x is None or rank_of(operand(x), "joining"):
        return x
    sizes = list(shaping.shape(a))
    sizes[axis] = 1
    return shaping.broadcast_to(operand(x), tuple(sizes))


@stands_for(np.gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Return slopes along axes, from differences of neighbours at equal distances."""
    f = operand(f)
    given = [*map(operand, varargs)]
    if edge_order != 1 or any(
        rank_of(h, "a distance") or describe(h).dtype.kind == "c" for h in given
    ):
        raise StagedValueError("gradient() needs single real distances and edge_order=1")
    rank = rank_of(f, "slopes")
    axes = range(rank) if axis is None else [axis] if isinstance(axis, int) else axis
    steps = varargs if len(varargs) > 1 else (varargs or (1.0,)) * len(axes)
    if describe(f).dtype.kind in "iu":
        f = f.astype(float)
    if any(isinstance(n, int) and n < 2 for n in map((describe(f).shape or ()).__getitem__, axes)):
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, "
            "at least (edge_order + 1) elements are required."
        )
    found = [_slope(f, h, normal_axis(k, rank)) for k, h in zip(axes, steps, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def _slope(f: Any, step: Any, axis: int) -> Any:
    def part(start: int | None, stop: int | None) -> Any:
        return f[(*(slice(None),) * axis, slice(start, stop))]

    first = (part(1, 2) - part(0, 1)) / step
    inner = (part(2, None) - part(None, -2)) / (2.0 * step)
    last = (part(-1, None) - part(-2, -1)) / step
    return shaping.concatenate([first, inner, last], axis)


@stands_for(*named("cumulative_sum"))
def cumulative_sum(
    x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    """Return running sums along an axis, after a zero where that is asked for."""
    return _running(fn.cumsum, operand(x), axis, dtype, include_initial, 0)


@stands_for(*named("cumulative_prod"))
def cumulative_prod(
    x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    """Return running products along an axis, after a one where that is asked for."""
    return _running(fn.cumprod, operand(x), axis, dtype, include_initial, 1)


def _running(function: Any, x: Any, axis: Any, dtype: Any, initial: bool, first: int) -> Any:
    rank = rank_of(x, "running sums")
    if axis is None and rank != 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` is required.")
    axis = 0 if axis is None else normal_axis(axis, rank)
    found = function(x, axis=axis, dtype=dtype)
    if not initial:
        return found
    sizes = [1 if k == axis else n for k, n in enumerate(shaping.shape(x))]
    start = shaping.broadcast_to(describe(found).dtype.type(first), tuple(sizes))
    return shaping.concatenate([start, found], axis)


@stands_for(np.histogram)
def histogram(a: Any, bins: Any = 10, range: Any = None) -> Any:
    """Return how many elements lie between edges, and the edges themselves."""
    if isinstance(bins, str) or not rank_of(operand(bins), "edges"):
        return call_concretely(np.histogram, (a, bins, range), {})  # it knows bins of one width
    edges = operand(bins)
    return apply(reductions.histogram, (fn.ravel(operand(a)), edges)), edges


@stands_for(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Return differences of neighbours in the array as one row."""
    row = fn.ravel(operand(ary))
    if describe(row).dtype.kind == "b":
        return call_concretely(np.ediff1d, (ary, to_end, to_begin), {})
    ends = [operand(x) for x in (to_begin, to_end) if x is not None]
    if any(describe(x).promotable != describe(row).dtype for x in ends):
        raise StagedValueError("ediff1d() takes ends of the dtype of the array")
    parts = [to_begin, diff(row), to_end]
    given = [fn.ravel(operand(x)) for x in parts if x is not None]
    return given[0] if len(given) == 1 else shaping.concatenate(given)


@stands_for(np.interp)
def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """Return heights on the line through points in rising order and their heights."""
    if period is not None:
        raise StagedValueError("interp() does not support the argument 'period'")
    x, xp = operand(x), operand(xp)
    found = apply(reductions.interp, (x, xp, operand(fp)))
    if left is not None:
        found = where(fn.less(x, xp[0]), left, found)
    if right is not None:
        found = where(fn.greater(x, xp[-1]), right, found)
    return found[()] if describe(found).shape == () else found


@stands_for(np.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """Return the integral of the line through points at equal or given distances."""
    y = operand(y)
    rank = rank_of(y, "an integral")
    before = (slice(None),) * normal_axis(axis, rank)
    gaps = dx if x is None else diff(operand(x), axis=-1 if rank_of(operand(x), "") == 1 else axis)
    if x is not None and rank_of(gaps, "an integral") == 1:
        gaps = gaps[(slice(None), *(None,) * (rank - 1 - normal_axis(axis, rank)))]
    parts = gaps * (y[(*before, slice(1, None))] + y[(*before, slice(None, -1))]) / 2.0
    return fn.sum(parts, axis=axis)


@stands_for(np.cov)
def cov(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None) -> Any:
    """Return the covariances of variables, which are rows of observations."""
    rows = _rows(m, rowvar)
    if y is not None:
        rows = shaping.concatenate([rows, _rows(y, rowvar)])
    less = (0 if bias else 1) if ddof is None else ddof
    if isinstance(less, float) and not less.is_integer():
        raise ValueError("ddof must be integer")
    count = shaping.shape(rows)[1]
    if isinstance(count, int) and isinstance(less, int | float) and count <= less:
        raise StagedValueError("cov() warns of too few observations")
    centred = rows - fn.mean(rows, axis=1, keepdims=True)
    turned = fn.transpose(centred)
    is_complex = describe(rows).dtype.kind == "c"
    product = fn.dot(centred, fn.conjugate(turned) if is_complex else turned)
    scale = fn.true_divide(1, fn.subtract(count, less))
    return fn.squeeze(product * scale)


def _rows(m: Any, rowvar: bool) -> Any:
    matrix = shaping.atleast_2d(m)
    if not rowvar and rank_of(operand(m), "variables") > 1:
        matrix = fn.transpose(matrix)
    return fn.multiply(matrix, np.float64(1.0))


@stands_for(np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Any:
    """Return the correlations of variables, which are rows of observations."""
    found = cov(x, y, rowvar)
    if describe(found).rank == 0:
        return found / found
    spread = fn.sqrt(fn.real(fn.diagonal(found)))
    return clip_to_one(found / spread[:, None] / spread[None, :])


def clip_to_one(x: Any) -> Any:
    """Return numbers between minus one and one."""
    return fn.minimum(fn.maximum(x, -1), 1)


@stands_for(np.polyval)
def polyval(p: Any, x: Any) -> Any:
    """Return the values of a polynomial whose first coefficient is that of the highest power."""
    p, x = operand(p), array_creation.asarray(x)
    size = describe(p).shape
    if not size or not isinstance(size[0], int) or not size[0]:
        raise StagedValueError("polyval() needs a known number of coefficients")
    found = array_creation.zeros_like(x)
    for k in range(size[0]):
        found = found * x + p[k]
    return found


@stands_for(np.vander)
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:  # noqa: N803
    """Return the powers of numbers, one row for each number."""
    x = operand(x)
    if rank_of(x, "powers") != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = as_attribute("N", x.shape[0] if N is None else N)
    dtype = np.promote_types(describe(x).dtype, int)
    ones = shaping.broadcast_to(dtype.type(1), (*shaping.shape(x), 1))
    rows = shaping.broadcast_to(x[:, None], (*shaping.shape(x), max(count - 1, 0)))
    powers = fn.cumprod(rows, axis=1, dtype=dtype)
    found = shaping.concatenate([ones, powers], 1)[:, :count]
    return found if increasing else fn.flip(found, 1).copy()


@stands_for(np.kron)
def kron(a: Any, b: Any) -> Any:
    """Return the product of an array with each element of another one, in blocks."""
    a, b = operand(a), operand(b)
    rank = max(rank_of(a, "kron"), rank_of(b, "kron"))
    a, b = (x[(None,) * (rank - rank_of(x, "kron"))] if rank else x for x in (a, b))
    wide = fn.expand_dims(a, tuple(range(1, 2 * rank, 2)))
    deep = fn.expand_dims(b, tuple(range(0, 2 * rank, 2)))
    sizes = [m * n for m, n in zip(shaping.shape(a), shaping.shape(b), strict=True)]
    return shaping.reshape(fn.multiply(wide, deep), tuple(sizes))


@stands_for(np.einsum)
def einsum(*operands: Any, optimize: Any = False) -> Any:
    """Return sums of products over the axes that letters name, as in `ij,jk->ik`."""
    subscripts, *arrays = operands
    if not isinstance(subscripts, str):
        raise TypeError("einsum() needs its subscripts as a string, such as 'ij,jk->ik'")
    inputs = [operand(x) for x in arrays]
    view = _view(subscripts, inputs[0]) if len(inputs) == 1 else None
    if view is not None:
        return view
    return apply(linear.einsum, inputs, subscripts=subscripts, optimize=bool(optimize))


def _view(subscripts: str, x: Any) -> Any:
    """Return the axes of an array in another order, or diagonals: NumPy's views; None for others.

    Sizes along a diagonal that may differ are no view, but perhaps an error when the graph runs.
    """
    if type(x) is not Symbol or x.known is not None or x.spec.shape is None:
        return None
    (source,), target = read_subscripts(subscripts, (len(x.spec.shape),))
    if set(source) != set(target) or len(set(target)) < len(target):
        return None
    if len(source) == len(target):
        return fn.transpose(x, tuple(map(source.index, target)))
    pairs = {*zip(source, x.spec.shape, strict=True)}
    if len(pairs) > len(target) or any(size == UNKNOWN for _, size in pairs):
        return None
    return apply(diagonals, (x,), subscripts=f"{source}->{target}")


@stands_for(np.cross)
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> Any:
    """Return the vector product of vectors with three components."""
    first, second, last = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    a, b = fn.moveaxis(operand(a), first, -1), fn.moveaxis(operand(b), second, -1)
    return fn.moveaxis(apply(linear.cross, (a, b), axis=-1), -1, last)


@stands_for(np.fix)
def fix(x: Any, out: Any = None) -> Any:
    """Return numbers without their fraction."""
    return fn.trunc(x, out=out)


@stands_for(np.linalg.matrix_power)
def matrix_power(a: Any, n: int) -> Any:
    """Return a square matrix multiplied with itself so many times."""
    a, n = operand(a), as_attribute("n", n)
    shape = describe(a).shape or ()
    if rank_of(a, "powers") < 2 or (describe(a).is_static and shape[-1] != shape[-2]):
        raise StagedValueError("matrix_power() needs square matrices")
    if n == 0:
        found = array_creation.zeros_like(a)
        found[...] = np.eye(shaping.shape(a)[-1], dtype=describe(a).dtype)
        return found
    if n < 0:
        a, n = fn_linalg("inv")(a), -n
    if n == 3:
        return fn.matmul(fn.matmul(a, a), a)
    squares = accumulate([a] * n.bit_length(), lambda x, _: fn.matmul(x, x))  # as NumPy has it
    return functools.reduce(fn.matmul, [x for k, x in enumerate(squares) if n >> k & 1])


def fn_linalg(name: str) -> Any:
    """Return a public function of `np.linalg` that is made of an op."""
    return fn.LINALG[name]


def cut(x: Any, place: int, axis: int) -> tuple[Any, Any]:
    """Return the parts of an array before and from one place along an axis."""
    before = (slice(None),) * axis
    return x[(*before, slice(None, place))], x[(*before, slice(place, None))]
