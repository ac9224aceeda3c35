"""Matrices as products of others: eigenvalues, singular values, triangular factors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.dtypes import DType
from runtime.errors import ShapeError
from runtime.graph.opdef import Samples, SpecRule, op
from runtime.graph.traits import NOT_DIFFERENTIABLE, raises
from runtime.ops.batch_rules import same as same_of_each
from runtime.ops.derivatives.matrix_rules import (
    CONDITION,
    PSEUDO_INVERSE,
    SIGN_AND_LOGARITHM,
    SINGULAR,
    SINGULAR_VALUES,
    SYMMETRIC_EIGEN,
    SYMMETRIC_VALUES,
    TRIANGULAR,
)
from runtime.ops.families import ARRAYS
from runtime.ops.samples import calls
from runtime.ops.spec_rules import Size, as_size, same_size, trial
from runtime.spec import Shape, TensorSpec, make_spec


def _dtype(function: Callable[..., Any], x: TensorSpec) -> DType:
    """Return the dtype of what a function makes of a matrix of size one."""
    found = trial(lambda one: np.asarray(function(np.reshape(one, (1, 1)))))(x)
    assert isinstance(found, TensorSpec)
    return found.dtype


def _matrix_sizes(x: TensorSpec) -> tuple[Shape, Size, Size] | None:
    """Return the sizes in front of matrices, and those of the matrices."""
    if x.shape is None:
        return None
    if len(x.shape) < 2:
        raise ShapeError(f"{x} is not a matrix: at least two axes are needed")
    *loop, rows, columns = x.shape
    return tuple(loop), rows, columns


def _square_sizes(x: TensorSpec) -> tuple[Shape, Size] | None:
    sizes = _matrix_sizes(x)
    if sizes is None:
        return None
    loop, rows, columns = sizes
    return loop, same_size(rows, columns, f"{x} is not square: {{}} != {{}}")


def _least(rows: Size, columns: Size) -> Size:
    if isinstance(rows, int) and isinstance(columns, int):
        return min(rows, columns)
    return rows if rows == columns else as_size(None)


def _stack(dtype: DType, loop: Shape | None, *sizes: Size) -> TensorSpec:
    return make_spec(dtype, None if loop is None else (*loop, *sizes))


def _matrices(kinds: str = "iufc", square: bool = False, **attrs: bool) -> Samples:
    shapes = [(3, 3), (2, 3, 3)] if square else [(3, 4), (2, 4, 3)]
    return calls(
        kinds,
        lambda some: [
            ((_symmetric(some(*s)) if square else some(*s),), given)
            for s in shapes
            for given in ([{}, attrs] if attrs else [{}])
        ],
    )


def _symmetric(x: Any) -> Any:
    return x + np.conj(np.swapaxes(x, -1, -2))


def _eigh_spec(x: TensorSpec, *, uplo: str) -> tuple[TensorSpec, ...]:
    loop, n = _square_sizes(x) or (None, as_size(None))
    values = _dtype(np.linalg.eigvalsh, x)
    vectors = _dtype(lambda one: np.linalg.eigh(one)[1], x)
    return _stack(values, loop, n), _stack(vectors, loop, n, n)


eigh = op(
    "eigh(x, /, uplo='L')",
    doc="Eigenvalues in rising order and eigenvectors of symmetric or Hermitian matrices.",
    spec=_eigh_spec,
    kernel=lambda xp, x, uplo: tuple(xp.linalg.eigh(x, uplo)),
    samples=_matrices("iufc", square=True),
    multiple=True,
    family=ARRAYS,
    derivative=SYMMETRIC_EIGEN,
    batching=same_of_each,
    raises=raises("LinAlgError"),
)


def _eigvalsh_spec(x: TensorSpec, *, uplo: str) -> TensorSpec:
    return _eigh_spec(x, uplo=uplo)[0]


eigvalsh = op(
    "eigvalsh(x, /, uplo='L')",
    doc="Eigenvalues in rising order of symmetric or Hermitian matrices.",
    spec=_eigvalsh_spec,
    kernel=lambda xp, x, uplo: xp.linalg.eigvalsh(x, uplo),
    samples=_matrices("iufc", square=True),
    family=ARRAYS,
    derivative=SYMMETRIC_VALUES,
    batching=same_of_each,
    raises=raises("LinAlgError"),
)


def _svd_spec(x: TensorSpec, *, full_matrices: bool) -> tuple[TensorSpec, ...]:
    loop, rows, columns = _matrix_sizes(x) or (None, as_size(None), as_size(None))
    least = _least(rows, columns)
    real = _dtype(lambda one: np.linalg.svd(one, compute_uv=False), x)
    dtype = _dtype(lambda one: np.linalg.svd(one)[0], x)
    left, right = (rows, columns) if full_matrices else (least, least)
    return (
        _stack(dtype, loop, rows, left),
        _stack(real, loop, least),
        _stack(dtype, loop, right, columns),
    )


svd = op(
    "svd(x, /, full_matrices=True)",
    doc="Left vectors, singular values in falling order, and right vectors of matrices.",
    spec=_svd_spec,
    kernel=lambda xp, x, full_matrices: tuple(xp.linalg.svd(x, full_matrices)),
    samples=_matrices(full_matrices=False),
    multiple=True,
    family=ARRAYS,
    derivative=SINGULAR,
    batching=same_of_each,
    raises=raises("LinAlgError"),
)


def _svdvals_spec(x: TensorSpec) -> TensorSpec:
    return _svd_spec(x, full_matrices=False)[1]


svdvals = op(
    "svdvals(x)",
    doc="Singular values of matrices in falling order.",
    spec=_svdvals_spec,
    kernel=lambda xp, x: xp.linalg.svd(x, compute_uv=False),
    samples=_matrices(),
    family=ARRAYS,
    derivative=SINGULAR_VALUES,
    batching=same_of_each,
    raises=raises("LinAlgError"),
)


def _qr_spec(x: TensorSpec, *, complete: bool) -> tuple[TensorSpec, ...]:
    loop, rows, columns = _matrix_sizes(x) or (None, as_size(None), as_size(None))
    inner = rows if complete else _least(rows, columns)
    dtype = _dtype(lambda one: np.linalg.qr(one)[0], x)
    return _stack(dtype, loop, rows, inner), _stack(dtype, loop, inner, columns)


qr = op(
    "qr(x, /, complete=False)",
    doc="Orthonormal and upper triangular factors of matrices.",
    spec=_qr_spec,
    kernel=lambda xp, x, complete: tuple(xp.linalg.qr(x, "complete" if complete else "reduced")),
    samples=_matrices(),
    multiple=True,
    family=ARRAYS,
    derivative=TRIANGULAR,
    batching=same_of_each,
)


def _slogdet_spec(x: TensorSpec) -> tuple[TensorSpec, ...]:
    loop, _ = _square_sizes(x) or (None, None)
    sign = _dtype(lambda one: np.linalg.slogdet(one)[0], x)
    size = _dtype(lambda one: np.linalg.slogdet(one)[1], x)
    return make_spec(sign, loop), make_spec(size, loop)


slogdet = op(
    "slogdet(x)",
    doc="Sign of the determinant of matrices, and the logarithm of its absolute value.",
    spec=_slogdet_spec,
    kernel=lambda xp, x: tuple(xp.linalg.slogdet(x)),
    samples=_matrices("iufc", square=True),
    multiple=True,
    family=ARRAYS,
    derivative=SIGN_AND_LOGARITHM,
    batching=same_of_each,
)


def _pinv_spec(x: TensorSpec) -> TensorSpec:
    loop, rows, columns = _matrix_sizes(x) or (None, as_size(None), as_size(None))
    return _stack(_dtype(np.linalg.pinv, x), loop, columns, rows)


pinv = op(
    "pinv(x)",
    doc="Pseudo-inverse of matrices (Moore and Penrose).",
    spec=_pinv_spec,
    kernel=lambda xp, x: xp.linalg.pinv(x),
    samples=_matrices(),
    functions=(np.linalg.pinv,),
    family=ARRAYS,
    derivative=PSEUDO_INVERSE,
    batching=same_of_each,
    raises=raises("LinAlgError"),
)


def _of_matrices(function: Callable[..., Any]) -> SpecRule:
    """Return the rule of functions that make one number of each matrix."""

    def rule(x: TensorSpec) -> TensorSpec:
        loop, *_ = _matrix_sizes(x) or (None,)
        return make_spec(_dtype(function, x), loop)

    return rule


matrix_rank = op(
    "matrix_rank(x)",
    doc="Number of singular values of matrices that are not negligible.",
    spec=_of_matrices(np.linalg.matrix_rank),
    kernel=lambda xp, x: xp.linalg.matrix_rank(x),
    samples=_matrices(),
    functions=(np.linalg.matrix_rank,),
    family=ARRAYS,
    derivative=NOT_DIFFERENTIABLE,
    batching=same_of_each,
    raises=raises("LinAlgError"),
)

condition = op(
    "condition(x)",
    doc="Condition number of matrices: their greatest singular value divided by the least.",
    spec=_of_matrices(np.linalg.cond),
    kernel=lambda xp, x: xp.linalg.cond(x),
    samples=_matrices("iuf", square=True),
    functions=(np.linalg.cond,),
    family=ARRAYS,
    derivative=CONDITION,
    batching=same_of_each,
    raises=raises("LinAlgError"),
)
