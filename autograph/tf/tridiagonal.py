"""Matrices with three diagonals for `tf.linalg`: equations are solved by SciPy's `solve_banded`.

Solutions have gradients, which have none.

They are `compact`, `[..., 3, n]`: the diagonal above, the main one, the one below, of which the
last element of the first and the first of the last do not count; a `sequence` of those three; or a
`matrix`, `[..., n, n]`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators.calls.host_callback import numpy_function
from autograph.tf.errors import translating
from autograph.tf.tensors import as_result, convert_to_tensor
from autograph.transforms.custom import custom_vjp
from runtime.spec import TensorSpec


def _banded(above: Any, diagonal: Any, below: Any, rhs: Any) -> Any:
    """Return the solution for diagonals, each `[..., n]`, and right hand sides `[..., n, k]`."""

    def run(above: Any, diagonal: Any, below: Any, rhs: Any) -> Any:
        bands = np.stack([np.roll(above, 1, -1), diagonal, np.roll(below, -1, -1)], axis=-2)
        bands = np.broadcast_to(bands, (*rhs.shape[:-2], *bands.shape[-2:]))
        solve, found = import_module("scipy.linalg").solve_banded, np.empty_like(rhs)
        for place in np.ndindex(rhs.shape[:-2]):
            found[place] = solve((1, 1), bands[place], rhs[place])
        return found

    return numpy_function(run, [above, diagonal, below, rhs], TensorSpec(rhs.shape, rhs.dtype))


def _with_parts(above: Any, diagonal: Any, below: Any, rhs: Any) -> Any:
    found = _banded(above, diagonal, below, rhs)
    return found, (above, diagonal, below, found)


def _banded_back(kept: Any, g: Any) -> Any:
    above, diagonal, below, found = kept
    first, second, third = map(
        rnp.conj, (rnp.roll(below, -1, -1), diagonal, rnp.roll(above, 1, -1))
    )
    moved = _banded(first, second, third, g)
    beside = rnp.zeros_like(found[..., :1, :])
    after = rnp.concatenate([found[..., 1:, :], beside], -2)
    before = rnp.concatenate([beside, found[..., :-1, :]], -2)
    parts = [-rnp.sum(moved * rnp.conj(x), axis=-1) for x in (after, found, before)]
    return (*parts, moved)


_SOLUTION = custom_vjp(_banded, _with_parts, _banded_back)


def _parts(diagonals: Any, diagonals_format: str) -> list[Any]:
    """Return the three diagonals, each `[..., n]`."""
    if diagonals_format == "sequence":
        above, diagonal, below = map(convert_to_tensor, diagonals)
        return [_whole(above, diagonal, 1), diagonal, _whole(below, diagonal, 0)]
    x = convert_to_tensor(diagonals)
    if diagonals_format == "compact":
        return [x[..., k, :] for k in range(3)]
    if diagonals_format != "matrix":
        raise ValueError(
            f"diagonals_format is 'compact', 'sequence' or 'matrix', not {diagonals_format!r}"
        )
    above, diagonal, below = (rnp.diagonal(x, k, -2, -1) for k in (1, 0, -1))
    return [_whole(above, diagonal, 1), diagonal, _whole(below, diagonal, 0)]


def _whole(x: Any, diagonal: Any, at_end: int) -> Any:
    """Return a diagonal beside the main one with the element that does not count."""
    if x.shape[-1] == diagonal.shape[-1]:
        return x
    parts = [rnp.zeros_like(x[..., :1]), x]
    return rnp.concatenate(parts[::-1] if at_end else parts, axis=-1)


def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: Any = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Any:
    """Return the solution of linear equations whose matrix has three diagonals.

    Args:
        diagonals: of the matrix.
        rhs: `[..., n]` or `[..., n, k]`, of the dtype of the diagonals.
        diagonals_format: "compact", "sequence" or "matrix".
        transpose_rhs: whether `rhs` is `[..., k, n]`.
        conjugate_rhs: whether its conjugate is meant.
        name: has no effect, nor have the others: rows are always exchanged where it is needed.

    >>> tridiagonal_solve([[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]], [4.0, 5.0]).numpy()
    array([1., 2.], dtype=float32)
    """
    with translating():
        parts, x = _parts(diagonals, diagonals_format), convert_to_tensor(rhs)
        x = rnp.conj(x) if conjugate_rhs else x
        is_row = x.ndim == parts[1].ndim
        if is_row or transpose_rhs:
            x = x[..., None] if is_row else rnp.swapaxes(x, -1, -2)
        found = _SOLUTION(*parts, x)
        return as_result(found[..., 0] if is_row else found)


def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: Any = None
) -> Any:
    """Return the product of matrices that have three diagonals and matrices `[..., n, k]`."""
    with translating():
        (above, diagonal, below), x = _parts(diagonals, diagonals_format), convert_to_tensor(rhs)
        found = diagonal[..., None] * x
        after = above[..., :-1, None] * x[..., 1:, :]
        before = below[..., 1:, None] * x[..., :-1, :]
        nothing = rnp.zeros_like(found[..., :1, :])
        found = found + rnp.concatenate([after, nothing], -2)
        return as_result(found + rnp.concatenate([nothing, before], -2))
