"""Where a kernel over arrays keeps what while it runs.

Comes in: a kernel. Goes out: places in its context, sizes of its blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from runtime.kernels.arithmetic import number
from runtime.kernels.kernel import ArrayType, Port, instructions
from runtime.kernels.llvm import Writer
from runtime.kernels.maps import MapKernel

VECTOR = 64
"""The bytes of a vector."""
MEMORY, ROW_MEMORY = 1 << 17, 1 << 20
"""How many bytes the memory of a block has at most, without and with rows."""
LONGEST, SHORTEST = 2048, 256
"""How many elements a block has; one row may be longer."""
LONGEST_ROW = 16384 if np.lib.NumpyVersion(np.__version__) >= "2.4.0" else 8192
"""How many elements a row has; NumPy before 2.4 sums longer ones in parts."""
STOPPED = 1 << 16
"""The flag that says that the kernel was left."""
TABLE, NEXT, TOTAL, CHUNK, FLAGS, COLUMNS, RUN, SIZES = range(8)
"""The first words of a context; see `Layout`."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which words of the context hold what.

    First the table, then the next element or row to begin at, their number, how many are computed
    at once, flags, the length of a row, and the function that computes; then the sizes of the
    space; then the inputs; then the data of the new arrays. An array has its data, whether it has
    no gaps, its strides, and what its elements are moved by; a number has itself.
    """

    kernel: MapKernel

    def input(self, k: int) -> int:
        """Return the first word of an input."""
        words = (self.words(port) for port in self.kernel.inputs[:k])
        return SIZES + self.kernel.rank + sum(words)

    def words(self, port: Port) -> int:
        """Return how many words an input has."""
        return 2 + 2 * self.kernel.rank if isinstance(port.type, ArrayType) else 1

    def shifts(self, k: int) -> int:
        """Return the first word of what the elements of an input are moved by."""
        return self.input(k) + 2 + self.kernel.rank

    def output(self, k: int) -> int:
        """Return the word of the data of a result."""
        return self.input(len(self.kernel.inputs)) + k

    @property
    def size(self) -> int:
        """The number of words."""
        return self.output(len(self.kernel.outputs))


def word(w: Writer, place: int) -> str:
    """Return the address of a word of the context."""
    return w.new(f"getelementptr i64, ptr %context, i64 {place}")


def lanes_of(kernel: MapKernel) -> int:
    """Return how many elements of a kernel's widest type fill a vector."""
    types = [number(x.type) for x in kernel.body.params]
    types += [number(y.type) for x in instructions(kernel.body) for y in x.results]
    return VECTOR // max(1, *(dtype.itemsize for dtype in types if dtype.kind != "b"), 1)


def length_of(kernel: MapKernel, size: int) -> int:
    """Return how many elements a block has room for, when each needs so many bytes."""
    most, memory = (LONGEST_ROW, ROW_MEMORY) if kernel.has_rows else (LONGEST, MEMORY)
    return max(SHORTEST, min(most, memory // max(size, 1) // VECTOR * VECTOR))
