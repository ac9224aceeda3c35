"""`tf.linalg`: products, decompositions, and parts of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf.absent import missing_from
from autograph.tf.composite import as_list, takes_composites
from autograph.tf.creation import eye
from autograph.tf.errors import translating
from autograph.tf.matrix_functions import (
    eig,
    eigvals,
    expm,
    logm,
    lu,
    lu_reconstruct,
    lu_solve,
    sqrtm,
)
from autograph.tf.tensors import as_result, convert_to_tensor, pair, takes
from autograph.tf.tridiagonal import tridiagonal_matmul, tridiagonal_solve

__all__ = [
    "adjoint",
    "band_part",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "einsum",
    "expm",
    "eye",
    "global_norm",
    "inv",
    "logdet",
    "logm",
    "lstsq",
    "lu",
    "lu_reconstruct",
    "lu_solve",
    "matmul",
    "matrix_rank",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "pinv",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "triangular_solve",
    "tridiagonal_matmul",
    "tridiagonal_solve",
]


@takes_composites
def matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, name: Any = None
) -> Any:
    """Return the product of matrices, of which each may be transposed first."""
    with translating():
        x, y = pair(a, b)
        x = rnp.swapaxes(x, -1, -2) if transpose_a else x
        y = rnp.swapaxes(y, -1, -2) if transpose_b else y
        return as_result(rnp.matmul(x, y))


def matvec(a: Any, b: Any, transpose_a: bool = False, name: Any = None) -> Any:
    """Return the product of a matrix and a vector."""
    with translating():
        x, y = pair(a, b)
        x = rnp.swapaxes(x, -1, -2) if transpose_a else x
        return as_result(rnp.matmul(x, y[..., None])[..., 0])


def tensordot(a: Any, b: Any, axes: Any, name: Any = None) -> Any:
    """Return the sum of products over axes."""
    with translating():
        return as_result(rnp.tensordot(*pair(a, b), axes=axes))


def einsum(equation: str, *inputs: Any, name: Any = None) -> Any:
    """Return sums of products, as Einstein wrote them."""
    with translating():
        return as_result(rnp.einsum(equation, *map(convert_to_tensor, inputs)))


def solve(matrix: Any, rhs: Any, name: Any = None) -> Any:
    """Return the solution of linear equations."""
    with translating():
        return as_result(rnp.linalg.solve(*pair(matrix, rhs)))


@takes(2)
def cross(a: Any, b: Any) -> Any:
    """Return the cross product of vectors of length 3."""
    return rnp.cross(a, b)


@takes(1)
def norm(tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool = False) -> Any:
    """Return a norm: the euclidean one of all elements, unless another one is asked for."""
    if ord == "euclidean" and axis is None:
        found = rnp.linalg.norm(rnp.reshape(tensor, (-1,)))
        return rnp.reshape(found, (1,) * tensor.ndim) if keepdims else found
    kind = None if ord == "euclidean" else ord
    return rnp.linalg.norm(tensor, kind, tuple(axis) if isinstance(axis, list) else axis, keepdims)


@takes(1)
def normalize(tensor: Any, axis: Any = None) -> Any:
    """Return a tensor divided by its norm, and the norm."""
    size = rnp.sqrt(rnp.sum(tensor * tensor, axis=axis, keepdims=True))
    return tensor / size, size


def global_norm(t_list: Any, name: Any = None) -> Any:
    """Return the norm of the elements of several tensors; None stands for no tensor."""
    with translating():
        tensors = as_list(t_list, "tf.linalg.global_norm")
        given = [convert_to_tensor(x) for x in tensors if x is not None]
        return as_result(rnp.sqrt(sum(rnp.sum(x * x) for x in given)))


def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: Any = None
) -> tuple[list[Any], Any]:
    """Return tensors scaled down to a norm of all their elements, and what that was.

    Args:
        t_list: the tensors; None stands for no tensor.
        clip_norm: the largest norm.
        use_norm: the norm of all elements, where it is known.
        name: has no effect.
    """
    t_list = as_list(t_list, "tf.clip_by_global_norm")
    norm = global_norm(t_list) if use_norm is None else convert_to_tensor(use_norm)
    with translating():
        scale = clip_norm / rnp.maximum(norm, clip_norm)
        scale = rnp.where(rnp.isfinite(norm), scale, np.nan)  # as TensorFlow does
        given = [None if x is None else convert_to_tensor(x) for x in t_list]
        return [None if x is None else as_result(x * scale.astype(x.dtype)) for x in given], norm


@takes(1)
def det(input: Any) -> Any:
    """Return the determinant."""
    return rnp.linalg.det(input)


@takes(1)
def inv(input: Any) -> Any:
    """Return the inverse matrix."""
    return rnp.linalg.inv(input)


@takes(1)
def pinv(a: Any) -> Any:
    """Return the pseudo-inverse matrix."""
    return rnp.linalg.pinv(a)


@takes(1)
def cholesky(input: Any) -> Any:
    """Return the lower Cholesky factor."""
    return rnp.linalg.cholesky(input)


@takes(1)
def qr(input: Any) -> Any:
    """Return the factors Q and R."""
    return tuple(rnp.linalg.qr(input))


@takes(1)
def eigh(tensor: Any) -> Any:
    """Return eigenvalues and eigenvectors of a symmetric matrix."""
    return tuple(rnp.linalg.eigh(tensor))


@takes(1)
def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """Return singular values, U and V (not transposed, as TensorFlow has it), or them alone."""
    if not compute_uv:
        return rnp.linalg.svd(tensor, compute_uv=False)
    u, s, vt = rnp.linalg.svd(tensor, full_matrices=full_matrices)
    return s, u, rnp.swapaxes(vt, -1, -2)


@takes(1)
def eigvalsh(tensor: Any) -> Any:
    """Return the eigenvalues of a symmetric matrix."""
    return rnp.linalg.eigvalsh(tensor)


@takes(1)
def adjoint(matrix: Any) -> Any:
    """Return matrices transposed, with conjugate elements."""
    return rnp.conj(rnp.swapaxes(matrix, -1, -2))


@takes(2)
def cholesky_solve(chol: Any, rhs: Any) -> Any:
    """Return the solution of linear equations whose matrix has a Cholesky factor."""
    part = rnp.tril(chol)
    return rnp.linalg.solve(rnp.conj(rnp.swapaxes(part, -1, -2)), rnp.linalg.solve(part, rhs))


@takes(1)
def logdet(matrix: Any) -> Any:
    """Return the logarithm of the determinant of a positive definite matrix."""
    factor = rnp.diagonal(rnp.linalg.cholesky(matrix), axis1=-2, axis2=-1)
    return 2 * rnp.sum(rnp.log(rnp.real(factor)), axis=-1)


@takes(1)
def slogdet(input: Any) -> Any:
    """Return the sign of the determinant, and the logarithm of its size."""
    return tuple(rnp.linalg.slogdet(input))


@takes(1)
def matrix_rank(a: Any, tol: Any = None) -> Any:
    """Return the rank: how many singular values are not about zero."""
    sizes = rnp.linalg.svd(a, compute_uv=False)
    if tol is None:
        top = rnp.max(sizes, axis=-1, keepdims=True)
        tol = np.finfo(a.dtype).eps * max(a.shape[-2:]) * top
    return rnp.sum(sizes > tol, axis=-1).astype(np.int32)


@takes(2)
def lstsq(matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True) -> Any:
    """Return what solves linear equations with the least squares of errors, or is the shortest.

    Args:
        matrix: `[..., m, n]`.
        rhs: `[..., m, k]`.
        l2_regularizer: so many times the square of the solution counts as well.
        fast: whether the normal equations are solved; else by the pseudo-inverse.
    """
    if not fast:
        return rnp.matmul(rnp.linalg.pinv(matrix), rhs)
    turned = rnp.conj(rnp.swapaxes(matrix, -1, -2))
    m, n = matrix.shape[-2:]
    more = l2_regularizer * np.eye(min(m, n), dtype=matrix.dtype)
    if m >= n:
        return rnp.linalg.solve(rnp.matmul(turned, matrix) + more, rnp.matmul(turned, rhs))
    return rnp.matmul(turned, rnp.linalg.solve(rnp.matmul(matrix, turned) + more, rhs))


@takes(1)
def tensor_diag_part(input: Any) -> Any:
    """Return the elements of a tensor for which both halves of the index agree."""
    half = input.shape[: input.ndim // 2]
    size = int(np.prod(half))
    return rnp.reshape(rnp.diagonal(rnp.reshape(input, (size, size))), half)


@takes(1)
def diag(diagonal: Any) -> Any:
    """Return a matrix with a diagonal."""
    return rnp.diag(diagonal)


@takes(1)
def diag_part(input: Any) -> Any:
    """Return the diagonal of matrices."""
    return rnp.diagonal(input, axis1=-2, axis2=-1)


@takes(2)
def set_diag(input: Any, diagonal: Any) -> Any:
    """Return matrices with another main diagonal."""
    rows, columns = input.shape[-2:]
    is_main = rnp.arange(rows)[:, None] == rnp.arange(columns)
    least = min(rows, columns)
    places = rnp.minimum(rnp.arange(rows), least - 1)
    return rnp.where(is_main, rnp.take(diagonal, places, axis=-1)[..., None], input)


@takes(1)
def tensor_diag(diagonal: Any) -> Any:
    """Return a tensor of twice the rank that is zero but where both halves of the index agree."""
    shape = diagonal.shape
    return rnp.reshape(rnp.diag(rnp.reshape(diagonal, (-1,))), (*shape, *shape))


@takes(2)
def triangular_solve(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False) -> Any:
    """Return the solution of linear equations of which only one triangle is looked at."""
    part = rnp.tril(matrix) if lower else rnp.triu(matrix)
    return rnp.linalg.solve(rnp.conj(rnp.swapaxes(part, -1, -2)) if adjoint else part, rhs)


@takes(1)
def trace(x: Any) -> Any:
    """Return the sum of the diagonal."""
    return rnp.trace(x, axis1=-2, axis2=-1, dtype=x.dtype)


@takes(1)
def band_part(input: Any, num_lower: int, num_upper: int) -> Any:
    """Return a matrix with only so many diagonals below and above the main one; -1 means all."""
    found = input if num_lower < 0 else rnp.triu(input, -num_lower)
    return found if num_upper < 0 else rnp.tril(found, num_upper)


@takes(1)
def matrix_transpose(a: Any) -> Any:
    """Return matrices transposed."""
    return rnp.swapaxes(a, -1, -2)


__getattr__ = missing_from("autograph.tf.linalg", globals())
