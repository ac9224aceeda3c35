"""Stages that draw from one stage, or from several, one element after the other."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from itertools import chain, count, islice
from typing import Any

import numpy as np

from runtime import trees
from runtime.data.element import stacked
from runtime.data.stage import INFINITE, Length, Rows, Stage


class _OfFunction(Stage):
    """What a function decides of each element of another stage."""

    __slots__ = ("_function", "_source")

    def __init__(self, source: Stage, function: Callable[[Any], Any]) -> None:
        self._source = source
        self._function = function


class Mapped(_OfFunction):
    """What a function makes of each element."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return map(self._function, self._source)

    def length(self) -> Length:
        return self._source.length()


class Scanned(Stage):
    """What a function makes of each element and a state, of which it gives the next one, too."""

    __slots__ = ("_function", "_source", "_start")

    def __init__(self, source: Stage, start: Any, function: Callable[[Any], Any]) -> None:
        self._source = source
        self._start = start
        self._function = function

    def __iter__(self) -> Iterator[Any]:
        state = self._start
        for item in self._source:
            state, found = self._function((state, item))
            yield found

    def length(self) -> Length:
        return self._source.length()


class Filtered(_OfFunction):
    """The elements for which a function is true."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return filter(self._function, self._source)

    def length(self) -> Length:
        return None


class TakenWhile(_OfFunction):
    """The elements before the first for which a function is false."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        for item in self._source:
            if not self._function(item):
                return
            yield item

    def length(self) -> Length:
        return None


class Batched(Stage):
    """Elements stacked, several at a time."""

    __slots__ = ("_drop", "_size", "_source")
    is_stateless = True

    def __init__(self, source: Stage, size: int, drop_remainder: bool) -> None:
        self._source = source
        self._size = size
        self._drop = drop_remainder

    def __iter__(self) -> Iterator[Any]:
        rows = self._source.rows()
        items, together = (iter(self._source), stacked) if rows is None else rows
        while found := list(islice(items, self._size)):
            if len(found) < self._size and self._drop:
                return
            yield together(found)

    def length(self) -> Length:
        found = self._source.length()
        if found is None or found == INFINITE:
            return found
        return int(found) // self._size if self._drop else -(-int(found) // self._size)


class Unbatched(Stage):
    """The rows of each element, one by one."""

    __slots__ = ("_source",)
    is_stateless = True

    def __init__(self, source: Stage) -> None:
        self._source = source

    def __iter__(self) -> Iterator[Any]:
        for item in self._source:
            leaves, structure = trees.flatten(item)
            for row in zip(*leaves, strict=True):
                yield trees.unflatten(structure, row)

    def length(self) -> Length:
        return INFINITE if self._source.length() == INFINITE else None


class Shuffled(Stage):
    """Elements in random order: each is drawn from a buffer, which the next element fills up.

    Args:
        source: what is shuffled.
        size: of the buffer.
        seed: of the order; another one each time it is gone over, unless `again`.
        again: whether the order is the same each time.
    """

    __slots__ = ("_again", "_round", "_seed", "_size", "_source")

    def __init__(self, source: Stage, size: int, seed: int | None, again: bool) -> None:
        self._source = source
        self._size = size
        self._seed = seed if seed is not None else secrets.randbits(64)
        self._again = again
        self._round = count()

    def __iter__(self) -> Iterator[Any]:
        return self._shuffled(iter(self._source))

    def rows(self) -> Rows | None:
        found = self._source.rows()
        return None if found is None else found._replace(numbers=self._shuffled(found.numbers))

    def _shuffled(self, items: Iterator[Any]) -> Iterator[Any]:
        number = 0 if self._again else next(self._round)
        return self._drawn(items, np.random.default_rng([self._seed, number]))

    def _drawn(self, items: Iterator[Any], rng: np.random.Generator) -> Iterator[Any]:
        buffer = list(islice(items, self._size))
        for item in items:
            k = int(rng.integers(len(buffer)))
            drawn, buffer[k] = buffer[k], item
            yield drawn
        while buffer:
            k = int(rng.integers(len(buffer)))
            buffer[k], buffer[-1] = buffer[-1], buffer[k]
            yield buffer.pop()

    def length(self) -> Length:
        return self._source.length()


