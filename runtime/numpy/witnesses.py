"""What values of a graph may be: the arguments of the call that is traced, and what calls gave.

Trials of a call are made with such values where there are any: what a program computes is what its
functions take, while other values of the same types may be nothing that a function takes, and
indices that are none may even crash one.

Comes in: symbols. Goes out: for each a few arrays that it would hold; none for what loops carry,
what is random, and what is large.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from runtime.array_context import OutsideArrays
from runtime.dispatch import value_of
from runtime.graph.builder import Builder, Context
from runtime.graph.node import Node, Value
from runtime.tensor import Symbol, Tensor

MOST_ELEMENTS = 1 << 14
"""Larger values are not computed while tracing."""

MOST = 4
"""How many witnesses a computed value has at most."""

DEEPEST = 64
"""How many operations after one another are made for a witness."""

AS_IT_IS: tuple[int, ...] = ()
"""The sizes of a witness that is as large as in the program."""


class Witness(NamedTuple):
    """What a value may be.

    Args:
        sizes: those of the trial that it was found in; () for the program's own.
        value: an array, or a number, that nobody writes.
    """

    sizes: tuple[int, ...]
    value: Any


class Witnesses(Context):
    """The witnesses of the values of a graph with all its regions.

    Attributes:
        found: those of each value; none for a value of which none can be told.
    """

    def __init__(self) -> None:
        self.found: dict[Value, tuple[Witness, ...]] = {}

    def inner(self) -> Witnesses:
        """Return the same for a region: its values are those of the graph."""
        return self


def note_witnesses(symbol: Symbol, witnesses: tuple[Witness, ...]) -> None:
    """Say what a symbol was made with."""
    symbol.builder.context(Witnesses).found[symbol.first] = witnesses


def note_argument(symbol: Symbol, given: Any) -> None:
    """Say what an argument is in the call that is traced, if that is an array or a number."""
    held = given.array if type(given) is Tensor else given
    if isinstance(held, np.ndarray | np.generic | int | float | complex):
        note_witnesses(symbol, (Witness(AS_IT_IS, held),))


def witnesses_of(builder: Builder, symbol: Symbol) -> tuple[Witness, ...]:
    """Return what a symbol may hold now."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return _of(builder, value_of(symbol, checked=False), DEEPEST)


def _of(builder: Builder, value: Value, depth: int) -> tuple[Witness, ...]:
    """Return the witnesses of a value that is used in a graph or region."""
    known = builder.context(Witnesses).found
    if value not in known:
        known[value] = _computed(builder, value, depth) if depth else ()
    return known[value]


def _computed(builder: Builder, value: Value, depth: int) -> tuple[Witness, ...]:
    around: Builder | None = builder
    while around is not None:
        node = next((node for node in reversed(around.nodes) if value in node.results), None)
        if node is not None:
            return _run(around, node, depth)[node.results.index(value)]
        outer = next((x for x, inner in around.captures.items() if inner is value), None)
        if outer is not None and around.parent is not None:
            return _of(around.parent, outer, depth)
        around = around.parent
    arrays = builder.context(OutsideArrays).params.values()
    return tuple(Witness(AS_IT_IS, array) for array, param in arrays if param is value)


def _run(builder: Builder, node: Node, depth: int) -> list[tuple[Witness, ...]]:
    """Return the witnesses of the results of a node: what it gives for those of its operands."""
    nothing: list[tuple[Witness, ...]] = [()] * len(node.results)
    if node.regions or node.op.effect is not None:
        return nothing
    given = [_of(builder, x, depth - 1) for x in node.inputs]
    if not all(given):
        return nothing
    rows = []
    for k in range(min(MOST, max(map(len, given), default=1))):
        row = [one[k % len(one)] for one in given]
        sizes = next((x.sizes for x in row if x.sizes != AS_IT_IS), AS_IT_IS)
        try:
            found = node.op.kernel(np, *(x.value for x in row), **node.attrs)
        except Exception:  # of other sizes, perhaps: no witness
            continue
        several = found if node.op.multiple else (found,)
        if sum(np.size(x) for x in several) <= MOST_ELEMENTS:
            rows.append([Witness(sizes, x) for x in several])
    return [tuple(column) for column in zip(*rows, strict=True)] if rows else nothing
