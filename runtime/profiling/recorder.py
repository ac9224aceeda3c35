"""What happens while a driver runs: the clock that its steps start and stop.

Comes in: steps, and the values that they read and write. Goes out: events, in the order in which
they ended. No array is kept alive by them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runtime.lower.plan import Slot, Step
from runtime.lower.steps import slots_in

MOST_EVENTS = 100_000
"""So many steps are written down; later ones are counted only."""


@dataclass(frozen=True, slots=True)
class Held:
    """An array at a time.

    Args:
        owner: tells its memory from other memory that is used at that time.
        is_view: whether it is a part of memory that was there before.
        nbytes: the bytes of its elements.
        shape: its shape.
    """

    owner: int
    is_view: bool
    nbytes: int
    shape: tuple[int, ...]


@dataclass(slots=True)
class Event:
    """A step that ran once.

    Args:
        step: of the plan.
        depth: how many others it stands in.
        read: the arrays that it read, by their slots.
        made: the arrays that it gave.
        begin: when it began, in nanoseconds.
        end: when it ended.
        inner: how long the steps in it took, with what it took to write them down.
    """

    step: Step
    depth: int
    read: dict[Slot, Held]
    made: dict[Slot, Held]
    begin: int = 0
    end: int = 0
    inner: int = 0
    entered: int = 0

    @property
    def own(self) -> int:
        """The nanoseconds that it took itself."""
        return max(self.end - self.begin - self.inner, 0)


class Recorder:
    """A clock that writes down what it sees."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.missed = 0
        self._open: list[Event] = []
        self._slots: dict[Step, tuple[list[Slot], list[Slot]]] = {}

    def start(self, step: Step, given: Sequence[Any]) -> Event:
        """Begin a step."""
        entered = time.perf_counter_ns()
        if step not in self._slots:
            self._slots[step] = slots_in(step)
        event = Event(step, len(self._open), _held(self._slots[step][0], given), {})
        event.entered = entered
        self._open.append(event)
        event.begin = time.perf_counter_ns()
        return event

    def stop(self, begun: Event, made: Sequence[Any]) -> None:
        """End a step, and those in it that an error left."""
        begun.end = time.perf_counter_ns()
        while self._open.pop() is not begun:
            pass
        begun.made = _held(self._slots[begun.step][1], made)
        if len(self.events) < MOST_EVENTS:
            self.events.append(begun)
        else:
            self.missed += 1
        if self._open:
            self._open[-1].inner += time.perf_counter_ns() - begun.entered


def _held(slots: Sequence[Slot], values: Sequence[Any]) -> dict[Slot, Held]:
    pairs = zip(slots, values, strict=True)
    return {slot: held(x) for slot, x in pairs if isinstance(x, np.ndarray)}


def held(array: np.ndarray[Any, Any]) -> Held:
    """Return what is written down of an array."""
    owner: Any = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return Held(id(owner), owner is not array, array.nbytes, array.shape)
