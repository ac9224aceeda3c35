"""Rounds of a `for` that are traced one by one, each under a staged condition.

A round is of one place of the iterator, which is known: it runs if nothing has ended the loop, and
if the iterator stands there. So its item is an object of Python's, and afterwards the iterator
stands where plain Python leaves it, however the loop ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from autograph.operators.control_flow.logic import and_
from autograph.operators.iteration.protocol import MOST_ROUNDS, StagedIterator, only_in_order
from runtime.errors import StagedValueError
from runtime.tensor import is_staged

FEW = 32
"""So many items are traced one by one though the graph could go over them."""


class Loop(Protocol):
    """What a `for` does."""

    @property
    def body(self) -> Callable[[Any], Any]:
        """One round, given the item."""

    def stage(self, iterator: StagedIterator) -> None:
        """Have the graph run what remains of it."""

    def goes_on(self) -> Any:
        """Tell whether nothing has ended it."""

    def under(self, test: Any, rounds: Callable[[], None]) -> None:
        """Run a part of it under a condition."""


def is_for_the_graph(iterator: StagedIterator) -> bool:
    """Tell whether the rest of a loop that a staged condition ends is a loop of the graph."""
    if iterator.is_known and iterator.items.may_change:  # to count them is to take them
        return False
    items = iterator.items.in_graph()
    if items is None:
        return False
    found = items.counted()
    if found is None:
        return not iterator.is_known or iterator.items.is_endless
    if found.length is None:
        return True
    if iterator.is_known:
        return bool(found.length - iterator.position > MOST_ROUNDS)
    return len(iterator.deciding()) > 1 or found.length - iterator.least > FEW


class Rounds:
    """The rounds that remain of a loop.

    Args:
        loop: what it does.
        iterator: what it goes over.
    """

    def __init__(self, loop: Loop, iterator: StagedIterator) -> None:
        self._loop = loop
        self._iterator = iterator
        self._places = iterator.places() if iterator.is_known else iterator.deciding()
        self._is_known = iterator.is_known
        self._is_held = any(one.is_held for one in iterator.places())
        if iterator.is_resumed:  # only its own code knows its items
            raise only_in_order()

    def run(self) -> None:
        """Trace them all."""
        positions = self._begin()
        for _ in range(MOST_ROUNDS):
            if self._iterator.items.is_staged:  # a list that the body has made a staged one
                if not self._iterator.is_held:
                    self._set(positions)
                self._loop.stage(self._iterator)
                return
            if not self._has_item(positions):
                self._end(positions)
                return
            positions = self._trace(positions)
        raise StagedValueError(
            f"a staged condition ends this `for` over {self._iterator.name}(), and after "
            f"{MOST_ROUNDS:,} rounds it was not known to have ended. Count in a `while` instead, "
            "or go over range(n) with an n that is staged"
        )

    def _end(self, positions: list[int]) -> None:
        """Have the iterator ended, unless something else has ended the loop."""

        def ask() -> None:
            self._set(positions)
            self._iterator.advance()

        if self._is_held:
            self._loop.under(self._loop.goes_on(), ask)

    def _begin(self) -> list[int]:
        if self._is_known:
            return [one.position for one in self._places]
        if len(self._places) == 1:
            return [self._places[0].least]
        names = " and ".join(f"{one.name}()" for one in self._places)
        raise StagedValueError(
            f"the loop goes over {names} side by side, and how far each has come is known only "
            "when the graph runs. Make lists of them before: items = list(...)"
        )

    def _set(self, positions: list[int]) -> None:
        for one, position in zip(self._places, positions, strict=True):
            one.position = position

    def _has_item(self, positions: list[int]) -> bool:
        """Tell whether there is an item at a place, and leave the iterator where it stands."""
        places = self._iterator.places()
        before = [(one.place, one.least) for one in places]
        self._set(positions)
        index = self._iterator.position
        try:
            found = bool(self._iterator.advance())
            if found and type(index) is int:
                self._iterator.items.check_ahead(index)
            return found
        finally:
            for one, (position, least) in zip(places, before, strict=True):
                one.place, one.least = position, least

    def _trace(self, positions: list[int]) -> list[int]:
        """Trace the round of a place; return that of the next one."""
        iterator, after = self._iterator, positions

        def one_round() -> None:
            nonlocal after
            self._set(positions)
            iterator.advance()
            self._loop.body(iterator.item())
            after = [one.position for one in self._places]

        test = self._loop.goes_on()
        if not self._is_known:
            place = self._places[0]
            test = and_(test, lambda: place.position == positions[0])
        self._loop.under(test, one_round)
        if self._is_known and not any(map(is_staged, after)):
            return after
        if self._is_known:
            self._is_known, self._places = False, iterator.deciding()
            self._begin()
            return [positions[iterator.places().index(self._places[0])] + 1]
        return [positions[0] + 1]
