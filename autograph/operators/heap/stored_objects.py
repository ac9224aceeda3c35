"""The containers of stores as the program sees them: objects, which are made and found again.

Comes in: handles, and values with handles or objects in them. Goes out: the other form.
"""

from __future__ import annotations

from typing import Any

from autograph.operators.containers.handles import Handle, StoresMet, is_handle
from autograph.operators.containers.makers import Empty
from autograph.operators.containers.staged_containers import (
    Lists,
    StagedList,
    lists_now,
    staged_list,
)
from autograph.operators.containers.stores import Store
from autograph.operators.mutation.journal import new
from autograph.staging.context import trace_of
from autograph.staging.region import Field
from runtime import default_graph, trees
from runtime.dispatch import apply
from runtime.graph.opdef import REGISTRY
from runtime.tensor import is_staged


def variable_of(staged: StagedList) -> Field:
    """Return the variable of a state that says what a list holds."""
    home = staged.home
    return content_of(staged) if home is None else Field(home.store, "stored")


def content_of(staged: StagedList) -> Field:
    """Return what a staged list holds by itself, as a variable of a state."""
    return Field(staged, "kept", staged.python)


def content_key(python: Any) -> tuple[str, int]:
    """Return the key of what a container holds, should it become a staged one."""
    return "kept", id(python)


def store_named(lists: Lists, name: Any, make: Empty) -> Store:
    """Return the store of a name, or the one that it has become a part of."""
    builder = default_graph.current()
    assert builder is not None
    met = [x.names for x in trace_of(builder).tries if type(x) is StoresMet]
    names = {name}
    while any(names & x and not x <= names for x in met):
        names = names.union(*(x for x in met if names & x))
    name = min(names)
    if name not in lists.stores:
        lists.stores[name] = found = Store(name, make)
        if found.tables is not None:
            lists.stores[found.tables.name] = found.tables
    return lists.stores[name]


def object_of(handle: Handle) -> Any:
    """Return an object that is a container of a store."""
    staged = StagedList(handle.store.make(), handle.store.item_name)
    staged.home = handle
    lists_now().add(staged)
    new(staged.python)
    return staged.python


def is_same_list(a: Any, b: Any) -> Any:
    """Return whether two containers are one, by their numbers; None if they are in no stores."""
    first, second = home_of(a), home_of(b)
    if first is None or second is None:
        return None
    if first.store is not second.store:
        return False
    is_same = first.number == second.number
    return apply(REGISTRY["truth"], [is_same]) if is_staged(is_same) else is_same


def with_objects(value: Any) -> Any:
    """Return a value with objects in the places of what stands for containers of stores."""
    if default_graph.current() is None or not lists_now().stores:
        return value
    leaves, structure = trees.flatten_to(value, is_handle)
    if not any(map(is_handle, leaves)):
        return value
    return trees.unflatten(structure, [object_of(x) if is_handle(x) else x for x in leaves])


def with_handles(value: Any) -> Any:
    """Return a value with handles in the places of containers that are in stores."""
    if default_graph.current() is None or not lists_now().stores:
        return value
    leaves, structure = trees.flatten_to(value, lambda x: home_of(x) is not None)
    found = [home_of(x) or x for x in leaves]
    return trees.unflatten(structure, found) if any(map(is_handle, found)) else value


def home_of(value: Any) -> Handle | None:
    """Return where a container is in a store; None if it is in none."""
    staged = staged_list(value)
    return None if staged is None else staged.home
