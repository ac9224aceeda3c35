"""The public functions of `numpy.linalg` that are written out, with NumPy's own signatures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np

from runtime.dispatch import apply
from runtime.numpy import calculus
from runtime.numpy import functions as fn
from runtime.numpy.face import as_attribute, call_concretely, stands_for
from runtime.numpy.shaping import operand, rank_of, reshape
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
    ranks, is_known = [*map(len, shapes)], all(isinstance(n, int) for x in shapes for n in x)
    if (
        len(rows) < 2
        or {*ranks[1:-1]} != {2}
        or not {ranks[0], ranks[-1]} <= {1, 2}
        or not is_known
    ):
        return call_concretely(np.linalg.multi_dot, (arrays,), {})
    is_row, is_column = ranks[0] == 1, ranks[-1] == 1
    rows[0] = rows[0][None, :] if is_row else rows[0]
    rows[-1] = rows[-1][:, None] if is_column else rows[-1]
    sizes = [n for x in rows for n in describe(x).shape or () if isinstance(n, int)]
    found = _multiplied(rows, [*sizes[::2], sizes[-1]])
    return found[(0 if is_row else slice(None), 0 if is_column else slice(None))]


def _multiplied(rows: Sequence[Any], sizes: Sequence[int]) -> Any:
    """Return a product of matrices, which have so many rows, and so many columns at last.

    It takes the order of least work (Cormen et al., Introduction to Algorithms, 15.2), and of equal
    ones that which NumPy takes.
    """

    @cache
    def least(first: int, last: int) -> tuple[int, int]:
        """Return the work of some of the matrices, and where they are parted."""
        work = sizes[first] * sizes[last + 1]
        return min(
            (
                (least(first, k)[0] + least(k + 1, last)[0] + work * sizes[k + 1], k)
                for k in range(first, last)
            ),
            default=(0, first),
        )

    def product(first: int, last: int) -> Any:
        if first == last:
            return rows[first]
        at = least(first, last)[1]
        return fn.dot(product(first, at), product(at + 1, last))

    return product(0, len(rows) - 1)


@stands_for(np.linalg.vector_norm)
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """Return the norm of vectors along axes."""
    x = operand(x)
    if axis is None:
        found = fn.LINALG["norm"](fn.ravel(x), ord=ord, axis=0)
        return fn.expand_dims(found, tuple(range(x.ndim))) if keepdims and x.ndim else found
    if isinstance(axis, tuple):
        rank = rank_of(x, "vector_norm()")
        axes = np.lib.array_utils.normalize_axis_tuple(axis, rank)
        rest = [k for k in range(rank) if k not in axes]
        moved = fn.transpose(x, (*axes, *rest))
        flat = reshape(moved, (prod(x.shape[k] for k in axes), *(x.shape[k] for k in rest)))
        found = fn.LINALG["norm"](flat, ord=ord, axis=0)
        return fn.expand_dims(found, axes) if keepdims else found
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
