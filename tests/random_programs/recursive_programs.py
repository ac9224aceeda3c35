"""Random functions that call themselves, once or more, under staged conditions.

A program is a text with one function `f(x, n)`. It calls `g(k, y)`, perhaps at two places or in a
loop. That calls itself, or `h`, which calls `g`, with less than `k`; between the calls they
compute, assign variables around them, write into an array, and go around loops. What they change
before a call they may take back after it, as in a search. Some hand an array on to each other,
which they write, look at through a view, or copy, and remember numbers in a dict; others are
cached.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented

LESS = ("k - 1", "k - 2", "k // 2", "k - 1 - (k > 3)")


class RecursivePrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        self.calls = 0
        self.others = ["g", "h"] if self.chance(0.3) else ["g"]
        self.hands_on = self.chance(0.4)
        lines = ["count = 0", "held = np.zeros(3)", "path = []"]
        lines += ["row, seen = np.ones(3), {}"] * self.hands_on
        for name in self.others:
            lines += self._function(name)
        more = ", row" * self.hands_on
        again = self.pick("", "y = y * 0.5 + g(n // 2, x{})", "y = g(2, y{})", "y = g(n, 0.5{})")
        calls = [f"y = g(n, x{more})", again.format(more)]
        if again and self.chance(0.4):
            calls = [calls[0], "for j in range(2):", *indented(calls[1:])]
        lines += [*filter(None, calls), f"return y, count, held{more}"]
        return "import functools\n\n" + "\n".join(["def f(x, n):", *indented(lines)]) + "\n"

    def _function(self, name: str) -> Lines:
        self.calls = 0
        ends = [f"if k <= {self.pick(0, 0, 1)}:", f"    return {self._number('y')}"]
        body = ["nonlocal count", *ends, f"z = {self._value('y')}"]
        for _ in range(self.number(1, 4)):
            ways = [self._assign, self._count, self._write, self._if, self._for, self._search]
            body += self.pick(*ways, *[self._row, self._memo] * self.hands_on)()
        if not self.calls:
            body.append(f"z = {self._call()}")
        body.append(f"return {self._value('z')}")
        is_cached = not self.hands_on and self.chance(0.25)
        head = f"def {name}(k, y{', a' * self.hands_on}):"
        return ["@functools.cache"] * is_cached + [head, *indented(body)]

    def _number(self, name: str) -> str:
        return self.pick(
            name, f"{name} * 0.5", f"{name} + k", "1.0", "k * 1.0", f"{name} + len(path)"
        )

    def _value(self, name: str) -> str:
        one = self._call() if self.calls < 2 and self.chance(0.4) else "held[1]"
        return self.pick(self._number(name), f"{name} + {one}", f"{one} - {name} * 0.25")

    def _call(self) -> str:
        self.calls += 1
        given = self.pick("y", "z", "y + 1.0", "held[0]") if self.calls > 1 else "y * 0.5"
        more = self.pick(", a", ", a", ", row", ", a.copy()") if self.hands_on else ""
        return f"{self.pick(*self.others)}({self.pick(*LESS)}, {given}{more})"

    def _test(self) -> str:
        return self.pick(
            "k % 2 == 0", "z > 1.5", "y < z", "count > 2", "held[0] > 0.5", "len(path) > 1"
        )

    def _assign(self) -> Lines:
        return [f"z = {self._value('z')}"]

    def _count(self) -> Lines:
        return [f"count += {self.pick('1', '2', 'k')}"]

    def _write(self) -> Lines:
        write = f"held[{self.number(0, 2)}] {self.pick('=', '+=')} {self._number('z')}"
        first = ["if len(path) > 0:", f"    path[{self.pick(0, -1)}] += {self.pick('1.0', 'y')}"]
        return self.pick([write], [write], first)

    def _search(self) -> Lines:
        do, undo = self.pick(
            (f"path.append({self._number('y')})", "path.pop()"),
            ("count += 1", "count -= 1"),
            ("held[1] += 0.5", "held[1] -= 0.5"),
        )
        call = f"z = {self._call()} + sum(path)"
        own = self.pick("list(path)", "path[:]", "np.array(path) * 2.0", "held + 1.0")
        kept = [f"own = {own}", call, f"z = z + sum(own) + {self.pick('len(own)', 'len(path)')}"]
        return [do, *self.pick([call], kept), undo]

    def _row(self) -> Lines:
        place = self.number(0, 2)
        write = f"a[{place}] {self.pick('=', '+=')} {self._number('z')}"
        part = self.pick("a[1:]", "a[::-1]", "a * 2.0", "a + z", "a.copy()", "list(a)")
        seen = [f"part = {part}", f"z = {self._call()} + part[0]"]
        return self.pick([write], [write, *seen], [*seen, write], [f"z = z + a[{place}]"])

    def _memo(self) -> Lines:
        write = [f"seen[k] = {self._number('z')}"]
        return self.pick(write, ["if k in seen:", "    return seen[k]", *write])

    def _if(self) -> Lines:
        arms = [self.pick(self._assign, self._count, self._write)() for _ in range(2)]
        lines = [f"if {self._test()}:", *indented(arms[0])]
        if self.chance(0.3):
            lines.append(f"    return {self._value('z')}")
        return [*lines, "else:", *indented(arms[1])] if self.chance(0.5) else lines

    def _for(self) -> Lines:
        rounds = self.pick("range(2)", "range(k % 3)")
        return [f"for i in {rounds}:", *indented(self.pick(self._assign, self._count)())]


ARGUMENTS = [(np.float64(x), np.int64(n)) for x, n in ((0.5, 0), (2.0, 3), (-1.0, 4), (1.0, 1))]
"""Argument lists: a number to compute with, and how deep the calls go."""
