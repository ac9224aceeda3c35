"""Functions of whole matrices for `tf.linalg`: exponentials, roots, logarithms, triangular factors.

`expm` is the algorithm of Higham ("The Scaling and Squaring Method for the Matrix Exponential
Revisited", 2005); the others are SciPy's. They have gradients, that of `logm` by a logarithm of
twice the size (Higham, "Functions of Matrices", 2008, 3.2).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators.calls.host_callback import numpy_function
from autograph.staging.functional import while_loop
from autograph.tf.errors import InvalidArgumentError
from autograph.tf.tensors import takes
from autograph.transforms.custom import custom_vjp
from runtime.spec import TensorSpec

PADE = (
    64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
    10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
)  # fmt: skip
"""Coefficients of the diagonal Padé approximant of degree 13."""
LARGEST = 5.371920351148152
"""The norm up to which it is as exact as doubles are."""


@takes(1)
def expm(input: Any) -> Any:
    """Return the exponential of matrices."""
    x = input
    size = rnp.max(rnp.sum(rnp.abs(x), axis=-2), axis=-1)
    halvings = rnp.maximum(rnp.ceil(rnp.log2(rnp.maximum(size, 1e-30) / LARGEST)), 0.0)
    x = x / (2.0**halvings)[..., None, None].astype(x.dtype)
    found = _by_pade(x)
    last = rnp.max(halvings, initial=0.0)

    def square(state: Any) -> Any:
        k, y = state
        return k + 1.0, rnp.where((k < halvings)[..., None, None], rnp.matmul(y, y), y)

    return while_loop(lambda state: state[0] < last, square, (last * 0.0, found))[1]


def _by_pade(x: Any) -> Any:
    one, b = np.eye(x.shape[-1], dtype=x.dtype), [x.dtype.type(c) for c in PADE]
    x2 = rnp.matmul(x, x)
    x4 = rnp.matmul(x2, x2)
    x6 = rnp.matmul(x4, x2)
    high = rnp.matmul(x6, b[13] * x6 + b[11] * x4 + b[9] * x2)
    odd = rnp.matmul(x, high + b[7] * x6 + b[5] * x4 + b[3] * x2 + b[1] * one)
    high = rnp.matmul(x6, b[12] * x6 + b[10] * x4 + b[8] * x2)
    even = high + b[6] * x6 + b[4] * x4 + b[2] * x2 + b[0] * one
    return rnp.linalg.solve(even - odd, even + odd)


def _scipys(name: str) -> Callable[..., Any]:
    """Return a function of SciPy's, which is imported when it is called."""

    def call(*given: Any) -> Any:
        return getattr(import_module("scipy.linalg"), name)(*given)

    return call


def _of_each(name: str, function: Callable[..., Any], *matrices: Any) -> Any:
    """Return what a function of NumPy's matrices gives for each of a stack, in their dtype."""
    dtype = matrices[0].dtype

    def run(*stacks: Any) -> Any:
        flat = [np.reshape(x, (-1, *x.shape[-2:])) for x in stacks]
        made = [np.asarray(function(*row)) for row in zip(*flat, strict=True)]
        if dtype.kind == "f" and any(np.iscomplexobj(x) and np.any(x.imag) for x in made):
            raise InvalidArgumentError(f"{name} of this matrix is complex; give a complex one")
        real = np.real if dtype.kind == "f" else np.asarray
        found = np.reshape(np.asarray([*map(real, made)]), stacks[0].shape)
        return found.astype(dtype)

    return numpy_function(run, matrices, TensorSpec(matrices[0].shape, dtype))


def _root(x: Any) -> Any:
    return _of_each("sqrtm", _scipys("sqrtm"), x)


def _root_back(root: Any, g: Any) -> Any:
    turned = rnp.swapaxes(root, -1, -2)
    solve = _scipys("solve_sylvester")
    return (_of_each("sqrtm", lambda y, g: solve(y, y, g), turned, g),)


_SQRTM = custom_vjp(_root, lambda x: (_root(x),) * 2, _root_back)


@takes(1)
def sqrtm(input: Any) -> Any:
    """Return the principal square root of matrices; InvalidArgumentError if it is not real."""
    return _SQRTM(input)


def _turned(x: Any) -> Any:
    return rnp.conj(rnp.swapaxes(x, -1, -2))


def _logarithm(x: Any) -> Any:
    return _of_each("logm", _scipys("logm"), x)


def _logarithm_back(x: Any, g: Any) -> Any:
    turned, size = _turned(x), x.shape[-1]
    above = rnp.concatenate([turned, rnp.conj(g)], -1)
    below = rnp.concatenate([rnp.zeros_like(x), turned], -1)
    found = _logarithm(rnp.concatenate([above, below], -2))
    return (rnp.conj(found[..., :size, size:]),)


