"""Running results of parts of arrays in native loops: each element is made of the one before it.

Comes in: a node, and the parts that it goes along. Goes out: an array, with the bits of NumPy where
NumPy has such a function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from runtime.graph.node import Node
from runtime.kernels.kernel import Operand, Policy, UnsupportedError
from runtime.kernels.scalar.scalars import Scalars
from runtime.lower.lowering import PARTS
from runtime.lower.part_calls import flattened
from runtime.lower.part_reductions import COMBINED
from runtime.lower.parts import (
    Given,
    Part,
    array_of,
    assign,
    computed,
    each,
    is_in_order,
    kept,
    part_of,
    room,
)
from runtime.lower.slices import ONE, ZERO, Slices, sum_of
from runtime.ops.recurrences import recurrence

_FUSED = (np.dtype(np.float32), np.dtype(np.float64))


def accumulated(s: Scalars, node: Node, part: Part) -> Part:
    """Return what a ufunc makes of the elements up to each one along an axis, one after another."""
    axis, ufunc = node.attrs["axis"], node.op.accumulation
    combine = COMBINED.get(ufunc.__name__) if ufunc is not None else None
    if combine is None or node.result.spec.dtype != part.dtype or part.dtype.kind not in "fiu":
        raise UnsupportedError(f"{node.op.name} of {node.inputs[0].spec}")
    if axis is None:
        part = flattened(s, part)
    axis = (axis or 0) % len(part.sizes)
    s.stop_if(s.equal(part.sizes[axis], ZERO))
    part, found = kept(s, part), room(s, part.dtype, part.sizes)
    first, rest = (
        part_of(s, part, ", ".join([*[":"] * axis, key, "..."]), (), Slices())
        for key in ("0", "1:")
    )

    def add(indices: Sequence[Operand], before: Operand) -> Operand:
        s.policy = Policy.ELEMENT
        return combine(s, before, rest.read(indices))

    _one_by_one(s, found, axis, first, rest.sizes[axis], add)
    is_sorted = is_in_order(computed(part, lambda x: x, part.dtype))
    return found if is_sorted else replace(found, is_disordered=True)


@PARTS.lowers(recurrence)
def recurrent(s: Scalars, node: Node, given: Sequence[Given]) -> Part | None:
    """Return `z[k] = factors[k - 1] * z[k - 1] + addends[k]` along the last axis.

    Each waits for the one before, so it is one instruction where the machine has such a one.
    """
    (factors, addends), dtype = given, node.result.spec.dtype
    if not isinstance(factors, Part) or not isinstance(addends, Part):
        return None
    if {factors.dtype, addends.dtype} != {dtype} or dtype not in _FUSED:
        raise UnsupportedError(f"a recurrence of {dtype}")
    has_fma, axis = s.target.has("fma"), len(addends.sizes) - 1
    s.stop_if(s.equal(addends.sizes[-1], ZERO))
    found = room(s, dtype, addends.sizes)
    first, rest = (part_of(s, addends, f"..., {key}", (), Slices()) for key in ("0", "1:"))

    def add(indices: Sequence[Operand], before: Operand) -> Operand:
        s.policy = Policy.ELEMENT
        x, y = factors.read(indices), rest.read(indices)
        return s.emit("fma", [x, before, y], dtype) if has_fma else s.add(s.multiply(x, before), y)

    _one_by_one(s, found, axis, first, rest.sizes[-1], add)
    return found


def _one_by_one(
    s: Scalars,
    found: Part,
    axis: int,
    first: Given,
    count: Operand,
    add: Callable[[Sequence[Operand], Operand], Operand],
) -> None:
    """Write elements along an axis, each made of the one before (`loops/carried_elements`)."""
    head = part_of(s, found, ", ".join([*[":"] * axis, "0", "..."]), (), Slices())
    assign(s, head, first)

    def element(indices: Sequence[Operand]) -> None:
        made, place = add(indices, found.read(indices)), [*indices]
        place[axis] = sum_of(s, indices[axis], ONE)
        s.emit("store", [array_of(found), made, *place])

    each(s, [count if k == axis else n for k, n in enumerate(found.sizes)], element)
