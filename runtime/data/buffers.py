"""Stages that keep elements: all of them, or a few that a thread draws in advance."""

from __future__ import annotations

import os
import queue
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime import trees
from runtime.data.stage import Length, Stage


class Cached(Stage):
    """Elements that are drawn once, and kept in memory for all later times."""

    __slots__ = ("_items", "_source")

    def __init__(self, source: Stage) -> None:
        self._source = source
        self._items: list[Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        return map(_copied, self._items) if self._items is not None else self._first_time()

    def _first_time(self) -> Iterator[Any]:
        items = []
        for item in self._source:
            items.append(item)
            yield _copied(item)
        self._items = items

    def length(self) -> Length:
        return self._source.length()


def _copied(element: Any) -> Any:
    """Return an element whose arrays may be written."""
    return trees.map_tree(lambda x: x.copy() if isinstance(x, np.ndarray) else x, element)


class Prefetched(Stage):
    """Elements that a thread draws in advance, at most `size` of them.

    The thread begins with the first element that is asked for, and ends with the last, or when
    nobody holds the iterator any more. What drawing raises is raised where it is asked for.
    """

    __slots__ = ("_size", "_source")

    def __init__(self, source: Stage, size: int) -> None:
        self._source = source
        self._size = size

    def __iter__(self) -> Iterator[Any]:
        return _Ahead(self._source, self._size)

    def length(self) -> Length:
        return self._source.length()


_ITEM, _ERROR, _END = range(3)
_SECONDS = 0.1
"""How long the thread waits for room before it looks whether anybody still wants elements."""


class _Ahead:
    """An iterator whose elements come from a thread."""

    def __init__(self, source: Stage, size: int) -> None:
        self._queue: queue.Queue[tuple[int, Any]] = queue.Queue(size)
        self._stop = threading.Event()
        self._process = os.getpid()
        self._is_done = False
        self._thread = threading.Thread(
            target=_draw, args=(source, self._queue, self._stop), daemon=True, name="prefetch"
        )
        weakref.finalize(self, self._stop.set)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._is_done:
            raise StopIteration
        if os.getpid() != self._process:
            raise RuntimeError(
                "a prefetched dataset was gone over in one process, and a fork of it goes on; the "
                "thread that draws its elements stays behind. Begin the loop after the fork"
            )
        if self._thread.ident is None:
            self._thread.start()
        kind, value = self._queue.get()
        if kind == _ITEM:
            return value
        self._is_done = True
        if kind == _ERROR:
            raise value
        raise StopIteration


def _draw(source: Stage, items: queue.Queue[tuple[int, Any]], stop: threading.Event) -> None:
    """Put elements into the queue until there is none, or nobody wants one."""
    try:
        for item in source:
            if not _put(items, (_ITEM, item), stop):
                return
        last: tuple[int, Any] = (_END, None)
    except BaseException as error:
        last = (_ERROR, error)
    _put(items, last, stop)


def _put(items: queue.Queue[tuple[int, Any]], entry: Any, stop: threading.Event) -> bool:
    """Put an entry where there is room; tell whether it was wanted."""
    while not stop.is_set():
        try:
            items.put(entry, timeout=_SECONDS)
        except queue.Full:
            continue
        return True
    return False
