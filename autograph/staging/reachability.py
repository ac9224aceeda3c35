"""Searches for garbage and for what holds an object, without the heap that is older than a trace.

Python finds the holders of an object, and garbage, by going through every object there is. What
holds something for the tracer was made by the trace itself, so that all that is older may be passed
by: it counts as frozen (`gc.freeze`) for as long as a trace runs, and is not searched.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from runtime.forks import Lock

_LEFT_FROZEN = 1000
"""Python 3.12 begins with some hundred frozen objects; whoever freezes more wants them so."""

_ASKED_AGAIN = 1000
"""After so many traces a heap that others have frozen is looked at again."""

_GROWTH = 2
"""When the heap is so many times as large, all of it is searched for garbage. Python has a rule
like that for its oldest objects, but does not count those that were frozen."""


class _Freezer:
    """Freezes what there is for the first of the traces that run at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._traces = 0
        self._has_frozen = False
        self._searched = 0
        self._known_frozen = 0

    def begin(self) -> None:
        """Take one more trace in."""
        with self._lock:
            if self._traces == 0 and not self._is_frozen_by_others():
                self._searched = self._searched or sys.getallocatedblocks()
                gc.freeze()
                self._has_frozen = True
            self._traces += 1

    def _is_frozen_by_others(self) -> bool:
        """Tell whether the heap is frozen already; to count takes as long as to walk through it."""
        if not self._known_frozen and gc.get_freeze_count() >= _LEFT_FROZEN:
            self._known_frozen = _ASKED_AGAIN
        self._known_frozen = max(self._known_frozen - 1, 0)
        return self._known_frozen > 0

    def end(self) -> None:
        """Let a trace go; the last one takes what was frozen back."""
        with self._lock:
            self._traces -= 1
            if self._traces or not self._has_frozen:
                return
            gc.unfreeze()
            self._has_frozen = False
        if gc.isenabled() and sys.getallocatedblocks() > self._searched * _GROWTH:
            gc.collect()  # outside of the lock: finalizers may trace
            self._searched = sys.getallocatedblocks()


_freezer = _Freezer()


@contextmanager
def searching() -> Iterator[None]:
    """Pass older objects by, where containers are counted and where garbage is searched for."""
    _freezer.begin()
    try:
        yield
    finally:
        _freezer.end()
