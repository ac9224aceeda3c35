"""In the arms of a branch its test is known: it is true in the first one, and false in the second.

    if t: (if not t: a else: b) else: c     becomes     if t: b else: c

What is asked of it alone is known, too. Which arm then stands is for `fold` to say. Programs ask
twice, functions that they call do, and branch merging brings such questions about.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import fixed_params
from runtime.graph.traits import Form
from runtime.ops.creation import constant
from runtime.passes.log import Log
from runtime.passes.rewriter import changed, node_of, with_nodes
from runtime.spec import WEAK_SPECS

TRUTH = WEAK_SPECS[bool]


def tell_tests(graph: Graph, log: Log | None = None) -> Graph:
    """Return the graph with constants as the tests of branches that stand in arms of the same."""
    return _told(graph, {}, log or Log())


def _told(graph: Graph, outside: Mapping[Value, bool], log: Log) -> Graph:
    """Tell tests in a graph, some of whose parameters are known outside of it."""
    known, nodes = {**outside}, list[Node]()
    for node in graph.nodes:
        if _asks(node) and all(x in known for x in node.inputs):
            given = [known[x] for x in node.inputs]
            known[node.result] = node.op.kernel(np, *given, **node.attrs)
        if node.op.form is Form.COND and node.inputs[0] in known:
            test = node_of(constant, (), {"value": known[node.inputs[0]]}, node.location)
            nodes.append(test)
            node = changed(node, inputs=(test.result, *node.inputs[1:]))
            log.did("told")
        nodes.append(_in_regions(node, known, log) if node.regions else node)
    return with_nodes(graph, nodes)


def _asks(node: Node) -> bool:
    """Tell whether a node makes a truth value of others, and does nothing else."""
    is_truth = [x.spec for x in node.results] == [TRUTH]
    return is_truth and bool(node.inputs) and not node.regions and node.op.is_pure


def _in_regions(node: Node, known: Mapping[Value, bool], log: Log) -> Node:
    inner: dict[Graph, dict[Value, bool]] = {region: {} for region in node.regions}
    is_branch = node.op.form is Form.COND and len(inner) == 2
    for region, param, operand in fixed_params(node):
        if operand in known:
            inner[region][param] = known[operand]
        elif is_branch and operand is node.inputs[0] and operand.spec.dtype == np.bool_:
            inner[region][param] = region is node.regions[0]
    return changed(node, regions=[_told(region, inner[region], log) for region in node.regions])
