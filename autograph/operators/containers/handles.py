"""Containers that are items of staged containers: what stands for one is its number in a store.

An item is written through every name that it has, so it cannot be a copy. All inner containers of
one kind are in a *store* (`stores`), and whoever holds one holds its number there.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.staging.copies import Join, holds_for_tracing
from runtime.tree_classes import register_tree

INNER = (list, dict, set, deque, StagedTuple)
"""Classes of containers that are held by their numbers."""


@holds_for_tracing
class Handle:
    """A container that is in a store.

    Args:
        store: which one; what makes an empty container of its class where that is not known yet.
        number: of the container in it.
    """

    __slots__ = ("number", "store")

    def __init__(self, store: Any, number: Any) -> None:
        self.store = store
        self.number = number

    def __repr__(self) -> str:
        return repr(self.store)


register_tree(
    Handle,
    lambda handle: ((handle.number,), handle.store),
    lambda store, parts: Handle(store, parts[0]),
    lambda store: [".number"],
)


def is_inner(value: Any) -> bool:
    """Tell whether a part of an item is a container."""
    return isinstance(value, INNER)


def is_handle(value: Any) -> bool:
    """Tell whether a value stands for a container."""
    return type(value) is Handle


class StoresMet(NamedTuple):
    """Two stores whose containers meet in one place: they are one from the beginning.

    Args:
        names: theirs.
    """

    names: frozenset[Any]


class StoredIn(NamedTuple):
    """A variable that holds one of several containers of a store.

    Args:
        join: where.
        store: the name of the store.
    """

    join: Join
    store: Any
