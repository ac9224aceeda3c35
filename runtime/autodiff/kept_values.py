"""What a round leaves for going back, besides the state at its beginning.

What goes back through a round computes again what that computed, from the state. Kept instead are
products of matrices and numbers like sines, which take longer to make than to keep; and what is
read of large arrays that are part of the state, one item or a sum. Where the reads are all that
going back needs, the arrays are not kept: a loop that writes the n items of an array keeps n
numbers, and not n arrays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from math import inf, prod

from runtime.autodiff.dependence import is_inexact
from runtime.autodiff.summed_products import is_matrix, is_sum
from runtime.graph.node import Node, Value
from runtime.graph.regions import Loop

SHARE = 4
"""How many times larger than all that is read of it an array is that need not be kept."""
DEAR = 3
"""How many additions take as long as to keep a number."""


def kept_values(loop: Loop, told: Set[Value] = frozenset()) -> list[Value]:
    """Return the values of a round that are kept, besides its state.

    Args:
        loop: the loop.
        told: results of branches in it that are what their arms read.
    """
    return list(dict.fromkeys([*_products(loop), *_dear_numbers(loop), *_reads(loop, told)]))


def _dear_numbers(loop: Loop) -> Iterator[Value]:
    """Yield the numbers of a round that take longer to make than to keep."""
    for node in loop.body.nodes:
        is_dear = isinstance(node.op.cost, int) and node.op.cost >= DEAR
        if is_dear and all(x.spec.shape == () and is_inexact(x.spec) for x in node.results):
            yield from node.results


def _products(loop: Loop) -> Iterator[Value]:
    """Yield the products of matrices of a round; of one that is used in a sum alone, the sum."""
    nodes = loop.body.nodes
    uses = Counter([*(x for node in nodes for x in node.inputs), *loop.body.results])
    sums = {x: node.result for node in nodes if is_sum(node) for x in node.inputs}
    for node in nodes:
        if node.op.product == "matrix" and all(map(is_matrix, (node.result, *node.inputs))):
            kept = node.result
            while uses[kept] == 1 and kept in sums and sums[kept].spec == kept.spec:
                kept = sums[kept]
            yield kept


def _reads(loop: Loop, told: Set[Value]) -> list[Value]:
    """Return what a round reads of the arrays of its state, if that is little."""
    arrays = {x.param: frozenset([x.param]) for x in loop.carried if _size(x.param) > 1}
    follows = dict[Value, frozenset[Value]](arrays)
    found = dict[Value, frozenset[Value]]()
    for node in loop.body.nodes:
        sources = frozenset[Value]().union(*(follows.get(x, ()) for x in node.inputs))
        if sources and _narrows(node, [x for x in node.inputs if x in follows]):
            found[node.result] = sources
        elif sources:
            found.update((x, sources) for x in node.results if x in told)
            follows.update((x, sources) for x in node.results if x not in told)
    read = {x: sum(_size(r) for r, sources in found.items() if x in sources) for x in arrays}
    large = {x for x, size in read.items() if size * SHARE <= _size(x)}
    return [x for x, sources in found.items() if sources <= large]


def _narrows(node: Node, arrays: Sequence[Value]) -> bool:
    """Tell whether a node gives one value, much smaller than the arrays that it is given."""
    if len(node.results) != 1 or node.regions or node.op.effect is not None:
        return False
    size = _size(node.result)
    return size < inf and size * SHARE <= max(map(_size, arrays))


def _size(value: Value) -> float:
    """Return how many elements a value has; infinity where that is not known."""
    shape = value.spec.shape
    if shape is None or not all(isinstance(n, int) for n in shape):
        return inf
    return prod(n for n in shape if isinstance(n, int))
