"""Random functions that write objects: through methods, aliases, helpers and inner functions.

A program is a text with one function `f(x, n)`. Objects, lists and dicts hold each other; staged
conditions and loops decide what is written. Some objects are made where they are written, by a
class, a display, an addition or a slice, and some of them leave the arm.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented

PRELUDE = """\
from dataclasses import make_dataclass

class Part:
    def __init__(self, v):
        self.v = v
        self.log = [0.0, 0.0]

    def put(self, v):
        self.v = v
        return self

    def step(self, k):
        self.log[k] += self.v
        self.count()

    def count(self):
        self.log[1] += 1.0

class Slotted:
    __slots__ = ("v", "log", "extra", "link")

    def __init__(self, v):
        self.v, self.log = v, [v, 1.0]

    put, step, count = Part.put, Part.step, Part.count

class Guarded(Part):
    @property
    def w(self):
        return self.v

    @w.setter
    def w(self, value):
        self.v = value + 1.0

def opened(self):
    self.log = [0.0, 1.0]

METHODS = dict(put=Part.put, step=Part.step, count=Part.count, __post_init__=opened)
Record = make_dataclass("Record", ["v"], eq=False, namespace=METHODS)

def move(source, target):
    target.v += source.v
    target.log[0] = source.v

def summed(parts):
    found = []
    for part in parts:
        found.append(part.v)
    return sum(found)

TOTAL = 0.0

def tally(v):
    global TOTAL
    TOTAL = v

