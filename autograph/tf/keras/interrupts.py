"""Ctrl-C while a model is trained: it waits for the end of the step that runs."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any


class WholeSteps:
    """A block in which Ctrl-C does not stop a step midway: variables are those of a whole step.

    A second Ctrl-C stops at once.
    """

    def __init__(self) -> None:
        self._is_running = self._is_asked = False
        self._before: Any = None

    def __enter__(self) -> WholeSteps:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._asked)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _asked(self, number: int, frame: Any) -> None:
        if self._is_running and not self._is_asked:
            self._is_asked = True
            return
        signal.default_int_handler(number, frame)

    def run(self, step: Callable[..., Any], *args: Any) -> Any:
        """Run a step; raise KeyboardInterrupt after it if Ctrl-C was pressed."""
        self._is_running = True
        try:
            found = step(*args)
        finally:
            self._is_running = False
        if self._is_asked:
            raise KeyboardInterrupt("stopped after a whole step")
        return found
