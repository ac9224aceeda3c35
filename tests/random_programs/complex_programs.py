"""Random programs on complex numbers in loops: Python's, NumPy's of both sizes, parts of arrays.

Products of elements are rounded once where NumPy's own loop is, as those of single numbers by the
ufunc; those of single numbers by the operator are rounded twice. What is computed is compared bit
by bit. (No product is made in place: NumPy rounds that of one element twice, and a graph does not
know in which place NumPy's would be made.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented


def _arguments(size: int, dtype: str) -> tuple[Any, ...]:
    rng = np.random.default_rng(size)
    x, y, *rows = rng.standard_normal((2 + size, size)) + 1j * rng.standard_normal((2 + size, size))
    x[::3], y[::2] = complex(-0.0, 1.5), complex(2.0, -0.0)
    arrays = [each.astype(dtype) for each in (x, y, np.array(rows))]
    return (*arrays, arrays[0].dtype.type(0.5 - 0.25j), -0.75 + 0.5j, rng.standard_normal(size))


ARGUMENTS = [_arguments(*each) for each in ((5, "D"), (1, "D"), (9, "F"), (30, "D"))]
RESULT = "return s, t, g, d, z"


class ComplexPrograms(Draw):
    """Writes the programs of one seed.

    `x`, `y` and `w` have as many numbers, those of `w` are real; `m` is square. `a` and `s` are
    numbers of NumPy's, `p` and `t` of Python's; `g` is real, and `d` counts.
    """

    def program(self) -> str:
        """Return a function of three complex arrays, two complex numbers and a real array."""
        lines = ["n, s, t, g, d, z = len(x), a, p, w[0], 0, x.copy()"]
        for name in "ij"[: self.number(1, 2)]:
            self.numbers = [name]
            ends = self.pick("range(n)", "range(n - 1, -1, -1)", "range(1, n)", "range(0, n, 2)")
            lines += [f"for {name} in {ends}:", *indented(self._block(0))]
        return "\n".join(["def f(x, y, m, a, p, w):", *indented([*lines, RESULT]), ""])

    def _block(self, depth: int) -> Lines:
        lines = list[str]()
        for _ in range(self.number(1, 3)):
            if depth < 1 and self.chance(0.3):
                self.numbers.append("k")
                lines += [f"for k in range({self.numbers[0]}, n):", *indented(self._block(1))]
                self.numbers.pop()
            else:
                lines += self._statement()
        return lines

    def _statement(self) -> Lines:
        i, key, sign = self._place(), self._slice(), self.pick("=", "+=", "-=")
        test = f"{self._real()} {self.pick('<', '>=')} {self._real()}"
        return self.pick(
            [f"s = {self._number()}", "s = s / (1.0 + abs(s))"],
            [f"s = {self._number()}", "s = s / (1.0 + abs(s))"],
            [f"t = {self._of_python()}", "t = t / (1.0 + abs(t))"],
            [f"g = {self._real()} - 0.5 * g"],
            [f"x[{i}] {self.pick(sign, '*=')} {self._number()}"],
            [f"{self.pick('y', 'z')}[{i}] {sign} {self.pick('t', 'w[0]', self._number())}"],
            [f"{self.pick('x', 'y')}[{key}] {sign} {self._vector(key)}"],
            [f"m[{i}, {key}] {sign} {self._vector(key)}"],
            [f"d += {self._number()} {self.pick('==', '!=')} {self._number()}"],
            [f"if {test}:", f"    s = {self._number()}", "else:", f"    z[{i}] = s"],
            [f"if {test}:", f"    t = {self._of_python()}"],
            [f"z = {self._vector(':')}"],
        )

    def _place(self) -> str:
        return self.pick(*self.numbers)

    def _slice(self) -> str:
        i = self._place()
        return self.pick(f":{i}", f"{i}:", f"{i}::-1", ":-1", "1:", f"{i}::2")

    def _vector(self, key: str, depth: int = 0) -> str:
        if depth > 1 or self.chance(0.3):
            part = f"{self.pick('x', 'y', 'z', 'w')}[{key}]"
            return self.pick(part, part, f"m[{self._place()}, {key}]")
        one, two = self._vector(key, depth + 1), self._vector(key, depth + 1)
        return self.pick(
            f"({one} {self.pick('+', '-', '*', '*')} {two})",
            f"({one} * {self.pick('a', 's', 't', '2.0', '1j', self._element())})",
            f"({self.pick('s', 'p', '1')} - {one})",
            f"np.conj({one})",
            f"({one} ** 2)",
            f"-{one}",
            f"({one} / {self.pick('3', '(2 - 1j)', 'a')})",
        )

    def _element(self) -> str:
        i = self._place()
        return self.pick(f"x[{i}]", f"y[{i} - 1]", f"z[{i}]", f"m[{i}, -1]", f"m[0, {i}]")

    def _number(self, depth: int = 0) -> str:
        one = self.pick("s", "a", self._element(), self._element())
        if depth > 1 or self.chance(0.2):
            return one
        two, key = self._number(depth + 1), self._slice()
        other = self.pick(two, two, "t", "p", "2", "0.5", "1j", f"w[{self._place()}]", "g")
        part, vector = f"{self.pick('x', 'y')}[{key}]", self._vector(key)
        return self.pick(
            f"({one} {self.pick('+', '-', '*')} {other})",
            f"({other} {self.pick('+', '-', '*')} {one})",
            f"({one} / ({two} + 2.5))",
            f"np.{self.pick('multiply', 'subtract')}({one}, {other})",
            f"{one}.conjugate()",
            f"np.conj({one})",
            f"({one} ** 2)",
            f"(-{one})",
            f"({one} * np.sum({vector}))",
            f"({one} * ({part} @ {self.pick('x', 'y')}[{key}]))",
            f"({one} if {self._real()} > 0.5 else {two})",
        )

    def _of_python(self) -> str:
        one, two = self.pick("t", "p", "1j"), self.pick("t", "p", "2", "0.5", "(1 - 2j)")
        return self.pick(
            f"{one} {self.pick('+', '-', '*')} {two}",
            f"{one} / (p + 3)",
            f"-{one}",
            f"complex({self.pick(self._real(), '0.25', 'd')}, {self._real()})",
            f"complex({self._number(1)})",
        )

    def _real(self) -> str:
        one = self._number(1)
        return self.pick(f"{one}.real", f"{one}.imag", f"abs({one})", "abs(t)", "g", "w[0]")
