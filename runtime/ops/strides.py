"""Views of a row of elements with any strides, as arguments that share memory are; diagonals."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from runtime.errors import ShapeError
from runtime.graph.opdef import OpDef, Samples, op
from runtime.ops.batch_rules import same as same_of_each
from runtime.ops.derivatives.constructors import linear
from runtime.ops.derivatives.matrix_rules import on_letters
from runtime.ops.families import ARRAYS, MOVED, VIEW
from runtime.ops.keys import check_fits
from runtime.ops.samples import Call, calls, each
from runtime.spec import UNKNOWN, TensorSpec, make_spec


@lru_cache(maxsize=1024)
def _ends(offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int]:
    """Return the first element of a view and the one after its last."""
    if 0 in shape:
        return 0, 0
    steps = [step * (n - 1) for n, step in zip(shape, strides, strict=True)]
    return offset + sum(min(x, 0) for x in steps), offset + sum(max(x, 0) for x in steps) + 1


def _check_inside(size: int, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    first, end = _ends(offset, shape, strides)
    if first < 0 or end > size:
        raise ShapeError(f"elements {first} to {end - 1} are not all among {size} elements")


def _strided(xp: Any, x: Any, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    _check_inside(x.size, offset, shape, strides)
    steps = [step * x.itemsize for step in strides]
    return xp.lib.stride_tricks.as_strided(xp.ascontiguousarray(x)[offset:], shape, steps)


def _strided_spec(
    x: TensorSpec, *, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]
) -> TensorSpec:
    size = x.shape and x.shape[0]
    if x.shape is not None and len(x.shape) != 1:
        raise ShapeError(f"a view with strides is one of a row of elements, not of {x}")
    if isinstance(size, int):
        _check_inside(size, offset, shape, strides)
    return make_spec(x.dtype, shape)


def _strided_samples(*values: Any) -> Samples:
    def draw(some: Callable[..., Any]) -> list[Call]:
        given = [(1, (2, 3), (5, 1)), (9, (2, 5), (0, -2)), (0, (0, 4), (4, 1)), (3, (), ())]
        names = ("offset", "shape", "strides")
        return [((some(12), *values), dict(zip(names, x, strict=True))) for x in given]

    return calls("biufc", draw)


strided = op(
    "strided(x, /, offset, shape, strides)",
    doc="A view of a row of elements: that at `places` is at `offset + sum(places * strides)`.",
    spec=_strided_spec,
    kernel=_strided,
    samples=_strided_samples(),
    write=lambda apply, base, new, **attrs: apply(strided_update, (base, new), **attrs),
    family=VIEW,
)


def _strided_update(xp: Any, x: Any, value: Any, **attrs: Any) -> Any:
    found = xp.array(x)
    _strided(xp, found, **attrs)[...] = value
    return found


def _strided_update_spec(x: TensorSpec, value: TensorSpec, **attrs: Any) -> TensorSpec:
    check_fits(value, _strided_spec(x, **attrs).shape)
    return x


strided_update: OpDef = op(
    "strided_update(x, value, /, offset, shape, strides)",
    doc="A copy of a row of elements with other values in the view that `strided` gives.",
    spec=_strided_update_spec,
    kernel=_strided_update,
    samples=_strided_samples(1),
    family=ARRAYS,
)


def _diagonals_spec(x: TensorSpec, *, subscripts: str) -> TensorSpec:
    source, _, target = subscripts.partition("->")
    sizes = dict(zip(source, x.shape or (UNKNOWN,) * len(source), strict=True))
    return make_spec(x.dtype, tuple(sizes[c] for c in target))


def _write_diagonals(apply: Callable[..., Any], base: Any, new: Any, subscripts: str) -> Any:
    source, _, target = subscripts.partition("->")
    return on_letters(apply, "scatter", base, new, source, target)


diagonals = op(
    "diagonals(x, /, subscripts)",
    doc="A view of the elements whose indices are equal where letters are, as in `iij->ij`.",
    spec=_diagonals_spec,
    kernel=lambda xp, x, subscripts: xp.einsum(subscripts, x),
    samples=calls(
        "biufc",
        lambda some: [
            ((some(3, 3),), {"subscripts": "ii->i"}),
            ((some(2, 3, 2),), {"subscripts": "iji->ji"}),
        ],
    ),
    write=_write_diagonals,
    family=VIEW,
    derivative=linear(
        lambda apply, g, x, subscripts: _write_diagonals(apply, np.zeros_like(x), g, subscripts)
    ),
)

in_rows = op(
    "in_rows(x)",
    doc="The array, or a copy of it whose elements lie in rows.",
    spec=lambda x: x,
    kernel=lambda xp, x: xp.ascontiguousarray(x),
    samples=each("biufc", {}),
    view="contiguous",
    write=lambda apply, base, new: new,
    family=VIEW,
    derivative=linear(lambda apply, g, x, **attrs: g),
    batching=same_of_each,
)


def _in_order_of(xp: Any, x: Any, *like: Any) -> Any:
    if xp.ndim(x) < 2:
        return x
    if not like:
        return xp.ascontiguousarray(x)
    if x.strides == like[0].strides and x.itemsize == like[0].itemsize:
        return x
    found = xp.empty_like(like[0], dtype=x.dtype)
    if found.strides != x.strides:
        found[...] = x
        return found
    return x


in_order_of = op(
    "in_order_of(x, *like)",
    doc="The elements of an array in the order of the memory of another one, or in rows.",
    spec=lambda x, *like: x,
    kernel=_in_order_of,
    samples=calls(
        "biufc",
        lambda some: [
            ((some(3, 4), some(4, 3).T), {}),
            ((some(4, 3).T, some(3, 4)), {}),
            ((some(4, 3).T,), {}),
        ],
    ),
    scalar=lambda s, x, *like: s.in_order_of(x, *like),
    family=MOVED,
    derivative=linear(lambda apply, g, x, *like: g),
    batching=lambda b, x, *like: b.spread(x),
)
