"""Which nodes are loops, and which of their inputs they write.

Comes in: nodes. Goes out: answers, for those that make kernels of them.
"""

from __future__ import annotations

import math
from dataclasses import replace

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import INLINES, loop_of
from runtime.graph.traits import Form, Subscript
from runtime.graph.walk import walk
from runtime.lower.memory import Memory
from runtime.spec import TensorSpec

LARGEST_COPY = 4096
"""The most elements of an array that is copied, so that a loop inside of another may write it."""


def is_large_copy(spec: TensorSpec) -> bool:
    """Tell whether an array is too large to be copied for each run of a loop inside of another."""
    assert spec.shape is not None
    sizes = [n if isinstance(n, int) else LARGEST_COPY for n in spec.shape]
    return math.prod(sizes) > LARGEST_COPY


def written_inputs(node: Node, memory: Memory) -> frozenset[int]:
    """Return the places of the inputs of a node that are written in it, or copies of them."""
    classes = memory.classes
    inner = [x for region in node.regions for x in walk(region)]
    updates = (x for x in inner if x.op.subscript is Subscript.WRITE)
    written = {classes.find(y) for x in updates for y in (x.inputs[0], x.result)}
    for x in inner:
        written |= {classes.find(x.inputs[k]) for k in memory.lent.get(x, ())}
    for found in filter(None, map(loop_of, reversed(inner))):  # inmost ones first
        copied = memory.copied.get(found.node, ())
        state = (x for k, x in enumerate(found.carried) if k not in copied)
        written |= {classes.find(x.initial) for x in state if classes.find(x.param) in written}
    loop = loop_of(node)
    seen, renewed = node.inputs, renewed_arrays(node)
    if loop is not None:  # it writes its state, and not what that begins with
        seen = tuple(replace(loop.operands, carried=loop.params.carried))
        renewed |= {loop.carried[k].param for k in memory.copied.get(node, ())}
    if node.op.form is Form.CALL:
        return frozenset(memory.functions.given(node))
    return frozenset(
        k
        for k, x in enumerate(seen)
        if x.spec.rank and (classes.find(x) in written or x in renewed)
    )


def renewed_arrays(node: Node) -> frozenset[Value]:
    """Return parameters of a loop for arrays of which its rounds may leave new ones."""
    loop = loop_of(node)
    if loop is None:
        return frozenset()
    state = (x for x in loop.carried if x.param.spec.rank and _is_new(loop.body, x.next))
    return frozenset(x.param for x in state)


def _is_new(region: Graph, value: Value) -> bool:
    """Tell whether a region makes an array anew: arms only choose, and updates write one."""
    node = next((x for x in region.nodes if value in x.results), None)
    loop = None if node is None else loop_of(node)
    if loop is not None:
        return any(x.final is value and _is_new(loop.body, x.next) for x in loop.carried)
    is_inline = node is not None and (not node.regions or node.op.form in INLINES)
    return node is not None and is_inline and node.op.subscript is not Subscript.WRITE
