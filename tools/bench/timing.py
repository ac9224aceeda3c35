"""Timing functions side by side.

Other work on the machine slows a round down and never speeds one up, so every function is timed in
every round, in turns, and the median of the rounds counts, or the best. Compare times of one run
only.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

ROUNDS = 9
SHORTEST = 0.01
"""Seconds of back-to-back calls in one sample, at least."""

Work = Callable[[], object]


def side_by_side(
    works: Mapping[str, Work],
    rounds: int = ROUNDS,
    choose: Callable[[Sequence[float]], float] = statistics.median,
) -> dict[str, float]:
    """Return the seconds of one call of each function, warmed up, timed in turns.

    Args:
        works: the functions.
        rounds: how often each is timed.
        choose: which of its times counts.
    """
    counts = {name: _calls_for_a_sample(work) for name, work in works.items()}
    samples: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            samples[name].append(_sample(work, counts[name]))
    return {name: choose(times) for name, times in samples.items()}


def once(work: Work) -> float:
    """Return the seconds of a single call."""
    return _sample(work, 1)


def _calls_for_a_sample(work: Work) -> int:
    work()
    count = 1
    while count * _sample(work, count) < SHORTEST:
        count *= 2
    return count


def _sample(work: Work, count: int) -> float:
    enabled = gc.isenabled()
    gc.disable()
    start = time.perf_counter()
    for _ in range(count):
        work()
    seconds = time.perf_counter() - start
    if enabled:
        gc.enable()
    return seconds / count


def duration(seconds: float) -> str:
    """Return a time for people, with three digits.

    >>> duration(0.00123456)
    '1.23 ms'
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:#.3g}".rstrip(".") + f" {unit}"
    return f"{seconds * 1e9:.0f} ns"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as text that is Markdown, too.

    >>> print(table(["what", "time"], [["a call", "1 us"]]))
    | what   | time |
    |--------|------|
    | a call | 1 us |
    """
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    lines = [_row(cells, widths) for cells in (head, *rows)]
    return "\n".join([lines[0], rule, *lines[1:]])


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)) + " |"
