"""Random `match` statements on plain values: all kinds of patterns, and guards."""

from __future__ import annotations

from collections.abc import Callable

from tests.random_programs.plain_expressions import Expressions
from tests.random_programs.writer import Lines, indented

PATTERNS = {
    "number": ["0", "1 | 2", "-1", "K.ONE", "int() as {x}", "1 | 2 as {x}", "int({x})", "None"],
    "list": ["[]", "[{x}]", "[{x}, {y}]", "[{x}, *q]", "[1, *_]", "[{x}, *_, {y}]", "[*q]"],
    "tuple": ["(1, {x})", "({x}, 0 | 1)", "[{x}, (2 | 3) as {y}]", "({x}, {y}) | [{y}, _, {x}]"],
    "dict": ["{{'k': {x}}}", "{{'k': 1 | 2, **rest}}", "{{}}", "{{0: {x}, 'k': {y}}}"],
    "object": ["Point({x}, {y})", "Point(x=1, y={x})", "Point({x}, 1 | 2)", "Point() as whole"],
}
SUBJECTS = {
    "number": "{v}",
    "list": "{p}",
    "tuple": "({v}, {w})",
    "dict": "d",
    "object": "Point({v}, {w})",
}
LAST = {"_", "{x}"}


class Matches:
    """Writes `match` statements.

    Args:
        expressions: what it takes expressions from.
        block: writes the statements of a case.
    """

    def __init__(self, expressions: Expressions, block: Callable[[], Lines]) -> None:
        self.e = expressions
        self.draw = expressions.draw
        self._block = block

    def statement(self) -> Lines:
        """Return a `match`, as lines."""
        kind = self.draw.pick(*SUBJECTS)
        v, w, p = self.e.number(1), self.e.number(1), self.e.list_name()
        lines = [f"match {SUBJECTS[kind].format(v=v, w=w, p=p)}:"]
        for _ in range(self.draw.number(1, 3)):
            lines += indented(self._case(self.draw.pick(*PATTERNS[self._kind(kind)])))
        if self.draw.chance(0.5):
            lines += ["    case _:", *indented(indented(self._block()))]
        return lines

    def _kind(self, kind: str) -> str:
        return self.draw.pick(*PATTERNS) if self.draw.chance(0.15) else kind

    def _case(self, pattern: str) -> Lines:
        names = sorted({name for name in self.e.names if name.isidentifier()} | {"j"})
        x, y = self.draw.several(names, 2)
        guard = f" if {self.e.test(1)}" if self.draw.chance(0.4) else ""
        return [f"case {pattern.format(x=x, y=y)}{guard}:", *indented(self._block())]
