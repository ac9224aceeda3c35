"""Applying rules: every node is compared with the rules whose left side begins with its op."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.ops.creation import constant
from runtime.passes.cse import constant_key
from runtime.passes.escape import escaping
from runtime.passes.log import Log
from runtime.passes.pattern import Application, Expression, Rule, Scalar, Variable
from runtime.passes.rewriter import in_regions, with_inputs, with_nodes
from runtime.passes.rules import RULES, copied
from runtime.spec import TensorSpec


def simplify(graph: Graph, log: Log | None = None) -> Graph:
    """Return the graph with all rules applied."""
    fired: Counter[str] = Counter()
    found = apply_rules(graph, RULES, fired, keep_arrays=True)
    for name, count in fired.items():
        (log or Log()).did(name, count)
    return found


def apply_rules(
    graph: Graph,
    rules: Sequence[Rule],
    fired: Counter[str] | None = None,
    keep_arrays: bool = False,
) -> Graph:
    """Return the graph with rules applied.

    Args:
        graph: is not changed.
        rules: earlier ones go first.
        fired: counts which rules fired.
        keep_arrays: whether arrays that leave the graph, or a region, stay arrays of their own.
    """
    by_op: dict[OpDef, list[Rule]] = defaultdict(list)
    for one in rules:
        by_op[one.left.op].append(one)
    counts: Counter[str] = Counter() if fired is None else fired
    return in_regions(lambda region: _Simplifier(by_op, counts, keep_arrays).run(region))(graph)


class _Simplifier:
    """Goes through one graph; `makers` knows which node made a value."""

    def __init__(
        self, rules: Mapping[OpDef, Sequence[Rule]], fired: Counter[str], keep_arrays: bool
    ) -> None:
        self.rules = rules
        self.keep_arrays = keep_arrays
        self.escaping: set[Value] = set()
        self.fired = fired
        self.makers: dict[Value, Node] = {}
        self.env: dict[Value, Value] = {}
        self.nodes: list[Node] = []

    def run(self, graph: Graph) -> Graph:
        """Return the graph with rules applied, its regions left alone."""
        if self.keep_arrays:
            self.escaping = escaping(graph)
        for node in graph.nodes:
            node = with_inputs(node, self.env)
            if not any(self._try(one, node) for one in self.rules.get(node.op, ())):
                self._append(node)
        return with_nodes(graph, self.nodes, [self.env.get(x, x) for x in graph.results])

    def _append(self, node: Node) -> None:
        self.nodes.append(node)
        self.makers.update(dict.fromkeys(node.results, node))

    def _try(self, one: Rule, node: Node) -> bool:
        bound: dict[str, Value] = {}
        if isinstance(one.right, Variable) and node.result in self.escaping:
            return False
        if not self._matches(one.left, node, bound):
            return False
        if not one.holds_for({name: value.spec for name, value in bound.items()}):
            return False
        made: list[Node] = []
        right = one.right
        if isinstance(right, Variable) and self._lies_otherwise(bound[right.name], node):
            right = copied(right)  # which goes where nobody sees how it lies
        result = self._build(right, node, bound, made)
        if not _same_spec(result.spec, node.result.spec) or self._may_be_array(result, made):
            return False
        for new in made:
            self._append(new)
        self.env[node.result] = result
        self.fired[one.name] += 1
        return True

    def _lies_otherwise(self, value: Value, node: Node) -> bool:
        """Tell whether an array may lie in memory as no result of an arithmetic node does."""
        maker = self.makers.get(value)
        is_new = maker is not None and maker.op.ufunc is not None
        return value.spec.shape != () and node.op.ufunc is not None and not is_new

    def _may_be_array(self, value: Value, made: Sequence[Node]) -> bool:
        """Tell whether a number may be an array without axes, which arithmetic makes a number."""
        if value.spec.shape != () or value.spec.weak or any(value in x.results for x in made):
            return False
        maker = self.makers.get(value)
        if maker is None or maker.op.view is not None:
            return maker is None or "..." in maker.attrs.get("key", "...")
        return maker.op.ufunc is None and maker.op.reduction is None

    def _matches(self, wanted: Application, node: Node, bound: dict[str, Value]) -> bool:
        if wanted.op is not node.op or len(wanted.operands) != len(node.inputs):
            return False
        if wanted.attrs and dict(wanted.attrs) != dict(node.attrs):
            return False
        pairs = zip(wanted.operands, node.inputs, strict=True)
        return all(self._matches_value(part, value, bound) for part, value in pairs)

    def _matches_value(self, part: Expression, value: Value, bound: dict[str, Value]) -> bool:
        if isinstance(part, Variable):
            return bound.setdefault(part.name, value) is value
        maker = self.makers.get(value)
        if maker is None:
            return False
        if isinstance(part, Scalar):
            return maker.op is constant and _is_number(maker.attrs["value"], part.value)
        assert isinstance(part, Application)
        return self._matches(part, maker, bound)

    def _build(
        self, part: Expression, node: Node, bound: Mapping[str, Value], made: list[Node]
    ) -> Value:
        if isinstance(part, Variable):
            return bound[part.name]
        if isinstance(part, Scalar):
            op, inputs, attrs = constant, [], {"value": part.value}
        else:
            assert isinstance(part, Application)
            op, attrs = part.op, dict(part.attrs)
            inputs = [self._build(x, node, bound, made) for x in part.operands]
        spec = op.spec(*(value.spec for value in inputs), **attrs)
        assert isinstance(spec, TensorSpec)
        new = Node(op, tuple(inputs), attrs, (), (Value(spec),), node.location)
        made.append(new)
        return new.result


def _is_number(value: Any, wanted: Any) -> bool:
    """Tell whether a constant is a number of Python's; ones stand for 1, whatever their shape."""
    if constant_key(value) == constant_key(wanted):
        return True
    if not isinstance(value, np.ndarray | np.generic) or wanted != 1:
        return False
    kinds = "f" if isinstance(wanted, float) else "iu"
    return value.dtype.kind in kinds and value.size <= MOST_ONES and bool(np.all(value == 1))


MOST_ONES = 4096
"""Arrays of so many elements are looked at, each time that a rule may hold for them."""


def _same_spec(a: TensorSpec, b: TensorSpec) -> bool:
    return (a.dtype, a.weak, a.shape) == (b.dtype, b.weak, b.shape)
