"""Whether an array lies in rows, NumPy's order C: then what `reshape` and `ravel` give is a view.

Comes in: an array of the graph that is being built. Goes out: the arguments that have to lie in
rows so that it does, or None where that is not known. Only what NumPy promises is known: what makes
an array of numbers makes it in rows, and element by element it keeps the order of the operands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import dropwhile
from typing import Any

import numpy as np

from runtime.array_context import OutsideArrays
from runtime.graph.builder import Builder, Context
from runtime.graph.node import Node, Value
from runtime.graph.opdef import OpDef
from runtime.ops.creation import constant, full_like
from runtime.ops.movement import copy
from runtime.ops.strides import in_order_of
from runtime.tensor import Symbol, View


def is_written_through(builder: Builder, view: View) -> bool:
    """Tell whether a view shares memory in any case; the graph relies on what that takes."""
    if view.writable or view.op.view != "contiguous":
        return view.writable
    needed = needed_for_rows(view.base)
    if needed is None:
        return False
    builder.context(OutsideArrays).in_rows |= needed
    return True


def needed_for_rows(symbol: Symbol) -> frozenset[Value] | None:
    """Return the arguments that must lie in rows for an array to do so; None if it may not."""
    while symbol.view_of is not None:
        if not _keeps_rows(symbol.view_of.op, symbol.view_of.attrs):
            return None
        symbol = symbol.view_of.base
    if symbol.joined_places is not None or symbol.selected is not None:
        return None
    if symbol.known is not None:
        is_in_rows = isinstance(symbol.known, np.ndarray) and symbol.known.flags.c_contiguous
        return frozenset() if is_in_rows else None
    value = symbol._first or symbol._value  # what was known first has a value since it was written
    return None if value is None else _of_value(symbol.builder, value)


class _Orders(Context):
    """For values of a region, the arguments that lie in rows if, and only if, they do.

    Attributes:
        found: those of values; None where none tell.
        nodes: of how many nodes the results are among these.
    """

    def __init__(self) -> None:
        self.found: dict[Value, frozenset[Value] | None] = {}
        self.nodes = 0

    def inner(self) -> _Orders:
        """Return those of a region, of which nothing is known yet."""
        return _Orders()


def _of_value(builder: Builder, value: Value) -> frozenset[Value] | None:
    if value in builder.context(OutsideArrays).arguments:
        return frozenset([value])
    orders = builder.context(_Orders)
    first, orders.nodes = min(orders.nodes, len(builder.nodes)), len(builder.nodes)
    for node in builder.nodes[first:]:
        kept = _kept_orders(node)
        of_operands = [None] if kept is None else [_of_value(builder, x) for x in kept]
        needed = None if None in of_operands else frozenset[Value]().union(*of_operands)
        orders.found.update(dict.fromkeys(node.results, needed))
    if value in orders.found or builder.parent is None:
        return orders.found.get(value)
    outer = next((x for x, inner in builder.captures.items() if inner is value), None)
    return None if outer is None else _of_value(builder.parent, outer)


def lies_as(new: Value, x: Symbol) -> bool:
    """Tell whether what an array is about to hold certainly lies in memory as the array does."""
    if x.view_of is not None:  # its base is written, in the order that it has
        return True
    builder, own = x.builder_now(), needed_for_rows(x)
    if own is None:
        return False
    if x._value is not None:  # what was written since it was made has kept its order
        builder.context(_Orders).found[builder.resolve(x._value)] = own
    if _of_value(builder, new) == own and len(own) <= 1:
        return True
    node = next((node for node in reversed(builder.nodes) if new in node.results), None)
    return not own and node is not None and _has_rows(builder, node)


def _has_rows(builder: Builder, node: Node) -> bool:
    """Tell whether NumPy puts a result into rows as it finds an operand of its shape in rows."""
    whole = [x for x in node.inputs if x.spec.shape == node.results[0].spec.shape]
    is_ufunc = node.op.ufunc is not None and 1 not in (node.results[0].spec.shape or (1,))
    return is_ufunc and any(_of_value(builder, x) == frozenset() for x in whole)


def _keeps_rows(op: OpDef, attrs: Mapping[str, Any]) -> bool:
    """Tell whether a view of an array in rows is one, too: all of it, or rows one after another.

    So it is with `x[2]`, `x[1:]`, `x[k, 1:3]` and `x[:, None]`, as their keys say.
    """
    if op.view is None or "key" not in attrs:
        return op.view == "contiguous"
    items = (x for x in attrs["key"].split(", ") if x != "None")
    rest = [*dropwhile(lambda x: x == "?" or x.lstrip("-").isdigit(), items)]
    is_whole = all(x in (":", "...") for x in rest[1:])
    return is_whole and (not rest or rest[0] == "..." or rest[0].count(":") == 1)


def _kept_orders(node: Node) -> Sequence[Value] | None:
    """Return the operands that lie in rows if, and only if, a result does; None if none tell."""
    op, arrays = node.op, [x for x in node.inputs if x.spec.shape != ()]
    if op.in_place is not None or op is full_like or _keeps_rows(op, node.attrs):
        return node.inputs[:1]
    if op is in_order_of:
        return node.inputs[1:]
    if op.effect is not None or node.regions or op.view is not None:
        return None
    if op is constant:
        return () if np.asarray(node.attrs["value"]).flags.c_contiguous else None
    if op is copy and node.attrs["order"] in "CF":
        return () if node.attrs["order"] == "C" else None
    is_elementwise = op.ufunc is not None or op.scalar is not None or op is copy
    if is_elementwise and node.results[0].spec.rank == 1:  # a row of its own
        return ()
    return arrays if is_elementwise or not arrays else None
