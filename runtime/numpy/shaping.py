"""Public functions that move, join and split arrays, with NumPy's own signatures."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.dispatch import apply, lift
from runtime.errors import ShapeError, StagedValueError
from runtime.numpy import functions as fn
from runtime.numpy.face import as_attribute, as_dims, call_concretely, into, stands_for
from runtime.ops import joining, windows
from runtime.ops import movement as ops
from runtime.ops.spec_rules import normal_axis
from runtime.subscripts import describe
from runtime.tensor import LOCKED, Symbol, TensorLike, is_staged, value_error


def operand(x: Any) -> Any:
    """Return an array-like as an operand that has a spec: nested lists become arrays."""
    found = lift(x)
    if isinstance(found, TensorLike | np.ndarray | np.generic | bool | int | float | complex | str):
        return found
    return found if hasattr(found, "dtype") else np.asarray(found)


def rank_of(x: Any, what: str) -> int:
    """Return the number of axes; StagedValueError when it is unknown while tracing."""
    rank = describe(x).rank
    if rank is None:
        raise value_error(x, f"the number of axes (for {what})")
    return rank


def _needs_c_order(order: str) -> None:
    if order != "C":
        raise StagedValueError(
            f"the argument 'order' must be 'C': arrays in a graph have no {order!r}"
        )


@stands_for(np.reshape)
def reshape(a: Any, /, shape: Any, order: str = "C", *, copy: bool | None = None) -> Any:
    """Return the elements in another shape; one size may be -1, and sizes may be staged."""
    if copy is not None:
        return call_concretely(np.reshape, (a, shape), {"order": order, "copy": copy})
    _needs_c_order(order)
    dims, sizes = as_dims(shape)
    return apply(ops.reshape, (operand(a), *sizes), shape=dims)


@stands_for(np.broadcast_to)
def broadcast_to(array: Any, shape: Any) -> Any:
    """Return an array repeated to another shape, as a view that cannot be written."""
    dims, sizes = as_dims(shape)
    return apply(ops.broadcast_to, (operand(array), *sizes), shape=dims)


@stands_for(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(x: Any, window_shape: Any, axis: Any = None) -> Any:
    """Return the windows that slide along axes, as a view that cannot be written."""
    sizes = as_attribute("window_shape", window_shape)
    sizes = sizes if isinstance(sizes, tuple) else (sizes,)
    axes = as_attribute("axis", axis)
    if axes is None:
        axes = tuple(range(rank_of(x, "windows")))
    axes = axes if isinstance(axes, tuple) else (axes,)
    if len(axes) != len(sizes):
        raise ValueError(f"Must provide matching length window_shape and axis; got {sizes}, {axes}")
    ones = (1,) * len(sizes)
    found = apply(windows.windows, (operand(x),), axes=axes, sizes=sizes, steps=ones, gaps=ones)
    if type(found) is Symbol:
        found.unwritable = LOCKED
    return found


@stands_for(np.broadcast_arrays)
def broadcast_arrays(*args: Any) -> Any:
    """Return arrays repeated to the shape that they have together."""
    arrays = [operand(x) for x in args]
    if not any(map(is_staged, arrays)):
        together = np.broadcast_shapes(*(np.shape(x) for x in map(_shape_holder, arrays)))
        return tuple(broadcast_to(x, together) for x in arrays)
    shapes = {describe(x).shape for x in arrays}
    if len(shapes) == 1 and describe(arrays[0]).is_static and () not in shapes:
        return tuple(arrays)
    sizes = shape(functools.reduce(fn.logical_or, arrays))
    found = tuple(broadcast_to(x, sizes) for x in arrays)
    for one in found:
        if type(one) is Symbol:
            one.unwritable = "NumPy warns where a result of broadcast_arrays is written: copy it"
    return found


def _shape_holder(x: Any) -> Any:
    return np.broadcast_to(False, describe(x).shape)  # type: ignore[arg-type]


@stands_for(np.concatenate)
def concatenate(arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None) -> Any:
    """Return arrays joined along an axis that they have."""
    parts = [operand(x) for x in _listed(arrays)]
    attrs = {"axis": as_attribute("axis", axis), "dtype": as_attribute("dtype", dtype)}
    return into(out, apply(joining.concatenate, parts, **attrs), "concatenate")


@stands_for(np.stack)
def stack(arrays: Any, axis: int = 0, out: Any = None) -> Any:
    """Return arrays joined along a new axis."""
    parts = [operand(x) for x in _listed(arrays)]
    return into(out, apply(joining.stack, parts, axis=as_attribute("axis", axis)), "stack")


def _listed(arrays: Any) -> Sequence[Any]:
    """Return a sequence of arrays: a list as it is, an array as its rows."""
    if isinstance(arrays, list | tuple):
        return arrays
    try:
        return list(arrays)
    except TypeError:
        raise TypeError(
            f"arrays are joined that stand in a list or tuple, not {arrays!r}"
        ) from None


def _at_least(rank: int, x: Any) -> Any:
    """Return an array with axes of size one in front of its own until it has so many."""
    x = operand(x)
    missing = rank - rank_of(x, "adding axes")
    return fn.expand_dims(x, tuple(range(missing))) if missing > 0 else x


def _many(found: list[Any]) -> Any:
    return found[0] if len(found) == 1 else tuple(found)


@stands_for(np.atleast_1d)
def atleast_1d(*arys: Any) -> Any:
    """Return arrays with at least one axis."""
    return _many([_at_least(1, x) for x in arys])


@stands_for(np.atleast_2d)
def atleast_2d(*arys: Any) -> Any:
    """Return arrays with at least two axes, new ones in front."""
    return _many([_at_least(2, x) for x in arys])


@stands_for(np.atleast_3d)
def atleast_3d(*arys: Any) -> Any:
    """Return arrays with at least three axes; a matrix gets a new one at its end."""
    return _many([_deep(operand(x)) for x in arys])


def _deep(x: Any) -> Any:
    axes: dict[int, tuple[int, ...]] = {0: (0, 1, 2), 1: (0, 2), 2: (2,)}
    missing = axes.get(rank_of(x, "adding axes"))
    return fn.expand_dims(x, missing) if missing else x


@stands_for(np.vstack)
def vstack(tup: Any) -> Any:
    """Return arrays joined as rows."""
    return concatenate([_at_least(2, x) for x in _listed(tup)])


@stands_for(np.hstack)
def hstack(tup: Any) -> Any:
    """Return arrays joined as columns; vectors are joined end to end."""
    parts = [_at_least(1, x) for x in _listed(tup)]
    return concatenate(parts, 0 if parts and describe(parts[0]).rank == 1 else 1)


@stands_for(np.dstack)
def dstack(tup: Any) -> Any:
    """Return arrays joined along their third axis."""
    return concatenate([_deep(operand(x)) for x in _listed(tup)], 2)


@stands_for(np.column_stack)
def column_stack(tup: Any) -> Any:
    """Return vectors as the columns of a matrix; matrices add their own columns."""
    return concatenate([_column(operand(x)) for x in _listed(tup)], 1)


def _column(x: Any) -> Any:
    return fn.transpose(_at_least(2, x)) if rank_of(x, "joining columns") < 2 else x


@stands_for(np.append)
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """Return an array with values joined at its end."""
    if axis is None:
        return concatenate([fn.ravel(arr), fn.ravel(values)])
    return concatenate([arr, values], axis)


def _cut(ary: Any, points: Sequence[int], axis: int) -> list[Any]:
    """Return the parts of an array between points along an axis, as views."""
    before: tuple[Any, ...] = (slice(None),) * normal_axis(axis, rank_of(ary, "splitting"))
    ends = [*points, None]
    starts = [None, *points]
    return [ary[(*before, slice(a, b))] for a, b in zip(starts, ends, strict=True)]


@stands_for(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Return parts of an array along an axis: so many, or between the given places."""
    ary = operand(ary)
    given = as_attribute("indices_or_sections", indices_or_sections)
    if isinstance(given, tuple):
        return _cut(ary, given, axis)
    if given <= 0:
        raise ValueError("number sections must be larger than 0.")
    size = _known_size(ary, axis)
    each, extra = divmod(size, given)
    sizes = [each + (k < extra) for k in range(given)]
    return _cut(ary, np.cumsum(sizes)[:-1].tolist(), axis)


