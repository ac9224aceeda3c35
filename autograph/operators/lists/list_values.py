"""Staged lists as values, which arms and rounds leave and which are joined: what they hold.

A list that is joined with what is no list becomes a `ListBeside`, and a choice between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, NoReturn

from autograph.operators.containers.columns import widened
from autograph.operators.containers.handles import Handle, StoredIn, is_inner
from autograph.operators.containers.item_kinds import NOTHING
from autograph.operators.containers.item_values import kind_of
from autograph.operators.containers.kind_joins import joined_kind, one_store
from autograph.operators.containers.known_items import parts_of
from autograph.operators.containers.makers import EMPTY_LIST, EMPTY_TUPLE, Empty, empty_like
from autograph.operators.containers.staged_containers import (
    NO_CONTENT,
    NUMBERS,
    STAGED,
    Content,
    StagedList,
    holds_staged,
    is_staged_list,
    lists_now,
    staged_list,
)
from autograph.operators.containers.storage import content_of, fresh, items_of, promote
from autograph.operators.containers.stored_joins import join_now, stored
from autograph.operators.heap.stored_objects import object_of
from autograph.operators.lists.made_lists import check_kept, check_outer, note_made
from autograph.staging.carried import RESIZED
from autograph.staging.context import journal_now, region_now, trace_now, trace_of
from autograph.staging.copies import (
    RETURNED,
    STORED,
    ById,
    TryAgain,
    holds_for_tracing,
)
from autograph.staging.join import placeholder
from autograph.staging.options import follow_lists, store_containers
from autograph.staging.unify import ALIKE
from runtime import default_graph
from runtime.default_graph import building
from runtime.errors import MutationError
from runtime.graph.builder import Builder
from runtime.tensor import Symbol
from runtime.tree_classes import register_tree
from runtime.trees import flatten_to, node_of, unflatten
from runtime.union import Choice, Reference, leaf_spec, option_of, values_of


@holds_for_tracing
class ListValue:
    """A staged list as a value.

    Args:
        content: what it holds.
        staged: the list that holds this, if there is one.
        make: makes an empty object, if it is no list.
    """

    __slots__ = ("content", "make", "staged")

    def __init__(
        self, content: Content, staged: StagedList | None = None, make: Empty = EMPTY_LIST
    ) -> None:
        self.content = content
        self.staged = staged
        self.make = make

    def __repr__(self) -> str:
        return f"a {self.make.cls.__name__} of {self.content.kind}"

    def object(self, name: str) -> Any:
        """Return an object that holds it."""
        if self.staged is not None and self.staged.held is self.content:
            return self.staged.python
        kind, length, buffers, _, table, head = self.content
        found = fresh(name, kind, buffers, length, self.make, table, head)
        region = region_now()
        assert region is not None
        region.made = ById({**region.made, id(found): found})
        return found


register_tree(
    ListValue,
    lambda value: ((value.content,), value.make),
    lambda make, parts: ListValue(parts[0], None, make),
    lambda make: [""],
)
RESIZED.add(ListValue)


class ListBeside:
    """A staged list or something else, as a value.

    Args:
        which: 1 where it is the list, else 0.
        content: the list, as a value; anything of its kind where it is not that.
        other: the other one, which is known or a number; anything where it is not that.
    """

    __slots__ = ("content", "other", "which")

    def __init__(self, which: Any, content: ListValue | Handle, other: Any) -> None:
        self.which = which
        self.content = content
        self.other = other

    def object(self, name: str) -> Choice:
        """Return a choice between the other one and, as its last option, an object for the list."""
        option, leaves = option_of(Reference(_object(self.content, name)))
        other, which = self.other, self.which
        if type(other) is not Choice:
            first, rest = option_of(other)
            return _noted(Choice(which, (first, option), (rest, leaves)))
        last = len(other._options)
        which = which * last + (1 - which) * other._which
        return _noted(Choice(which, (*other._options, option), (*other._leaves, leaves)))


def _noted(choice: Choice) -> Choice:
    """Have the trace know a choice that was not made by a join."""
    if (trace := trace_now()) is not None:
        trace.choices.append(choice._options)
    return choice


register_tree(
    ListBeside,
    lambda value: ((value.which, value.content, value.other), None),
    lambda _, parts: ListBeside(*parts),
    lambda _: [".which", "", ""],
)


def beside_of(choice: Choice) -> Any:
    """Return a choice between a staged list and something else as a value; others as they are."""
    values = values_of(choice)
    last = len(values) - 1
    if staged_list(values[last]) is None or not all(map(_can_be_beside, values[:last])):
        return choice
    number = choice._which
    is_list = _is_last(number, last)
    if last == 1:
        other = values[0]
    else:
        other = Choice(number * (1 - is_list), choice._options[:-1], choice._leaves[:-1])
    return ListBeside(is_list, value_of_list(values[last]), other)


def _is_last(number: Any, last: int) -> Any:
    """Return 1 where a number of at most `last` is that, else 0."""
    return number if last == 1 else (number + 1) // (last + 1)


def _all_lists(values: Sequence[Any], builders: Sequence[Builder]) -> Sequence[Any]:
    """Return lists as values, or containers of a store; beside something else where some are that.

    Raises TryAgain when not all are known to be in one store.
    """
    found = []
    check_kept(values)
    check_outer(values, builders[0])
    for x, builder in zip(values, builders, strict=True):
        if type(x) is Choice:
            follow_lists(x)
        with building(builder):
            found.append(beside_of(x) if type(x) is Choice else x)
    contents = [x.content if type(x) is ListBeside else x for x in found]
    handles = [x for x in contents if type(x) is Handle]
    if not handles:
        with_values = zip(found, builders, strict=True)
        found = [_as_value(x, builder) for x, builder in with_values]
        if any(type(x) is ListValue and x.make == EMPTY_TUPLE for x in found):
            found = [value_of_tuple(x) if type(x) is tuple else x for x in found]
        contents = [x.content if type(x) is ListBeside else x for x in found]
        lists: list[Any] = [x for x in contents if type(x) is ListValue]
        _check_makes(lists)
    elif any(map(_is_list, contents)):
        _need_store(handles[0], contents, builders[0])
    else:
        reduce(one_store, [x.store for x in handles])
        lists = handles
    if all(type(x) in (ListValue, Handle) for x in found):
        return found
    return _beside(found, lists[0])


def _as_value(x: Any, builder: Builder) -> Any:
    with building(builder):
        return value_of_option(x)


def _is_list(value: Any) -> bool:
    """Tell whether a value is a list that is in no store."""
    target = value.target if type(value) is Reference else value
    return type(target) is ListValue or type(target) in STAGED


def _need_store(handle: Handle, values: Sequence[Any], builder: Builder) -> NoReturn:
    key = StoredIn(join_now(RETURNED, STORED), handle.store.name)
    if key in trace_of(builder).tries:
        other = next(x for x in values if type(x) is not Handle)
        raise MutationError(
            f"one of the values that are joined here is {handle!r} that is an item of another "
            f"list, which staged branches or loops change; another one is {other!r}. Keep beside "
            "it whether there is one, or have a list of that class in its place"
        )
    raise TryAgain(key)


def _check_makes(lists: Sequence[ListValue]) -> None:
    if any(x.make != lists[0].make for x in lists):
        raise MutationError(
            f"one of the values that are joined here is {lists[0]!r}, whose items are known only "
            "when the graph runs, another one is a container of another class or limit. Make them "
            "alike"
        )


def _beside(values: Sequence[Any], like: ListValue | Handle) -> Sequence[Any]:
    """Return values of which some are lists as lists beside something else."""
    others = [x.other if type(x) is ListBeside else x for x in values if type(x) not in LISTS]
    for x in others:
        if not _can_be_beside(x):
            if type(x) is Choice:
                store_containers(x)
            raise MutationError(
                f"one of the values that are joined here is a list whose items are known only when "
                f"the graph runs, another one is {x!r}. Write an empty list, or keep beside it "
                "whether there is one"
            )
    if isinstance(like, Handle):
        empty: Any = Handle(like.store, 0)
    else:
        empty = ListValue(NO_CONTENT._replace(keyed=like.content.keyed), None, like.make)
    filler, found = _filler(others), list[Any]()
    for x in values:
        if type(x) in LISTS:
            found.append(ListBeside(1, x, filler))
        else:
            found.append(x if type(x) is ListBeside else ListBeside(0, empty, x))
    return found


LISTS = (ListValue, Handle)


def _can_be_beside(x: Any) -> bool:
    """Tell whether something is known, or a number, or one of several such things."""
    if type(x) is Choice:
        return all(map(_can_be_beside, values_of(x)))
    return x is None or (node_of(x) is None and type(x) is not Reference and not is_container(x))


def is_container(value: Any) -> bool:
    """Tell whether a value is a list, or another container that may be staged."""
    return type(value) in STAGED


def _filler(others: Sequence[Any]) -> Any:
    """Return what stands beside a list where it is that one."""
    for x in others:
        if type(x) not in (Symbol, Choice):
            return x
    x = others[0]
    if type(x) is Symbol:
        return placeholder(leaf_spec(x))
    return x._options[0].value([placeholder(leaf_spec(leaf)) for leaf in x._leaves[0]])


def _of_one_kind(values: Sequence[Any], builders: Sequence[Builder]) -> Sequence[Any]:
    """Return what lists hold as items of one kind."""
    check_kept(values)
    kind = reduce(partial(joined_kind, "list joined here"), [x.kind for x in values])
    found = []
    for x, builder in zip(values, builders, strict=True):
        with building(builder):
            found.append(widened(x, kind))
    if any(x.head is not None for x in found):
        found = [x if x.head is not None else x._replace(head=0) for x in found]
    return found


ALIKE[ListValue] = ALIKE[ListBeside] = ALIKE[Handle] = _all_lists
ALIKE[Content] = _of_one_kind


def value_of_staged(staged: StagedList) -> Any:
    """Return a staged list as a value: what it holds, or where that is in a store."""
    if staged.home is not None:
        return staged.home
    return ListValue(staged.held, staged, empty_like(staged.python))


def value_of_nested(value: Any) -> Any:
    """Return a container that holds staged ones as a value, staged itself; others as `None`."""
    if staged_list(value) is not None or not holds_staged(value):
        return None
    return value_of_staged(promote(lists_now(), value, "result", ()))


def value_of_list(value: Any) -> Any:
    """Return a staged list as a value; anything else as it is."""
    value = stored(value)
    staged = staged_list(value)
    return value if staged is None else value_of_staged(staged)


def value_of_option(value: Any) -> Any:
    """Return one of several values, of which one is a staged list, as a value."""
    if type(value) is Choice:
        found = beside_of(value)
        return _changed(value, is_staged_list, value_of_list) if found is value else found
    if type(value) not in STAGED or staged_list(value) is not None:
        return value_of_list(value)
    if any(is_inner(part) for item in items_of(value) for part in parts_of(item)):
        return value_of_staged(promote(lists_now(), value, "result", ()))
    return _value_of(f"{type(value).__name__} 'result'", items_of(value), value, empty_like(value))


def value_of_tuple(value: tuple[Any, ...]) -> ListValue:
    """Return a known tuple as a value that is joined with longer ones."""
    return _value_of("tuple 'result'", value, None, EMPTY_TUPLE)


def _value_of(what: str, items: Sequence[Any], python: Any, make: Empty) -> ListValue:
    kind = reduce(partial(joined_kind, what), [kind_of(what, x) for x in items], NOTHING)
    return ListValue(content_of(kind, items, python), None, make)


def _changed(choice: Choice, is_one: Callable[[Any], bool], change: Callable[[Any], Any]) -> Choice:
    """Return a choice with some parts of its options changed; itself where there are none."""
    rows = list(zip(choice._options, choice._leaves, strict=True))
    parts = [flatten_to(value, is_one) for value in values_of(choice)]
    changed = [k for k, (leaves, _) in enumerate(parts) if any(map(is_one, leaves))]
    for k in changed:
        leaves, form = parts[k]
        rows[k] = option_of(unflatten(form, [change(x) if is_one(x) else x for x in leaves]))
    return Choice(choice._which, *zip(*rows, strict=True)) if changed else choice


def list_of_value(value: Any, name: str = "result") -> Any:
    """Return a value with objects in the places of what stands for lists."""
    if type(value) in NUMBERS or default_graph.current() is None:
        return value
    leaves, structure = flatten_to(value, _may_hold_list)
    if not any(map(_may_hold_list, leaves)):
        return value
    return unflatten(structure, [_with_objects(x, name) for x in leaves])


def _may_hold_list(value: Any) -> bool:
    return _stands_for_list(value) or type(value) is Choice


def _with_objects(leaf: Any, name: str) -> Any:
    if type(leaf) is not Choice:
        return _object(leaf, name) if _stands_for_list(leaf) else leaf
    found = _changed(leaf, _stands_for_list, lambda x: Reference(_object(x, name)))
    return leaf if found is leaf else _noted(found)


def _stands_for_list(value: Any) -> bool:
    return type(value) in (ListValue, ListBeside, Handle)


def _object(value: Any, name: str) -> Any:
    return object_of(value) if type(value) is Handle else value.object(name)


def refer_to_lists(value: Any) -> Any:
    """Return what an operand or an option gives, with references to the staged lists in it.

    One that was made in there is what it holds.
    """
    if type(value) in NUMBERS or default_graph.current() is None:
        return value
    value, journal = stored(value), journal_now()
    leaves, structure = flatten_to(value, is_container)
    for x in filter(is_container, leaves):
        value_of_nested(x)
    made = [x for x in leaves if is_container(x) and journal is not None and journal.is_born(x)]
    if made:
        note_made(made)
    if not any(map(is_staged_list, leaves)):
        return value

    def referred(x: Any) -> Any:
        if not is_staged_list(x):
            return x
        return value_of_list(x) if any(x is one for one in made) else Reference(x)

    return unflatten(structure, map(referred, leaves))
