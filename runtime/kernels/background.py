"""Work beside the program: a thread does it, and ends before the process does or is forked.

Comes in: a function. Goes out: the thread that calls it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from runtime.forks import before_fork, in_child

_RUNNING: set[threading.Thread] = set()


def begin(work: Callable[[], object]) -> threading.Thread | None:
    """Have a thread do some work; None when there can be no thread.

    What the work raises is dropped: whoever needs its result does it again, and meets that.
    """

    def run() -> None:
        try:
            work()
        except Exception:
            return
        finally:
            _RUNNING.discard(thread)

    thread = threading.Thread(target=run, name="autograph: machine code")
    _RUNNING.add(thread)
    try:
        thread.start()
    except RuntimeError:  # the process is about to end, or may have no more threads
        _RUNNING.discard(thread)
        return None
    return thread


def is_running(thread: threading.Thread) -> bool:
    """Tell whether a thread is still at its work; it may be alive for a moment after that."""
    return thread in _RUNNING


def wait() -> None:
    """Wait until all of it is done. A child that is forked meanwhile would wait for ever."""
    for thread in [*_RUNNING]:
        thread.join()


before_fork(wait)
in_child(_RUNNING.clear)
