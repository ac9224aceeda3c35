"""Random functions whose conditions write, whose operands make lists, and whose keys write.

A program is a text with one function `f(x, n)`. Its loops and branches take items where they are
asked, count, and bind names; lists are chosen by expressions, compared by `is` and
`<`, and assigned in one branch only; builtins call a function for each item, which writes, too.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented


class ConditionPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        lines = [
            f"s = {self.pick('[]', '[n]', '[3, 1, 2]', 'list(x)', '[v for v in x if v > n]')}",
            "q = deque(x)" if self.chance(0.5) else "q = deque([2, n])",
            "t, c, k, v = s, defaultdict(int), 0, 0",
        ]
        for _ in range(self.number(2, 4)):
            lines += self._statement()
        lines.append(f"return k, v, s, t, list(q), dict(c), {self._shown()}")
        key = ["def h(e):", *indented(["nonlocal k", *self._written(), "return e * 3 % 5 - k % 2"])]
        head = ["from collections import defaultdict, deque", "", "def f(x, n):"]
        lines = [*lines[:3], *key, *lines[3:]]
        return "\n".join([*head, *indented(lines)]) + "\n"

    def _shown(self) -> str:
        return self.pick("s is t", "s == t", "s < t", "sorted([t, s])", "max(s, t)", "t[k:]")

    def _statement(self) -> Lines:
        kinds = self._while, self._while, self._branch, self._operand, self._simple, self._called
        return self.pick(*kinds)()

    def _written(self) -> Lines:
        """What a function writes that builtins call for each item."""
        return self.pick(
            ["k += 1"], ["k += e % 2"], ["q.append(e)"], ["c[e % 3] += 1"], ["k = k"],
            ["if e > n:", "    k += 1"],
        )  # fmt: skip

    def _called(self) -> Lines:
        over = self.pick("x", "x", "x", "s[:5]", "[n, 2, k]", "map(h, x)")
        return self.pick(
            [f"v += {self.pick('max', 'min')}({over}, key=h, default=3)"],
            [f"v += sum({self.pick('sorted', 'list')}(map(h, {over}))[:2])"],
            [f"v += sum(map(h, {over}))"],
            [f"t = sorted({over}, key=h)"],
            [f"v += {self.pick('any', 'all')}(map(h, {over}))"],
            [f"for e in map(h, {over}):", "    v += e", "    if e > 2:", "        break"],
            [f"t = list(filter(h, {over}))"],
            [f"v += len(set(map(h, {over})))"],
        )

    def _test(self) -> str:
        taken = self.pick("s.pop()", "q.popleft()", "q.pop()", "(v := s.pop())", "s.pop(0)")
        owner = "q" if taken.startswith("q") else "s"
        found = self.pick(
            f"{owner} and {taken} {self.pick('<', '!=', '>')} n",
            f"{owner} and {taken} % 3 {self.pick('<', '!=')} 1",
            f"len({owner}) > 1 and not {taken} == n",
            "c[k] < n",
            "(k := k + 1) < n",
            f"{owner} and (v := v + 1) < 4",
        )
        return f"k < 9 and {found}" if self.chance(0.3) else found

    def _while(self) -> Lines:
        body = [*self._simple(), "k += 1", "c[k % 3] += 1"]
        if self.chance(0.5):
            body += [f"if {self.pick('k > 2', 'v > n', 'k % 2')}:", f"    {self._jump()}"]
        body += ["if k > 12:", "    break"]
        lines = [f"while {self._test()}:", *indented(body)]
        return [*lines, "else:", *indented(self._simple())] if self.chance(0.3) else lines

    def _jump(self) -> str:
        return self.pick("break", "continue", "return k, s")

    def _branch(self) -> Lines:
        lines = [f"if {self._test()}:", *indented(self._simple())]
        if self.chance(0.5):
            lines += [self.pick("else:", f"elif {self._test()}:"), *indented(self._simple())]
        return lines

    def _operand(self) -> Lines:
        test = self.pick(
            "n > 2", "k % 2", "len(s) > 2", "v > k", "x[0] > n" if self.chance(0.2) else "n"
        )
        one, other = (
            self.pick("s", "t", "s[1:]", "[*s, n]", "[k]", "s + t", "t[:n]") for _ in "12"
        )
        return self.pick(
            [f"t = {one} if {test} else {other}", f"t.append({self.pick('n', 'k', '7')})"],
            [f"if {test}:", f"    w = {one}", "if " + test + ":", "    k += len(w)"],
            [f"k += len({one} if {test} else {other})"],
            [f"t = {one} if {test} else {other}", "v = 1 if t is s else 2"],
        )

    def _simple(self) -> Lines:
        return self.pick(
            ["s.append(n)"],
            [f"q.append({self.pick('k', 'n', 'v')})"],
            ["c[v % 4] += 1"],
            ["v += 1"],
            ["t = s"],
            ["t.append(v)"],
            ["v += len(s)"],
        )


ARGUMENTS = [
    (np.array(x, np.int64), np.int64(n)) for x, n in (([3, 1, 2, 5], 2), ([1], 1), ([4, 0, 6], 4))
]
"""Argument lists: numbers, and a bound."""
