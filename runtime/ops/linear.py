"""Products of vectors and matrices, and linear algebra."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from runtime.dtypes import DType, promote, resolve_ufunc
from runtime.errors import DtypeError, ShapeError
from runtime.graph.opdef import SpecRule, op
from runtime.graph.traits import Error, raises, raises_nothing, raises_of_sizes
from runtime.ops.batch_rules import (
    Batch,
    Operand,
    Result,
    along,
    known_ranks,
    norm_of_each,
    product,
    solution,
)
from runtime.ops.batch_rules import same as same_of_each
from runtime.ops.derivatives import matrix_rules, product_rules, reduction_rules
from runtime.ops.derivatives.constructors import bilinear
from runtime.ops.einsum_subscripts import read_subscripts
from runtime.ops.families import ARRAYS
from runtime.ops.samples import Call, calls
from runtime.ops.spec_rules import (
    Size,
    broadcast,
    core_shape,
    normal_axes,
    normal_axis,
    numpys,
    same_size,
    trial,
)
from runtime.spec import UNKNOWN, Shape, TensorSpec, broadcast_shapes, make_spec

Some = Callable[..., Any]
MATMUL = "(n?,k),(k,m?)->(n?,m?)"


def _matmul_spec(x: TensorSpec, y: TensorSpec) -> TensorSpec:
    (dtype,) = resolve_ufunc(np.matmul, x.promotable, y.promotable)
    return make_spec(dtype, core_shape(MATMUL, (x, y)))


def _product_samples(some: Some) -> list[Call]:
    return [
        ((some(3, 4), some(4, 2)), {}),
        ((some(4), some(4)), {}),
        ((some(3, 4), some(4)), {}),
        ((some(4), some(4, 2)), {}),
        ((some(0, 4), some(4, 2)), {}),
        ((some(3, 0), some(0, 2)), {}),
        ((some(4, 3).T, np.ones((4, 2))), {}),
    ]


matmul = op(
    "matmul(x, y)",
    doc="Matrix product; further axes in front are broadcast, vectors are rows and columns.",
    spec=_matmul_spec,
    kernel=lambda xp, x, y: operator.matmul(x, y),
    samples=calls(
        "biufc",
        lambda some: [
            *_product_samples(some),
            ((some(2, 1, 3, 4), some(5, 4, 2)), {}),
        ],
    ),
    python="{0} @ {1}",
    functions=(np.matmul,),
    family=ARRAYS,
    derivative=product_rules.PRODUCT,
    batching=product,
    product="matrix",
)


def _dot_spec(x: TensorSpec, y: TensorSpec) -> TensorSpec:
    dtype = promote(x.dtype, y.dtype)
    if x.shape is None or y.shape is None:
        return make_spec(dtype, None)
    if not x.shape or not y.shape:
        return make_spec(dtype, (*x.shape, *y.shape))
    place = max(len(y.shape) - 2, 0)
    message = f"shapes of {x} and {y} not aligned: {{}} != {{}}"
    same_size(x.shape[-1], y.shape[place], message)
    return make_spec(dtype, (*x.shape[:-1], *y.shape[:place], *y.shape[place + 1 :]))


def _dot_of_each(b: Batch, x: Operand, y: Operand) -> Result:
    if not known_ranks((x, y)) or not (1 <= x.rank <= 2 and 1 <= y.rank <= 2):
        return None
    return product(b, x, y, op=matmul)


dot = op(
    "dot(x, y)",
    doc="Sum of products over the last axis of the first array and the second last of the other.",
    **numpys(np.dot, spec=_dot_spec),
    samples=calls(
        "biufc",
        lambda some: [
            *_product_samples(some),
            ((some(2, 3, 4), some(5, 4, 2)), {}),
            ((some(3), 2), {}),
            ((some(1)[0], some(1)[0]), {}),
        ],
    ),
    family=ARRAYS,
    derivative=matrix_rules.DOT,
    batching=_dot_of_each,
    product="sum",
)


def _inner_spec(x: TensorSpec, y: TensorSpec) -> TensorSpec:
    dtype = promote(x.dtype, y.dtype)
    if x.shape is None or y.shape is None:
        return make_spec(dtype, None)
    if not x.shape or not y.shape:
        return make_spec(dtype, (*x.shape, *y.shape))
    same_size(x.shape[-1], y.shape[-1], f"shapes of {x} and {y} not aligned: {{}} != {{}}")
    return make_spec(dtype, (*x.shape[:-1], *y.shape[:-1]))


inner = op(
    "inner(x, y)",
    doc="Sum of products over the last axes of two arrays.",
    **numpys(np.inner, spec=_inner_spec),
    samples=calls("biufc", lambda some: [((some(3, 4), some(2, 4)), {}), ((some(4), some(4)), {})]),
    family=ARRAYS,
    derivative=matrix_rules.INNER,
    product="sum",
)


def _count(spec: TensorSpec) -> Size:
    if spec.shape is not None and len(spec.shape) == 1:
        return spec.shape[0]
    if spec.is_static and spec.shape is not None:
        return int(np.prod([n for n in spec.shape if isinstance(n, int)], dtype=int))
    return UNKNOWN


outer = op(
    "outer(x, y)",
    doc="Products of every element of one array with every element of another.",
    **numpys(
        np.outer,
        spec=lambda x, y: make_spec(
            resolve_ufunc(np.multiply, x.dtype, y.dtype)[0], (_count(x), _count(y))
        ),
    ),
    samples=calls("biufc", lambda some: [((some(3), some(2)), {}), ((some(2, 2), some(3)), {})]),
    family=ARRAYS,
    derivative=matrix_rules.OUTER,
    product="sum",
    raises=raises_nothing,
)


def _vdot_spec(x: TensorSpec, y: TensorSpec) -> TensorSpec:
    same_size(_count(x), _count(y), "cannot take the inner product of {} and {} elements")
    return make_spec(promote(x.dtype, y.dtype), ())


vdot = op(
    "vdot(x, y)",
    doc="Sum of products of the conjugated elements of one array and the elements of another.",
    **numpys(np.vdot, spec=_vdot_spec),
    samples=calls("biufc", lambda some: [((some(3), some(3)), {}), ((some(2, 3), some(3, 2)), {})]),
    family=ARRAYS,
    derivative=matrix_rules.VDOT,
    product="sum",
)


def _pairs(axes: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if isinstance(axes, int):
        return tuple(range(-axes, 0)), tuple(range(axes))
    first, second = ((k,) if isinstance(k, int) else tuple(k) for k in axes)
    return first, second


def _tensordot_spec(x: TensorSpec, y: TensorSpec, *, axes: Any) -> TensorSpec:
    dtype = promote(x.dtype, y.dtype)
    if x.shape is None or y.shape is None:
        return make_spec(dtype, None)
    wanted = _pairs(axes)
    first = tuple(normal_axis(k, len(x.shape)) for k in wanted[0])
    second = tuple(normal_axis(k, len(y.shape)) for k in wanted[1])
    if len(first) != len(second):
        raise ShapeError("shape-mismatch for sum")
    for i, j in zip(first, second, strict=True):
        same_size(x.shape[i], y.shape[j], "shape-mismatch for sum: {} != {}")
    left = (n for k, n in enumerate(x.shape) if k not in first)
    right = (n for k, n in enumerate(y.shape) if k not in second)
    return make_spec(dtype, (*left, *right))


tensordot = op(
    "tensordot(x, y, /, axes=2)",
    doc="Sum of products over pairs of axes of two arrays.",
    spec=_tensordot_spec,
    kernel=lambda xp, x, y, axes: xp.asarray(xp.tensordot(x, y, axes)),
    samples=calls(
        "biufc",
        lambda some: [
            ((some(2, 3, 4), some(3, 4, 5)), {}),
            ((some(2, 3), some(3, 2)), {"axes": ((0, 1), (1, 0))}),
            ((some(2, 3), some(3)), {"axes": 1}),
        ],
    ),
    functions=(np.tensordot,),
    family=ARRAYS,
    derivative=matrix_rules.TENSORDOT,
    product="sum",
)


def _einsum_spec(*x: TensorSpec, subscripts: str, optimize: bool) -> TensorSpec:
    dtype = promote(*(spec.dtype for spec in x))
    if any(spec.shape is None for spec in x):
        out = subscripts.replace(" ", "").partition("->")[2]
        unknown = "->" not in subscripts or "..." in out
        return make_spec(dtype, None if unknown else (UNKNOWN,) * len(out))
    terms, out = read_subscripts(subscripts, tuple(spec.rank or 0 for spec in x))
    sizes: dict[str, Size] = {}
    for term, spec in zip(terms, x, strict=True):
        assert spec.shape is not None
        for letter, size in zip(term, spec.shape, strict=True):
            both = broadcast_shapes([(sizes.get(letter, size),), (size,)])
            assert both is not None
            sizes[letter] = both[0]
    if any(letter not in sizes for letter in out):
        raise ShapeError(f"einsum's result has a subscript that no operand has: {subscripts!r}")
    return make_spec(dtype, tuple(sizes[letter] for letter in out))


def _einsum_of_each(b: Batch, *x: Operand, subscripts: str, optimize: bool) -> Result:
    if not known_ranks(x):
        return None
    terms, out = read_subscripts(subscripts, tuple(one.rank for one in x))
    used = set("".join(terms))
    free = next((c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in used), None)
    if free is None:
        return None
    pairs = zip(x, terms, strict=True)
    given = ",".join(f"{free}{term}" if one.is_batched else term for one, term in pairs)
    text = f"{given}->{free}{out}"
    return b.emit(b.node.op, *(one.value for one in x), subscripts=text, optimize=optimize)


einsum = op(
    "einsum(*x, subscripts, optimize=False)",
    doc="Sums of products over the axes that letters name, as in `ij,jk->ik`.",
    spec=_einsum_spec,
    kernel=lambda xp, *x, subscripts, optimize: _owned(
        xp, xp.einsum(subscripts, *x, optimize=optimize)
    ),
    samples=calls(
        "biufc",
        lambda some: [
            ((some(3, 4), some(4, 2)), {"subscripts": "ij,jk->ik"}),
            ((some(3, 4), some(4)), {"subscripts": "ij, j"}),
            ((some(3, 3),), {"subscripts": "ii"}),
            ((some(3, 3),), {"subscripts": "ii->i"}),
            ((some(5, 3, 4), some(1, 4, 2)), {"subscripts": "...ij,...jk->...ik"}),
        ],
    ),
    family=ARRAYS,
    derivative=matrix_rules.EINSUM,
    batching=_einsum_of_each,
    product="sum",
)


def _owned(xp: Any, x: Any) -> Any:
    """Return an array that is no view of an operand, which `ii->i` would give."""
    return xp.array(x)[()] if getattr(x, "base", None) is not None else x


trace = op(
    "trace(x, /, offset=0, axis1=0, axis2=1, dtype=None)",
    doc="Sum of the diagonal of two axes.",
    **numpys(
        np.trace,
        spec=trial(
            lambda x, **attrs: np.trace(x, **attrs) if x.ndim > 1 else np.sum(x),
            lambda x, axis1, axis2, **attrs: _without(x, axis1, axis2),
        ),
    ),
    samples=calls(
        "biufc", lambda some: [((some(3, 4),), {}), ((some(3, 4, 2),), {"axis2": 2, "offset": 1})]
    ),
    family=ARRAYS,
    derivative=matrix_rules.TRACE,
    batching=along("axis1", "axis2"),
    raises=raises_of_sizes,
)


def _without(x: TensorSpec, *axes: int) -> Shape | None:
    if x.shape is None:
        return None
    if len(x.shape) < 2:
        raise ShapeError("diag requires an array of at least two dimensions")
    taken = normal_axes(axes, len(x.shape))
    return tuple(n for k, n in enumerate(x.shape) if k not in taken)


def _cross_spec(x: TensorSpec, y: TensorSpec, *, axis: int) -> TensorSpec:
    dtype = promote(x.dtype, y.dtype)
    if dtype.kind == "b":
        raise DtypeError("cross is not defined for bool")
    for spec in (x, y):
        if spec.shape is not None and spec.shape[normal_axis(axis, len(spec.shape))] in (0, 1, 2):
            raise ShapeError(f"vectors that are multiplied must have three components, not {spec}")
    return make_spec(dtype, broadcast(x, y))


cross = op(
    "cross(x, y, /, axis=-1)",
    doc="Vector product of vectors with three components.",
    spec=_cross_spec,
    kernel=lambda xp, x, y, axis: xp.cross(x, y, axis=axis),
    samples=calls("iufc", lambda some: [((some(3), some(3)), {}), ((some(2, 3), some(3)), {})]),
    family=ARRAYS,
    derivative=bilinear(matrix_rules.cross_left, matrix_rules.cross_right),
)


def _square(x: TensorSpec) -> None:
    if x.shape is not None and len(x.shape) < 2:
        raise ShapeError(f"{x} is not a matrix: at least two axes are needed")
    if x.shape is not None:
        same_size(x.shape[-1], x.shape[-2], f"{x} is not square: {{}} != {{}}")


def _matrix(function: Callable[..., Any], *specs: TensorSpec) -> DType:
    """Return the dtype of what a function makes of matrices."""

    def of_matrices(*ones: Any) -> Any:
        return function(*(np.reshape(x, (1, 1)) for x in ones))

    found = trial(of_matrices)(*specs)
    assert isinstance(found, TensorSpec)
    return found.dtype


def _same_matrix(function: Callable[..., Any]) -> SpecRule:
    """Return the rule of a function that makes square matrices of square matrices."""

    def rule(x: TensorSpec) -> TensorSpec:
        _square(x)
        return make_spec(_matrix(function, x), x.shape)

    return rule


def _well_posed(some: Some, *shape: int) -> Any:
    """Return matrices that have an inverse."""
    n = shape[-1]
    return (some(*shape) + 10 * np.eye(n)).astype(some(1).dtype)


inv = op(
    "inv(x)",
    doc="Inverse of square matrices.",
    **numpys(np.linalg.inv, spec=_same_matrix(np.linalg.inv)),
    samples=calls(
        "iufc", lambda some: [((_well_posed(some, 3, 3),), {}), ((_well_posed(some, 2, 3, 3),), {})]
    ),
    family=ARRAYS,
    derivative=matrix_rules.INVERSE,
    batching=same_of_each,
    raises=raises("LinAlgError"),
)


def _det_spec(x: TensorSpec) -> TensorSpec:
    _square(x)
    dtype = _matrix(np.linalg.det, x)
    return make_spec(dtype, None if x.shape is None else x.shape[:-2])


det = op(
    "det(x)",
    doc="Determinant of square matrices.",
    **numpys(np.linalg.det, spec=_det_spec),
    samples=calls("iufc", lambda some: [((some(3, 3),), {}), ((some(2, 3, 3),), {})]),
    family=ARRAYS,
    derivative=matrix_rules.DETERMINANT,
    batching=same_of_each,
)

cholesky = op(
    "cholesky(x)",
    doc="Lower triangular factor of positive definite matrices.",
    **numpys(np.linalg.cholesky, spec=_same_matrix(np.linalg.cholesky)),
    samples=calls("f", lambda some: [((np.eye(3).astype(some(1).dtype) * 4 + 1,), {})]),
    family=ARRAYS,
    derivative=matrix_rules.CHOLESKY,
    batching=same_of_each,
    raises=raises("LinAlgError"),
)


def _solve_spec(x: TensorSpec, y: TensorSpec) -> TensorSpec:
    _square(x)
    dtype = _matrix(np.linalg.solve, x, y)
    vector = y.shape is not None and len(y.shape) == 1
    return make_spec(
        dtype, core_shape("(m,m),(m)->(m)" if vector else "(m,m),(m,n)->(m,n)", (x, y))
    )


solve = op(
    "solve(x, y)",
    doc="Solutions of systems of linear equations, of a matrix and right-hand sides.",
    **numpys(np.linalg.solve, spec=_solve_spec),
    samples=calls(
        "iufc",
        lambda some: [
            ((_well_posed(some, 3, 3), some(3)), {}),
            ((_well_posed(some, 3, 3), some(3, 2)), {}),
            ((_well_posed(some, 2, 3, 3), some(3, 2)), {}),
        ],
    ),
    family=ARRAYS,
    derivative=matrix_rules.SOLUTION,
    batching=solution,
    raises=raises("LinAlgError"),
)


def _norm_shape(x: TensorSpec, *, ord: Any, axis: Any, keepdims: bool) -> Shape | None:
    if x.shape is None:
        return () if axis is None and not keepdims else None
    taken = normal_axes(axis, len(x.shape))
    if keepdims:
        return tuple(1 if k in taken else n for k, n in enumerate(x.shape))
    return tuple(n for k, n in enumerate(x.shape) if k not in taken)


def _norm_raises(specs: Sequence[TensorSpec], attrs: Mapping[str, Any]) -> tuple[Error, ...]:
    """Return what norms raise: those of matrices that are made of singular values."""
    is_singular = attrs["ord"] in (2, -2, "nuc")
    return (Error("LinAlgError"),) if is_singular else raises_of_sizes(specs, attrs)


norm = op(
    "norm(x, /, ord=None, axis=None, keepdims=False)",
    doc="Norm of vectors, or of matrices where two axes are given.",
    **numpys(np.linalg.norm, _norm_shape),
    samples=calls(
        "iufc",
        lambda some: [
            ((some(3, 4),), {}),
            ((some(3, 4),), {"axis": 1, "ord": 1}),
            ((some(3, 4),), {"axis": (0, 1), "keepdims": True}),
            ((some(5),), {"ord": float("inf")}),
        ],
    ),
    family=ARRAYS,
    derivative=reduction_rules.NORM,
    batching=norm_of_each,
    raises=_norm_raises,
)
