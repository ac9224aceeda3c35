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
from runtime.graph.builder import Builder
from runtime.graph.node import Node, Value
from runtime.graph.opdef import OpDef
from runtime.ops.creation import constant
from runtime.ops.movement import copy
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
    return None if value is None else _of_values(symbol.builder, value)


def _of_values(builder: Builder, value: Value) -> frozenset[Value] | None:
    arguments = builder.context(OutsideArrays).arguments
    makers: dict[int, dict[Value, Node]] = {}
    open_, seen, needed = [(builder, value)], {value}, set[Value]()
    while open_:
        around, one = open_.pop()
        if one in arguments:
            needed.add(one)
            continue
        if id(around) not in makers:
            makers[id(around)] = {x: node for node in around.nodes for x in node.results}
        node = makers[id(around)].get(one)
        if node is not None:
            others = _kept_orders(node)
            if others is None:
                return None
            open_ += [(around, x) for x in others if x not in seen]
            seen.update(others)
            continue
        outer = next((x for x, inner in around.captures.items() if inner is one), None)
        if outer is None or around.parent is None:
            return None
        open_.append((around.parent, outer))
    return frozenset(needed)


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
    if op.in_place is not None or _keeps_rows(op, node.attrs):
        return node.inputs[:1]
    if op.effect is not None or node.regions or op.view is not None:
        return None
    if op is constant:
        return () if np.asarray(node.attrs["value"]).flags.c_contiguous else None
    if op is copy and node.attrs.get("order") == "C":
        return ()
    is_elementwise = op.ufunc is not None or op.scalar is not None or op is copy
    if is_elementwise and node.results[0].spec.rank == 1:  # a row of its own
        return ()
    return arrays if is_elementwise or not arrays else None
