"""What tracing a function found: its graph, and what a call does beside running that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from autograph.function.argument_mutation import Assigned, Change
from autograph.function.safepoints import Watched, is_repeatable
from autograph.staging.inexact_errors import is_doubtful, is_inexact
from runtime.active_tapes import RECORDERS
from runtime.graph.node import Graph
from runtime.signature import Signature
from runtime.state.variable import Variable


def no_undo() -> None:
    """Undo nothing."""


@dataclass(frozen=True, slots=True)
class Trace:
    """What tracing found.

    Args:
        graph: the graph; the results that are changes are between those that are returned and
            those that are written.
        signature: what its parameters and results are.
        changes: what it changes of the lists, dicts and objects among its arguments.
        created: the variables that were created while tracing.
        error: what the function raises when the graph has run; None if it returns.
        used: by id of an array from outside, where it is an operand.
        asked: the names of attributes that the function computes.
        reports: how NumPy reported floating point errors, if that is relied on; None if not.
        watched: the graph with what it has written wherever it may raise; None if that is nothing.
        foreign: arrays of other libraries than NumPy of which the graph has copies.
        changed: what tracing has changed outside of the function, which runs do not.
        undo: undoes that, where no call was to be made; variables that were created stay.
        assigned: the keys of the variables outside of the function that were assigned.
        tries: what it tried, such as to roll loops.
        tells_apart: whether it asked which objects among the arguments are one.
        held: the names of what it assigned, perhaps what that held, and the attributes beside it.
    """

    graph: Graph
    signature: Signature
    changes: tuple[Change | Assigned, ...] = ()
    created: tuple[Variable, ...] = ()
    error: BaseException | None = None
    used: Mapping[int, Set[Any]] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    watched: Watched | None = None
    reports: Any = None
    foreign: Sequence[Any] = ()
    changed: Sequence[str] = ()
    undo: Callable[[], object] = no_undo
    assigned: Set[Any] = frozenset()
    tries: Set[Any] = frozenset()
    tells_apart: bool = False
    held: set[str] = field(default_factory=set)

    @property
    def relies_on_identity(self) -> bool:
        """Whether it serves only where what it takes for several objects are several."""
        return self.tells_apart or bool(self.changes or self.changed)

    def undone(self, error: Exception) -> bool:
        """Undo what tracing has changed when a run raises, or refuses values; tell if so.

        Where something saw that the graph has run, or nobody can undo it, all of it stays.
        """
        is_ours = bool(self.changed) or is_doubtful(self.graph, error)
        return is_ours and is_repeatable(self.graph) and self.gives_way()

    def doubts(self) -> bool:
        """Undo everything if it raises in any case, and Python perhaps not that; tell if so."""
        is_doubtful = self.error is not None and is_inexact(self.error)
        return is_doubtful and is_repeatable(self.graph) and self.gives_way()

    def gives_way(self) -> bool:
        """Undo what tracing has changed, so that plain Python may make the call; tell if so."""
        return not RECORDERS.active and (not self.changed or bool(self.undo()))
