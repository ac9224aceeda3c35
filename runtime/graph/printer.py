"""Printing graphs.

Comes in: a graph, well formed or not. Goes out: its text, in the grammar of `runtime.graph.node`;
the same graph gives the same text on every run. Parameters have their own names, made unique; all
other values are numbered in the order of the text. Locations in the user's program are left
out for people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from runtime.graph.literal import literal_text
from runtime.graph.location import Location
from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import REQUIRED

Item = Node | Graph | tuple[Value, ...]
Piece = str | tuple[Item, str]
"""A finished line; or a node, a region or the results of one, and its indentation."""


def print_graph(graph: Graph, *, elide: bool = True) -> str:
    """Return the text of a graph.

    Args:
        graph: the graph.
        elide: leave out the items of large arrays and where nodes come from, for people.
            `read_graph` reads the text that is written with `elide=False`.

    Raises GraphFormatError when `elide` is false and an attribute has no text.
    """
    return "\n".join(_Writer(elide).lines(graph))


def value_names(graph: Graph) -> dict[Value, str]:
    """Return the name that each value has in the text of a graph, such as `%x` or `%12`."""
    writer = _Writer(elide=True)
    writer.lines(graph)
    return writer.names


def node_line(node: Node, names: dict[Value, str]) -> str:
    """Return the text of a node without its regions; values without a name are `%?`."""
    return _Writer(True, names).header(node)


class _Writer:
    """Writes a graph from the first line to the last and names values as it meets them."""

    def __init__(self, elide: bool, names: dict[Value, str] | None = None) -> None:
        self.elide = elide
        self.names = {} if names is None else names
        self._numbers = 0
        self._taken: dict[str, int] = {}

    def lines(self, graph: Graph) -> list[str]:
        """Return the lines; the work to do is a list, so that regions may nest to any depth."""
        done: list[str] = []
        todo: list[Piece] = ["}", *reversed(_body(graph, "  ")), f"graph{self._params(graph)} {{"]
        while todo:
            piece = todo.pop()
            if isinstance(piece, str):
                done.append(piece)
            else:
                todo.extend(reversed(self._expand(*piece)))
        return done

    def _expand(self, item: Item, indent: str) -> list[Piece]:
        if isinstance(item, Node):
            return self._node(item, indent)
        if isinstance(item, Graph):
            return [indent + self._params(item), *_body(item, indent)]
        return [f"{indent}return {self._values(item)}".rstrip()]

    def _node(self, node: Node, indent: str) -> list[Piece]:
        for value in node.results:
            self._add_number(value)
        line = indent + self.header(node)
        if not node.regions:
            return [line]
        pieces: list[Piece] = []
        for region in node.regions:
            pieces += [f"{line} {{", (region, indent + "  ")]
            line = indent + "}"
        return [*pieces, line]

    def header(self, node: Node) -> str:
        """Return the text of a node without its regions."""
        results = ", ".join(map(self._definition, node.results))
        operands = [self.names.get(value, "%?") for value in node.inputs]
        call = f"{node.op.name}({', '.join([*operands, *self._attributes(node)])})"
        if not self.elide and node.location is not None:
            call += _position(node.location)
        return f"{results} = {call}" if results else call

    def _attributes(self, node: Node) -> Iterator[str]:
        """Yield the attributes in the order of the signature, but for those with the default."""
        defaults = node.op.signature.attrs
        for name in sorted(node.attrs, key=[*defaults, *node.attrs].index):
            text = literal_text(node.attrs[name], elide=self.elide)
            default = defaults.get(name, REQUIRED)
            if default is REQUIRED or literal_text(default, elide=True) != text:
                yield f"{name}={text}"

    def _params(self, graph: Graph) -> str:
        for value in graph.params:
            self._add_param(value)
        return f"({', '.join(map(self._definition, graph.params))})"

    def _values(self, values: Iterable[Value]) -> str:
        return ", ".join(self.names.get(value, "%?") for value in values)

    def _definition(self, value: Value) -> str:
        return f"{self.names.get(value, '%?')}: {value.spec}"

    def _add_number(self, value: Value) -> None:
        self.names[value] = f"%{self._numbers}"
        self._numbers += 1

    def _add_param(self, value: Value) -> None:
        """Name a parameter: its own name with `_1`, `_2` ... when that is taken, or a number."""
        base = re.sub(r"\W", "_", value.name or "")
        if not base or base.isdigit():
            self._add_number(value)
            return
        name = base
        while name in self._taken:
            self._taken[base] += 1
            name = f"{base}_{self._taken[base]}"
        self._taken[name] = 0
        self.names[value] = f"%{name}"


def _position(location: Location) -> str:
    file, function, line, span, qualname = location
    columns = "" if span is None else f", {span.end_line}, {span.column}, {span.end_column}"
    return f" at ({file!r}, {function!r}, {qualname!r}, {line}{columns})"


def _body(graph: Graph, indent: str) -> list[Piece]:
    return [*((node, indent) for node in graph.nodes), (graph.results, indent)]
