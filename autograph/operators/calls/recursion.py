"""Functions of the user's that call themselves under a staged condition.

That a function is one is found by tracing it: it does not end. Then it is traced again, and a call
of that function is a call in the graph (see `autograph.staging.recursion`). Calls under conditions
that are known happen while tracing, as ever.
"""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

from autograph import conversion
from autograph.operators import table
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.control_flow.errors import located
from autograph.operators.control_flow.state import State
from autograph.operators.lists.list_values import (
    list_of_value,
    value_of_list,
    value_of_option,
)
from autograph.operators.mutation.callee_writes import with_assigned
from autograph.operators.mutation.mutation_guard import ChangesMidway, guard
from autograph.operators.mutation.reachable_objects import reachable
from autograph.staging.context import trace_now, trace_of
from autograph.staging.copies import Restart, Values
from autograph.staging.options import Named
from autograph.staging.recursion import Recursion
from autograph.staging.references import refer, resolved
from runtime import default_graph, trees
from runtime.graph.builder import Builder
from runtime.graph.location import entries, is_ours
from runtime.tensor import is_staged
from runtime.union import Choice, Known, leaf_spec, values_of


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
    is_called = _is_call(before.code) and not is_ours(step.code.co_filename)
    return is_called or conversion.is_whole(step.code)


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
    leaves, structure = trees.flatten((tuple(args), dict(kwargs)))
    return id(code), structure, [leaf_spec(x) if is_staged(x) else Known(x) for x in leaves]


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


@dataclass
class Recursions:
    """The functions of one trace whose calls are calls in the graph.

    Args:
        codes: these functions, by the ids of their code.

    Attributes:
        active: those whose bodies are being traced.
        plain: where those were called that are being run with known arguments.
    """

    codes: Mapping[int, InGraph]

    def __post_init__(self) -> None:
        self.active: dict[int, Recursion] = {}
        self.plain: dict[int, Builder] = {}
        self.returned: list[_Lists] = []

    def called(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return what is called in the place of a converted function."""
        if isinstance(function, FunctionType) and id(function.__code__) in self.codes:
            return partial(staged_call, self, function)
        return function

    def name_for(self, function: FunctionType) -> str:
        """Return a name that no function around it has."""
        plain = function.__name__ if function.__name__.isidentifier() else "function"
        taken = {recursion.name for recursion in self.active.values()}
        names = (plain if k == 1 else f"{plain}_{k}" for k in count(1))
        return next(name for name in names if name not in taken)


def _recursions_now() -> Recursions | None:
    trace = trace_now()
    return None if trace is None else trace.recursions


def called(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what is called in the place of a converted function in the trace that is made."""
    recursions = _recursions_now()
    if isinstance(function, FunctionType):
        _check_inlined(function.__code__)
    return function if recursions is None else recursions.called(function)


MANY_CALLS = 32
MANY_NODES = 10_000
"""So many calls and nodes are traced before a function that calls itself is one of the graph."""


def _check_inlined(code: CodeType) -> None:
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


def is_in_graph(callee: Any) -> bool:
    """Tell whether what is called is a function of the graph, for what `called` returned."""
    inner = getattr(callee, "__func__", callee)
    return isinstance(inner, partial) and inner.func is staged_call


def staged_call(
    recursions: Recursions, function: FunctionType, /, *args: Any, **kwargs: Any
) -> Any:
    """Call a function that calls itself: in the graph, or while tracing where all is known."""
    key, builder = id(function.__code__), default_graph.current()
    assert builder is not None
    active = recursions.active.get(key)
    if active is not None:
        given = tuple(_bound(function, args, kwargs).arguments.values())
        if_sure = recursions.codes[key].if_sure
        if builder is active.inside and not if_sure and not active.repeats(given):
            return function(*args, **kwargs)
        with located():
            return _returned(active.again(given))
    is_known = not any(map(is_staged, trees.flatten((args, kwargs))[0]))
    if is_known and not recursions.codes[key].if_known:
        return _call_known(recursions, function, builder, partial(function, *args, **kwargs))
    with located():
        return _stage(recursions, function, _bound(function, args, kwargs))


def value_returned(value_of: Callable[[Values], Any], returned: Values) -> Any:
    """Return what an arm of a branch returned as a value that can be joined.

    Args:
        value_of: makes it one, outside of functions that call themselves in the graph.
        returned: what the arm returned, alone.
    """
    recursions = _recursions_now()
    if recursions is None or not recursions.returned:
        return value_of(returned)
    return recursions.returned[-1].option(returned[0])


def _returned(value: Any) -> Any:
    """Return what a call returned: lists as such, and what was there before itself."""
    return list_of_value(resolved(value))


def _call_known(
    recursions: Recursions, function: FunctionType, builder: Builder, run: Callable[[], Any]
) -> Any:
    """Call a function while tracing; CallsNeeded when it calls itself under a staged condition."""
    key = id(function.__code__)
    outer = recursions.plain.get(key)
    if outer is not None and outer is not builder:
        raise CallsNeeded(InGraph(function.__code__, if_known=True))
    recursions.plain[key] = builder
    try:
        return run()
    finally:
        if outer is None:
            del recursions.plain[key]


def _bound(
    function: FunctionType, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> inspect.BoundArguments:
    signature = inspect.signature(function, follow_wrapped=False)
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return bound


class _Lists:
    """What is known of the lists that a function returns: those of several lengths are staged."""

    def __init__(self) -> None:
        self._lengths: set[int | None] = set()
        self.are_staged = False

    def value(self, returned: Any, forget: Callable[[], None]) -> Any:
        """Return what a function returned as a value; `forget` what was known, if that changes."""
        if type(returned) is list and staged_list(returned) is None:
            self._lengths.add(len(returned))
        elif type(returned) is Choice and any(type(x) is list for x in values_of(returned)):
            self._lengths.update((None, -1))
        if len(self._lengths) > 1 and not self.are_staged:
            self.are_staged = True
            forget()
        return self.option(returned)

    def option(self, returned: Any) -> Any:
        """Return what an arm returned as a value."""
        return value_of_option(returned) if self.are_staged else value_of_list(returned)


def _stage(recursions: Recursions, function: FunctionType, bound: inspect.BoundArguments) -> Any:
    names, values = list(bound.arguments), tuple(bound.arguments.values())
    held = [*map(Named, names, values), function]
    holder = lambda: held  # noqa: E731  (what the function can assign is found from it)
    around = {id(one.value) for one in reachable((holder,))}

    def body(given: Sequence[Any]) -> Any:
        arguments = dict(zip(names, given, strict=True))
        own = inspect.BoundArguments(bound.signature, arguments)
        found = refer(function(*own.args, **own.kwargs), around)
        return lists.value(found, recursions.active[key].forget)

    state, lists = State("", "", ()), _Lists()
    key = id(function.__code__)

    def stage() -> Any:
        name = recursions.name_for(function)
        guarded = guard(body, (holder,), state)
        midway = ChangesMidway(state, (holder,))
        found = recursions.active[key] = Recursion(name, guarded, names, values, state, midway)
        recursions.returned.append(lists)
        try:
            return _returned(found.stage())
        finally:
            del recursions.active[key], recursions.returned[-1]

    return with_assigned(state, stage)
