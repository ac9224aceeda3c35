"""What an explanation says, as data and as text.

In: statements with decisions, variables and problems. Out: a text in aligned columns, or plain
data for JSON. It knows nothing of trees or of tracing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

WIDEST = 44
"""So many characters of a statement are shown before the next column."""


@dataclass(frozen=True)
class Variable:
    """A variable of the state of a branch or a loop.

    Attributes:
        name: of the variable, `x` or `self.count`.
        before: what it held before the statement, `f32[3]`; empty where nothing was traced.
        after: what it holds afterwards.
    """

    name: str
    before: str = ""
    after: str = ""

    @property
    def is_widened(self) -> bool:
        """Whether it holds another type afterwards than before."""
        return self.before != self.after and self.before not in ("", "undefined")

    def __str__(self) -> str:
        if not (self.before or self.after):
            return self.name
        change = self.before if self.before == self.after else f"{self.before} -> {self.after}"
        return f"{self.name}: {change}{', widened' if self.is_widened else ''}"


@dataclass(frozen=True)
class Statement:
    """A branch, a loop, an operator of logic or a call, and what becomes of it.

    Attributes:
        line: where it begins, from 1.
        column: where it begins in that line, from 0, in UTF-8 bytes.
        kind: `if`, `while`, `for`, `if expression`, `and`, `or`, `not`, `in`, `is`, `comparison`,
            `assert`, `case`, `call`.
        text: its source, up to the colon of a statement.
        decision: `staged`, `Python`, `unrolled`, `converted`, `as it is` or `not reached`.
        reason: why.
        state: the variables that it assigns and that are needed afterwards.
        discarded: variables that it assigns and that nobody needs afterwards.
    """

    line: int
    column: int
    kind: str
    text: str
    decision: str
    reason: str = ""
    state: tuple[Variable, ...] = ()
    discarded: tuple[str, ...] = ()

    @property
    def outcome(self) -> str:
        """The decision and the reason."""
        return f"{self.decision}: {self.reason}" if self.reason else self.decision

    def decided(self, decision: str, reason: str = "") -> Statement:
        """Return the same statement with another decision."""
        return replace(self, decision=decision, reason=reason)


@dataclass(frozen=True)
class Problem:
    """What is wrong with a function, or may be.

    Attributes:
        line: where, from 1; 0 where that is not known.
        code: of the check that found it, `AG101`; empty for an error of tracing.
        message: what is wrong, in full sentences.
        fix: what to write instead; empty where the message says it.
    """

    line: int
    code: str
    message: str
    fix: str = ""


@dataclass(frozen=True)
class Kept:
    """What is kept of the rounds of a loop for going back through it.

    Attributes:
        line: of the loop.
        specs: the arrays, a row for each round, `f64[1000, 8]`.
        bytes: of all of them; None where the number of rounds is not known.
        round_bytes: of one round.
        again: the lines of which something is computed from that, before cotangents come in.
        operations: how many operations of a round going back are such, and how many there are.
    """

    line: int
    specs: tuple[str, ...]
    bytes: int | None
    round_bytes: int
    again: tuple[int, ...]
    operations: tuple[int, int]

    def __str__(self) -> str:
        whole = "" if self.bytes is None else f", {self.bytes:,} in all"
        some, count = self.operations
        lines = f"line{'s' * (len(self.again) > 1)} {', '.join(map(str, self.again))}"
        again = f"{some} of {count} operations, of {lines}" if some else "nothing"
        kept = f"keeps {', '.join(self.specs)}: {self.round_bytes:,} bytes a round{whole}"
        return f"{kept}; computes from that {again}"


@dataclass(frozen=True)
class Explanation:
    """What becomes of each statement of a function; `str()` gives a text in columns.

    Attributes:
        function: its name.
        file: where it is.
        line: where it begins.
        arguments: what it was traced with; None if it was only read.
        statements: in the order of the source.
        problems: all that were found, in the order of the source.
        kept: of a derivative, what going back through loops keeps, and computes from that.
    """

    function: str
    file: str
    line: int
    arguments: str | None
    statements: tuple[Statement, ...]
    problems: tuple[Problem, ...] = ()
    kept: tuple[Kept, ...] = ()

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return str(self)

    def as_json(self) -> dict[str, Any]:
        """Return the same as dictionaries, lists, texts and numbers."""
        return asdict(self)

    def _lines(self) -> Iterator[str]:
        how = "as it is written" if self.arguments is None else f"traced with {self.arguments}"
        yield f"{self.function} in {self.file}, line {self.line}, {how}"
        yield ""
        width = max((len(_short(one.text)) for one in self.statements), default=0)
        for one in self.statements:
            yield f"{one.line:5}  {_short(one.text):{width}}  {one.outcome}"
            yield from (f"{'':{11 + width}}{detail}" for detail in _details(one))
        if not self.statements:
            yield "       no branches, loops, logic or calls"
        yield ""
        if self.kept:
            yield "going back:"
            yield from (f"{one.line:5}  {one}" for one in self.kept)
            yield ""
        yield from self._problem_lines()

    def _problem_lines(self) -> Iterator[str]:
        yield "problems:" if self.problems else "no problems found"
        for one in self.problems:
            head, *rest = f"{one.code} {one.message}".strip().splitlines()
            yield f"{one.line or '?':>5}  {head}"
            yield from (f"       {line}" for line in rest)
            if one.fix:
                yield f"       Try: {one.fix}"


def _details(statement: Statement) -> Iterator[str]:
    """Yield the variables: each with its types on a line, or all names on one."""
    if any(variable.after for variable in statement.state):
        yield from map(str, statement.state)
    elif statement.state:
        yield f"state: {', '.join(map(str, statement.state))}"
    if statement.discarded:
        yield f"discarded: {', '.join(statement.discarded)}"


def _short(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 3]}..."
