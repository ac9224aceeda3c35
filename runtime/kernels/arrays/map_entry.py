"""The entry of a kernel over arrays, as LLVM text.

Comes in: a kernel. Goes out: text, and the table of what it needs from outside. Nothing runs here.

As `entry` does, the function takes objects as they are and returns objects, or None when it has
done nothing: an argument is not what the kernel was made for, NumPy would report something, or
would make an array that is not in C order (`result_order`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runtime.kernels.arithmetic import number, stored_type
from runtime.kernels.arrays.blocks import write_run
from runtime.kernels.arrays.layout import FLAGS, SIZES, STOPPED, Layout, lanes_of, word
from runtime.kernels.arrays.map_work import write_work
from runtime.kernels.arrays.result_order import need_c_order
from runtime.kernels.arrays.tables import enter_number, enter_table, enter_whole
from runtime.kernels.arrays.tiles import write_tiles
from runtime.kernels.arrays.units import product
from runtime.kernels.entry import HEADER, ITEMS, REPORTED, Entry, Text, calls_c
from runtime.kernels.helpers import common
from runtime.kernels.kernel import INT, ArrayType, Port
from runtime.kernels.llvm import METADATA, Writer
from runtime.kernels.maps import Kind, MapKernel

ALIGNED = 0x0100
DENSE, BY_COLUMNS = 0x0001, 0x0002
"""Flags of arrays: aligned elements, and elements without gaps, in C order or in column order."""
PLAIN, CALLED = 0.15e-9, 1e-9
"""About how many seconds an instruction takes for an element of float32, and an inner loop."""
KEY_WORD = np.dtype(np.uint64)


def write_map(kernel: MapKernel) -> Text:
    """Return the module of a kernel; its entry is the function `entry`."""
    table = {name: place for place, name in enumerate(common().table)}
    run = Writer(table, calls_c(kernel), kernel.fast, kernel.target)
    write = write_tiles if kernel.loop else write_run
    entry = _MapEntry(table, kernel, write(run, kernel))
    entry.whole()
    w = entry.entry.writer
    lines = [*run.lines, *w.lines, *(run.declarations | w.declarations)]
    lines += [f"attributes #0 = {{ {'nounwind' if kernel.fast else 'strictfp'} }}"]
    lines += [METADATA, "!1 = !{}"]
    return Text("\n".join(lines) + "\n", tuple(table), kernel.target)


class _MapEntry:  # Long: the steps of one function of LLVM, which share its registers.
    """Writes the entry."""

    def __init__(self, table: dict[str, int], kernel: MapKernel, longest: int) -> None:
        self.entry = Entry(table)
        self.kernel = kernel
        self.longest = longest
        self.layout = Layout(kernel)
        calls = sum(x.op == "loop" for x in kernel.body.instructions)
        vectors = 16 / lanes_of(kernel)
        self.cost = CALLED * calls + PLAIN * vectors * (1 + kernel.weight)

    def whole(self) -> None:
        """Write the entry."""
        e, w, kernel = self.entry, self.entry.writer, self.kernel
        w.lines.append("define ptr @entry(ptr %self, ptr %args, i64 %count) #0 {")
        w.begin("start")
        top = len(w.lines)
        w.line(f"%table = getelementptr i8, ptr %self, i64 {ITEMS}")
        w.line(f"%context = alloca [{self.layout.size} x i64], align 64")
        for name, kind, initial in (("thread", "ptr", "null"), ("answer", "ptr", "null")):
            w.line(f"%{name} = alloca {kind}")
            w.line(f"store {kind} {initial}, ptr %{name}")
        arrays, tables = [], dict[int, str]()
        for k, port in enumerate(kernel.inputs):
            place = w.new(f"getelementptr ptr, ptr %args, i64 {kernel.sources[k]}")
            obj = w.new(f"load ptr, ptr {place}")
            if port.drawn:
                self.key(k, obj)
            elif port.spread and isinstance(port.type, ArrayType):
                self.number(k, obj, Port(port.type.dtype, port.weak))
                enter_number(e, self.layout, k)
            elif isinstance(port.type, ArrayType) and port.whole:
                self.array(obj, port.type)
                self.dense(obj)
                enter_whole(e, self.layout.input(k), obj, len(port.type.shape))
            elif isinstance(port.type, ArrayType):
                self.array(obj, port.type, port.column)
                arrays.append((k, obj, port.type))
                if port.places is not None:
                    tables[k] = self.places(obj, port.places, len(port.type.shape))
            else:
                self.number(k, obj, port)
        self.by_columns = self.column_order(arrays)
        total = self.space(arrays, tables)
        reduced, falling = {x.args[0] for x in kernel.reductions}, dict[int, str]()
        for k, obj, shape in arrays:
            if k in tables:
                inner = product(w, range(kernel.rank - len(shape.shape) + 1, kernel.rank))
                first, length = self.layout.input(k), self.axis(obj, 16, 0)
                enter_table(e, first, obj, length, inner, tables[k])
                continue
            falling[k] = self.strides(k, obj, shape)
            self.shifts(k)
            if kernel.axes and kernel.body.params[k] in reduced and not kernel.inputs[k].shifts:
                self.dense(obj)
        need_c_order(e, kernel, falling)
        outputs = [self.new_array(k, port) for k, port in enumerate(kernel.outputs)]
        if self.by_columns != "false":
            self.turn()
        write_work(e, kernel, total, self.longest, self.cost)
        if kernel.kind is Kind.TOTAL:
            w.line("call void @end(ptr %table, ptr %context)")
        found = w.new(f"load i64, ptr {word(w, FLAGS)}")
        flags = w.new(f"trunc i64 {found} to i32")
        e.need(w.new(f"icmp ult i32 {flags}, {STOPPED}"))
        if not kernel.fast:
            e.ask_about(w.new(f"and i32 {flags}, {REPORTED}"))
        boxed = [e.boxed([obj], port) for obj, port in self.made(outputs)]
        e.leave(e.packed(boxed))
        e.endings()
        w.lines[top:top] = [*w.spaces, *(f"  store ptr null, ptr {x}" for x in e.owned)]

    def made(self, outputs: list[str]) -> list[tuple[str, Port]]:
        """Return the arrays, and the numbers that are read from their places."""
        found = []
        count = len(outputs) - self.kernel.hidden
        for place, port in zip(outputs[:count], self.kernel.outputs, strict=False):
            if not isinstance(port.type, ArrayType):
                place = self.entry.writer.loaded(place, number(port.type))
            found.append((place, port))
        return found

    def array(self, obj: str, kind: ArrayType, column: tuple[int, int] | None = None) -> str:
        """Write that an argument has to be an array of a dtype and rank, or one of its columns."""
        e, w, rank = self.entry, self.entry.writer, len(kind.shape)
        e.need_equal(e.field(obj, "ptr", -8), w.outside("object:ndarray"))
        e.need_equal(e.field(obj, "ptr", 40), w.outside(f"dtype:{kind.dtype.name}"))
        e.need(w.new(f"icmp eq i32 {e.field(obj, 'i32', 8)}, {rank + (column is not None)}"))
        if column is not None:
            e.need(w.new(f"icmp eq i64 {self.axis(obj, 16, rank)}, {column[1]}"))
        aligned = w.new(f"and i32 {e.field(obj, 'i32', 48)}, {ALIGNED}")
        e.need(w.new(f"icmp ne i32 {aligned}, 0"))
        return obj

    def number(self, k: int, obj: str, port: Port) -> None:
        """Write that a number goes into the context: a scalar, or an array without axes."""
        e, w, dtype = self.entry, self.entry.writer, number(port.type)
        place = word(w, self.layout.input(k))
        if port.weak:
            (value,) = e.unboxed(obj, port)
            if dtype.kind == "b":
                value = w.new(f"zext i1 {value} to i8")
            w.line(f"store {stored_type(dtype)} {value}, ptr {place}")
            return
        labels = [w.block_label(name) for name in ("array", "scalar", "number")]
        is_array = w.new(f"icmp eq ptr {e.field(obj, 'ptr', -8)}, {w.outside('object:ndarray')}")
        w.line(f"br i1 {is_array}, label %{labels[0]}, label %{labels[1]}")
        w.begin(labels[0])
        self.array(obj, ArrayType(dtype, ()))
        data, source = e.field(obj, "ptr", 0), w.label
        w.line(f"br label %{labels[2]}")
        w.begin(labels[1])
        e.need_equal(e.field(obj, "ptr", -8), w.outside(f"type:{dtype.name}"))
        inside, other = w.new(f"getelementptr i8, ptr {obj}, i64 {HEADER}"), w.label
        w.line(f"br label %{labels[2]}")
        w.begin(labels[2])
        address = w.new(f"phi ptr [ {data}, %{source} ], [ {inside}, %{other} ]")
        value = w.new(f"load {stored_type(dtype)}, ptr {address}")
        w.line(f"store {stored_type(dtype)} {value}, ptr {place}")

    def space(self, arrays: list[tuple[int, str, ArrayType]], tables: dict[int, str]) -> str:
        """Write the sizes of the space, to which all arrays have to fit; return its size."""
        e, w, total, rank = self.entry, self.entry.writer, "1", self.kernel.rank
        for axis in range(rank):
            found: str | None = None
            for k, obj, kind in arrays:
                own = axis - rank + len(kind.shape)
                if k in tables and own < 1:
                    size = self.axis(tables[k], 16, axis)
                elif own < 0:
                    continue
                else:
                    size = self.axis(obj, 16, own)
                if own >= 0 and kind.shape[own] == 1:
                    e.need(w.new(f"icmp eq i64 {size}, 1"))
                elif found is None:
                    found = size
                else:
                    e.need(w.new(f"icmp eq i64 {size}, {found}"))
            found = self.drawn_size(axis, found) or "1"
            w.line(f"store i64 {found}, ptr {word(w, SIZES + axis)}")
            total = w.new(f"mul i64 {total}, {found}")
        return total

    def drawn_size(self, axis: int, found: str | None) -> str | None:
        """Return the size of an axis, which that of random numbers has to be."""
        for port in self.kernel.inputs:
            if port.drawn and found is None:
                found = str(port.drawn[axis])
            elif port.drawn:
                test = f"icmp eq i64 {found}, {port.drawn[axis]}"
                self.entry.need(self.entry.writer.new(test))
        return found

    def column_order(self, arrays: list[tuple[int, str, ArrayType]]) -> str:
        """Return whether all arrays are in column order without gaps: then results are, too."""
        e, w, found = self.entry, self.entry.writer, str(DENSE | BY_COLUMNS)
        for k, obj, kind in arrays:
            port = self.kernel.inputs[k]
            is_whole = len(kind.shape) == self.kernel.rank and 1 not in kind.shape
            if not is_whole or port.shifts or port.places is not None or port.column:
                return "false"
            found = w.new(f"and i32 {found}, {e.field(obj, 'i32', 48)}")
        draws = any(port.drawn for port in self.kernel.inputs)
        if draws or self.kernel.has_rows or self.kernel.rank == 1:
            return "false"
        return w.new(f"icmp eq i32 {found}, {BY_COLUMNS}")

    def turn(self) -> None:
        """Write that the axes of the space are in the order that elements have in memory."""
        w, places = self.entry.writer, range(self.kernel.rank)
        sizes = [w.new(f"load i64, ptr {word(w, SIZES + axis)}") for axis in places]
        for axis, (size, other) in enumerate(zip(sizes, reversed(sizes), strict=True)):
            found = w.new(f"select i1 {self.by_columns}, i64 {other}, i64 {size}")
            w.line(f"store i64 {found}, ptr {word(w, SIZES + axis)}")

    def dense(self, obj: str) -> None:
        """Write that an array may have no gaps."""
        e, w = self.entry, self.entry.writer
        found = w.new(f"and i32 {e.field(obj, 'i32', 48)}, {DENSE}")
        e.need(w.new(f"icmp ne i32 {found}, 0"))

    def places(self, table: str, argument: int, rank: int) -> str:
        """Return the array of places at which a table is read; neither may have gaps."""
        w = self.entry.writer
        obj = w.new(f"load ptr, ptr {w.new(f'getelementptr ptr, ptr %args, i64 {argument}')}")
        self.array(obj, ArrayType(INT, (None,) * (self.kernel.rank - rank + 1)))
        self.dense(table)
        self.dense(obj)
        return obj

    def axis(self, obj: str, field: int, axis: int) -> str:
        """Return the size (in the field 16) or the stride (24) of an axis of an array."""
        w = self.entry.writer
        place = w.new(f"getelementptr i64, ptr {self.entry.field(obj, 'ptr', field)}, i64 {axis}")
        return w.new(f"load i64, ptr {place}")

    def key(self, k: int, obj: str) -> None:
        """Write that an argument has to be a key of random numbers, which goes into the context."""
        e, w, first = self.entry, self.entry.writer, self.layout.input(k)
        self.array(obj, ArrayType(KEY_WORD, (None,)))
        self.dense(obj)
        e.need(w.new(f"icmp eq i64 {self.axis(obj, 16, 0)}, 2"))
        w.line(f"store ptr {e.field(obj, 'ptr', 0)}, ptr {word(w, first)}")
        w.line(f"store i64 0, ptr {word(w, first + 1)}")

    def strides(self, k: int, obj: str, kind: ArrayType) -> str:
        """Write that the data and strides of an array go into the context.

        Returns whether they fall from axis to axis, or all arrays are in column order.
        """
        e, w, rank = self.entry, self.entry.writer, self.kernel.rank
        first, port = self.layout.input(k), self.kernel.inputs[k]
        data, known = e.field(obj, "ptr", 0), list[tuple[str, str]]()
        if port.column is not None:
            stride = self.axis(obj, 24, len(kind.shape))
            offset = w.new(f"mul i64 {stride}, {port.column[0]}")
            data = w.new(f"getelementptr i8, ptr {data}, i64 {offset}")
        w.line(f"store ptr {data}, ptr {word(w, first)}")
        is_whole = len(kind.shape) == rank and 1 not in kind.shape
        is_whole = is_whole and not port.shifts and port.column is None
        dense = w.new(f"and i32 {e.field(obj, 'i32', 48)}, {DENSE if is_whole else 0}")
        wide = w.new(f"select i1 {self.by_columns}, i64 1, i64 {w.new(f'zext i32 {dense} to i64')}")
        w.line(f"store i64 {wide}, ptr {word(w, first + 1)}")
        for axis in range(rank):
            own = axis - rank + len(kind.shape)
            stride = "0" if own < 0 or kind.shape[own] == 1 else self.axis(obj, 24, own)
            place = word(w, first + 2 + axis)
            if self.by_columns != "false":
                other = self.axis(obj, 24, rank - 1 - axis)
                value = w.new(f"select i1 {self.by_columns}, i64 {other}, i64 {stride}")
                w.line(f"store i64 {value}, ptr {place}")
            else:
                w.line(f"store i64 {stride}, ptr {place}")
            if stride != "0":
                known.append((stride, self.axis(obj, 16, own)))
        if port.column is not None:
            own = len(kind.shape)
            known.append((self.axis(obj, 24, own), self.axis(obj, 16, own)))
        if len(known) < 2:
            return "true"
        flags = w.new(f"and i32 {e.field(obj, 'i32', 48)}, {DENSE}")
        dense = w.new(f"or i1 {w.new(f'icmp ne i32 {flags}, 0')}, {self.by_columns}")
        return w.new(f"or i1 {dense}, {self.fall(known)}")

    def shifts(self, k: int) -> None:
        """Write that what an input is moved by goes into the context, from 0 to below the sizes."""
        w = self.entry.writer
        w.declare("i64 @llvm.umax.i64(i64, i64)")
        for axis, shift in enumerate(self.kernel.inputs[k].shifts):
            size = w.new(f"load i64, ptr {word(w, SIZES + axis)}")
            size = w.new(f"call i64 @llvm.umax.i64(i64 {size}, i64 1)")
            rest = w.new(f"srem i64 {shift}, {size}")
            below = w.new(f"icmp slt i64 {rest}, 0")
            found = w.new(f"select i1 {below}, i64 {w.new(f'add i64 {rest}, {size}')}, i64 {rest}")
            w.line(f"store i64 {found}, ptr {word(w, self.layout.shifts(k) + axis)}")

    def fall(self, known: list[tuple[str, str]]) -> str:
        """Return whether strides fall, but for axes of one element."""
        w = self.entry.writer
        w.declare("i64 @llvm.abs.i64(i64, i1)")
        least, found = str(2**62), "true"
        for stride, size in known:
            own = w.new(f"call i64 @llvm.abs.i64(i64 {stride}, i1 false)")
            is_one = w.new(f"icmp ule i64 {size}, 1")
            falls = w.new(f"or i1 {is_one}, {w.new(f'icmp ule i64 {own}, {least}')}")
            found = w.new(f"and i1 {found}, {falls}")
            least = w.new(f"select i1 {is_one}, i64 {least}, i64 {own}")
        return found

    def new_array(self, k: int, port: Port) -> str:
        """Return a new array of the size of the space or of its rows; or a place for a number."""
        e, w = self.entry, self.entry.writer
        data = word(w, self.layout.output(k))
        if not isinstance(port.type, ArrayType):
            place = w.space(stored_type(number(port.type)), 64)
            w.line(f"store ptr {place}, ptr {data}")
            return place
        sizes, order = self.sizes(port.type.shape), w.new(f"zext i1 {self.by_columns} to i32")
        made = e.empty(f"i32 {len(port.type.shape)}, ptr {sizes}", port.type.dtype, order)
        w.line(f"store ptr {e.field(made, 'ptr', 0)}, ptr {data}")
        return made

    def sizes(self, shape: Sequence[int | None]) -> str:
        """Return where the sizes of a result are: those of the space, but for what is reduced."""
        w, rank = self.entry.writer, self.kernel.rank
        first, after = self.kernel.axes or (rank - 1, rank)
        is_kept = len(shape) == rank
        if not self.kernel.has_rows or (is_kept and any(n != 1 for n in shape[first:after])):
            return word(w, SIZES)
        sizes, place = w.space(f"[{rank} x i64]"), 0
        for axis in range(rank):
            if first <= axis < after and not is_kept:
                continue
            is_one = first <= axis < after
            value = "1" if is_one else w.new(f"load i64, ptr {word(w, SIZES + axis)}")
            there = w.new(f"getelementptr i64, ptr {sizes}, i64 {place}")
            w.line(f"store i64 {value}, ptr {there}")
            place += 1
        return sizes
