"""The heap: objects of the user's classes that staged branches, loops and calls make.

An arm or a round makes an object when the graph runs, perhaps often. So it cannot be one of
Python's objects: it is a row, and whoever has it holds the number of the row, which branches join
and loops carry like any integer. An attribute that holds `None` in one object and a number in
another one has a column that says which (`heap_columns`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from autograph.operators.containers.columns import choose, read, with_room, written_at
from autograph.operators.containers.heap_columns import (
    OF_CLASS,
    UNUSED,
    Kind,
    Kinds,
    Rows,
    by_kind,
    columns_of,
    kind_index,
    leaf_specs,
    recast,
    specs_of,
    widened,
)
from autograph.operators.containers.heap_objects import may_be_on_heap, put_on
from autograph.operators.containers.item_kinds import (
    ItemKind,
    flat_item,
    recast_leaves,
)
from autograph.operators.containers.staged_containers import (
    kind_of,
    lists_now,
)
from autograph.operators.containers.storage import as_stored, made_of, with_stores
from autograph.operators.reachable_objects import attributes_of
from autograph.staging.births import OnHeap, check_item
from autograph.staging.context import trace_of
from autograph.staging.copies import holds_for_tracing
from autograph.staging.join import flag_of, placeholder
from runtime import default_graph, trees
from runtime.errors import LeakedSymbolError, MutationError
from runtime.graph.builder import Builder
from runtime.opaque import Opaque
from runtime.state.variable import Variable
from runtime.texts import StagedText
from runtime.union import Choice, Known, Reference, is_numeric, option_of, values_of

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
    def fields(self) -> Mapping[str, Kinds]:
        """What each attribute may hold."""
        return dict(self.stored.fields or ())

    def add(self, attributes: Mapping[str, Any]) -> Any:
        """Make an object with these attributes; return its number."""
        is_first = self.stored.fields is None
        if is_first:
            self.stored = Rows((), 0, ())
        others = {name: self._of_class(name) for name in self.fields if name not in attributes}
        attributes = {**attributes, **others}
        for name, value in attributes.items():
            if flag_of(value) is not None:
                raise self._refused(name)
            self._admit(name, value, is_first)
        count = self.stored.count
        self.stored = self.stored._replace(columns=with_room(self.stored.columns, count))
        for name, value in attributes.items():
            self._write(count, name, value)
        self.stored = self.stored._replace(count=count + 1)
        return count

    def get(self, number: Any, name: str) -> Any:
        """Return an attribute of an object."""
        field, columns = self._found(name)
        pairs = zip(columns, specs_of(field), strict=True)
        return self._value(name, field, [read(x, spec, number) for x, spec in pairs])

    def set(self, number: Any, name: str, value: Any) -> None:
        """Have an attribute of an object hold a value."""
        self._admit(name, value)
        self._write(number, name, value)

    def _found(self, name: str) -> tuple[Kinds, tuple[Any, ...]]:
        if not self._builder.is_open:
            raise LeakedSymbolError(
                f"an object of class {self.cls.__name__}, which a staged function has made, was "
                "used after the function had ended. It was probably stored in a global, an "
                "attribute or a list. Return it from the function instead"
            )
        parts = columns_of(self.stored)
        return next((field, columns) for key, field, columns in parts if key == name)

    def _admit(self, name: str, value: Any, is_new: bool = False) -> None:
        """Have an attribute be one that may hold a value."""
        fields = self.fields
        known = fields.get(name, ())
        if not (known or is_new):  # the objects that there are do not have it
            known = (Known(self._of_class(name)),)
        kinds = [self._kind(name, x) for x in _options(value)]
        self.stored = recast(self.stored, {**fields, name: widened(known, kinds)})

    def _of_class(self, name: str) -> Any:
        """Return what stands for an attribute that an object does not have itself."""
        if hasattr(self.cls, name):
            return OF_CLASS
        raise self._refused(name)

    def _refused(self, name: str) -> MutationError:
        return MutationError(
            f"the attribute {name!r} of an object of class {self.cls.__name__}, which a staged "
            "branch or loop makes, is not given to all of them when they are made. Assign it in "
            f"{self.cls.__name__}.__init__"
        )

    def _value(self, name: str, field: Kinds, leaves: Sequence[Any]) -> Any:
        """Return what an attribute holds whose columns have these in a row."""
        values = [
            made_of(kind, row) if isinstance(kind, ItemKind) else kind.value
            for kind, row in zip(field, by_kind(field, leaves), strict=True)
        ]
        which = leaves[0] if len(field) > 1 else 0
        place = next((k for k, x in enumerate(values) if x is OF_CLASS), None)
        if place is None:
            return _one_of(which, values)
        of_class = getattr(self.cls, name)
        del values[place]
        if not values:
            return of_class
        others = which - (which > place) if len(values) > 1 else which
        return choose(which == place, lambda: of_class, lambda: _one_of(others, values))

    def _kind(self, name: str, value: Any) -> Kind:
        if _is_known(value):
            check_item(value)
            return Known(value)
        kind = kind_of(self._called(name), value)
        return with_stores(kind, f"{self.cls.__name__}.{name}", [value])

    def _called(self, name: str) -> str:
        return f"{self.cls.__name__} attribute {name!r}"

    def _write(self, number: Any, name: str, value: Any) -> None:
        field, _ = self._found(name)
        leaves = _leaves(self._called(name), field, value)
        found: list[Any] = []
        for key, _, columns in columns_of(self.stored):
            if key == name:
                columns = tuple(map(written_at, columns, leaves, [number] * len(leaves)))
            found += columns
        self.stored = self.stored._replace(columns=tuple(found))


def _is_known(value: Any) -> bool:
    """Tell whether a value is one that no column holds, and stands for itself."""
    if type(value) in (Variable, Opaque):
        return True
    is_part = value is None or is_numeric(value) or isinstance(value, str | StagedText)
    return not is_part and trees.node_of(value) is None


def _options(value: Any) -> Sequence[Any]:
    return values_of(value) if type(value) is Choice else [value]


def _leaves(what: str, field: Kinds, value: Any) -> Sequence[Any]:
    """Return what stands in the columns of an attribute that holds a value."""
    if type(value) is Choice:
        found = Choice.each(value, lambda option: tuple(_leaves(what, field, option)))
        return found if isinstance(found, tuple) else (found,)
    kind: Kind = Known(value) if _is_known(value) else kind_of(what, value)
    place = kind_index(field, kind)
    leaves: list[Any] = [place] if len(field) > 1 else []
    for k, one in enumerate(field):
        if k != place:
            leaves += map(placeholder, leaf_specs(one))
        elif isinstance(one, ItemKind) and isinstance(kind, ItemKind):
            item = as_stored(value, one)
            leaves += recast_leaves(flat_item(item), kind_of(what, item), one)
    return leaves


def _one_of(which: Any, values: Sequence[Any]) -> Any:
    """Return a choice between values, of which a column has the number; the only one itself."""
    if len(values) == 1:
        return values[0]
    builder = default_graph.current()
    assert builder is not None
    options, parts = zip(*map(_option, values), strict=True)
    trace_of(builder).choices.append(options)
    return Choice(which, options, parts)


def _option(value: Any) -> Any:
    return option_of(Reference(value) if isinstance(value, list | dict | set) else value)


def settled(instance: Any) -> Any:
    """Return an object that was just made, on the heap if its class is there in this trace."""
    builder, cls = default_graph.current(), type(instance)
    if builder is None or not may_be_on_heap(cls):
        return instance
    trace = trace_of(builder)
    if OnHeap(cls) not in trace.tries:
        trace.born[id(instance)] = instance, builder
        return instance
    heap = heap_of(cls)
    number = heap.add(dict(attributes_of(instance)))
    put_on(heap, number, instance)
    return instance


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
