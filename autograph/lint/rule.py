"""What a rule is, and what it finds."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from autograph.lint.staged import Staged

Found = Iterable[tuple[ast.AST, str]]


@dataclass(frozen=True)
class Rule:
    """A hazard: one row of the table.

    Attributes:
        code: `AG101`.
        title: what is found, for the list of rules.
        reason: why it is a hazard: a clause.
        fix: what to write instead.
        finds: yields the places in a staged function, each with what is there: a clause.
        bad: an example in which it is found.
        good: the same, as it should be.
    """

    code: str
    title: str
    reason: str
    fix: str
    finds: Callable[[Staged], Found]
    bad: str
    good: str


@dataclass(frozen=True)
class Finding:
    """A place at which a rule applies.

    Attributes:
        file: its name.
        line: from 1.
        column: from 1, in characters.
        code: of the rule.
        message: what was found and why it is a hazard.
        fix: what to write instead.
        text: the source line.
    """

    file: str
    line: int
    column: int
    code: str
    message: str
    fix: str
    text: str

    def __str__(self) -> str:
        """Return place, message, source line with a caret, and fix, one below the other."""
        indent = len(self.text) - len(self.text.lstrip())
        caret = " " * max(0, self.column - 1 - indent) + "^"
        return (
            f"{self.file}:{self.line}:{self.column}: {self.code} {self.message}\n"
            f"    {self.text.strip()}\n    {caret}\n    Try: {self.fix}"
        )
