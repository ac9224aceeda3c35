"""Products of matrices that the rounds of a loop add up, as one product after the loop.

    s = 0
    for t in n: s = s + x[t].T @ y[t]     becomes    s = x.reshape(-1, i).T @ y.reshape(-1, k)

That is the cotangent of weights which all rounds use: the products of single rounds are thin, and
each adds to all of the sum. One product adds in another order than the rounds.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from runtime.default_graph import building
from runtime.dispatch import as_value
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.ops.elementwise import add
from runtime.ops.linear import matmul
from runtime.ops.movement import swapaxes
from runtime.passes.dce import remove_unseen
from runtime.tensor import Symbol

Pair: TypeAlias = tuple[Value, Value]


class SplitOff(NamedTuple):
    """A round without some of its sums.

    Args:
        body: gives the factors behind what it gave.
        pairs: for each sum the factors in a round, if it is gone; none if it is left.
        factors: those that it gives, in the order of the results.
    """

    body: Graph
    pairs: Sequence[Sequence[Pair]]
    factors: Sequence[Value]


def is_sum(node: Node) -> bool:
    """Tell whether a node adds two values."""
    return node.op is add


def is_matrix(value: Value) -> bool:
    """Tell whether a value is a matrix, or a stack of them, of known sizes."""
    shape = value.spec.shape or ()
    return len(shape) > 1 and all(isinstance(n, int) for n in shape)


def split_off(
    body: Graph, params: Sequence[Value], sums: Sequence[Value], elements: Sequence[Value]
) -> SplitOff:
    """Take sums of products, which begin with zero, out of the body of a loop.

    Args:
        body: of a loop that counts.
        params: what it is given for sums that it carries.
        sums: those results.
        elements: what it is given of sequences, which need not be given back.
    """
    makers = {x: node for node in body.nodes for x in node.results}
    uses = Counter([*(x for node in body.nodes for x in node.inputs), *body.results])
    pairs = [_factors(makers, uses, *both) for both in zip(params, sums, strict=True)]
    rows = zip(params, sums, pairs, strict=True)
    gone = {x for param, result, found in rows if found for x in (param, result)}
    used = dict.fromkeys(x for found in pairs for pair in found for x in pair)
    factors = [x for x in used if x not in elements]
    rest = (*(x for x in body.results if x not in gone), *factors)
    own = tuple(x for x in body.params if x not in gone)
    return SplitOff(remove_unseen(replace(body, params=own, results=rest)), pairs, factors)


def _factors(
    makers: Mapping[Value, Node], uses: Mapping[Value, int], param: Value, found: Value
) -> list[Pair]:
    """Return the factors of the products that a round adds to a sum that nothing else reads."""
    pairs: list[Pair] = []
    while uses[found] == 1:
        if found is param:
            return pairs
        node = makers.get(found)
        pair = _of_product(makers, makers.get(node.inputs[1])) if node and is_sum(node) else None
        if node is None or pair is None:
            break
        pairs.append(pair)
        found = node.inputs[0]
    return []


def _of_product(makers: Mapping[Value, Node], node: Node | None) -> Pair | None:
    """Return x and y of x.T @ y, for matrices of known sizes."""
    if node is None or node.op is not matmul:
        return None
    turned, right = makers.get(node.inputs[0]), node.inputs[1]
    if turned is None or turned.op is not swapaxes:
        return None
    left = turned.inputs[0]
    is_flat = all(is_matrix(x) and x.spec.rank == 2 for x in (left, right))
    return (left, right) if is_flat else None


def summed(builder: Builder, pairs: Sequence[Pair]) -> Value:
    """Return the sum of the products of stacked factors over all rounds.

    Args:
        builder: where it is written.
        pairs: of each product `[rounds, batch, i]` and `[rounds, batch, k]`.
    """
    with building(builder):
        found = [np.swapaxes(_rows(builder, x), 0, 1) @ _rows(builder, y) for x, y in pairs]
        return as_value(builder, reduce(operator.add, found))


def _rows(builder: Builder, stacked: Value) -> Any:
    symbol: Any = Symbol(builder, stacked)
    return np.reshape(symbol, (-1, symbol.shape[-1]))
