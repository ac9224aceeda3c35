"""Random functions of sets that are values of dicts and items of lists, whose order is shown.

A program is a text with one function `f(x, n)`. Sets are made when a key is first asked for, in
lists, or known before; they grow, shrink, are joined, popped from and gone over, under names of
their own, too. Conditions of loops write: they make a missing set, or pop.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented

ITEMS = (
    ("e", "e % 7", "e * 64", "-e", "n"),
    ("e * 0.5", "e / 3", "0.0", "e * 1e9"),
    ("(e % 3, e)", "(n, e % 5)"),
)
"""Which items meet in one program."""


class InnerSetPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        self.items = self.pick(*ITEMS)
        x = self.pick(*self.items)
        made = [
            "g = defaultdict(set)",
            "g = {i: set() for i in range(-3, 4)}",
            "g = [set() for _ in range(4)]",
        ]
        if self.items is ITEMS[0]:
            made.append("g = [{1, 64, 8}, set(), {300}, set()]")
        self.is_list = (start := self.pick(*made)).startswith("g = [")
        lines = [start, "k = 0", *self._loop("x"), *self._loop(self.pick("x[::-1]", "range(n)"))]
        lines += ["for e in x:", *indented([f"k = (k * 3 + ({x} in {self._set()})) % 97"])]
        if self.is_list:
            lines.append("return k, g, [list(s) for s in g], str(g[1])")
        else:
            lines.append("return k, g, {i: list(s) for i, s in g.items()}, [*g]")
        head = ["from collections import defaultdict", "", "def f(x, n):"]
        return "\n".join([*head, *indented(lines)]) + "\n"

    def _set(self) -> str:
        return f"g[{self.pick('e % 4', 'e % 3', '1', 'n % 3', '0')}]"

    def _loop(self, over: str) -> Lines:
        body = [line for _ in range(self.number(1, 3)) for line in self._statement()]
        return [f"for e in {over}:", *indented(body)]

    def _statement(self) -> Lines:
        lines = self._simple()
        if self.chance(0.3):
            return [f"if {self.pick('e > 3', 'e % 2 == 0', 'k % 3 == 1')}:", *indented(lines)]
        return lines

    def _simple(self) -> Lines:
        s, t = self._set(), self._set()
        item, other = self.pick(*self.items), self.pick(*self.items)
        sign = self.pick("|", "&", "-", "^")
        return self.pick(
            [f"{s}.add({item})"],
            [f"{s}.add({item})", f"{t}.add({other})"],
            [f"{s}.add({item})", f"{s}.add({other})"],
            [f"{s}.discard({item})"],
            [f"a = {s}", f"a.add({item})", f"k += len({t})"],
            [f"{s} = {s} {sign} {t}"],
            [f"{s} {sign}= {t}"],
            [f"{s}.update({t})"],
            [f"k += len({s} {sign} {t}) + ({s} <= {t})"],
            [f"if {s}:", f"    k = (k * 3 + ({s}.pop() == {item})) % 97"],
            ["j = 0", f"for v in {s}:", "    j += 1", f"    k = (k + j * (v == {item})) % 97"],
            [f"while len({s}) > n % 4 + 1 and {s}.pop() != {item}:", "    k += 1"],
            [f"if len({s}) > 9:", f"    {s}.clear()"],
            [f"b = {s}.copy()", f"b.add({item})", f"k += len(b) + len({s})"],
            [f"k += {item} in {s}"],
        )


_rng = np.random.default_rng(0)
ARGUMENTS = [
    (_rng.integers(0, 60, 40), np.int64(7)),
    (np.array([], int), np.int64(0)),
    (np.array([1, 0, 5, 5, 1, 2, 9, 17, 33, 16, 0]), np.int64(13)),
]
"""Argument lists: enough items for tables that grow, and none."""
