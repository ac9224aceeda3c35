"""State with one more variable, which is none of the user's."""

from __future__ import annotations

from collections.abc import Sequence
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
        self._name = name
        self.extra = value
        self.explain, self.grow = state.explain, state.grow

    @property
    def names(self) -> Sequence[str]:
        return [self._name, *self._state.names]

    @property
    def optional(self) -> Sequence[bool]:
        return [False, *self._state.optional]

    def read(self) -> Values:
        return Values([self.extra, *self._state.read()])

    def write(self, values: Any) -> None:
        self.extra, *others = values
        self._state.write(others)
