"""Constant folding: what depends on constants only is computed once, by the op's own kernel.

A node stays where it is when its kernel raises or warns, so that errors and warnings appear when,
and as often as, the program meets them.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from runtime.floating_errors import USUAL, reporting_of
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Loop, as_branch, branch_of, fixed_params, loop_of
from runtime.graph.traits import Form
from runtime.graph.walk import walk
from runtime.ops.creation import constant
from runtime.passes.log import Log
from runtime.passes.rewriter import (
    changed,
    same_type,
    unify_sizes,
    with_inputs,
    with_nodes,
    with_sizes,
)
from runtime.spec import WEAK_SPECS, Dim, TensorSpec, accepts, spec_of

BOOL = WEAK_SPECS[bool]
LARGEST_RESULT = 1024
"""The most elements of a folded result, unless its operands have as many."""


def fold_constants(graph: Graph, log: Log | None = None) -> Graph:
    """Return the graph with constant expressions evaluated, branches and loops on constants gone.

    Within an arm the condition of its branch is known, too.
    """
    sizes: dict[Dim, int | Dim] = {}
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        folded = _fold(graph, {}, sizes, log or Log())
    return with_sizes(folded, sizes) if sizes else folded


def _fold(graph: Graph, known: dict[Value, Any], sizes: dict[Dim, int | Dim], log: Log) -> Graph:
    folder = _Folder(known, sizes, log, _shared_views(graph))
    folder.state_numbers(graph)
    for node in graph.nodes:
        folder.add(with_inputs(node, folder.env))
    results = [folder.env.get(value, value) for value in graph.results]
    return with_nodes(graph, folder.nodes, results)


def _shared_views(graph: Graph) -> frozenset[Value]:
    """Return the views that lead to results which share memory with other results."""
    views = {x.result: x.inputs[0] for x in graph.nodes if x.op.view and x.result.spec.shape}
    paths: dict[Value, list[list[Value]]] = {}
    for result in dict.fromkeys(graph.results):
        base, path = result, []
        while base in views:
            path.append(base)
            base = views[base]
        paths.setdefault(base, []).append(path)
    shared = [group for group in paths.values() if len(group) > 1]
    return frozenset(x for group in shared for path in group for x in path)


def has_round(node: Node, known: Mapping[Value, Any]) -> bool | None:
    """Tell whether a loop has at least one round; None when that is not known.

    Args:
        node: any node.
        known: the values of constants around it.
    """
    loop = loop_of(node)
    if loop is None:
        return None
    if loop.test is None:
        count = round_count(loop, known)
        return None if count is None else count > 0
    test = loop.test
    if any(x.op.effect for x in walk(test)):
        return None
    pairs = zip(test.params, node.inputs, strict=True)
    inner = {param: known[x] for param, x in pairs if x in known}
    if not inner:
        return None
    (asked,) = _fold(test, inner, {}, Log()).results
    return bool(inner[asked]) if asked in inner and np.size(inner[asked]) == 1 else None


def round_count(loop: Loop, known: Mapping[Value, Any]) -> int | None:
    """Return the number of rounds of a loop that counts, from 0; None when it is not known."""
    if loop.count is None:
        return None
    count = known.get(loop.count, loop.length)
    return max(count, 0) if isinstance(count, int) else None


class _Folder:
    """Folds nodes in order; `known` are values of constants, `env` what values became.

    `kept` stay what they are; `sizes` gets the unknown sizes that become known, or are others.
    """

    def __init__(
        self,
        known: dict[Value, Any],
        sizes: dict[Dim, int | Dim],
        log: Log,
        kept: frozenset[Value],
    ) -> None:
        self.known = known
        self.sizes = sizes
        self.log = log
        self.kept = kept
        self.env: dict[Value, Value] = {}
        self.nodes: list[Node] = []

    def state_numbers(self, graph: Graph) -> None:
        """Make constants of parameters of a region that are NumPy's known numbers, if it uses them.

        Those of Python are constants of each region that has them.
        """
        known = (x for x in graph.params if x in self.known)
        numbers = [x for x in known if x.spec.shape == () and not x.spec.weak]
        used = {x for node in graph.nodes for x in node.inputs} if numbers else ()
        for param in numbers:
            if param in used:
                number = self.known[param]
                made = Value(param.spec, param.name)
                self.nodes.append(Node(constant, (), {"value": number}, (), (made,), None))
                self.known[made] = number
                self.env[param] = made

    def add(self, node: Node) -> None:
        """Append a node, or what it folds to."""
        if node.op is constant:
            self.known[node.result] = node.attrs["value"]
            self.nodes.append(node)
        elif node.regions:
            self._add_with_regions(node)
        else:
            found = self._evaluate(node)
            if found is None:
                self.nodes.append(node)
            else:
                self.log.did("computed")
                for value, array in zip(node.results, found, strict=True):
                    self._add_constant(node, value, array)

    def _evaluate(self, node: Node) -> Sequence[Any] | None:
        """Return what a node gives, or None when it must stay."""
        if node.op.effect is not None or not all(value in self.known for value in node.inputs):
            return None
        if not self.kept.isdisjoint(node.results):
            return None
        inputs = [self.known[value] for value in node.inputs]
        limit = max(LARGEST_RESULT, sum(np.size(x) for x in inputs))
        if not all(_size(value.spec) <= limit for value in node.results):
            self.log.left(node, "computed", f"its result may have more than {limit} elements")
            return None
        try:
            found = node.op.kernel(np, *inputs, **node.attrs)
        except Exception as error:  # It is raised again when the graph runs.
            self.log.left(node, "computed", f"it gives a {type(error).__name__}")
            return None
        found = found if node.op.multiple else (found,)
        return found if all(map(_is_result, node.results, found)) else None

    def _add_constant(self, node: Node, value: Value, array: Any) -> None:
        if isinstance(array, np.ndarray):
            array = array.copy(order="K")
            array.flags.writeable = False
        spec = spec_of(array)
        result = value if spec == value.spec else Value(spec, value.name)
        self.known[result] = array
        if result is not value:
            self._stand_for(value, result)
        new = Node(constant, (), {"value": array}, (), (result,), node.location)
        self.nodes.append(new)

    def _add_with_regions(self, node: Node) -> None:
        arm = self._chosen(node)
        if arm is not None:
            self.log.did("chose arm")
            self._inline(node, arm)
            return
        loop = loop_of(node)
        if loop is not None and self._has_no_round(loop):
            self.log.did("removed loop")
            self.env.update((x.final, x.initial) for x in loop.carried)
            return
        known = self._known_in(node)
        regions = [_fold(x, known[id(x)], self.sizes, self.log) for x in node.regions]
        self.nodes.append(changed(node, regions=regions))

    def _known_in(self, node: Node) -> dict[int, dict[Value, Any]]:
        """Return what is known of the parameters of regions, by id."""
        found: dict[int, dict[Value, Any]] = {id(x): {} for x in node.regions}
        for region, param, operand in fixed_params(node):
            if operand in self.known:
                found[id(region)][param] = self.known[operand]
            elif node.op.form is Form.COND and operand is node.inputs[0] and operand.spec == BOOL:
                found[id(region)][param] = region is node.regions[0]
        return found

    def _has_no_round(self, loop: Loop) -> bool:
        """Tell whether a loop is known to end before its first round, and may be left out."""
        if has_round(loop.node, self.known) is not False or loop.stacked:
            return False
        return all(x.final.spec == x.initial.spec for x in loop.carried)

    def _chosen(self, node: Node) -> Graph | None:
        """Return the arm that a branch on a constant takes, if it can stand for the branch."""
        branch = branch_of(node)
        if branch is None or branch.test not in self.known:
            return None
        if reporting_of(node.attrs) != USUAL:
            return None
        test = self.known[branch.test]
        if np.size(test) != 1:
            return None
        arm = branch.chosen(test)
        pairs = zip(node.results, arm.results, strict=True)
        return arm if all(same_type(a.spec, b.spec) for a, b in pairs) else None

    def _inline(self, node: Node, arm: Graph) -> None:
        for param, operand in zip(arm.params, as_branch(node).captured, strict=True):
            self._stand_for(param, operand)
        for inner in arm.nodes:
            self.add(with_inputs(inner, self.env))
        for value, result in zip(node.results, arm.results, strict=True):
            self._stand_for(value, self.env.get(result, result))

    def _stand_for(self, old: Value, new: Value) -> None:
        self.env[old] = new
        unify_sizes(old.spec, new.spec, self.sizes)


def _size(spec: TensorSpec) -> float:
    """Return the number of elements, infinite when it is not known."""
    if spec.shape is None:
        return math.inf
    return math.prod(n if isinstance(n, int) else math.inf for n in spec.shape)


def _is_result(value: Value, found: Any) -> bool:
    """Tell whether a folded result may stand for a value: of its dtype, and weak when that is."""
    try:
        return accepts(value.spec, spec_of(found))
    except (AttributeError, TypeError):
        return False
