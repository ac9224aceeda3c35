"""The lists, dicts and dataclass instances that a staged loop copies.

A variable that a loop carries holds a container of its own in each round, and another one after it.
Both are noted as copies of what the variable holds before the loop and after a round; see `copies`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autograph.staging.context import region_now
from autograph.staging.copies import ById, Copied, note_copies, snapshot
from autograph.staging.options import tell_joins
from autograph.staging.region import State, is_absent
from runtime.graph.location import user_location


class LoopCopies:
    """What the variables of a loop hold at its joins.

    Args:
        state: the variables.
        before: what they hold before the loop.
    """

    def __init__(self, state: State, before: Sequence[Any]) -> None:
        self.state = state
        self.before = before
        self.location = user_location()
        self._bound: Mapping[int, Sequence[Copied]] = {}
        self._after: Sequence[Sequence[Copied]] = [()] * len(before)

    def begin_round(self, values: Mapping[int, Any]) -> None:
        """Note what was made for variables, by their positions, that hold it in a round."""
        self._bound = {position: snapshot(value) for position, value in values.items()}
        for position, value in values.items():
            tell_joins(self.location, self.state.names[position], value)
        region = region_now()
        assert region is not None
        made = {id(one.container): one.container for held in self._bound.values() for one in held}
        region.made = ById({**region.made, **made})
        for position, held in self._bound.items():
            self._note(position, held, snapshot(self.before[position]))

    def end_round(self, after: Sequence[Any]) -> None:
        """Note what the variables hold after a round: later rounds begin with it."""
        self._after = [() if is_absent(value) else snapshot(value) for value in after]
        for position, held in self._bound.items():
            self._note(position, held, self._after[position])

    def finish(self, values: Sequence[Any]) -> None:
        """Note what the variables hold after the loop."""
        for position, value in enumerate(values):
            before = self.before[position]
            sources = [*(() if is_absent(before) else snapshot(before)), *self._after[position]]
            self._note(position, snapshot(value), sources)
            tell_joins(self.location, self.state.names[position], value)

    def _note(self, position: int, joined: Sequence[Copied], sources: Sequence[Copied]) -> None:
        note_copies(self.location, self.state.names[position], joined, sources)
