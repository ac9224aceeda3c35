"""Sets together, of which one is staged: `a | b`, `a <= b`, `a -= b`, and methods like these.

Comes in: two sets. Goes out: a new staged set, or a staged truth value. Items are looked for in the
hash table of the other set, one after another, in the order and with the room of CPython's methods,
so that the tables of the results are Python's. Where there is no table, every item of one is
compared with every item of the other, which is one operation over arrays of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.containers import item_loops
from autograph.operators.containers.columns import widened
from autograph.operators.containers.item_kinds import NOTHING, ItemKind
from autograph.operators.containers.kind_joins import joined_kind
from autograph.operators.containers.promotion import staged_of
from autograph.operators.containers.staged_containers import (
    NO_CONTENT,
    Content,
    StagedList,
    staged_list,
)
from autograph.operators.containers.storage import fresh, refused
from autograph.operators.control_flow.conditionals import if_exp
from autograph.operators.keyed.key_codes import hashed, keys_of, run, run_alone
from autograph.operators.keyed.set_columns import (
    chosen,
    is_disjoint,
    is_equal,
    is_in,
    is_proper_subset,
    is_subset,
    joined,
)
from autograph.operators.keyed.set_layout import restore, table_of
from autograph.operators.keyed.set_tables import FILL
from autograph.staging.traced_once import traced_once
from runtime import trees
from runtime.tensor import is_staged


def _copied(content: Content) -> Content:
    if content.table is None:
        return content
    return content._replace(table=run("copied", content, content.table, content.length))


def _cleared(content: Content) -> Content:
    found = None if content.table is None else run_alone("cleared", content.table)
    return hashed(content._replace(length=0, table=found))


def copy(staged: StagedList) -> Any:
    """Return another set with the same items."""
    return _made(f"{staged.name}.copy()", _copied(staged.content))


def clear(staged: StagedList) -> None:
    """Remove all items."""
    staged.content = _cleared(staged.content)


def _update(a: Content, b: Any) -> Content:
    """Return what a set holds when what is in a set, a dict or another iterable is put in."""
    if a.kind == NOTHING and isinstance(b, dict) and staged_list(b) is None:
        b = set(b)  # the very table that it would have
    other = _content_of(b)
    if other is None:
        a = _with_room(a, b)
        return _filled(a, a.kind, item_loops.add_all, b)
    kind = joined_kind("a set", a.kind, other.kind)
    a, theirs = widened(a, kind), widened(other, kind)
    if kind == NOTHING:
        return a
    if a.table is None or theirs.table is None:
        return joined(a, chosen(theirs, rnp.logical_not(is_in(theirs, a))))
    room = run("reserved", a, a.table, theirs.length, a.length)

    def taken() -> Content:
        filled = run("filled", theirs, room, theirs.table, theirs.length)
        return theirs._replace(table=filled)

    def added() -> Content:
        return _filled(a._replace(table=room), kind, item_loops.add_all, b)

    return _chosen(room[FILL] == 0, taken, added)


def _union(a: Content, b: Any) -> Content:
    return _update(_copied(a), b)


def _with_room(a: Content, b: Any) -> Content:
    """Return a set with room for the keys of a dict, as Python makes it before they are put in."""
    staged = staged_list(b) if isinstance(b, dict) else None
    if staged is not None:
        a = widened(a, joined_kind("a set", a.kind, keys_of(staged.content).kind))
    if not isinstance(b, dict) or a.table is None:
        return a
    count = table.operators.call(len, b)
    return a._replace(table=run("reserved", a, a.table, count, a.length))


def _intersection_update(a: Content, b: Any) -> Content:
    return _resumed(_intersection(a, b), a)


def _resumed(content: Content, before: Content) -> Content:
    """Return what a set holds from which `pop` goes on where it does in another one."""
    if content.table is None or before.table is None:
        return content
    return content._replace(table=run_alone("resumed", content.table, before.table))


def _intersection(a: Content, b: Any) -> Content:
    """Return what is in both: of two equal items that of the smaller set, as Python does."""
    other, mine = _content_of(b), _set_of(a)
    if other is None:
        return _filled(None, a.kind, item_loops.add_those, b, mine, True)
    is_smaller = a.length < other.length
    if _have_no_tables(a, other):
        if NOTHING in (a.kind, other.kind) or a.kind == other.kind:
            return chosen(a, is_in(a, other))
        pair: Any = lambda: chosen(a, is_in(a, other)), lambda: chosen(other, is_in(other, a))
    else:
        kept = item_loops.add_those
        pair = (
            lambda: _filled(None, a.kind, kept, mine, b, True),
            lambda: _filled(None, other.kind, kept, b, mine, True),
        )
    return _chosen(is_smaller, *pair)


def _difference(a: Content, b: Any) -> Content:
    """Return what is in the first, and not in the second."""
    other = _content_of(b)
    if other is not None and _have_no_tables(a, other):
        return chosen(a, rnp.logical_not(is_in(a, other)))
    if other is None and not isinstance(b, dict):
        return _difference_update(_copied(a), b)
    return _chosen(
        a.length // 4 > table.operators.call(len, b),
        lambda: _difference_update(_copied(a), b),
        lambda: _filled(None, a.kind, item_loops.add_those, _set_of(a), b, False),
    )


def _difference_update(a: Content, b: Any) -> Content:
    other = _content_of(b)
    if other is not None and _have_no_tables(a, other):
        return chosen(a, rnp.logical_not(is_in(a, other)))
    found = _filled(a, a.kind, item_loops.discard_all, b)
    if found.table is None:
        return found
    return found._replace(table=run("cleaned", found, found.table, found.length))


def _symmetric_difference(a: Content, b: Any) -> Content:
    """Return what is in one of them, and not in both."""
    theirs = _content_of(_as_set(b))
    assert theirs is not None
    return _symmetric_difference_update(_copied(theirs), _set_of(a))


def _symmetric_difference_update(a: Content, b: Any) -> Content:
    b = b if isinstance(b, dict) else _as_set(b)
    other = _content_of(b)
    if other is None or not _have_no_tables(a, other):
        kind = a.kind if other is None else joined_kind("a set", a.kind, other.kind)
        return _filled(a, kind, item_loops.toggle_all, b)
    kind = joined_kind("a set", a.kind, other.kind)
    mine, theirs = chosen(a, rnp.logical_not(is_in(a, other))), _difference(other, _set_of(a))
    return joined(widened(mine, kind), widened(theirs, kind))


def _as_set(b: Any) -> Any:
    return b if isinstance(b, _SETS) else table.operators.call(set, b)


def _content_of(b: Any) -> Content | None:
    """Return what a set holds, which is made staged; None for what is none."""
    return _staged(b).content if isinstance(b, _SETS) else None


def _set_of(content: Content) -> Any:
    """Return a set that holds what another one does, and is only read."""
    return _made("a set", content)


def _have_no_tables(a: Content, b: Content) -> bool:
    """Tell whether the items of one of two sets are not hashed."""
    return any(x.kind != NOTHING and x.table is None for x in (a, b))


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
    made = _made("a set", widened(content or NO_CONTENT._replace(keyed=set), kind))
    table.operators.call(fill, made, *given)
    staged = staged_list(made)
    assert staged is not None
    return staged.content


Step = Callable[[Content, Any], Content]

_UPDATES: dict[str, Step] = {
    "|": _update,
    "&": _intersection_update,
    "-": _difference_update,
    "^": _symmetric_difference_update,
}
_NEW: dict[str, Step] = {
    "|": _union,
    "&": _intersection,
    "-": _difference,
    "^": _symmetric_difference,
}
_TRUTH: dict[str, Callable[[Content, Content], Any]] = {
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
        return _TRUTH[sign](a.content, b.content)
    if isinstance(left, frozenset):
        what = f"`{sign}` of a frozenset and"
        raise refused(b, what, "write set(...) around the frozenset, or a loop")
    name = f"{a.name} {sign} {b.name}"
    return _made(name, _new(_NEW[sign], a, b.python))


def _new(step: Step, staged: StagedList, other: Any) -> Content:
    content = staged.content
    is_copy = step in (_union, _intersection) and _is_itself(staged, other)
    return _chosen(is_copy, lambda: _copied(content), lambda: _done(step, content, other))


def _is_itself(staged: StagedList, other: Any) -> Any:
    """Tell whether a set is another one; of two of one store their numbers say it."""
    found, here = staged_list(other), staged.home
    there = None if found is None else found.home
    if found is staged or here is None or there is None:
        return found is staged
    return there.store is here.store and there.number == here.number


def _chosen(condition: Any, yes: Callable[[], Content], no: Callable[[], Content]) -> Content:
    found: Content = if_exp(condition, yes, no)
    return found


def _done(step: Step, content: Content, other: Any) -> Content:
    """Return what a set holds after a step; with another set that has a table it is traced once."""
    theirs = _content_of(other)
    is_known = not any(map(is_staged, trees.flatten((content, theirs))[0]))
    if theirs is None or is_known or _have_no_tables(content, theirs):
        return step(content, other)
    found: Content = traced_once(_of_contents(step), content, theirs)
    return found


@cache
def _of_contents(step: Step) -> Callable[[Content, Content], Content]:
    return lambda a, b: step(a, _set_of(b))


def change(sign: str, left: Any, right: Any) -> Any:
    """Do `left &= right`, and the like; returns `left`, which is the same set."""
    if type(left) is frozenset:
        return binary(sign[:-1], left, right)
    _change(staged_list(left) or staged_of(left), _UPDATES[sign[:-1]], right)
    return left


def _change(staged: StagedList, step: Step, other: Any) -> None:
    content = staged.content
    by_itself = _BY_ITSELF.get(step, _cleared)
    staged.content = _chosen(
        _is_itself(staged, other),
        lambda: by_itself(content),
        lambda: hashed(_done(step, content, other)),
    )


_BY_ITSELF: dict[Step, Callable[[Content], Content]] = {
    _intersection_update: lambda content: _resumed(_copied(content), content),
    _update: lambda content: content,
}
"""What a set holds after a step with itself, where it is not empty then."""


def _staged(value: Any) -> StagedList:
    if type(value) is set:
        return staged_list(value) or staged_of(value)
    found: set[Any] = set()
    restore(found, list(value), table_of(value))
    return staged_of(found)


def _made(name: str, content: Content) -> Any:
    return fresh(name, content.kind, content.buffers, content.length, set, content.table)


def _changing(step: Step) -> Callable[..., None]:
    """Return a method that takes any number of iterables, one after the other."""

    def method(staged: StagedList, *others: Any) -> None:
        for other in others:
            _change(staged, step, other)

    return method


def _further(step: Step, content: Content, other: Any, first: StagedList) -> Content:
    """Return what a new set holds after a step with a further set; the first one is in it."""
    is_there = step is _update and _is_itself(first, other)
    return _chosen(is_there, lambda: content, lambda: _done(step, content, other))


def _making(name: str, first: Step, then: Step) -> Callable[..., Any]:
    """Return a method that makes a new set of any number of iterables."""

    def method(staged: StagedList, *others: Any) -> Any:
        found = _new(first, staged, others[0]) if others else _copied(staged.content)
        for other in others[1:]:
            found = _further(then, found, other, staged)
        return _made(f"{name}()", found)

    return method


def _of_one(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that takes one iterable only."""

    def checked(staged: StagedList, *others: Any) -> Any:
        if len(others) != 1:
            getattr(set(), name)(*others)  # Python's TypeError
        return method(staged, *others)

    return checked


def _relation(ask: Callable[[Content, Content], Any]) -> Callable[[StagedList, Any], Any]:
    def method(staged: StagedList, other: Any) -> Any:
        return ask(staged.content, _staged(_as_set(other)).content)

    return method


METHODS: dict[str, Callable[..., Any]] = {
    "copy": copy,
    "clear": clear,
    "difference": _making("difference", _difference, _difference_update),
    "difference_update": _changing(_difference_update),
    "intersection": _making("intersection", _intersection, _intersection),
    "intersection_update": _changing(_intersection_update),
    "isdisjoint": _relation(is_disjoint),
    "issubset": _relation(is_subset),
    "issuperset": _relation(lambda a, b: is_subset(b, a)),
    "symmetric_difference": _of_one(
        "symmetric_difference",
        _making("symmetric_difference", _symmetric_difference, _symmetric_difference),
    ),
    "symmetric_difference_update": _of_one(
        "symmetric_difference_update", _changing(_symmetric_difference_update)
    ),
    "union": _making("union", _union, _update),
    "update": _changing(_update),
}
