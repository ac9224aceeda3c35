"""Random functions whose branches, loops and methods make objects, and pass them on.

A program is a text with one function `f(x, n)`. Variables, attributes and a list hold objects that
arms and rounds made, or none. They are written through any of their names, and asked which they
are. An attribute, a list, a dict and a set hold numbers, texts, None, tuples and objects of several
classes in one place, which arms meet in orders of their own.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented

PRELUDE = """\
class Node:
    weight = 1.0

    def __init__(self, v, nxt=None):
        self.v = v
        self.nxt = nxt

    def step(self, k):
        if self.v > k:
            return Node(self.v * 0.5, self)
        self.v += 1.0
        return self

    def link(self, other):
        self.nxt = other
        self.weight += 1.0

    @property
    def twice(self):
        return self.v * 2

class Tagged(Node):
    def __init__(self, v, tag):
        super().__init__(v)
        self.tag = tag

    def step(self, k):
        self.tag = self.tag + 1
        return Tagged(self.v - k, self.tag)

class Other:
    def __init__(self, v):
        self.w = v

    def __eq__(self, other):
        return isinstance(other, Other) and self.w == other.w

    def __hash__(self):
        return hash(self.w)

def told(q):
    if q is None or isinstance(q, (str, float, int)):
        return q
    if isinstance(q, Other):
        return ("other", q.w)
    if isinstance(q, tuple):
        return (told(q[0]), told(q[1]))
    return ("node", q.v)

def chain(p):
    found = 0.0
    k = 0
    while p is not None and k < 4:
        found = found * 2 + p.v * p.weight
        p = p.nxt
        k += 1
    return found