"""

NAMES = ("a", "b", "parts[0]", "parts[1]", "table['p']", "box.inner")
CLASSES = ("Part", "Slotted", "Guarded", "Record")


class ObjectPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        a, b = (f"{self.pick(*CLASSES)}({self._number()})" for _ in range(2))
        lines = ["tally(0.0)", "seen = 0.0", f"a, b = {a}, {b}"]
        lines += [f"parts = [{self.pick('a', 'Part(1.0)')}, {self.pick('b', 'Guarded(2.0)')}]"]
        lines += [f"table = {{'p': {self.pick('a', 'parts[1]', 'Part(3.0)')}, 'n': 0.0}}"]
        lines += ["box = Part(0.5)", f"box.inner = {self.pick('a', 'b', 'Slotted(4.0)')}"]
        lines += ["def note(v):", "    nonlocal seen", "    seen += v"]
        lines += self._block(2, self.number(2, 4))
        values = [f"{name}.{what}" for name in NAMES for what in ("v", "log[0]", "log[1]")]
        values += [f"getattr({name}, 'extra', -1.0)" for name in NAMES[:4]]
        values += [f"hasattr({name}, 'extra')" for name in NAMES[:4]]
        values += [f"type(getattr({name}, 'link', 0)).__name__" for name in NAMES[:4]]
        values += [f"getattr({name}, 'link', 0) is b" for name in NAMES[:2]]
        lines.append(f"return {', '.join(values)}, seen, table['n'], TOTAL")
        return PRELUDE + "\n".join(["def f(x, n):", *indented(lines)]) + "\n"

    def _number(self) -> str:
        return f"{self.number(1, 9)}.0"

    def _object(self) -> str:
        return self.pick(*NAMES)

    def _value(self) -> str:
        one, other = f"{self._object()}.v", f"{self._object()}.log[{self.number(0, 1)}]"
        return self.pick(self._number(), one, f"{one} + {other}", "x", f"{other} + x")

    def _test(self) -> str:
        return self.pick(f"x > {self.number(-2, 3)}", f"{self._value()} > {self._number()}")

    def _block(self, depth: int, count: int) -> Lines:
        return [line for _ in range(count) for line in self._statement(depth)]

    def _statement(self, depth: int) -> Lines:
        simple = [
            self._write,
            self._call,
            self._call,
            self._item,
            self._inner,
            self._made,
            self._extra,
            self._link,
            self._link,
        ]
        compound = [self._if, self._if, self._for, self._while]
        return self.pick(*compound if depth and self.chance(0.45) else simple)(depth)

    def _write(self, depth: int) -> Lines:
        return [f"{self._object()}.v {self.pick('=', '+=')} {self._value()}"]

    def _item(self, depth: int) -> Lines:
        target = self.pick(f"{self._object()}.log[{self.number(0, 1)}]", "table['n']")
        return [f"{target} {self.pick('=', '+=')} {self._value()}"]

    def _call(self, depth: int) -> Lines:
        one, other = self._object(), self._object()
        return [
            self.pick(
                f"{one}.put({self._value()})",
                f"{one}.put({self._value()}).step({self.number(0, 1)})",
                f"{one}.step({self.number(0, 1)})",
                f"move({one}, {other})",
                f"setattr({one}, 'v', {self._value()})",
                f"{one}.log.__setitem__(0, {self._value()})",
                f"{one}.log.reverse()",
                f"table.update(n={self._value()})",
            )
        ]

    def _inner(self, depth: int) -> Lines:
        return [f"{'tally' if self.chance(0.02) else 'note'}({self._value()})"]

    def _made(self, depth: int) -> Lines:
        """Make an object and write it; perhaps something that was there gets what it holds."""
        made = self.pick(
            f"fresh = {self.pick(*CLASSES)}({self._value()}).log",
            f"fresh = [{self._value()}, 1.0]",
            f"fresh = a.log + [{self._value()}]",
            "fresh = b.log[:]",
            "fresh = list(a.log)",
            "fresh = [q * 2 for q in b.log]",
        )
        return [
            made,
            f"fresh[{self.number(0, 1)}] {self.pick('=', '+=')} {self._value()}",
            *self.pick(
                [], [f"{self._object()}.v = fresh[0]"], ["seen += summed([a, b]) + fresh[1]"]
            ),
        ]

    def _extra(self, depth: int) -> Lines:
        """Make, delete or ask for an attribute that may be absent."""
        one, other = self._object(), self._object()
        return self.pick(
            [f"{one}.extra = {self._value()}"],
            [f"{one}.v += getattr({other}, 'extra', {self._number()})"],
            [f"if hasattr({one}, 'extra'):", f"    {one}.extra += {self._value()}"],
            [f"if hasattr({one}, 'extra'):", f"    del {one}.extra"],
            ["try:", f"    seen += {one}.extra", "except AttributeError:", "    seen += 1.0"],
        )

    def _link(self, depth: int) -> Lines:
        """As `_extra`, for one that holds anything."""
        one, other = self._object(), self._object()
        return self.pick(
            [f"{one}.link = {self.pick('None', repr('t'), other, 'summed', '(1, 2.5)')}"],
            [f"if {self._test()}:", f"    {one}.link = {self.pick('None', other, repr('u'))}"],
            [f"if hasattr({one}, 'link'):", f"    del {one}.link"],
            [f"if getattr({one}, 'link', {self.pick('0', 'None')}) is None:", "    seen += 2.0"],
            [f"if getattr({one}, 'link', None) is {other}:", f"    {other}.v += 1.0"],
        )

    def _if(self, depth: int) -> Lines:
        lines = [f"if {self._test()}:", *indented(self._block(depth - 1, self.number(1, 2)))]
        if self.chance(0.4):
            lines += ["else:", *indented(self._block(depth - 1, self.number(1, 2)))]
        return lines

    def _for(self, depth: int) -> Lines:
        body = self._block(depth - 1, self.number(1, 2))
        return [f"for k{depth} in range(n):", *indented(body)]

    def _while(self, depth: int) -> Lines:
        body = self._block(depth - 1, self.number(1, 2))
        return [
            f"i{depth} = 0",
            f"while i{depth} < n and {self._test()}:",
            *indented([f"i{depth} += 1", *body]),
        ]


ARGUMENTS = [
    (np.float64(x), np.int64(n)) for x, n in ((-1.0, 0), (1.0, 1), (3.0, 2), (-1.0, 3), (1.0, 0))
]
"""Argument lists: numbers that conditions compare with, and how often loops run."""
