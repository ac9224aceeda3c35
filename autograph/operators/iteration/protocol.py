"""The protocol of iteration: what has items, by number, and how far an iterator over it has come.

What a loop goes over is `Items`: whether there is an item of a number, and what it is. Those of
arrays, ranges and containers may be asked for in any order, and say how many they are by an
`Iteration`; those of datasets, and of what draws from an iterator, are asked for one after the
other. An `StagedIterator` is items and a place, which may be known only when the graph runs.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.builtins.overloads import StandIn
from autograph.operators.containers.staged_containers import staged_list
from autograph.staging.cond import stage_cond
from autograph.staging.context import journal_now, region_of
from autograph.staging.for_loop import Items, Iteration
from autograph.staging.region import Field
from runtime import default_graph
from runtime.errors import StagedLengthError, StagedValueError
from runtime.tensor import Symbol, is_staged

END = 2**62
"""The place of an iterator that has ended."""
MOST_ROUNDS = 10_000
"""So many rounds, and items, are traced one by one under a staged condition."""


_CLASSES: dict[str, type] = {
    **{cls.__name__: cls for cls in (enumerate, filter, map, reversed, zip)},
    **{name: cls for name, cls in vars(itertools).items() if isinstance(cls, type)},
}
"""The classes of iterators, by the names that their calls give them."""


class StagedIterator(StandIn):
    """What `iter`, `enumerate`, `zip` and the like give while a function is traced.

    Args:
        name: the builtin that made it, for messages.
        items: what it goes over.
        is_held: whether the program has it; a loop makes one of its own where it has not.

    Attributes:
        least: a number that it has reached wherever it may stand.
    """

    __slots__ = ("_builder", "_position", "is_held", "items", "least", "name")

    def __init__(self, name: str, items: Items, is_held: bool = True) -> None:
        self.name = name
        self.items = items
        self.is_held = is_held
        self._position: Any = 0
        self.least = 0
        self._builder = default_graph.current()
        journal = None if self._builder is None else region_of(self._builder).journal
        if journal is not None:
            journal.bear(self)

    def kind(self) -> type:
        return _CLASSES.get(self.name, StagedIterator)

    @property
    def position(self) -> Any:
        """The number of the next item."""
        return self._position

    @position.setter
    def position(self, position: Any) -> None:
        journal = journal_now()
        if self.is_held and journal is not None:
            journal.record_place(self, Field(self, "place"))
        self._position = position

    @property
    def place(self) -> Any:
        """How far it has come, which a state may set back."""
        return self._position

    @place.setter
    def place(self, position: Any) -> None:
        self.position = position
        if not is_staged(position):
            self.least = min(self.least, position)

    def __iter__(self) -> StagedIterator:
        return self

    def __next__(self) -> Any:
        before = self.position
        more = self.advance()
        if is_staged(more):
            self.place = before
            raise StagedLengthError(
                f"the items of {self.name}(...) were asked for one by one by code that is not "
                "converted, and how far it has come is known only when the graph runs; write a "
                "`for` loop over it, or next()"
            )
        if not more:
            raise StopIteration
        return self.item()

    @property
    def is_known(self) -> bool:
        """Whether it is known while tracing how far this one has come, and those it draws from."""
        if self.items.variables or is_staged(self.position):
            return False
        return all(x.is_known for x in self.items.drawn)

    @property
    def is_resumed(self) -> bool:
        """Whether code of the program runs where it goes to the next item: that runs once."""
        return any(one.items.variables for one in self.places())

    def advance(self, items: Items | None = None) -> Any:
        """Go to the next item, and tell whether there is one."""
        here = self.position
        more = (items or self.items).has(here)
        if is_staged(more):
            self.position = stage_cond(more, lambda: here + 1, lambda: END)
        else:
            self.position = here + 1 if more else END
        if not is_staged(self.position) and default_graph.current() is self._builder:
            self.least = self.position
        return more

    def item(self, items: Items | None = None) -> Any:
        """Return the item that it has gone to."""
        return (items or self.items).item(self.position - 1)

    def rest(self, items: Items) -> Iteration | None:
        """Return all further items, where it is known before the first how many there are."""
        found = items.counted()
        if found is None or (type(self.position) is int and self.position == 0):
            return found
        if items.drawn:  # their places are others' places
            return None
        is_over = self.position > found.count
        if not is_staged(is_over):
            return found.after(found.count if is_over else self.position)
        return found.after(stage_cond(is_over, lambda: found.count, lambda: self.position))

    def check_unused(self) -> None:
        """Raise StagedValueError where a loop over a dataset does not begin with the first item."""
        if (
            type(self.position) is not int
            or self.position
            or default_graph.current() is not self._builder
        ):
            raise StagedValueError(
                f"{self.name}(...) of a dataset gives its items once, in order, and a loop over it "
                "was staged before, or stands in another loop or branch than the call. Call "
                f"{self.name}() where the loop is"
            )

    def finish(self) -> None:
        """Have it, and those that it draws from, ended."""
        self.position = END
        for one in self.items.drawn:
            one.finish()

    def places(self) -> list[StagedIterator]:
        """Return the iterators whose places change with this one's."""
        inner = [x for one in self.items.drawn for x in one.places()]
        return list({id(x): x for x in (self, *inner)}.values())

    def variables(self) -> list[tuple[str, Any]]:
        """Return the names and variables that say how far it and these iterators have come."""
        places = self.places()
        own = [(f"the place of {one.name}()", Field(one, "place")) for one in places]
        return [*own, *(x for one in places for x in one.items.variables)]

    def deciding(self) -> list[StagedIterator]:
        """Return the iterators whose places say what comes next."""
        if not self.items.drawn:
            return [self]
        inner = [x for one in self.items.drawn for x in one.deciding()]
        own = [] if self.items.only_draws else [self]
        return list({id(x): x for x in (*own, *inner)}.values())


