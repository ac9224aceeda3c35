"""The graph language: values, nodes and graphs.

    graph    = "graph" params "{" body "}"
    params   = "(" [results] ")"
    body     = node* "return" [value ("," value)*]
    node     = [results "="] op "(" [operand ("," operand)*] ")" [place] region*
    place    = "at" "(" file "," function "," qualified name "," line
               ["," end line "," column "," end column] ")"    (where the user's program made it)
    results  = value ":" spec ("," value ":" spec)*
    operand  = value | attribute "=" literal                      (attributes after all values)
    region   = "{" params body "}"
    value    = "%" followed by letters, digits and "_"            (only digits: it has no own name)
    spec     = dtype "[" dims "]" | dtype "[" "..." "]" | "bool" | "int" | "float" | "complex"
    dims     = [dim ("," dim)*]
    dim      = size | name | "?"
    literal  = "None" | string | number | tuple | scalar | array | spec
             | "dtype" "(" dtype ")" | reference
    number   = "True" | "False" | integer | float | "complex" "(" float "," float ")"
    float    = Python's | "inf" | "-inf" | "nan"
    tuple    = "(" ")" | "(" literal "," ")" | "(" literal ("," literal)+ ")"
    scalar   = dtype "(" items ")"                                (a NumPy scalar)
    array    = dtype "[" [size ("," size)*] "]" "(" items ")"
    items    = number | "[" [items ("," items)*] "]" | "base64" string | "..."
    dtype    = "bool" | "i8" | ... | "f64" | "c64" | "c128" | "string" | "dataset"
    reference = "@" kind "(" string ["," integer "," string] ")"   (see `reference`)

Strings, integers and floats are Python's, hexadecimal integers included. Blanks and line ends
separate words and mean nothing else. A value has one definition in the whole text, and is used in
the body, not in a region, where it is defined. Attributes that have their default are left out.
An array without items is written `[]`.
`base64` has the bytes of the items in C order, little-endian; `...` stands for items that were left
out, and cannot be read.

Nodes stand in execution order. A graph is closed: it uses its own parameters and results of its own
nodes only, so a region receives what it needs from outside as parameters. Constants are nodes
(`constant`). Effects (output, random state, checks) happen in the order of the list; all other
nodes may move as far as their inputs allow.

`printer` writes this text, `reader` reads it, `verify` checks a graph, `interpret` runs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.graph.location import Location
from runtime.graph.opdef import OpDef
from runtime.spec import TensorSpec


class Value:
    """A value of a graph: a parameter, or a result of one node. Compared by identity."""

    __slots__ = ("name", "spec")

    def __init__(self, spec: TensorSpec, name: str | None = None) -> None:
        self.spec = spec
        self.name = name

    def __repr__(self) -> str:
        return f"<value {self.name or ''}: {self.spec}>"


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One application of an op. Compared by identity."""

    op: OpDef
    inputs: tuple[Value, ...]
    attrs: Mapping[str, Any]
    regions: tuple[Graph, ...]
    results: tuple[Value, ...]
    location: Location | None

    @property
    def result(self) -> Value:
        """The result of a node that has exactly one."""
        (value,) = self.results
        return value


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A closed list of nodes with parameters and results. Compared by identity."""

    params: tuple[Value, ...]
    nodes: tuple[Node, ...]
    results: tuple[Value, ...]
