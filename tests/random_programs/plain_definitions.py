"""Random definitions inside functions: functions, generators, classes, decorators, managers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.random_programs.plain_expressions import Expressions
from tests.random_programs.plain_simple import Scope
from tests.random_programs.writer import Lines, indented

Block = Callable[[Scope, int], Lines]


class Definitions:
    """Writes definitions, and what uses them at once.

    Args:
        expressions: what it takes expressions from.
        block: writes the statements of a body.
    """

    def __init__(self, expressions: Expressions, block: Block) -> None:
        self.e = expressions
        self.draw = expressions.draw
        self._block = block
        self._count = 0

    def statement(self, scope: Scope, depth: int) -> Lines:
        """Return a definition and a use, as lines."""
        makers = [self._function] * 4 + [self._generator] * 2 + [self._class, self._loop_lambdas]
        makers += [self._recursion, self._manager]
        return self.draw.pick(*makers)(scope, depth)

    def _fresh(self, stem: str) -> str:
        self._count += 1
        return f"{stem}{self._count}"

    @contextmanager
    def _inside(self, *own: str) -> Iterator[Lines]:
        """Write the body of a function: give the lines that declare names of others."""
        outer, was_class = self.e.names, self.e.is_class
        functions = list(self.e.functions)
        declared: Lines = []
        enclosing = [name for name in outer if name in "abcxyz"]
        if enclosing and self.draw.chance(0.6):
            shared = self.draw.several(enclosing, min(2, len(enclosing)))
            declared.append(f"nonlocal {', '.join(shared)}")
        else:
            shared = enclosing[:1]
        if self.draw.chance(0.15):
            declared += ["global G", f"G = {self.e.number(1)}"]
        self.e.names = (*own, *shared, "i", *own)
        self.e.is_class = False
        try:
            yield declared
        finally:
            self.e.names, self.e.is_class, self.e.functions = outer, was_class, functions

    def _decorators(self) -> Lines:
        if self.draw.chance(0.75):
            return []
        return [self.draw.pick("@twice", f"@same({self.e.number(1)})", "@(lambda f: f)")]

    def _function(self, scope: Scope, depth: int) -> Lines:
        name = self._fresh("g")
        decorators, default = self._decorators(), self.e.number(1)
        parameters = self.draw.pick("v", f"v={default}", f"v, w={default}", "v=1, *w, **u")
        own = ("v", "w") if "w=" in parameters else ("v",)
        with self._inside(*own) as declared:
            body = [*declared, "i = 1", *self._block(Scope(), depth + 1)]
            body += [f"return {self.e.number(1)}"] if self.draw.chance(0.9) else []
        self.e.functions.append(name)
        use = self.draw.pick(
            f"{self.e.name()} = {name}({self.e.number(1)})",
            f"t({self.e.key()}, {name}(v={self.e.number(1)}))",
            f"fs.append(partial({name}, {self.e.name()}))",
            "pass",
        )
        return [*decorators, f"def {name}({parameters}):", *indented(body), use]

    def _generator(self, scope: Scope, depth: int) -> Lines:
        name = self._fresh("gen")
        with self._inside("v") as declared:
            body = [*declared, "i = 2", *self._block(Scope("generator"), depth + 1)]
            body += [f"yield {self.e.number(1)}"]
        x, k = self.e.name(), self.e.key()
        uses = [
            [f"for {x} in islice({name}({self.e.number(1)}), 4):", f"    t({k}, {x})"],
            [f"{x} = next({name}(1), 7)"],
            [f"{x} = sum(w for w in islice({name}(2), 4) if isinstance(w, int))"],
            [f"q = list(islice({name}({x}), 3))"],
            [f"it = {name}(1)", "next(it)", f"{x} = it.send({self.e.number(1)})", "it.close()"],
            [f"it = {name}(1)", f"t({k}, next(it, None))", f"it.throw({self.e.error()})"],
        ]
        return [f"def {name}(v):", *indented(body), *self.draw.pick(*uses)]

    def _class(self, scope: Scope, depth: int) -> Lines:
        name = self._fresh("C")
        was, self.e.is_class = self.e.is_class, True
        body = [f"n = {self.e.number(1)}"]
        if self.draw.chance(0.5):
            body += self._block(Scope("class"), depth + 1)
        self.e.is_class = was
        before, self.e.names = self.e.names, ("v", "self.n", "v", *self.e.names[:1])
        try:
            with self._inside("v") as declared:
                method = [*declared, "i = 0", *self._block(Scope(), depth + 1)]
            body += ["def __init__(self, v):", "    self.n = v", "    self.__secret = v"]
            body += ["def go(self, v):", *indented(method), "    return self.n + self.__secret"]
            body += ["@property", "def half(self):", "    return self.n // 2 if self.n else self.v"]
        finally:
            self.e.names = before
        x = self.e.name()
        base = self.draw.pick("", "", "(SimpleNamespace)")
        lines = [*self.draw.pick([], [], ["@same(1)"]), f"class {name}{base}:", *indented(body)]
        if self.draw.chance(0.3):
            lines += [
                f"class {name}b({name}):",
                "    def go(self, v):",
                f"        if {self.e.test()}:",
                "            return super().go(v)",
                "        return -self.n",
            ]
            name += "b"
        return [*lines, f"{x} = {name}({self.e.number(1)}).go({self.e.number(1)})"]

    def _loop_lambdas(self, scope: Scope, depth: int) -> Lines:
        x = self.e.name()
        kept = self.draw.pick(
            f"lambda: {x} * 2", f"lambda v={x}: v + {x}", f"lambda: {self.e.inner()}"
        )
        use = self.draw.pick(f"fs.append({kept})", f"fs += [{kept}, {kept}]", f"h = {kept}")
        lines = [f"for {x} in {self.e.iterable(1)}:", f"    {use}"]
        return lines + ([f"    t({self.e.key()}, h())"] if use.startswith("h") else [])

    def _recursion(self, scope: Scope, depth: int) -> Lines:
        name, x = self._fresh("r"), self.e.name()
        return [
            f"def {name}(v, w=0):",
            f"    t({self.e.key()}, v)",
            "    if v <= 0:",
            f"        return {self.e.name()}",
            f"    if {self.e.name()} > v:",
            f"        return {name}(v - 2, w + 1) - 1",
            f"    return {name}(v - 1) + w",
            f"{x} = {name}({self.e.name()} % 6)",
        ]

    def _manager(self, scope: Scope, depth: int) -> Lines:
        name = self._fresh("m")
        lines = [
            "@contextmanager",
            f"def {name}(v):",
            f"    t({self.e.key()}, v)",
            "    try:",
            "        yield v",
            f"    except {self.draw.pick('ValueError', 'LookupError', 'Exception')}:",
            f"        if v > {self.draw.number(0, 2)}:",
            "            raise",
            "    finally:",
            f"        t({self.e.key()})",
        ]
        body = self._block(scope, depth + 1)
        return [*lines, f"with {name}({self.e.number(1)}) as {self.e.name()}:", *indented(body)]
