"""Ops that move elements without changing them: shapes and axes; and what arrays' sizes are."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from runtime.errors import AxisError, ShapeError
from runtime.graph.opdef import OpDef, op
from runtime.graph.traits import NOT_DIFFERENTIABLE, has_unknown, raises_if, raises_of_sizes
from runtime.ops.batch_rules import Batch, OfShape, Operand, Result, along, reshaped, shifted
from runtime.ops.batch_rules import same as same_of_each
from runtime.ops.derivatives.constructors import linear
from runtime.ops.derivatives.indexing_rules import ASSIGNED
from runtime.ops.families import FACTS, MOVED, VIEW
from runtime.ops.samples import calls, each
from runtime.ops.spec_rules import (
    Axis,
    Size,
    as_size,
    need_integer,
    need_scalar,
    normal_axes,
    normal_axis,
    numpys,
    same,
    total,
)
from runtime.spec import UNKNOWN, WEAK_SPECS, Dim, Shape, TensorSpec, make_spec

Dims = tuple[int | None, ...]


def sizes_spec(dims: Dims, sizes: Sequence[TensorSpec]) -> Shape:
    """Return the shape that sizes known while tracing (numbers) and staged ones (None) make."""
    for size in sizes:
        need_integer(size, "a size")
        need_scalar(size, "a size")
    if any(n is not None and n < 0 for n in dims):
        raise ShapeError("negative dimensions are not allowed")
    return tuple(map(as_size, dims))


def fill_sizes(dims: Dims, sizes: Sequence[Any]) -> tuple[int, ...]:
    """Return a shape with the staged sizes filled in for None."""
    given = iter(sizes)
    return tuple(int(next(given)) if n is None else n for n in dims)


def _reshape_spec(x: TensorSpec, *sizes: TensorSpec, shape: Dims) -> TensorSpec:
    if shape.count(-1) > 1:
        raise ShapeError("can only specify one unknown dimension")
    known = sizes_spec(tuple(n for n in shape if n != -1), sizes)
    count = None if x.shape is None else total(x.shape)
    wanted = total(known)
    message = f"cannot reshape array of size {count} into shape {_shown(shape)}"
    if -1 not in shape:
        if count is not None and wanted is not None and count != wanted:
            raise ShapeError(message)
        return make_spec(x.dtype, known)
    if count is not None and wanted is not None and (count % wanted if wanted else True):
        raise ShapeError(message)
    place = shape.index(-1)
    return make_spec(x.dtype, (*known[:place], _rest(x.shape, known), *known[place:]))


def _shown(shape: Dims) -> str:
    return str(tuple("?" if n is None else n for n in shape)).replace("'", "")


def _rest(shape: Shape | None, known: Shape) -> Size:
    """Return the size that -1 stands for: what is left of a shape without the known sizes."""
    if shape is None:
        return UNKNOWN
    left = [n for n in shape if isinstance(n, Dim)]
    for n in known:
        if isinstance(n, Dim) and (n == UNKNOWN or n not in left):
            return UNKNOWN
        if isinstance(n, Dim):
            left.remove(n)
    fixed, taken = (prod(n for n in sizes if isinstance(n, int)) for sizes in (shape, known))
    if not taken or fixed % taken:
        return UNKNOWN
    if not left:
        return fixed // taken
    return left[0] if fixed == taken and len(left) == 1 else UNKNOWN


def _is_checked(specs: Sequence[TensorSpec]) -> bool:
    """Tell whether sizes are seen when the graph runs."""
    return len(specs) > 1 or has_unknown(specs)


def _reshaped(apply: Any, g: Any, x: Any, *others: Any, **attrs: Any) -> Any:
    return np.reshape(g, np.shape(x))


reshape = op(
    "reshape(x, *sizes, shape)",
    doc="The elements, row by row, in another shape; -1 stands for what is left.",
    spec=_reshape_spec,
    kernel=lambda xp, x, *sizes, shape: xp.reshape(x, fill_sizes(shape, sizes)),
    samples=calls(
        "biufc",
        lambda some: [
            ((some(3, 4),), {"shape": (2, -1)}),
            ((some(3, 4).T,), {"shape": (12,)}),
            ((some(3, 4), 2), {"shape": (None, -1)}),
            ((some(0, 4),), {"shape": (-1, 2)}),
            ((some(),), {"shape": (1, 1)}),
            ((some(1),), {"shape": ()}),
            ((2,), {"shape": (1,)}),
        ],
    ),
    view="contiguous",
    write=lambda apply, base, new, *sizes, shape: apply(reshape_like, (new, base)),
    python="{0}.reshape({shape})",
    family=VIEW,
    derivative=linear(_reshaped),
    batching=reshaped,
    raises=raises_if(_is_checked, "ValueError"),
)

reshape_like: OpDef = op(
    "reshape_like(x, y)",
    doc="The elements of the first array in the shape of the second.",
    spec=lambda x, y: make_spec(x.dtype, y.shape),
    kernel=lambda xp, x, y: xp.reshape(x, xp.shape(y)),
    samples=calls("biufc", lambda some: [((some(3, 4), some(2, 6)), {})]),
    view="contiguous",
    write=lambda apply, base, new, like: apply(reshape_like, (new, base)),
    family=VIEW,
    derivative=linear(_reshaped),
    batching=reshaped,
    raises=raises_of_sizes,
)


def _ravel_spec(x: TensorSpec) -> TensorSpec:
    shape = x.shape
    if shape is not None and len(shape) == 1:
        return same(x)
    return make_spec(x.dtype, (UNKNOWN if shape is None else _rest(shape, ()),))


ravel = op(
    "ravel(x)",
    doc="The elements as one row.",
    spec=_ravel_spec,
    kernel=lambda xp, x: xp.ravel(x),
    samples=each("biufc", {}),
    functions=(np.ravel,),
    view="contiguous",
    write=lambda apply, base, new: apply(reshape_like, (new, base)),
    python="{0}.ravel()",
    family=VIEW,
    derivative=linear(_reshaped),
    batching=reshaped,
)

flatten = op(
    "flatten(x)",
    doc="The elements as one row, always a copy.",
    spec=_ravel_spec,
    kernel=lambda xp, x: xp.array(xp.ravel(x)),
    samples=each("biufc", {}),
    family=MOVED,
    derivative=linear(_reshaped),
    batching=reshaped,
)

copy = op(
    "copy(x, /, order='K')",
    doc="An array of its own with the same elements, in the order of its memory or in rows (`C`).",
    spec=lambda x, *, order: x,
    kernel=lambda xp, x, order: xp.array(x, order=order),
    samples=each("biufc", {}),
    copies=True,
    family=MOVED,
    derivative=linear(lambda apply, g, x, **attrs: g),
    batching=same_of_each,
)


stop_gradient = op(
    "stop_gradient(x)",
    doc="The numbers as they are, as if they followed nothing that is differentiated by.",
    spec=lambda x: x,
    kernel=lambda xp, x: xp.array(x) if xp.ndim(x) else x,
    samples=each("biufc", {}),
    scalar=lambda s, x: x,
    family=MOVED,
    derivative=NOT_DIFFERENTIABLE,
)


assigned = op(
    "assigned(x, held, /, ends=False)",
    doc="""What a variable is assigned, which held something else when the graph, or a tape, began.

    It follows what is assigned. If derivatives end where variables are assigned (`ends`), as on
    tapes, it counts for what was held instead: by both the variable is differentiated.""",
    spec=lambda x, held, *, ends: x,
    kernel=lambda xp, x, held, *, ends: xp.array(x) if xp.ndim(x) else x,
    samples=calls("f", lambda some: [((some(3), some(3)), {})]),
    scalar=lambda s, x, held, *, ends: x,
    family=MOVED,
    derivative=ASSIGNED,
)


def _transpose_spec(x: TensorSpec, *, axes: tuple[int, ...] | None) -> TensorSpec:
    if x.shape is None:
        return make_spec(x.dtype, None if axes is None else (UNKNOWN,) * len(axes))
    rank = len(x.shape)
    if axes is None:
        return make_spec(x.dtype, x.shape[::-1])
    if len(axes) != rank:
        raise ShapeError("axes don't match array")
    return make_spec(x.dtype, tuple(x.shape[k] for k in normal_axes(axes, rank)))


def _transpose_write(apply: Any, base: Any, new: Any, *, axes: tuple[int, ...] | None) -> Any:
    if axes is None:
        return apply(transpose, (new,), axes=None)
    places = normal_axes(axes, len(axes))
    inverse = tuple(places.index(k) for k in range(len(places)))
    return apply(transpose, (new,), axes=inverse)


def _transpose_back(apply: Any, g: Any, x: Any, *, axes: tuple[int, ...] | None) -> Any:
    return _transpose_write(apply, x, g, axes=axes)


def _transposed(b: Batch, x: Operand, *, axes: tuple[int, ...] | None) -> Result:
    if x.spec.shape is None:
        return None
    given = tuple(reversed(range(x.rank))) if axes is None else axes
    return b.emit(b.node.op, x.value, axes=(0, *(k % x.rank + 1 for k in given)))


transpose: OpDef = op(
    "transpose(x, /, axes=None)",
    doc="The array with its axes in another order, reversed when none is given.",
    **numpys(np.transpose, spec=_transpose_spec),
    samples=each("biufc", {}, {"axes": (1, 2, 0)}, {"axes": (0, -1, 1)}),
    write=_transpose_write,
    python="{0}.transpose({axes})",
    family=VIEW,
    derivative=linear(_transpose_back),
    batching=_transposed,
)


def _swapaxes_spec(x: TensorSpec, *, axis1: int, axis2: int) -> TensorSpec:
    if x.shape is None:
        return make_spec(x.dtype, None)
    sizes = list(x.shape)
    first, second = normal_axis(axis1, len(sizes)), normal_axis(axis2, len(sizes))
    sizes[first], sizes[second] = sizes[second], sizes[first]
    return make_spec(x.dtype, tuple(sizes))


swapaxes: OpDef = op(
    "swapaxes(x, /, axis1, axis2)",
    doc="The array with two axes exchanged.",
    **numpys(np.swapaxes, spec=_swapaxes_spec),
    samples=each("biufc", {"axis1": 0, "axis2": -1}),
    write=lambda apply, base, new, **axes: apply(swapaxes, (new,), **axes),
    python="{0}.swapaxes({axis1}, {axis2})",
    family=VIEW,
    derivative=linear(lambda apply, g, x, **axes: apply(swapaxes, (g,), **axes)),
    batching=along("axis1", "axis2"),
)


def _moveaxis_spec(x: TensorSpec, *, source: Axis, destination: Axis) -> TensorSpec:
    if x.shape is None:
        return make_spec(x.dtype, None)
    rank = len(x.shape)
    taken, given = normal_axes(source, rank), normal_axes(destination, rank)
    if len(taken) != len(given):
        raise ShapeError(
            "`source` and `destination` arguments must have the same number of elements"
        )
    order = [k for k in range(rank) if k not in taken]
    for place, axis in sorted(zip(given, taken, strict=True)):
        order.insert(place, axis)
    return make_spec(x.dtype, tuple(x.shape[k] for k in order))


def _moveaxis_write(apply: Any, base: Any, new: Any, *, source: Axis, destination: Axis) -> Any:
    return apply(moveaxis, (new,), source=destination, destination=source)


def _moveaxis_back(apply: Any, g: Any, x: Any, *, source: Axis, destination: Axis) -> Any:
    return _moveaxis_write(apply, x, g, source=source, destination=destination)


moveaxis: OpDef = op(
    "moveaxis(x, /, source, destination)",
    doc="The array with axes moved to other places; the others keep their order.",
    **numpys(np.moveaxis, spec=_moveaxis_spec),
    samples=each(
        "biufc",
        {"source": 0, "destination": -1},
        {"source": (0, 1), "destination": (-1, 0)},
    ),
    write=_moveaxis_write,
    family=VIEW,
    derivative=linear(_moveaxis_back),
    batching=along("source", "destination"),
)


def _squeeze_spec(x: TensorSpec, *, axis: Axis) -> TensorSpec:
    if x.shape is None:
        return make_spec(x.dtype, None)
    if axis is None:
        known = all(isinstance(n, int) for n in x.shape)
        return make_spec(x.dtype, tuple(n for n in x.shape if n != 1) if known else None)
    axes = normal_axes(axis, len(x.shape))
    if any(isinstance(x.shape[k], int) and x.shape[k] != 1 for k in axes):
        raise ShapeError("cannot select an axis to squeeze out which has size not equal to one")
    return make_spec(x.dtype, tuple(n for k, n in enumerate(x.shape) if k not in axes))


squeeze = op(
    "squeeze(x, /, axis=None)",
    doc="The array without axes of size one.",
    spec=_squeeze_spec,
    kernel=lambda xp, x, axis: xp.squeeze(x, axis),
    samples=calls(
        "biufc",
        lambda some: [((some(1, 3, 1),), {}), ((some(1, 3, 1),), {"axis": -1}), ((some(1),), {})],
    ),
    functions=(np.squeeze,),
    write=lambda apply, base, new, axis: apply(reshape_like, (new, base)),
    python="{0}.squeeze({axis})",
    family=VIEW,
    derivative=linear(_reshaped),
    batching=reshaped,
    raises=raises_of_sizes,
)


def _expand_spec(x: TensorSpec, *, axis: int | tuple[int, ...]) -> TensorSpec:
    if x.shape is None:
        return make_spec(x.dtype, None)
    count = 1 if isinstance(axis, int) else len(axis)
    axes = normal_axes(axis, len(x.shape) + count)
    sizes = iter(x.shape)
    rank = len(x.shape) + count
    return make_spec(x.dtype, tuple(1 if k in axes else next(sizes) for k in range(rank)))


def _expand_kernel(xp: Any, x: Any, *, axis: int | tuple[int, ...]) -> Any:
    rank = getattr(x, "ndim", 0)
    if rank and isinstance(axis, int) and -rank <= axis + 1 and axis <= rank:
        return x[(*(slice(None) for _ in range(axis % (rank + 1))), None)]
    return xp.expand_dims(x, axis)  # which takes ten times as long for one axis


def _expanded(b: Batch, x: Operand, *, axis: int | tuple[int, ...]) -> Result:
    if x.spec.shape is None:
        return None
    rank = x.rank + (1 if isinstance(axis, int) else len(axis))
    return b.emit(b.node.op, x.value, axis=shifted(axis, rank))


expand_dims = op(
    "expand_dims(x, /, axis)",
    doc="The array with new axes of size one.",
    spec=_expand_spec,
    kernel=_expand_kernel,
    samples=each("biufc", {"axis": 0}, {"axis": (-1, 1)}),
    functions=(np.expand_dims,),
    write=lambda apply, base, new, axis: apply(reshape_like, (new, base)),
    family=VIEW,
    derivative=linear(_reshaped),
    batching=_expanded,
)


def _broadcast_to_spec(x: TensorSpec, *sizes: TensorSpec, shape: Dims) -> TensorSpec:
    target = sizes_spec(shape, sizes)
    if x.shape is None:
        return make_spec(x.dtype, target)
    if len(x.shape) > len(target):
        raise ShapeError("input operand has more dimensions than allowed by the axis remapping")
    for size, wanted in zip(reversed(x.shape), reversed(target), strict=False):
        if isinstance(size, int) and isinstance(wanted, int) and size not in (1, wanted):
            raise ShapeError(f"{x} cannot be broadcast to shape {_shown(shape)}")
    return make_spec(x.dtype, target)


def _broadcast(b: Batch, x: Operand, *sizes: Operand, shape: Dims) -> Result:
    if x.spec.shape is None or not x.is_batched or any(n.is_batched for n in sizes):
        return None
    size = b.size if isinstance(b.size, int) else None
    given = [*(() if size is not None else (b.count,)), *(n.value for n in sizes)]
    return b.emit(b.node.op, b.raised(x, len(shape)), *given, shape=(size, *shape))


broadcast_to = op(
    "broadcast_to(x, *sizes, shape)",
    doc="The array repeated to another shape by NumPy's rules; a view that cannot be written.",
    spec=_broadcast_to_spec,
    kernel=lambda xp, x, *sizes, shape: xp.broadcast_to(x, fill_sizes(shape, sizes)),
    samples=calls(
        "biufc",
        lambda some: [
            ((some(3, 1),), {"shape": (2, 3, 4)}),
            ((some(3), 2), {"shape": (None, 3)}),
            ((some(1),), {"shape": (0,)}),
        ],
    ),
    family=VIEW,
    derivative=linear(lambda apply, g, x, *sizes, shape: g, broadcasts=True),
    batching=_broadcast,
    raises=raises_if(_is_checked, "ValueError"),
)


def _flip_spec(x: TensorSpec, *, axis: Axis) -> TensorSpec:
    if x.shape is not None:
        normal_axes(axis, len(x.shape))
    return same(x)


flip: OpDef = op(
    "flip(x, /, axis=None)",
    doc="The elements along axes in the opposite order.",
    spec=_flip_spec,
    kernel=lambda xp, x, axis: xp.flip(x, axis),
    samples=each("biufc", {}, {"axis": 0}, {"axis": (1, -1)}),
    functions=(np.flip,),
    write=lambda apply, base, new, axis: apply(flip, (new,), axis=axis),
    family=VIEW,
    derivative=linear(lambda apply, g, x, axis: apply(flip, (g,), axis=axis)),
    batching=along("axis"),
)


def _dim_spec(x: TensorSpec, *, axis: int) -> TensorSpec:
    if x.shape is not None and not -len(x.shape) <= axis < len(x.shape):
        raise AxisError(f"{x} has no axis {axis}")
    return WEAK_SPECS[int]


def _dim_of_each(b: Batch, x: Operand, *, axis: int) -> Result:
    return b.emit(b.node.op, x.value, axis=axis + (axis >= 0))


def _rank_of_each(b: Batch, x: Operand) -> Result:
    return None if x.spec.shape is None else b.constant(x.rank)


dim = op(
    "dim(x, /, axis)",
    doc="The size of one axis, as a Python int.",
    spec=_dim_spec,
    kernel=lambda xp, x, axis: xp.shape(x)[axis],
    samples=each("f", {"axis": 0}, {"axis": -1}),
    family=FACTS,
    batching=OfShape(_dim_of_each),
)

rank = op(
    "rank(x)",
    doc="The number of axes, as a Python int.",
    spec=lambda x: WEAK_SPECS[int],
    kernel=lambda xp, x: xp.ndim(x),
    samples=each("f", {}),
    functions=(np.ndim,),
    family=FACTS,
    batching=OfShape(_rank_of_each),
)

size = op(
    "size(x)",
    doc="The number of elements, as a Python int.",
    spec=lambda x: WEAK_SPECS[int],
    kernel=lambda xp, x: int(xp.size(x)),
    samples=each("f", {}),
    family=FACTS,
)
