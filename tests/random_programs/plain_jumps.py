"""Random functions that jump: out of every statement, in every statement, in every kind of loop.

A program is a text with one function `f(a, p, it)`: an integer, a list and an iterator. Bodies,
handlers, `else`, `finally`, `with` and cases break, continue, return and raise. It logs events with
`t`, prints, warns, changes its arguments, and returns values whose classes are compared, too.

Each program has a few kinds of statements and loops only: what one kind of statement does right, an
`if` with a jump among all others, would hide that another one does it wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.random_programs.writer import Draw, Lines, indented

HEADER = "def f(a, p, it):"
START = ["x = 0", "y = []", "z = None"]
RESULT = "return x, y, z, a in (1, 2), x or True, not y"
ERRORS = ("KeyError", "ValueError", "StopIteration", "ZeroDivisionError", "Oops", "OSError")
CAUGHT = (*ERRORS, "(KeyError, Oops)", "LookupError", "Exception")
DEEPEST = 4
HEADERS = (
    ("while True:", "t(KEY)"),
    ("while True:", "x += next(it)"),
    ("while N < 3:", "N += 1"),
    ("while N < 4 and TEST:", "N += 1"),
    ("for x in (1, 2, 3):", ""),
    ("for N in [1, 0, 2]:", "t(KEY, N)"),
    ("for N in range(3):", ""),
    ("for x in range(a):", ""),
    ("for x in p:", ""),
    ("for x in it:", ""),
    ("for x, z in zip(p, 'abc'):", ""),
    ("for N, x in enumerate(p[:4]):", ""),
)


@dataclass(frozen=True)
class Place:
    """Where a statement stands.

    Attributes:
        depth: how many statements are around it.
        jumps: the jumps that may stand here.
        error: what the innermost handler calls its error.
    """

    depth: int = 0
    jumps: tuple[str, ...] = ("return",)
    error: str = ""


class JumpPrograms:
    """A source of programs, the same for the same seed.

    Args:
        seed: of the random numbers.
    """

    def __init__(self, seed: int) -> None:
        self.draw = Draw(seed)
        self._keys = 0
        self._counters = 0
        makers = (self._try, self._with, self._if, self._match, self._called_off)
        self._makers = [self._try, self._loop, *self.draw.several(makers, self.draw.number(1, 3))]
        self._headers = self.draw.several(HEADERS, self.draw.number(1, 3))
        self._guarded = self.draw.pick(0.0, 0.2, 0.6)

    def program(self) -> str:
        """Return the text of a program."""
        lines = [*START]
        for _ in range(self.draw.number(1, 2)):
            lines += self._compound(Place())
        return "\n".join([HEADER, *indented([*lines, RESULT])]) + "\n"

    def _key(self) -> int:
        self._keys += 1
        return self._keys

    def _block(self, place: Place) -> Lines:
        inner = replace(place, depth=place.depth + 1)
        lines: Lines = []
        for _ in range(self.draw.pick(1, 1, 2, 3)):
            lines += self._statement(inner)
        return indented(lines)

    def _statement(self, place: Place) -> Lines:
        if place.depth < DEEPEST and self.draw.chance(0.45):
            return self._compound(place)
        makers = (self._jump, self._jump, self._raise, self._change, self._fail)
        return self.draw.pick(*makers)(place)

    def _compound(self, place: Place) -> Lines:
        if place.depth < 2 and self.draw.chance(0.5):
            return self._loop(place)
        return self.draw.pick(*self._makers)(place)

    def _test(self) -> str:
        k, n = self._key(), self.draw.number(0, 3)
        return self.draw.pick(
            f"x > {n}",
            f"t({k}, x) == {n}",
            f"x in (1, {n})",
            f"x % 2 == {n % 2}",
            "a > 0",
            f"x is not None and x < {n}",
            f"isinstance(z, {self.draw.pick('int', 'str')})",
            "z is None",
            f"len(y) > {n}",
        )

    def _value(self) -> str:
        k, n = self._key(), self.draw.number(0, 3)
        return self.draw.pick(
            f"x + {n}", f"x == {n}", f"x in (1, {n})", "not y", "x or z", "'text'", "(x, len(y))",
            f"t({k}, x)", f"x > 0 and {n}", "None", f"1 if x < {n} else 2.5", "a is None",
        )  # fmt: skip

    def _jump(self, place: Place) -> Lines:
        kind = self.draw.pick(*place.jumps) if place.jumps else "pass"
        jump = self.draw.pick("return", f"return {self._value()}") if kind == "return" else kind
        if not self.draw.chance(self._guarded):
            return [jump]
        return [f"if {self._test()}:", f"    {jump}"]

    def _raise(self, place: Place) -> Lines:
        error = f"{self.draw.pick(*ERRORS)}('{self._key()}', x)"
        found = self.draw.pick(f"raise {error}", f"raise {error} from None")
        if place.error:
            found = self.draw.pick(found, "raise", f"raise {error} from {place.error}")
        if not self.draw.chance(max(0.3, self._guarded)):
            return [found]
        return [f"if {self._test()}:", f"    {found}"]

    def _change(self, place: Place) -> Lines:
        k = self._key()
        return [
            self.draw.pick(
                "x += 1", "x += 1", f"y.append({self._value()})", f"z = {self._value()}",
                f"p[0] = {self._value()}", f"t({k}, y)", f"print({k}, x)", "a, x = x, a",
                f"warn('{k}')", "del p[-1]", f"assert {self._test()}, (x, '{k}')",
            )
        ]  # fmt: skip

    def _fail(self, place: Place) -> Lines:
        """Do what may fail by itself."""
        return [
            self.draw.pick(
                "x += next(it)",
                "y.append(next(it))",
                "x = p[x]",
                "x = 6 // x",
                "p.remove(x)",
                "x = y.pop()",
                "x, z = p",
                "z = unbound",
            )
        ]

    def _loop(self, place: Place) -> Lines:
        self._counters += 1
        header, first = (self._filled(text) for text in self.draw.pick(*self._headers))
        start = [f"n{self._counters} = 0"] if header.startswith("while n") else []
        inside = replace(place, jumps=(*place.jumps[:1], "break", "continue"))
        lines = [header, *indented([first] if first else []), *self._block(inside)]
        if header != "while True:" and self.draw.chance(0.3):
            lines += ["else:", *self._block(place)]
        return [*start, *lines]

    def _filled(self, text: str) -> str:
        """Return a header with the counter of its loop, a test, and the key of an event."""
        text = text.replace("KEY", str(self._key())).replace("N", f"n{self._counters}")
        return text.replace("TEST", self._test()) if "TEST" in text else text

    def _if(self, place: Place) -> Lines:
        lines = [f"if {self._test()}:", *self._block(place)]
        if self.draw.chance(0.2):
            lines += [f"elif {self._test()}:", *self._block(place)]
        if self.draw.chance(0.4):
            lines += ["else:", *self._block(place)]
        return lines

    def _match(self, place: Place) -> Lines:
        subject = self.draw.pick("x", "(x, z)", "p", "z", "type(z)")
        lines = [f"match {subject}:"]
        for _ in range(self.draw.number(1, 2)):
            pattern = self.draw.pick(
                "0", "1 | 2", "[_, *y]", "int(x)", "None", "str()", "(x, None)"
            )
            guard = self.draw.pick("", "", f" if {self._test()}")
            lines += [f"    case {pattern}{guard}:", *indented(self._block(place))]
        if self.draw.chance(0.4):
            lines += ["    case _:", *indented(self._block(place))]
        return lines

    def _with(self, place: Place) -> Lines:
        k = self._key()
        manager = self.draw.pick(
            f"Manager(t, {k})",
            f"Manager(t, {k}, {self.draw.pick(*ERRORS)})",
            f"Failing(t, {k})",
            f"quiet(t, {k}, x) as z",
            f"suppress({self.draw.pick(*ERRORS)})",
            f"Manager(t, {k}), Failing(t, {k})",
        )
        return [f"with {manager}:", *self._block(place)]

    def _called_off(self, place: Place) -> Lines:
        """Jump out of what fails on the way out, and go on."""
        jump, k = self._jump(place), self._key()
        inner = self.draw.pick(
            [f"with Failing(t, {k}):", *indented(jump)],
            ["try:", *indented(jump), "finally:", *indented(self._fail(place))],
        )
        if self.draw.chance(0.3):
            return [f"with Manager(t, {k}, Exception):", *indented(inner)]
        return ["try:", *indented(inner), "except Exception:", *self._block(place)]

    def _try(self, place: Place) -> Lines:
        lines = ["try:", *self._block(place)]
        count = self.draw.pick(0, 1, 1, 2)
        for _ in range(count):
            name = self.draw.pick("", "e", "e", "e2")
            body = self._block(replace(place, error=name or place.error))
            log = [f"    t({self._key()}, {name})"] if name and self.draw.chance(0.5) else []
            caught = f"{self.draw.pick(*CAUGHT)} as {name}" if name else self.draw.pick(*CAUGHT)
            lines += [f"except {caught}:", *log, *body]
        if count and self.draw.chance(0.4):
            lines += ["else:", *self._block(place)]
        if not count or self.draw.chance(0.4):
            jumps = [jump for jump in place.jumps if jump != "continue"]
            jumps = place.jumps if self.draw.chance(0.3) else jumps
            jumps = jumps if self.draw.chance(0.3) else ()
            lines += ["finally:", *self._block(replace(place, jumps=tuple(jumps)))]
        return lines


ARGUMENTS = ["3, [3, 1, 2], iter([1, 0, 2, 1])", "0, [0], iter([])", "2, [], iter(range(9))"]
"""Argument lists, as texts: each run gets new ones."""
