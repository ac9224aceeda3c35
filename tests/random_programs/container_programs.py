"""Random functions of lists, dicts and objects that several variables hold, and that are written.

A program is a text with one function `f(x, n)`. Three variables hold containers of two numbers of
any class; staged conditions and loops decide which one each of them holds, and what is written.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented

VARIABLES = ("a", "b", "c")
KINDS = {
    "list": ("[{}, {}]", "{}[{}]", ("0", "1")),
    "dict": ("{{'p': {}, 'q': {}}}", "{}[{}]", ("'p'", "'q'")),
    "dataclass": ("Pair({}, {})", "{}.{}", ("p", "q")),
    "object": ("Plain({}, {})", "{}.{}", ("p", "q")),
}
PRELUDE = """\
from dataclasses import make_dataclass

Pair = make_dataclass("Pair", ["p", "q"])

class Plain:
    def __init__(self, p, q):
        self.p, self.q = p, q

"""


class ContainerPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        self.new, self.item, self.keys = KINDS[self.pick(*KINDS)]
        lines = [f"{v} = {self.new.format(self._number(), self._number())}" for v in VARIABLES]
        if self.chance(0.4):
            lines.append(f"{self.pick(*VARIABLES)} = {self.pick(*VARIABLES)}")
        lines += self._block(2, self.number(2, 4))
        items = [self.item.format(v, key) for v in VARIABLES for key in self.keys]
        lines.append(f"return {', '.join(items)}")
        return PRELUDE + "\n".join(["def f(x, n):", *indented(lines)]) + "\n"

    def _number(self) -> str:
        number = self.number(1, 9)
        return self.pick(f"{number}.0", f"{number}.0", str(number), "True")

    def _read(self) -> str:
        return self.item.format(self.pick(*VARIABLES), self.pick(*self.keys))

    def _value(self) -> str:
        one, other = self._read(), self._read()
        return self.pick(self._number(), one, f"{one} + {self._number()}", f"{one} + {other}", "x")

    def _test(self) -> str:
        tests = f"x > {self.number(-2, 3)}", f"{self._read()} > {self._number()}"
        return self.pick(*tests, f"{self._read()} < {self._read()} + x")

    def _block(self, depth: int, count: int) -> Lines:
        return [line for _ in range(count) for line in self._statement(depth)]

    def _statement(self, depth: int) -> Lines:
        simple = [self._bind, self._bind, self._write, self._write, self._choose, self._swap]
        compound = [self._if, self._if, self._for] if depth and self.chance(0.35) else simple
        return self.pick(*compound)(depth)

    def _bind(self, depth: int) -> Lines:
        new = self.new.format(self._value(), self._value())
        source = self.pick(*VARIABLES) if self.chance(0.75) else new
        return [f"{self.pick(*VARIABLES)} = {source}"]

    def _write(self, depth: int) -> Lines:
        return [f"{self._read()} {self.pick('=', '=', '+=')} {self._value()}"]

    def _choose(self, depth: int) -> Lines:
        target, one, other = (self.pick(*VARIABLES) for _ in range(3))
        return [f"{target} = {one} if {self._test()} else {other}"]

    def _swap(self, depth: int) -> Lines:
        one, other = self.several(VARIABLES, 2)
        return [f"{one}, {other} = {other}, {one}"]

    def _if(self, depth: int) -> Lines:
        lines = [f"if {self._test()}:", *indented(self._block(depth - 1, self.number(1, 2)))]
        if self.chance(0.5):
            lines += ["else:", *indented(self._block(depth - 1, self.number(1, 2)))]
        return lines

    def _for(self, depth: int) -> Lines:
        body = self._block(depth - 1, self.number(1, 2))
        return [f"for k{depth} in range(n):", *indented(body)]


ARGUMENTS = [
    (np.float64(x), np.int64(n)) for x, n in ((-1.0, 0), (1.0, 1), (3.0, 2), (-1.0, 3), (1.0, 0))
]
"""Argument lists: numbers that conditions compare with, and how often loops run."""
