"""The source of a function that runs a graph, what it needs, and where its text is kept.

Comes in: nothing; drivers are data, made by `emit_python`. `linecache` has their texts as long as
tracebacks and debuggers may show them: one that no program has any more is forgotten after a while.
That a program is gone is told by the collector of garbage, at any time and in any thread: so this
is only noted there, and what it changes is changed when the next source comes.
"""

from __future__ import annotations

import hashlib
import linecache
import weakref
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from runtime.forks import Lock
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


MOST_ENDED = 64
"""So many programs that are gone keep their sources."""


class Sources:
    """Sources by file name, and how many programs have each."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._used: Counter[str] = Counter()
        self._ended: deque[str] = deque()

    def add(self, source: str) -> str:
        """Make the source of one more program readable; return the name of its file."""
        file = f"<driver {hashlib.sha256(source.encode()).hexdigest()[:12]}>"
        with self._lock:
            self._used[file] += 1
            linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
            while len(self._ended) > MOST_ENDED:
                self._forget(self._ended.popleft())
        return file

    def release_with(self, program: Any, file: str) -> None:
        """Let a program that goes have the source no longer."""
        weakref.finalize(program, self._ended.append, file)

    def _forget(self, file: str) -> None:
        self._used[file] -= 1
        if not self._used[file]:
            del self._used[file]
            linecache.cache.pop(file, None)


SOURCES = Sources()
