"""Variables and results that are joined as numbers of containers in a store."""

from __future__ import annotations

from typing import Any

from autograph.operators.containers.handles import StoredIn
from autograph.operators.containers.makers import Empty, empty_like
from autograph.operators.containers.staged_containers import STAGED, lists_now
from autograph.operators.containers.storage import admit
from autograph.operators.heap.stored_objects import store_named, with_handles
from autograph.staging.context import trace_of
from autograph.staging.copies import RETURNED, STORED, Join, join_of
from runtime import default_graph
from runtime.graph.builder import Builder
from runtime.graph.location import user_location


def stored(value: Any, name: str = RETURNED) -> Any:
    """Return what an arm leaves under a name, with handles for the lists that are in stores."""
    builder = default_graph.current()
    if builder is None:
        return value
    if type(value) in STAGED:
        admit_if_stored(builder, name, value)
    return with_handles(value)


def admit_if_stored(builder: Builder, name: str, value: Any) -> None:
    """Make a list one of a store, if what is joined under a name may be several of that."""
    store = store_of(builder, name, empty_like(value))
    if store is not None:
        admit(value, store_named(lists_now(), store, empty_like(value)))


def store_of(builder: Builder, name: str, make: Empty) -> Any:
    """Return the name of the store whose containers a variable may hold here, if it is known.

    Args:
        builder: where it is joined.
        name: of the variable.
        make: makes an empty one of what it holds.
    """
    tries = trace_of(builder).tries
    if not any(type(x) is StoredIn or (type(x) is Join and x.how == STORED) for x in tries):
        return None
    join = join_now(name, STORED)
    own = (make.label, f"{name} {join.place[-1:]}") if join in tries else None
    return next((x.store for x in tries if type(x) is StoredIn and x.join == join), own)


def join_now(name: str, how: str) -> Join:
    """Return what identifies a join at the line that is run now."""
    return join_of(user_location(), name, how)
