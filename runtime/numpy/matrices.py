"""The public functions of `numpy.linalg` that are written out, with NumPy's own signatures."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.dispatch import apply
from runtime.errors import StagedValueError
from runtime.numpy import calculus
from runtime.numpy import functions as fn
from runtime.numpy.face import as_attribute, call_concretely, stands_for
from runtime.numpy.shaping import operand, rank_of
from runtime.ops import decompositions as ops
from runtime.subscripts import describe

stands_for(np.linalg.matmul)(fn.matmul)
stands_for(np.linalg.tensordot)(fn.tensordot)
EighResult: Any = type(np.linalg.eigh(np.eye(1)))
QRResult: Any = type(np.linalg.qr(np.eye(1)))
SlogdetResult: Any = type(np.linalg.slogdet(np.eye(1)))
SVDResult: Any = type(np.linalg.svd(np.eye(1)))


@stands_for(np.linalg.eigh)
def eigh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803  (NumPy's name)
    """Return eigenvalues and eigenvectors of symmetric or Hermitian matrices."""
    return EighResult(*apply(ops.eigh, (operand(a),), uplo=UPLO))


@stands_for(np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803  (NumPy's name)
    """Return eigenvalues of symmetric or Hermitian matrices."""
    return apply(ops.eigvalsh, (operand(a),), uplo=UPLO)


@stands_for(np.linalg.svd)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return left vectors, singular values and right vectors of matrices."""
    if not compute_uv:
        return svdvals(a)
    full = bool(as_attribute("full_matrices", full_matrices))
    return SVDResult(*apply(ops.svd, (operand(a),), full_matrices=full))


@stands_for(np.linalg.svdvals)
def svdvals(x: Any, /) -> Any:
    """Return singular values of matrices."""
    return apply(ops.svdvals, (operand(x),))


@stands_for(np.linalg.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    """Return orthonormal and triangular factors of matrices."""
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"mode must be 'reduced', 'complete' or 'r', not {mode!r}")
    found = QRResult(*apply(ops.qr, (operand(a),), complete=mode == "complete"))
    return found[1] if mode == "r" else found


@stands_for(np.linalg.slogdet)
def slogdet(a: Any) -> Any:
    """Return the sign of determinants and the logarithms of their absolute values."""
    return SlogdetResult(*apply(ops.slogdet, (operand(a),)))


@stands_for(np.linalg.multi_dot)
def multi_dot(arrays: Any) -> Any:
    """Return the product of several matrices, in the order that multiplies least, as NumPy."""
    rows = [*map(operand, arrays)]
    if len(rows) == 2:
        return fn.dot(*rows)
    shapes = [describe(x).shape or () for x in rows]
    if len(rows) != 3 or any(not isinstance(n, int) for shape in shapes for n in shape):
        return call_concretely(np.linalg.multi_dot, (arrays,), {})
    is_row, is_column = len(shapes[0]) == 1, len(shapes[2]) == 1
    a = rows[0][None, :] if is_row else rows[0]
    b, c = rows[1], rows[2][:, None] if is_column else rows[2]
    if _costs_less_from_left(describe(a), describe(c)):
        found = fn.dot(fn.dot(a, b), c)
    else:
        found = fn.dot(a, fn.dot(b, c))
    return found[(0 if is_row else slice(None), 0 if is_column else slice(None))]


def _costs_less_from_left(a: Any, c: Any) -> bool:
    (n, k), (m, o) = a.shape, c.shape
    return bool(n * m * (k + o) < k * o * (n + m))


@stands_for(np.linalg.vector_norm)
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """Return the norm of vectors along axes."""
    x = operand(x)
    if axis is None and not keepdims:
        x, axis = fn.ravel(x), 0
    if axis is None or isinstance(axis, tuple):
        raise StagedValueError(
            "vector_norm() of staged arrays does not support the argument 'axis'"
        )
    return fn.LINALG["norm"](x, ord=ord, axis=axis, keepdims=keepdims)


@stands_for(np.linalg.matrix_norm)
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Return the norm of matrices in the last two axes."""
    return fn.LINALG["norm"](operand(x), ord=ord, axis=(-2, -1), keepdims=keepdims)


@stands_for(np.linalg.outer)
def outer(x1: Any, x2: Any, /) -> Any:
    """Return the products of every element of one vector with every one of another."""
    ranks = rank_of(operand(x1), "outer()"), rank_of(operand(x2), "outer()")
    if ranks != (1, 1):
        raise ValueError(
            f"Input arrays must be one-dimensional, but they are x1.ndim={ranks[0]} and "
            f"x2.ndim={ranks[1]}."
        )
    return fn.outer(operand(x1), operand(x2))


@stands_for(np.linalg.trace)
def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """Return the sum of the diagonal of matrices in the last two axes."""
    return fn.trace(operand(x), offset, -2, -1, dtype)


@stands_for(np.linalg.diagonal)
def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """Return the diagonal of matrices in the last two axes."""
    return fn.diagonal(operand(x), offset, -2, -1)


@stands_for(np.linalg.cross)
def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Return the vector product of vectors with three components."""
    return calculus.cross(x1, x2, axis=axis)


@stands_for(np.linalg.vecdot)
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Return sums of products of conjugated elements of vectors with those of others."""
    if axis != -1:
        x1, x2 = fn.moveaxis(operand(x1), axis, -1), fn.moveaxis(operand(x2), axis, -1)
    return np.vecdot(x1, x2)
