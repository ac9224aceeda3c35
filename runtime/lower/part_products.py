"""Products and norms of parts of arrays in native loops, by NumPy's own loops, which call BLAS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.graph.node import Node, Value
from runtime.kernels.kernel import Operand, Policy, UnsupportedError
from runtime.kernels.scalar.scalars import Scalars
from runtime.lower.lowering import PARTS
from runtime.lower.part_calls import call
from runtime.lower.part_reductions import in_one_row, reduction
from runtime.lower.parts import (
    Axis,
    Given,
    Part,
    computed,
    copied,
    is_spread,
    kept,
    need_equal,
    room,
    taken,
)
from runtime.lower.slices import ONE, ZERO
from runtime.ops.linear import dot, inner, matmul, norm, vdot
from runtime.ops.reductions import sum_
from runtime.passes.rewriter import node_of


@PARTS.lowers(matmul)
def _matmul(s: Scalars, node: Node, given: Sequence[Given]) -> Given:
    first, second = given
    return _product(s, node, first, second, is_dot=False)


@PARTS.lowers(dot)
def _dot(s: Scalars, node: Node, given: Sequence[Given]) -> Given:
    first, second = given
    return _product(s, node, first, second, is_dot=True)


@PARTS.lowers(vdot)
def _vdot(s: Scalars, node: Node, given: Sequence[Given]) -> Given:
    first, second = given
    if node.result.spec.dtype.kind == "c" or any(map(_is_backward, given)):
        raise UnsupportedError("such products by np.vdot, which copies nothing and conjugates")
    return _product(s, node, first, second, is_dot=True)


@PARTS.lowers(inner)
def _inner(s: Scalars, node: Node, given: Sequence[Given]) -> Given:
    """Return products of vectors, which are the rows of matrices."""
    (first, second), ranks = given, [x.spec.rank for x in node.inputs]
    if ranks[1] == 2:
        first, second = (first, _turned(s, second)) if ranks[0] == 2 else (second, first)
    return _product(s, node, first, second, is_dot=ranks == [1, 1])


def _product(s: Scalars, node: Node, first: Given, second: Given, is_dot: bool) -> Given:
    """Return a product of vectors or matrices, by NumPy's own loop, which calls BLAS."""
    x, y = (value.spec for value in node.inputs)
    dtype = node.result.spec.dtype
    is_known = f"{dtype.char * 2}->{dtype.char}" in np.matmul.types
    fits = {x.dtype, y.dtype} == {dtype} and {x.rank, y.rank} <= ({1} if is_dot else {1, 2})
    if not is_known or not fits:
        raise UnsupportedError(f"products of {x} and {y}")
    return multiplied(s, first, second, is_dot)


def _turned(s: Scalars, part: Given) -> Part:
    """Return a matrix transposed."""
    assert isinstance(part, Part)
    part = kept(s, part)
    return taken(s, part, [Axis(ZERO, 1, 1), Axis(ZERO, 1, 0)], part.sizes[::-1])


def multiplied(s: Scalars, first: Given, second: Given, is_dot: bool) -> Given:
    """Return the product of parts of one dtype."""
    x, y = (kept(s, _forced(s, part, is_dot)) for part in (first, second))
    if any(z.is_disordered or is_spread(z) for z in (x, y)):
        raise UnsupportedError("products of arrays in another order in memory")
    dtype = x.dtype
    types = f"{dtype.char * 2}->{dtype.char}"
    need_equal(s, x.sizes[-1], y.sizes[0])
    rows, columns = x.sizes[:-1], y.sizes[1:]
    found = room(s, dtype, [*rows, *columns] or [ONE])
    m, p = len(rows) - 1, len(rows) if columns else -1
    own = [(0, m), (0, len(x.sizes) - 1), (1, 0), (1, 1 if columns else -1), (2, m), (2, p)]
    counts = [ONE, *(rows or (ONE,)), x.sizes[-1], *(columns or (ONE,))]
    core = [(0, -1), (1, -1), (2, -1), *own]
    call(s, "matmul", types, [x, y, found], core, counts, quiet=is_dot)
    if rows or columns:
        return found
    answer = found.read([ZERO])
    if not is_dot:
        return answer
    # One product is not added to zero, as a sum of several is.
    s.policy = Policy.ELEMENT
    is_one = s.equal(x.sizes[0], ONE)
    return s.choice(is_one, [dtype], [_first(s, x, y), s.block((), lambda: [answer])])[0]


@PARTS.lowers(norm)
def length(s: Scalars, node: Node, given: Sequence[Given]) -> Given | None:
    """Return norms of vectors, or that of all elements, as NumPy does."""
    (part,), spec, attrs = given, node.inputs[0].spec, node.attrs
    if not isinstance(part, Part):
        return None
    if spec.dtype.kind != "f":
        raise UnsupportedError(f"the op {node.op.name} of {spec} with such arguments")
    if attrs["axis"] is not None or (attrs["ord"] == 1 and spec.rank == 1):
        return lengths(s, node, part)
    is_usual = attrs["ord"] is None or (attrs["ord"] == 2 and spec.rank == 1)
    if not is_usual or attrs["keepdims"] or any(x.step < 0 for x in part.axes):
        raise UnsupportedError(f"the op {node.op.name} of {spec} with such arguments")
    row = in_one_row(s, part, f"the op {node.op.name} of {spec}")
    if any(x.step > 1 for x in row.axes):
        row = copied(s, row)
    s.policy = Policy.ELEMENT
    found = multiplied(s, row, row, is_dot=True)
    assert not isinstance(found, Part)
    return s.sqrt(found)


def lengths(s: Scalars, node: Node, part: Part) -> Given:
    """Return norms of the vectors along an axis: roots of sums of squares, or sums of sizes."""
    spec, ord, axis = node.inputs[0].spec, node.attrs["ord"], node.attrs["axis"] or 0
    if ord not in (None, 1, 2) or not isinstance(axis, int):
        raise UnsupportedError(f"the op {node.op.name} of {spec} with such arguments")
    attrs = {"axis": axis, "dtype": None, "keepdims": node.attrs["keepdims"]}
    total = node_of(sum_, (Value(spec),), attrs, node.location)

    def each(x: Operand) -> Operand:
        s.policy = Policy.ELEMENT
        return s.absolute(x) if ord == 1 else s.multiply(x, x)

    found = reduction(s, total, computed(kept(s, part), each, part.dtype))
    if ord == 1:
        return found
    return computed(found, s.sqrt, part.dtype) if isinstance(found, Part) else s.sqrt(found)


def _is_backward(part: Given) -> bool:
    return isinstance(part, Part) and any(x.step < 0 for x in part.axes)


def _first(s: Scalars, x: Part, y: Part) -> Any:
    """Return a block with the product of two first elements."""
    return s.block((), lambda: [s.multiply(x.read([ZERO]), y.read([ZERO]))])


def _forced(s: Scalars, part: Given, is_dot: bool) -> Part:
    """Return a part as products take it: `np.dot` copies one in the opposite order."""
    assert isinstance(part, Part)
    return copied(s, part) if is_dot and _is_backward(part) else part