"""

NAMES = ("a", "b", "c")


def with_slots(prelude: str) -> str:
    """Return classes that have the same attributes in slots."""
    slots = 'Node:\n    __slots__ = ("v", "nxt", "weight", "extra")'
    text = prelude.replace("Node:\n    weight = 1.0", slots)
    text = text.replace(
        "        self.nxt = nxt\n", "        self.nxt = nxt\n        self.weight = 1.0\n"
    )
    text = text.replace("Tagged(Node):\n", 'Tagged(Node):\n    __slots__ = ("tag",)\n')
    return text.replace("Other:\n", 'Other:\n    __slots__ = ("w",)\n')


class HeapPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        lines = ["seen = 0.0", "items = []", f"bag = [{self._thing()}]", "held = Node(x)"]
        lines += ["named = {}", "marked = set()"]
        lines += [f"{name} = {self._made(name)}" for name in NAMES]
        lines += self._block(2, self.number(3, 5))
        results = [f"chain({name})" for name in NAMES]
        results += ["a is b", "b is c", "a is None", "seen", "[p.v for p in items]"]
        results += ["isinstance(a, Tagged)", "[p is b for p in items]"]
        results += ["[told(q) for q in bag]", "told(held.v)", "told(getattr(held, 'extra', 'no'))"]
        results += ["[(told(k), told(q)) for k, q in named.items()]", "len(marked)"]
        lines.append(f"return {', '.join(results)}")
        prelude = with_slots(PRELUDE) if self.chance(0.3) else PRELUDE
        return prelude + "\n".join(["def f(x, n):", *indented(lines)]) + "\n"

    def _made(self, name: str) -> str:
        """Return an expression that makes an object; `c` holds one of a subclass, or none."""
        if name == "c":
            return self.pick(f"Tagged({self._value()}, {self.number(0, 3)})", "None")
        other = self.pick("None", "None", *NAMES[: NAMES.index(name)])
        return f"Node({self._value()}, {other})"

    def _value(self) -> str:
        return self.pick("x", f"{self.number(1, 9)}.0", f"x + {self.number(1, 3)}.0", "seen")

    def _thing(self) -> str:
        """Return an expression for a value of one of several kinds."""
        return self.pick(
            f"{self.number(1, 3)}.0",
            "x",
            f"{self.number(1, 3)}",
            f"'t{self.number(1, 2)}'",
            "None",
            f"Other({self.number(1, 2)}.0)",
            f"Node({self._value()})",
            f"({self.number(1, 2)}, {self.pick('None', 'x', repr('u'))})",
        )

    def _key(self) -> str:
        return self.pick("x", "1.0", "'k'", "('k', 1)", "Other(1.0)", "Other(x)", "a", "None")

    def _mix(self, depth: int) -> Lines:
        return self.pick(
            [f"bag.append({self._thing()})"],
            [f"bag[{self.pick('0', '-1')}] = {self._thing()}"],
            [f"bag.insert(0, {self._thing()})"],
            ["if len(bag) > 1:", f"    bag.pop({self.pick('', '0')})"],
            [f"held.v = {self._thing()}"],
            [f"held.extra = {self._thing()}"],
            ["if hasattr(held, 'extra'):", "    del held.extra"],
            [f"named[{self._key()}] = {self._thing()}"],
            [f"marked.add({self._key()})"],
        )

    def _meet(self, depth: int) -> Lines:
        """Return a branch whose arms meet kinds in different orders."""
        place = self.pick("bag.append({})", "held.v = {}", "held.extra = {}", "bag[-1] = {}")
        things = [self._thing() for _ in range(3)]
        arms = [[place.format(x) for x in things[:2]], [place.format(x) for x in things[:0:-1]]]
        test = self.pick(f"x > {self.number(-2, 3)}", "seen > 2")
        return [f"if {test}:", *indented(arms[0]), "else:", *indented(arms[1])]

    def _look(self, depth: int) -> Lines:
        thing = self.pick("1", "2.0", "None", "'t1'", "Other(1.0)", "a")
        key = self._key()
        return self.pick(
            [f"seen += 1.0 if {thing} in bag else 0.5"],
            [f"seen += bag.count({thing})"],
            [f"seen += 1.0 if {key} in named else 0.5"],
            [f"seen += 1.0 if {key} in marked else 0.25"],
            ["for q in bag:", "    seen += q.w if isinstance(q, Other) else 0.125"],
            ["try:", "    seen += held.extra.w", "except AttributeError:", "    seen -= 1.0"],
            [f"held = Node({self._thing()})"],
        )

    def _test(self) -> str:
        one, other = self.several(NAMES, 2)
        return self.pick(
            f"x > {self.number(-2, 3)}",
            f"seen > {self.number(0, 9)}",
            f"{one} is {other}",
            f"{one} is not None",
            f"{one} is not None and {one}.v > x",
            f"len(items) > {self.number(0, 2)}",
        )

    def _block(self, depth: int, count: int) -> Lines:
        return [line for _ in range(count) for line in self._statement(depth)]

    def _statement(self, depth: int) -> Lines:
        simple = [self._make, self._make, self._write, self._move, self._list, self._ask]
        simple += [self._mix, self._meet, self._look]
        compound = [self._if, self._if, self._for, self._while]
        return self.pick(*compound if depth and self.chance(0.5) else simple)(depth)

    def _make(self, depth: int) -> Lines:
        name = self.pick(*NAMES)
        return [f"{name} = {self._made(name)}"]

    def _guarded(self, name: str, *lines: str) -> Lines:
        if self.chance(0.1):
            return ["try:", *indented(list(lines)), "except AttributeError:", "    seen -= 3.0"]
        return [f"if {name} is not None:", *indented(list(lines))]

    def _write(self, depth: int) -> Lines:
        name, other = self.several(NAMES, 2)
        return self._guarded(
            name,
            self.pick(
                f"{name}.v {self.pick('=', '+=')} {self._value()}",
                f"{name}.nxt = {self.pick('None', other)}",
                f"{name}.link({other})",
                f"setattr({name}, 'v', {self._value()})",
            ),
        )

    def _move(self, depth: int) -> Lines:
        one, other = self.several(NAMES[:2], 2)
        return self.pick(
            [f"{one} = {other}"],
            [f"{one}, {other} = {other}, {one}"],
            self._guarded(one, f"{one} = {one}.nxt"),
            self._guarded(one, f"{one} = {one}.step({self.number(0, 4)})"),
            self._guarded("c", f"c = c.step({self.number(0, 4)})"),
        )

    def _list(self, depth: int) -> Lines:
        name = self.pick(*NAMES[:2])
        return self.pick(
            self._guarded(name, f"items.append({name})"),
            [f"items.append(Node({self._value()}))"],
            ["if len(items) > 0:", f"    {name} = items.pop({self.pick('', '0')})"],
            ["for p in items:", f"    p.v += {self._value()}"],
            ["if len(items) > 0:", f"    items[{self.pick('0', '-1')}] = Node({self._value()})"],
        )

    def _ask(self, depth: int) -> Lines:
        one, other = self.several(NAMES, 2)
        return self.pick(
            [f"seen += 1.0 if {one} is {other} else 0.25"],
            [f"seen += chain({one})"],
            self._guarded(one, f"seen += {one}.twice + {one}.weight"),
            self._guarded("c", "seen += c.tag"),
            [f"seen += 1.0 if isinstance({one}, Tagged) else 0.5"],
        )

    def _if(self, depth: int) -> Lines:
        lines = [f"if {self._test()}:", *indented(self._block(depth - 1, self.number(1, 2)))]
        if self.chance(0.5):
            lines += ["else:", *indented(self._block(depth - 1, self.number(1, 2)))]
        return lines

    def _for(self, depth: int) -> Lines:
        body = self._block(depth - 1, self.number(1, 2))
        if self.chance(0.3):
            body += [f"if {self._test()}:", "    break"]
        return [f"for k{depth} in range(n):", *indented(body)]

    def _while(self, depth: int) -> Lines:
        body = self._block(depth - 1, self.number(1, 2))
        return [
            f"i{depth} = 0",
            f"while i{depth} < n and {self._test()}:",
            *indented([f"i{depth} += 1", *body]),
        ]


ARGUMENTS = [
    (np.float64(x), np.int64(n)) for x, n in ((-1.0, 0), (1.0, 1), (3.0, 2), (-1.0, 3), (1.0, 4))
]
"""Argument lists: numbers that conditions compare with, and how often loops run."""
