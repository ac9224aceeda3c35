"""The two sides of a comparison: what plain code tells is kept, what staged code tells is compared.

In: calls `ag.saw(3, lambda: x)` of marked code, in the order in which statements run. The plain
side keeps a copy of each value. The staged side puts a node into the graph that hands over the
values when the graph runs; there they are compared with those of the plain side, until one differs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, NamedTuple

import autograph.operators as operators
from autograph.comparing.marks import Site
from autograph.comparing.values import OPAQUE, Tolerance, copied_leaf, difference, taken_apart
from autograph.operators.calls.host_snapshot import Recording
from autograph.staging.region import UNDEFINED
from runtime import default_graph, trees
from runtime.ops.effects import Called

Reads = Sequence[Callable[[], Any]]


class Seen(NamedTuple):
    """The variables of a site at one moment."""

    site: int
    values: tuple[Any, ...]
    printed: str


class Differs(BaseException):
    """Ends a run of the graph in which something was different; no handler of the user's sees it.

    Attributes:
        index: of the event of the plain side.
        site: where the staged side is.
        name: the variable; empty when the two are at different places.
        values: of both sides.
        how: they differ, in words.
    """

    def __init__(
        self, index: int, site: int, name: str = "", values: Any = (None, None), how: str = ""
    ) -> None:
        super().__init__(how)
        self.index = index
        self.site = site
        self.name = name
        self.values = values
        self.how = how


def value_now(read: Callable[[], Any]) -> Any:
    """Return the value of a variable, `UNDEFINED` if it has none."""
    try:
        return read()
    except (NameError, AttributeError):
        return UNDEFINED


class _Side(ModuleType):
    """The operators, and `saw`. It is a module, so that no one looks for variables in it."""

    def __init__(self) -> None:
        super().__init__(operators.__name__)

    def __getattr__(self, name: str) -> Any:
        return getattr(operators, name)


class PlainSide(_Side):
    """Keeps what plain code tells.

    Attributes:
        events: of the call that runs now.
        printed: returns what was printed since it was asked last.
    """

    def __init__(self, printed: Callable[[], str]) -> None:
        super().__init__()
        self.events: list[Seen] = []
        self.printed = printed

    def saw(self, site: int, *reads: Callable[[], Any]) -> None:
        """Keep the variables of a site."""
        values = []
        for read in reads:
            leaves, structure = taken_apart(value_now(read))
            values.append(trees.unflatten(structure, list(map(copied_leaf, leaves))))
        self.events.append(Seen(site, tuple(values), self.printed()))


@dataclass
class StagedSide:
    """Compares what a graph tells, while it runs, with what plain code told.

    Attributes:
        sites: of the function.
        tolerance: how much values may differ.
        ignored: variables that are not compared; `print` stands for what is printed.
        printed: returns what was printed since it was asked last.
        expected: what the plain side told in the same call.
        count: how many events were compared in this call.
        compares_output: whether the texts that are printed are compared.
    """

    sites: Sequence[Site]
    tolerance: Tolerance
    ignored: frozenset[str]
    printed: Callable[[], str]
    expected: Sequence[Seen] = ()
    count: int = 0
    compares_output: bool = False
    called: list[Called] = field(default_factory=list)

    @property
    def operators(self) -> ModuleType:
        """The operators for the converted code."""
        return _Recorder(self)

    def arrived(self, site: int, values: Sequence[Any]) -> None:
        """Compare the variables of a site with those of the plain side."""
        index = self.count
        if index >= len(self.expected) or self.expected[index].site != site:
            raise Differs(index, site)
        plain = self.expected[index]
        printed = self.printed()
        for name, a, b in zip(self.sites[site].names, plain.values, values, strict=True):
            how = None if name in self.ignored else difference(a, b, self.tolerance)
            if how is not None:
                raise Differs(index, site, name, (a, b), how)
        if self.compares_output and plain.printed != printed and "print" not in self.ignored:
            both = plain.printed, printed
            raise Differs(
                index, site, "what is printed", both, difference(*both, Tolerance()) or ""
            )
        self.count += 1

    def forget(self) -> None:
        """Drop what graphs call; they do not run any more."""
        for function in self.called:
            function.forget()


class _Recorder(_Side):
    """Puts nodes into the graph that tell the staged side what the variables are."""

    def __init__(self, side: StagedSide) -> None:
        super().__init__()
        self._side = side

    def saw(self, site: int, *reads: Callable[[], Any]) -> None:
        """Have the graph tell the variables of a site when it runs."""
        if (
            default_graph.current() is None
        ):  # a function made while tracing, which is called afterwards
            return
        recording = Recording(copied_leaf, OPAQUE)
        rebuilds = [recording.add(value_now(read)) for read in reads]

        def told(*values: Any) -> None:
            self._side.arrived(site, [rebuild(values) for rebuild in rebuilds])

        self._side.called.append(recording.hand_over(told))
