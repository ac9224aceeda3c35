"""Random functions of numbers and one array, for comparing plain Python with staged execution.

A program is a text with one function `f(a, b, v)`: `a` and `b` are NumPy scalars, `v` is an array
of three numbers. Loops are bounded and values stay small. Some variables have no value on some
paths, so that reading them raises UnboundLocalError. All statements are there that can be staged,
or stand around what is staged: `match`, `try`, `with`, inner functions, `raise` and `assert`.
"""

from __future__ import annotations

import random

import numpy as np

from tests.random_programs.writer import Lines, indented

NAMES = ("a", "b", "x", "y")
PRELUDE = """\
from contextlib import contextmanager

@contextmanager
def quiet(value=None):
    yield value

"""


class StagedPrograms:
    """A source of programs, the same for the same seed.

    Args:
        seed: of the random numbers.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._counters = 0
        self._in_loop = False

    def program(self) -> str:
        """Return the text of a program."""
        lines = ["x = a", *self._maybe("y = 1", 0.85)]
        for _ in range(self._random.randint(2, 5)):
            lines += self._statement(0)
        lines.append("return a, b, x, y, v")
        return PRELUDE + "\n".join(["def f(a, b, v):", *indented(lines)]) + "\n"

    def _statement(self, depth: int) -> Lines:
        simple = [self._assign, self._assign, self._write, self._swap, self._jump]
        simple += [self._closure, self._unpack, self._check, self._walrus]
        compound = [self._if, self._if, self._while, self._for_range, self._for_array]
        compound += [self._if, self._while, self._for_range, self._match, self._try, self._with]
        deep = depth >= 3 or self._random.random() < 0.5
        return self._random.choice(simple if deep else compound)(depth)

    def _maybe(self, line: str, chance: float) -> Lines:
        return [line] if self._random.random() < chance else []

    def _block(self, depth: int) -> Lines:
        lines: Lines = []
        for _ in range(self._random.randint(1, 3)):
            lines += self._statement(depth + 1)
        return indented(lines)

    def _number(self) -> str:
        kind = self._random.random()
        if kind < 0.3:
            return str(self._random.randint(-3, 3))
        if kind < 0.75:
            return self._random.choice(NAMES)
        return f"v[{self._index()}]"

    def _index(self) -> str:
        return self._random.choice(["0", "1", "-1", "i % 3" if self._in_loop else "2"])

    def _value(self) -> str:
        kind = self._random.random()
        if kind < 0.4:
            return self._number()
        if kind < 0.9:
            sign = self._random.choice("+-*")
            return f"({self._number()} {sign} {self._number()})"
        return f"({self._number()} if {self._test()} else {self._number()})"

    def _test(self) -> str:
        kind = self._random.random()
        if kind < 0.6:
            sign = self._random.choice(["<", ">", "==", "!=", "<=", ">="])
            return f"{self._number()} {sign} {self._number()}"
        if kind < 0.7:
            return f"{self._number()} < {self._number()} <= {self._number()}"
        if kind < 0.8:
            return f"({self._test()} and {self._test()})"
        if kind < 0.9:
            return f"({self._test()} or {self._test()})"
        return f"not ({self._test()})"

    def _assign(self, depth: int) -> Lines:
        name = self._random.choice(NAMES)
        if self._random.random() < 0.3:
            return [f"{name} += {self._number()}", f"{name} = {name} % 97"]
        return [f"{name} = {self._value()} % 97"]

    def _write(self, depth: int) -> Lines:
        index = self._index()
        if self._random.random() < 0.3:
            return [f"v[{index}] += {self._number()}", f"v[{index}] %= 97"]
        return [f"v[{index}] = {self._value()} % 97"]

    def _unpack(self, depth: int) -> Lines:
        first, second = self._random.sample(NAMES, 2)
        return self._random.choice(
            [
                [f"{first} = {second} = {self._value()} % 97"],
                [f"{first}, *rest = {self._number()}, {self._number()}, 2", f"{second} = rest[-1]"],
                [f"({first}, ({second}, _)) = ({self._number()}, ({self._number()}, 0))"],
                [f"{first} = sum([e * {self._number()} for e in v]) % 97"],
                [f"{first} = [{self._number()} for _ in range(2)][-1]"],
                [f"{first} = (lambda q: q + {second})({self._number()}) % 97"],
            ]
        )

    def _walrus(self, depth: int) -> Lines:
        first, second = self._random.sample(NAMES, 2)
        test = f"({first} := {self._value()} % 97) > {self._number()}"
        return [f"if {test} and {self._test()}:", f"    {second} = {first}"]

    def _check(self, depth: int) -> Lines:
        """Raise now and then."""
        if self._random.random() < 0.5:
            return [f"assert {self._number()} != {self._number()}, 'checked'"]
        return [f"if {self._number()} == {self._number()}:", "    raise ValueError('found')"]

    def _closure(self, depth: int) -> Lines:
        """Call a function that assigns a variable of this one."""
        first, second = self._random.sample(NAMES, 2)
        return [
            "def g(q):",
            f"    nonlocal {first}",
            f"    if q {self._random.choice('<>')} {second}:",
            f"        {first} = q % 97",
            f"        return {second}",
            f"    return {first}",
            f"{second} = g({self._number()})",
        ]

    def _match(self, depth: int) -> Lines:
        lines = [f"match {self._value()} % 3:"]
        patterns = ["0", "1 | 2", "2", f"{self._random.choice(NAMES)}", "1"]
        for pattern in sorted(self._random.sample(patterns, 2), key=str.isalpha):
            guard = f" if {self._test()}" if self._random.random() < 0.4 else ""
            if pattern.isalpha() and not guard:
                guard = f" if {pattern} > 0"
            lines += [f"    case {pattern}{guard}:", *indented(self._block(depth))]
        if self._random.random() < 0.5:
            lines += ["    case _:", *indented(self._block(depth))]
        return lines

    def _try(self, depth: int) -> Lines:
        lines = ["try:", *self._block(depth)]
        if self._random.random() < 0.5:  # a jump out of `finally` stays Python
            return [*lines, "finally:", *indented(self._assign(depth) + self._walrus(depth))]
        lines += ["except KeyError:", *self._block(depth)]
        if self._random.random() < 0.5:
            lines += ["else:", *self._block(depth)]
        return lines

    def _with(self, depth: int) -> Lines:
        name = self._random.choice(NAMES)
        header = self._random.choice(["with quiet():", f"with quiet({name}) as {name}:"])
        return [header, *self._block(depth)]

    def _swap(self, depth: int) -> Lines:
        first, second = self._random.sample(NAMES, 2)
        return [f"{first}, {second} = {second}, {first}"]

    def _jump(self, depth: int) -> Lines:
        if not self._in_loop or self._random.random() < 0.25:
            jump = "return a, b, x, y, v"
        else:
            jump = self._random.choice(["break", "continue"])
        return [f"if {self._test()}:", f"    {jump}"]

    def _if(self, depth: int) -> Lines:
        lines = [f"if {self._test()}:", *self._block(depth)]
        if self._random.random() < 0.3:
            lines += [f"elif {self._test()}:", *self._block(depth)]
        if self._random.random() < 0.6:
            lines += ["else:", *self._block(depth)]
        return lines

    def _loop(self, header: str, depth: int, first: Lines) -> Lines:
        outer, self._in_loop = self._in_loop, True
        lines = [header, *indented(first), *self._block(depth)]
        if self._random.random() < 0.2:
            self._in_loop = outer
            lines += ["else:", *self._block(depth)]
        self._in_loop = outer
        return lines

    def _while(self, depth: int) -> Lines:
        self._counters += 1
        counter = f"k{self._counters}"
        header = f"while {counter} < 4 and {self._test()}:"
        return [
            f"{counter} = 0",
            "i = 0",
            *self._loop(header, depth, [f"{counter} += 1", "i += 1"]),
        ]

    def _for_range(self, depth: int) -> Lines:
        bound = self._random.choice(["abs(a) % 5", "3", "abs(b) % 4 + 1"])
        return [
            *self._maybe("i = 0", 0.4),
            *self._loop(f"for i in range(int({bound})):", depth, []),
        ]

    def _for_array(self, depth: int) -> Lines:
        first = [*self._maybe("i = 0", 0.7), *self._maybe("e = 0", 0.4)]
        return [*first, *self._loop("for e in v * 1:", depth, ["x = (x + e) % 97"])]


ARGUMENTS = [
    (np.int64(3), np.int64(-2), np.array([1, 5, -4])),
    (np.float64(0.5), np.float64(7.0), np.array([2.0, -1.0, 0.0])),
]
"""Argument lists: of integers, and of floats."""
