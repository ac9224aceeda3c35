"""`np.nditer` of staged arrays: their elements, one after the other, as arrays without axes.

In which order elements lie in memory is known when the graph runs; NumPy itself is asked for their
places then. The number of elements is known while tracing, and loops over them are unrolled.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from runtime import default_graph
from runtime.dispatch import apply
from runtime.errors import StagedValueError
from runtime.numpy.array_creation import asarray
from runtime.numpy.face import stands_for
from runtime.numpy.staged_call import stage_call
from runtime.ops import elementwise
from runtime.subscripts import describe
from runtime.tensor import LOCKED, Symbol

FLAGS = frozenset(["multi_index", "refs_ok", "zerosize_ok"])
ACCESS = frozenset(["readonly", "readwrite", "writeonly"])
MOST = 512
"""So many elements a loop is unrolled for."""


@stands_for(np.nditer)
def nditer(
    op: Any,
    flags: Sequence[str] | None = None,
    op_flags: Sequence[Any] | None = None,
    op_dtypes: Any = None,
    order: str = "K",
    **others: Any,
) -> Any:
    """Return an iterator over the elements of arrays, which are broadcast.

    Raises:
        StagedValueError: NumPy's iterator is asked for more than elements and their places.
        ValueError: the arrays are empty, and not said to be (`zerosize_ok`).
    """
    several = isinstance(op, list | tuple)
    operands = [*map(asarray, op)] if several else [asarray(op)]
    access = op_flags or ["readonly"]
    rows = [access] * len(operands) if isinstance(access[0], str) else access
    is_plain = not others and op_dtypes is None and {*(flags or ())} <= FLAGS
    is_given = not several or all(x is not None for x in op)
    if not (is_plain and is_given and all({*row} <= ACCESS for row in rows)):
        raise StagedValueError("np.nditer of staged arrays gives elements, and takes few flags")
    shapes: list[Any] = [describe(x).shape for x in operands]
    if not all(describe(x).is_static for x in operands):
        raise StagedValueError("np.nditer of staged arrays needs their sizes while tracing")
    shape = np.broadcast_shapes(*shapes)
    if prod(shape) > MOST:
        raise StagedValueError(f"np.nditer of staged arrays takes {MOST} elements, not {shape}")
    if not prod(shape) and "zerosize_ok" not in (flags or ()):
        raise ValueError("Iteration of zero-sized operands is not enabled")
    places = stage_call(places_in_order, (tuple(operands), order), {}) if prod(shape) else None
    writable = ["readonly" not in row for row in rows]
    found = Elements(operands, shape, places, writable, several)
    found.is_tracking = "multi_index" in (flags or ())
    return found


def places_in_order(operands: Sequence[Any], order: Any) -> Any:
    """Return the places of elements in the order in which NumPy's iterator takes them, a row each.

    >>> places_in_order((np.zeros((2, 1), order="F"),), "K").tolist()
    [[0, 0], [1, 0]]
    """
    found = np.nditer(operands, flags=["multi_index", "refs_ok"], order=order)
    places = np.empty((found.itersize, found.ndim), np.int64)
    places[...] = [found.multi_index for _ in found]
    return places


class Elements:
    """What `np.nditer` gives.

    Args:
        operands: the arrays.
        shape: to which they are broadcast.
        places: those of the elements in that shape, in order, a row each; None where there is none.
        writable: which of the arrays may be written.
        several: whether each element is a tuple of those of all arrays.

    Attributes:
        is_tracking: whether it tells the place of an element.
    """

    def __init__(
        self,
        operands: Sequence[Any],
        shape: tuple[int, ...],
        places: Any,
        writable: Sequence[bool],
        several: bool,
    ) -> None:
        self.operands = tuple(operands)
        self.itersize, self.nop = prod(shape), len(self.operands)
        self.is_tracking = False
        self.iterindex = 0
        self._places, self._writable, self._several = places, writable, several
        self._ndim = len(shape)
        self._begun = False
        self._builder = default_graph.current()

    @property
    def finished(self) -> bool:
        """Whether there is no element any more."""
        return self.iterindex >= self.itersize

    @property
    def multi_index(self) -> tuple[Any, ...]:
        """The place of the element, a number for each axis."""
        if not self.is_tracking:
            raise ValueError("Iterator is not tracking a multi-index")
        return self._place()

    def _place(self) -> tuple[Any, ...]:
        if self.finished:
            raise ValueError("Iterator is past the end")
        row = self._places[self.iterindex]
        return tuple(apply(elementwise.item, (row[axis],)) for axis in range(self._ndim))

    @property
    def value(self) -> Any:
        """The element, or those of all arrays."""
        return tuple(map(self.__getitem__, range(self.nop))) if self._several else self[0]

    def __len__(self) -> int:
        return self.nop

    def __getitem__(self, number: int) -> Any:
        x, place = self.operands[number], self._place()
        sizes = describe(x).shape or ()
        own = place[self._ndim - len(sizes) :]
        found = x[(*(0 if n == 1 else k for n, k in zip(sizes, own, strict=True)), ...)]
        if type(found) is Symbol and not self._writable[number]:
            found.unwritable = LOCKED
        return found

    def __setitem__(self, number: int, value: Any) -> None:
        self[number][...] = value

    def iternext(self) -> bool:
        """Go to the next element; tell whether there is one."""
        self._move(self.iterindex + 1)
        return not self.finished

    def _move(self, place: int) -> None:
        """Go to another element; only where the iterator was made is that done each time."""
        if default_graph.current() is not self._builder:
            raise StagedValueError(
                "np.nditer goes on in a staged branch or loop, where its place would be known only "
                "when the graph runs. Make it there, or loop over np.ndindex or an index of yours"
            )
        self.iterindex = place

    def reset(self) -> None:
        """Go back to the first element."""
        self._move(0)
        self._begun = False

    def close(self) -> None:
        """End the iteration: what was written is written already."""

    def __iter__(self) -> Elements:
        return self

    def __next__(self) -> Any:
        if self._begun:
            self._move(self.iterindex + 1)
        self._begun = True
        if self.finished:
            raise StopIteration
        return self.value

    def __enter__(self) -> Elements:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
