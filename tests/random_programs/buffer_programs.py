"""Random programs on buffers in loops: arrays that a round makes, writes, and hands to the next.

Which of them a graph may write in place depends on what else holds them: another variable, the
round before, an argument, a constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented

ARGUMENTS: list[tuple[Any, ...]] = [
    (np.arange(size) * 1.5 - 3, np.sin(np.arange(size, dtype=float)), rounds)
    for size, rounds in ((6, np.int64(3)), (1, 2), (6, 0), (9, np.int64(1)), (4, np.int64(2)))
]
NAMES = ("u", "v", "w")


class BufferPrograms(Draw):
    """Writes the programs of one seed: `x`, `y` and the buffers have `n` numbers each."""

    def program(self) -> str:
        """Return a function of two vectors and a number of rounds."""
        lines = ["n, s = len(x), 0.0", *(f"{name} = {self._new('x', 'y')}" for name in NAMES)]
        if self.chance(0.2):  # the caller sees which of them is written in which round
            own = self.several(NAMES, 2)
            lines += [f"{name} = {given}" for name, given in zip(own, "xy", strict=True)]
        for _ in range(self.number(1, 2)):
            lines += self._outer()
        kept = self.several([*NAMES, "s"], self.number(2, 4))
        return "\n".join(["def f(x, y, k):", *indented([*lines, f"return {', '.join(kept)}"]), ""])

    def _new(self, *names: str) -> str:
        name = self.pick(*names)
        return self.pick(
            f"{name}.copy()", f"{name}.copy()", "np.zeros(n)", "np.zeros(n)", "np.zeros(n)",
            f"{name} * 0.5", f"np.where({name} > 0, {name}, 1.0)",
        )  # fmt: skip

    def _vectors(self, depth: int = 0) -> Lines:
        """Return a loop whose rounds leave new vectors, which no element is written of."""
        body = list[str]()
        for _ in range(self.number(1, 3)):
            one, two = self.several(NAMES, 2)
            part = self.pick(f"{one}[::-1]", f"{two}[::-1]", two, f"x * {two}[i]", "y", "x[i]", "s")
            body += self.pick(
                [f"{one} = {one} * 0.5 - {part}"],
                [f"{one} = {two} + {part}"],
                [f"{one} = {two}[::-1] - {part}", f"s = s * 0.5 + {one} @ {two}"],
                [f"{one}, {two} = {two} - s, {one} * 0.5"],
                [f"{one} = {two}"],
                [f"{one}, {two} = {two}, {one}"],
                [f"{one}[1:] = {two}[:-1] - 0.5", f"{one}, {two} = {two}, {one}"],
                [f"s = s * 0.25 + {two}[i] - {one}.sum()"],
                ["if s < 1:", f"    {one} = {one} * 0.5 + {part}"],
                [f"{one}[i] = {two}[i - 1] * 0.5"],
                [f"{one} = {one} + np.array([s, {two}[0], x[i]])[i % 3]"],
                self._vectors(1) if depth == 0 else [f"{one} = {part} + np.zeros(n)"],
            )
        return [f"for i in range({self.pick('n', 'min(k, n)')}):", *indented(body)]

    def _outer(self) -> Lines:
        if self.chance(0.6):
            return self._vectors()
        one, two = self.several(NAMES, 2)
        body = [line for _ in range(self.number(0, 2)) for line in self._statement()]
        if self.chance(0.5):
            body += [f"{one} = {self._new(*NAMES)}", *self._inner(one, two), f"{two} = {one}"]
        else:
            body += [*self._statement(), *self._rotation()]
        if self.chance(0.3):
            return ["t = 0", "while True:", *indented(["t += 1", *body, "if t > k:", "    break"])]
        return ["for t in range(k + 1):", *indented(body)]

    def _statement(self) -> Lines:
        one, two = self.several(NAMES, 2)
        return self.pick(
            [f"{one} = {self._new(*NAMES)}"],
            [f"{one} = {self._new(*NAMES)}", *self._inner(one, two)],
            self._inner(one, two),
            self._inner(one, two),
            ["if s > 1:", *indented(self._inner(one, two))],
            [f"if {one}[0] > {two}[-1]:", f"    {one} = {self._new(*NAMES)}"],
            [f"{one}[t % n] += 1.5"],
            [f"s += {one}[0] - {two}[t % n]"],
        )

    def _inner(self, one: str, two: str) -> Lines:
        other = self.pick(*NAMES)
        rows = self.pick("range(n)", "range(1, n)", "range(n - 1, -1, -1)")
        return [
            f"for i in {rows}:",
            self.pick(
                f"    {one}[i] = {two}[i] + {other}[i - 1]",
                f"    {one}[i] = max({one}[i - 1], {two}[i - 1] - x[i])",
                f"    {one}[i] -= 0.25 * {two}[n - 1 - i]",
                f"    {one}[i], {two}[i] = {two}[i], {other}[i] * 0.5",
            ),
        ]

    def _rotation(self) -> Lines:
        a, b, c = self.several(NAMES, 3)
        return self.pick(
            [],
            [f"if {a}[0] > {b}[-1]:", f"    {a}, {b} = {b}, {a}"],
            [f"{b}[t + 5] += {a}[0]", f"{a}, {b} = {b}, {a}"] if self.chance(0.3) else [],
            [f"{a} = {b}"] if self.chance(0.5) else [f"{a} = {b}", f"{b} = {self._new(*NAMES)}"],
            [f"{a} = {b}", f"{b} = {c}.copy()"],
            [f"{a}, {b} = {b}, {a}"],
            [f"{a}, {b}, {c} = {b}, {c}, {a}"],
            [f"{a} = {b}", f"{b} = {c}"],
        )