def add_places(state: Any, iterator: StagedIterator) -> None:
    """Have a state hold how far an iterator has come, and those that it draws from."""
    for name, variable in iterator.variables():
        if variable.key not in state.keys:
            state.add([(name, variable)])


_KNOWN = frozenset({list, tuple, range, np.ndarray, Symbol})


class Sequenced(Items):
    """The items of a sequence of Python's, which may become a staged list.

    Args:
        sequence: a list, a tuple, a range, a text, ...
        in_graph: returns the same as a part of the graph, or None.
    """

    def __init__(self, sequence: Any, in_graph: Callable[[Any], Items | None]) -> None:
        self.sequence = sequence
        self._in_graph = in_graph

    @property
    def is_staged(self) -> bool:  # type: ignore[override]
        return staged_list(self.sequence) is not None

    def has(self, index: Any) -> Any:
        items = self._in_graph(self.sequence) if self.is_staged else None
        return index < len(self.sequence) if items is None else items.has(index)

    def item(self, index: Any) -> Any:
        if self.is_staged or is_staged(index):
            items = self._in_graph(self.sequence)
            if items is None:
                raise StagedValueError(
                    f"an item of a {type(self.sequence).__name__} of different kinds, by an "
                    "iterator of which only the graph knows how far it has come"
                )
            return items.item(index)
        return self.sequence[index]

    def counted(self) -> Iteration | None:
        items = self.in_graph()
        return None if items is None else items.counted()

    def in_graph(self) -> Items | None:
        return self._in_graph(self.sequence)

    def known(self) -> list[Any] | None:
        return [self.sequence] if type(self.sequence) in _KNOWN else None


def only_in_order() -> StagedValueError:
    """Return the error for an item that cannot be asked for where an iterator stands."""
    return StagedValueError(
        "an iterator was left by a staged `break`, `return` or branch, and its items are known "
        "only one after the other, in this order. Make a list of it before: items = list(...)"
    )


def is_one_pass(value: Any) -> bool:
    """Tell whether a value is an iterator, which gives its items once."""
    return hasattr(type(value), "__next__")


def same(items: Any, others: Any) -> bool:
    """Tell whether two lists have the very same items, or two arrays the same bytes."""
    if isinstance(items, np.ndarray):
        return bool(items.tobytes() == others.tobytes())
    return len(items) == len(others) and all(map(operator.is_, items, others))
