"""Random functions of arrays that share memory: views, aliases, and writes through all of them.

A program is a text with one function `f(a, m, n, c)`: `a` is an array of three numbers, `m` one of
three rows of three, `n` and `c` are NumPy scalars. Vectors have three elements and matrices three
rows and columns throughout; `t` is a part of a vector, of any length.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from tests.random_programs.writer import Lines, indented

VECTORS = ("a", "y", "z")
MATRICES = ("m", "w")
SCALARS = ("n", "c", "s", "k")
RESULT = "return y, z, w, s, k, t.sum(), o.buf"
PRELUDE = """\
def put(x, i, value):
    x[i] = value

def bump(x, by):
    x += by
    return x

def row_of(x, i):
    return x[i]

def smaller(p, q):
    if p < q:
        return p
    return q

class Holder:
    def __init__(self, buf):
        self.buf = buf
        self.count = 0

    def add(self, i, value):
        self.buf[i] += value
        self.count += 1

    def renew(self, x):
        if x[0] > 1:
            self.buf = x * 1

"""


class ArrayPrograms:
    """A source of programs, the same for the same seed.

    Args:
        seed: of the random numbers.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._counters = 0
        self._in_loop = False
        self._calm = self._random.random() < 0.7

    def program(self) -> str:
        """Return the text of a program."""
        pick = self._random.choice
        lines = [
            "y = " + pick(["a", "a * 1", "a[::-1]", "a * 0", "m[0]", "m[:, 1]", "m[n % 3]"]),
            "z = " + pick(["a", "y", "a + y", "np.zeros_like(a)", "m.T[2]", "np.ones_like(a)"]),
            f"w = {pick(['m', 'm.T', 'm * 1', 'm.copy()', 'np.zeros_like(m)', 'm[::-1]'])}",
            f"t = {pick(['a[1:]', 'y[:2]', 'm[1, :2]', 'z[::2]', 'a[0:n % 3]'])}",
            f"s = {pick(['0', '1', 'n', 'c', 'a[0]'])}",
            "k = 0",
            "i = 0",
            f"o = Holder({pick(['y', 'a', 'm[1]', 'np.zeros_like(a)', 'z * 1'])})",
        ]
        for _ in range(self._random.randint(2, 6)):
            lines += self._statement(0)
        lines.append(RESULT)
        return PRELUDE + "\n".join(["def f(a, m, n, c):", *indented(lines)]) + "\n"

    def _statement(self, depth: int) -> Lines:
        if self._calm and depth:
            simple = [self._bind, self._bind, self._write, self._write, self._scalar, self._jump]
        else:
            simple = self._wild()
        compound = [self._if, self._if, self._while, self._for_range, self._for_rows]
        compound += [self._for_elements]
        deep = depth >= 3 or self._random.random() < 0.6
        return self._random.choice(simple if deep else compound)(depth)

    def _wild(self) -> list[Callable[[int], Lines]]:
        """Return what makes simple statements, those among them that give arrays two names."""
        simple = [self._bind, self._write, self._write, self._scalar, self._swap, self._call]
        return [*simple, self._container, self._jump]

    def _block(self, depth: int) -> Lines:
        lines: Lines = []
        for _ in range(self._random.randint(1, 3)):
            lines += self._statement(depth + 1)
        return indented(lines)

    def _pick(self, *choices: str) -> str:
        return self._random.choice(choices)

    def _vector(self) -> str:
        return self._pick(*VECTORS, "o.buf")

    def _matrix(self) -> str:
        return self._pick(*MATRICES)

    def _index(self) -> str:
        return self._pick("0", "1", "-1", "n % 3", "int(k) % 3", "i % 3", "int(c) % 3")

    def _number(self) -> str:
        v, i = self._vector(), self._index()
        return self._pick(
            str(self._random.randint(-3, 3)),
            *SCALARS,
            *SCALARS,
            f"{v}[{i}]",
            f"{v}.sum()",
            f"{self._matrix()}[{i}, {self._index()}]",
            f"{v}.max()",
            "t.sum()",
            f"len({v})",
            f"smaller({self._pick(*SCALARS)}, {v}[{i}])",
            "o.count",
        )

    def _value(self) -> str:
        kind = self._random.random()
        if kind < 0.4:
            return self._number()
        if kind < 0.8:
            return f"({self._number()} {self._pick('+', '-', '*')} {self._number()})"
        return f"({self._number()} if {self._test()} else {self._number()})"

    def _test(self) -> str:
        sign = self._pick("<", ">", "==", "!=", "<=")
        kind = self._random.random()
        if kind < 0.6:
            return f"{self._number()} {sign} {self._number()}"
        if kind < 0.7:
            return f"({self._vector()} {sign} {self._number()}).{self._pick('any', 'all')}()"
        if kind < 0.8:
            return f"{self._number()} < {self._number()} <= {self._number()}"
        if kind < 0.9:
            return f"({self._test()} {self._pick('and', 'or')} {self._test()})"
        return f"not {self._number()} {sign} {self._number()}"

    def _row(self) -> str:
        """Return an expression for a vector."""
        v, u, m, i = self._vector(), self._vector(), self._matrix(), self._index()
        return self._pick(
            v,
            v,
            u,
            f"{v}[::-1]",
            f"{v} * 1",
            f"{v}.copy()",
            f"{v} + {u}",
            f"{v} - {self._number()}",
            f"{m}[{i}]",
            f"{m}[{i}]",
            f"{m}[:, {i}]",
            f"{m}.T[{i}]",
            f"row_of({m}, {i})",
            f"{v}[[2, 0, 1]]",
            f"np.where({v} > {self._number()}, {v}, {u})",
            f"{m}.sum({self._pick('0', '1')})",
            f"np.maximum({v}, {u})",
            f"{m}.diagonal()",
            f"np.sort({v})",
            f"{v}[np.argsort({u})]",
            f"({v} if {self._test()} else {u})",
            f"{v}[:]",
            f"np.cumsum({v})",
            f"{v}.reshape(3) * 1",
            f"np.array([{v}[{i}], {u}[0], {self._random.randint(-3, 3)}])",
        )

    def _grid(self) -> str:
        """Return an expression for a matrix."""
        m, v = self._matrix(), self._vector()
        return self._pick(
            m,
            m,
            f"{m}.T",
            f"{m} * 1",
            f"{m}[::-1]",
            f"{m} + {v}",
            f"{m} + {v}[:, None]",
            f"np.where({m} > {self._number()}, {m}, {v})",
            f"{m}[[1, 2, 0]]",
            f"{m}.copy()",
            f"np.outer({v}, {v})",
            f"({m} % 97)",
            f"{m}[:, ::-1]",
            f"({m} if {self._test()} else {m} * 2)",
        )

    def _part(self) -> str:
        v, m = self._vector(), self._matrix()
        return self._pick(
            f"{v}[1:]",
            f"{v}[:{self._index()}]",
            f"{v}[::2]",
            f"{m}[{self._index()}, 1:]",
            f"{m}[:2, {self._index()}]",
            f"{v}[{self._index()}:]",
            f"{v}",
            f"{v}[{v} > 0]",
            f"{m}.ravel()",
            f"{m}.reshape(-1)[{self._index()}:]",
            f"{m}[{self._pick('1:', '0', '::2', ':, 1:')}].reshape(-1)",
            f"({m} + {v}[:, None]).ravel()",
        )

    def _bind(self, depth: int) -> Lines:
        """Bind a name: in calm programs, within branches and loops, to an array of its own."""
        own = " * 1" if self._calm and depth else ""
        kind = self._random.random()
        if kind < 0.5:
            return [f"{self._pick('y', 'z', 'y', 'z', 'a', 'o.buf')} = {self._row()}{own}"]
        if kind < 0.8:
            return [f"{self._matrix()} = {self._grid()}{own}"]
        return [f"t = {self._part()}{own}"]

    def _write(self, depth: int) -> Lines:
        v, m, i, x = self._vector(), self._matrix(), self._index(), f"({self._value()}) % 97"
        row = f"({self._row()}) * 1"  # NumPy copies overlapping rows element by element
        return [
            self._pick(
                f"{v}[{i}] = {x}",
                f"{v}[{i}] = {x}",
                f"{v}[{i}] += {x}",
                f"{v} += {row}",
                f"{v} *= 2",
                f"{v} -= {x}",
                f"{v}[{v} > {self._number()}] = {x}",
                f"{v}[:{i}] = {x}",
                f"{v}[{i}:] += 1",
                f"{v}[[0, 2]] = {x}",
                f"{v}[[0, 0, 1]] += 1",
                f"{m}[{i}] = {row}",
                f"{m}[:, {i}] = {row}",
                f"{m}[{i}, {self._index()}] = {x}",
                f"{m}[{i}] += {row}",
                f"{m}[:, {i}] -= 1",
                f"{m}.T[{i}] = {row}",
                f"{m}[1:, :{i}] = {x}",
                f"{m} += {row}",
                f"{m}[{m} < {self._number()}] = {x}",
                f"{m}[{i}][{self._index()}] = {x}",
                f"{m}.reshape(-1)[{i}] = {x}",
                f"{m}[{self._index()}:].ravel()[0] -= 1",
                "t += 1",
                "t *= 2",
                f"t[:] = {x}",
                f"{v}[...] = {row}",
                f"{v}.fill({x})",
                f"{v}.sort()",
                f"np.add({v}, {row}, out={v})",
                f"t[:1] += {x}",
                f"{m}[...] = {self._grid()}",
                f"{m}[{i}, 1:] = {v}[:2] * 1",
                f"{m}[:, :2] = {m}[:, 1:]",
            )
        ]

    def _scalar(self, depth: int) -> Lines:
        name = self._pick("s", "s", "k", "c")
        value = f"({self._value()}) % 97"
        return [self._pick(f"{name} = {value}", f"{name} = {value}", f"{name} += {self._number()}")]

    def _swap(self, depth: int) -> Lines:
        v, m = self._vector(), self._matrix()
        i, j = self._index(), self._index()
        return [
            self._pick(
                "y, z = z, y",
                "y, a = a, y",
                "y, z = z, y * 1",
                f"{v}[{i}], {v}[{j}] = {v}[{j}], {v}[{i}]",
                f"{m}[[{i}, {j}]] = {m}[[{j}, {i}]]",
                "m, w = w, m",
                "y, z, s = z, y, s + 1",
            )
        ]

    def _call(self, depth: int) -> Lines:
        v, m, i, x = self._vector(), self._matrix(), self._index(), f"({self._value()}) % 97"
        return [
            self._pick(
                f"put({v}, {i}, {x})",
                f"put({m}, {i}, {self._row()} * 1)",
                f"y = bump({v}, {x})",
                f"bump({m}[{i}], {x})",
                f"put(row_of({m}, {i}), {self._index()}, {x})",
                f"o.add({i}, {x})",
                f"o.renew({v})",
                f"o.buf[{i}] = {x}",
                "o.buf += 1",
                "o.count += 1",
                f"o = Holder({v})",
                f"z = bump(row_of({m}, {i}), 1)",
            )
        ]

    def _container(self, depth: int) -> Lines:
        v, u, i, x = self._vector(), self._vector(), self._index(), f"({self._value()}) % 97"
        return self._random.choice(
            [
                [f"pair = ({v}, {u})", f"pair[0][{i}] = {x}", "y, z = pair"],
                [f"d = {{'p': {v}, 'q': {self._matrix()}}}", f"d['p'][{i}] = {x}", "y = d['p']"],
                [f"rows = [{v}, {u}]", f"rows[1][{i}] += {x}", "z = rows[0]"],
                [f"d = {{'p': {v}}}", f"d['p'] += {x}", "z = d['p']"],
            ]
        )

    def _jump(self, depth: int) -> Lines:
        if not self._in_loop or self._random.random() < 0.25:
            jump = RESULT
        else:
            jump = self._pick("break", "continue")
        return [f"if {self._test()}:", f"    {jump}"]

    def _if(self, depth: int) -> Lines:
        lines = [f"if {self._test()}:", *self._block(depth)]
        if self._random.random() < 0.5:
            lines += ["else:", *self._block(depth)]
        return lines

    def _loop(self, header: str, depth: int, first: Lines) -> Lines:
        outer, self._in_loop = self._in_loop, True
        lines = [header, *indented(first), *self._block(depth)]
        self._in_loop = outer
        if self._random.random() < 0.15:
            lines += ["else:", *self._block(depth)]
        return lines

    def _while(self, depth: int) -> Lines:
        self._counters += 1
        counter = f"k{self._counters}"
        header = f"while {counter} < 3 and {self._test()}:"
        return [f"{counter} = 0", *self._loop(header, depth, [f"{counter} += 1"])]

    def _for_range(self, depth: int) -> Lines:
        bound = self._pick("n % 4", "3", "int(abs(c)) % 3 + 1", "n % 3, 3", "3, n % 3, -1")
        return self._loop(f"for i in range({bound}):", depth, [])

    def _for_rows(self, depth: int) -> Lines:
        m, x = self._matrix(), f"({self._value()}) % 97"
        header = self._pick(
            f"for row in {m}:",
            f"for i, row in enumerate({m}):",
            f"for row in reversed({m}):",
            f"for row, q in zip({m}, {self._vector()}):",
            f"for row in {m}.T:",
            f"for row in {m}[1:]:",
        )
        write = self._pick(
            "row += 1",
            f"row[{self._index()}] = {x}",
            "s = s + row.sum()",
            "y = row",
            f"row[:] = {self._row()} * 1",
            f"{self._vector()} += row",
            f"{m}[{self._index()}] = row * 1",  # what overlaps in other steps NumPy may read late
        )
        return self._loop(header, depth, [write])

    def _for_elements(self, depth: int) -> Lines:
        v, u = self._vector(), self._vector()
        header = self._pick(
            f"for e in {v}:", f"for e, q in zip({v}, {u}):", f"for e in reversed({v}):"
        )
        write = self._pick("s = s + e", f"{v}[{self._index()}] = e", "s = max(s, e)", f"{u} += e")
        return self._loop(header, depth, [write])


