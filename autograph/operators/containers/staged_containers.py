"""Python lists whose items are known only when the graph runs; deques, sets and dicts likewise.

A list that a staged branch or loop changes becomes a `StagedList`: an array with room for more for
each leaf of an item, and a length. Those of a set are its items, those of a dict pairs of key and
value, both in the order in which they were put in. The table of a trace says which object it is.
The object itself keeps its identity and holds `Marker`s, which raise when code that was not
converted uses them; converted code asks the table.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from autograph.operators.containers.handles import Handle
from autograph.operators.containers.item_kinds import NOTHING, ItemKind
from autograph.operators.containers.markers import Marker
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.keyed.set_layout import KeptSet, restore
from autograph.staging.carried import RESIZED
from autograph.staging.copies import holds_for_tracing
from runtime import default_graph, trees
from runtime.dispatch import as_value
from runtime.errors import MutationError
from runtime.graph.builder import Context
from runtime.tensor import Symbol
from runtime.tree_classes import register_tree

if TYPE_CHECKING:
    from autograph.operators.containers.stores import Store

STAGED = frozenset({list, deque, set, dict, Counter, OrderedDict, defaultdict, StagedTuple})
"""Classes whose objects may be staged."""

NUMBERS = frozenset({Symbol, int, float, bool, np.float64, np.int64, np.bool_})
"""Classes of most operands, which are no containers: operators ask for these first."""


class Content(NamedTuple):
    """What a staged list holds: what its items are, how many, and an array of each of their leaves.

    There is room for more in the arrays. A list that never had items has none. Dicts and sets have
    a hash table of their keys beside them, if these are numbers.

    Args:
        kind: what the items are.
        length: how many there are.
        buffers: the arrays.
        keyed: `dict` where the first part of each item is a key, `set` where all of it is.
        table: a slot for each key, and free ones.
        head: of a deque, the row of its first item; those before were taken away.
    """

    kind: ItemKind
    length: Any
    buffers: tuple[Any, ...]
    keyed: type | None = None
    table: Any = None
    head: Any = None

    def row(self, position: Any) -> Any:
        """Return the row of the item at a position."""
        return position if self.head is None else self.head + position

    def in_front(self) -> Content:
        """Return the same with the first item in the first row."""
        if self.head is None or (type(self.head) is int and self.head == 0):
            return self
        rows = tuple(x[self.head : self.head + self.length] for x in self.buffers)
        return self._replace(buffers=rows, head=0)


NO_CONTENT = Content(NOTHING, 0, ())


def keyed(python: Any) -> type | None:
    """Return what says which part of the items of a container is a key."""
    return next((x for x in (dict, set) if isinstance(python, x)), None)


def _take(content: Content) -> tuple[Sequence[Any], Any]:
    if content.kind == NOTHING:
        return (), (NOTHING, content.keyed)
    numbers = content.length, content.table, content.head
    return (*numbers, *content.buffers), (content.kind, content.keyed)


def _make(of: tuple[ItemKind, type | None], children: Sequence[Any]) -> Content:
    if not children:
        return NO_CONTENT._replace(keyed=of[1])
    length, table, head, *buffers = children
    return Content(of[0], length, tuple(buffers), of[1], table, head)


def _labels(of: tuple[ItemKind, type | None]) -> list[str]:
    kind, _ = of
    if kind == NOTHING:
        return []
    return [".length", ".table", ".head", *(f".buffers[{k}]" for k in range(len(kind.specs)))]


register_tree(Content, _take, _make, _labels)
RESIZED.add(Content)


@holds_for_tracing
class StagedList:
    """A list of a trace, or another container.

    Args:
        python: the object.
        name: what messages call it.

    Attributes:
        home: where it is among the items of others; None if it is none.
        last: the key that was looked for last, and where it is.
        markers: how many markers the object holds.
    """

    __slots__ = ("_held", "home", "last", "markers", "name", "python")

    def __init__(self, python: Any, name: str) -> None:
        self.python = python
        self.name = name
        self.last: Any = None
        self.markers = 1
        self.home: Handle | None = None
        self._held = NO_CONTENT._replace(keyed=keyed(python)) if keyed(python) else NO_CONTENT

    @property
    def content(self) -> Content:
        """What it holds now, the first item in the first row."""
        if self.home is None:
            return self.held.in_front()
        found: Content = self.home.store.content_of(self.home.number)
        return found

    @content.setter
    def content(self, content: Content) -> None:
        if self.home is None:
            self.held = content
        else:
            self.home.store.set_content(self.home.number, content)

    @property
    def held(self) -> Content:
        """What it holds itself, in the rows that it is in."""
        return self._held if self.home is None else self.content

    @held.setter
    def held(self, content: Content) -> None:
        if type(self.python) is deque and content.kind != NOTHING and content.head is None:
            content = content._replace(head=0)
        self._held = content

    @property
    def kept(self) -> Content | Handle:
        """What it holds, or where that is."""
        return self._held if self.home is None else self.home

    @kept.setter
    def kept(self, kept: Content | Handle) -> None:
        self.home = kept if isinstance(kept, Handle) else None
        if isinstance(kept, Content):
            self._held = kept

    @property
    def what(self) -> str:
        """What messages call it: its class and its name."""
        return what_is(self.python, self.name)

    @property
    def kind(self) -> ItemKind:
        """What its items are."""
        kind: ItemKind = self.content.kind if self.home is None else self.home.store.kind
        return kind

    def set_rows(self, length: Any, buffers: Iterable[Any]) -> None:
        """Give it other items of the same kind."""
        self.content = self.content._replace(length=length, buffers=tuple(buffers))


def what_is(python: Any, name: str) -> str:
    """Return what messages call a container."""
    return f"{type(python).__name__} {name!r}"


class Lists(Context):
    """The staged lists of one trace."""

    def __init__(self) -> None:
        self.stores: dict[Any, Store] = {}
        self._by_id: dict[int, StagedList] = {}
        self._views: dict[int, StagedList] = {}

    def inner(self) -> Lists:
        """Return itself: all regions of a trace have one table."""
        return self

    def __iter__(self) -> Iterator[StagedList]:
        """Yield those that hold their items themselves."""
        return iter([staged for staged in self._by_id.values() if staged.home is None])

    def stored(self, store: Store) -> list[tuple[Any, Any]]:
        """Return the list objects that are in a store, and their numbers."""
        homes = [(x.python, x.home) for x in self._by_id.values()]
        return [(x, home.number) for x, home in homes if home is not None and home.store is store]

    def find(self, value: Any) -> StagedList | None:
        """Return the staged list that a list object is, or None."""
        found = self._by_id.get(id(value)) or self._views.get(id(value))
        return found if found is not None and found.python is value else None

    def add(self, staged: StagedList) -> None:
        """Take a list object for a staged list from here on.

        It has one marker more than it had items, so that iterators over it meet one.
        """
        self._by_id[id(staged.python)] = staged
        if type(staged.python) is StagedTuple:
            staged.python.marker = Marker(staged)
            return
        markers = [Marker(staged) for _ in range(len(staged.python) + 1)]
        fill(staged.python, dict.fromkeys(markers) if isinstance(staged.python, dict) else markers)
        staged.markers = len(staged.python)  # a deque may be full

    def check(self) -> None:
        """Raise MutationError if Python itself changed an object while it was staged."""
        for staged in (*self._by_id.values(), *self._views.values()):
            python = staged.python
            if type(python) is StagedTuple:
                continue
            if len(python) != staged.markers or any(type(x) is not Marker for x in python):
                raise MutationError(
                    f"the {staged.what}, whose items are known only when the graph runs, was "
                    "changed by code that was not converted, and the graph does not see that. "
                    "Change it in a function that is converted, or return what is new"
                )

    def add_view(self, view: StagedList) -> None:
        """Take a list object for what another container holds."""
        self._views[id(view.python)] = view
        view.python.append(Marker(view))

    def drop(self, staged: StagedList, items: Any) -> None:
        """Give an object back its items."""
        del self._by_id[id(staged.python)]
        fill(staged.python, items)


def own(buffer: Any) -> Any:
    """Return an array as one that is written where nobody else sees it."""
    builder = default_graph.current()
    assert builder is not None
    return Symbol(builder, as_value(builder, buffer))


def fill(container: Any, items: Any) -> None:
    """Have a container hold these items, and no others; for a dict they are a dict."""
    if isinstance(items, KeptSet):
        restore(container, items.items, items.table)
        return
    container.clear()
    container.update(items) if isinstance(container, dict | set) else container.extend(items)


def lists_now() -> Lists:
    """Return the table of the trace that this thread makes."""
    builder = default_graph.current()
    assert builder is not None
    return builder.context(Lists)


def staged_list(value: Any) -> StagedList | None:
    """Return the staged list that a value is, or None."""
    if type(value) not in STAGED:
        return None
    builder = default_graph.current()
    return None if builder is None else builder.context(Lists).find(value)


def is_staged_list(value: Any) -> bool:
    """Tell whether a value is a staged list."""
    return staged_list(value) is not None


def holds_staged(value: Any) -> bool:
    """Tell whether a container is staged, or another one in it is."""
    return any(map(is_staged_list, trees.flatten_to(value, is_staged_list)[0]))
