"""Which graph, if any, is being built by this thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runtime.graph.builder import Builder


class _Mode(threading.local):
    builder: Builder | None = None


_MODE = _Mode()


def current() -> Builder | None:
    """Return the innermost graph builder of this thread, or None when nothing is being staged."""
    return _MODE.builder


@contextmanager
def building(builder: Builder | None) -> Iterator[None]:
    """Make `builder` the current one for a `with` block (None: run eagerly inside)."""
    before = _MODE.builder
    _MODE.builder = builder
    try:
        yield
    finally:
        _MODE.builder = before
