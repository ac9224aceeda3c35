"""The variables that a graph uses while it is being built."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from runtime.graph.builder import Context
from runtime.tensor import Symbol

if TYPE_CHECKING:
    from runtime.state.variable import Variable


class Box(NamedTuple):
    """A variable in a graph that is being built: what it holds there now."""

    variable: Variable
    symbol: Symbol


class Boxes(Context):
    """The variables of a graph.

    Attributes:
        used: those that were used, by id.
        created: those that were created.
    """

    def __init__(self) -> None:
        self.used: dict[int, Box] = {}
        self.created: list[Variable] = []

    def inner(self) -> Boxes:
        """Return those of a region, which are those of the graph."""
        return self

    def add(self, variable: Variable, symbol: Symbol) -> None:
        """Let a symbol be what a variable holds in the graph."""
        symbol.variable = variable.reference
        self.used[id(variable)] = Box(variable, symbol)
