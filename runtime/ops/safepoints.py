"""Safepoints: places of a graph at which it tells what it would have written by then.

A graph writes nothing: what a program writes in place are results, which the caller stores. If the
graph raises there are none. So a safepoint stands in front of what may raise, and is given the
arrays that have been written by then. The name is that of compilers which leave compiled code in
the middle (Java's, JavaScript's): what the interpreter would hold there is known at such points.

Comes in: a run that fails. Goes out: what the safepoints told that it passed.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, ParamSpec, TypeVar

from runtime.graph.node import Graph, Node
from runtime.graph.opdef import op
from runtime.graph.walk import walk
from runtime.ops.families import EFFECTS

P = ParamSpec("P")
R = TypeVar("R")

_PASSED = "passed_safepoint"
"""The attribute of an exception that holds what safepoints told before it."""


@dataclass(slots=True)
class Passed:
    """What the safepoints have told that a run has passed.

    Args:
        point: the number of the last one; None if there was none.
        values: what it was given besides arrays of arguments.
        arrays: what arguments held, by number, as far as that was told.
    """

    point: int | None = None
    values: tuple[Any, ...] = ()
    arrays: dict[int, Any] = field(default_factory=dict)


class _Runs(threading.local):
    """The runs that go on in a thread, the innermost last."""

    def __init__(self) -> None:
        self.passed: list[Passed] = []


_RUNS = _Runs()


def _safepoint_kernel(
    xp: Any,
    *values: Any,
    point: int,
    writes: tuple[int, ...],
    exchanged: tuple[tuple[int, int], ...],
) -> tuple[Any, ...]:
    if _RUNS.passed:
        last = _RUNS.passed[-1]
        count = len(values) - len(writes) - sum(1 + size for _, size in exchanged)
        last.point, last.values = point, values[:count]
        rest = iter(values[count:])
        last.arrays.update(zip(writes, rest, strict=False))
        for number, size in exchanged:
            rounds, *options = islice(rest, 1 + size)
            last.arrays[number] = options[rounds % size]
    return ()


safepoint = op(
    "safepoint(*values, point, writes=(), exchanged=())",
    doc="""Tell what has been written so far; what follows may raise.

    The values end with what the arguments `writes` hold, and for each of `exchanged`, which has an
    argument's number and `size`: a count of rounds, and `size` arrays that the argument is in turn.
    What arguments hold that are not told of is what earlier safepoints told.""",
    spec=lambda *values, point, writes, exchanged: (),
    kernel=_safepoint_kernel,
    samples=None,
    effect="state",
    family=EFFECTS,
)


def telling(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function whose exceptions know the safepoints that it passed; see `passed`."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        _RUNS.passed.append(Passed())
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            setattr(error, _PASSED, _RUNS.passed[-1])
            raise
        finally:
            _RUNS.passed.pop()

    return run


def passed(error: BaseException) -> Passed | None:
    """Take what safepoints told from an exception of a function that is `telling`."""
    found: Passed | None = vars(error).pop(_PASSED, None)
    return found


def tells(graph: Graph) -> bool:
    """Tell whether a graph has safepoints."""
    return any(node.op is safepoint for node in walk(graph))


def is_safepoint(node: Node) -> bool:
    """Tell whether a node does nothing but tell what was written."""
    return node.op is safepoint
