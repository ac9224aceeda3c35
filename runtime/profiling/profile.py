"""Profiles of compiled graphs.

Comes in: a compiled graph, and arrays for it. Goes out: a `Profile`.

The file of its events has the Trace Event Format, which Chrome's viewer and Perfetto read. What
a run needs of memory does not count arguments, which are the caller's.
"""

from __future__ import annotations

import copy
import json
import os
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from runtime.errors import BackendError
from runtime.graph.location import Location
from runtime.lower.compile import Executable, load_driver
from runtime.lower.emit_python import emit_python
from runtime.lower.plan import Assign, Step, Write, step_lines
from runtime.lower.tracebacks import pruned
from runtime.opaque import SOURCES
from runtime.profiling.cost import operations
from runtime.profiling.limits import Limits, machine_limits
from runtime.profiling.recorder import Event, Held, Recorder, held
from runtime.profiling.report import table_of

ROUNDS = 5
"""So many runs are watched; the one that took the least time is shown."""


@dataclass(frozen=True, slots=True, eq=False)
class StepProfile:
    """What a step of a plan cost, in all of its rounds.

    Args:
        text: the first line of the step in the text of the plan.
        location: the user's line, if there is one.
        depth: how many steps it stands in.
        rounds: how often it ran.
        seconds: how long it took itself, without the steps in it.
        bytes_moved: of the arrays that it read and wrote.
        operations: how many operations on numbers it did, as far as that is known.
        least_seconds: what the machine takes at least for so many bytes and products.
    """

    text: str
    location: Location | None
    depth: int
    rounds: int
    seconds: float
    bytes_moved: int
    operations: float
    least_seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """What a run of a staged function cost. Printed, it is a table.

    Args:
        name: of the function.
        seconds: the time of the run, without that of writing it down.
        steps: in the order of the plan.
        events: each step as it ran.
        missed: how many steps ran that are not among the events, as there were too many.
        limits: what the machine can do.
        peak_memory: the most bytes that a run took at one time, arguments not counted.
        least_memory: how many its steps need at least.
    """

    name: str
    seconds: float
    steps: tuple[StepProfile, ...]
    events: tuple[Event, ...]
    missed: int
    limits: Limits
    peak_memory: int
    least_memory: int

    def __str__(self) -> str:
        return table_of(self)

    __repr__ = __str__

    def write_trace(self, path: str | PathLike[str]) -> None:
        """Write a file for the trace viewers of Chrome (chrome://tracing) and of Perfetto."""
        write_events(path, self.name, [(x, _text(x.step), _location(x.step)) for x in self.events])


@pruned
def profile(executable: Executable, name: str, arrays: Sequence[Any]) -> Profile:
    """Run a compiled graph some times, and return what the quickest run cost.

    Args:
        executable: the compiled graph.
        name: of its function.
        arrays: its arguments; they stay as they are.

    Raises:
        BackendError: the graph runs on a GPU, whose work goes on when a step has ended.
    """
    if executable.backend.xp is not np:
        raise BackendError(
            f"profile measures the time of steps on the CPU, and {name} runs on "
            f"{executable.backend.name}; give it NumPy's arrays"
        )
    limits = machine_limits()
    runs = [_watched(executable, arrays) for _ in range(ROUNDS + 1)]
    recorder, least = min(runs[1:], key=lambda run: _total(run[0].events))
    run, _ = load_driver(emit_python(executable.plan), executable.backend, at_once=True)
    peak = peak_memory(lambda: run(*_copies(arrays)))
    copied = sum(x.nbytes for x in arrays if isinstance(x, np.ndarray))
    return Profile(
        name,
        _total(recorder.events) / 1e9,
        tuple(_steps(recorder.events, limits)),
        tuple(sorted(recorder.events, key=lambda event: event.begin)),
        recorder.missed,
        limits,
        max(peak - copied, 0),
        least,
    )


def _copies(arrays: Sequence[Any]) -> list[Any]:
    own = (np.ndarray, *SOURCES)
    return [copy.deepcopy(x) if isinstance(x, own) else x for x in arrays]


