"""The names that ops have in TensorFlow's graphs, and those of nodes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest

from runtime.graph.node import Node, Value
from runtime.graph.opdef import OpDef
from runtime.graph.walk import walk
from runtime.ops import control, streams
from runtime.ops.creation import constant

OTHER = {
    "absolute": "Abs",
    "add": "AddV2 add",
    "arange": "Range range",
    "arccos": "Acos",
    "arccosh": "Acosh",
    "arcsin": "Asin",
    "arcsinh": "Asinh",
    "arctan": "Atan",
    "arctan2": "Atan2",
    "arctanh": "Atanh",
    "argmax": "ArgMax",
    "argmin": "ArgMin",
    "broadcast_to": "BroadcastTo",
    "call": "StatefulPartitionedCall",
    "call_again": "StatefulPartitionedCall",
    "call_python": "EagerPyFunc",
    "ask_python": "EagerPyFunc",
    "check": "Assert Assert/Assert",
    "clip": "ClipByValue clip_by_value",
    "concatenate": "ConcatV2 concat",
    "constant": "Const",
    "copy": "Identity",
    "custom": "StatefulPartitionedCall",
    "dim": "Shape",
    "divide": "RealDiv truediv",
    "floor_divide": "FloorDiv floordiv",
    "full": "Fill",
    "gather": "GatherV2",
    "index": "StridedSlice strided_slice",
    "invert": "Invert",
    "isfinite": "IsFinite",
    "isinf": "IsInf",
    "isnan": "IsNan",
    "item": "Identity",
    "keep": "AssignVariableOp",
    "linspace": "LinSpace",
    "matmul": "MatMul",
    "multiply": "Mul mul",
    "negative": "Neg",
    "not_": "LogicalNot",
    "numpy_call": "PyFunc",
    "pow": "Pow pow",
    "power": "Pow pow",
    "print": "PrintV2",
    "python_pow": "Pow pow",
    "random_integers": "RandomUniformInt random_uniform",
    "random_real": "RandomUniform random_uniform/RandomUniform",
    "remainder": "FloorMod mod",
    "rint": "Rint",
    "scatter": "TensorScatterUpdate",
    "stack": "Pack stack",
    "stream_item": "IteratorGetNext",
    "stream_open": "MakeIterator",
    "string_join": "StringJoin",
    "strong": "Cast",
    "subtract": "Sub sub",
    "switch": "Case switch_case/indexed_case",
    "take": "GatherV2",
    "text": "StringFormat",
    "to_complex": "Cast",
    "to_float": "Cast",
    "to_int": "Cast",
    "transpose": "Transpose transpose",
    "truth": "Identity",
    "update": "TensorStridedSliceUpdate",
    "where": "SelectV2",
}
"""What our ops are there, and the names of their nodes where these are others."""


def node_type(node: Node) -> tuple[str, str]:
    """Return the type of a node, and the name that it gets before it is numbered."""
    if node.op is control.cond:
        return f"{_stateless(node)}If", "cond"
    if node.op is control.reduce and node.inputs[0].spec == streams.DATASET:
        return "ReduceDataset", "ReduceDataset"
    if node.op in (control.while_loop, control.reduce):
        return f"{_stateless(node)}While", "while"
    kind, *name = OTHER.get(node.op.name, _capitals(node.op)).split()
    return kind, name[0] if name else kind


def _stateless(node: Node) -> str:
    nodes = (x for region in node.regions for x in walk(region))
    return "" if any(x.op.effect is not None for x in nodes) else "Stateless"


def _capitals(op: OpDef) -> str:
    return "".join(part.capitalize() for part in op.name.split("_"))


def parameter_name(name: str | None) -> str:
    """Return the name of the node of a parameter.

    >>> parameter_name("x"), parameter_name("x[0]"), parameter_name("x[1]"), parameter_name(None)
    ('x', 'x', 'x_1', 'Placeholder')
    """
    first, *rest = [x for x in re.split(r"\W+", name or "Placeholder") if x] or ["Placeholder"]
    return first if rest in ([], ["0"]) else "_".join([first, *rest])


class Names:
    """Names of nodes of one graph; those that differ in capitals alone are not different.

    >>> names = Names()
    >>> names.unique("add"), names.unique("Add")
    ('add', 'Add_1')
    """

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._next: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """Return a name that was not used, and use it."""
        found, number = name, self._next.get(name.lower(), 0)
        while number or found.lower() in self._used:
            number += 1
            found = f"{name}_{number}"
            if found.lower() not in self._used:
                break
        self._next[name.lower()] = number
        self._used.add(found.lower())
        return found


def scope_name(function: str) -> str:
    """Return the name of the scope of a function, which has a qualified name.

    >>> scope_name("main.<locals>.Dense.__call__"), scope_name("<lambda>")
    ('Dense.__call__', 'lambda')
    """
    return re.sub(r"[^A-Za-z0-9_.]", "", function.rpartition("<locals>.")[2])


def named(nodes: Sequence[Node], unique: Callable[[Node], str]) -> Iterator[tuple[Node, str]]:
    """Yield nodes with their names; a constant that is an operand is named after its op.

    Args:
        nodes: in the order of the graph.
        unique: returns a name of a node that no other has.
    """
    uses = Counter(x for node in nodes for x in node.inputs)
    names: dict[Node, str] = {}
    for node, after in zip_longest(nodes, nodes[1:]):
        side = None if after is None else _side(node, after, uses)
        if side is not None:
            names[after] = unique(after)
        name = f"{names[after]}/{side}" if side is not None else names.get(node)
        yield node, name or unique(node)


def _side(node: Node, after: Node, uses: Mapping[Value, int]) -> str | None:
    """Return which operand of the next node a constant is, where it is of no other; or None."""
    if node.op is not constant or len(after.inputs) != 2 or after.regions:
        return None
    is_operand = node.result in after.inputs and uses[node.result] == 1
    return "xy"[after.inputs.index(node.result)] if is_operand else None
