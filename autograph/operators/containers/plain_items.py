"""Lists whose items Python knows one by one, and that become staged ones all the same."""

from __future__ import annotations

from collections import Counter
from typing import Any

from autograph.operators.containers.item_values import kind_of
from autograph.operators.containers.promotion import staged_of, tuple_of
from autograph.operators.containers.staged_containers import StagedList, is_staged_list, staged_list
from autograph.operators.keyed.known_keys import has_staged
from autograph.operators.keyed.set_algebra import METHODS
from autograph.operators.keyed.views import in_order
from runtime import trees
from runtime.tensor import is_staged
from runtime.texts import StagedText

ASK_EACH = frozenset({"count", "index", "remove"})
"""Methods that compare each item with one."""

OF_ITERABLES = METHODS.keys() - {"clear", "copy"}
"""Methods of sets that are given iterables."""


def staged_for(items: Any, method: str, args: tuple[Any, ...]) -> StagedList | None:
    """Return the staged list that a method is called of in place of a list; None for that itself.

    Args:
        items: the list, tuple, deque, Counter or set.
        method: its name.
        args: what it is given.
    """
    if type(items) is Counter:
        is_asked = method == "most_common" and any(map(is_staged, (*args, *items.values())))
        return staged_of(items.copy()) if is_asked else None
    if type(items) is set:
        return staged_of(items) if method in OF_ITERABLES and any(map(_is_asked, args)) else None
    first = args[0] if args else None
    other = in_order(first) if method == "extend" else None
    if other is not None:
        return staged_of(items, [other.kind])
    if method == "insert" and is_staged(first) and len(args) == 2:
        return staged_of(items, [kind_of("list 'items'", args[1])])
    if method in ("pop", "rotate") and is_staged(first):
        return staged_of(items)
    if method in ASK_EACH and (has_staged(first) or any(map(_holds_staged, (first, *items)))):
        if type(items) is tuple:
            return staged_list(tuple_of(staged_of(list(items)).python))
        return staged_of(items if method == "remove" else items.copy())
    return None


def _holds_staged(value: Any) -> bool:
    """Tell whether a value, or a part of one, is known only when the graph runs."""
    leaves = trees.flatten_to(value, is_staged_list)[0]
    return any(is_staged_list(x) or is_staged(x) or type(x) is StagedText for x in leaves)


def _is_asked(iterable: Any) -> bool:
    """Tell whether an iterable is staged, or a list or tuple with a staged item."""
    if staged_list(iterable) is not None or is_staged(iterable):
        return True
    if type(iterable) in (list, tuple):
        return any(map(has_staged, iterable))
    return hasattr(type(iterable), "__staged_iteration__")
