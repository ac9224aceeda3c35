"""Ops of windows that slide along axes: those of an array, and the sum of windows that overlap.

Each is the transpose of the other one. A convolution is a product of windows with a kernel, what
goes back through it a sum of windows; so is a transposed convolution.

Attributes of both, one item for each axis along which windows slide:

    axes    which
    sizes   how many elements a window has
    steps   how far it is from one window to the next
    gaps    how far it is from one element of a window to the next
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from runtime.errors import ShapeError
from runtime.graph.opdef import OpDef, op
from runtime.graph.traits import has_unknown, raises_if
from runtime.ops.batch_rules import Batch, Operand, Result, along, shifted
from runtime.ops.derivatives.constructors import linear
from runtime.ops.families import ARRAYS, VIEW
from runtime.ops.samples import calls
from runtime.ops.spec_rules import Size, normal_axis, same
from runtime.spec import UNKNOWN, TensorSpec, make_spec

Numbers = tuple[int, ...]


def _count(length: Size, size: int, step: int, gap: int) -> Size:
    """Return how many windows there are along an axis."""
    if not isinstance(length, int):
        return UNKNOWN
    span = (size - 1) * gap + 1
    if span > length:
        raise ShapeError(f"a window of {span} elements is larger than an axis of {length}")
    return (length - span) // step + 1


def _windows_spec(
    x: TensorSpec, *, axes: Numbers, sizes: Numbers, steps: Numbers, gaps: Numbers
) -> TensorSpec:
    if any(n < 0 for n in sizes) or any(n < 1 for n in (*steps, *gaps)):
        raise ShapeError("sizes of windows are 0 or more, their steps and gaps 1 or more")
    if x.shape is None:
        return make_spec(x.dtype, None)
    shape = list(x.shape)
    places = [normal_axis(axis, len(shape)) for axis in axes]
    if len({*places}) != len(places):
        raise ShapeError("windows slide along an axis once")
    for k, *window in zip(places, sizes, steps, gaps, strict=True):
        shape[k] = _count(shape[k], *window)
    return make_spec(x.dtype, (*shape, *sizes))


def _windows(xp: Any, x: Any, axes: Numbers, sizes: Numbers, steps: Numbers, gaps: Numbers) -> Any:
    shape, strides = [*x.shape], [*x.strides]
    for axis, *window in zip(axes, sizes, steps, gaps, strict=True):
        shape[axis] = _count(shape[axis], *window)
        strides[axis] *= window[1]
    inner = [x.strides[axis] * gap for axis, gap in zip(axes, gaps, strict=True)]
    found = xp.lib.stride_tricks.as_strided(x, (*shape, *sizes), (*strides, *inner))
    if xp is np:
        found.flags.writeable = False
    return found


def _windows_back(apply: Any, g: Any, x: Any, **attrs: Any) -> Any:
    return apply(windows_sum, (np.zeros_like(x, g.dtype), g), **attrs)


def _draw(some: Any) -> list[Any]:
    one = {"axes": (0,), "sizes": (3,), "steps": (1,), "gaps": (1,)}
    none = {"axes": (0,), "sizes": (0,), "steps": (1,), "gaps": (1,)}
    two = {"axes": (1, -1), "sizes": (2, 3), "steps": (2, 1), "gaps": (1, 2)}
    return [
        (some, (5,), (3, 3), one),
        (some, (2,), (3, 0), none),
        (some, (2, 5, 7), (2, 2, 3, 2, 3), two),
    ]


windows: OpDef = op(
    "windows(x, /, axes, sizes, steps, gaps)",
    doc="A view of the windows that slide along axes, the elements of each along axes at the end.",
    spec=_windows_spec,
    kernel=_windows,
    samples=calls("biufc", lambda some: [((f(*x),), attrs) for f, x, _, attrs in _draw(some)]),
    family=VIEW,
    derivative=linear(_windows_back),
    batching=along("axes"),
    raises=raises_if(has_unknown, "ValueError"),
)


def _windows_sum_spec(base: TensorSpec, x: TensorSpec, **attrs: Any) -> TensorSpec:
    _windows_spec(base, **attrs)
    return same(base)


def _windows_sum(
    xp: Any,
    base: Any,
    x: Any,
    axes: Numbers,
    sizes: Numbers,
    steps: Numbers,
    gaps: Numbers,
) -> Any:
    found = base.copy()
    for place, elements in _slices(x.shape, base.ndim, axes, sizes, steps, gaps):
        found[place] += x[elements]
    return found


def _slices(
    shape: Sequence[int],
    rank: int,
    axes: Numbers,
    sizes: Numbers,
    steps: Numbers,
    gaps: Numbers,
) -> Iterator[tuple[Any, Any]]:
    """Yield where the elements at one place of all windows are in the array, and in the windows."""
    for numbers in product(*map(range, sizes)):
        place = [slice(None)] * rank
        for axis, number, step, gap in zip(axes, numbers, steps, gaps, strict=True):
            first = number * gap
            place[axis] = slice(first, first + (shape[axis % rank] - 1) * step + 1, step)
        yield tuple(place), (..., *numbers)


def _sum_back(apply: Any, g: Any, base: Any, x: Any, **attrs: Any) -> list[Any]:
    return [g, apply(windows, (g,), **attrs)]


def _sum_of_each(b: Batch, base: Operand, x: Operand, **attrs: Any) -> Result:
    if base.spec.shape is None:
        return None
    axes = shifted(attrs["axes"], base.rank)
    return b.emit(b.node.op, b.spread(base), b.spread(x), **(attrs | {"axes": axes}))


windows_sum: OpDef = op(
    "windows_sum(base, x, /, axes, sizes, steps, gaps)",
    doc="An array to which windows are added, where `windows` takes them from.",
    spec=_windows_sum_spec,
    kernel=_windows_sum,
    samples=calls("iufc", lambda some: [((f(*x), f(*w)), attrs) for f, x, w, attrs in _draw(some)]),
    family=ARRAYS,
    derivative=linear(_sum_back, None),
    batching=_sum_of_each,
    raises=raises_if(has_unknown, "ValueError"),
)
