"""Random functions with objects whose classes have operators, properties and iterators.

A program is a text with three classes and one function `f(x, n)`. Each method decides by a number
of its object, which is staged after the first write, and may write it, raise, or know nothing of
the other operand; the second class inherits from the first and overrides some of its methods.
"""

from __future__ import annotations

from tests.random_programs.object_programs import ARGUMENTS
from tests.random_programs.writer import Draw, Lines, indented

__all__ = ["ARGUMENTS", "SpecialPrograms"]

BINARY = ("add", "radd", "sub", "rsub", "mul", "rmul", "matmul", "lt", "gt", "le", "eq")
OTHERS = ("iadd", "neg", "abs", "float", "bool", "contains", "getitem", "setitem", "iter", "str")
PRELUDE = """\
class Held:
    def __init__(self, v):
        self.v = v
        self.count = 0.0

    def __repr__(self):
        return f"{type(self).__name__}({self.v})"

def number(y):
    return y.v if isinstance(y, Held) else y

"""
NAMES = ("a", "b", "c", "parts[0]", "parts[1]")


class SpecialPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        lines = [*self._class("A", "Held", 0.7), *self._class("B", "A", 0.25)]
        lines += [*self._class("C", "Held", 0.5), "def f(x, n):"]
        body = [f"{name} = {self.pick('A', 'B', 'C')}({self._start()})" for name in "abc"]
        body += ["seen = 0.0", f"parts = [{self.pick('a', 'b')}, {self.pick('c', 'B(2.0)')}]"]
        body += self._block(2, self.number(2, 5))
        values = ", ".join(f"{name}.{what}" for name in NAMES for what in ("v", "count"))
        body.append(f"return seen, {values}")
        return PRELUDE + "\n".join([*lines, *indented(body)]) + "\n"

    def _start(self) -> str:
        return self.pick("x", "1.5", "-2.0", "x + 1.0", "0.5")

    def _class(self, name: str, base: str, share: float) -> Lines:
        lines = [f"class {name}({base}):"]
        names = [x for x in BINARY + OTHERS if self.chance(share)]
        for one in names:
            lines += [*indented(self._method(one)), ""]
        if "eq" in names:
            lines += ["    __hash__ = None", ""]
        for one in ("size", "level"):
            if self.chance(share):
                lines += [*indented(self._property(one)), ""]
        if self.chance(share):
            lines += [*indented(self._missing()), ""]
        return [*lines, "    pass", ""]

    def _method(self, name: str) -> Lines:
        arguments = {"setitem": "self, y, z", "iadd": "self, y", "contains": "self, y"}
        arguments.update(dict.fromkeys((*BINARY, "getitem"), "self, y"))
        head = f"def __{name}__({arguments.get(name, 'self')}):"
        return [head, *indented([*self._before(), *self._answer(name)])]

    def _before(self) -> Lines:
        """Return what a method does before it answers."""
        return self.pick(
            [],
            [],
            ["self.count += 1.0"],
            [f"if self.v > {self.number(-1, 3)}:", "    self.count += 0.5"],
        )

    def _answer(self, name: str) -> Lines:
        test = f"if self.v > {self.number(-2, 2)}:"
        if name == "iter":
            return [test, "    yield self.v", f"yield {self.number(1, 5)}.0"]
        if name == "setitem":
            return [test, "    self.v = z", "else:", "    self.count += number(y)"]
        yes, no = self._given(name), self._given(name)
        if name == "iadd":
            return [test, f"    self.v = {yes}", "return self"]
        return [test, f"    return {yes}", f"return {no}"]

    def _given(self, name: str) -> str:
        k = f"{self.number(1, 4)}.0"
        if name in ("lt", "gt", "le", "eq", "contains"):
            other = "NotImplemented" if name != "contains" else "False"
            return self.pick(f"self.v < number(y) + {k}", f"number(y) > {k}", "True", other)
        if name in ("float", "str", "bool"):
            wrap = {"float": "float(self.v)", "str": 'f"{self.v:.2f}"', "bool": f"self.v < {k}"}
            constant = {"float": k, "str": f'"{k}"', "bool": "False"}
            return self.pick(
                f"bool({wrap[name]})" if name == "bool" else wrap[name], constant[name]
            )
        if name in ("neg", "abs"):
            return self.pick(f"-self.v + {k}", "self.v", k)
        one = self.pick(f"self.v + {k}", f"number(y) - {k}", "self.v * 0.5 + number(y)", k)
        may_be_missing = name in BINARY and self.chance(0.2)
        return "NotImplemented" if may_be_missing else one

    def _property(self, name: str) -> Lines:
        k, m = self.number(-1, 2), self.number(1, 4)
        lines = ["@property", f"def {name}(self):"]
        lines += indented([*self._before(), f"if self.v > {k}:", "    return self.v + 1.0"])
        lines += [f"    return {m}.0"]
        if self.chance(0.8):
            lines += ["", f"@{name}.setter", f"def {name}(self, y):"]
            lines += indented([f"if y > {k}:", f"    self.v = y - {m}.0"])
            lines += indented(["else:", "    self.count += 1.0"])
        return lines

    def _missing(self) -> Lines:
        return [
            "def __getattr__(self, name):",
            f"    if name != '{self.pick('other', 'level')}':",
            "        raise AttributeError(name)",
            f"    if self.v > {self.number(-1, 2)}:",
            "        return 2.5",
            "    return self.v",
        ]

    def _block(self, depth: int, count: int) -> Lines:
        return [line for _ in range(count) for line in self._statement(depth)]

    def _statement(self, depth: int) -> Lines:
        if depth and self.chance(0.4):
            return self.pick(self._if, self._for, self._try)(depth)
        return self._tried(self.pick(*self._simple()))

    def _simple(self) -> list[str]:
        one, other = self.pick(*NAMES), self.pick(*NAMES)
        sign = self.pick("+", "-", "*", "@")
        return [
            f"seen += {one} {sign} {other}",
            f"seen = {self._number()} {sign} {one}",
            f"seen = {one} {sign} {self._number()}",
            f"seen += {self.pick('-', '', 'abs', 'float')}({one})",
            f"{one} += {self._number()}" if one[-1] != "]" else f"{one}.v += 1.0",
            f"seen += {one}[{self._number()}]",
            f"{one}[{self._number()}] = {self._number()}",
            f"seen += {one}.{self.pick('size', 'level', 'other')}",
            f"{one}.{self.pick('size', 'level', 'other')} {self.pick('=', '+=')} {self._number()}",
            f"seen += getattr({one}, '{self.pick('size', 'level', 'other')}', {self._number()})",
            f"seen += float(hasattr({one}, '{self.pick('size', 'level')}'))",
            f"seen += sum([{one}, {other}], {self._number()})",
            f"seen += {self.pick('max', 'min')}({one}, {other}).v",
            f"seen += len(str({one}))",
            f"seen += sum(list({one}))",
        ]

    def _number(self) -> str:
        return self.pick("x", "1.0", "2.5", "seen * 0.25", f"{self.pick(*NAMES)}.v")

    def _tried(self, line: str) -> Lines:
        """Return a statement whose TypeErrors and AttributeErrors are caught, mostly."""
        if self.chance(0.1):
            return [line]
        return [
            "try:",
            f"    {line}",
            "except (TypeError, AttributeError) as error:",
            "    seen += len(str(error))",
        ]

    def _test(self) -> str:
        one, other = self.pick(*NAMES), self.pick(*NAMES)
        return self.pick(
            f"x > {self.number(-1, 2)}",
            f"{one}",
            f"not {one}",
            f"{one} == {other}",
            f"{one} != {self._number()}",
            f"{one}.v < {self._number()}",
        )

    def _if(self, depth: int) -> Lines:
        lines = [f"if {self._test()}:", *indented(self._block(depth - 1, 1))]
        if self.chance(0.4):
            lines += ["else:", *indented(self._block(depth - 1, 1))]
        return lines

    def _for(self, depth: int) -> Lines:
        body = self._block(depth - 1, self.number(1, 2))
        if self.chance(0.4):
            body += [f"if {self._test()}:", "    break"]
        head = self.pick(f"for k{depth} in range(n):", f"for k{depth} in {self.pick(*NAMES)}:")
        if "range" in head:
            return [head, *indented(body)]
        line = [head, *indented(body)]
        return [
            "try:",
            *indented(line),
            "except TypeError as error:",
            "    seen += len(str(error))",
        ]

    def _try(self, depth: int) -> Lines:
        lines = ["try:", *indented(self._block(depth - 1, self.number(1, 2)))]
        if self.chance(0.5):
            lines += indented([f"if {self._test()}:", "    raise ValueError(seen)"])
        lines += ["except (ValueError, TypeError, AttributeError):", "    seen += 1.0"]
        return [*lines, "finally:", *indented(self._block(0, 1))] if self.chance(0.3) else lines
