"""Random functions of arrays that are known while they are traced, and written in staged branches.

A program is a text with one function `f(x, n)`: `v` is a row of four numbers and `m` a square of
them, both known; `u` is a view of one of them. What is written is known, too: only whether and how
often it is written depends on `x`, an array, and `n`, a number.
"""

from __future__ import annotations

import random

import numpy as np

from tests.random_programs.writer import Lines, indented

ROWS = (
    "np.arange(4)",
    "np.ones(4)",
    "np.array([3, 1, 2, 5])",
    "np.linspace(0, 3, 4)",
    "LINE.copy()",
)
SQUARES = ("np.zeros((4, 4))", "np.arange(16).reshape(4, 4)", "np.full((4, 4), 2.5)", "np.eye(4)")
VIEWS = ("v[1:]", "v[::-1]", "v", "m[0]", "m[:, 1]", "m.T[2]", "m[1:, :2]", "m[-1, ::2]", "m")
CONDITIONS = ("n > 1", "x[0] < 2", "np.sum(x) > 3", "n % 2 == 0", "x[1] > x[0]")
LINE = "LINE = np.array([2.0, 0.0, 1.0, 4.0])\n\n"


class KnownPrograms:
    """A source of programs, the same for the same seed.

    Args:
        seed: of the random numbers.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._loops = 0

    def program(self) -> str:
        """Return the text of a program."""
        lines = [f"v = {self._pick(*ROWS)}", f"m = {self._pick(*SQUARES)}", f"u = {self._view()}"]
        for _ in range(self._random.randint(2, 4)):
            lines += self._statement(0)
        lines.append("return v, m, u * 1, LINE")
        return LINE + "\n".join(["def f(x, n):", *indented(lines)]) + "\n"

    def _pick(self, *choices: str) -> str:
        return self._random.choice(choices)

    def _view(self) -> str:
        return self._pick(*VIEWS)

    def _statement(self, depth: int) -> Lines:
        if depth and (depth > 2 or self._random.random() < 0.6):
            return self._write()
        block = [
            line for _ in range(self._random.randint(1, 2)) for line in self._statement(depth + 1)
        ]
        kind = self._pick("if", "else", "while", "for")
        if kind == "for":
            return [f"for _ in {self._pick('x', 'range(n)')}:", *indented(block)]
        if kind == "while":
            self._loops += 1
            count = f"i{self._loops}"
            rounds = [f"{count} = 0", f"while {count} < n:", *indented(block)]
            return [*rounds, *indented([f"{count} += 1"])]
        other = ["else:", *indented(self._write())] if kind == "else" else []
        return [f"if {self._pick(*CONDITIONS)}:", *indented(block), *other]

    def _write(self) -> Lines:
        view = self._view()
        return self._random.choice(
            [
                [f"{view}[0] = 7"],
                [f"{view}[...] += 1"],
                [f"w = {view}", "w *= 2"],
                [f"w = {view}", "w[-1] = 5"],
                [f"np.add({view}, 1, out={view})"],
                [f"{view}.fill(3)"],
                [f"{view}.sort()"],
                [f"for row in {view}:", "    row += 1"]
                if view.startswith("m.T")
                else ["u[0] -= 1"],
                ["u += 1"],
            ]
        )


ARGUMENTS = [
    (np.array([1.0, 3.0]), np.int64(2)),
    (np.array([5, 1]), np.int64(0)),
    (np.array([0.5, -1.0, 7.0]), np.int64(3)),
]
"""Argument lists."""
