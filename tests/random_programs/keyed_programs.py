"""Random functions of dicts and sets whose keys are known only when the graph runs.

A program is a text with one function `f(x, n)` that goes over an array, twice. Keys are numbers of
several classes, some far apart and some equal though they are of other classes (`True == 1 == 1.0`,
`0.0 == -0.0`), pairs of them, or tuples that grow. They are put in, asked for and taken out again,
so that tables grow, and are closed up around what is gone; what is returned shows the order. Sets
whose items are of one class each have an order, too: loops over them, what they pop, and what is
made of two of them show it.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented

INTEGERS = ("e", "e % 7", "e * 4096", "e * 4294967296", "-e", "e % 3 + 2**40")
KEYS = (
    INTEGERS,
    (*INTEGERS[:3], "1", "int(e)", "0", "True", "e > 4", "e % 5"),
    ("e * 0.25", "e / 3", "-0.0 * e", "e * 1e18", "e * 1e-9", "0.0", "1.0"),
    ("(e % 3, e // 3)", "(e, -e)", "(n, e * 65536)"),
    ("(e > 3, e * 0.5)", "(e > 5, -0.0)"),
    (
        "tuple(v for v in x[:4] if v < e)",
        "(e % 2, tuple(x[: e % 3 + 1]))",
        "tuple([e % 3] * (e % 4))",
    ),
    ("e", "e * 0.5", "1", "float(e)", "True"),
)
"""Which keys meet in one program."""

STARTS = ("{1, 9}", "{0, 8, 16, 24, 32}", "{0, 1, 5}")
"""Sets that are known before, if keys are integers."""

UNORDERED = KEYS[-2:]
"""Tuples that grow, and integers among floats, whose sets have no order that the graph knows."""


class KeyedPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        self.keys = self.pick(*KEYS)
        x = self.pick(*self.keys)
        self.is_ordered = self.chance(0.35)
        is_known = self.keys in KEYS[:2] and self.chance(0.6)
        start = self.pick("", "{1: 0, 9: 5}") if is_known else ""
        lines = [
            f"d = OrderedDict({start})" if self.is_ordered else f"d = {start or '{}'}",
            "o = OrderedDict()",
            f"s = {self.pick(*STARTS) if is_known else 'set()'}",
            "t = set()",
            "k = 0",
            *(self._known() if is_known else []),
            *self._loop("x", self.number(1, 3)),
            *self._loop(self.pick("x[::-1]", "x[: n % 5]", "range(n % 9)"), 1),
        ]
        lines += ["for e in x:", *indented([f"k = (k * 3 + ({x} in d) + ({x} in s)) % 97"])]
        shown = "len(s), len(t)" if self.keys in UNORDERED else "list(s), s, t, str(t)"
        lines.append(f"return k, list(d.items()), {shown}, d == o, dict(o) == d, o == d.copy()")
        head = ["from collections import OrderedDict", "", "def f(x, n):"]
        return "\n".join([*head, *indented(lines)]) + "\n"

    def _known(self) -> Lines:
        """Change what is known, in a branch that is staged, or give it a key of another class."""
        return self.pick(
            ["if n > 1:", "    k += s.pop()", "    s.add(n)"],
            ["s.discard(x.sum() % 2)", "s.add(x.sum() % 2)"],
            ["d.pop(n % 2, 0)", "d[n % 2] = k"],
            self._gone_over(),
            self._gone_over(),
            [],
        )

    def _gone_over(self) -> Lines:
        """Go over what is known, and have it staged by that."""
        key = self.pick("n", "n % 2", "x.sum() % 10", "a", "1")
        over = self.pick(
            "for a, b in d.items():", "for a in d:", "for a in s:", "for a in d.values():"
        )
        done = self.pick(
            [f"d[{key}] = k + a"],
            [f"if {key} in d:", f"    d[{key}] += a"],
            [f"if {key} in d:", f"    k += d[{key}] + a"],
            [f"if {key} in s:", f"    s.add({key})", "    k += a"],
            [f"s.discard({key})", f"s.add({key})"],
            [f"k += d.get({key}, 2) * a", "if k > 40:", "    break"],
        )
        made = f"k += sum([d.get({key}, 1) + a for a in {self.pick('d', 's')}])"
        return [over, *indented(done)] if self.chance(0.8) else [made]

    def _loop(self, over: str, count: int) -> Lines:
        body = [line for _ in range(count) for line in self._statement()]
        return [f"for e in {over}:", *indented(body)]

    def _statement(self) -> Lines:
        lines = self._simple()
        if self.chance(0.3):
            return [f"if {self.pick('e > 3', 'e % 2 == 0', 'k % 3 == 1')}:", *indented(lines)]
        return lines

    def _simple(self) -> Lines:
        key, other = self.pick(*self.keys), self.pick(*self.keys)
        count = f"d[{key}] = d.get({key}, 0) + 1"
        if self.is_ordered and self.chance(0.6):
            turned = ["c = d.copy()", "if len(c) > 1:", "    v = c.popitem(last=False)"]
            return self.pick(
                [f"if {key} in d:", f"    d.move_to_end({key}{self.pick('', ', last=False')})"],
                [f"d[{key}] = k", f"d.move_to_end({key})"],
                [f"if len(d) > {self.number(1, 6)}:", "    k += d.popitem(last=False)[1]"],
                [*turned, "    c[v[0]] = v[1]", "    k += (c == d) + 2 * (dict(c) == d)"],
            )
        if self.chance(0.1):
            return [f"o[{key}] = d.get({key}, 1)"]
        if self.chance(0.4):
            return self._of_sets(key, other)
        return self.pick(
            [count],
            [count],
            [f"d[{key}] = k"],
            [f"d[{key}] = d.pop({other}, 3)"],
            [f"d.setdefault({key}, k)"],
            [f"if {key} in d:", f"    del d[{other if self.chance(0.1) else key}]"],
            [f"if {key} not in d:", f"    d[{key}] = k + 1"],
            [f"s.add({key})"],
            [f"s.add({key})", f"s.add({other})"],
            [f"s.discard({key})"],
            [f"if {key} in s:", f"    s.remove({key})", "    k += 1"],
            [f"k += {key} in s"],
            ["if len(d) > 5:", "    k += d.popitem()[1]"],
            ["for v in d.values():", "    k = (k * 3 + v) % 97"],
            ["if len(d) > 20:", f"    {self.pick('d', 's')}.clear()"],
            ["c = d.copy()", f"c[{key}] = 1", "k += len(c) + len(d)"],
            [f"k += len(s | {{{key}}}) + ({{{key}, {other}}} <= s)"],
        )

    def _of_sets(self, key: str, other: str) -> Lines:
        """Return what is done with two sets, whose items may be in an order."""
        sign, a, b = self.pick("|", "&", "-", "^"), *self.pick("st", "ts", "st", "ss")
        name = self.pick("update", "difference_update", "symmetric_difference_update")
        found = self.pick(
            [f"t.add({key})", f"t.add({other})"],
            [f"t.add({key})", f"t.discard({other})"],
            [f"t = {a} {sign} {b}"],
            [f"t {sign}= {b}"],
            [f"t.{name}([{key}, {other}], s)"],
            [f"t = {a}.copy()", f"t.add({key})"],
            [f"t.{name}(d)"],
            ["if len(t) > 12:", "    t.clear()"],
        )
        if self.keys in UNORDERED:
            return found
        seen = ["j = 0", f"for v in {a}:", "    j += 1", f"    k = (k * 3 + j * (v == {key})) % 97"]
        popped = [f"if {a}:", f"    k = (k * 3 + ({a}.pop() == {key})) % 97"]
        return self.pick(found, found, found, seen, popped)


_rng = np.random.default_rng(0)
ARGUMENTS = [
    (_rng.integers(0, 60, 50), np.int64(7)),
    (np.array([1.0, -0.0, 0.0, 2.5, 1.0, -3.0]), np.int64(1)),
    (np.array([], int), np.int64(0)),
    (np.array([1, 0, 5, 5, 1, 2, 9, 17, 33, 16, 0], np.int16), np.int64(13)),
]
"""Argument lists: enough keys for tables that grow, and numbers that are equal as keys."""
