"""The entry of a kernel over arrays, as routines.

Comes in: a kernel. Goes out: text, and the table of what it needs from outside. Nothing runs here.

As `entry` does, the function takes objects as they are and returns objects, or None when it has
done nothing: an argument is not what the kernel was made for, NumPy would report something, or
would make an array that is not in C order (`result_order`).

It has its work done by calls of `run`, for all elements at once, or by threads that take one part
after another.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.kernels.arithmetic import llvm_type, number, stored_type
from runtime.kernels.arrays import layout
from runtime.kernels.arrays.blocks import write_run
from runtime.kernels.arrays.layout import FLAGS, LONGEST, SIZES, STOPPED, Layout, lanes_of
from runtime.kernels.arrays.result_order import need_c_order
from runtime.kernels.arrays.sweeps import write_sweeps
from runtime.kernels.arrays.tiles import write_tiles
from runtime.kernels.arrays.units import product, write_units
from runtime.kernels.entry import Entry, Text, calls_c
from runtime.kernels.helpers import common
from runtime.kernels.kernel import ArrayType, Port
from runtime.kernels.llvm import METADATA, Writer
from runtime.kernels.maps import Kind, MapKernel
from runtime.kernels.objects import ALIGNED, BY_COLUMNS, DENSE, Array
from runtime.kernels.routine_values import Value, pointer

PLAIN, CALLED = 0.15e-9, 1e-9
"""About how many seconds an instruction takes for an element of float32, and an inner loop."""
Input = tuple[int, str, ArrayType]
"""The number of an input, its object, and its type."""


def write_map(kernel: MapKernel) -> Text:
    """Return the module of a kernel; its entry is the function `entry`."""
    table = {name: place for place, name in enumerate(common(kernel.target).table)}
    run = Writer(table, kernel.target, calls_c(kernel), kernel.fast)
    write = write_tiles if kernel.loop else write_run
    entry = Entry(table, kernel.target)
    entry.function(_MapEntry(entry, kernel, write(run, kernel)).body)
    w = entry.writer
    lines = [*run.lines, *w.lines, *(run.declarations | w.declarations)]
    lines += [f"attributes #0 = {{ {'nounwind' if kernel.fast else 'strictfp'} }}"]
    lines += [METADATA, "!1 = !{}"]
    return Text("\n".join(lines) + "\n", tuple(table), kernel.target)


_KEY = """
need_array(obj, "uint64", 1, ALIGNED | DENSE)
need((obj + Array.SIZES).ptr[0].i64[0] == 2)
context.ptr[first] = (obj + Array.DATA).ptr[0]
context.i64[first + 1] = 0
"""
_NUMBER = """
if (obj + Object.TYPE).ptr[0] == outside("object:ndarray"):
    need_array(obj, dtype, 0)
    place = (obj + Array.DATA).ptr[0]
else:
    need((obj + Object.TYPE).ptr[0] == outside(scalar))
    place = obj + Object.CONTENT
(context + 8 * first).kind[0] = place.kind[0]
"""
_SPREAD = """
context.i64[shifts] = context.i64[first]
context.ptr[first] = context + 8 * shifts
for n in unrolled(1 + rank):
    context.i64[first + 1 + n] = 0
"""
"""A number, which is in the first word of an input, is an array: it has no steps."""
_WHOLE = """
need_array(obj, dtype, rank, ALIGNED | DENSE)
context.ptr[first] = (obj + Array.DATA).ptr[0]
for axis in unrolled(rank):
    context.i64[first + 1 + axis] = (obj + Array.SIZES).ptr[0].i64[axis]
"""
_TABLE = """
context.ptr[first] = (obj + Array.DATA).ptr[0]
context.i64[first + 1] = (obj + Array.SIZES).ptr[0].i64[0]
context.i64[first + 2] = inner
context.ptr[first + 3] = (places + Array.DATA).ptr[0]
"""
_STRIDES = """
sizes, strides = (obj + Array.SIZES).ptr[0], (obj + Array.STRIDES).ptr[0]
is_dense, data = (obj + Array.FLAGS).i32[0] & DENSE != 0, (obj + Array.DATA).ptr[0]
context.ptr[first] = data if column is None else data + strides.i64[last] * column
context.i64[first + 1] = i64(by_columns or is_dense and is_whole)
for axis in unrolled(rank):
    stride = strides.i64[axis - before] if axis - before in stepping else 0
    context.i64[first + 2 + axis] = strides.i64[rank - 1 - axis] if by_columns else stride
