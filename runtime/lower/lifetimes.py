"""From when to when values live, and where their users would like them.

Comes in: statements, regions. Goes out: tables for the planner. It knows nothing of slots but their
names.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.graph.node import Graph, Node, Value
from runtime.lower.expression import Statements, leaves
from runtime.lower.plan import Slot


def preferences(region: Graph, targets: Sequence[Slot | None]) -> dict[Value, Slot]:
    """Return which results should be computed into which slots; the first wish counts."""
    wishes: dict[Value, Slot] = {}
    for value, slot in zip(region.results, targets, strict=False):
        if slot is not None:
            wishes.setdefault(value, slot)
    return wishes


def deaths(body: Statements) -> dict[Value, int]:
    """Return the index of the statement that uses a value last, their number for results."""
    death: dict[Value, int] = {}
    for index, tree in enumerate(body.trees):
        death.update(dict.fromkeys(leaves(tree), index))
    for result in body.results:
        death.update(dict.fromkeys(leaves(result), len(body.trees)))
    return death


def dying(death: dict[Value, int], count: int) -> list[list[Value]]:
    """Return the values that die at each of `count` statements, and after them."""
    dying: list[list[Value]] = [[] for _ in range(count + 1)]
    for value, index in death.items():
        dying[index].append(value)
    return dying


def hint_of(node: Node, k: int) -> str | None:
    """Return the name that a region has for a result of its node."""
    return next((r.results[k].name for r in node.regions if r.results[k].name), None)
