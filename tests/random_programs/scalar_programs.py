"""Random functions of numbers of all kinds: Python's and NumPy's, builtins, closures, jumps.

A program is a text with one function `f(a, b, p, v)`: `a` and `b` are NumPy scalars, `p` is a
Python number, `v` an array of four numbers. Variables may be assigned on one path only; what is
read may then be undefined, in plain Python as well.
"""

from __future__ import annotations

import random

import numpy as np

from tests.random_programs.writer import Lines, indented

NAMES = ("a", "b", "p", "x", "y", "g")
RESULT = "return a, b, p, x, y, g"
PRELUDE = """\
import math

def clamp(x, low, high):
    if x < low:
        return low
    elif x > high:
        return high
    return x

def gcd(m, n):
    m, n = int(abs(m)) % 50, int(abs(n)) % 50
    while n != 0:
        m, n = n, m % n
    return m

def first_over(xs, limit):
    for i, x in enumerate(xs):
        if x > limit:
            return i
    return -1

def total(*numbers, scale=1):
    found = 0
    for number in numbers:
        found += number * scale
    return found

"""


class ScalarPrograms:
    """A source of programs, the same for the same seed.

    Args:
        seed: of the random numbers.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._counters = 0
        self._loops = 0

    def program(self) -> str:
        """Return the text of a program."""
        pick = self._pick
        lines = [
            f"x = {pick('a', '0', '1.5', 'True', 'p', 'np.float64(2)', 'np.int32(-3)', 'len(v)')}",
            f"y = {pick('b', '1', '0.0', 'v[0]', 'v.sum()', 'np.int64(5)', 'p > 0', 'None')}",
            "i = 0",
        ]
        if "None" in lines[1]:
            lines.append("y = a")
        lines.append(f"g = {pick('0', 'x', 'v.max()', '-1.0')}")
        lines += pick(
            ["def bump(q):", "    return q + x"],
            ["def bump(q):", "    nonlocal g", "    g = small(g + 1)", "    return q * 2"],
            ["bump = lambda q: q - 1 if q > 0 else q + 1"],
            ["def bump(q):", "    while q > 5:", "        q = q - y * y - 1", "    return q"],
        )
        for _ in range(self._random.randint(2, 5)):
            lines += self._statement(0)
        lines.append(RESULT)
        small = ["def small(q):", "    return q % 97", ""]
        return PRELUDE + "\n".join([*small, "def f(a, b, p, v):", *indented(lines)]) + "\n"

    def _pick(self, *choices):
        return self._random.choice(choices)

    def _statement(self, depth: int) -> Lines:
        simple = [self._assign, self._assign, self._assign, self._jump, self._once]
        compound = [self._if, self._if, self._while, self._for, self._while_true]
        deep = depth >= 3 or self._random.random() < 0.55
        return self._random.choice(simple if deep else compound)(depth)

    def _block(self, depth: int) -> Lines:
        lines: Lines = []
        for _ in range(self._random.randint(1, 3)):
            lines += self._statement(depth + 1)
        return indented(lines)

    def _number(self) -> str:
        name, other = self._pick(*NAMES), self._pick(*NAMES)
        return self._pick(
            str(self._random.randint(-3, 3)),
            name,
            name,
            name,
            name,
            f"v[{self._index()}]",
            f"-{name}",
            "0.5",
            f"abs({name})",
            f"int({name})",
            f"float({name})",
            f"bool({name})",
            f"max({name}, {other})",
            f"min({name}, {other}, 1)",
            "sum(v)",
            "len(v)",
            "max(v)",
            f"round({name})",
            f"clamp({name}, -2, {other})",
            f"gcd({name}, {other})",
            f"first_over(v, {name})",
            f"total({name}, {other}, 1, scale=2)",
            f"bump({name})",
            f"np.float64({name})",
            f"np.int32({name})",
            f"np.abs({name})",
            f"math.floor({name})",
            f"math.sqrt(abs({name}))",
            f"math.sin({name})",
            f"({name} if {self._test()} else {other})",
            f"({name} and {other})",
            f"({name} or {other})",
            f"int(any([{name} > 1, {other} > 2]))",
            f"np.where({name} > {other}, {name}, 1)",
            f"divmod({name}, 7)[1]",
            f"pow({name}, 2)",
            f"round({name}, 1)",
            f"np.sign({name} * 1)",
            f"sum([{name}, {other}])",
        )

    def _index(self) -> str:
        return self._pick("0", "1", "-1", "i % 4", "int(abs(a)) % 4")

    def _value(self) -> str:
        kind = self._random.random()
        if kind < 0.45:
            return self._number()
        if kind < 0.9:
            sign = self._pick("+", "-", "*", "+", "-", "*", "//", "%", "/")
            second = f"({self._number()} or 1)" if sign in ("//", "%", "/") else self._number()
            return f"({self._number()} {sign} {second})"
        return f"({self._number()} if {self._test()} else {self._number()})"

    def _test(self) -> str:
        kind = self._random.random()
        sign = self._pick("<", ">", "==", "!=", "<=")
        if kind < 0.5:
            return f"{self._pick(*NAMES)} {sign} {self._pick('0', '1', '2.5', *NAMES)}"
        if kind < 0.6:
            return f"{self._pick(*NAMES)} < {self._pick(*NAMES)} <= {self._pick(*NAMES)}"
        if kind < 0.7:
            return f"({self._test()} {self._pick('and', 'or')} {self._test()})"
        if kind < 0.75:
            return f"not ({self._test()})"
        if kind < 0.8:
            return f"{self._pick(*NAMES)} {self._pick('in', 'not in')} (0, 1, {self._pick(*NAMES)})"
        if kind < 0.85:
            return f"{self._pick('any', 'all')}(v > {self._pick(*NAMES)})"
        if kind < 0.9:
            return self._pick(*NAMES)
        return f"{self._number()} {sign} {self._number()}"

    def _assign(self, depth: int) -> Lines:
        name = self._pick(*NAMES)
        kind = self._random.random()
        if kind < 0.2:
            return [f"{name} += {self._number()}", f"{name} = small({name})"]
        if kind < 0.3:
            first, second = self._random.sample(NAMES, 2)
            return [f"{first}, {second} = {second}, {first}"]
        return [f"{name} = small({self._value()})"]

    def _once(self, depth: int) -> Lines:
        """Assign a variable on one path, and read it where it may be undefined, or not at all."""
        self._counters += 1
        name = f"u{self._counters}"
        value = self._pick(self._value(), self._value(), "None")
        lines = [f"if {self._test()}:", f"    {name} = {value}"]
        if self._random.random() < 0.4 and value != "None":
            lines += [f"    {self._pick(*NAMES)} = small({name})"]
        if self._random.random() < 0.2 and value != "None":
            lines += [f"if {self._test()}:", f"    x = small({name})"]
        return lines

    def _jump(self, depth: int) -> Lines:
        if not self._loops or self._random.random() < 0.25:
            jump = RESULT
        else:
            jump = self._pick("break", "continue")
        return [f"if {self._test()}:", f"    {jump}"]

    def _if(self, depth: int) -> Lines:
        lines = [f"if {self._test()}:", *self._block(depth)]
        if self._random.random() < 0.3:
            lines += [f"elif {self._test()}:", *self._block(depth)]
        if self._random.random() < 0.5:
            lines += ["else:", *self._block(depth)]
        return lines

    def _loop(self, header: str, depth: int, first: Lines) -> Lines:
        self._loops += 1
        lines = [header, *indented(first), *self._block(depth)]
        self._loops -= 1
        if self._random.random() < 0.25:
            lines += ["else:", *self._block(depth)]
        return lines

    def _counter(self) -> str:
        self._counters += 1
        return f"k{self._counters}"

    def _while(self, depth: int) -> Lines:
        k = self._counter()
        zero = self._pick("0", "0", "int(a) * 0", "np.int64(0)")
        return [
            f"{k} = {zero}",
            *self._loop(f"while {k} < 3 and {self._test()}:", depth, [f"{k} += 1"]),
        ]

    def _while_true(self, depth: int) -> Lines:
        k = self._counter()
        leave = [f"{k} += 1", f"if {k} > {self._pick('3', 'int(abs(b)) % 3')}:", "    break"]
        return [f"{k} = 0", *self._loop("while True:", depth, leave)]

    def _for(self, depth: int) -> Lines:
        x, y = self._pick(*NAMES), self._pick(*NAMES)
        n = f"int(abs({x})) % 4"
        header = self._pick(
            f"for i in range({n}):",
            f"for i in range(1, {n} + 1):",
            f"for i in range({n}, -1, -1):",
            f"for i in range(0, {n}, 2):",
            "for i, e in enumerate(v):",
            "for e in v:",
            f"for e, i in zip(v, range({n})):",
            "for e in reversed(v):",
            f"for i in reversed(range({n})):",
            f"for e in ({x}, {y}, 1):",
            f"for i, e in enumerate([{x}, 2.5, {y}]):",
            f"for e in v[:{n}]:",
        )
        first = f"x = small(x + {'e' if ' e' in header.split(' in ')[0] else 'i'})"
        return self._loop(header, depth, [first])


ARGUMENTS = [
    (np.int64(3), np.int64(-2), 2, np.array([1, 5, -4, 0])),
    (np.float64(0.5), np.float64(7.0), 1.5, np.array([2.0, -1.0, 0.0, 3.5])),
    (np.int32(1), np.float64(-1.5), True, np.array([1, 0, 2, -7], np.int32)),
    (np.float64(4.25), np.int64(0), -1, np.array([0.5, 0.25, 9, 1])),
]
"""Argument lists: integers, floats, and mixed ones.

There are no float32 numbers: where one of them is joined with a Python float, either may come out.
"""
