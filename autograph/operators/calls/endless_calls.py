"""Functions that call themselves without an end while they are traced: how that is noticed."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from types import CodeType, FrameType
from typing import Any, NamedTuple

from autograph import conversion
from autograph.operators import table
from autograph.operators.containers.staged_containers import is_staged_list
from autograph.staging.context import trace_of
from autograph.staging.copies import Restart
from runtime import default_graph, trees
from runtime.graph.location import entries, is_ours
from runtime.tensor import is_staged
from runtime.union import Known, leaf_spec


class Endless(NamedTuple):
    """A function of which tracing found no end.

    Args:
        code: of the function, converted.
        depth: how often it had called itself.
        place: the file and the line of the last call.
    """

    code: CodeType
    depth: int
    place: str

    @property
    def name(self) -> str:
        """What messages call the function."""
        return getattr(self.code, "co_qualname", self.code.co_name).replace("<locals>.", "")


class Step(NamedTuple):
    """A function that is being run, and its line."""

    code: CodeType
    line: int


def endless(error: BaseException) -> Endless | None:
    """Return the function that called itself until an error was raised; None if there is none."""
    found = entries(error.__traceback__)
    return _endless_in([Step(entry.tb_frame.f_code, entry.tb_lineno) for entry in found])


def _endless_in(steps: Sequence[Step]) -> Endless | None:
    """Return the function that calls itself most; of several in turn, the first one."""
    entered = [k for k in range(1, len(steps)) if _is_entered(steps[k - 1], steps[k])]
    counts = Counter(id(steps[k].code) for k in entered)
    most = max(counts.values(), default=0)
    if most < 2:
        return None
    code = next(steps[k].code for k in entered if counts[id(steps[k].code)] * 2 > most)
    last = max(k for k in entered if steps[k].code is code)
    caller = next(x for x in reversed(steps[:last]) if not is_ours(x.code.co_filename))
    return Endless(code, counts[id(code)], f"{caller.code.co_filename}, line {caller.line}")


def _is_entered(before: Step, step: Step) -> bool:
    """Tell whether a step is the beginning of a function, and not an arm or a body in it."""
    is_first = _is_call(before.code) or conversion.is_whole(step.code)
    return is_first and not is_ours(step.code.co_filename)


def _is_call(code: CodeType) -> bool:
    """Tell whether code is that of the operator that calls converted functions."""
    return code is table.operators.call.__code__


DEEP = 4
"""In so many regions inside of each other calls are looked at, whether they go on forever."""

MOST_INLINED = 12
"""So many calls that deep of a function that calls itself are traced, one by one."""

MOST_ALIKE = 5
"""So many calls of a function with arguments of the same types inside of each other are endless."""


def check_endless(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raise EndlessFound for a call that is the last of several alike, under staged conditions.

    Raises:
        InlinedOften: the calls are not alike, but both arms of branches inside of each other have
            some, so that each level of them doubles what is traced.
    """
    frame: FrameType | None = sys._getframe(1)
    builder = default_graph.current()
    assert builder is not None
    steps: list[Step] = []
    alike: set[int] = set()
    same: set[int] = set()
    wanted = _type_of_call(function, args, kwargs)
    while frame is not None:
        steps.append(Step(frame.f_code, frame.f_lineno))
        if _is_call(frame.f_code) and "builder" in frame.f_locals:
            held = frame.f_locals
            found = _type_of_call(held["function"], held["args"], held["kwargs"])
            same.update([id(held["builder"])] if found[0] == wanted[0] else [])
            alike.update([id(held["builder"])] if found == wanted else [])
        frame = frame.f_back
    if len(alike) >= MOST_ALIKE:
        raise EndlessFound(_endless_in(steps[::-1]))
    calls = trace_of(builder).calls
    if len(same) >= MOST_ALIKE and calls is not None:
        calls[wanted[0]] += 1
        if calls[wanted[0]] > MOST_INLINED:
            raise InlinedOften(_endless_in(steps[::-1]))


def _type_of_call(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return what calls have in common that are traced alike."""
    code = getattr(getattr(function, "__func__", function), "__code__", function)
    leaves, structure = trees.flatten_to((tuple(args), dict(kwargs)), is_staged_list)
    return id(code), structure, list(map(_type_of, leaves))


def _type_of(leaf: Any) -> Any:
    if is_staged(leaf):
        return leaf_spec(leaf)
    return type(leaf) if is_staged_list(leaf) else Known(leaf)


class EndlessFound(Restart):
    """Tracing a function does not end.

    Args:
        found: the function.
    """

    def __init__(self, found: Endless | None) -> None:
        super().__init__(found)
        self.found = found


class InlinedOften(EndlessFound):
    """Tracing a function takes a time that is exponential in the depth of its calls."""


class InGraph(NamedTuple):
    """A function whose calls are calls in the graph.

    Args:
        code: of the function.
        if_known: whether those with known arguments are, too.
        if_sure: whether those are that are made in any case, of arrays of other sizes.
    """

    code: CodeType
    if_known: bool = False
    if_sure: bool = False


class CallsNeeded(Restart):
    """Calls of a function have to be calls in the graph.

    Args:
        needed: the function, and which calls.
        saves_time: whether they could be traced one by one, too.
    """

    def __init__(self, needed: InGraph, saves_time: bool = False) -> None:
        super().__init__(needed)
        self.needed = needed
        self.saves_time = saves_time


MANY_CALLS = 32
MANY_NODES = 10_000
"""So many calls and nodes are traced before a function that calls itself is one of the graph."""


def check_inlined(code: CodeType) -> None:
    """Raise CallsNeeded for a function that calls itself in any case, where that takes long.

    That is one which is given less of an array each time, down to a known size.
    """
    builder = default_graph.current()
    calls = None if builder is None else trace_of(builder).calls
    if builder is None or calls is None:
        return
    calls[code] += 1
    if calls[code] % MANY_CALLS or builder.progress.nodes < MANY_NODES:
        return
    frame: FrameType | None = sys._getframe(1)
    depth = 0
    while frame is not None:
        depth += frame.f_code is code
        frame = frame.f_back
    if depth >= 2:
        raise CallsNeeded(InGraph(code, if_known=True, if_sure=True), saves_time=True)
