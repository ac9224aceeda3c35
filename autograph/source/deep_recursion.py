"""Recursion deeper than Python's default: long chains of `+`, `elif` or attributes.

In: a function. Out: its result, from a second attempt on a large stack where the first one
needed more recursion than the caller's stack allows. It knows nothing of trees.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from runtime.forks import Lock

Result = TypeVar("Result")

_STACK_BYTES = 512 * 1024 * 1024
_RECURSION_LIMIT = 150_000
_lock = Lock()
_inside = threading.local()


def call_deep(function: Callable[[], Result]) -> Result:
    """Call a function without side effects, again on a large stack if it recurses too deeply.

    Raises:
        RecursionError: the large stack was not enough either.

    Example:
        >>> def depth(n):
        ...     return n and 1 + depth(n - 1)
        >>> call_deep(lambda: depth(20_000))
        20000
    """
    try:
        return function()
    except RecursionError:
        if getattr(_inside, "large", False):
            raise
    return _on_large_stack(function)


def _on_large_stack(function: Callable[[], Result]) -> Result:
    """One thread at a time, as stack size and recursion limit belong to the whole process."""
    future: Future[Result] = Future()
    with _lock:
        limit = sys.getrecursionlimit()
        thread = _started(lambda: _fulfil(future, function))
        thread.join()
        sys.setrecursionlimit(limit)
    error = future.exception()
    if error is not None:
        raise error
    return future.result()


def _started(target: Callable[[], None]) -> threading.Thread:
    before = threading.stack_size(_STACK_BYTES)
    sys.setrecursionlimit(max(_RECURSION_LIMIT, sys.getrecursionlimit()))
    thread = threading.Thread(target=target, name="autograph deep recursion")
    try:
        thread.start()
    finally:
        threading.stack_size(before)
    return thread


def _fulfil(future: Future[Result], function: Callable[[], Result]) -> None:
    _inside.large = True
    try:
        future.set_result(function())
    except BaseException as error:
        future.set_exception(error)
