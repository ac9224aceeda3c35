"""Convolution and correlation of parts of arrays in native loops, with the bits of NumPy.

Where a short vector lies within the other one, products are added one after another; where it is a
long one, or reaches over an end, each sum is a product of vectors; those within are one call.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runtime.graph.node import Node
from runtime.kernels.kernel import INT, Literal, Operand, Policy, UnsupportedError
from runtime.kernels.scalar.scalars import Scalars
from runtime.lower.lowering import PARTS
from runtime.lower.part_calls import call
from runtime.lower.part_products import multiplied
from runtime.lower.parts import Given, Part, array_of, assign, copied, each, part_of, room
from runtime.lower.slices import ONE, Slices, sum_of
from runtime.ops.reductions import convolve, correlate

SHORT = 11
"""How many elements a vector has at most whose products NumPy adds one after another."""
MOST = 24
"""How many products of vectors that reach over an end are written at most."""
_WINDOWS = ((0, 0), (1, -1), (2, 0), (0, -1), (0, 0), (1, 0), (1, -1), (2, -1), (2, -1))
"""The steps of products of all windows of one vector with another: each begins one further on."""


@PARTS.lowers(correlate)
def correlated(s: Scalars, node: Node, given: Sequence[Given]) -> Part:
    """Return the correlation of two vectors of known sizes."""
    return _slid(s, node, given, is_turned=False)


@PARTS.lowers(convolve)
def convolved(s: Scalars, node: Node, given: Sequence[Given]) -> Part:
    """Return the convolution of two vectors of known sizes."""
    return _slid(s, node, given, is_turned=True)


def _slid(s: Scalars, node: Node, given: Sequence[Given], is_turned: bool) -> Part:
    dtype, what = node.result.spec.dtype, f"the op {node.op.name}"
    parts = [x for x in given if isinstance(x, Part) and x.dtype == dtype]
    if dtype not in (np.float32, np.float64) or len(parts) < 2:
        raise UnsupportedError(what)
    sizes = [n for x in parts for n in x.type.shape]
    if None in sizes or len(sizes) != 2:
        raise UnsupportedError(f"{what} of such sizes")
    x, y = (x if [a.step for a in x.axes if a.of == 0] == [1] else copied(s, x) for x in parts)
    n, m = (int(size or 0) for size in sizes)
    is_swapped = n < m
    if is_swapped:
        x, y, n, m = y, x, m, n
    if is_turned:
        y = copied(s, part_of(s, y, "::-1", (), Slices()))
    found = _sums(s, x, y, n, m, node.attrs["mode"])
    if is_swapped and not is_turned:
        return copied(s, part_of(s, found, "::-1", (), Slices()))
    return found


def _sums(s: Scalars, x: Part, y: Part, n: int, m: int, mode: str) -> Part:
    """Return the sums of products for each place of a vector along one that is not shorter."""
    before = {"valid": 0, "same": m // 2, "full": m - 1}[mode]
    after = {"valid": 0, "same": m - m // 2 - 1, "full": m - 1}[mode]
    inside = n - m + 1
    if before + after > MOST:
        raise UnsupportedError("convolution of long vectors")
    found = room(s, x.dtype, [Literal(INT, before + inside + after)])

    def product(place: int, first: int, last: int) -> None:
        """Write one sum: of elements from `first` to `last` of the longer vector."""
        start = first - (place - before)
        long = part_of(s, x, f"{first}:{last}", (), Slices())
        short = part_of(s, y, f"{start}:{start + last - first}", (), Slices())
        value = multiplied(s, long, short, is_dot=True)
        if last - first == 1 and not isinstance(value, Part):  # NumPy adds it to zero here
            s.policy = Policy.ELEMENT
            value = s.add(Literal(x.dtype, 0.0), value)
        assign(s, part_of(s, found, str(place), (), Slices()), value)

    def added(indices: Sequence[Operand]) -> None:
        s.policy = Policy.ELEMENT
        total: Operand = Literal(x.dtype, 0.0)
        for k in range(m):
            element = x.read([sum_of(s, indices[0], Literal(INT, k))])
            total = s.add(total, s.multiply(element, y.read([Literal(INT, k)])))
        s.emit("store", [target, total, sum_of(s, indices[0], Literal(INT, before))])

    target = array_of(found)
    for place in (*range(before), *range(before + inside, before + inside + after)):
        product(place, max(place - before, 0), min(place - before + m, n))
    if m <= SHORT:
        each(s, [Literal(INT, inside)], added)
        return found
    places = part_of(s, found, f"{before}:{before + inside}", (), Slices())
    row, types = Literal(INT, m), f"{x.dtype.char * 2}->{x.dtype.char}"
    call(s, "matmul", types, [x, y, places], _WINDOWS, [places.sizes[0], ONE, row, ONE], quiet=True)
    return found