GRID = np.arange(9) * 7 % 5 - 1
ARGUMENTS = [
    (np.array([1, 5, -4]), GRID.reshape(3, 3), np.int64(2), np.int64(1)),
    (np.array([2.0, -1.0, 0.0]), np.asfortranarray(GRID.reshape(3, 3) / 2), np.int64(0), 3.0),
    (np.arange(6.0)[::2], np.arange(18.0).reshape(3, 6)[:, ::2], np.int64(7), np.float64(-2)),
]
"""Argument lists: of integers, in Fortran's order, and with gaps."""

_WHOLE, _WIDE = GRID.reshape(3, 3).copy(), np.arange(24.0).reshape(4, 6) / 4 - 2
_LINE = np.array([3, -1, 0, 2, 5, 1, 4, -2, 6, 0, 1])
SHARED = [
    (_WHOLE[:, 1], _WHOLE, np.int64(2), np.int64(1)),
    (_WIDE[0, 4:1:-1], _WIDE[:3, ::2], np.int64(0), 3.0),
    (_LINE[1::2][:3], _LINE[:9].reshape(3, 3).T, np.int64(7), np.int64(-2)),
    (_WIDE[0, :3], _WIDE[1:, 3:], np.int64(1), np.float64(0.5)),
]
"""Argument lists whose arrays share memory, or lie among one another's elements."""
