"""Containers that functions which call themselves are given, and that they return.

One that all calls are given is itself. Where it is another one from call to call, as in a sort
that calls itself with parts of a list, its number in a store is given: so what one call writes the
others see, whatever name they know it by.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from autograph.operators.containers.handles import is_handle
from autograph.operators.containers.makers import empty_like
from autograph.operators.containers.staged_containers import STAGED, lists_now, staged_list
from autograph.operators.containers.storage import admit
from autograph.operators.heap.stored_objects import home_of, store_named
from autograph.operators.lists.list_values import is_container, value_of_list, value_of_option
from autograph.staging.context import trace_now
from autograph.staging.copies import TryAgain
from runtime import trees
from runtime.union import Choice, Reference, values_of


class StoredArgument(NamedTuple):
    """A container whose number in a store is given to a function and returned by it.

    It is another one from call to call, or may be returned beside others.

    Args:
        code: of the function.
        name: of the argument, or of what the function knows it by.
    """

    code: CodeType
    name: str


def stored_argument(function: FunctionType, name: str, value: Any) -> Any:
    """Return what a call is given for an argument: the handle of a container in a store, or it."""
    trace = trace_now()
    assert trace is not None
    key = StoredArgument(function.__code__, name)
    if type(value) not in STAGED or key not in trace.tries:
        return value
    where = f"{name} of {function.__qualname__} ({key.code.co_firstlineno})"
    make = empty_like(value)
    store = store_named(lists_now(), (make.label, where), make)
    return admit(value, store)


def form_of(function: FunctionType, given: Sequence[Any]) -> Any:
    """Return what calls have in common that one function of the graph is for."""
    return id(function.__code__), *(x.store.make if is_handle(x) else None for x in given)


def check_containers(
    function: FunctionType, outer: Sequence[Any], bound: inspect.BoundArguments
) -> None:
    """Raise TryAgain for a container that is not the one that the function was called with."""
    for before, (name, value) in zip(outer, bound.arguments.items(), strict=True):
        if type(value) in STAGED and value is not before and not is_handle(before):
            raise TryAgain(StoredArgument(function.__code__, name))


class ReturnedContainers:
    """What is known of the lists that a function returns: those of several lengths are staged.

    Args:
        code: of the function.
        around: the names of what is there outside of the function, by its id.
    """

    def __init__(self, code: CodeType, around: Mapping[int, str]) -> None:
        self._code = code
        self._around = around
        self._lengths: set[int | None] = set()
        self._met: set[str] = set()
        self._has_own = False
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
        """Return what an arm returned as a value; containers from outside are themselves."""
        leaves, structure = trees.flatten_to(returned, is_container)
        found = [x for x in leaves if is_container(x) and not home_of(x)]
        self._met.update(self._around[id(x)] for x in found if id(x) in self._around)
        self._has_own |= any(id(x) not in self._around for x in found)
        if self._met and (self._has_own or any(map(staged_list, found))):
            raise TryAgain(StoredArgument(self._code, min(self._met)))
        if found and self._met:
            parts = [Reference(x) if is_container(x) else x for x in leaves]
            returned = trees.unflatten(structure, parts)
        return value_of_option(returned) if self.are_staged else value_of_list(returned)
