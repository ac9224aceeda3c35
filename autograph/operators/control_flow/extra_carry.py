"""State with one more variable, which is none of the user's."""

from __future__ import annotations

from typing import Any

from autograph.staging.copies import Values
from autograph.staging.region import State


class Extended:
    """The state of a loop, and in front of it one more variable.

    Args:
        state: of the loop.
        name: of the variable.
        value: what it holds in the beginning.
    """

    def __init__(self, state: State, name: str, value: Any) -> None:
        self._state = state
        self.names = [name, *state.names]
        self.optional = [False, *state.optional]
        self.extra = value
        self.explain = state.explain

    def read(self) -> Values:
        return Values([self.extra, *self._state.read()])

    def write(self, values: Any) -> None:
        self.extra, *others = values
        self._state.write(others)
