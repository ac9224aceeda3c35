"""Random functions of all statements that are rewritten, on small integers.

A program is a text with one function `f(a, b, c, log)`. Loops are bounded, division by zero and
unbound variables may happen: errors are part of what is compared.
"""

from __future__ import annotations

import random
from collections.abc import Callable

VARIABLES = ("a", "b", "c", "x", "y", "z")
Lines = list[str]


class Programs:
    """A source of programs, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._loops = 0
        self._in_loop = False
        self._counter = 0

    def program(self) -> str:
        lines = [f"{name} = 1" for name in "xyz" if self._random.random() < 0.85]
        lines += self._block(depth=0, size=5)
        return "\n".join(["def f(a, b, c, log):", *_indented(lines)]) + "\n"

    def _choose(self, *makers: Callable[[int], Lines]) -> Callable[[int], Lines]:
        return self._random.choice(makers)

    def _block(self, depth: int, size: int = 3) -> Lines:
        lines: Lines = []
        for _ in range(self._random.randint(1, size)):
            lines += self._statement(depth)
        return lines

    def _statement(self, depth: int) -> Lines:
        simple = (self._assign, self._assign, self._log, self._jump, self._delete, self._closure)
        compound = (self._if, self._if, self._if, self._while, self._for, self._try, self._with)
        more = (*compound, self._native_if, self._match)
        if depth >= 4 or self._random.random() < 0.45:
            return self._choose(*simple)(depth)
        return self._choose(*more)(depth)

    def _name(self) -> str:
        return self._random.choice(VARIABLES)

    def _value(self) -> str:
        kind = self._random.random()
        if kind < 0.35:
            return str(self._random.randint(-2, 3))
        if kind < 0.75:
            return self._name()
        if kind < 0.95:
            sign = self._random.choice(["+", "-", "*", "%", "//"])
            return f"({self._value()} {sign} {self._random.choice(['2', '3', self._name()])})"
        return f"({self._value()} if {self._test()} else {self._value()})"

    def _test(self) -> str:
        kind = self._random.random()
        if kind < 0.5:
            sign = self._random.choice(["<", ">", "==", "!=", "<="])
            return f"{self._value()} {sign} {self._value()}"
        if kind < 0.6:
            return f"{self._value()} < {self._value()} <= {self._value()}"
        if kind < 0.7:
            return f"({self._test()} and {self._test()})"
        if kind < 0.8:
            return f"({self._test()} or {self._test()})"
        if kind < 0.87:
            return f"not {self._value()}"
        if kind < 0.93:
            return f"({self._name()} := {self._value()}) > 0"
        return f"{self._value()} in (1, {self._value()})"

    def _assign(self, depth: int) -> Lines:
        kind = self._random.random()
        if kind < 0.6:
            return [f"{self._name()} = {self._value()}"]
        if kind < 0.8:
            return [f"{self._name()} += {self._value()}"]
        if kind < 0.9:
            return [f"{self._name()}, {self._name()} = {self._value()}, {self._value()}"]
        return [f"log[0] = {self._value()}"]

    def _log(self, depth: int) -> Lines:
        return [f"log.append({self._value()})"]

    def _jump(self, depth: int) -> Lines:
        kinds = ["return", f"return {self._value()}"]
        if self._in_loop:
            kinds += ["break", "continue", "break", "continue"]
        return [self._random.choice(kinds)] if depth and self._random.random() < 0.8 else ["pass"]

    def _delete(self, depth: int) -> Lines:
        return [f"del {self._name()}"] if self._random.random() < 0.2 else self._assign(depth)

    def _closure(self, depth: int) -> Lines:
        if self._random.random() < 0.6:
            return self._log(depth)
        if self._random.random() < 0.5:
            return [f"log.append(lambda: {self._name()})"]
        name = self._name()
        return [
            "def g():",
            f"    nonlocal {name}",
            f"    {name} = {self._value()}",
            "g()",
        ]

    def _if(self, depth: int) -> Lines:
        lines = [f"if {self._test()}:", *_indented(self._block(depth + 1))]
        if self._random.random() < 0.25:
            lines += [f"elif {self._test()}:", *_indented(self._block(depth + 1))]
        if self._random.random() < 0.4:
            lines += ["else:", *_indented(self._block(depth + 1))]
        return lines

    def _native_if(self, depth: int) -> Lines:
        test = self._random.choice(["is None", "is log", "is not None"])
        return [f"if {self._name()} {test}:", *_indented(self._block(depth + 1))]

    def _loop(self, header: Lines, start: Lines, depth: int) -> Lines:
        before, self._in_loop = self._in_loop, True
        body = [*start, *self._block(depth + 1)]
        self._in_loop = before
        lines = [*header, *_indented(body)]
        if self._random.random() < 0.3:
            lines += ["else:", *_indented(self._block(depth + 1))]
        return lines

    def _while(self, depth: int) -> Lines:
        self._counter += 1
        n = f"n{self._counter}"
        if self._random.random() < 0.2:
            start = [f"{n} += 1", f"if {n} > 4:", "    break"]
            return [f"{n} = 0", *self._loop(["while True:"], start, depth)]
        return [
            f"{n} = 0",
            *self._loop([f"while {n} < 3 and {self._test()}:"], [f"{n} += 1"], depth),
        ]

    def _for(self, depth: int) -> Lines:
        over = self._random.choice(["range(3)", "(1, 2)", "range(a % 4)", "list(log[:3])"])
        target = self._random.choice([self._name(), f"{self._name()}", "log[0]"])
        return self._loop([f"for {target} in {over}:"], [], depth)

    def _try(self, depth: int) -> Lines:
        lines = ["try:", *_indented(self._block(depth + 1))]
        has_handler = self._random.random() < 0.7
        if has_handler:
            error = self._random.choice(
                ["ZeroDivisionError", "Exception as e", "(TypeError, KeyError)"]
            )
            lines += [f"except {error}:", *_indented(self._block(depth + 1))]
            if self._random.random() < 0.3:
                lines += ["else:", *_indented(self._block(depth + 1))]
        if not has_handler or self._random.random() < 0.4:
            before = self._in_loop
            lines += ["finally:", *_indented(self._block(depth + 1))]
            self._in_loop = before
        return lines

    def _with(self, depth: int) -> Lines:
        manager = self._random.choice(["suppress(ZeroDivisionError)", "failing(log)", "quiet(log)"])
        return [f"with {manager}:", *_indented(self._block(depth + 1))]

    def _match(self, depth: int) -> Lines:
        lines = [f"match {self._value()}:"]
        for pattern in ("0", "1 | 2", self._name()):
            lines += [f"    case {pattern}:", *_indented(_indented(self._block(depth + 1)))]
        return lines


def _indented(lines: Lines) -> Lines:
    return ["    " + line for line in lines]
