"""Nodes on parts of arrays in native loops: elementwise ones, reductions, products, views, writes.

Comes in: a node, and what stands for its inputs. Goes out: what stands for its result: a part that
is read element by element where it is used, or a number. What an op does to numbers, and to rows of
them, stands in its field `scalar`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.graph.node import Node
from runtime.kernels.arrays.layout import HAS_LONG_SUMS, LONGEST_ROW
from runtime.kernels.kernel import (
    INT,
    Instruction,
    Literal,
    Operand,
    Policy,
    UnsupportedError,
    Variable,
    kind_of,
)
from runtime.kernels.scalar.scalars import Scalars
from runtime.lower.elementwise import apply_element, element_kinds, fitted
from runtime.lower.index_maps import NUMBERS
from runtime.lower.parts import (
    Given,
    Part,
    assign,
    broadcast,
    call,
    computed,
    copied,
    element,
    flipped,
    is_same,
    kept,
    need_equal,
    part_of,
    room,
    transposed,
)
from runtime.lower.slices import ONE, ZERO, Slices
from runtime.ops.indexing import update
from runtime.ops.joining import stack
from runtime.ops.keys import SLOT, read_key
from runtime.ops.linear import dot, matmul
from runtime.ops.movement import flip, transpose
from runtime.ops.rules import normal_axes
from runtime.spec import TensorSpec

LARGEST = 1 << 14
"""How many elements a part has at most: kernels over arrays are made for larger ones."""


def check_size(node: Node) -> None:
    """Refuse nodes that make large arrays."""
    for spec in (x.spec for x in node.results):
        sizes = [n for n in spec.shape or () if isinstance(n, int)]
        if spec.rank and math.prod(sizes) > LARGEST:
            raise UnsupportedError("arithmetic on large arrays")
        if spec.dtype.name not in NUMBERS:
            raise UnsupportedError(f"values of {spec}")


def has_parts(node: Node, given: Sequence[Given]) -> bool:
    """Tell whether a node takes or makes arrays."""
    is_made = any(x.spec.rank for x in node.results)
    return is_made or any(not isinstance(x.type, np.dtype) for x in given)


def takes_parts(node: Node) -> bool:
    """Tell whether a node goes through parts of arrays."""
    if node.op is not update:
        return any(x.spec.rank for x in node.results)
    items = read_key(node.attrs["key"])
    return len(items) < (node.result.spec.rank or 0) or any(
        x is not SLOT and not isinstance(x, int) for x in items
    )


def write_node(s: Scalars, node: Node, given: Sequence[Given]) -> Given:
    """Write a node on parts of arrays."""
    if node.op in (dot, matmul):
        return product(s, node, given)
    if node.op is stack:
        return stacked(s, node, given)
    first = given[0] if given else None
    if len(node.results) != 1:
        raise UnsupportedError(f"the op {node.op.name}")
    if isinstance(first, Part) and node.op in (flip, transpose):
        return moved(s, node, first)
    if isinstance(first, Part) and node.op.reduction is not None:
        return reduction(s, node, first)
    is_element = node.op.view is None and not node.op.multiple and bool(node.result.spec.rank)
    if not is_element or not any(isinstance(x, Part) for x in given):
        raise UnsupportedError(f"the op {node.op.name} of {', '.join(map(str, _specs(node)))}")
    return elementwise(s, node, given)


def _specs(node: Node) -> list[TensorSpec]:
    return [x.spec for x in node.inputs]


def elementwise(s: Scalars, node: Node, given: Sequence[Given]) -> Part:
    """Return the elements that an op makes of those of parts, and of numbers."""
    result, types = node.result.spec.dtype, [x.spec.promotable for x in node.inputs]
    s.policy = Policy.ELEMENT
    kinds = element_kinds(node.op, types, result)
    ready = [
        x if isinstance(x, Part) else fitted(s, x, kind, own)
        for x, kind, own in zip(given, kinds, types, strict=True)
    ]

    def read(indices: Sequence[Operand]) -> Operand:
        own = [
            s.convert(element(s, x, indices), kind) for x, kind in zip(ready, kinds, strict=True)
        ]
        s.policy = Policy.ELEMENT
        return apply_element(s, node.op, own, result, node.attrs)

    parts = [x for x in ready if isinstance(x, Part)]
    views = [view for x in parts for view in ([x] if x.array is not None else x.views)]
    return Part(broadcast(s, *(x.sizes for x in parts)), result, read, tuple(views))


def stacked(s: Scalars, node: Node, given: Sequence[Given]) -> Part:
    """Return an array of numbers, as `np.array([x, y])` makes."""
    dtype = node.result.spec.dtype
    if node.attrs["axis"] not in (0, -1) or any(x.type != dtype for x in given):
        raise UnsupportedError(f"the op {node.op.name} of {', '.join(map(str, _specs(node)))}")
    found = room(s, dtype, [Literal(INT, len(given))])
    for k, x in enumerate(given):
        assign(s, part_of(s, found, str(k), (), Slices()), x)
    return found


def moved(s: Scalars, node: Node, part: Part) -> Part:
    """Return a view with axes in another order, or in the opposite one."""
    part, rank = kept(s, part), len(part.sizes)
    if node.op is flip:
        return flipped(s, part, [k % rank for k in normal_axes(node.attrs["axis"], rank)])
    order = node.attrs["axes"] or range(rank)[::-1]
    return transposed(s, part, [k % rank for k in order])


def write(
    s: Scalars, node: Node, target: Part, value: Given, is_own: Callable[[Part], bool]
) -> None:
    """Write a value into a view, as an assignment converts it.

    Args:
        s: writes instructions.
        node: what writes.
        target: the view.
        value: a number, or a part.
        is_own: tells whether a view may be of the array that is written.
    """
    s.policy = Policy.PYTHON if node.inputs[1].spec.weak else Policy.ELEMENT
    if not isinstance(value, Part):
        assign(s, target, s.cast(value, target.dtype))
        return
    extra = len(value.sizes) - len(target.sizes)
    if any(n != ONE for n in value.sizes[: max(extra, 0)]):
        raise UnsupportedError("values with more axes than what they are written to")
    if any(is_own(x) and not is_same(x, target) for x in (value, *value.views)):
        value = copied(s, value)
    for n, wanted in zip(value.sizes[::-1], target.sizes[::-1], strict=False):
        if n != ONE:
            need_equal(s, n, wanted)
    own = Part(value.sizes[max(extra, 0) :], value.dtype, value.read)
    if extra > 0:
        own = Part(own.sizes, own.dtype, lambda k: value.read([*[ZERO] * extra, *k]))
    assign(s, target, computed(own, lambda x: s.cast(x, target.dtype), target.dtype))


def reduction(s: Scalars, node: Node, part: Part) -> Operand:
    """Return what the elements of a part with one axis are reduced to, by NumPy's own loops."""
    spec = node.inputs[0].spec
    if node.op.scalar is None or node.result.spec.shape != () or len(part.sizes) != 1:
        raise UnsupportedError(f"{node.op.name} of {spec}")
    if node.attrs.get("dtype") or node.attrs.get("ddof") or node.attrs.get("keepdims"):
        raise UnsupportedError(f"{node.op.name} with such arguments")
    s.policy = Policy.ELEMENT
    scalar, sample = node.op.scalar, Variable(part.dtype)
    block = s.block((), lambda: [scalar(s, sample, **node.attrs)])
    known: dict[Operand, Given] = {sample: part}
    for x in block.instructions:
        given = [known.get(y, y) for y in x.args]
        if len(x.results) > 1 or (not x.results and any(isinstance(y, Part) for y in given)):
            raise UnsupportedError(f"{node.op.name} of {spec}")
        made = _replayed(s, x, given, part.sizes[0])
        known.update(dict.fromkeys(x.results, made))
    found = known[block.results[0]]
    if isinstance(found, Part) or found.type != node.result.spec.dtype:
        raise UnsupportedError(f"{node.op.name} of {spec}")
    return found


