"""Searches for what holds an object, without the heap that is older than the trace.

Python finds the holders of an object by going through every object there is. What holds something
for the tracer was made by the trace itself, so that all that is older may be passed by: it counts
as frozen (`gc.freeze`) for as long as containers may be counted, and is not searched.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from autograph.staging.context import trace_of
from autograph.staging.copies import Join
from runtime.forks import Lock
from runtime.graph.builder import Builder

_LEFT_FROZEN = 1000
"""Python 3.12 begins with some hundred frozen objects; whoever freezes more wants them so."""


class _Freezer:
    """Freezes what there is for the first of the traces that run at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._traces = 0
        self._has_frozen = False

    def begin(self) -> None:
        """Take one more trace in."""
        with self._lock:
            if self._traces == 0 and gc.get_freeze_count() < _LEFT_FROZEN:
                gc.freeze()
                self._has_frozen = True
            self._traces += 1

    def end(self) -> None:
        """Let a trace go; the last one takes what was frozen back."""
        with self._lock:
            self._traces -= 1
            if self._traces == 0 and self._has_frozen:
                gc.unfreeze()
                self._has_frozen = False


_freezer = _Freezer()


@contextmanager
def searching(builder: Builder) -> Iterator[None]:
    """Pass older objects by, if joins of the graph count what holds a container."""
    if not any(isinstance(key, Join) for key in trace_of(builder).tries):
        yield
        return
    _freezer.begin()
    try:
        yield
    finally:
        _freezer.end()
