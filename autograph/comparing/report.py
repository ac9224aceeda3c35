"""What a comparison says, as data and as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autograph.comparing.values import shown


class DifferenceError(AssertionError):
    """A function does not do the same when it is staged."""


@dataclass(frozen=True)
class Difference:
    """The first place at which a plain and a staged function differ.

    Attributes:
        file: of the function.
        line: of the statement after which they differ.
        text: the source of that line.
        rounds: for each loop around it its line and the number of the round, from 1.
        call: which call it was, from 1.
        name: of the variable; empty if it is not one.
        plain: what it is in plain Python.
        staged: what it is in the staged function.
        how: what is different, in words.
    """

    file: str
    line: int
    text: str
    rounds: tuple[tuple[int, int], ...]
    call: int
    name: str
    plain: Any
    staged: Any
    how: str

    def __str__(self) -> str:
        rounds = ", ".join(
            f"round {number} of the loop in line {line}" for line, number in self.rounds
        )
        where = f"{self.file}:{self.line}{': ' if rounds else ''}{rounds}"
        call = f" (in call {self.call})" if self.call > 1 else ""
        lines = [f"{where}{call}", f"    {self.text}", self.how]
        if self.name:
            lines += [f"  plain:  {shown(self.plain)}", f"  staged: {shown(self.staged)}"]
        return "\n".join(lines)


@dataclass(frozen=True)
class Comparison:
    """Whether a function does the same when it is staged: true if it does.

    Attributes:
        function: its name.
        file: where it is.
        calls: how often it was called.
        compared: after how many statements the variables were compared, all in all.
        difference: the first one, or None.
    """

    function: str
    file: str
    calls: int
    compared: int
    difference: Difference | None = None

    def __bool__(self) -> bool:
        return self.difference is None

    def __str__(self) -> str:
        if self.difference is None:
            times = f"{self.calls} call{'' if self.calls == 1 else 's'}"
            return f"{self.function}: no difference in {times}, after {self.compared} statements"
        return f"{self.function} differs when it is staged.\n{self.difference}"

    def __repr__(self) -> str:
        return str(self)

    def raise_if_different(self) -> None:
        """Raise a DifferenceError, with the text, if there is a difference."""
        if self.difference is not None:
            raise DifferenceError(str(self))
