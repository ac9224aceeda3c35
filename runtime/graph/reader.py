"""Reading the text of a graph.

Comes in: text in the grammar of `runtime.graph.node`. Goes out: the graph, checked as `verify` does
it, or a GraphFormatError that says the line, what was expected and what was found. Nothing in the
text is executed. Ops are found by name, so the families of ops must have been imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from runtime.errors import GraphFormatError
from runtime.graph.lexer import Words
from runtime.graph.location import Location, Span
from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import REGISTRY, OpDef, find_op
from runtime.graph.verify import check_node


def read_graph(text: str) -> Graph:
    """Return the graph of a text that `print_graph(graph, elide=False)` wrote.

    Raises GraphFormatError when the text is malformed, when an op is unknown, or when the results
    of a node are not what the op's rule says.
    """
    return _Reader(text).graph()


@dataclass
class _Header:
    """A node whose regions are not read yet."""

    start: int
    results: list[tuple[str, Value]]
    op: OpDef
    inputs: tuple[Value, ...]
    attrs: dict[str, Any]
    location: Location | None
    regions: list[Graph] = field(default_factory=list)


@dataclass
class _Body:
    """A graph or a region that is being read."""

    params: tuple[Value, ...]
    values: dict[str, Value]
    nodes: list[Node] = field(default_factory=list)
    header: _Header | None = None


class _Reader:
    """Reads one text; the open bodies are a list, so that regions may nest to any depth."""

    def __init__(self, text: str) -> None:
        self.words = Words(text)
        self.names: set[str] = set()
        self.open: list[_Body] = []

    def graph(self) -> Graph:
        """Read the whole text."""
        words = self.words
        words.expect("graph")
        self.open.append(_Body(*self._params()))
        words.expect("{")
        while True:
            if words.kind == "name" and words.word == "return":
                closed = self._close()
                if not self.open:
                    words.take("end", "the end of the text")
                    return closed
                self._header.regions.append(closed)
            else:
                self.open[-1].header = self._read_header()
            self._open_region_or_finish()

    @property
    def _header(self) -> _Header:
        header = self.open[-1].header
        assert header is not None
        return header

    def _close(self) -> Graph:
        """Read what a body returns and its end."""
        words = self.words
        words.advance()
        results: list[Value] = []
        while not words.accept("}"):
            if results and not words.accept(","):
                words.fail("',' or '}'")
            results.append(self._use())
        body = self.open.pop()
        return Graph(body.params, tuple(body.nodes), tuple(results))

    def _params(self) -> tuple[tuple[Value, ...], dict[str, Value]]:
        self.words.expect("(")
        params = self.words.listed(")", self._definition)
        return tuple(value for _, value in params), dict(params)

    def _definition(self) -> tuple[str, Value]:
        """Read a value and its spec."""
        words = self.words
        if words.kind == "value" and words.word in self.names:
            raise words.error(f"{words.word} is defined twice")
        name = words.take("value", "a value, such as %x")
        words.expect(":")
        self.names.add(name)
        own = name[1:]
        return name, Value(words.spec(), None if own.isdigit() else own)

    def _use(self) -> Value:
        """Read a value that is defined in the innermost body."""
        words = self.words
        value = self.open[-1].values.get(words.word)
        if words.kind == "value" and value is None:
            outside = any(words.word in body.values for body in self.open[:-1])
            where = "outside of this region" if outside else "nowhere before it is used"
            raise words.error(f"{words.word} is defined {where}")
        words.take("value", "a value, such as %x")
        assert value is not None
        return value

    def _read_header(self) -> _Header:
        """Read a node up to its regions."""
        words = self.words
        start = words.start
        results = self._results() if words.kind == "value" else []
        op = self._op(bool(results))
        words.expect("(")
        operands = words.listed(")", self._operand)
        inputs = tuple(value for value in operands if isinstance(value, Value))
        attrs = self._attributes(start, op, operands)
        return _Header(start, results, op, inputs, attrs, self._location())

    def _location(self) -> Location | None:
        """Read where in the user's program a node was made, if that is written."""
        words = self.words
        if words.kind != "name" or words.word != "at":
            return None
        start = words.start
        words.advance()
        found = words.literal()
        kinds = [type(x) for x in found] if isinstance(found, tuple) else []
        if kinds not in ([str, str, str, int], [str, str, str, *[int] * 4]):
            raise words.error("a place is a file, a function, a qualified name and a line", start)
        file, function, qualname, line, *span = found
        return Location(file, function, line, Span(line, *span) if span else None, qualname)

    def _results(self) -> list[tuple[str, Value]]:
        results = [self._definition()]
        while not self.words.accept("="):
            if not self.words.accept(","):
                self.words.fail("',' or '='")
            results.append(self._definition())
        return results

    def _op(self, has_results: bool) -> OpDef:
        words = self.words
        if words.kind != "name":
            words.fail("the name of an op" if has_results else "a node or 'return'")
        op = find_op(words.word)
        if op is None:
            near = get_close_matches(words.word, REGISTRY)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise words.error(f"there is no op {words.word!r}{hint}")
        words.advance()
        return op

    def _operand(self) -> Value | tuple[str, Any]:
        """Read a value, or an attribute's name and value."""
        words = self.words
        if words.kind == "value":
            return self._use()
        name = words.take("name", "a value or an attribute")
        words.expect("=")
        return name, words.literal()

    def _attributes(
        self, start: int, op: OpDef, operands: Sequence[Value | tuple[str, Any]]
    ) -> dict[str, Any]:
        """Return the attributes among the operands, which must stand last, defaults filled in."""
        given = [x for x in operands if not isinstance(x, Value)]
        attrs = dict(given)
        if any(isinstance(x, Value) for x in operands[len(operands) - len(given) :]):
            raise self.words.error("values stand before attributes", start)
        if len(attrs) < len(given):
            raise self.words.error("an attribute is given twice", start)
        try:
            return op.attributes(attrs)
        except TypeError as error:
            raise self.words.error(str(error), start) from None

    def _open_region_or_finish(self) -> None:
        if self.words.accept("{"):
            self.open.append(_Body(*self._params()))
            return
        body, header = self.open[-1], self._header
        results = tuple(value for _, value in header.results)
        regions = tuple(header.regions)
        node = Node(header.op, header.inputs, header.attrs, regions, results, header.location)
        try:
            check_node(node)
        except GraphFormatError as error:
            raise self.words.error(str(error), header.start) from error.__cause__
        body.nodes.append(node)
        body.values.update(header.results)
        body.header = None
