"""Events as a file for trace viewers.

Comes in: events. Goes out: a file in the Trace Event Format, which Chrome's viewer and Perfetto
read: complete events (`"ph": "X"`) with times in microseconds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from runtime.graph.location import Location
from runtime.profiling.recorder import Event


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
