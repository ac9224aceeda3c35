"""`x.flat` of a staged array: its elements in order, as a sequence that can be written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from runtime import default_graph
from runtime.dispatch import apply
from runtime.errors import StagedValueError
from runtime.ops import movement
from runtime.subscripts import get_item, set_item
from runtime.tensor import Readable, TensorLike
from runtime.tree_classes import register_tree


class Flat(Readable):
    """The elements of an array, as of one without further axes.

    Args:
        base: the array, staged.

    Attributes:
        index: the number of the element that `next` gives.
    """

    def __init__(self, base: Any) -> None:
        Readable.is_used = True
        self.base = base
        self.index = 0
        self._builder = default_graph.current()

    def copy(self) -> Any:
        """Return the elements as an array of one axis."""
        return apply(movement.flatten, (self.base,))

    def read(self) -> Any:
        """Return the elements as an array of one axis, in calls of functions."""
        return self.copy()

    def __len__(self) -> int:
        return int(self.base.size)

    @property
    def coords(self) -> tuple[Any, ...]:
        """The place of the element that `next` gives."""
        return tuple(map(int, np.unravel_index(self.index, self.base.shape)))

    def __next__(self) -> Any:
        if self.index >= self.base.size:
            raise StopIteration
        if default_graph.current() is not self._builder:
            raise StagedValueError(
                "x.flat goes on in a staged branch or loop, where its place would be known only "
                "when the graph runs; index x.ravel() by a number of yours"
            )
        self.index += 1
        return self[self.index - 1]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.copy())

    def __getitem__(self, index: Any) -> Any:
        return get_item(self.copy(), index)

    def __setitem__(self, index: Any, value: Any) -> None:
        """Write elements; those of `value` are repeated."""
        numbers = get_item(np.arange(self.base.size), index)
        places = np.unravel_index(numbers, self.base.shape)
        count = np.size(numbers)
        set_item(self.base, places, np.resize(value, (count,)) if count != 1 else value)


def _made(index: int, children: Sequence[Any]) -> Any:
    (base,) = children
    if not isinstance(base, TensorLike):
        return base.flat
    found = Flat(base)
    found.index = index
    return found


register_tree(Flat, lambda value: ((value.base,), value.index), _made)
