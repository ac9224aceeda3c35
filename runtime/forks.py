"""What is done when the process is forked: the one place that registers it.

A child has one thread, the one that forked, and the locks as they were: one that another thread
held is never released. So every lock of this library is a `Lock`. In the child those that belonged
to other threads are new. What `COMPILING` guards cannot be made anew: LLVM, and locks of its own
(`wait_for`); a fork waits for these. No code of the user's runs while one of them is held.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any


class Lock:
    """A lock that a thread may take more than once, and that a child of the process finds free."""

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _LOCKS.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Be a new lock, unless it is free or belongs to this thread."""
        if self._lock.acquire(blocking=False):
            self._lock.release()
        else:
            self._lock = threading.RLock()


_LOCKS: weakref.WeakSet[Lock] = weakref.WeakSet()
_BEFORE: list[Callable[[], Any]] = []
_IN_CHILD: list[Callable[[], Any]] = []
COMPILING = Lock()
_WAITED: list[AbstractContextManager[None]] = [COMPILING]


def wait_for(lock: AbstractContextManager[None]) -> None:
    """Have forks wait for a lock that is taken while `COMPILING` is held, or alone."""
    _WAITED.append(lock)


def before_fork(function: Callable[[], Any]) -> None:
    """Have a function called before each fork, after those that were given before it."""
    _BEFORE.append(function)


def in_child(function: Callable[[], Any]) -> None:
    """Have a function called in each child of this process."""
    _IN_CHILD.append(function)


def _before() -> None:
    for function in _BEFORE:
        function()
    for lock in _WAITED:
        lock.__enter__()


def _after() -> None:
    for lock in reversed(_WAITED):
        lock.__exit__(None, None, None)


def _after_in_child() -> None:
    _after()
    for lock in [*_LOCKS]:
        lock.renew()
    for function in _IN_CHILD:
        function()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after_in_child)
