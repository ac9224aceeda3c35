"""Random functions of lists, dicts, objects and arrays that are one: several calls are compared.

A program is a text with a function `f(x, y, o, v)` of two of these, an object and a number. It
writes one and reads another, asks which are one, and returns them. In some calls `x` and `y` are
one, hold one, or are what a global or an attribute of `o` holds; in others they are alike.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import autograph as ag
from tests.random_programs.comparing import compiled, difference
from tests.random_programs.limits import SAME, TOO_LONG, TimeLimitError, time_limit
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
    plain, other = compiled(text, f"{name}, plain"), compiled(text, f"{name}, staged")
    sides = [_Side(plain, plain), _Side(other, ag.function(other))]
    try:
        for number, call in enumerate([*calls[start:], *calls[:start], *calls[start:][:4]]):
            finding = difference(*(side.called(call, number) for side in sides))
            if finding != SAME:
                return finding if finding.startswith("refused") else f"call {call}: {finding}"
    except TimeLimitError:
        return TOO_LONG
    return SAME


class _Side:
    """One of two worlds, with objects of its own."""

    def __init__(self, written: Any, function: Any) -> None:
        self.space, self.function = written.__globals__, function
        self.o = self.space["o"] = self.space["Box"]()

    def called(self, call: str, number: int) -> tuple[Any, Any]:
        """Return what a call returns and leaves behind, and the error that it raises."""
        x, y = eval(call, self.space)
        found, error = None, None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # plain Python is as good here
            try:
                with time_limit():
                    found = self.function(x, y, self.o, np.int64(number % 4))
            except Exception as raised:
                error = raised
        state = [repr([x, y, vars(self.o)]), *(repr(self.space[n]) for n in "GTWQ")]
        kept = None
        if found is not None:
            held = found[2] if type(found[2]) in (list, tuple) else [found[2]]
            known = x, y, self.space["G"], self.o.items
            kept = [a is b for a in held for b in known if type(a) is not tuple]
        return (repr(found), kept, state), error
