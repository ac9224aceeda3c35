"""Random functions that raise and catch exceptions with arguments, attributes and own classes.

A program is a text with one function `f(n, m, v)` of two integers of NumPy and an array of four.
"""

from __future__ import annotations

import sys

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented

PRELUDE = """\
import contextlib
import warnings

import numpy as np

class Base(Exception):
    level = 1

class Placed(Base):
    def __init__(self, where, *rest):
        super().__init__(where, *rest)
        self.where = where

class Told(Placed, ValueError):
    def __str__(self):
        return f"told at {self.where} of {len(self.args)}"

class Coded(LookupError):
    def __init__(self, code, text="t"):
        super().__init__(f"{text}: {code}")
        self.where = code

def checked(q, limit):
    if q > limit:
        raise Told(q, limit)
    return q * 2

def deeper(q, limit):
    try:
        return checked(q, limit) + 1
    except Told as e:
        if e.where > limit + 3:
            raise
        raise Coded(e.where - limit) from e

class Noted:
    count = 0
    text = "none"

    def __init__(self, *caught):
        self.caught = caught

    def __enter__(self):
        self.count += 1
        return self.count

    def __exit__(self, kind, error, trace):
        self.text = "left" if kind is None else kind.__name__
        return kind is not None and issubclass(kind, self.caught)

@contextlib.contextmanager
def noting(noted, *caught):
    try:
        yield noted.count
    except caught as e:
        noted.text = str(e)
    finally:
        noted.count += 10

@contextlib.contextmanager
def counting(noted, q, limit):
    if q > limit:
        noted.count += 100
    noted.text = f"{q}"
    yield q + noted.count
    noted.count += 1 if q > limit else 2

@contextlib.contextmanager
def held(kept, q):
    kept[q] = kept.get(q, 0) + 1
    try:
        yield kept[q]
    finally:
        kept[q] += 5

"""
NAMES = ("t", "u", "n", "m")
CLASSES = ("Placed", "Told", "Coded")
BUILTIN = ("ValueError", "KeyError", "RuntimeError", "FileNotFoundError", "OverflowError")
CAUGHT = (
    "Base", "Placed", "Told", "Coded", "KeyError", "(KeyError, Placed)", "(Coded, Told)",
    "LookupError", "ValueError", "Exception", "OSError", "IndexError", "(ArithmeticError, Base)",
    "FloatingPointError", "RuntimeWarning",
)  # fmt: skip
REPORTING = (
    "np.errstate(all='ignore')", "np.errstate(divide='raise')", "np.errstate(invalid='ignore')",
    "np.errstate(all='raise', under='ignore')", "np.errstate(divide='warn')",
)  # fmt: skip
FILTERS = ("'ignore'", "'error'", "'always'", "'ignore', RuntimeWarning", "'error', UserWarning")
HAS_STARS = sys.version_info >= (3, 11)
ARGUMENTS = [
    (np.int64(n), np.int64(m), np.arange(4) * np.int64(n) - np.int64(m))
    for n, m in ((5, 1), (-3, 2), (0, 0), (9, 4))
]


