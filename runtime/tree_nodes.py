"""The containers of a tree, as objects: what `trees.flatten` looks through.

Comes in: any Python value. Goes out: the lists, dicts and objects in it that can be changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import is_dataclass
from typing import Any

from runtime import trees
from runtime.tree_classes import ENTRIES_BEFORE_CYCLE_CHECK, find_kind, open_cycles


def taken_apart(value: Any) -> tuple[tuple[Any, ...], Any] | None:
    """Return the children of a value and what else its structure holds; None for a leaf.

    >>> taken_apart({"a": (1, 2)})[0]
    ((1, 2),)
    """
    kind = find_kind(type(value))
    if kind is None:
        return None
    children, data = kind.flatten(value)
    return tuple(children), data


def mutable_nodes(value: Any) -> list[Any]:
    """Return the lists, dicts and dataclass instances of a value, in preorder.

    >>> mutable_nodes(([1], {"a": [2]}))
    [[1], {'a': [2]}, [2]]
    """
    return [x for x in nodes(value) if is_mutable(x)]


def nodes(value: Any) -> list[Any]:
    """Return all containers of a value, and itself if it is one, in preorder.

    >>> nodes(([1], (2,)))[1:]
    [[1], (2,)]
    """
    found: list[Any] = []
    todo = [value]
    while todo:
        item = todo.pop()
        parts = taken_apart(item)
        if parts is None:
            continue
        found.append(item)
        if any(find_kind(cls) is not None for cls in {*map(type, parts[0])}):
            todo.extend(reversed(parts[0]))
        if len(found) == ENTRIES_BEFORE_CYCLE_CHECK and open_cycles(value):
            return nodes(value)
    return found


def is_mutable(value: Any) -> bool:
    """Tell whether a value is a list, a dict, a deque, or an instance of a dataclass."""
    return isinstance(value, list | dict | deque) or is_dataclass(value)


def containers(value: Any) -> list[Any]:
    """Return those that can be written: not the instances of frozen dataclasses."""
    return [x for x in mutable_nodes(value) if not is_frozen(x)]


def is_frozen(value: Any) -> bool:
    """Tell whether a value is an instance of a frozen dataclass."""
    parameters = getattr(type(value), "__dataclass_params__", None)
    return parameters is not None and parameters.frozen


def children_of(value: Any) -> Sequence[Any]:
    """Return what a value holds that is taken apart."""
    node = trees.node_of(value)
    assert node is not None
    return node.children