def _known_size(ary: Any, axis: int) -> int:
    shape = describe(ary).shape
    size = shape[normal_axis(axis, len(shape))] if shape is not None else None
    if not isinstance(size, int):
        raise value_error(ary, "the size of the axis that is split")
    return size


@stands_for(np.split)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Return equal parts of an array along an axis, or those between the given places."""
    ary = operand(ary)
    given = as_attribute("indices_or_sections", indices_or_sections)
    if isinstance(given, int) and _known_size(ary, axis) % given:
        raise ShapeError("array split does not result in an equal division")
    return array_split(ary, given, axis)


@stands_for(np.vsplit)
def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Return parts of an array along its first axis."""
    return split(ary, indices_or_sections, 0)


@stands_for(np.hsplit)
def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Return parts of an array along its second axis, or its only one."""
    ary = operand(ary)
    return split(ary, indices_or_sections, 1 if rank_of(ary, "splitting") > 1 else 0)


@stands_for(np.dsplit)
def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Return parts of an array along its third axis."""
    return split(ary, indices_or_sections, 2)


@stands_for(np.tile)
def tile(A: Any, reps: Any) -> Any:  # noqa: N803
    """Return an array repeated as a whole along its axes."""
    times = as_attribute("reps", reps)
    return apply(joining.tile, (operand(A),), reps=times if isinstance(times, tuple) else (times,))


