"""Arrays that a kernel writes where they are, as routines.

Comes in: arrays among the arguments of a kernel. Goes out: lines of its entry: they are alone in
their memory, what they hold is kept, and put back where the kernel gives up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from runtime.kernels.kernel import ArrayType, Port, Variable
from runtime.kernels.llvm import Writer
from runtime.kernels.routine_values import Value, pointer
from runtime.kernels.routines import write

_KEEP = """
memory = py.PyMem_RawMalloc(size)
need(memory != null)
kept.ptr[0] = own
kept.ptr[1] = memory
kept.i64[2] = size
memcpy(memory, own, size)
"""


class InPlace:
    """The arrays that a kernel writes where they are.

    Args:
        w: writes lines.
        need: writes that the kernel gives up, before it has done anything, unless a test is true.

    Attributes:
        kept: where three words are for each: where it is, where its copy is, how many bytes it has.
    """

    def __init__(self, w: Writer, need: Callable[[str], None]) -> None:
        self.w = w
        self.need = need
        self.kept: list[str] = []

    def check_alone(self, ports: Sequence[tuple[Variable, Port, list[str]]]) -> None:
        """Write the test that an array that is written shares memory with no other one."""
        arrays = [(names, port) for _, port, names in ports if isinstance(port.type, ArrayType)]
        for k, (names, port) in enumerate(arrays):
            for j, (others, other) in enumerate(arrays):
                if port.in_place and j != k and not (other.in_place and j < k):
                    ends = self.end(names, port), self.end(others, other)
                    known = {"x": pointer(names[1]), "y": pointer(others[1]), "ends": ends}
                    write(self.w, "need(ends[0] <= y or ends[1] <= x)", need=self.need, **known)

    def end(self, names: list[str], port: Port) -> Value:
        """Return where an array ends."""
        known = {"x": pointer(names[1]), "size": self.size(names, port)}
        return pointer(*write(self.w, "return x + size", **known))

    def size(self, names: list[str], port: Port) -> str:
        """Return how many bytes the elements of an array have."""
        assert isinstance(port.type, ArrayType)
        found = str(port.type.dtype.itemsize)
        for size in names[2:]:
            (found,) = write(self.w, "return found * size", found=found, size=size)
        return found

    def keep(self, names: list[str], port: Port) -> None:
        """Write that what an array holds is kept."""
        place = self.w.space("[3 x i64]")
        self.kept.append(place)
        known = {"kept": pointer(place), "own": pointer(names[1]), "need": self.need}
        write(self.w, _KEEP, size=self.size(names, port), **known)

    def undo(self) -> None:
        """Write that arrays hold again what was kept, if it was."""
        for place in self.kept:
            source = "memcpy(kept.ptr[0], kept.ptr[1], kept.i64[2])"
            write(self.w, source, kept=pointer(place))

    def starts(self) -> Iterator[str]:
        """Yield what stands at the start: nothing is kept."""
        return (f"store [3 x i64] zeroinitializer, ptr {place}" for place in self.kept)

    def free(self) -> None:
        """Write that what was kept is let go."""
        for place in self.kept:
            write(self.w, "py.PyMem_RawFree(kept.ptr[1])", kept=pointer(place))
