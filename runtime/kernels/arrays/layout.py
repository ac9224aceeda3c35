"""Where a kernel over arrays keeps what while it runs.

Comes in: a kernel. Goes out: places in its context, sizes of its blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from runtime.kernels.arithmetic import number
from runtime.kernels.arrays.carried import carried
from runtime.kernels.kernel import ArrayType, Port, instructions
from runtime.kernels.llvm import Writer
from runtime.kernels.maps import MapKernel
from runtime.kernels.target import WIDEST

MEMORY, ROW_MEMORY = 1 << 17, 1 << 20
"""How many bytes the memory of a block has at most, without and with rows."""
LONGEST, SHORTEST = 2048, 256
"""How many elements a block has."""
TOGETHER = 4096
"""How many elements the rows of a block have; one row may be longer."""
STRIPE, FEWEST_COLUMNS = 1024, 16
"""How many columns are reduced side by side, and with how few NumPy does as well."""
PIECE, LARGER, MOST_LEVELS = 4096, 32, 14
"""How many elements of one long row are computed at once, how many more there may be since halves
are not equal, and how often such a row is halved."""
HAS_LONG_SUMS = np.lib.NumpyVersion(np.__version__) >= "2.4.0"
"""Whether NumPy sums long rows as a whole, not in parts."""
LONGEST_ROW = 16384 if HAS_LONG_SUMS else 8192
"""How many elements a row has that is not computed in pieces."""
STOPPED = 1 << 16
"""The flag that says that the kernel was left."""
TABLE, NEXT, TOTAL, CHUNK, FLAGS, COLUMNS, RUN, LEVELS, SIZES = range(9)
"""The first words of a context; see `Layout`."""


class Rounds(IntEnum):
    """The words about rounds.

    How many all tiles make at least, and at most, before there is a look at signals; the most and
    the least that a tile has made; where there is a record of each tile; after how many the loop
    ends, once that is known.
    """

    TARGET = 0
    LIMIT = 1
    MOST = 2
    LEAST = 3
    RECORDS = 4
    END = 5


@dataclass(frozen=True, slots=True)
class Layout:
    """Which words of the context hold what.

    First the table, then the next element or row to begin at, their number, how many are computed
    at once, flags, the length of a row, the function that computes, and how often a long row is
    halved or how many numbers each column has; then the sizes of the space; then the inputs; then
    the data of the new arrays; then where parts of a long row go. An array has its data, whether it
    has no gaps, its strides, and what its elements are moved by; one that is read at places has its
    data, how many parts it has, how many elements each, and the data of the places; a number has
    itself, an array that is there as a whole its data and sizes.
    """

    kernel: MapKernel

    def input(self, k: int) -> int:
        """Return the first word of an input."""
        words = (self.words(port) for port in self.kernel.inputs[:k])
        return SIZES + self.kernel.rank + sum(words)

    def words(self, port: Port) -> int:
        """Return how many words an input has."""
        if not isinstance(port.type, ArrayType):
            return 1
        return 1 + len(port.type.shape) if port.whole else 2 + 2 * self.kernel.rank

    def shifts(self, k: int) -> int:
        """Return the first word of what the elements of an input are moved by."""
        return self.input(k) + 2 + self.kernel.rank

    def output(self, k: int) -> int:
        """Return the word of the data of a result."""
        return self.input(len(self.kernel.inputs)) + k

    def parts(self, k: int) -> int:
        """Return the word of where the numbers of the pieces of a long row go."""
        return self.output(len(self.kernel.outputs)) + k

    @property
    def size(self) -> int:
        """The number of words."""
        return self.rounds(len(Rounds) if self.kernel.loop else 0)

    def rounds(self, k: int) -> int:
        """Return a word about the rounds of a loop."""
        return self.parts(len(self.kernel.reductions)) + k


def word(w: Writer, place: int) -> str:
    """Return the address of a word of the context."""
    return w.new(f"getelementptr i64, ptr %context, i64 {place}")


def begin_flags(w: Writer) -> None:
    """Write that a function which computes begins, with no flags of the processor."""
    for name in ("control", "flags"):
        w.line(f"%{name} = alloca i32")
    w.line("store i32 0, ptr %flags")
    w.clear_flags()


def tell_flags(w: Writer) -> None:
    """Write that such a function ends: its flags go to the context."""
    w.keep_flags()
    wide = w.new(f"zext i32 {w.new('load i32, ptr %flags')} to i64")
    w.new(f"atomicrmw or ptr {word(w, FLAGS)}, i64 {wide} monotonic")


WIDTH = 8
"""How many sums NumPy makes side by side of each row; so long are the vectors of rows at least."""


def lanes_of(kernel: MapKernel) -> int:
    """Return how many elements of a kernel's widest type fill a vector."""
    if kernel.loop is not None:
        return carried(kernel).lanes
    types = [number(x.type) for x in kernel.body.params]
    types += [number(y.type) for x in instructions(kernel.body) for y in x.results]
    size = max(1, *(dtype.itemsize for dtype in types if dtype.kind != "b"), 1)
    lanes = kernel.target.vector // size
    if kernel.reductions:
        return max(lanes, WIDTH)
    made = [number(y.type) for x in instructions(kernel.body) for y in x.results]
    is_mask = size > 1 and all(dtype.kind == "b" for dtype in made)
    return 2 * lanes if is_mask else lanes  # which gives bytes: fewer of them are put together


def length_of(kernel: MapKernel, size: int) -> int:
    """Return how many elements a block has room for, when each needs so many bytes."""
    most, memory = (LONGEST_ROW, ROW_MEMORY) if kernel.has_rows else (LONGEST, MEMORY)
    return max(SHORTEST, min(most, memory // max(size, 1) // WIDEST * WIDEST))