class ExceptionPrograms(Draw):
    """A source of programs, the same for the same seed."""

    loops = 0  # around the statement that is being made

    def program(self) -> str:
        """Return the text of a program."""
        lines = ["t = n * 2", "u = m - n", "w = np.float64(0.5)", "text = ''"]
        lines += [f"noted = Noted({self._caught()})", "kept = {}"]
        for _ in range(self.number(2, 4)):
            lines += self._statement(0)
        if self.chance(0.3):  # nobody uses it, but it may raise
            lines.insert(self.number(2, 3), f"v[{self._number()}]")
        lines.append("return t, u, w, text, noted.count, noted.text, sorted(kept.items())")
        return PRELUDE + "\n".join(["def f(n, m, v):", *indented(lines)]) + "\n"

    def _statement(self, depth: int) -> Lines:
        simple = [self._assign, self._raise, self._call, self._assert, self._divide]
        compound = [self._try, self._try, self._index, self._for, self._if, self._report]
        compound += [self._with, self._with]
        compound += [self._star] * HAS_STARS
        is_simple = depth >= 3 or self.chance(0.4)
        return self.pick(*(simple if is_simple else compound))(depth)

    def _block(self, depth: int) -> Lines:
        lines: Lines = []
        for _ in range(self.number(1, 2)):
            lines += self._statement(depth + 1)
        return indented(lines)

    def _number(self) -> str:
        a, b = self.pick(*NAMES), self.pick(*NAMES)
        return self.pick(a, f"{a} + {b}", f"{a} - 3", f"v[{self.number(0, 3)}]")

    def _test(self) -> str:
        return f"{self._number()} {self.pick('>', '<', '==')} {self.number(-3, 9)}"

    def _assign(self, depth: int) -> Lines:
        return [f"{self.pick('t', 'u')} = {self._number()}"]

    def _divide(self, depth: int) -> Lines:
        """Return what NumPy may warn of, in a variable that is only added to."""
        other = self.pick("n", "m", "t", "u", "v[1]")
        return [f"w = w + {self.pick(f'{self._number()} / {other}', f'np.log({other})')}"]

    def _report(self, depth: int) -> Lines:
        """Return statements under settings of their own for floating point errors."""
        block = [*indented(self._divide(depth)), *self._block(depth)]
        if self.chance(0.6):
            return [f"with {self.pick(*REPORTING)}:", *block]
        header = "with warnings.catch_warnings():"
        return [header, f"    warnings.simplefilter({self.pick(*FILTERS)})", *block]

    def _raise_group(self, depth: int) -> Lines:
        errors = ", ".join(self._error() for _ in range(self.number(1, 3)))
        return [f"if {self._test()}:", f"    raise ExceptionGroup('g', [{errors}])"]

    def _star(self, depth: int) -> Lines:
        name = f"e{depth}"
        raised = self._raise_group(depth) if self.chance(0.5) else self._raise(depth)
        lines = ["try:", *indented(raised), *self._block(depth)]
        for caught in self.several(CAUGHT, self.number(1, 2)):
            uses = [
                [f"t = getattr({name}.exceptions[0], 'where', u)"],
                [f"text = f'{{len({name}.exceptions)}}|{{{name}!r}}'"],
                self._assign(depth),
                ["raise"],
                self._raise(depth),
            ]
            lines += [f"except* {caught} as {name}:", *indented(self.pick(*uses))]
        return lines

    def _error(self) -> str:
        number, other = self._number(), self._number()
        own = self.pick(*CLASSES)
        return self.pick(
            f"{own}({number})",
            f"{own}({number}, {other})",
            f"{self.pick(*BUILTIN)}({number})",
            f"{self.pick(*BUILTIN)}({number}, 'text')",
            f"{self.pick(*BUILTIN)}(f'at {{{number}}}')",
            f"{self.pick(*BUILTIN)}",
        )

    def _raise(self, depth: int) -> Lines:
        return [f"if {self._test()}:", f"    raise {self._error()}"]

    def _call(self, depth: int) -> Lines:
        name = self.pick("checked", "deeper")
        call = f"{name}({self._number()}, {self.number(-2, 6)})"
        return [f"{self.pick('t', 'u')} = {call}"]

    def _index(self, depth: int) -> Lines:
        """Return an index that is caught."""
        name = f"e{depth}"
        caught = self.pick("IndexError", "LookupError", "Exception")
        return [
            "try:",
            f"    t = v[{self._number()}]",
            f"except {caught} as {name}:",
            *indented(self._handler(depth, name)),
        ]

    def _assert(self, depth: int) -> Lines:
        return [f"assert {self._test()}, {self.pick(self._number(), repr('no'))}"]

    def _if(self, depth: int) -> Lines:
        return [f"if {self._test()}:", *self._block(depth), "else:", *self._block(depth)]

    def _for(self, depth: int) -> Lines:
        self.loops += 1
        block = self._block(depth)
        self.loops -= 1
        return [f"for _ in range({self.pick('3', 'm', 'abs(n)')}):", *block]

    def _caught(self) -> str:
        return ", ".join(self.several([x for x in CAUGHT if "(" not in x], self.number(1, 2)))

    def _with(self, depth: int) -> Lines:
        """Return a `with` whose manager may swallow what is raised in it, and a jump out of it."""
        manager = self.pick(
            f"contextlib.suppress({self._caught()})",
            f"Noted({self._caught()})",
            "noted",
            f"noting(noted, {self._caught()})",
            f"counting(noted, {self.pick(*NAMES)}, {self.number(0, 4)})",
            f"held(kept, {self.pick(*NAMES)})",
        )
        target = self.pick("", "", "" if "suppress" in manager else " as t")
        jumps = ["return t, u, w, text, -1, 'away'", *("break", "continue") * bool(self.loops)]
        jump = [f"if {self._test()}:", f"    {self.pick(*jumps)}"] if self.chance(0.4) else []
        raised = self._raise(depth) if self.chance(0.5) else []
        block = [*indented(raised), *self._block(depth), *indented(jump)]
        return [f"with {manager}{target}:", *block]

    def _try(self, depth: int) -> Lines:
        name = f"e{depth}"
        lines = ["try:", *self._block(depth)]
        for caught in self.several(CAUGHT, self.number(1, 2)):
            lines += [f"except {caught} as {name}:", *indented(self._handler(depth, name))]
        if self.chance(0.3):
            lines += ["else:", *self._block(depth)]
        if self.chance(0.3):
            lines += ["finally:", *indented(self._assign(depth))]
        return lines

    def _handler(self, depth: int, name: str) -> Lines:
        uses = [
            [f"text = str({name})"],
            [f"text = f'{{{name}}}|{{{name}!r}}'"],
            [f"t = getattr({name}, 'where', u)"],
            [f"u = len({name}.args) + t"],
            [f"text = type({name}).__name__"],
            self._assign(depth),
        ]
        ends: list[Lines] = [
            [],
            [],
            [],
            ["raise"],
            [f"raise {self._error()} from {name}"],
            [f"raise {self._error()}"],
            self._raise(depth),
        ]
        return [*self.pick(*uses), *self.pick(*uses), *self.pick(*ends)]
