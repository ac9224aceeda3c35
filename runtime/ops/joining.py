"""Ops that join, repeat and pad arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from runtime.dtypes import promote
from runtime.errors import ShapeError
from runtime.graph.opdef import OpDef, op
from runtime.graph.traits import has_unknown, raises_if, raises_of_sizes
from runtime.ops.batch_rules import Batch, Operand, Result, along_rows, joined, shifted
from runtime.ops.derivatives.constructors import linear
from runtime.ops.derivatives.indexing_rules import PADDED, repeated_back, tiled_back
from runtime.ops.families import MOVED
from runtime.ops.samples import calls, each
from runtime.ops.spec_rules import (
    Axis,
    LibraryKernel,
    Size,
    as_size,
    need_integer,
    normal_axis,
    same,
    same_size,
    total,
)
from runtime.spec import UNKNOWN, Shape, TensorSpec, make_spec


def _strong(x: TensorSpec) -> Any:
    return x.dtype


def _concatenate_spec(*arrays: TensorSpec, axis: int | None, dtype: str | None) -> TensorSpec:
    if not arrays:
        raise ShapeError("need at least one array to concatenate")
    found = np.dtype(dtype) if dtype else promote(*map(_strong, arrays))
    if axis is None:
        counts = [None if x.shape is None else total(x.shape) for x in arrays]
        known = [n for n in counts if n is not None]
        return make_spec(found, (as_size(sum(known) if len(known) == len(counts) else None),))
    shapes = [x.shape for x in arrays if x.shape is not None]
    if not shapes:
        return make_spec(found, None)
    if () in shapes:
        raise ShapeError("zero-dimensional arrays cannot be concatenated")
    if len(set(map(len, shapes))) > 1:
        raise ShapeError(
            "all the input array dimensions except for the concatenation axis must "
            "match exactly, and the arrays have different numbers of dimensions"
        )
    axis = normal_axis(axis, len(shapes[0]))
    joined = list(_all_but(shapes, axis))
    parts = [x.shape[axis] if x.shape is not None else UNKNOWN for x in arrays]
    lengths = [n for n in parts if isinstance(n, int)]
    joined[axis] = (
        parts[0]
        if len(parts) == 1
        else as_size(sum(lengths) if len(lengths) == len(parts) else None)
    )
    return make_spec(found, tuple(joined))


def _all_but(shapes: Sequence[Shape], axis: int) -> Shape:
    found = shapes[0]
    for shape in shapes[1:]:
        found = _same_but(found, shape, axis)
    return found


def _same_but(a: Shape, b: Shape, axis: int) -> Shape:
    message = (
        "all the input array dimensions except for the concatenation axis must match exactly, but "
        "along another dimension one array has size {} and another has size {}"
    )
    pairs = enumerate(zip(a, b, strict=True))
    return tuple(m if k == axis else same_size(m, n, message) for k, (m, n) in pairs)


def _parts(
    apply: Any, g: Any, *arrays: Any, axis: int | None, dtype: str | None = None
) -> list[Any]:
    """Return the parts of what was joined, in the shapes that they had."""
    found, start = [], 0
    for x in arrays:
        if axis is None:
            stop = start + prod(np.shape(x))
            found.append(np.reshape(g[start:stop], np.shape(x)))
        else:
            stop, place = start + np.shape(x)[axis], axis % len(np.shape(g))
            found.append(g[(*(slice(None) for _ in range(place)), slice(start, stop))])
        start = stop
    return found


concatenate = op(
    "concatenate(*arrays, axis=0, dtype=None)",
    doc="Arrays joined along an axis that they have.",
    spec=_concatenate_spec,
    kernel=lambda xp, *arrays, **attrs: xp.concatenate(arrays, **attrs),
    samples=calls(
        "biufc",
        lambda some: [
            ((some(2, 3), some(1, 3)), {}),
            ((some(2, 3), np.ones((2, 1))), {"axis": -1}),
            ((some(2, 3), some(4)), {"axis": None}),
            ((some(3),), {}),
            ((some(0), some(2)), {"dtype": "complex64"}),
        ],
    ),
    extends=True,
    family=MOVED,
    derivative=linear(_parts, None),
    batching=joined,
    warns=True,
)


def _stack_spec(*arrays: TensorSpec, axis: int, rows: bool) -> TensorSpec:
    if not arrays:
        raise ShapeError("need at least one array to stack")
    dtype = promote(*map(_strong, arrays))
    shapes = [x.shape for x in arrays if x.shape is not None]
    if not shapes:
        return make_spec(dtype, None)
    if len(set(map(len, shapes))) > 1:
        raise ShapeError(
            f"all input arrays must have the same shape: {', '.join(map(str, arrays))}"
        )
    message = "all input arrays must have the same shape, and have the sizes {} and {}"
    joined = reduce(
        lambda a, b: tuple(same_size(m, n, message) for m, n in zip(a, b, strict=True)), shapes
    )
    axis = normal_axis(axis, len(joined) + 1)
    return make_spec(dtype, (*joined[:axis], len(arrays), *joined[axis:]))


def _stacked(xp: Any, *arrays: Any, axis: int, rows: bool) -> Any:
    kind = type(arrays[0])
    if xp is np and issubclass(kind, np.number) and all(type(x) is kind for x in arrays):
        return np.array(arrays)  # as a list begins that a loop changes
    found = xp.stack([xp.asarray(x) for x in arrays], axis=axis)
    return xp.ascontiguousarray(found) if rows else found


def _layers(apply: Any, g: Any, *arrays: Any, axis: int, rows: bool) -> list[Any]:
    layers = np.moveaxis(g, axis, 0)
    return [layers[k] for k in range(len(arrays))]


stack = op(
    "stack(*arrays, axis=0, rows=False)",
    doc="Arrays joined along a new axis; in rows, as np.array has them, if that is asked.",
    spec=_stack_spec,
    kernel=_stacked,
    samples=calls(
        "biufc",
        lambda some: [
            ((some(2, 3), some(2, 3)), {}),
            ((some(2), np.ones(2)), {"axis": -1}),
            ((np.asfortranarray(some(2, 3)),), {"rows": True}),
            ((some(1)[0], 2, 1.5), {}),
            ((1, 2), {}),
        ],
    ),
    family=MOVED,
    derivative=linear(_layers, None),
    batching=joined,
)


def _tile_spec(x: TensorSpec, *, reps: tuple[int, ...]) -> TensorSpec:
    if x.shape is None:
        return make_spec(x.dtype, None)
    rank = max(len(x.shape), len(reps))
    if any(k < 0 for k in reps):
        raise ShapeError("negative dimensions are not allowed")
    sizes = (1,) * (rank - len(x.shape)) + x.shape
    times = (1,) * (rank - len(reps)) + reps
    return make_spec(x.dtype, tuple(_times(n, k) for n, k in zip(sizes, times, strict=True)))


def _times(size: Size, count: int) -> Size:
    if isinstance(size, int):
        return size * count
    return size if count == 1 else as_size(None if count else 0)


def _tiled(b: Batch, x: Operand, *, reps: tuple[int, ...]) -> Result:
    if x.spec.shape is None:
        return None
    times = (1,) * (x.rank - len(reps)) + reps
    return b.emit(b.node.op, b.raised(x, len(times)), reps=(1, *times))


tile = op(
    "tile(x, /, reps)",
    doc="The array repeated as a whole along its axes.",
    spec=_tile_spec,
    kernel=LibraryKernel("tile"),
    samples=each("biufc", {"reps": (2,)}, {"reps": (2, 1, 1, 3)}, {"reps": (0, 1)}),
    family=MOVED,
    derivative=linear(tiled_back),
    batching=_tiled,
)


def _repeat_spec(
    x: TensorSpec, *counts: TensorSpec, times: int | None, axis: int | None
) -> TensorSpec:
    for count in counts:
        need_integer(count, "a number of repeats")
    if times is not None and times < 0:
        raise ShapeError("repeats may not contain negative values.")
    if axis is None:
        size = as_size(None if x.shape is None else total(x.shape))
        return make_spec(x.dtype, (_repeated(size, times),))
    if x.shape is None:
        return make_spec(x.dtype, None)
    axis = normal_axis(axis, len(x.shape))
    size = _repeated(x.shape[axis], times)
    return make_spec(x.dtype, (*x.shape[:axis], size, *x.shape[axis + 1 :]))


def _repeated(size: Size, times: int | None) -> Size:
    return as_size(None) if times is None else _times(size, times)


def _repeat_kernel(xp: Any, x: Any, *counts: Any, times: int | None, axis: int | None) -> Any:
    return xp.repeat(x, counts[0] if counts else times, axis)


def _repeated_rows(b: Batch, x: Operand, *counts: Operand, **attrs: Any) -> Result:
    return None if counts else along_rows(b, x, **attrs)


repeat = op(
    "repeat(x, *counts, times=None, axis=None)",
    doc="The elements, each repeated so many times, along an axis or as one row.",
    spec=_repeat_spec,
    kernel=_repeat_kernel,
    samples=calls(
        "biufc",
        lambda some: [
            ((some(3, 2),), {"times": 2}),
            ((some(3, 2), 2), {}),
            ((some(3, 2),), {"times": 3, "axis": -1}),
            ((some(3, 2), np.array([1, 0, 2])), {"axis": 0}),
        ],
    ),
    family=MOVED,
    derivative=linear(repeated_back),
    batching=_repeated_rows,
    raises=raises_if(lambda specs: len(specs) > 1 or has_unknown(specs), "ValueError"),
)


def _roll_spec(x: TensorSpec, shift: TensorSpec, *, axis: Axis) -> TensorSpec:
    need_integer(shift, "a shift")
    if x.shape is not None and axis is not None:
        for k in (axis,) if isinstance(axis, int) else axis:
            normal_axis(k, len(x.shape))
    return same(x)


def _rolled(b: Batch, x: Operand, shift: Operand, *, axis: Axis) -> Result:
    if axis is None or shift.is_batched or x.spec.shape is None:
        return None
    return b.emit(b.node.op, x.value, shift.value, axis=shifted(axis, x.rank))


def _rolled_back(apply: Any, g: Any, x: Any, shift: Any, *, axis: Axis) -> Any:
    return apply(roll, (g, -shift), axis=axis)


roll: OpDef = op(
    "roll(x, shift, /, axis=None)",
    doc="The elements moved along an axis, those beyond its end coming in at its start.",
    spec=_roll_spec,
    kernel=lambda xp, x, shift, axis: xp.roll(x, shift, axis),
    samples=calls(
        "biufc",
        lambda some: [((some(3, 2), 2), {}), ((some(3, 2), np.array([1, -1])), {"axis": (0, 1)})],
    ),
    functions=(np.roll,),
    family=MOVED,
    derivative=linear(_rolled_back),
    batching=_rolled,
)


_MODES = [
    "constant",
    "edge",
    "empty",
    "linear_ramp",
    "maximum",
    "mean",
    "median",
    "minimum",
    "reflect",
    "symmetric",
    "wrap",
]


def _pad_spec(x: TensorSpec, *, widths: tuple[tuple[int, int], ...], mode: str) -> TensorSpec:
    if mode not in _MODES:
        raise ValueError(f"mode '{mode}' is not supported")
    if x.shape is None:
        return make_spec(x.dtype, None)
    if len(widths) != len(x.shape):
        raise ShapeError(f"{x} cannot be padded by {len(widths)} pairs of widths")
    if any(n < 0 for pair in widths for n in pair):
        raise ShapeError("index can't contain negative values")
    pairs = zip(x.shape, widths, strict=True)
    return make_spec(x.dtype, tuple(_plus(n, before + after) for n, (before, after) in pairs))


def _plus(size: Size, more: int) -> Size:
    if isinstance(size, int):
        return size + more
    return as_size(None) if more else size


def _pad_kernel(xp: Any, x: Any, *fill: Any, widths: Any, mode: str) -> Any:
    if fill:
        return xp.pad(x, widths, mode, constant_values=fill[0])
    return xp.pad(x, widths, mode)


def _padded(b: Batch, x: Operand, *fill: Operand, **attrs: Any) -> Result:
    if not x.is_batched or any(one.is_batched for one in fill) or attrs["mode"] != "constant":
        return None
    widths = ((0, 0), *attrs["widths"])
    return b.emit(b.node.op, x.value, *(one.value for one in fill), **(attrs | {"widths": widths}))


pad = op(
    "pad(x, *fill, widths, mode='constant')",
    doc="The array with elements added before and after it along each axis.",
    spec=lambda x, *fill, **attrs: _pad_spec(x, **attrs),
    kernel=_pad_kernel,
    samples=calls(
        "biufc",
        lambda some: [
            ((some(3, 4),), {"widths": ((1, 2), (0, 3))}),
            ((some(3, 4), 2), {"widths": ((1, 0), (0, 0))}),
            ((some(4),), {"widths": ((1, 2),), "mode": "reflect"}),
        ],
    ),
    family=MOVED,
    derivative=PADDED,
    batching=_padded,
    raises=raises_of_sizes,
)
