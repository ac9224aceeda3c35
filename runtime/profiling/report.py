"""A profile as text.

Comes in: a profile. Goes out: a table with a row for each step.
"""

from __future__ import annotations

from os.path import basename
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runtime.profiling.profile import Profile, StepProfile

HEAD = ("time", "share", "rounds", "bytes", "GB/s", "Gop/s", "of limit", "line", "step")
LONGEST = 60
"""How many letters of a step are shown."""


def table_of(profile: Profile) -> str:
    """Return the text of a profile."""
    rows = [_row(step, profile.seconds) for step in profile.steps]
    widths = [max(map(len, column)) for column in zip(HEAD, *rows, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(width) if k < len(HEAD) - 2 else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in (HEAD, *rows)
    ]
    more = f"; {profile.missed} more steps ran" if profile.missed else ""
    return "\n".join(
        [
            f"{profile.name}: {duration(profile.seconds)}{more}",
            *lines,
            f"memory: {amount(profile.peak_memory)} at most beside the arguments; "
            f"its steps need {amount(profile.least_memory)}",
            f"the machine: {profile.limits}",
        ]
    )


def _row(step: StepProfile, total: float) -> tuple[str, ...]:
    seconds = max(step.seconds, 1e-9)
    share = f"{100 * step.seconds / max(total, 1e-9):.0f} %"
    moved = step.bytes_moved
    reached = f"{100 * step.least_seconds / seconds:.0f} %" if step.least_seconds else ""
    place = step.location
    text = step.text if len(step.text) <= LONGEST else f"{step.text[: LONGEST - 3]}..."
    return (
        duration(step.seconds),
        share,
        str(step.rounds),
        amount(moved) if moved else "",
        f"{moved / seconds / 1e9:.3g}" if moved else "",
        f"{step.operations / seconds / 1e9:.3g}" if step.operations else "",
        reached,
        "" if place is None else f"{basename(place.file)}:{place.line}",
        "  " * step.depth + text,
    )


def duration(seconds: float) -> str:
    """Return a time with three digits.

    >>> duration(0.00123)
    '1.23 ms'
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def amount(count: float) -> str:
    """Return a number of bytes with three digits.

    >>> amount(16_777_216)
    '16.8 MB'
    """
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"
