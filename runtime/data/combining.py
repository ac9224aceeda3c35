"""Stages that make batches of elements of several sizes, windows, and choices among datasets."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from runtime import trees
from runtime.data.element import stacked
from runtime.data.stage import Length, Stage
from runtime.dtypes import STRING
from runtime.errors import ShapeError

Sizes = Sequence[int | None]


class Padded(Stage):
    """Elements stacked, several at a time, each made as long as the longest of them.

    Args:
        source: gives the elements.
        size: how many elements a batch has.
        shapes: of each leaf, with None for the size of the longest; None for all sizes of it.
        values: with which each leaf is made longer.
        drop_remainder: whether a last batch that is smaller is left out.
    """

    __slots__ = ("_drop", "_shapes", "_size", "_source", "_values")

    def __init__(
        self,
        source: Stage,
        size: int,
        shapes: Sequence[Sizes | None],
        values: Sequence[Any],
        drop_remainder: bool,
    ) -> None:
        self._source = source
        self._size = size
        self._shapes = tuple(shapes)
        self._values = tuple(values)
        self._drop = drop_remainder

    def __iter__(self) -> Iterator[Any]:
        items = iter(self._source)
        while rows := list(islice(items, self._size)):
            if len(rows) < self._size and self._drop:
                return
            structure = trees.flatten(rows[0])[1]
            columns = zip(*(trees.flatten(row)[0] for row in rows), strict=True)
            padded = map(_padded, columns, self._shapes, self._values)
            yield trees.unflatten(structure, list(padded))

    def length(self) -> Length:
        return None


def _padded(leaves: Sequence[Any], shape: Sizes | None, value: Any) -> Any:
    arrays = [np.asarray(x, STRING if isinstance(x, str) else None) for x in leaves]
    wanted = (None,) * arrays[0].ndim if shape is None else shape
    most = [max(sizes) for sizes in zip(*(x.shape for x in arrays), strict=True)]
    for found, size in zip(most, wanted, strict=True):
        if size is not None and found > size:
            raise ShapeError(
                f"padded_batch: an element has {found} where the padded shape has {size}; make "
                "that larger, or None for the size of the longest"
            )
    sizes = [most[k] if size is None else size for k, size in enumerate(wanted)]
    rows = np.full((len(arrays), *sizes), value, arrays[0].dtype)
    for k, array in enumerate(arrays):
        key: Any = (k, *map(slice, array.shape))
        rows[key] = array
    return rows


class Windowed(Stage):
    """Elements side by side, as batches that overlap.

    Args:
        source: gives the elements.
        size: how many elements a window has.
        shift: how many elements the next window begins later.
        stride: of how many elements one is taken.
        drop_remainder: whether windows at the end that are smaller are left out.
    """

    __slots__ = ("_drop", "_shift", "_size", "_source", "_stride")
    is_stateless = True

    def __init__(
        self, source: Stage, size: int, shift: int, stride: int, drop_remainder: bool
    ) -> None:
        self._source = source
        self._size = size
        self._shift = shift
        self._stride = stride
        self._drop = drop_remainder

    def __iter__(self) -> Iterator[Any]:
        items, held = iter(self._source), deque[Any]()
        span = (self._size - 1) * self._stride + 1
        while True:
            held.extend(islice(items, span - len(held)))
            rows = list(islice(held, 0, span, self._stride))
            if not rows or (self._drop and len(rows) < self._size):
                return
            yield stacked(rows)
            for _ in range(min(self._shift, len(held))):
                held.popleft()
            next(islice(items, max(self._shift - span, 0), 0), None)

    def length(self) -> Length:
        return None


class Unique(Stage):
    """Elements that are equal to none before; all different ones are remembered."""

    __slots__ = ("_source",)
    is_stateless = True

    def __init__(self, source: Stage) -> None:
        self._source = source

    def __iter__(self) -> Iterator[Any]:
        seen = set()
        for item in self._source:
            key = tuple(x if isinstance(x, str) else x.tobytes() for x in trees.flatten(item)[0])
            if key not in seen:
                seen.add(key)
                yield item

    def length(self) -> Length:
        return None


class Chosen(Stage):
    """Elements of several stages, each of that whose number is drawn, until one has no more.

    Args:
        sources: the stages.
        numbers: returns an iterator of numbers of stages, anew for each time.
        ends: whether the first stage without a further element ends it; if not, it is passed over.
    """

    __slots__ = ("_ends", "_numbers", "_sources")

    def __init__(self, *sources: Stage, numbers: Callable[[], Iterator[Any]], ends: bool) -> None:
        self._sources = sources
        self._numbers = numbers
        self._ends = ends

    def __iter__(self) -> Iterator[Any]:
        streams: list[Iterator[Any] | None] = [iter(source) for source in self._sources]
        for number in self._numbers():
            stream = streams[int(number)]
            for item in () if stream is None else islice(stream, 1):
                yield item
                break
            else:
                streams[int(number)] = None
                if self._ends or not any(streams):
                    return

    def length(self) -> Length:
        return None


def drawn_numbers(weights: Sequence[float], seed: int | None) -> Callable[[], Iterator[Any]]:
    """Return what gives numbers, drawn with probabilities, without an end."""

    def numbers() -> Iterator[Any]:
        rng = np.random.default_rng(seed)
        sums = np.cumsum(np.asarray(weights, np.float64))
        while True:
            yield min(int(np.searchsorted(sums, rng.random() * sums[-1], "right")), len(sums) - 1)

    return numbers