class Repeated(Stage):
    """All elements several times; `times` is None for without an end."""

    __slots__ = ("_source", "_times")
    is_stateless = True

    def __init__(self, source: Stage, times: int | None) -> None:
        self._source = source
        self._times = times

    def __iter__(self) -> Iterator[Any]:
        for _ in count() if self._times is None else range(self._times):
            is_empty = True
            for item in self._source:
                is_empty = False
                yield item
            if is_empty:
                return

    def length(self) -> Length:
        found = self._source.length()
        if found is None or found == 0:
            return found
        return INFINITE if self._times is None else found * self._times if self._times else 0


class Taken(Stage):
    """The first elements."""

    __slots__ = ("_count", "_source")
    is_stateless = True

    def __init__(self, source: Stage, count: int) -> None:
        self._source = source
        self._count = count

    def __iter__(self) -> Iterator[Any]:
        return islice(self._source, self._count)

    def rows(self) -> Rows | None:
        found = self._source.rows()
        return found and found._replace(numbers=islice(found.numbers, self._count))

    def length(self) -> Length:
        found = self._source.length()
        return None if found is None else int(min(found, self._count))


class Skipped(Stage):
    """All but the first elements."""

    __slots__ = ("_count", "_source")
    is_stateless = True

    def __init__(self, source: Stage, count: int) -> None:
        self._source = source
        self._count = count

    def __iter__(self) -> Iterator[Any]:
        return islice(self._source, self._count, None)

    def rows(self) -> Rows | None:
        found = self._source.rows()
        return found and found._replace(numbers=islice(found.numbers, self._count, None))

    def length(self) -> Length:
        found = self._source.length()
        return found if found is None else max(found - self._count, 0)


class Zipped(Stage):
    """The elements of several stages side by side, up to the end of the shortest."""

    __slots__ = ("_sources", "_structure")
    is_stateless = True

    def __init__(self, *sources: Stage, structure: trees.Structure) -> None:
        self._sources = sources
        self._structure = structure

    def __iter__(self) -> Iterator[Any]:
        for row in zip(*self._sources, strict=False):
            yield trees.unflatten(self._structure, row)

    def length(self) -> Length:
        found = [source.length() for source in self._sources]
        known = [x for x in found if x is not None]
        return min(known) if len(known) == len(found) else None


class Enumerated(Stage):
    """Elements with their numbers."""

    __slots__ = ("_source", "_start")
    is_stateless = True

    def __init__(self, source: Stage, start: int) -> None:
        self._source = source
        self._start = start

    def __iter__(self) -> Iterator[Any]:
        return zip(map(np.int64, count(self._start)), self._source, strict=False)

    def length(self) -> Length:
        return self._source.length()


class Concatenated(Stage):
    """The elements of one stage after those of another."""

    __slots__ = ("_sources",)
    is_stateless = True

    def __init__(self, *sources: Stage) -> None:
        self._sources = sources

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(self._sources)

    def length(self) -> Length:
        found = [source.length() for source in self._sources]
        if INFINITE in found:
            return INFINITE
        return None if None in found else sum(int(x) for x in found if x is not None)


class Interleaved(Stage):
    """The elements of stages that a function makes of each element, of some of them in turn.

    Args:
        source: what the function is given.
        function: returns a stage.
        cycle: how many stages are open at a time.
        block: how many elements are taken of one before it is the next one's turn.
    """

    __slots__ = ("_block", "_cycle", "_function", "_source")

    def __init__(
        self, source: Stage, function: Callable[[Any], Stage], cycle: int, block: int
    ) -> None:
        self._source = source
        self._function = function
        self._cycle = cycle
        self._block = block

    def __iter__(self) -> Iterator[Any]:
        waiting = map(self._function, self._source)
        open_ = [iter(stage) for stage in islice(waiting, self._cycle)]
        turn = 0
        while open_:
            turn %= len(open_)
            taken = 0
            for item in islice(open_[turn], self._block):
                taken += 1
                yield item
            further = next(waiting, None) if taken < self._block else None
            if further is not None:
                open_[turn] = iter(further)
            if further is None and taken < self._block:
                del open_[turn]
            else:
                turn += 1

    def length(self) -> Length:
        return None