_LOGM = custom_vjp(_logarithm, lambda x: (_logarithm(x), x), _logarithm_back)


@takes(1)
def logm(input: Any) -> Any:
    """Return the principal logarithm of matrices; InvalidArgumentError if it is not real."""
    return _LOGM(input)


def _factors(x: Any) -> Any:
    def run(x: Any) -> Any:
        p, low, high = import_module("scipy.linalg").lu(x, p_indices=True)
        one = np.eye(x.shape[-1], dtype=x.dtype)
        return low - one + high, np.argsort(p, axis=-1).astype(np.int32)

    shape = x.shape
    specs = TensorSpec(shape, x.dtype), TensorSpec(shape[:-1], np.int32)
    return numpy_function(run, [x], specs)


def _factors_back(found: Any, cotangents: Any) -> Any:
    (both, rows), g = found, cotangents[0]
    low, high = _parts(both)
    turned, across = rnp.swapaxes(low, -1, -2), rnp.swapaxes(high, -1, -2)
    inner = rnp.tril(rnp.matmul(turned, rnp.tril(g, -1)), -1)
    inner = rnp.linalg.solve(turned, inner + rnp.triu(rnp.matmul(rnp.triu(g), across)))
    inner = rnp.linalg.solve(high, rnp.swapaxes(inner, -1, -2))
    places = rnp.argsort(rows, axis=-1)[..., None]
    return (rnp.take_along_axis(rnp.swapaxes(inner, -1, -2), places, axis=-2),)


_LU = custom_vjp(_factors, lambda x: (_factors(x),) * 2, _factors_back)


def _parts(both: Any) -> tuple[Any, Any]:
    """Return the lower factor, with ones, and the upper one."""
    return rnp.tril(both, -1) + np.eye(both.shape[-1], dtype=both.dtype), rnp.triu(both)


@takes(1)
def lu(input: Any) -> Any:
    """Return both factors of square matrices in one, and the rows that `L U` has, in its order."""
    return _LU(input)


@takes(1)
def lu_reconstruct(lower_upper: Any, perm: Any) -> Any:
    """Return the matrices that `lu` gave factors and rows of."""
    places = rnp.argsort(perm, axis=-1)
    return rnp.take_along_axis(rnp.matmul(*_parts(lower_upper)), places[..., None], axis=-2)


@takes(1)
def lu_solve(lower_upper: Any, perm: Any, rhs: Any) -> Any:
    """Return the solution of linear equations whose matrix `lu` gave factors and rows of."""
    low, high = _parts(lower_upper)
    moved = rnp.take_along_axis(rhs, rnp.asarray(perm)[..., None], axis=-2)
    return rnp.linalg.solve(high, rnp.linalg.solve(low, moved))


def _vectors(x: Any) -> Any:
    dtype = np.result_type(x.dtype, np.complex64)
    specs = TensorSpec(x.shape[:-1], dtype), TensorSpec(x.shape, dtype)
    run = lambda x: tuple(part.astype(dtype) for part in np.linalg.eig(x))  # noqa: E731
    return numpy_function(run, [x], specs)


def _vectors_back(kept: Any, cotangents: Any) -> Any:
    """Return the cotangent of matrices (Boeddeker et al., "Complex gradients", 2017)."""
    x, (values, vectors) = kept
    of_values, of_vectors = map(rnp.conj, cotangents)
    turned = _turned(vectors)
    gaps = rnp.conj(values[..., None, :] - values[..., None])
    inverse = rnp.where(gaps == 0, 0, 1 / rnp.where(gaps == 0, 1, gaps))
    change = rnp.matmul(turned, of_vectors)
    along = rnp.real(rnp.diagonal(change, 0, -2, -1))[..., None, :]
    inner = inverse * (change - rnp.matmul(turned, vectors) * along.astype(values.dtype))
    inner = inner + of_values[..., None] * np.eye(x.shape[-1], dtype=values.dtype)
    found = rnp.conj(rnp.linalg.solve(turned, rnp.matmul(inner, turned)))
    return (found if x.dtype.kind == "c" else rnp.real(found),)


def _vectors_and_kept(x: Any) -> Any:
    found = _vectors(x)
    return found, (x, found)


_EIG = custom_vjp(_vectors, _vectors_and_kept, _vectors_back)


@takes(1)
def eig(tensor: Any) -> Any:
    """Return the eigenvalues and eigenvectors of square matrices, which are complex."""
    return _EIG(tensor)


@takes(1)
def eigvals(tensor: Any) -> Any:
    """Return the eigenvalues of square matrices, which are complex."""
    return _EIG(tensor)[0]
