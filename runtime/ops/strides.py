"""Views of a row of elements with any strides, as arguments that share memory are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from runtime.errors import ShapeError
from runtime.graph.opdef import OpDef, Samples, op
from runtime.ops.families import ARRAYS, VIEW
from runtime.ops.keys import check_fits
from runtime.ops.samples import Call, calls
from runtime.spec import Shape, TensorSpec, make_spec


def _strided(xp: Any, x: Any, offset: int, shape: Shape, strides: Sequence[int]) -> Any:
    steps = [step * x.itemsize for step in strides]
    return xp.lib.stride_tricks.as_strided(xp.ascontiguousarray(x)[offset:], shape, steps)


def _strided_spec(
    x: TensorSpec, *, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]
) -> TensorSpec:
    if x.shape is None or len(x.shape) != 1:
        raise ShapeError(f"a view with strides is one of a row of elements, not of {x}")
    steps = [step * (n - 1) for n, step in zip(shape, strides, strict=True)]
    first, last = (offset + sum(end(step, 0) for step in steps) for end in (min, max))
    if 0 not in shape and not (first >= 0 and x.shape[0] in range(last + 1, sys.maxsize)):
        raise ShapeError(f"elements {first} to {last} are not all known to be in {x}")
    return make_spec(x.dtype, shape)


def _strided_samples(*values: Any) -> Samples:
    def draw(some: Callable[..., Any]) -> list[Call]:
        given = [(1, (2, 3), (5, 1)), (9, (2, 5), (0, -2)), (0, (0, 4), (4, 1)), (3, (), ())]
        names = ("offset", "shape", "strides")
        return [((some(12), *values), dict(zip(names, x, strict=True))) for x in given]

    return calls("biufc", draw)


strided = op(
    "strided(x, /, offset, shape, strides)",
    doc="A view of a row of elements, that at `places` being `offset + sum(places * strides)`.",
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
