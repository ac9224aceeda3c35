"""What a difference is, and where: from what the two sides told, and how their calls ended.

In: what plain code told, up to where the staged side is, and how both ended. Out: a `Difference`
with file, line and rounds, or None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autograph.comparing.marks import Site
from autograph.comparing.report import Difference
from autograph.comparing.sides import Differs, Seen
from autograph.comparing.values import Tolerance, copied
from autograph.comparing.values import difference as values_differ
from autograph.source.load import FunctionSource
from runtime.graph.location import error_location

_NOTHING_RAISED = "nothing is raised"


@dataclass(frozen=True)
class Ended:
    """How a call ended.

    Attributes:
        result: what it returned.
        error: what it raised, or None.
        is_tracing: whether it was raised while the function was traced.
    """

    result: Any = None
    error: Exception | None = None
    is_tracing: bool = False

    @property
    def raised(self) -> str:
        """What was raised, in words."""
        if self.error is None:
            return _NOTHING_RAISED
        return f"{type(self.error).__name__}: {self.error}"


class Judge:
    """Finds differences, and says where they are.

    Args:
        source: of the function.
        sites: of the function.
        tolerance: how much values may differ.
        ignored: what is not compared.
    """

    def __init__(
        self,
        source: FunctionSource,
        sites: Sequence[Site],
        tolerance: Tolerance,
        ignored: frozenset[str],
    ) -> None:
        self._source = source
        self._file = source.file
        self._sites = sites
        self._tolerance = tolerance
        self._ignored = ignored

    def difference(self, site: Site, call: int, events: Sequence[Seen], **found: Any) -> Difference:
        rounds = _rounds(self._sites, events)
        return Difference(
            file=self._file,
            line=site.line,
            text=self._text(site.line),
            rounds=tuple((line, rounds.get(line, 0)) for line in site.loops),
            call=call,
            **found,
        )

    def _text(self, line: int) -> str:
        lines = self._source.lines
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    def placed(
        self, differs: Differs, events: Sequence[Seen], plain: Ended, call: int
    ) -> Difference:
        """Return the difference that the graph was stopped for."""
        sites = self._sites
        site, done = sites[differs.site], events[: differs.index]
        if differs.name:
            how = _in_words(differs.name, differs.how)
            values = differs.values
            done = events[: differs.index + 1]
            return self.difference(
                site, call, done, name=differs.name, plain=values[0], staged=values[1], how=how
            )
        ahead = events[differs.index] if differs.index < len(events) else None
        if ahead is not None:
            return self._parted(sites[ahead.site], site, done, call)
        how = f"the staged function goes on to line {site.line}, and the plain one does not"
        if plain.error is not None:
            return self._raised(plain, Ended(), done, call, how)
        last = sites[done[-1].site] if done else site
        return self.difference(last, call, done, name="", plain=None, staged=None, how=how)

    def _parted(self, plain: Site, staged: Site, done: Sequence[Seen], call: int) -> Difference:
        """Return the difference of two that go different ways: at the statement that decides."""
        sites = self._sites
        how = (
            f"they go different ways: the plain function {_way(plain)}, and the staged one "
            f"{_way(staged)}"
        )
        own = {*plain.around} ^ {*staged.around}
        last = sites[done[-1].site] if done else plain
        where = min((line for line, _ in own), default=last.line)
        inner = plain if where in dict(plain.around) else staged
        loops = tuple(line for line in inner.loops if line < where) if own else last.loops
        site = Site("parted", where, (), (), loops)
        return self.difference(site, call, done, name="", plain=None, staged=None, how=how)

    def at_end(
        self, events: Sequence[Seen], count: int, plain: Ended, staged: Ended, call: int
    ) -> Difference | None:
        """Return how the ends of two calls differ."""
        done = events[:count]
        sites = self._sites
        if plain.raised != staged.raised:
            return self._raised(plain, staged, done, call)
        if count < len(events) and staged.error is None:
            how = f"the plain function goes on to line {sites[events[count].site].line}"
            how += ", and the staged one does not"
            last = sites[done[-1].site] if done else sites[events[0].site]
            return self.difference(last, call, done, name="", plain=None, staged=None, how=how)
        a, b = plain.result, copied(staged.result)
        found = values_differ(a, b, self._tolerance) if "return" not in self._ignored else None
        if found is None:
            return None
        name = "what is returned"
        how = _in_words(name, found)
        site = sites[done[-1].site] if done else self.whole
        return self.difference(site, call, done, name=name, plain=a, staged=b, how=how)

    @property
    def whole(self) -> Site:
        return Site("function", self._source.node.lineno)

    def _raised(
        self, plain: Ended, staged: Ended, done: Sequence[Seen], call: int, how: str = ""
    ) -> Difference:
        """Return the difference of two that raise different exceptions, or one of which does."""
        error = staged.error or plain.error
        place = error_location(error) if error is not None else None
        is_here = place is not None and place.file == self._file
        line = place.line if place is not None and is_here else self._source.node.lineno
        last = self._sites[done[-1].site] if done else self.whole
        when = "while it is traced, " if staged.is_tracing else ""
        how = (
            how or f"in the plain function {plain.raised}; in the staged one {when}{staged.raised}"
        )
        site = Site("raised", line, (), (), last.loops)
        if how and plain.error is not None and staged.error is None:
            how = f"{how} (it raises {plain.raised})" if plain.raised not in how else how
        return self.difference(site, call, done, name="", plain=None, staged=None, how=how)

    def at_last(self, name: str, plain: Any, staged: Any, call: int) -> Difference | None:
        """Return how an argument or a global differs after the last call."""
        a, b = copied(plain), copied(staged)
        found = None if name in self._ignored else values_differ(a, b, self._tolerance)
        if found is None:
            return None
        how = f"after the call, {_in_words(name, found)}"
        return self.difference(self.whole, call, [], name=name, plain=a, staged=b, how=how)


def _in_words(name: str, how: str) -> str:
    return f"{name}{'' if how.startswith('[') else ' '}{how}"


def _way(site: Site) -> str:
    return {
        "enter": f"begins the loop in line {site.line}",
        "round": f"begins a round of the loop in line {site.line}",
        "after": f"is at the end of the statement in line {site.line}",
    }.get(site.kind, f"goes to line {site.line}")


def _rounds(sites: Sequence[Site], events: Sequence[Seen]) -> dict[int, int]:
    """Return the number of the round that each loop is in after these events, by its line."""
    rounds: dict[int, int] = {}
    for event in events:
        site = sites[event.site]
        if site.kind == "enter":
            rounds[site.line] = 0
        elif site.kind == "round":
            rounds[site.line] = rounds.get(site.line, 0) + 1
    return rounds
