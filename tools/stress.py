"""Interrupt a staged function wherever Ctrl-C may: python -m tools.stress [ratio].

Its first call is interrupted as one of the Python functions of this library begins: the first, the
second, and so on, through tracing, passes, compilation and the run. After each interruption the
variable holds what it held, or what the call makes of it, and the next call gives what Python does.

With a ratio such as 1.1, only points are taken that are so much further than the last.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import autograph as ag
from runtime import default_graph

OURS = tuple(str(Path(module.__file__ or "").parent) for module in (ag, default_graph))
UNSEEN = frozenset({"<genexpr>", "<lambda>", "__del__", "_release"})
"""Functions that the interpreter itself may call, which lets no exception out."""


def busy(x: Any, state: Any, seen: dict[str, Any]) -> Any:
    """Do a bit of all: branches, loops, a variable, a dict of the caller's."""
    total = x.sum()
    for k in range(3):
        if total > k:
            state.assign_add(total)
            x = x * 2
    seen["total"] = total
    while total < 40:
        total = total + np.max(x)
    return x, total


def interrupted_at(number: int, work: Callable[[], Any]) -> bool:
    """Interrupt some work at a call of one of our functions; tell whether it got there."""
    left = [number]

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(OURS) and code.co_name not in UNSEEN:
            left[0] -= 1
            if left[0] == 0:
                sys.setprofile(None)
                raise KeyboardInterrupt(f"at call {number}")

    sys.setprofile(profile)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(None)
    return left[0] <= 0


def is_sound_at(number: int) -> bool:
    """Interrupt the function at a call, and look at everything; False when it ended before."""
    x, plain, state = np.ones(3), ag.Variable(1.0), ag.Variable(1.0)
    expected_seen: dict[str, Any] = {}
    seen: dict[str, Any] = {}
    expected = busy(x, plain, expected_seen)
    staged = ag.function(lambda x, seen: busy(x, state, seen))
    if not interrupted_at(number, lambda: staged(x, seen)):
        return False
    assert default_graph.current() is None, "the trace is still open"
    assert state.numpy() in (1.0, plain.numpy()), f"the variable holds {state.numpy()}"
    for _ in range(2):
        state.assign(1.0)
        seen.clear()
        np.testing.assert_equal(staged(x, seen), expected)
        assert state.numpy() == plain.numpy(), f"the variable holds {state.numpy()}"
        assert seen == expected_seen, f"the dict holds {seen}"
    assert staged.trace_count <= 2, f"it was traced {staged.trace_count} times"
    return True


def points(ratio: float) -> Iterator[int]:
    """Yield numbers of calls, without an end, each so many times the one before."""
    number = 1
    while True:
        yield number
        number = max(number + 1, int(number * ratio))


def main(arguments: list[str]) -> int:
    """Try all points; return the exit status."""
    count = 0
    for number in points(float(arguments[0]) if arguments else 1.0):
        if not is_sound_at(number):
            break
        count += 1
    sys.stdout.write(
        f"stress: interrupted at {count} points up to call {number}, sound after each\n"
    )
    return 0


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    sys.exit(main(sys.argv[1:]))