@stands_for(np.repeat)
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Return the elements, each repeated so many times, along an axis or as one row."""
    axis = as_attribute("axis", axis)
    if isinstance(repeats, int | np.integer):
        return apply(joining.repeat, (operand(a),), times=int(repeats), axis=axis)
    return apply(joining.repeat, (operand(a), operand(repeats)), axis=axis)


@stands_for(np.pad)
def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """Return an array with elements added before and after it along each axis."""
    array = operand(array)
    fill = kwargs.pop("constant_values", None)
    if kwargs or not isinstance(mode, str) or isinstance(fill, list | tuple):
        name = next(iter(kwargs), "mode" if not isinstance(mode, str) else "constant_values")
        raise StagedValueError(f"pad() does not support the argument {name!r} as it was given")
    rank = rank_of(array, "padding")
    if not rank:
        raise TypeError(f"pad() is of an array with axes, not of a number: {array!r}")
    widths = np.broadcast_to(np.asarray(as_attribute("pad_width", pad_width)), (rank, 2))
    pairs = tuple((int(a), int(b)) for a, b in widths)
    inputs = (array,) if fill is None else (array, fill)
    return apply(joining.pad, inputs, widths=pairs, mode=mode)


@stands_for(np.flip)
def flip(m: Any, axis: Any = None) -> Any:
    """Return an array with axes in the opposite order; of no axes, its number."""
    is_number = isinstance(m, TensorLike) and describe(m).shape == ()
    return m[()] if is_number and axis in (None, ()) else fn.flip(m, axis)


@stands_for(np.fliplr)
def fliplr(m: Any) -> Any:
    """Return an array with its second axis in the opposite order."""
    return fn.flip(m, 1)


@stands_for(np.flipud)
def flipud(m: Any) -> Any:
    """Return an array with its first axis in the opposite order."""
    return fn.flip(m, 0)


@stands_for(np.rot90)
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Return an array turned by quarters of a turn in the plane of two axes."""
    first, second = axes
    turns: tuple[Callable[[Any], Any], ...] = (
        lambda x: x[...],
        lambda x: fn.swapaxes(fn.flip(x, second), first, second),
        lambda x: fn.flip(fn.flip(x, first), second),
        lambda x: fn.flip(fn.swapaxes(x, first, second), second),
    )
    return turns[k % 4](operand(m))


@stands_for(np.rollaxis)
def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """Return an array with an axis moved before another one."""
    rank = rank_of(operand(a), "moving axes")
    axis = normal_axis(axis, rank)
    start = start + rank if start < 0 else start
    return fn.moveaxis(a, axis, start - (axis < start))


@stands_for(np.matrix_transpose, np.linalg.matrix_transpose)
def matrix_transpose(x: Any, /) -> Any:
    """Return matrices with their rows as columns."""
    return fn.swapaxes(x, -1, -2)


@stands_for(np.shape)
def shape(a: Any) -> Any:
    """Return the sizes of an array: ints, or staged ints where they are unknown."""
    a = operand(a)
    return a.shape if hasattr(a, "shape") else ()


@stands_for(np.size)
def size(a: Any, axis: Any = None) -> Any:
    """Return the number of elements, or the size of one axis."""
    sizes = shape(a)
    if axis is not None:
        return sizes[axis]
    product: Any = 1
    for n in sizes:
        product = product * n
    return product
