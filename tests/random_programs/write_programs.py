"""Random functions that write into what they are given, and raise somewhere on the way.

A program is a text with one function `f(n, m, v, w, box, items, table)` of two integers of NumPy,
two arrays of four, and an object, a list and a dict of numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented


@dataclass
class Box:
    """An object that programs write."""

    a: Any
    b: Any


def _given(n: int, m: int) -> list[Any]:
    numbers, twos = np.arange(4) * 1.5, np.arange(4) - 2.0
    items = [np.float64(n), np.float64(3)]
    table = {"a": np.float64(m)}
    box = Box(np.float64(1), np.arange(3.0))
    return [np.int64(n), np.int64(m), numbers, twos, box, items, table]


ARGUMENTS = [_given(n, m) for n, m in ((5, 1), (-3, 2), (0, 0), (3, 4), (2, 3))]
ARRAYS = ("v", "w", "box.b")
NUMBERS = ("n", "m", "t", "box.a", "items[0]", "items[1]", "table['a']", "v[1]", "w[n]", "v[m]")
INDICES = ("n", "m", "0", "1", "2", "n - 1", "m - 2")
CAUGHT = ("IndexError", "ValueError", "(KeyError, IndexError)", "Exception")


class WritePrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        lines = ["t = n * 2"]
        for _ in range(self.number(3, 6)):
            lines += self._statement(0)
        lines.append("return t")
        head = ["def f(n, m, v, w, box, items, table):"]
        return "\n".join([*head, *indented(lines)]) + "\n"

    def _statement(self, depth: int) -> Lines:
        simple = [self._write, self._write, self._object, self._list, self._dict, self._raise]
        compound = [self._try, self._if, self._for, self._while]
        is_simple = depth >= 2 or self.chance(0.6)
        return self.pick(*(simple if is_simple else compound))(depth)

    def _block(self, depth: int) -> Lines:
        lines: Lines = []
        for _ in range(self.number(1, 3)):
            lines += self._statement(depth + 1)
        return indented(lines)

    def _number(self) -> str:
        a, b = self.pick(*NUMBERS), self.pick(*NUMBERS)
        return self.pick(a, f"{a} + {b}", f"{a} * 2", f"{a} // m")

    def _test(self) -> str:
        return f"{self._number()} {self.pick('>', '<', '==')} {self.number(-3, 9)}"

    def _write(self, depth: int) -> Lines:
        array, index, other = self.pick(*ARRAYS), self.pick(*INDICES), self.pick(*INDICES)
        read = self.pick(index, other, "1")
        return self.pick(
            [
                f"{array}[{index}] = {self._number()} * 1.0",
                f"{array}[{other}] = {array}[{index}] * 0.5",
                f"box.a = {array}[{read}] + 1.0",
            ],
            [f"{array}[{index}] = {self._number()}"],
            [f"{array}[{index}] += {self._number()}"],
            [f"{array}[1:] = {self._number()}"],
            [f"{array} *= 2"],
            [f"part = {array}[1:]", f"part[{index}] = {self._number()}"],
        )

    def _object(self, depth: int) -> Lines:
        return [self.pick(f"box.a = {self._number()} * 1.0", "box.a += t")]

    def _list(self, depth: int) -> Lines:
        added = self.pick("n", "t")
        return [self.pick(f"items[0] = {self._number()} * 1.0", f"items.append({added} * 1.0)")]

    def _dict(self, depth: int) -> Lines:
        return [f"table[{self.pick(repr('a'), repr('new'))}] = {self._number()} * 1.0"]

    def _raise(self, depth: int) -> Lines:
        error = self.pick("ValueError(t)", "KeyError('k')", "IndexError(n, 'x')")
        return [f"if {self._test()}:", f"    raise {error}"]

    def _if(self, depth: int) -> Lines:
        return [f"if {self._test()}:", *self._block(depth), "else:", *self._block(depth)]

    def _for(self, depth: int) -> Lines:
        name = f"k{depth}"
        index = f"{self.pick(*ARRAYS)}[{name}] = {self._number()}"
        return [
            f"for {name} in range({self.pick('n', 'm', '3', 'abs(n)')}):",
            f"    {index}",
            *self._block(depth),
        ]

    def _while(self, depth: int) -> Lines:
        name = f"k{depth}"
        test = f"{name} < n and {self.pick(*ARRAYS)}[{name}] < 9"
        return [f"{name} = 0", f"while {test}:", *self._block(depth), f"    {name} += 1"]

    def _try(self, depth: int) -> Lines:
        lines = ["try:", *self._block(depth), f"except {self.pick(*CAUGHT)} as e{depth}:"]
        lines += [*indented([f"t = t + len(e{depth}.args)"]), *self._block(depth)]
        return lines
