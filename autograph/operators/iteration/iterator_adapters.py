"""What `enumerate`, `map`, `reversed`, `count` and `cycle` make of other items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.operators.iteration.protocol import StagedIterator
from autograph.staging.for_loop import Items, Iteration
from runtime.tensor import is_staged


class Drawn(Items):
    """What an iterator still gives, to another one that draws from it.

    Args:
        iterator: that one.
        items: what it goes over, perhaps as a part of the graph.

    Attributes:
        behind: how many more items are drawn from it before this one is asked for.
    """

    only_draws = True
    is_in_order = True

    def __init__(self, iterator: StagedIterator, items: Items | None = None) -> None:
        self._iterator = iterator
        self._items = items or iterator.items
        self._place: int | None = None
        self.behind = 0
        self.drawn = (iterator,)
        self.sources = self._items.sources
        self.is_endless = iterator.items.is_endless
        self.may_change = iterator.items.may_change

    @property
    def is_staged(self) -> bool:  # type: ignore[override]
        return self._items.is_staged

    def has(self, index: Any) -> Any:
        here = self._iterator.position
        more = self._iterator.advance(self._items)
        is_known = self._items is self._iterator.items and not (is_staged(more) or is_staged(here))
        self._place = here if is_known else None
        return more

    def item(self, index: Any) -> Any:
        position = self._iterator.position
        is_known = self._place is not None and not is_staged(position)
        return self._items.item(self._place if is_known else position - 1 - self.behind)

    def counted(self) -> Iteration | None:
        return self._iterator.rest(self._items)

    def remaining(self, position: int) -> int | None:
        return self._items.remaining(self._iterator.position)

    def known(self) -> list[Any] | None:
        return self._items.known()

    def whole(self) -> Items:
        return self._items.whole()

    def in_graph(self) -> Items | None:
        found = self._items.in_graph()
        if found is None:
            return None
        drawn = Drawn(self._iterator, found)
        drawn.behind = self.behind
        return drawn


class Changed(Items):
    """Items that are made of those of something else, and of their numbers.

    Args:
        inner: that.
        change: `(number, item) -> item`.
    """

    def __init__(self, inner: Items, change: Callable[[Any, Any], Any]) -> None:
        self._inner = inner
        self._change = change
        self.drawn = inner.drawn
        self.sources = inner.sources
        self.outside = inner.outside
        self.stream = inner.stream
        self.is_streamed = inner.is_streamed
        self.is_endless = inner.is_endless
        self.may_change = inner.may_change
        self.only_draws = inner.only_draws
        self.is_in_order = inner.is_in_order

    @property
    def is_staged(self) -> bool:  # type: ignore[override]
        return self._inner.is_staged

    def has(self, index: Any) -> Any:
        return self._inner.has(index)

    def item(self, index: Any) -> Any:
        return self._change(index, self._inner.item(index))

    def counted(self) -> Iteration | None:
        found = self._inner.counted()
        if found is None:
            return None

        def element(index: Any, elements: Sequence[Any]) -> Any:
            return self._change(index, found.element(index, elements))

        return Iteration(found.count, found.sequences, element)

    def remaining(self, position: int) -> int | None:
        return self._inner.remaining(position)

    def whole(self) -> Items:
        return self._inner.whole()

    def in_graph(self) -> Items | None:
        found = self._inner.in_graph()
        return None if found is None else Changed(found, self._change)

    def known(self) -> list[Any] | None:
        return self._inner.known()

    def opened(self) -> Items:
        return Changed(self._inner.opened(), self._change)

    def check_ahead(self, index: int) -> None:
        self._inner.check_ahead(index)


class Backwards(Items):
    """Items from the last to the first.

    Args:
        inner: in their order.
    """

    def __init__(self, inner: Items) -> None:
        found = inner.counted()
        assert found is not None
        self._inner = inner
        self._count = found.count
        self.sources = inner.sources

    def has(self, index: Any) -> Any:
        return (index < self._count) & self._inner.has(self._count - 1 - index)

    def item(self, index: Any) -> Any:
        return self._inner.item(self._count - 1 - index)

    def counted(self) -> Iteration:
        return Iteration(self._count, (), lambda index, _: self.item(index))

    def whole(self) -> Items:
        return self._inner.whole()


class Endless(Items):
    """Items without an end, of which each is computed from its number.

    Args:
        compute: `number -> item`.
    """

    is_staged = False
    is_endless = True

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self._compute = compute

    def has(self, index: Any) -> bool:
        return True

    def item(self, index: Any) -> Any:
        return self._compute(index)

    def in_graph(self) -> Items:
        return self


class Cycled(Items):
    """Items again and again.

    Args:
        inner: those of the first time.
    """

    is_endless = True

    def __init__(self, inner: Items) -> None:
        self._inner = inner
        self._count: Any = None
        self.is_staged = inner.is_staged
        self.drawn = inner.drawn
        self.outside = inner.outside

    def has(self, index: Any) -> Any:
        self._measure(index)
        return True if self._count is None else self._count > 0

    def item(self, index: Any) -> Any:
        self._measure(index)
        return self._inner.item(index if self._count is None else index % self._count)

    def _measure(self, index: Any) -> None:
        """Find out, when the first time is over, how many there are."""
        if self._count is not None:
            return
        counted = self._inner.counted() if is_staged(index) or self.is_staged else None
        if counted is not None:
            self._count = counted.count
        elif not self._inner.has(index):
            self._count = index

    def in_graph(self) -> Items | None:
        found = None if self.drawn else self._inner.in_graph()
        return None if found is None else Cycled(found)