def _replayed(s: Scalars, x: Instruction, given: Sequence[Given], count: Operand) -> Given:
    """Write an instruction of a row for all of its elements, or for the row."""
    if x.op == "reduce":
        (part,) = given
        assert isinstance(part, Part)
        return reduced(s, x.attrs["ufunc"], x.attrs["types"], x.attrs["initial"], part)
    kinds = [kind_of(y) for y in x.results]
    if x.op == "columns":
        return s.convert(count, kinds[0])
    if x.op == "index":
        return Part((count,), kinds[0], lambda k: s.convert(k[0], kinds[0]))
    parts = [y for y in given if isinstance(y, Part)]

    def write(indices: Sequence[Operand]) -> Variable:
        own = [element(s, y, indices) for y in given]
        return s.emit(x.op, own, *kinds, **x.attrs)

    if not parts:
        return write([])
    views = [view for y in parts for view in ([y] if y.array is not None else y.views)]
    return Part((count,), kinds[0], write, tuple(views))


def reduced(s: Scalars, name: str, types: str, initial: int | None, part: Part) -> Operand:
    """Return the elements of a part with one axis, put together by a ufunc."""
    dtype, (count,) = part.dtype, part.sizes
    total = room(s, dtype, [ONE])
    if not HAS_LONG_SUMS:
        s.stop_if(s.less(Literal(INT, LONGEST_ROW), count))
    part = kept(s, part)
    first: Operand
    if initial is None:
        s.stop_if(s.equal(count, ZERO))
        first, rest = part.read([ZERO]), part_of(s, part, "1:", (), Slices())
    else:
        first, rest = s.literal(initial, dtype), part
    assign(s, total, first)
    call(s, name, types, [total, rest, total], [(0, -1), (1, 0), (2, -1)], rest.sizes)
    return total.read([ZERO])


def product(s: Scalars, node: Node, given: Sequence[Given]) -> Given:
    """Return a product of vectors or matrices, by NumPy's own loop, which calls BLAS."""
    specs = _specs(node)
    dtype, ranks = node.result.spec.dtype, [x.rank for x in specs]
    types = f"{dtype.char * 2}->{dtype.char}"
    is_dot = node.op is dot
    if any(x.dtype != dtype for x in specs) or types not in np.matmul.types:
        raise UnsupportedError(f"products of {specs[0]} and {specs[1]}")
    if not ({*ranks} <= ({1} if is_dot else {1, 2})):
        raise UnsupportedError(f"products of {specs[0]} and {specs[1]}")
    x, y = (kept(s, _forced(s, part, is_dot)) for part in given)
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


def _first(s: Scalars, x: Part, y: Part) -> Any:
    """Return a block with the product of two first elements."""
    return s.block((), lambda: [s.multiply(x.read([ZERO]), y.read([ZERO]))])


def _forced(s: Scalars, part: Given, is_dot: bool) -> Part:
    """Return a part as products take it: `np.dot` copies one in the opposite order."""
    assert isinstance(part, Part)
    is_backward = is_dot and any(x.step < 0 for x in part.axes)
    return copied(s, part) if is_backward else part
