"""Random loops over long lists of Python's numbers, which become loops of the graph.

A program is a text with one function `f(x, n)` whose loops go over lists and tuples of numbers of
one class or of several. Their items pick others, are compared, are the last value of a name, and
end loops; the lists are written while loops go over them, by what is known and by what is staged.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented

LISTS = (
    "[k % 7 for k in range(120)]",
    "[k * 0.25 - 30 for k in range(120)]",
    "[k % 3 == 0 for k in range(120)]",
    "tuple(k * k % 11 for k in range(110))",
    "[k - 2 if k % 5 else 0.5 for k in range(120)]",
    "[*range(100)]",
    "[*GLOBAL]",
)
PRELUDE = "GLOBAL = [k * 3 % 8 - 1 for k in range(130)]\n\n"


class RolledPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        lines = [
            f"p = {self.pick(*LISTS)}",
            f"q = {self.pick(*LISTS)}",
            "s, k, last = x[0], 0, None",
        ]
        for _ in range(self.number(1, 2)):
            lines += self._loop()
        lines.append("return s, k, last, type(last).__name__, str(last), len(p), p[5], q[-1]")
        return PRELUDE + "\n".join(["def f(x, n):", *indented(lines)]) + "\n"

    def _loop(self) -> Lines:
        body = [line for _ in range(self.number(2, 4)) for line in self._statement()]
        body.append("s = (s * 0.75 + v * x[k % 4]) % 89")
        over = self.pick("p", "p", "q", "p[3:]", "p + q", "[*p]", "GLOBAL")
        if self.chance(0.5):
            return [f"for v in {over}:", *indented(body)]
        other = self.pick("p", "q", "range(3, 90)", "p[::-1]")
        header, last = self.pick(
            (f"for j, v in enumerate({over}):", "s = (s + j % 3) * 0.5"),
            (f"for v, w in zip({over}, {other}):", "s = s * 0.5 + w * x[0]"),
            (f"for j, (v, w) in enumerate(zip({over}, {other})):", "s = s * 0.5 + w * x[j % 4]"),
        )
        return [header, *indented([*body, last])]

    def _statement(self) -> Lines:
        lines = self._simple()
        if self.chance(0.3):
            test = self.pick("s > 40", "v > n", "v == 2", "k % 7 == 3", "s % 2 > v")
            return [f"if {test}:", *indented(lines)]
        return lines

    def _simple(self) -> Lines:
        return self.pick(
            ["s = s * 0.75 + v"],
            ["s = s + x[k % 4] * v"],
            ["s = (s + v * 0.5) % 97"],
            ["s = s + abs(v) / 4 - x[int(v) % 4]"],
            ["last = v"],
            ["k += 1"],
            ["k = k + int(v)"],
            ["s = s + [1, x[1], 2.5, n][int(v) % 4]"],
            ["if s > 60:", "    break"],
            ["if v == n:", "    continue"],
            ["if k > 150:", "    return s, v"],
            ["if k == 8 and type(p) is list:", "    p.append(v)"],
            ["if s > 30 and type(p) is list and len(p) < 140:", "    p.append(3)"],
            ["if type(q) is list:", "    q[int(k) % 9 - 1] = v"],
        )


ARGUMENTS = [
    (np.array([1.0, -2.0, 0.5, 3.0]), 3),
    (np.array([4, 1, -3, 7]), np.int64(2)),
    (np.array([30.0, 0.25, 8.0, -1.5]), np.float64(0.5)),
]