falls, least = true, 1 << 62
for axis in stepping:
    if len(stepping) > 1:
        size, step = sizes.i64[axis], absolute(strides.i64[axis])
        falls = falls and (size <= 1 or step <= least)
        least = least if size <= 1 else step
return true if len(stepping) < 2 else is_dense or by_columns or falls
"""
_SHIFT = """
size = max(context.i64[SIZES + axis], 1)
rest = remainder(shift, size)
context.i64[shifts + axis] = rest + size if below(rest, 0) else rest
"""


class _MapEntry:
    """Writes the entry."""

    def __init__(self, entry: Entry, kernel: MapKernel, longest: int) -> None:
        self.entry, self.kernel, self.longest = entry, kernel, longest
        self.layout = Layout(kernel)
        self.by_columns: Value | bool = False
        calls = sum(x.op == "loop" for x in kernel.body.instructions)
        vectors = 16 / lanes_of(kernel)
        self.cost = CALLED * calls + PLAIN * vectors * (1 + kernel.weight)

    def body(self) -> None:
        """Write what the entry does."""
        e, w, kernel = self.entry, self.entry.writer, self.kernel
        w.line(f"%context = alloca [{self.layout.size} x i64], align 64")
        objects = [self.argument(source) for source in kernel.sources]
        arrays = [
            x for k, port in enumerate(kernel.inputs) if (x := self.enter(k, port, objects[k]))
        ]
        tables = {k: self.places(obj, k, kind) for k, obj, kind in arrays if self.is_table(k)}
        self.by_columns = self.column_order(arrays)
        total = self.space(arrays, tables)
        reduced, falling = {x.args[0] for x in kernel.reductions}, dict[int, str]()
        for k, obj, kind in arrays:
            if k in tables:
                self.enter_table(k, obj, kind, tables[k])
                continue
            falling[k] = self.strides(k, obj, kind)
            self.shifts(k)
            if kernel.axes and kernel.body.params[k] in reduced and not kernel.inputs[k].shifts:
                self.need_dense(obj)
        need_c_order(e, kernel, falling)
        outputs = [self.new_array(k, port) for k, port in enumerate(kernel.outputs)]
        if self.by_columns:
            self.turn()
        write_work(e, kernel, total, self.longest, self.cost)
        if kernel.kind is Kind.TOTAL:
            w.line("call void @end(ptr %table, ptr %context)")
        flags = e.value("i32(context.i64[FLAGS])", FLAGS=FLAGS)
        e.write("need(flags < STOPPED)", flags=Value("i32", flags), STOPPED=STOPPED)
        if not kernel.fast:
            e.report(flags)
        e.leave(e.packed([e.boxed([obj], port) for obj, port in self.made(outputs)]))

    def made(self, outputs: list[str]) -> list[tuple[str, Port]]:
        """Return the arrays, and the numbers that are read from their places."""
        found = []
        count = len(outputs) - self.kernel.hidden
        for place, port in zip(outputs[:count], self.kernel.outputs, strict=False):
            if not isinstance(port.type, ArrayType):
                place = self.entry.writer.loaded(place, number(port.type))
            found.append((place, port))
        return found

    # Arguments.

    def argument(self, place: int) -> str:
        """Return an argument."""
        return self.entry.value("args.ptr[place]", args=pointer("%args"), place=place)

    def enter(self, k: int, port: Port, obj: str) -> Input | None:
        """Write that an argument goes into the context; return an array, which needs the space."""
        e, kind = self.entry, port.type
        given = {"obj": pointer(obj), "first": self.layout.input(k)}
        if port.drawn:
            e.write(_KEY, **given)
        elif not isinstance(kind, ArrayType):
            self.number(k, obj, port)
        elif port.spread:
            self.number(k, obj, Port(kind.dtype, port.weak))
            e.write(
                _SPREAD, first=given["first"], shifts=self.layout.shifts(k), rank=self.kernel.rank
            )
        elif port.whole:
            e.write(_WHOLE, **given, dtype=kind.dtype.name, rank=len(kind.shape))
        else:
            rank = len(kind.shape)
            e.need_array(obj, kind.dtype.name, rank + (port.column is not None))
            if port.column is not None:
                size = e.axis(obj, Array.SIZES, rank)
                e.write("need(size == count)", size=size, count=port.column[1])
            return k, obj, kind
        return None

    def number(self, k: int, obj: str, port: Port) -> None:
        """Write that a number goes into the context: a scalar, or an array without axes."""
        e, dtype, first = self.entry, number(port.type), self.layout.input(k)
        kind = stored_type(dtype)
        if port.weak:
            value = Value(llvm_type(dtype), *e.unboxed(obj, port))
            x = Value(kind, e.value("i8(x)", x=value)) if dtype.kind == "b" else value
            e.write("(context + 8 * first).kind[0] = x", first=first, kind=kind, x=x)
        else:
            names = {"dtype": dtype.name, "scalar": f"type:{dtype.name}", "kind": kind}
            e.write(_NUMBER, obj=pointer(obj), first=first, **names)

    def is_table(self, k: int) -> bool:
        """Tell whether parts of an array are read, at places that stand in another one."""
        return self.kernel.inputs[k].places is not None

    def places(self, table: str, k: int, kind: ArrayType) -> str:
        """Return the array of places at which a table is read; neither may have gaps."""
        found = self.argument(self.kernel.inputs[k].places or 0)
        rank = self.kernel.rank - len(kind.shape) + 1
        self.entry.need_array(found, "int64", rank, ALIGNED | DENSE)
        self.need_dense(table)
        return found

    def need_dense(self, obj: str) -> None:
        """Write that an array may have no gaps."""
        self.entry.write("need((obj + Array.FLAGS).i32[0] & DENSE != 0)", obj=pointer(obj))

    def enter_table(self, k: int, obj: str, kind: ArrayType, places: str) -> None:
        """Write that a table and its places go into the context."""
        rank = self.kernel.rank
        inner = product(self.entry.writer, range(rank - len(kind.shape) + 1, rank))
        given = {"obj": pointer(obj), "places": pointer(places), "inner": inner}
        self.entry.write(_TABLE, first=self.layout.input(k), **given)

    def strides(self, k: int, obj: str, kind: ArrayType) -> str:
        """Write that the data and strides of an array go into the context.

        Returns whether they fall from axis to axis, or all arrays are in column order.
        """
        rank, port, w = self.kernel.rank, self.kernel.inputs[k], self.entry.writer
        axes = [axis for axis, size in enumerate(kind.shape) if size != 1]
        before, is_plain = rank - len(kind.shape), not port.shifts and port.column is None
        known = {"column": None, "last": len(kind.shape), "before": before, "rank": rank}
        if port.column is not None:
            known["column"], axes = port.column[0], [*axes, len(kind.shape)]
        w.declare("i64 @llvm.abs.i64(i64, i1)")

        def absolute(x: str) -> str:
            return w.new(f"call i64 @llvm.abs.i64(i64 {x}, i1 false)")

        (falls,) = self.entry.write(
            _STRIDES, obj=pointer(obj), first=self.layout.input(k), stepping=axes, **known,
            is_whole=len(axes) == rank and is_plain, by_columns=self.by_columns, absolute=absolute,
        )  # fmt: skip
        return falls

    def shifts(self, k: int) -> None:
        """Write that what an input is moved by goes into the context, from 0 to below the sizes."""
        w, shifts = self.entry.writer, self.layout.shifts(k)

        def remainder(x: int, y: str) -> str:
            return w.new(f"srem i64 {x}, {y}")

        for axis, shift in enumerate(self.kernel.inputs[k].shifts):
            known = {"SIZES": SIZES, "axis": axis, "shift": shift, "shifts": shifts}
            self.entry.write(_SHIFT, remainder=remainder, **known)

    # The space.

    def space(self, arrays: list[Input], tables: dict[int, str]) -> str:
        """Write the sizes of the space, to which all arrays have to fit; return its size."""
        e, total, rank = self.entry, "1", self.kernel.rank
        for axis in range(rank):
            found: str | None = None
            for k, obj, kind in arrays:
                own = axis - rank + len(kind.shape)
                if k in tables and own < 1:
                    size = e.axis(tables[k], Array.SIZES, axis)
                elif own < 0:
                    continue
                else:
                    size = e.axis(obj, Array.SIZES, own)
                if own >= 0 and kind.shape[own] == 1:
                    self.same(size, "1")
                else:
                    found = self.same(size, found)
            for port in self.kernel.inputs:
                found = self.same(str(port.drawn[axis]), found) if port.drawn else found
            given = {"SIZES": SIZES, "axis": axis, "found": found or "1", "total": total}
            total = e.value("total * found", **given)
            e.write("context.i64[SIZES + axis] = found", **given)
        return total

    def same(self, size: str, other: str | None) -> str:
        """Return the size of an axis, after a test that it is another one, if there is any."""
        if other is not None:
            self.entry.write("need(size == other)", size=size, other=other)
        return other or size

    def column_order(self, arrays: list[Input]) -> Value | bool:
        """Return whether all arrays are in column order without gaps: then results are, too."""
        kernel, flags = self.kernel, Value("i32", str(DENSE | BY_COLUMNS))
        for k, obj, kind in arrays:
            port = kernel.inputs[k]
            is_whole = len(kind.shape) == kernel.rank and 1 not in kind.shape
            if not is_whole or port.shifts or port.places is not None or port.column:
                return False
            own = "flags & (obj + Array.FLAGS).i32[0]"
            flags = Value("i32", self.entry.value(own, obj=pointer(obj), flags=flags))
        if any(port.drawn for port in kernel.inputs) or kernel.has_rows or kernel.rank == 1:
            return False
        return Value("i1", self.entry.value("flags == BY", flags=flags, BY=BY_COLUMNS))

    def turn(self) -> None:
        """Write that the axes of the space are in the order that elements have in memory."""
        e, rank, known = self.entry, self.kernel.rank, {"SIZES": SIZES, "turns": self.by_columns}
        sizes = [e.value("context.i64[SIZES + axis]", axis=k, **known) for k in range(rank)]
        for axis, (size, other) in enumerate(zip(sizes, reversed(sizes), strict=True)):
            source = "context.i64[SIZES + axis] = other if turns else size"
            e.write(source, axis=axis, size=size, other=other, **known)

    # Results.

    def new_array(self, k: int, port: Port) -> str:
        """Return a new array of the size of the space or of its rows; or a place for a number."""
        e, given = self.entry, {"k": self.layout.output(k)}
        if not isinstance(port.type, ArrayType):
            place = e.writer.space(stored_type(number(port.type)), 64)
            e.write("context.ptr[k] = place", place=pointer(place), **given)
            return place
        order = e.value("i32(turns)", turns=self.by_columns)
        sizes, dtype = self.sizes(port.type.shape), port.type.dtype.name
        made = e.empty(len(port.type.shape), sizes, dtype, order)
        e.write("context.ptr[k] = (made + Array.DATA).ptr[0]", made=pointer(made), **given)
        return made

    def sizes(self, shape: Sequence[int | None]) -> str:
        """Return where the sizes of a result are: those of the space, but for what is reduced."""
        e, rank = self.entry, self.kernel.rank
        first, after = self.kernel.axes or (rank - 1, rank)
        is_kept = len(shape) == rank
        if not self.kernel.has_rows or (is_kept and any(n != 1 for n in shape[first:after])):
            return e.value("context + 8 * SIZES", SIZES=SIZES)
        sizes, place = e.writer.space(f"[{rank} x i64]"), 0
        for axis in range(rank):
            is_one = first <= axis < after
            if is_kept or not is_one:
                known = {"is_one": is_one, "place": place, "axis": axis, "SIZES": SIZES}
                source = "sizes.i64[place] = 1 if is_one else context.i64[SIZES + axis]"
                e.write(source, sizes=pointer(sizes), **known)
                place += 1
        return sizes


UNLOCK_PAYS, THREADS_PAY, CHUNK_TIME = 2e-5, 6e-5, 1e-4
"""Times: when others may run meanwhile, when other threads help, how long each part takes."""
FEWEST_PARTS = 4
"""Into how many parts work is divided that is shared."""

_WORK = """
if total != 0:
    if total < small:
        run(table, context, 0, units)
    else:
        part = chunk // (total // units) + 1 if has_rows else chunk
        fair = units // parts + whole & -whole
        context.i64[Layout.NEXT] = 0
        context.i64[Layout.TOTAL] = units
        context.i64[Layout.CHUNK] = min(part, fair)
        share(total, least)
"""
"""No part is larger than that all threads get some."""


def write_work(e: Entry, kernel: MapKernel, total: str, longest: int, cost: float) -> None:
    """Write that all elements are computed.

    Args:
        e: writes the entry.
        kernel: that is entered.
        total: how many elements there are.
        longest: how long a row, or a part of it, may be.
        cost: how many seconds an element takes.
    """
    units = write_units(e, kernel, total, longest)
    e.write("context.i64[Layout.FLAGS] = 0", Layout=layout)
    if kernel.loop:
        write_sweeps(e, kernel, total, units, cost)
        return
    e.write(
        _WORK, Layout=layout, total=total, units=units, has_rows=kernel.has_rows,
        small=int(UNLOCK_PAYS / cost), chunk=int(CHUNK_TIME / cost) // LONGEST * LONGEST + LONGEST,
        parts=FEWEST_PARTS, whole=1 if kernel.has_rows else LONGEST, least=int(THREADS_PAY / cost),
    )  # fmt: skip
