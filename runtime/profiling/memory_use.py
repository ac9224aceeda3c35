"""How much memory a run needs: what it took at most, and the least that its steps allow.

Comes in: events of a run. Goes out: bytes. Arguments are not counted: they are the caller's.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from runtime.profiling.recorder import Event, Held


def least_memory(
    events: Sequence[Event], arguments: Iterable[Held], results: Iterable[Held]
) -> int:
    """Return the most bytes that are in use at one time, if each array goes after its last use.

    Args:
        events: in the order in which they ended.
        arguments: what was there before.
        results: what is there afterwards.
    """
    changes = [0] * (len(events) + 2)
    born: dict[int, tuple[int, int]] = {}
    last: dict[int, int] = {}

    def bury(owner: int) -> None:
        start, size = born.pop(owner)
        changes[start] += size
        changes[last[owner] + 1] -= size

    outside = {x.owner for x in arguments}
    for k, event in enumerate(events):
        known = {x.owner for x in event.read.values()}
        last.update(dict.fromkeys(known, k))
        for made in event.made.values():
            if made.owner in outside or made.owner in known or made.is_view:
                last[made.owner] = k
                continue
            if made.owner in born:
                bury(made.owner)
            born[made.owner], last[made.owner] = (k, made.nbytes), k
    last.update((x.owner, len(events)) for x in results)
    for owner in [*born]:
        bury(owner)
    most = now = 0
    for change in changes:
        now += change
        most = max(most, now)
    return most


def peak_memory(run: Callable[[], Any]) -> int:
    """Return how many bytes Python and NumPy took at most while something ran."""
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start(1)
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        found = run()
        _, peak = tracemalloc.get_traced_memory()
        del found
        return max(peak - before, 0)
    finally:
        if not was_tracing:
            tracemalloc.stop()
