"""The texts of drivers, as long as tracebacks and debuggers may show them.

Comes in: the source of a program. Goes out: the name of a file under which `linecache` has it. A
source that no program has any more is forgotten after a while. That a program is gone is told by
the collector of garbage, at any time and in any thread: so this is only noted there, and what it
changes is changed when the next source comes.
"""

from __future__ import annotations

import hashlib
import linecache
import weakref
from collections import Counter, deque
from typing import Any

from runtime.forks import Lock

MOST_ENDED = 64
"""So many programs that are gone keep their sources."""


class Sources:
    """Sources by file name, and how many programs have each."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._used: Counter[str] = Counter()
        self._ended: deque[str] = deque()

    def add(self, source: str) -> str:
        """Make the source of one more program readable; return the name of its file."""
        file = f"<driver {hashlib.sha256(source.encode()).hexdigest()[:12]}>"
        with self._lock:
            self._used[file] += 1
            linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
            while len(self._ended) > MOST_ENDED:
                self._forget(self._ended.popleft())
        return file

    def release_with(self, program: Any, file: str) -> None:
        """Let a program that goes have the source no longer."""
        weakref.finalize(program, self._ended.append, file)

    def _forget(self, file: str) -> None:
        self._used[file] -= 1
        if not self._used[file]:
            del self._used[file]
            linecache.cache.pop(file, None)


SOURCES = Sources()
