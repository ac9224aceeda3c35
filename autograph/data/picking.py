"""`Picking`: the methods of datasets that give their elements in another order or number."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from autograph.data.core import whole
from autograph.data.reading import Sources
from runtime.data import combining, transforms
from runtime.data.element import batched, unbatched
from runtime.dtypes import as_dtype
from runtime.spec import make_spec

Self = TypeVar("Self", bound="Picking")


class Picking(Sources):
    """A dataset without what makes other elements of its own."""

    __slots__ = ()

    def shard(self: Self, num_shards: int, index: int) -> Self:
        """Return each `num_shards`-th element, from that of number `index` on.

        >>> from autograph.data import Dataset
        >>> [int(x) for x in Dataset.range(7).shard(3, 1)]
        [1, 4]
        """
        size = whole(num_shards, "shard: the number of shards", 1)
        place = whole(index, "shard: the index", 0)
        if place >= size:
            raise ValueError(
                f"shard takes an index below {size}, the number of shards, not {place}"
            )
        return self.skip(place).windows(1, shift=size).unbatch()

    def windows(
        self: Self,
        size: int,
        shift: int | None = None,
        stride: int = 1,
        drop_remainder: bool = False,
    ) -> Self:
        """Return batches that overlap: of `size` elements, each `shift` elements after the last.

        >>> from autograph.data import Dataset
        >>> [x.tolist() for x in Dataset.range(5).windows(3, shift=1, drop_remainder=True)]
        [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
        """
        number = whole(size, "windows: the size", 1)
        step = number if shift is None else whole(shift, "windows: the shift", 1)
        every = whole(stride, "windows: the stride", 1)
        spec = batched(self._spec, number if drop_remainder else None)
        return self._made(
            combining.Windowed,
            spec,
            self,
            size=number,
            shift=step,
            stride=every,
            drop_remainder=drop_remainder,
        )

    def unique(self: Self) -> Self:
        """Return the elements that are equal to none before; all different ones are remembered."""
        return self._made(combining.Unique, self._spec, self)

    def unbatch(self: Self) -> Self:
        """Return the rows of each element, one by one."""
        return self._made(transforms.Unbatched, unbatched(self._spec, "unbatch"), self)

    def shuffle(
        self: Self, buffer_size: int, seed: int | None = None, reshuffle_each_iteration: bool = True
    ) -> Self:
        """Return the elements in random order.

        Args:
            buffer_size: among how many elements the next one is drawn; for a uniform order it is
                the number of all.
            seed: of the order; equal seeds give equal orders.
            reshuffle_each_iteration: whether each time has an order of its own.

        >>> from autograph.data import Dataset
        >>> sorted(int(x) for x in Dataset.range(4).shuffle(4, seed=1))
        [0, 1, 2, 3]
        """
        size = whole(buffer_size, "shuffle: the size of the buffer", 1)
        again = not reshuffle_each_iteration
        return self._made(transforms.Shuffled, self._spec, self, size=size, seed=seed, again=again)

    def repeat(self: Self, count: int | None = None) -> Self:
        """Return all elements `count` times; None or -1 is without an end."""
        times = None if count is None or count == -1 else whole(count, "repeat: the number", 0)
        return self._made(transforms.Repeated, self._spec, self, times=times)

    def take(self: Self, count: int) -> Self:
        """Return the first `count` elements; -1 means all."""
        number = whole(count, "take: the number", -1)
        if number == -1:
            return self
        return self._made(transforms.Taken, self._spec, self, count=number)

    def skip(self: Self, count: int) -> Self:
        """Return all but the first `count` elements."""
        number = whole(count, "skip: the number", 0)
        return self._made(transforms.Skipped, self._spec, self, count=number)

    def enumerate(self: Self, start: int = 0) -> Self:
        """Return pairs of a number and an element.

        >>> from autograph.data import Dataset
        >>> list(Dataset.from_arrays(["a", "b"]).enumerate(5))
        [(np.int64(5), 'a'), (np.int64(6), 'b')]
        """
        first = whole(start, "enumerate: the start", None)
        spec = (make_spec(as_dtype(np.int64), ()), self._spec)
        return self._made(transforms.Enumerated, spec, self, start=first)
