"""Arrays that a kernel writes where they are, as LLVM text.

Comes in: arrays among the arguments of a kernel. Goes out: lines of its entry: they are alone in
their memory, what they hold is kept, and put back where the kernel gives up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from runtime.kernels.kernel import ArrayType, Port, Variable
from runtime.kernels.llvm import Writer


class InPlace:
    """The arrays that a kernel writes where they are.

    Args:
        w: writes lines.
        need: writes that the kernel gives up, before it has done anything, unless a test is true.
    """

    def __init__(self, w: Writer, need: Callable[[str], None]) -> None:
        self.w = w
        self.need = need
        self.kept: list[tuple[str, str, str]] = []

    def check_alone(self, ports: Sequence[tuple[Variable, Port, list[str]]]) -> None:
        """Write the test that an array that is written shares memory with no other one."""
        arrays = [(names, port) for _, port, names in ports if isinstance(port.type, ArrayType)]
        for k, (names, port) in enumerate(arrays):
            for j, (others, other) in enumerate(arrays):
                if port.in_place and j != k and not (other.in_place and j < k):
                    ends = self.is_before(names, port, others), self.is_before(others, other, names)
                    self.need(self.w.new(f"or i1 {', '.join(ends)}"))

    def is_before(self, names: list[str], port: Port, others: list[str]) -> str:
        """Return whether an array ends before another one begins."""
        end = self.w.new(f"getelementptr i8, ptr {names[1]}, i64 {self.size(names, port)}")
        return self.w.new(f"icmp ule ptr {end}, {others[1]}")

    def size(self, names: list[str], port: Port) -> str:
        """Return how many bytes the elements of an array have."""
        assert isinstance(port.type, ArrayType)
        found = str(port.type.dtype.itemsize)
        for size in names[2:]:
            found = self.w.new(f"mul i64 {found}, {size}")
        return found

    def keep(self, names: list[str], port: Port) -> None:
        """Write that what an array holds is kept."""
        w = self.w
        own, copy, size = w.space("ptr"), w.space("ptr"), w.space("i64")
        self.kept.append((own, copy, size))
        count = self.size(names, port)
        memory = w.new(f"call ptr {w.outside('py:PyMem_RawMalloc')}(i64 {count})")
        self.need(w.new(f"icmp ne ptr {memory}, null"))
        w.line(f"store ptr {names[1]}, ptr {own}")
        w.line(f"store ptr {memory}, ptr {copy}")
        w.line(f"store i64 {count}, ptr {size}")
        self.move(memory, names[1], count)

    def undo(self) -> None:
        """Write that arrays hold again what was kept, if it was."""
        for own, copy, size in self.kept:
            target, source = (self.w.new(f"load ptr, ptr {x}") for x in (own, copy))
            self.move(target, source, self.w.new(f"load i64, ptr {size}"))

    def move(self, target: str, source: str, size: str) -> None:
        """Write that bytes are copied."""
        self.w.declare("void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        given = f"ptr {target}, ptr {source}, i64 {size}, i1 false"
        self.w.line(f"call void @llvm.memcpy.p0.p0.i64({given})")

    def starts(self) -> Iterator[str]:
        """Yield what stands at the start: nothing is kept."""
        for own, copy, size in self.kept:
            yield f"store ptr null, ptr {own}"
            yield f"store ptr null, ptr {copy}"
            yield f"store i64 0, ptr {size}"

    def free(self) -> None:
        """Write that what was kept is let go."""
        for _, copy, _ in self.kept:
            own = self.w.new(f"load ptr, ptr {copy}")
            self.w.line(f"call void {self.w.outside('py:PyMem_RawFree')}(ptr {own})")
