"""Which results of a graph are copied before they are returned: a caller may write into them.

Comes in: a graph, and what may share memory in it. Goes out: the places of results, or constants.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain, combinations

import numpy as np

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import is_branch
from runtime.lower.alias import Classes, all_nodes, may_share
from runtime.lower.memory import Memory
from runtime.ops.creation import constant


def constants_to_copy(
    original: Graph, graph: Graph, memory: Memory, scalars: bool
) -> frozenset[Value]:
    """Return the constants that each run copies, for results that share their memory.

    So it is where one result may be an argument as well, and stays that, or where two share it.
    There each must stand for one array of the program as it was written, made as often: where
    passes have merged, made or lost some, or moved them out of loops, results are copied.

    Args:
        original, graph, memory, scalars: as for `results_to_copy`.
    """
    if not any(_arrays(graph)):
        return frozenset()
    before, now = may_share(original, scalars), memory.classes
    old, new = _arrays_by_class(before, original), _arrays_by_class(now, graph)
    results = list(zip(original.results, graph.results, strict=True))
    found: set[Value] = set()
    alone = dict(results)
    for (was, x), (other, y) in combinations(results, 2):
        if not now.share(x, y):
            continue
        for k in (was, other):
            alone.pop(k, None)
        arrays = new.get(now.find(x), {})
        is_same = arrays.keys() == old.get(before.find(was), {}).keys()
        if is_same and before.share(was, other):
            found.update(chain.from_iterable(arrays.values()))
    given = list(zip(original.params, graph.params, strict=True))
    for was, x in alone.items():
        if any(before.share(was, other) and now.share(x, y) for other, y in given):
            found.update(chain.from_iterable(new.get(now.find(x), {}).values()))
    return frozenset(found)


def results_to_copy(
    original: Graph,
    graph: Graph,
    memory: Memory,
    scalars: bool,
    donated: Sequence[Value] = (),
    renewed: Collection[Value] = (),
) -> frozenset[int]:
    """Return which results must be copied before they are returned.

    A caller may write into what it gets. So no result may share memory with a constant; nor with an
    argument or another result, unless that is so in the program as it was written: passes make one
    value of `x + 1` and `x + 1`, and `x` of `-(-x)`.

    Args:
        original: the graph before the passes.
        graph: the graph that runs.
        memory: of the latter.
        scalars, donated: as for `find_memory`.
        renewed: the constants that are copied at each run.
    """
    before, now = may_share(original, scalars), memory.classes
    constants = {now.find(x.result) for x, _ in _arrays(graph) if x.result not in renewed}
    pairs = zip(original.params, graph.params, strict=True)
    others = [(was, x) for was, x in pairs if x not in donated]
    copied = set()
    for k, (was, result) in enumerate(zip(original.results, graph.results, strict=True)):
        met = any(now.share(result, x) and not before.share(was, y) for y, x in others)
        if now.find(result) in constants or (met and result.spec.shape != ()):
            copied.add(k)
        else:
            others.append((was, result))
    return frozenset(copied)


def results_apart(graph: Graph, memory: Memory) -> frozenset[int]:
    """Return which results must be copied so that each is an array of its own."""
    constants = [x.result for x in all_nodes(graph) if x.op is constant]
    others, copied = [*graph.params, *constants], set()
    for k, result in enumerate(graph.results):
        if result.spec.shape != () and any(memory.classes.share(result, x) for x in others):
            copied.add(k)
        else:
            others.append(result)
    return frozenset(copied)


def _arrays(graph: Graph, loops: int = 0) -> Iterator[tuple[Node, int]]:
    """Yield the nodes that hold arrays, and in how many loops they are."""
    for node in graph.nodes:
        if isinstance(node.attrs.get("value"), np.ndarray):
            yield node, loops
        for region in node.regions:
            yield from _arrays(region, loops + (not is_branch(node)))


def _arrays_by_class(
    classes: Classes, graph: Graph
) -> dict[Value, dict[tuple[int, int], list[Value]]]:
    """Return the results of nodes that hold arrays: by class, by the array and how deep it is."""
    found: dict[Value, dict[tuple[int, int], list[Value]]] = {}
    for node, loops in _arrays(graph):
        arrays = found.setdefault(classes.find(node.result), {})
        arrays.setdefault((id(node.attrs["value"]), loops), []).append(node.result)
    return found
