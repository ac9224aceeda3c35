"""Random expressions over integers, lists, a dict, an object and functions, on plain values.

Every expression has a known kind, so that most programs get past their first lines. `t(k, x)` logs
an event and returns `x`: the order of evaluation, and how often, is part of what is compared.
"""

from __future__ import annotations

from tests.random_programs.writer import Draw

ERRORS = (
    "ValueError",
    "KeyError",
    "ZeroDivisionError",
    "IndexError",
    "Oops",
    "TypeError",
    "AttributeError",
    "LookupError",
    "ArithmeticError",
    "StopIteration",
)


class Expressions:
    """Writes expressions.

    Args:
        draw: the choices.
    """

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.names: tuple[str, ...] = ("a", "b", "c", "x", "y", "z")
        self.lists: tuple[str, ...] = ("p", "q")
        self.functions: list[str] = []
        self.is_class = False
        self._events = 0

    def name(self) -> str:
        """Return a variable that holds an integer, if it holds anything."""
        return self.draw.pick(*self.names)

    def local(self) -> str:
        """Return a plain variable that holds an integer, no attribute."""
        return self.draw.pick(*(name for name in self.names if name.isidentifier()))

    def list_name(self) -> str:
        """Return a variable that holds a list."""
        return self.draw.pick(*self.lists)

    def key(self) -> int:
        """Return the key of a new event."""
        self._events += 1
        return self._events

    def number(self, depth: int = 0) -> str:
        """Return an expression for an integer."""
        if depth > 2 or self.draw.chance(0.4):
            return self._simple()
        makers = (
            self._arithmetic,
            self._arithmetic,
            self._event,
            self._event,
            self._conditional,
            self._logical,
            self._walrus,
            self._called,
            self._comprehended,
            self._item,
            self._builtin,
            self._lambda,
            self._truth,
        )
        return self.draw.pick(*makers)(depth + 1)

    def _simple(self) -> str:
        if self.draw.chance(0.3):
            return str(self.draw.number(-2, 4))
        rare = ("o.n", "G", "len(p)", "d.get('k', 1)", "K.TWO", "True")
        return self.draw.pick(*rare) if self.draw.chance(0.2) else self.name()

    def _arithmetic(self, depth: int) -> str:
        left, right = self.number(depth), self.number(depth)
        sign = self.draw.pick("+", "-", "+", "-", "*", "//", "%", "&", "|", "^")
        if sign == "*":
            return f"(({left} * {right}) % 97)"
        return self.draw.pick(f"({left} {sign} {right})", f"({left} {sign} {right})", f"(-{left})")

    def _event(self, depth: int) -> str:
        return f"t({self.key()}, {self.number(depth)})"

    def _conditional(self, depth: int) -> str:
        return f"({self.number(depth)} if {self.test(depth)} else {self.number(depth)})"

    def _logical(self, depth: int) -> str:
        sign = self.draw.pick("and", "or")
        return f"({self.number(depth)} {sign} {self.number(depth)})"

    def _truth(self, depth: int) -> str:
        return f"int({self.test(depth)})"

    def _walrus(self, depth: int) -> str:
        if self.is_class:
            return self._event(depth)
        return f"({self.local()} := {self.number(depth)})"

    def _called(self, depth: int) -> str:
        function = self.draw.pick(*self.functions) if self.functions else "abs"
        x, y = self.number(depth), self.number(depth)
        return self.draw.pick(
            f"{function}({x})",
            f"{function}({x})" if function == "abs" else f"{function}(v={x})",
            f"apply({function}, *[{x}])",
            f"{function}(*({x},), **{{}})",
            f"apply(max, {x}, {y}, key=lambda v: {self.inner('v')})",
            f"partial({function}, {x})()",
        )

    def _lambda(self, depth: int) -> str:
        x, y = self.number(depth), self.number(depth)
        return self.draw.pick(
            f"(lambda v: {self.inner('v')})({x})",
            f"(lambda v, w={x}: {self.inner('v', 'w')})({y})",
            f"(lambda *v, **w: len(v) + len(w))({x}, k={y})",
            f"(lambda: {x})()",
        )

    def inner(self, *own: str) -> str:
        """Return an expression in a scope of its own, with further variables."""
        before, was_class = self.names, self.is_class
        self.names, self.is_class = (*own, *own, *before[:3]), False
        try:
            return self.number(1)
        finally:
            self.names, self.is_class = before, was_class

    def _bare(self, *own: str) -> str:
        """Return an expression without `:=`, which a comprehension may not have everywhere."""
        x, y = self.draw.pick(*own, *self.names), self.draw.pick(*own)
        return self.draw.pick(
            x, f"{x} + {y}", f"{y} * 2", f"t({self.key()}, {y})", f"({x} if {y} > 1 else -{y})"
        )

    def comprehension(self, depth: int) -> str:
        """Return a comprehension or a generator expression, without brackets."""
        v = self._bare("v")
        source = self._source()
        last = f"(last := {v})" if self.draw.chance(0.15) and not self.is_class else v
        return self.draw.pick(
            f"{v} for v in {source}",
            f"{v} for v in {source} if {self._bare('v')} > {self._bare('v')}",
            f"{last} for v in {source} if v > 0 or {self._bare('v')}",
            f"{self._bare('v', 'w')} for v in {source} for w in {self._inner_source()}",
            f"{self._bare('v', 'w')} for v, w in zip({source}, (3, 1, 2))",
            f"(lambda: {v})() for v in {source}",
        )

    def _inner_source(self) -> str:
        return self.draw.pick("(1, 2)", "range(v % 3)", f"[v, {self.name()}]")

    def _source(self) -> str:
        return self.draw.pick(
            f"{self.list_name()}[:3]", "(1, 2, 3)", f"range({self.name()} % 4)", "[t(0, 2), 1]"
        )

    def _comprehended(self, depth: int) -> str:
        inside = self.comprehension(depth)
        return self.draw.pick(
            f"sum({inside})",
            f"sum([{inside}])",
            f"len({{{inside}}})",
            f"max([{inside}], default={self.number(depth)})",
            f"next(({inside}), {self.number(depth)})",
            f"sum({{v: v for v in {self._source()}}})",
            f"len([[w for w in [v]] for v in {self._source()}])",
        )

    def _item(self, depth: int) -> str:
        p, i = self.list_name(), self.number(depth)
        return self.draw.pick(
            f"{p}[0]",
            f"{p}[{i} % 3]",
            f"{p}[{i} % (len({p}) or 1)]",
            "d['k']",
            f"d[{self.draw.number(0, 1)}]",
            "o.n",
            f"sum({p}[{i} % 2:])",
            f"[{i}, {self.number(depth)}][-1]",
            f"{{'u': {i}, **{{'w': {self.number(depth)}}}}}['u']",
            f"[*{p}[:2], {i}][-1]",
        )

    def _builtin(self, depth: int) -> str:
        x, y, p = self.number(depth), self.number(depth), self.list_name()
        return self.draw.pick(
            f"abs({x})",
            f"max({x}, {y})",
            f"min({x}, {y})",
            f"len({p})",
            f"sum({p})",
            f"len(f'{{{self.name()}}}')",
            f"int(f'{{t({self.key()}, {self.name()}):>3}}')",
            f"len(f'{{{self.name()}!r:{{3}}}} and {{{self.name()} + 1}}')",
            f"sorted([{x}, {y}])[0]",
            f"divmod({x}, {y})[0]",
            f"reduce(lambda v, w: {self.inner('v', 'w')}, [{x}, {y}])",
            f"len(list(map(lambda v: {self.inner('v')}, [{x}])))",
            f"list(filter(lambda v: v, [{x}, 1]))[0]",
            f"next(iter([{x}]))",
            f"isinstance({x}, int)",
            f"bool({x})",
        )

    def test(self, depth: int = 0) -> str:
        """Return an expression for a truth value."""
        if depth > 2:
            return f"{self._simple()} {self._sign()} {self._simple()}"
        x, y = self.number(depth + 1), self.number(depth + 1)
        kind = self.draw.number(0, 12)
        if kind < 5:
            return f"{x} {self._sign()} {y}"
        if kind == 5:
            return f"{x} {self._sign()} {y} {self._sign()} {self.number(depth + 1)}"
        if kind == 6:
            return f"({self.test(depth + 1)} and {self.test(depth + 1)})"
        if kind == 7:
            return f"({self.test(depth + 1)} or {self.test(depth + 1)})"
        if kind == 8:
            return f"not ({self.test(depth + 1)})"
        return self._rare_test(x, y, depth)

    def _rare_test(self, x: str, y: str, depth: int) -> str:
        walrus = f"({self.local()} := {x}) > 0"
        return self.draw.pick(
            f"{self.name()} is None",
            f"{self.name()} is not None",
            f"{x} in {self.list_name()}",
            f"{x} not in (1, {y})",
            f"any({self.comprehension(depth + 1)})",
            f"all({self.comprehension(depth + 1)})",
            f"{self.list_name()}",
            x,
            f"1 < {x} < {y} != 3",
            f"isinstance({self.name()}, int)",
            f"({x} if {self.test(depth + 1)} else {y})",
            f"{x} > 0" if self.is_class else walrus,
        )

    def _sign(self) -> str:
        return self.draw.pick("<", ">", "==", "!=", "<=", ">=")

    def error(self) -> str:
        """Return an expression for an exception."""
        name = self.draw.pick(*ERRORS)
        return self.draw.pick(name, f"{name}({self.number(1)})", f"{name}('e', {self.number(1)})")

    def iterable(self, depth: int) -> str:
        """Return an expression for something finite to loop over."""
        p, n = self.list_name(), f"{self.name()} % 4"
        return self.draw.pick(
            "range(3)",
            f"range({n})",
            f"range({n}, -1, -1)",
            f"{p}[:3]",
            f"tuple({p})[:3]",
            f"islice({p}, 5)",
            "(1, 2)",
            f"[{self.number(1)}, {self.number(1)}]",
            f"({self.comprehension(1)})",
            f"[{self.comprehension(1)}][:4]",
            f"reversed({p}[:3])",
            f"chain({p}[:2], [{self.number(1)}])",
            f"map(lambda v: {self.inner('v')}, {p}[:3])",
            "list(d.values())[:3]",
            f"iter([{self.number(1)}, 2])",
        )
