"""Graphs as messages of TensorFlow's: a node for each op, with its name, its type and its operands.

Comes in: a graph as it was traced. Goes out: a `GraphDef`, whose branches and loops are functions
of its library, or, flat, nodes in scopes of it, as TensorBoard draws them. Operands are `name`, or
`name:1` for a second result. What each node does is told by its type and not by attributes, so
these graphs are looked at, and not run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from autograph.tf.messages import Field, Message, Record
from autograph.tf.node_names import Names, named, node_type, parameter_name, scope_name
from runtime.dtypes import DType, dtype_name, is_string
from runtime.graph.node import Graph, Node, Value
from runtime.ops.control import cond
from runtime.ops.creation import constant
from runtime.spec import Shape, TensorSpec

DataType = IntEnum(
    "DataType",
    "DT_FLOAT DT_DOUBLE DT_INT32 DT_UINT8 DT_INT16 DT_INT8 DT_STRING DT_COMPLEX64 DT_INT64 DT_BOOL "
    "DT_QINT8 DT_QUINT8 DT_QINT32 DT_BFLOAT16 DT_QINT16 DT_QUINT16 DT_UINT16 DT_COMPLEX128 DT_HALF "
    "DT_RESOURCE DT_VARIANT DT_UINT32 DT_UINT64",
)
"""The numbers of dtypes."""
_OTHER = {"float32": "float", "float64": "double", "float16": "half", "object": "variant"}
_ITEMS = {"int32": (7, "int_val"), "int64": (10, "int64_val"), "bool": (11, "bool_val")}


@dataclass(frozen=True, repr=False)
class NodeDef(Message):
    """A node of a graph.

    Args:
        name: of the node.
        op: the type of the operation.
        input: what it is given: the names of nodes, with `:1` for their second result.
        attr: more of it, as messages.
    """

    name: str
    op: str
    input: list[str] = field(default_factory=list)
    attr: Mapping[str, Record] = field(default_factory=dict)

    def fields(self) -> Iterator[Field]:
        """Return the fields."""
        yield Field(1, "name", self.name)
        yield Field(2, "op", self.op)
        yield from (Field(3, "input", x) for x in self.input)
        for key, value in sorted(self.attr.items()):
            yield Field(5, "attr", Record(Field(1, "key", key), Field(2, "value", value)))


@dataclass(frozen=True, repr=False)
class FunctionDef(Message):
    """A branch, or a part of a loop.

    Args:
        signature: its name and its parameters.
        node_def: its nodes.
        ret: the names of its results, and the nodes that give them.
    """

    signature: Record
    node_def: Sequence[NodeDef]
    ret: Mapping[str, str]

    def fields(self) -> Iterator[Field]:
        """Return the fields."""
        yield Field(1, "signature", self.signature)
        yield from (Field(3, "node_def", x) for x in self.node_def)
        for key, value in self.ret.items():
            yield Field(4, "ret", Record(Field(1, "key", key), Field(2, "value", value)))


@dataclass(frozen=True, repr=False)
class Library(Message):
    """The functions of a graph."""

    function: Sequence[FunctionDef]

    def fields(self) -> Iterator[Field]:
        """Return the fields."""
        return (Field(1, "function", x) for x in self.function)


@dataclass(frozen=True, repr=False)
class GraphDef(Message):
    """A graph: its nodes, without those in branches and loops, which are functions.

    Args:
        node: the nodes, in the order of the program.
        library: the functions.
    """

    node: Sequence[NodeDef]
    library: Library

    def fields(self) -> Iterator[Field]:
        """Return the fields."""
        yield from (Field(1, "node", x) for x in self.node)
        if self.library.function:
            yield Field(2, "library", self.library)
        yield Field(4, "versions", Record(Field(1, "producer", 1)))


class Writer:
    """Writes nodes of one graph, or region.

    Args:
        scope: stands before all names.
        functions: what branches and loops are added to; None when they are nodes in scopes.
        names: of the nodes around it, for a flat graph.
        drawn: for a flat graph, the function whose nodes are in no scope of their own.
    """

    def __init__(
        self,
        scope: str = "",
        functions: list[FunctionDef | None] | None = None,
        names: Names | None = None,
        drawn: str | None = None,
    ) -> None:
        self.nodes: list[NodeDef] = []
        self.operands: dict[Value, str] = {}
        self._scope = scope
        self._functions = functions
        self._names = names or Names()
        self._drawn = drawn

    def parameter(self, value: Value, name: str | None = None, given: Sequence[str] = ()) -> None:
        """Write a parameter as a node."""
        name = self._unique(name or parameter_name(value.name))
        kind = {"dtype": _type(value.spec.dtype), "shape": _shape(value.spec.shape)}
        self.nodes.append(NodeDef(name, "Placeholder", list(given), kind))
        self.operands[value] = name

    def body(self, nodes: Sequence[Node]) -> None:
        """Write nodes, whose operands were written."""
        for node, name in named(nodes, self._name):
            self._node(node, name, node_type(node)[0])

    def result(self, value: Value) -> str:
        """Write what a graph returns, and return its name."""
        return self._identity(value, f"{self._scope}Identity")

    def _name(self, node: Node) -> str:
        """Return the name of a node; in a flat graph the function that it is of is a scope."""
        place, name = node.location, node_type(node)[1]
        if self._drawn is None or place is None or place.function == self._drawn:
            return self._unique(name)
        return self._unique(f"{scope_name(place.qualname or place.function)}/{name}")

    def _unique(self, name: str) -> str:
        return self._names.unique(self._scope + name)

    def _node(self, node: Node, name: str, kind: str) -> None:
        given = [self.operands[x] for x in node.inputs]
        attr = _attributes(node)
        inside: list[str] = []
        for (key, label), region in zip(_parts(node), node.regions, strict=True):
            if self._functions is None:
                inside += self._flat(region, f"{name}/{key.removesuffix('_branch')}/", given)
            else:
                attr[key] = self._function(region, name, label, self._functions)
        self.nodes.append(NodeDef(name, kind, [*given, *inside], attr))
        for k, value in enumerate(node.results):
            self.operands[value] = f"{name}:{k}" if k else name
            if node.op is cond:
                self.operands[value] = self._identity(value, f"{name}/Identity")

    def _identity(self, value: Value, name: str) -> str:
        kind = {"T": _type(value.spec.dtype)}
        self.nodes.append(
            NodeDef(self._names.unique(name), "Identity", [self.operands[value]], kind)
        )
        return self.nodes[-1].name

    def _flat(self, region: Graph, scope: str, given: Sequence[str]) -> list[str]:
        """Write a region as nodes of a scope; return what it gives."""
        inner = Writer(scope, None, self._names, self._drawn)
        skipped = len(given) - len(region.params)
        for k, value in enumerate(region.params, skipped):
            inner.parameter(value, given=given[k : k + 1] if k >= 0 else ())
        inner.body(region.nodes)
        self.nodes += inner.nodes
        return [inner.operands[x] for x in region.results]

    def _function(
        self, region: Graph, name: str, label: str, functions: list[FunctionDef | None]
    ) -> Record:
        """Write a region as a function; return the attribute that names it."""
        inner = Writer(f"{name}/", functions)
        before = name.replace("/", "_")
        called = f"{before}_{label}_{len(functions)}"
        functions.append(None)  # its place, before those of what is in it
        place = len(functions) - 1
        for k, value in enumerate(region.params):
            inner.operands[value] = f"{before}_placeholder{f'_{k}' if k else ''}"
        inner.body(region.nodes)
        ret = {x.lower().replace("/", "_"): x for x in map(inner.result, region.results)}
        taken = [
            Field(2, "input_arg", _argument(inner.operands[x], x.spec.dtype)) for x in region.params
        ]
        returned = [
            Field(3, "output_arg", _argument(key, x.spec.dtype))
            for key, x in zip(ret, region.results, strict=True)
        ]
        signature = Record(Field(1, "name", called), *taken, *returned)
        functions[place] = FunctionDef(signature, inner.nodes, ret)
        return Record(Field(10, "func", Record(Field(1, "name", called))))


def define(graph: Graph, outputs: Iterable[Value], drawn: str | None = None) -> GraphDef:
    """Return the definition of a graph, parameters first.

    Args:
        graph: as it was traced.
        outputs: what of its values the function returns.
        drawn: the name of the function, for a flat graph, in which branches, loops and other
            functions are scopes.
    """
    functions: list[FunctionDef | None] = []
    writer = Writer("", functions if drawn is None else None, drawn=drawn)
    for value in graph.params:
        writer.parameter(value)
    writer.body(graph.nodes)
    for value in outputs:
        writer.result(value)
    return GraphDef(writer.nodes, Library([x for x in functions if x is not None]))


_PARTS = {
    "If": (("then_branch", "true"), ("else_branch", "false")),
    "While": (("cond", "cond"), ("body", "body")),
}


def _parts(node: Node) -> Sequence[tuple[str, str]]:
    """Return for each region its attribute, and what its function is called after the node."""
    found = _PARTS.get(node_type(node)[0].removeprefix("Stateless"), ())
    count = len(node.regions)
    return found[-count:] if found else [(f"branch_{k}", f"branch{k}") for k in range(count)]


def _attributes(node: Node) -> dict[str, Record]:
    if node.op is constant:
        value = np.asarray(node.attrs["value"])
        return {"dtype": _type(node.result.spec.dtype), "value": _tensor(value, node.result.spec)}
    return {"T": _type(node.inputs[0].spec.dtype)} if node.inputs else {}


def data_type(dtype: DType) -> DataType:
    """Return the number of a dtype.

    >>> data_type(np.dtype("float32")).name
    'DT_FLOAT'
    """
    name = dtype_name(dtype)
    return DataType[f"DT_{_OTHER.get(name, name).upper()}"]


def _type(dtype: DType) -> Record:
    return Record(Field(6, "type", data_type(dtype)))


def _argument(name: str, dtype: DType) -> Record:
    return Record(Field(1, "name", name), Field(3, "type", data_type(dtype)))


def _sizes(shape: Shape | None) -> Record:
    if shape is None:
        return Record(Field(3, "unknown_rank", True))
    sizes = (Field(1, "size", x if isinstance(x, int) else -1) for x in shape)
    return Record(*(Field(2, "dim", Record(x)) for x in sizes))


def _shape(shape: Shape | None) -> Record:
    return Record(Field(7, "shape", _sizes(shape)))


def _tensor(value: Any, spec: TensorSpec) -> Record:
    head = [
        Field(1, "dtype", data_type(spec.dtype)),
        Field(2, "tensor_shape", _sizes(value.shape)),
    ]
    return Record(Field(8, "tensor", Record(*head, *_items(value))))


def _items(value: Any) -> Iterator[Field]:
    name = dtype_name(value.dtype)
    if value.dtype.kind in "UTO" or is_string(value.dtype):
        yield from (Field(8, "string_val", str(x).encode()) for x in value.ravel().tolist())
    elif value.shape == () and name == "float32":
        yield Field(5, "float_val", np.float32(value))
    elif value.shape == () and name in _ITEMS:
        yield Field(*_ITEMS[name], value.item())
    else:
        data = np.ascontiguousarray(value).astype(value.dtype.newbyteorder("<"))
        yield Field(4, "tensor_content", data.tobytes())
