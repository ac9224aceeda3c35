"""The bar that `fit`, `evaluate` and `predict` show, in Keras' words.

In a terminal or a notebook a line is written anew in its place; elsewhere one line an epoch comes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any, TextIO

WIDTH = 30
INTERVAL = 0.05
"""How many seconds are between two pictures of the bar."""


class Bar:
    """A bar of steps.

    Args:
        steps: how many there will be, or None.
        stream: where it is written to, by default the standard output.
    """

    def __init__(self, steps: int | None, stream: TextIO | None = None) -> None:
        self.steps = steps
        self._stream = sys.stdout if stream is None else stream
        self.is_dynamic = is_dynamic(self._stream)
        self._began = time.perf_counter()
        self._first: tuple[int, float] | None = None
        self._shown = 0.0
        self._width = 0

    def is_due(self, done: int) -> bool:
        """Tell whether the bar should be drawn anew; notes when the first steps were done."""
        now = time.perf_counter()
        if self._first is None and done:
            self._first = done, now
        if not self.is_dynamic or now - self._shown < INTERVAL:
            return False
        self._shown = now
        return True

    def draw(self, done: int, values: Mapping[str, Any], is_last: bool = False) -> None:
        """Write the bar."""
        if not (self.is_dynamic or is_last):
            return
        steps = done if is_last else self.steps
        text = f"{bar(done, steps)}{self._time(done, steps, is_last)}{shown(values)}"
        if self.is_dynamic:
            blank = " " * max(self._width - len(text), 0)
            text, self._width = f"\r{text}{blank}", len(text)
        self._stream.write(text + ("\n" if is_last else ""))
        self._stream.flush()

    def line(self, done: int, values: Mapping[str, Any]) -> str:
        """Return the line of an epoch that is shown without a bar."""
        now = time.perf_counter()
        each = rate(self.per_step(done, now))
        whole = rate(now - self._began).replace("step", "epoch")
        steps = f"{done}/{done}"
        return f"{steps} - {now - self._began:.0f}s{shown(values)} -{whole} -{each}"

    def leave(self) -> None:
        """End the line of a bar that was not finished."""
        if self.is_dynamic and self._width:
            self._stream.write("\n")
            self._stream.flush()

    def _time(self, done: int, steps: int | None, is_last: bool) -> str:
        now = time.perf_counter()
        unit = self.per_step(done, now)
        if is_last or steps is None:
            return f" - {now - self._began:.0f}s{rate(unit)}"
        return f" - ETA: {clock(unit * (steps - done))}"

    def per_step(self, done: int, now: float) -> float:
        """Return how long a step takes: without the first ones, in which functions are traced."""
        if self._first is not None and done > self._first[0]:
            return (now - self._first[1]) / (done - self._first[0])
        return (now - self._began) / max(done, 1)


def say(line: str) -> None:
    """Write a line to the standard output, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def is_dynamic(stream: TextIO) -> bool:
    """Tell whether a line can be written anew in its place."""
    return bool(getattr(stream, "isatty", bool)()) or "ipykernel" in sys.modules


def bar(done: int, steps: int | None) -> str:
    """Return the bar itself.

    >>> bar(1, 2)
    '1/2 [==============>...............]'
    """
    if steps is None:
        return f"{done:7d}/Unknown"
    count = f"{done:{len(str(steps))}d}/{steps} "
    full = WIDTH * done // max(steps, 1)
    if done >= steps:
        return f"{count}[{'=' * WIDTH}]"
    line = "=" * (full - 1) + ">" if full else ""
    return f"{count}[{line}{'.' * (WIDTH - full)}]"


def rate(seconds: float) -> str:
    """Return the time of a step.

    >>> rate(0.0123), rate(2.0), rate(0.0001)
    (' 12ms/step', ' 2s/step', ' 100us/step')
    """
    if seconds >= 1 or seconds == 0:
        return f" {seconds:.0f}s/step"
    return f" {seconds * 1e3:.0f}ms/step" if seconds >= 1e-3 else f" {seconds * 1e6:.0f}us/step"


def clock(seconds: float) -> str:
    """Return a time that is left.

    >>> clock(59), clock(125), clock(3700)
    ('59s', '2:05', '1:01:40')
    """
    whole = int(seconds)
    if whole > 3600:
        return f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"
    return f"{whole // 60}:{whole % 60:02d}" if whole > 60 else f"{whole}s"


def shown(values: Mapping[str, Any]) -> str:
    """Return losses and metrics as Keras writes them.

    >>> shown({"loss": 2.30258, "rate": 0.00001})
    ' - loss: 2.3026 - rate: 1.0000e-05'
    """
    return "".join(f" - {name}: {_number(x)}" for name, x in values.items())


def _number(value: Any) -> str:
    if not isinstance(value, int | float):
        return str(value)
    return f"{value:.4f}" if abs(value) > 1e-3 else f"{value:.4e}"
