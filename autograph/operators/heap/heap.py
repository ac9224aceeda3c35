"""The heap: objects of the user's classes that staged branches, loops and calls make.

An arm or a round makes an object when the graph runs, perhaps often. So it cannot be one of
Python's objects: it is a row, and whoever has it holds the number of the row, which branches join
and loops carry like any integer. An attribute that holds `None` in one object and a number in
another one has a column that says which (`variants`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import reduce
from types import MemberDescriptorType
from typing import Any, TypeVar

from autograph.operators.containers.columns import choose, need, read, with_room, written_at
from autograph.operators.containers.item_kinds import (
    NOTHING,
    ItemKind,
    recast_leaves,
    variant_of,
)
from autograph.operators.containers.item_values import flat_item, kind_of
from autograph.operators.containers.kind_joins import joined_kind
from autograph.operators.containers.made_items import made_of, values_in
from autograph.operators.containers.staged_containers import lists_now
from autograph.operators.containers.storage import as_stored, with_stores
from autograph.operators.containers.variants import one_of
from autograph.operators.heap.heap_columns import (
    ABSENT,
    NOT_THERE,
    UNUSED,
    Rows,
    can_be_absent,
    columns_of,
    recast,
)
from autograph.operators.heap.heap_objects import (
    has_slots_only,
    may_be_on_heap,
    plain_class,
    put_on,
    unmade,
)
from autograph.operators.mutation.reachable_objects import attributes_of
from autograph.staging.births import OnHeap
from autograph.staging.context import trace_of
from autograph.staging.copies import holds_for_tracing
from autograph.staging.deferred_errors import never_failing
from autograph.staging.join import flag_of
from runtime import default_graph, trees
from runtime.dispatch import apply
from runtime.errors import LeakedSymbolError
from runtime.graph.builder import Builder
from runtime.graph.opdef import REGISTRY
from runtime.union import Known

T = TypeVar("T")


@holds_for_tracing
class Heap:
    """The objects of one class that a trace has made.

    Args:
        cls: the class.
        builder: of the graph that the trace makes.

    Attributes:
        stored: what they hold now.
        given: what they hold as arguments: nothing.
    """

    unused, given = UNUSED, None

    def __init__(self, cls: type, builder: Builder) -> None:
        self.cls = cls
        self.stored = UNUSED
        self._builder = builder

    def __repr__(self) -> str:
        return f"the objects of class {self.cls.__name__}"

    @property
    def fields(self) -> Mapping[str, ItemKind]:
        """What each attribute holds."""
        return dict(self.stored.fields or ())

    def add(self, attributes: Mapping[str, Any]) -> Any:
        """Make an object with these attributes; return its number."""
        is_first = self.stored.fields is None
        if is_first:
            self.stored = Rows((), 0, ())
        attributes = {**dict.fromkeys(self.fields, ABSENT), **attributes}
        for name, value in attributes.items():
            self._admit(name, value, is_first)
        count = self.stored.count
        self.stored = self.stored._replace(columns=with_room(self.stored.columns, count))
        for name, value in attributes.items():
            self._write(count, name, value)
        self.stored = self.stored._replace(count=count + 1)
        return count

    def add_copy(self, number: Any) -> Any:
        """Make an object that holds what another one does; return its number."""
        columns, count = with_room(self.stored.columns, self.stored.count), self.stored.count
        with never_failing():
            columns = tuple(written_at(x, x[number], count) for x in columns)
        self.stored = self.stored._replace(columns=columns, count=count + 1)
        return count

    def get(self, number: Any, name: str) -> Any:
        """Return an attribute of an object; AttributeError, when the graph runs, without it."""
        kind, leaves = self._read(number, name)
        if not can_be_absent(kind):
            return made_of(kind, leaves)
        variant = trees.unflatten(kind.structure, leaves)
        values, place = values_in(variant), variant.kind.kinds.index(Known(ABSENT))
        is_there = self._is_there(kind, leaves)
        del values[place]
        has_default = self._has_default(name)
        if not has_default:
            need(is_there, AttributeError, self._lacks(name))
        if not values:
            return getattr(self.cls, name)
        which = leaves[0] - (leaves[0] > place) if len(values) > 1 else 0
        if not has_default:
            return one_of(which, values)
        return choose(is_there, lambda: one_of(which, values), lambda: getattr(self.cls, name))

    def has(self, number: Any, name: str) -> Any:
        """Return whether an object has an attribute of its own; None if all have it."""
        if name not in self.fields:
            return None
        kind, leaves = self._read(number, name)
        if not can_be_absent(kind) or self._has_default(name):
            return None
        return apply(REGISTRY["truth"], [self._is_there(kind, leaves)])

    def set(self, number: Any, name: str, value: Any) -> None:
        """Have an attribute of an object hold a value."""
        self._admit(name, value)
        self._write(number, name, value)

    def delete(self, number: Any, name: str) -> None:
        """Take an attribute away from an object; AttributeError if it has none."""
        if name not in self.fields:
            raise AttributeError(self._lacks(name))
        kind, leaves = self._read(number, name)
        if can_be_absent(kind):
            need(self._is_there(kind, leaves), AttributeError, self._lacks(name))
        self.set(number, name, ABSENT)

    def _has_default(self, name: str) -> bool:
        """Tell whether the class has what an object does not have itself."""
        found = getattr(self.cls, name, ABSENT)
        return found is not ABSENT and not isinstance(found, MemberDescriptorType)

    def _lacks(self, name: str) -> str:
        """Return what Python says of an object without an attribute; each version has its words."""
        slot = getattr(self.cls, name, None)
        if isinstance(slot, MemberDescriptorType):
            try:
                slot.__get__(object.__new__(self.cls))
            except AttributeError as error:
                return str(error)
        return f"{self.cls.__name__!r} object has no attribute {name!r}"

    def _is_there(self, kind: ItemKind, leaves: Sequence[Any]) -> Any:
        variant = variant_of(kind)
        assert variant is not None
        return leaves[0] != variant.kinds.index(Known(ABSENT))

    def _read(self, number: Any, name: str) -> tuple[ItemKind, Sequence[Any]]:
        kind, columns = self._found(name)
        pairs = zip(columns, kind.specs, strict=True)
        return kind, [read(x, spec, number) for x, spec in pairs]

    def _found(self, name: str) -> tuple[ItemKind, tuple[Any, ...]]:
        if not self._builder.is_open:
            raise LeakedSymbolError(
                f"an object of class {self.cls.__name__}, which a staged function has made, was "
                "used after the function had ended. It was probably stored in a global, an "
                "attribute or a list. Return it from the function instead"
            )
        parts = columns_of(self.stored)
        return next((kind, columns) for key, kind, columns in parts if key == name)

    def _admit(self, name: str, value: Any, is_new: bool = False) -> None:
        """Have an attribute be one that may hold a value."""
        before = self.fields.get(name, NOTHING if is_new else NOT_THERE)
        what = self._called(name)
        kind = joined_kind(what, before, kind_of(what, value))
        if flag_of(value) is not None:
            kind = joined_kind(what, kind, NOT_THERE)
        kind = with_stores(kind, f"{self.cls.__name__}.{name}")
        self.stored = recast(self.stored, {**self.fields, name: kind})

    def _called(self, name: str) -> str:
        return f"{self.cls.__name__} attribute {name!r}"

    def _write(self, number: Any, name: str, value: Any) -> None:
        kind, _ = self._found(name)
        flag = flag_of(value)
        leaves = self._leaves(name, kind, value)
        if flag is not None:
            flag = reduce(lambda a, b: apply(REGISTRY["logical_and"], [a, b]), flag)
            absent = self._leaves(name, kind, ABSENT)
            leaves = choose(flag, lambda: tuple(leaves), lambda: tuple(absent))
        found: list[Any] = []
        for key, _, columns in columns_of(self.stored):
            if key == name:
                columns = tuple(map(written_at, columns, leaves, [number] * len(leaves)))
            found += columns
        self.stored = self.stored._replace(columns=tuple(found))

    def _leaves(self, name: str, kind: ItemKind, value: Any) -> Sequence[Any]:
        """Return what stands in the columns of an attribute that holds a value."""
        item = as_stored(value, kind)
        return recast_leaves(flat_item(item), kind_of(self._called(name), item), kind)


def settled(instance: Any) -> Any:
    """Return an object that was just made, on the heap if its class is there in this trace."""
    builder, cls = default_graph.current(), plain_class(type(instance))
    if builder is not None and is_dataclass(cls) and hasattr(cls, "__weakref__"):
        trace_of(builder).originals[id(instance)] = instance
    if builder is None or not may_be_on_heap(cls):
        return instance
    trace = trace_of(builder)
    if OnHeap.of(cls) not in trace.tries:
        trace.born[id(instance)] = instance, builder
        return instance
    heap = heap_of(cls)
    number = heap.add(dict(attributes_of(instance)))
    put_on(heap, number, instance)
    return instance


def begun(cls: type, /, *args: Any, **kwargs: Any) -> Any:
    """Return an instance of a class that is about to be given to its `__init__`."""
    builder = default_graph.current()
    has_slots = builder is not None and has_slots_only(cls) and may_be_on_heap(cls)
    if has_slots and builder is not None and OnHeap.of(cls) in trace_of(builder).tries:
        return unmade(cls)
    return cls.__new__(cls, *args, **kwargs)


def heap_of(cls: type) -> Heap:
    """Return the heap of a class."""
    stores: dict[Any, Any] = lists_now().stores
    if cls not in stores:
        builder = default_graph.current()
        assert builder is not None
        stores[cls] = Heap(cls, builder.root)
    return stores[cls]  # type: ignore[no-any-return]


def with_own_heaps(run: Callable[..., T]) -> Callable[..., T]:
    """Return a function whose objects are rows of heaps of its own, which end with it.

    What it returns are no such objects. Of a class that has objects outside the heap stays.
    """

    def called(*args: Any) -> T:
        stores: dict[Any, Any] = lists_now().stores
        outer = {cls for cls, x in stores.items() if x.stored is not UNUSED}
        try:
            return run(*args)
        finally:
            for cls, heap in stores.items():
                if isinstance(heap, Heap) and cls not in outer:
                    heap.stored = UNUSED

    return called
