"""Running something beside the program, in a thread.

Comes in: a function without arguments. Goes out: one that waits for its result.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

import numpy as np

from runtime.kernels.threads import get_threads


class AsyncCall:
    """What is computed in a thread; a call waits, and returns it.

    With one thread, and when something goes wrong in the thread, it is computed by that call: so
    what is raised or warned of comes from there.

    >>> AsyncCall(lambda: 1 + 1)()
    2
    """

    __slots__ = ("_compute", "_found", "_thread")

    def __init__(self, compute: Callable[[], Any]) -> None:
        self._compute = compute
        self._found: list[Any] = []
        self._thread: threading.Thread | None = None
        if get_threads() > 1:
            context = copy_context()
            self._thread = threading.Thread(target=context.run, args=(self._run,), daemon=True)
            self._thread.start()

    def _run(self) -> None:
        settings: dict[str, Any] = {
            k: "ignore" if v == "ignore" else "raise" for k, v in np.geterr().items()
        }
        try:
            with np.errstate(**settings):
                self._found.append(self._compute())
        except Exception:
            return  # It is raised by the call.

    def __call__(self) -> Any:
        """Return the result; raise what computing it raises."""
        if self._thread is not None:
            self._thread.join()
        return self._found[0] if self._found else self._compute()
