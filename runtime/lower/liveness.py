"""From when to when values live, and what goes before more memory is taken.

Comes in: statements and regions, and later the steps of a plan. Goes out: tables for the planner;
and the steps, with variables set to None where the large array that they hold would otherwise stay
until the end: before loops, and before steps that make large arrays.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from runtime.graph.node import Graph, Node, Value
from runtime.lower.expression import Statements, leaves
from runtime.lower.plan import (
    Apply,
    Assign,
    Begin,
    For,
    Literal,
    Move,
    Native,
    Operand,
    Slot,
    Step,
    While,
)
from runtime.lower.steps import slots_in, slots_needed, slots_read
from runtime.lower.write_targets import LARGE
from runtime.spec import TensorSpec


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


def dropped(
    steps: Sequence[Step], results: Sequence[Operand], params: Collection[Slot]
) -> list[Step]:
    """Return the steps of a plan, by which arrays go that its results and other steps do not need.

    Args:
        steps: of the plan, not of a block in it.
        results: what it returns.
        params: its parameters, whose arrays are the caller's.
    """
    live = [{*slots_read(results)}]
    for step in reversed(steps):
        live.append(live[-1] - {*slots_in(step)[1]} | slots_needed([step]))
    live.reverse()
    found: list[Step] = []
    held: set[Slot] = set()
    for k, step in enumerate(steps):
        if isinstance(step, While | For) or _large(step):
            found += _drop(held, live[k])
        found.append(step)
        held.difference_update([step.target] if isinstance(step, Begin) else slots_in(step)[1])
        held.update(slot for slot in _large(step) if slot not in params)
    if any(isinstance(x, Apply) for x in results):
        found += _drop(held, live[-1])
    return found


def _drop(held: set[Slot], live: Collection[Slot]) -> list[Step]:
    """Return the step by which arrays go that are not needed; they are not held from then on."""
    dead = sorted(slot for slot in held if slot not in live)
    held.difference_update(dead)
    return [Move(tuple(dead), (Literal(None),) * len(dead))] if dead else []


def _large(step: Step) -> list[Slot]:
    """Return the slots that a step puts large arrays into."""
    if isinstance(step, Native):
        return [x for inner in step.otherwise for x in _large(inner) if x in step.targets]
    if not isinstance(step, Assign) or step.value.node.op.view is not None:
        return []
    pairs = zip(step.targets, step.value.node.results, strict=False)
    return [slot for slot, value in pairs if _size(value.spec) >= LARGE]


def _size(spec: TensorSpec) -> float:
    return math.prod(n if isinstance(n, int) else 0 for n in spec.shape or (0,))
