"""Random simple statements on plain values: assignments of all forms, jumps, errors."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.random_programs.plain_expressions import Expressions
from tests.random_programs.writer import Lines


@dataclass
class Scope:
    """Where a statement stands.

    Attributes:
        kind: "function", "generator" or "class".
        loops: how many loops are around it in this function.
        handlers: the names that handlers around it have for their errors.
        in_group: whether it stands in an `except*`, which nothing may jump out of.
        shared: names that may not be deleted here, since they belong to a function around.
    """

    kind: str = "function"
    loops: int = 0
    handlers: list[str] = field(default_factory=list)
    in_group: bool = False


class Simple:
    """Writes simple statements.

    Args:
        expressions: what it takes expressions from.
    """

    def __init__(self, expressions: Expressions) -> None:
        self.e = expressions
        self.draw = expressions.draw

    def statement(self, scope: Scope) -> Lines:
        """Return a statement, as lines."""
        makers = [self._assign] * 6 + [self._augment] * 3 + [self._unpack] * 2 + [self._log] * 3
        makers += [self._store] * 3 + [self._jump] * 5 + [self._change, self._raise, self._assert]
        makers += [self._delete, self._annotated, self._text, self._nothing, self._keep]
        return self.draw.pick(*makers)(scope)

    def _assign(self, scope: Scope) -> Lines:
        x, y = self.e.name(), self.e.name()
        if self.draw.chance(0.15):
            return [f"{x} = {y} = {self.e.number()}"]
        return [f"{x} = {self.e.number()}"]

    def _annotated(self, scope: Scope) -> Lines:
        """Annotate a name that nobody declares nonlocal or global."""
        return [f"own: int = {self.e.number()}", f"{self.e.name()} = own"]

    def _augment(self, scope: Scope) -> Lines:
        sign = self.draw.pick("+", "-", "+", "|", "%", "//", "&", "^")
        p, x = self.e.list_name(), self.e.number()
        return [
            self.draw.pick(
                f"{self.e.name()} {sign}= {x}",
                f"{self.e.name()} {sign}= {x}",
                f"{p}[{self.e.number(1)} % 3] {sign}= {x}",
                f"d['k'] {sign}= {x}",
                f"o.n {sign}= {x}",
                f"{p} += {p}[:1]",
                f"{p} += ({x},)",
                f"{p}[t({self.e.key()}, 0)] += t({self.e.key()}, 1)",
            )
        ]

    def _unpack(self, scope: Scope) -> Lines:
        x, y, p = self.e.name(), self.e.name(), self.e.list_name()
        first, second = self.e.number(), self.e.number()
        return [
            self.draw.pick(
                f"{x}, {y} = {first}, {second}",
                f"{x}, {y} = {y}, {x}",
                f"[{x}, {y}] = {p}",
                f"{x}, *q = {p}",
                f"*q, {x} = {first}, {second}, 3",
                f"{x}, ({y}, *q) = {first}, ({second}, 1, 2)",
                f"{p}[0], {x} = {x}, {first}",
                f"({x}, o.n), d['k'] = (1, {first}), {second}",
                f"{x}, {y} = ({self.e.comprehension(1)})",
            )
        ]

    def _store(self, scope: Scope) -> Lines:
        p, x, k = self.e.list_name(), self.e.number(), self.e.key()
        return [
            self.draw.pick(
                f"{p}[t({k}, 0)] = {x}",
                f"{p}[{self.e.number(1)} % 3] = {x}",
                f"{p}[1:] = [{x}]",
                f"d[{self.e.number(1)} % 3] = {x}",
                f"d['k'] = {x}",
                f"o.n = {x}",
                f"o.items[0] = {x}",
            )
        ]

    def _change(self, scope: Scope) -> Lines:
        p, x = self.e.list_name(), self.e.number()
        return [
            self.draw.pick(
                f"{p}.append({x})",
                f"{p}.insert(0, {x})",
                f"{self.e.name()} = {p}.pop()",
                f"{p}.sort(key=lambda v: {self.e.inner('v')})",
                f"d.update(k={x})",
                f"d.setdefault({self.e.number(1)} % 3, {x})",
                f"q = [{self.e.comprehension(1)}][:4]",
                f"q = {p}",
                f"{self.e.name()} = d.pop('k', 0)",
            )
        ]

    def _log(self, scope: Scope) -> Lines:
        return [f"t({self.e.key()}, {self.e.number()})"]

    def _text(self, scope: Scope) -> Lines:
        return [f"t({self.e.key()}, f'{{{self.e.name()}}}-{{{self.e.list_name()}!r}}')"]

    def _nothing(self, scope: Scope) -> Lines:
        return [self.draw.pick("pass", "...", "'words'")]

    def _keep(self, scope: Scope) -> Lines:
        """Keep a function for later: it sees what its variables hold then."""
        x = self.draw.pick(
            f"lambda: {self.e.name()}",
            f"lambda v={self.e.name()}: v + {self.e.name()}",
            f"lambda: {self.e.inner()}",
        )
        return [f"fs.append({x})"]

    def _jump(self, scope: Scope) -> Lines:
        jumps = ["return", *[f"return {self.e.number()}"] * 4]
        if scope.kind == "generator":
            jumps = [f"yield {self.e.number()}"] * 3 + [
                "return",
                f"yield from {self.e.iterable(1)}",
            ]
        if scope.in_group or scope.kind == "class":
            jumps = ["pass"]
        if scope.loops:
            jumps += ["break", "continue"] * 2
        jump = self.draw.pick(*jumps)
        if self.draw.chance(0.15):
            return [jump]
        return [f"if {self.e.test()}:", f"    {jump}"]

    def _raise(self, scope: Scope) -> Lines:
        error = self.e.error()
        choices = [f"raise {error}"] * 3 + [f"raise {error} from {self.draw.pick('None', error)}"]
        if scope.handlers:
            name = self.draw.pick(*scope.handlers)
            choices += ["raise"] * 3 + [f"raise {name}", f"raise {error} from {name}"]
        elif self.draw.chance(0.1):
            choices = ["raise"]
        found = self.draw.pick(*choices)
        return [found] if self.draw.chance(0.2) else [f"if {self.e.test()}:", f"    {found}"]

    def _assert(self, scope: Scope) -> Lines:
        message = self.draw.pick("", f", {self.e.number()}", f", f'{{{self.e.name()}}}'")
        return [f"assert {self.e.test()}{message}"]

    def _delete(self, scope: Scope) -> Lines:
        x, y = self.e.name(), self.e.name()
        return [
            self.draw.pick(
                f"del {x}" if self.draw.chance(0.2) else "del d['k']",
                f"del {self.e.list_name()}[0]",
                f"del d[{self.draw.number(0, 2)}]",
                f"del {x}, {y}" if self.draw.chance(0.2) else f"del {self.e.list_name()}[1:]",
                "del o.n" if self.draw.chance(0.3) else "del p[-1:]",
            )
        ]
