"""Reading and writing parts of arrays, sorting and searching."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from runtime.errors import DtypeError, ShapeError
from runtime.graph.opdef import OpDef, Samples, op
from runtime.graph.traits import Error, Subscript, raises, raises_of_shapes, raises_of_sizes
from runtime.ops.batch_indexing import read, take_along, take_rule, write, write_masked
from runtime.ops.batch_rules import AtPlaces, Batch, Operand, Result, along, along_rows
from runtime.ops.batch_rules import same as same_of_each
from runtime.ops.derivatives import indexing_rules, ordering
from runtime.ops.derivatives.constructors import linear
from runtime.ops.elementwise import where
from runtime.ops.families import ARRAYS, FACTS, MOVED, VIEW
from runtime.ops.keys import check_fits, get_part, keyed, selected, with_part
from runtime.ops.samples import Call, calls, each
from runtime.ops.spec_rules import (
    LibraryKernel,
    Size,
    as_size,
    broadcast,
    need_integer,
    normal_axis,
    numpys,
    same,
    total,
    trial,
)
from runtime.spec import UNKNOWN, Shape, TensorSpec, make_spec

Some = Callable[..., Any]


def _need_array(x: TensorSpec) -> None:
    if x.weak:
        raise DtypeError(f"a Python {x} cannot be indexed")


def _index_spec(x: TensorSpec, *parts: TensorSpec, key: str) -> TensorSpec:
    _need_array(x)
    return make_spec(x.dtype, selected(x.shape, key, parts))


def _index_samples() -> Samples:
    def draw(some: Some) -> list[Call]:
        x = some(4, 5, 3)
        static = [
            "1",
            "-1, 2",
            "1:3",
            "::-1, 0",
            "..., 0",
            ":, None, 1:",
            "1:3, :, ::2",
            "..., None",
        ]
        staged = [("?", (1,)), ("?:?", (1, 3)), (":, ?, 1", (np.int64(2),)), ("..., ::?", (2,))]
        return [
            *(((x, *parts), {"key": key}) for key, parts in [*((k, ()) for k in static), *staged]),
            ((some(3, 4).T, -1), {"key": "1:, ?"}),
            ((some(0, 3),), {"key": "::2"}),
            ((some(),), {"key": "None"}),
        ]

    return calls("biufc", draw)


index = op(
    "index(x, *parts, key)",
    doc="The part of an array that integers and slices select; a view of it.",
    spec=_index_spec,
    kernel=lambda xp, x, *parts, key: get_part(xp, x, key, parts, integers=True),
    samples=_index_samples(),
    python="{0}[{key}]",
    write=lambda apply, base, new, *parts, key: apply(update, (base, new, *parts), key=key),
    subscript=Subscript.READ,
    family=VIEW,
    derivative=linear(indexing_rules.read_back),
    batching=AtPlaces(1, lambda b, x, *parts, key: read(b, gather, x, *parts, key=key)),
    raises=keyed,
)


def _gather_samples() -> Samples:
    def draw(some: Some) -> list[Call]:
        x, i = some(4, 5, 3), np.array([[0, 2], [1, -1]])
        mask = np.array([True, False, True, True])
        given: list[tuple[str, tuple[Any, ...]]] = [
            ("?", (i,)), ("?, 1", (i,)), ("1, :, ?", (i,)), ("?, :, ?", (i, i)),
            (":, ?, ?", (i, i[0])), ("?", (mask,)), ("?, 0, 1:", (mask,)), ("..., ?", (i,)),
            ("?, ..., ?", (i, 1)), ("?, None, ?", (i, 2)), ("?", (x > 0,)), ("True", ()),
            ("?, ?", (mask, np.array([1, 2, 0]))), ("?", (i[:0],)), ("?:, ?", (2, i)),
        ]  # fmt: skip
        return [((x, *parts), {"key": key}) for key, parts in given]

    return calls("biufc", draw)


gather: OpDef = op(
    "gather(x, *parts, key)",
    doc="The elements of an array that arrays of integers or booleans select; a copy.",
    spec=_index_spec,
    kernel=lambda xp, x, *parts, key: get_part(xp, x, key, parts, integers=False),
    samples=_gather_samples(),
    python="{0}[{key}]",
    subscript=Subscript.GATHER,
    family=MOVED,
    derivative=linear(indexing_rules.gathered_back),
    batching=AtPlaces(1, lambda b, x, *parts, key: read(b, gather, x, *parts, key=key)),
    raises=keyed,
)


def update_spec(x: TensorSpec, value: TensorSpec, *parts: TensorSpec, key: str) -> TensorSpec:
    """The rule of ops that write a part of an array."""
    _need_array(x)
    if value.dtype.kind == "c" and x.dtype.kind != "c" and value.weak:
        raise DtypeError(f"a complex number cannot be assigned to elements of {x}")
    check_fits(value, selected(x.shape, key, parts))
    return make_spec(x.dtype, x.shape)


update: OpDef = op(
    "update(x, value, *parts, key)",
    doc="A copy of an array with another value in the part that integers and slices select.",
    spec=update_spec,
    kernel=lambda xp, x, value, *parts, key: with_part(xp, x, value, key, parts, True),
    in_place="{0}[{key}] = {1}",
    samples=calls(
        "biuf",
        lambda some: [
            ((some(4, 5), 1), {"key": "1"}),
            ((some(4, 5), some(5), 2), {"key": "?"}),
            ((some(4, 5), some(1, 1, 2), 2), {"key": ":?, 1:3"}),
            ((some(4, 5).T, some(4) > 0), {"key": "..., ::-1"}),
            ((some(0, 2), some(2)), {"key": ":"}),
        ],
    ),
    subscript=Subscript.WRITE,
    family=ARRAYS,
    derivative=indexing_rules.WRITTEN,
    batching=AtPlaces(2, lambda b, *given, key: write(b, scatter, *given, key=key)),
    raises=keyed,
)

scatter: OpDef = op(
    "scatter(x, value, *parts, key)",
    doc="A copy of an array with other values where arrays of integers or booleans select.",
    spec=update_spec,
    kernel=lambda xp, x, value, *parts, key: with_part(xp, x, value, key, parts, False),
    in_place="{0}[{key}] = {1}",
    samples=calls(
        "biuf",
        lambda some: (
            [((x, 1, x > 0), {"key": "?"}) for x in (some(3, 4), some(4, 3).T)]
            + [
                ((some(4, 5), some(5), np.array([0, 2])), {"key": "?"}),
                ((some(4, 5), some(2), np.array([0, 2]), 1), {"key": "?, ?"}),
                ((some(4, 5), 2.5, np.array([3, 3])), {"key": ":, ?"}),
            ]
        ),
    ),
    subscript=Subscript.SCATTER,
    family=ARRAYS,
    derivative=indexing_rules.SCATTERED,
    batching=AtPlaces(2, lambda b, *given, key: write_masked(b, scatter, where, *given, key=key)),
    raises=keyed,
)


def _take_spec(x: TensorSpec, indices: TensorSpec, *, axis: int | None, mode: str) -> TensorSpec:
    need_integer(indices, "an index")
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    if axis is None:
        return make_spec(x.dtype, indices.shape)
    if x.shape is None or indices.shape is None:
        return make_spec(x.dtype, None)
    axis = normal_axis(axis, len(x.shape))
    return make_spec(x.dtype, (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]))


def _take_raises(specs: Sequence[TensorSpec], attrs: Mapping[str, Any]) -> tuple[Error, ...]:
    return (Error("IndexError"),) if attrs["mode"] == "raise" else ()


take = op(
    "take(x, indices, /, axis=None, mode='raise')",
    doc="Elements, or slices along an axis, at the given places.",
    **numpys(np.take, spec=_take_spec),
    samples=calls(
        "biufc",
        lambda some: [
            ((some(3, 4), np.array([[0, 2]])), {}),
            ((some(3, 4), np.array([0, -1])), {"axis": 1}),
            ((some(3, 4), 2), {"axis": 0, "mode": "wrap"}),
            ((some(5), np.array([], int)), {}),
        ],
    ),
    family=MOVED,
    derivative=linear(indexing_rules.taken_back),
    batching=lambda b, *given, **attrs: take_rule(b, gather, *given, **attrs),
    raises=_take_raises,
)


def _along_spec(x: TensorSpec, indices: TensorSpec, *, axis: int | None) -> TensorSpec:
    need_integer(indices, "an index")
    if axis is None or x.shape is None or indices.shape is None:
        return make_spec(x.dtype, indices.shape)
    axis = normal_axis(axis, len(x.shape))
    if len(x.shape) != len(indices.shape):
        raise ShapeError("`indices` and `arr` must have the same number of dimensions")
    without = (make_spec(s.dtype, (*s.shape[:axis], 1, *s.shape[axis + 1 :])) for s in (x, indices))  # type: ignore[index]
    shape = broadcast(*without)
    assert shape is not None
    return make_spec(x.dtype, (*shape[:axis], indices.shape[axis], *shape[axis + 1 :]))


take_along_axis = op(
    "take_along_axis(x, indices, /, axis=-1)",
    doc="Elements along an axis at places that differ from row to row.",
    spec=_along_spec,
    kernel=lambda xp, x, indices, axis: xp.take_along_axis(x, indices, axis),
    samples=calls(
        "iuf",
        lambda some: [
            ((some(3, 4), np.array([[0], [1], [3]])), {}),
            ((some(3, 4), np.array([[0, 1, 2, 0]])), {"axis": 0}),
        ],
    ),
    functions=(np.take_along_axis,),
    family=MOVED,
    derivative=linear(indexing_rules.taken_along_back),
    batching=take_along,
    raises=raises("IndexError"),
)


def _nonzero_spec(x: TensorSpec) -> tuple[TensorSpec, ...]:
    if not x.rank:
        raise ShapeError(f"nonzero needs an array of known rank, at least one, not {x}")
    return tuple(make_spec(np.dtype(np.intp), (UNKNOWN,)) for _ in range(x.rank))


nonzero = op(
    "nonzero(x)",
    doc="The indices of the elements that are not zero, one array for each axis.",
    spec=_nonzero_spec,
    kernel=lambda xp, x: tuple(xp.nonzero(x)),
    samples=each("biufc", {}, shape=(3, 4)),
    functions=(np.nonzero,),
    multiple=True,
    family=FACTS,
)

argwhere = op(
    "argwhere(x)",
    doc="The indices of the elements that are not zero, one row for each element.",
    **numpys(np.argwhere, spec=lambda x: make_spec(np.dtype(np.intp), (UNKNOWN, as_size(x.rank)))),
    samples=each("biufc", {}, shape=(3, 4)),
    family=FACTS,
)


def _search_spec(x: TensorSpec, values: TensorSpec, *, side: str) -> TensorSpec:
    if x.rank not in (1, None):
        raise ShapeError(f"the sorted array must have one axis, and {x} has {x.rank}")
    if side not in ("left", "right"):
        raise ShapeError(f"search side must be 'left' or 'right' (got {side!r})")
    return make_spec(np.dtype(np.intp), values.shape)


def _searched(b: Batch, x: Operand, values: Operand, *, side: str) -> Result:
    return None if x.is_batched else b.emit(b.node.op, x.value, values.value, side=side)


searchsorted = op(
    "searchsorted(x, values, /, side='left')",
    doc="Where values must be inserted into a sorted vector to keep it sorted.",
    **numpys(np.searchsorted, spec=_search_spec),
    samples=calls(
        "iuf",
        lambda some: [
            ((np.sort(some(5)), some(2, 3)), {}),
            ((np.sort(some(5)), 1), {"side": "right"}),
        ],
    ),
    family=FACTS,
    batching=_searched,
    raises=raises_of_shapes,
)


def _sorted_shape(x: TensorSpec, *, axis: int | None, **attrs: Any) -> Shape | None:
    if axis is not None or x.shape is None:
        return x.shape if axis is not None else (UNKNOWN,)
    return (as_size(total(x.shape)),)


sort = op(
    "sort(x, /, axis=-1, kind=None, stable=None)",
    doc="The elements in rising order along an axis; NaN comes last.",
    **numpys(np.sort, _sorted_shape),
    samples=each("biuf", {}, {"axis": 0}, {"axis": None}),
    family=MOVED,
    derivative=ordering.SORTED,
    batching=along_rows,
)


def _indices_shape(x: TensorSpec, *, axis: int | None, **attrs: Any) -> Shape | None:
    return (1,) if x.shape == () else _sorted_shape(x, axis=axis)


argsort = op(
    "argsort(x, /, axis=-1, kind=None, stable=None)",
    doc="The indices that put the elements along an axis into rising order.",
    **numpys(np.argsort, _indices_shape),
    samples=each("biuf", {"kind": "stable"}, {"axis": 0}, {"axis": None}),
    family=FACTS,
    batching=along_rows,
)


def _first(function: Any) -> Any:
    return lambda x, *, kth, axis: function(x, 0, axis)


partition = op(
    "partition(x, /, kth, axis=-1)",
    doc="The elements along an axis with the kth in its sorted place, smaller ones before it.",
    **numpys(np.partition, spec=trial(_first(np.partition), _sorted_shape)),
    samples=each("iuf", {"kth": 1}, {"kth": 2, "axis": 0}),
    family=MOVED,
    derivative=ordering.PARTITIONED,
    batching=along_rows,
    raises=raises_of_sizes,
)

argpartition = op(
    "argpartition(x, /, kth, axis=-1)",
    doc="The indices that `partition` puts the elements along an axis into order with.",
    **numpys(np.argpartition, spec=trial(_first(np.argpartition), _indices_shape)),
    samples=each("iuf", {"kth": 1}),
    family=FACTS,
    batching=along_rows,
    raises=raises_of_sizes,
)

unique = op(
    "unique(x)",
    doc="The different elements in rising order.",
    spec=lambda x: make_spec(x.dtype, (UNKNOWN,)),
    kernel=LibraryKernel("unique"),
    samples=each("biuf", {}),
    family=MOVED,
    derivative=ordering.DISTINCT,
)


def _smaller(n: Size, m: Size, offset: int) -> Size:
    """Return the length of a diagonal."""
    if not isinstance(n, int) or not isinstance(m, int):
        return n if n == m and not offset else UNKNOWN
    return max(0, min(n, m - offset) if offset >= 0 else min(n + offset, m))


def _diagonal_spec(x: TensorSpec, *, offset: int, axis1: int, axis2: int) -> TensorSpec:
    if x.shape is None:
        return make_spec(x.dtype, None)
    rank = len(x.shape)
    if rank < 2:
        raise ShapeError("diag requires an array of at least two dimensions")
    first, second = normal_axis(axis1, rank), normal_axis(axis2, rank)
    if first == second:
        raise ShapeError("axis1 and axis2 cannot be the same")
    others = [n for k, n in enumerate(x.shape) if k not in (first, second)]
    return make_spec(x.dtype, (*others, _smaller(x.shape[first], x.shape[second], offset)))


diagonal = op(
    "diagonal(x, /, offset=0, axis1=0, axis2=1)",
    doc="The diagonal of two axes; as in NumPy a view that cannot be written.",
    **numpys(np.diagonal, spec=_diagonal_spec),
    samples=each("biufc", {}, {"offset": 1}, {"offset": -1, "axis1": 2, "axis2": 1}, {"offset": 9}),
    family=VIEW,
    derivative=linear(indexing_rules.diagonal_back),
    batching=along("axis1", "axis2"),
    raises=raises_of_sizes,
)


def _diag_spec(x: TensorSpec, *, k: int) -> TensorSpec:
    if x.shape is None:
        return make_spec(x.dtype, None)
    if len(x.shape) == 2:
        return make_spec(x.dtype, (_smaller(*x.shape, k),))
    if len(x.shape) != 1:
        raise ShapeError("Input must be 1- or 2-d.")
    size = as_size(x.shape[0] + abs(k) if isinstance(x.shape[0], int) else None)
    size = x.shape[0] if not k else size
    return make_spec(x.dtype, (size, size))


diag = op(
    "diag(x, /, k=0)",
    doc="The diagonal of a matrix, or the matrix with a vector on its diagonal.",
    spec=_diag_spec,
    kernel=lambda xp, x, k: xp.diag(x, k).copy(),
    samples=calls(
        "biufc",
        lambda some: [((some(3),), {}), ((some(3),), {"k": -2}), ((some(3, 4),), {"k": 1})],
    ),
    family=MOVED,
    derivative=linear(indexing_rules.diag_back),
)


def _triangle_spec(x: TensorSpec, *, k: int) -> TensorSpec:
    if x.shape is not None and len(x.shape) == 1:
        return make_spec(x.dtype, (x.shape[0], x.shape[0]))
    return same(x)


def _triangles(b: Batch, x: Operand, *, k: int) -> Result:
    return same_of_each(b, x, k=k) if x.spec.rank is not None and x.rank > 1 else None


tril = op(
    "tril(x, /, k=0)",
    doc="The lower triangle of matrices, zeros above their diagonal `k`.",
    **numpys(np.tril, spec=_triangle_spec),
    samples=each("biufc", {}, {"k": 1}),
    family=MOVED,
    derivative=linear(lambda apply, g, x, k: np.tril(g, k)),
    batching=_triangles,
)

triu = op(
    "triu(x, /, k=0)",
    doc="The upper triangle of matrices, zeros below their diagonal `k`.",
    **numpys(np.triu, spec=_triangle_spec),
    samples=each("biufc", {}, {"k": -1}),
    family=MOVED,
    derivative=linear(lambda apply, g, x, k: np.triu(g, k)),
    batching=_triangles,
)


def _bincount_spec(x: TensorSpec, *weights: TensorSpec, minlength: int) -> TensorSpec:
    need_integer(x, "what bincount counts")
    if x.rank not in (1, None):
        raise ShapeError("object too deep for desired array")
    return make_spec(np.dtype(np.float64 if weights else np.intp), (UNKNOWN,))


bincount = op(
    "bincount(x, *weights, minlength=0)",
    doc="How often, or with what sum of weights, each number from zero occurs.",
    spec=_bincount_spec,
    kernel=lambda xp, x, *weights, minlength: xp.bincount(x, *weights, minlength=minlength),
    samples=calls(
        "iu",
        lambda some: [
            ((abs(some(5)),), {"minlength": 2}),
            ((abs(some(5)), np.arange(5.0)), {}),
        ],
    ),
    family=ARRAYS,
    derivative=indexing_rules.COUNTED,
    raises=raises("ValueError"),
)
