"""Random functions that call themselves with lists: parts of one, others, or the one they have.

A program is a text with one function `f(x, n)`. It calls `g(l, k)`, which calls itself with less
than `k`. Between the calls lists are written, kept by names from outside, and joined; what is
returned is a list that was given, one from outside, or a new one, which is written later.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented


class ListRecursionPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        self.calls = 0
        ends = self.pick("not l", "len(l) <= 1", "k <= 0 or not l", "not l or l[0] > 90")
        body = [f"if k <= 0 or {ends}:", f"    return {self._end()}", "r = []"]
        for _ in range(self.number(1, 3)):
            body += self.pick(self._write, self._call, self._if, self._join, self._write)()
        if not self.calls:
            body += self._call()
        body.append(f"return {self._list('r')}")
        start = self.pick("[e for e in x if e > n]", "list(x)", "x.tolist()", "[e for e in x if e]")
        lines = ["kept = [n]", f"a = {start}", "def g(l, k):", *indented(body)]
        lines += [f"y = g({self.pick('a', 'a', 'a[1:]', 'kept')}, n)"]
        lines += self.pick([], [], ["y = y[:2] + g(a, 2)"], ["kept.extend(g([4, n, 2], 2))"])
        lines += self.pick(["y.append(70)"], ["a.append(71)"], ["kept.append(72)"], [])
        lines.append("return y, a, kept, y is a, y is kept")
        return "\n".join(["def f(x, n):", *indented(lines)]) + "\n"

    def _end(self) -> str:
        return self.pick("l", "l", "[]", "[k]", "kept", "l[:]", "l + [k]")

    def _part(self) -> str:
        halves = "l[: len(l) // 2]", "l[len(l) // 2 :]"
        filtered = "[e for e in l[1:] if e < l[0]]", "[e + k for e in l[1:]]"
        return self.pick("l[1:]", "l[:-1]", "l", "l + r", "kept", "r", *halves, *filtered)

    def _list(self, name: str) -> str:
        return self.pick(name, name, f"{name} + l[:1]", f"[k] + {name}", f"sorted({name})", "l")

    def _call(self) -> Lines:
        self.calls += 1
        if self.calls > 2:
            return self._write()
        call = f"g({self._part()}, {self.pick('k - 1', 'k - 2', 'k // 2')})"
        return [f"r = {self.pick(call, call, f'r + {call}', f'{call} + [k]')}"]

    def _write(self) -> Lines:
        name = self.pick("l", "l", "kept", "r")
        return self.pick(
            [f"{name}.append(k)"],
            [f"if {name}:", f"    {name}[0] += k"],
            [f"if {name}:", f"    {name}.pop()"],
            [f"{name} = {name} + [k]"] if name != "kept" else ["kept.insert(0, k)"],
            [f"{name}.extend({self.pick('l[:1]', '[k, 3]')})"],
        )

    def _join(self) -> Lines:
        return [f"r = {self.pick('l', 'kept', 'r + l', 'l[::-1]', 'r')}"]

    def _if(self) -> Lines:
        arms = [self.pick(self._write, self._join, self._call)() for _ in range(2)]
        test = self.pick("k % 2 == 0", "len(l) > 2", "sum(l) > 9", "r")
        lines = [f"if {test}:", *indented(arms[0])]
        if self.chance(0.2):
            lines.append(f"    return {self._list('r')}")
        return [*lines, "else:", *indented(arms[1])] if self.chance(0.5) else lines


ARGUMENTS = [
    (np.array(x, np.int64), np.int64(n))
    for x, n in (([3, 1, 2, 5], 3), ([], 2), ([4], 1), ([2, 2, 7, 0, 1], 4), ([1, 9], 0))
]
"""Argument lists: numbers, and how deep the calls go."""
