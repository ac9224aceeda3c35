"""Random functions of lists, dicts, objects and arrays that are one: several calls are compared.

A program is a text with a function `f(x, y, o, v)` of two of these, an object and a number. It
writes one and reads another, asks which are one, and returns them. In some calls `x` and `y` are
one, hold one, or are what a global or an attribute of `o` holds; in others they are alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.random_programs.comparing_worlds import compare_worlds
from tests.random_programs.writer import Draw, Lines, indented

HEAD = """
from dataclasses import make_dataclass
import numpy as np

G, T, W = [1, 2], {"a": 1.0, "b": [1, 2]}, np.arange(3.0)

P = make_dataclass("P", ["a", ("b", object, 0)])
Q = P([1, 2])

class Box:
    def __init__(self):
        self.items, self.table, self.w = [1, 2], {"a": 1.0, "b": [1, 2]}, np.arange(3.0)

def f(x, y, o, v):
    r = 0
"""
KINDS = {
    "list": ("[1, 2]", "G", "o.items"),
    "dict": ("{'a': 1.0, 'b': [1, 2]}", "T", "o.table"),
    "array": ("np.arange(3.0)", "W", "o.w"),
    "object": ("P([1, 2])", "Q", "Q"),
    "tuple": ("([1, 2], G)", "(G, G)", "(o.items, [1, 2])"),
}
"""How the things of a kind are made, and where they are outside."""


class IdentityPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program; its first line says what is given."""
        kind = self.pick(*KINDS)
        lines: Lines = []
        for _ in range(self.number(2, 4)):
            lines += self._statement(kind)
        shown = self.pick("x", "y", "[x, y]", "0", KINDS[kind][1], "o.items", "(x, [y])")
        lines.append(f"return r, x is y, {shown}")
        return f"# {kind}\n{HEAD.lstrip()}{chr(10).join(indented(lines))}\n"

    def _statement(self, kind: str) -> Lines:
        lines = self.pick(self._write, self._write, self._read)(kind)
        if self.chance(0.4):
            test = self.pick("v > 0", "v > 2", "x is y", f"x is {KINDS[kind][1]}", "len(G) > 2")
            return [f"if {test}:", *indented(lines)]
        return (
            [f"for k in range({self.number(1, 3)}):", *indented(lines)]
            if self.chance(0.2)
            else lines
        )

    def _of(self, kind: str) -> str:
        """Return a name for something of a kind, which may be what another name stands for."""
        return self.pick("x", "x", "y", "y", *KINDS[kind][1:])

    def _lists(self, kind: str) -> str:
        """Return an expression of a list in something of a kind."""
        one = self._of(kind)
        forms = {"list": "{}", "dict": "{}['b']", "object": "{}.a", "tuple": "{}[0]"}
        return self.pick(forms.get(kind, "G").format(one), "G", "o.items")

    def _write(self, kind: str) -> Lines:
        one, v, items = self._of(kind), self.pick("v", "7", "r"), self._lists(kind)
        if kind == "array":
            return self.pick(
                [f"{one}[0] = {v}"], [f"{one}[1:] += {v}"], [f"np.add({one}, 1, out={one})"]
            )
        return self.pick(
            *([f"{items}.append({v})"], [f"{items}[0] = {v}"], [f"{items}[-1] += 1"]),
            [f"{one}['a'] = {v}"] if kind == "dict" else [f"{items}.insert(0, {v})"],
            [f"{one}.b = {v}"] if kind == "object" else [f"del {items}[1:]"],
            ["W[0] += 1"],
        )

    def _read(self, kind: str) -> Lines:
        one, other, items = self._of(kind), self._of(kind), self._lists(kind)
        if kind == "array":
            return self.pick(
                [f"r += {one}.sum()"], [f"r += {one}[0] * 2"], [f"r += {one} is {other}"]
            )
        return self.pick(
            *([f"r += len({items})"], [f"r += {items}[-1]"], [f"r += {one} is {other}"]),
            *([f"r += {items} is {self._lists(kind)}"], [f"r += {one} == {other}"]),
            [f"for e in {items}:", "    r += e"],
        )


def compare_identities(text: str, name: str) -> str:
    """Compare several calls of a program with those of its staged form."""
    made, *outside = KINDS[text.split()[1]]
    new, one = f"({made}, {made})", f"(lambda q: (q, q))({made})"
    places = [f"({p}, {q})" for p in (made, *outside) for q in (made, *outside)]
    calls = [new, one, *places[1:], new, one]
    start = sum(map(ord, name)) % len(calls)
    calls = [*calls[start:], *calls[:start], *calls[start:][:4]]
    return compare_worlds(text, name, _World, calls, falls_back=True)


class _World:
    """A module and an object."""

    def __init__(self, space: dict[str, Any]) -> None:
        self.space = space
        self.o = space["o"] = space["Box"]()

    def given(self, call: str, number: int) -> list[Any]:
        return [*eval(call, self.space), self.o, np.int64(number % 4)]

    def left(self, given: list[Any], found: Any) -> Any:
        x, y, o, _ = given
        state = [repr([x, y, vars(o)]), *(repr(self.space[n]) for n in "GTWQ")]
        if found is None:
            return state
        held = found[2] if type(found[2]) in (list, tuple) else [found[2]]
        known = x, y, self.space["G"], o.items
        return repr(found), [a is b for a in held for b in known if type(a) is not tuple], state
