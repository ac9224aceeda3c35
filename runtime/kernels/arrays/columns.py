"""What is put together of the elements of columns, as LLVM text.

Comes in: vectors of elements of one row after another. Goes out: a number for each column, in
memory. NumPy adds rows to what it has so far, one after another, and so do these vectors: each of
their numbers belongs to a column of its own. Numbers after the last column are those of the first.
"""

from __future__ import annotations

from runtime.kernels.arithmetic import compared, kind_of, number, stored_type
from runtime.kernels.arrays.accumulate import identity_of, together
from runtime.kernels.arrays.block_schedule import EXTREMES
from runtime.kernels.arrays.vector_pass import Lanes
from runtime.kernels.control_flow import loop
from runtime.kernels.kernel import Instruction
from runtime.kernels.llvm import Writer
from runtime.kernels.vectors import load_vector, same, store_vector


class Column:
    """One reduction of columns, whose numbers are at a place in memory."""

    def __init__(self, w: Writer, x: Instruction, lanes: int, memory: str) -> None:
        self.w = w
        self.x = x
        self.dtype = number(x.args[0].type)
        self.lanes = lanes
        self.kind = kind_of(self.dtype, lanes)
        self.memory = memory

    def clear(self, count: str) -> None:
        """Write that `count` columns begin, and some more."""
        first = same(self.lanes, identity_of(self.x))
        loop(self.w, "0", count, str(self.lanes), lambda place: self.store(first, place))

    def start(self) -> None:
        """Nothing begins with a row."""

    def add(self, lanes: Lanes, mask: str | None, which: int) -> None:
        """Write that a vector of a row is put to what there is."""
        old = self.load(lanes.place)
        self.store(self.both(old, lanes.operand(self.x.args[0])), lanes.place)

    def finish(self, row: str, target: str) -> None:
        """Nothing ends with a row."""

    def both(self, old: str, new: str) -> str:
        """Return two vectors put together, as NumPy does it element by element."""
        name = self.x.attrs["ufunc"]
        if self.dtype.kind != "f" or name not in EXTREMES:
            return together(self.w, self.x, self.lanes, old, new)
        w, tests = self.w, f"<{self.lanes} x i1>"
        first, second = (new, old) if name == "maximum" else (old, new)
        keeps = w.new(compared(w, "olt", self.dtype, self.lanes, first, second))
        found = w.new(f"select {tests} {keeps}, {self.kind} {old}, {self.kind} {new}")
        is_nan = w.new(compared(w, "uno", self.dtype, self.lanes, old, old))
        return w.new(f"select {tests} {is_nan}, {self.kind} {old}, {self.kind} {found}")

    def address(self, place: str) -> str:
        """Return where the number of a column is."""
        kind = stored_type(self.dtype)
        return self.w.new(f"getelementptr {kind}, ptr {self.memory}, i64 {place}")

    def load(self, place: str) -> str:
        """Return a vector of what there is."""
        return load_vector(self.w, self.lanes, self.dtype, self.address(place))

    def store(self, value: str, place: str) -> None:
        """Write that a vector goes to memory."""
        store_vector(self.w, self.lanes, self.dtype, value, self.address(place))