def _watched(executable: Executable, arrays: Sequence[Any]) -> tuple[Recorder, int]:
    """Return what was seen of a run, and the least memory that it needs."""
    recorder = Recorder()
    driver = emit_python(executable.plan, recorder)
    run, _ = load_driver(driver, executable.backend, at_once=True)
    given = _copies(arrays)
    found = run(*given)
    results = found if isinstance(found, tuple) else (found,)
    parts = [[held(x) for x in some if isinstance(x, np.ndarray)] for some in (given, results)]
    return recorder, least_memory(recorder.events, *parts)


def _total(events: Sequence[Event]) -> int:
    return sum(event.own for event in events)


def _steps(events: Sequence[Event], limits: Limits) -> list[StepProfile]:
    """Return what each step cost, in the order in which they began first."""
    found: defaultdict[Step, list[Event]] = defaultdict(list)
    for event in sorted(events, key=lambda event: event.begin):
        found[event.step].append(event)
    return [_step(step, some, limits) for step, some in found.items()]


def _step(step: Step, events: Sequence[Event], limits: Limits) -> StepProfile:
    moved, done, least = 0, 0.0, 0.0
    for event in events:
        arrays = {**event.read, **event.made}
        touched = _touched(step, event)
        all_operations, products = operations(step, {k: x.shape for k, x in arrays.items()})
        moved += touched
        done += all_operations
        least += limits.least(touched, products, _dtype(step))
    seconds = sum(event.own for event in events) / 1e9
    return StepProfile(
        _text(step), _location(step), events[0].depth, len(events), seconds, moved, done, least
    )


def _touched(step: Step, event: Event) -> int:
    """Return how many bytes a step reads and writes; of what is written into, only the new part."""
    if _is_view(event):
        return 0
    if isinstance(step, Write):
        new = {slot: x.nbytes for slot, x in event.read.items() if slot not in event.made}
        return 2 * sum(new.values())
    read = {x.owner: x.nbytes for x in event.read.values()}
    return sum(read.values()) + sum(x.nbytes for x in event.made.values())


def _is_view(event: Event) -> bool:
    """Tell whether a step gives views only: it moves nothing."""
    return bool(event.made) and all(x.is_view for x in event.made.values())


def _dtype(step: Step) -> str:
    """Return the name of the dtype that a step computes."""
    results = step.value.node.results if isinstance(step, Assign | Write) else ()
    return results[0].spec.dtype.name if results else "float64"


def _text(step: Step) -> str:
    """Return the first line of a step in the text of a plan."""
    return step_lines(step)[0]


def _location(step: Step) -> Location | None:
    """Return the user's line of a step."""
    if isinstance(step, Assign | Write):
        return step.value.node.location
    found: Location | None = getattr(step, "location", None)
    return found


def write_events(
    path: str | PathLike[str], name: str, events: Iterable[tuple[Event, str, Location | None]]
) -> None:
    """Write a file of events.

    Args:
        path: of the file; it is written anew.
        name: what the viewer calls the process.
        events: each with its text and the user's line.
    """
    process = {"name": "process_name", "ph": "M", "pid": os.getpid(), "args": {"name": name}}
    found = [process, *(_entry(*each) for each in events)]
    Path(path).write_text(json.dumps({"traceEvents": found, "displayTimeUnit": "ns"}))


def _entry(event: Event, text: str, place: Location | None) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "reads": {slot: f"{x.nbytes} bytes, {x.shape}" for slot, x in event.read.items()},
        "gives": {slot: f"{x.nbytes} bytes, {x.shape}" for slot, x in event.made.items()},
    }
    if place is not None:
        arguments["line"] = f"{place.file}:{place.line}"
        arguments["source"] = place.text
    return {
        "name": text,
        "cat": type(event.step).__name__.lower(),
        "ph": "X",
        "ts": event.begin / 1e3,
        "dur": (event.end - event.begin) / 1e3,
        "pid": os.getpid(),
        "tid": 0,
        "args": arguments,
    }


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
