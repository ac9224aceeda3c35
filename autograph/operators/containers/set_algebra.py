"""Sets together, of which one is staged: `a | b`, `a <= b`, `a -= b`, and methods like these.

Comes in: two sets. Goes out: a new staged set, or a staged truth value. Items are looked for in the
hash table of the other set, one after another; where there is none, every item of one is compared
with every item of the other, which is one operation over arrays of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.conditionals import if_exp
from autograph.operators.containers import item_loops
from autograph.operators.containers.columns import joined_rows, need, widened
from autograph.operators.containers.equality import exact, numbers_of
from autograph.operators.containers.item_kinds import NOTHING, ItemKind, is_mixed, slots_of
from autograph.operators.containers.key_codes import hashed
from autograph.operators.containers.kind_joins import joined_kind
from autograph.operators.containers.promotion import staged_of
from autograph.operators.containers.staged_containers import (
    NO_CONTENT,
    Content,
    StagedList,
    staged_list,
)
from autograph.operators.containers.storage import fresh, rows_of
from runtime.dispatch import apply
from runtime.graph.opdef import REGISTRY


def union(a: StagedList, b: StagedList) -> Content:
    """Return what is in one of them, or both."""
    kind = joined_kind(a.what, a.kind, b.kind)
    if kind == NOTHING:
        return NO_CONTENT._replace(keyed=set)
    if _have_tables(a, b):
        return _filled(a.content, kind, item_loops.add_all, _listed(b))
    found = []
    for content in (a.content, difference(b, a)):
        wide = widened(content, kind)
        found.append([x[: wide.length] for x in wide.buffers])
    return _of_rows(kind, [joined_rows(x, y) for x, y in zip(*found, strict=True)])


def intersection(a: StagedList, b: StagedList) -> Content:
    """Return what is in both: of two equal items that of the smaller set, as Python does."""
    mine = _those(a, b, True)
    if NOTHING in (a.kind, b.kind) or (a.kind == b.kind and not is_mixed(a.kind)):
        return mine
    theirs = _chosen(b, _is_in(b, a))
    is_smaller = a.content.length < b.content.length
    found: Content = if_exp(is_smaller, lambda: mine, lambda: theirs)
    return found


def difference(a: StagedList, b: StagedList) -> Content:
    """Return what is in the first, and not in the second."""
    return _those(a, b, False)


def symmetric_difference(a: StagedList, b: StagedList) -> Content:
    """Return what is in one of them, and not in both."""
    only = StagedList(set(), a.name)
    only.content = difference(a, b)
    rest = StagedList(set(), b.name)
    rest.content = difference(b, a)
    return union(only, rest)


def is_subset(a: StagedList, b: StagedList) -> Any:
    """Return whether all of the first is in the second."""
    return apply(REGISTRY["truth"], [rnp.all(_is_in(a, b))])


def is_disjoint(a: StagedList, b: StagedList) -> Any:
    """Return whether they have nothing in common."""
    return table.operators.not_(apply(REGISTRY["truth"], [rnp.any(_is_in(a, b))]))


def is_equal(a: StagedList, b: StagedList) -> Any:
    """Return whether they have the same items."""
    return table.operators.and_(a.content.length == b.content.length, lambda: is_subset(a, b))


def is_proper_subset(a: StagedList, b: StagedList) -> Any:
    """Return whether the second has all of the first, and more."""
    return table.operators.and_(a.content.length < b.content.length, lambda: is_subset(a, b))


def _those(a: StagedList, b: StagedList, wanted: bool) -> Content:
    """Return the items of the first that are in the second, or those that are not."""
    if _have_tables(a, b):
        return _filled(None, a.kind, item_loops.add_those, _listed(a), b.python, wanted)
    found = _is_in(a, b)
    return _chosen(a, found if wanted else rnp.logical_not(found))


def _have_tables(a: StagedList, b: StagedList) -> bool:
    """Tell whether both are sets of the trace, with a table each."""
    return all(staged_list(x.python) is x and x.content.table is not None for x in (a, b))


def _listed(a: StagedList) -> Any:
    """Return a list of the items of a set."""
    return fresh(a.name, a.kind, rows_of(a))


def _filled(
    content: Content | None, kind: ItemKind, fill: Callable[..., None], *given: Any
) -> Content:
    """Return what a set of items of a kind holds when a function, which is staged, has filled it.

    Args:
        content: what it holds before.
        kind: of the items.
        fill: is called with the set, and with
        given: what else it is given.
    """
    made = fresh("a set", kind, [], make=set)
    staged = staged_list(made)
    assert staged is not None
    staged.content = widened(content or staged.content, kind)
    table.operators.call(fill, made, *given)
    return staged.content


def _is_in(a: StagedList, b: StagedList) -> Any:
    """Return which items of the first are in the second, as an array."""
    if NOTHING in (a.kind, b.kind) or slots_of(a.kind)[1] != slots_of(b.kind)[1]:
        return rnp.zeros(a.content.length, bool)
    found = []
    columns = (numbers_of(x.kind, rows_of(x)) for x in (a, b))
    for x, y in zip(*columns, strict=True):
        if x.dtype.kind in "fc" or y.dtype.kind in "fc":
            message = f"nan in the {a.what} is found in Python if it is the same object"
            need(rnp.logical_not(rnp.any(rnp.isnan(x))), ValueError, message)
        found.append(exact(x)[:, None] == exact(y)[None, :])
    return rnp.any(reduce(lambda left, right: left & right, found), axis=1)


def _chosen(a: StagedList, which: Any) -> Content:
    if a.kind == NOTHING:
        return NO_CONTENT._replace(keyed=set)
    return _of_rows(a.kind, [x[which] for x in rows_of(a)])


def _of_rows(kind: Any, rows: list[Any]) -> Content:
    return Content(kind, rows[0].shape[0], tuple(rows), set)


_NEW: dict[str, Callable[[StagedList, StagedList], Content]] = {
    "|": union,
    "&": intersection,
    "-": difference,
    "^": symmetric_difference,
}
_TRUTH: dict[str, Callable[[StagedList, StagedList], Any]] = {
    "==": is_equal,
    "!=": lambda a, b: table.operators.not_(is_equal(a, b)),
    "<=": is_subset,
    ">=": lambda a, b: is_subset(b, a),
    "<": is_proper_subset,
    ">": lambda a, b: is_proper_subset(b, a),
}
_SETS = (set, frozenset)


def is_of_sets(sign: str, left: Any, right: Any) -> bool:
    """Tell whether an operator is one of these, with a staged set."""
    if not (isinstance(left, _SETS) and isinstance(right, _SETS)):
        return False
    is_staged_set = staged_list(left) is not None or staged_list(right) is not None
    return is_staged_set and (sign in _NEW or sign in _TRUTH or sign[:-1] in _NEW)


def binary(sign: str, left: Any, right: Any) -> Any:
    """Return `left & right`, `left <= right`, and the like."""
    a, b = _staged(left), _staged(right)
    if sign in _TRUTH:
        return _TRUTH[sign](a, b)
    return _made(f"{a.name} {sign} {b.name}", _NEW[sign](a, b))


def change(sign: str, left: Any, right: Any) -> Any:
    """Do `left &= right`, and the like; returns `left`, which is the same set."""
    if type(left) is frozenset:
        return binary(sign[:-1], left, right)
    a = staged_list(left) or staged_of(left)
    a.content = hashed(_NEW[sign[:-1]](a, _staged(right)))
    return left


def _staged(value: Any) -> StagedList:
    return staged_list(value) or staged_of(set(value))


def _made(name: str, content: Content) -> Any:
    return fresh(name, content.kind, content.buffers, content.length, make=set)


def _method(step: Callable[[StagedList, StagedList], Content], changes: bool) -> Callable[..., Any]:
    """Return a method that takes any number of iterables."""

    def method(staged: StagedList, *others: Any) -> Any:
        found = StagedList(staged.python, staged.name)
        found.content = staged.content
        for other in _sets(others):
            found.content = step(found, other)
        if not changes:
            return _made(f"{step.__name__}()", found.content)
        staged.content = hashed(found.content)
        return None

    return method


def _relation(ask: Callable[[StagedList, StagedList], Any]) -> Callable[[StagedList, Any], Any]:
    def method(staged: StagedList, other: Any) -> Any:
        (found,) = _sets((other,))
        return ask(staged, found)

    return method


def _sets(others: Iterable[Any]) -> list[StagedList]:
    """Return what a method is given as sets."""
    found = [x if isinstance(x, _SETS) else table.operators.call(set, x) for x in others]
    return [_staged(x) for x in found]


METHODS: dict[str, Callable[..., Any]] = {
    **{step.__name__: _method(step, changes=False) for step in _NEW.values()},
    "difference_update": _method(difference, changes=True),
    "intersection_update": _method(intersection, changes=True),
    "isdisjoint": _relation(is_disjoint),
    "issubset": _relation(is_subset),
    "issuperset": _relation(lambda a, b: is_subset(b, a)),
    "symmetric_difference_update": _method(symmetric_difference, changes=True),
    "update": _method(union, changes=True),
}
