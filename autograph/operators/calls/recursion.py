"""Functions of the user's that call themselves under a staged condition.

That a function is one is found by tracing it: it does not end. Then it is traced again, and a call
of that function is a call in the graph (see `autograph.staging.recursion`). Calls under conditions
that are known happen while tracing, as ever.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from types import FunctionType
from typing import Any, NamedTuple

from autograph.operators.calls.endless_calls import CallsNeeded, InGraph, check_inlined
from autograph.operators.calls.stored_arguments import (
    ReturnedContainers,
    check_containers,
    form_of,
    stored_argument,
)
from autograph.operators.control_flow.errors import located
from autograph.operators.control_flow.state import State, is_gone
from autograph.operators.heap.stored_objects import with_objects
from autograph.operators.lists.list_values import (
    list_of_value,
)
from autograph.operators.mutation.callee_writes import with_assigned
from autograph.operators.mutation.mutation_guard import ChangesMidway, guard
from autograph.operators.mutation.reachable_objects import reachable
from autograph.operators.mutation.recorded_calls import record_variables
from autograph.staging.call_specs import is_handed_on
from autograph.staging.context import trace_now
from autograph.staging.copies import Values
from autograph.staging.options import Named
from autograph.staging.recursion import Recursion
from autograph.staging.references import refer, resolved
from runtime import default_graph, trees
from runtime.graph.builder import Builder
from runtime.tensor import is_staged


class Earlier(NamedTuple):
    """A call from outside that was traced before.

    Args:
        found: what was found of it.
        variables: those that it assigns, with what messages call them.
    """

    found: Recursion
    variables: Sequence[tuple[str, Any]]


@dataclass
class Recursions:
    """The functions of one trace whose calls are calls in the graph.

    Args:
        codes: these functions, by the ids of their code.

    Attributes:
        active: those whose bodies are being traced, by `form_of`.
        earlier: those that were traced last, by that and the containers that they were given.
        plain: where those were called that are being run with known arguments.
    """

    codes: Mapping[int, InGraph]

    def __post_init__(self) -> None:
        self.active: dict[Any, Recursion] = {}
        self.earlier: dict[Any, Earlier] = {}
        self.plain: dict[int, Builder] = {}
        self.returned: list[ReturnedContainers] = []

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
    """Return what is called in the place of a converted function in the trace that is made.

    The variables that it assigns around itself are recorded.
    """
    recursions = _recursions_now()
    record_variables(function)
    if isinstance(function, FunctionType):
        check_inlined(function.__code__)
    return function if recursions is None else recursions.called(function)


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
    bound = _bound(function, args, kwargs)
    given = [stored_argument(function, *x) for x in bound.arguments.items()]
    active = recursions.active.get(form_of(function, given))
    if active is not None:
        check_containers(function, active.arguments, bound)
        if_sure = recursions.codes[key].if_sure
        if builder is active.inside and not if_sure and not active.repeats(given):
            return function(*args, **kwargs)
        with located():
            return _returned(active.again(given))
    is_known = not any(map(is_staged, trees.flatten((args, kwargs))[0]))
    if is_known and not recursions.codes[key].if_known:
        return _call_known(recursions, function, builder, partial(function, *args, **kwargs))
    with located():
        return _stage(recursions, function, bound, given)


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


def _stage(
    recursions: Recursions,
    function: FunctionType,
    bound: inspect.BoundArguments,
    values: Sequence[Any],
) -> Any:
    names = list(bound.arguments)
    held = [*map(Named, names, bound.arguments.values()), function]
    holder = lambda: held  # noqa: E731  (what the function can assign is found from it)
    reached = reachable((holder,))
    around = {id(one.value): one.path for one in reached}
    for one in reached:
        stored_argument(function, one.path, one.value)

    def body(given: Sequence[Any]) -> Any:
        arguments = dict(zip(names, map(with_objects, given), strict=True))
        own = inspect.BoundArguments(bound.signature, arguments)
        found = refer(function(*own.args, **own.kwargs), set(around))
        return lists.value(found, recursions.active[key].forget)

    state, lists = State("", "", (function,)), ReturnedContainers(function.__code__, around)
    key = form_of(function, values)
    call = key, *(id(x) for x in values if is_handed_on(x))
    earlier = recursions.earlier.get(call)
    if earlier is not None:
        state.add([x for x in earlier.variables if not is_gone(x[1])])

    def stage() -> Any:
        name = recursions.name_for(function)
        guarded = guard(body, (holder,), state)
        midway = ChangesMidway(state, (holder,))
        found = Recursion(name, guarded, names, values, state, midway)
        if earlier is not None:
            found.expect(earlier.found)
        recursions.active[key] = found
        recursions.returned.append(lists)
        try:
            returned = _returned(found.stage())
        finally:
            del recursions.active[key], recursions.returned[-1]
        recursions.earlier[call] = Earlier(found, state.variables())
        return returned

    return with_assigned(state, stage)
