"""Rules by which ops are lowered: the one way in which lowering names ops.

    @rules.lowers(dot, vdot)
    def product(s, node, given): ...

Comes in: functions, each for some ops. Goes out: the one for an op. What ops have in common stands
in their traits; a rule is for what an op alone needs. Files of rules are imported by whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from runtime.graph.node import Node
from runtime.graph.opdef import OpDef
from runtime.graph.traits import Traits

if TYPE_CHECKING:
    from runtime.kernels.scalar.scalars import Scalars
    from runtime.lower.loop_kernels import NodeWriter
    from runtime.lower.parts import Given

Rule = TypeVar("Rule", bound=Callable[..., object])


class Lowering(Generic[Rule]):
    """Rules of one kind, by their ops."""

    def __init__(self) -> None:
        self._rules: dict[Traits, Rule] = {}

    def lowers(self, *ops: OpDef) -> Callable[[Rule], Rule]:
        """Return what enters a function as the rule of some ops; an op has one rule of a kind."""

        def enter(rule: Rule) -> Rule:
            twice = ", ".join(op.name for op in ops if op in self._rules)
            if twice:
                raise TypeError(f"{twice} has a rule already")
            self._rules.update(dict.fromkeys(ops, rule))
            return rule

        return enter

    def rule(self, op: Traits | None) -> Rule | None:
        """Return the rule of an op, if it has one."""
        return None if op is None else self._rules.get(op)


NODES: Lowering[Callable[[NodeWriter, Node, Sequence[Given]], Sequence[Given]]] = Lowering()
"""What writes nodes of loops: what stands for their results."""
PARTS: Lowering[Callable[[Scalars, Node, Sequence[Given]], Given | None]] = Lowering()
"""What writes nodes on parts of arrays; None for what is written as other ops are."""
