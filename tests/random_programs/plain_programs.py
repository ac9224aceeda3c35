"""Random functions of all statements, on plain values: for plain Python against converted code.

A program is a text with one function `f(a, b, c, p, d, o)`: three integers, a list, a dict and an
object. It logs events with `t`, may raise, and returns what its variables hold in the end.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from tests.random_programs.plain_definitions import Definitions
from tests.random_programs.plain_expressions import ERRORS, Expressions
from tests.random_programs.plain_matches import Matches
from tests.random_programs.plain_simple import Scope, Simple
from tests.random_programs.writer import Draw, Lines, indented

HEADER = "def f(a, b, c, p, d, o):"
RESULT = "return a, b, c, x, y, z, p, q, d, [h() for h in fs]"
DEEPEST = 3
HAS_GROUPS = sys.version_info >= (3, 11)


class PlainPrograms:
    """A source of programs, the same for the same seed.

    Args:
        seed: of the random numbers.
    """

    def __init__(self, seed: int) -> None:
        self.draw = Draw(seed)
        self.e = Expressions(self.draw)
        self._simple = Simple(self.e)
        self._definitions = Definitions(self.e, self.block)
        self._count = 0
        self._guarded = self.draw.pick(0.1, 0.5, 0.9)

    def program(self) -> str:
        """Return the text of a program."""
        start = {"x": "a", "y": "b + 1", "z": "2", "q": "[1, 2]"}
        lines = [f"{x} = {value}" for x, value in start.items() if self.draw.chance(0.97)]
        lines.append("fs = []")
        for _ in range(self.draw.number(2, 6)):
            lines += self._top(self._statement(Scope(), 0))
        return "\n".join([HEADER, *indented([*lines, RESULT])]) + "\n"

    def _top(self, lines: Lines) -> Lines:
        """Let most errors end a statement only, not the program."""
        if not self.draw.chance(self._guarded):
            return lines
        caught = [f"    t({self.e.key()}, e)", *(["    raise"] if self.draw.chance(0.05) else [])]
        return ["try:", *indented(lines), "except Exception as e:", *caught]

    def block(self, scope: Scope, depth: int) -> Lines:
        """Return the statements of a body."""
        lines: Lines = []
        for _ in range(self.draw.pick(1, 1, 2, 2, 3)):
            lines += self._statement(scope, depth)
        return lines

    def _statement(self, scope: Scope, depth: int) -> Lines:
        if depth >= DEEPEST or self.draw.chance(0.5):
            return self._simple.statement(scope)
        if depth < DEEPEST - 1 and self.draw.chance(0.12):
            return self._definitions.statement(scope, depth)
        makers = (self._if, self._if, self._while, self._for, self._try, self._try, self._with)
        return self.draw.pick(*makers, self._match, self._for)(scope, depth)

    def _inner(self, scope: Scope, depth: int) -> Lines:
        return indented(self.block(scope, depth + 1))

    def _if(self, scope: Scope, depth: int) -> Lines:
        lines = [f"if {self.e.test()}:", *self._inner(scope, depth)]
        while self.draw.chance(0.25):
            lines += [f"elif {self.e.test()}:", *self._inner(scope, depth)]
        if self.draw.chance(0.45):
            lines += ["else:", *self._inner(scope, depth)]
        return lines

    def _loop(self, header: str, first: Lines, scope: Scope, depth: int) -> Lines:
        inside = replace(scope, loops=scope.loops + 1)
        lines = [header, *indented(first), *self._inner(inside, depth)]
        if self.draw.chance(0.3):
            lines += ["else:", *self._inner(scope, depth)]
        return lines

    def _while(self, scope: Scope, depth: int) -> Lines:
        self._count += 1
        n = f"n{self._count}"
        kind = self.draw.number(0, 3)
        if kind == 0:
            leave = [f"{n} += 1", f"if {n} > {self.draw.number(1, 4)}:", "    break"]
            return [f"{n} = 0", *self._loop("while True:", leave, scope, depth)]
        if kind == 1 and not self.e.is_class:
            header = f"while ({n} := {n} + 1) < 4 and {self.e.test()}:"
            return [f"{n} = 0", *self._loop(header, [], scope, depth)]
        header = f"while {n} < 3 and {self.e.test()}:"
        return [f"{n} = 0", *self._loop(header, [f"{n} += 1"], scope, depth)]

    def _for(self, scope: Scope, depth: int) -> Lines:
        x, y, source = self.e.name(), self.e.name(), self.e.iterable(1)
        header = self.draw.pick(
            f"for {x} in {source}:",
            f"for {x} in {source}:",
            f"for {x}, {y} in enumerate({source}):",
            f"for {x}, ({y}, *q) in zip({source}, [(1, 2), (3,)]):",
            f"for p[0] in {source}:",
            f"for o.n in {source}:",
            f"for {x}, *q in zip({source}, (1, 2), (3, 4)):",
            f"for d['k'], {x} in d.items():",
        )
        first = [f"t({self.e.key()})"] if self.draw.chance(0.3) else []
        return self._loop(header, first, scope, depth)

    def _try(self, scope: Scope, depth: int) -> Lines:
        lines = ["try:", *self._inner(scope, depth)]
        if self.draw.chance(0.5):
            lines += self._raising(scope)
        has_handler = self.draw.chance(0.8)
        if has_handler:
            lines += self._handlers(scope, depth)
        if not has_handler or self.draw.chance(0.35):
            lines += ["finally:", *self._inner(scope, depth)]
        return lines

    def _raising(self, scope: Scope) -> Lines:
        """Raise now and then, so that handlers have work."""
        return [f"    if {self.e.test()}:", f"        raise {self.e.error()}"]

    def _handlers(self, scope: Scope, depth: int) -> Lines:
        if HAS_GROUPS and self.draw.chance(0.06):
            inside = replace(scope, loops=0, handlers=["e"], in_group=True)
            return [f"except* {self._caught()} as e:", *self._inner(inside, depth)]
        lines: Lines = []
        for _ in range(self.draw.number(1, 2)):
            name = self.draw.pick("", "", "e", "e", "e1", "e1", "x") if not self.e.is_class else ""
            names = [name] if name and name != "x" else [*scope.handlers]
            inside = replace(scope, handlers=names or ["None"])
            caught = f"{self._caught()} as {name}" if name else self._caught()
            body = [f"    t({self.e.key()}, {name})"] if name else []
            lines += [f"except {caught}:", *body, *self._inner(inside, depth)]
        if self.draw.chance(0.25):
            inside = replace(scope, handlers=scope.handlers or ["None"])
            lines += ["except Exception:", *self._inner(inside, depth)]
        if self.draw.chance(0.3):
            lines += ["else:", *self._inner(scope, depth)]
        return lines

    def _caught(self) -> str:
        first, second = self.draw.several(ERRORS, 2)
        return self.draw.pick(first, f"({first}, {second})", "Exception", "LookupError")

    def _with(self, scope: Scope, depth: int) -> Lines:
        items = ", ".join(self._manager() for _ in range(self.draw.pick(1, 1, 2)))
        return [f"with {items}:", *self._inner(scope, depth)]

    def _manager(self) -> str:
        k, x, error = self.e.key(), self.e.name(), self.draw.pick(*ERRORS)
        return self.draw.pick(
            f"Manager(t, {k})",
            f"Manager(t, {k}, {error})",
            f"Manager(t, {k}, (Exception,)) as m",
            f"Failing(t, {k})",
            f"quiet(t, {k}, {self.e.number(1)}) as {x}",
            f"quiet(t, {k}, [1, {self.e.number(1)}]) as ({x}, p[0])",
            f"suppress({error}, ZeroDivisionError)",
        )

    def _match(self, scope: Scope, depth: int) -> Lines:
        return Matches(self.e, lambda: self.block(scope, depth + 1)).statement()


ARGUMENTS = [
    "1, 0, 2, [3, 1, 2], {'k': 1, 0: 5}, SimpleNamespace(n=1, items=[1, 2])",
    "-1, 3, 1, [], {}, SimpleNamespace(n=0, items=[0])",
    "2, 2, 5, [0, 1], {'k': 2, 1: 0, 2: 2}, SimpleNamespace(n=3, items=[5])",
]
"""Argument lists, as texts: each run gets new ones."""
