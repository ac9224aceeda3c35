"""The source of a function that runs a graph, and what it needs.

Comes in: nothing; this is data, made by `emit_python`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from runtime.graph.location import Location
from runtime.lower.plan import Step

Binding = Callable[[Any], Any]
"""What a global name of a driver stands for, given the array module."""


class Clock(Protocol):
    """What a driver calls before and after each step, where it is to be watched."""

    def start(self, step: Step, given: Sequence[Any]) -> Any:
        """Begin a step that reads some values."""

    def stop(self, begun: Any, made: Sequence[Any]) -> None:
        """End what `start` returned; the step gave some values."""


@dataclass(frozen=True, slots=True)
class Driver:
    """The source of a function.

    Args:
        source: the text.
        bindings: the global names that it uses.
        lines: the user's line that each line stands for.
        parts: where the operations of a line come from, by their text; for lines of several.
        functions: the drivers of functions that call themselves, by name.
        calls: the global names that stand for functions, its own and those around it.
        name: of the function.
    """

    source: str
    bindings: Mapping[str, Binding]
    lines: Sequence[Location | None]
    parts: Mapping[int, Mapping[str, Location | None]]
    functions: Mapping[str, Driver] = field(default_factory=dict)
    calls: Mapping[str, str] = field(default_factory=dict)
    name: str = "run"

    @property
    def text(self) -> str:
        """Its source, and before it those of the functions that it calls."""
        return "\n".join([*(inner.text for inner in self.functions.values()), self.source])

    def locate(self, line: int, text: str = "") -> Location | None:
        """Return what part of the user's program a line, or an operation in it, stands for."""
        return self.parts.get(line, {}).get(text) or self.lines[line - 1]


def known(value: Any) -> Binding:
    """Return the binding of what is the same for all array modules."""
    return lambda xp: value


def getter(name: str) -> Binding:
    """Return the binding of what an array module has under a name."""
    return lambda xp: getattr(xp, name)
