"""What is put together of the elements of a row, as LLVM text.

Comes in: vectors of elements. Goes out: one number. There are several accumulators, so that one
addition need not wait for the one before.

Integers and truth values may be put together in any order. So may floats in fast mode. In exact
mode sums of floats have an order of their own (`pairwise`); of greatest and smallest ones NumPy's
own loop decides where the order matters: which of two zeros it is, and which NaN.
"""

from __future__ import annotations

import numpy as np

from runtime.dtypes import DType
from runtime.kernels.arithmetic import (
    NEAREST,
    compared,
    kind_of,
    literal,
    llvm_type,
    number,
    stored_type,
    suffix_of,
)
from runtime.kernels.arrays.block_schedule import EXTREMES
from runtime.kernels.arrays.vector_pass import Lanes
from runtime.kernels.control_flow import when
from runtime.kernels.kernel import BOOL, Instruction, Literal
from runtime.kernels.llvm import Writer
from runtime.kernels.ufunc_loops import call_loop
from runtime.kernels.vectors import any_lane, same


def is_float_sum(x: Instruction) -> bool:
    """Tell whether a reduction is a sum of floats."""
    return x.attrs["ufunc"] == "add" and number(x.args[0].type).kind == "f"


def is_ordered(w: Writer, x: Instruction) -> bool:
    """Tell whether a reduction has an order that counts."""
    return is_float_sum(x) and not w.fast


class Accumulator:
    """The accumulators of one reduction.

    Args:
        w: writes lines.
        x: the reduction.
        lanes: how many numbers a vector has.
        count: how many accumulators there are.
        stops: whether the kernel is left where NumPy's own loop would have to decide.
    """

    def __init__(
        self, w: Writer, x: Instruction, lanes: int, count: int, stops: bool = False
    ) -> None:
        self.w = w
        self.stops = stops
        self.x = x
        self.name: str = x.attrs["ufunc"]
        self.dtype = number(x.args[0].type)
        self.lanes = lanes
        self.kind = kind_of(self.dtype, lanes)
        self.places = [w.space(self.kind) for _ in range(count)]
        self.sees_nan = self.dtype.kind == "f" and self.name in EXTREMES
        self.nan = w.space(f"<{lanes} x i1>") if self.sees_nan else ""

    def start(self) -> None:
        """Write that a row begins."""
        for place in self.places:
            self.w.line(f"store {self.kind} {same(self.lanes, identity_of(self.x))}, ptr {place}")
        if self.sees_nan:
            self.w.line(f"store <{self.lanes} x i1> zeroinitializer, ptr {self.nan}")

    def add(self, lanes: Lanes, mask: str | None, which: int) -> None:
        """Write that a vector is put to an accumulator, but for elements whose mask is false."""
        w, place = self.w, self.places[which]
        value = lanes.operand(self.x.args[0])
        if mask is not None:
            identity = same(self.lanes, identity_of(self.x))
            tests = f"<{self.lanes} x i1> {mask}"
            value = w.new(f"select {tests}, {self.kind} {value}, {self.kind} {identity}")
        old = w.new(f"load {self.kind}, ptr {place}")
        w.line(f"store {self.kind} {self.both(old, value)}, ptr {place}")
        if self.sees_nan:
            tests = f"<{self.lanes} x i1>"
            found = self.tested("uno", value, value)
            both = w.new(f"or {tests} {found}, {w.new(f'load {tests}, ptr {self.nan}')}")
            w.line(f"store {tests} {both}, ptr {self.nan}")

    def both(self, x: str, y: str) -> str:
        """Return two vectors put together."""
        return together(self.w, self.x, self.lanes, x, y)

    def tested(self, test: str, x: str, y: str) -> str:
        """Return a comparison of two vectors."""
        return self.w.new(compared(self.w, test, self.dtype, self.lanes, x, y))

    def finish(self, row: str, target: str) -> None:
        """Write that the number of a row goes to its place; `row` is where its elements are."""
        w, place = self.w, self.places[0]
        total = w.new(f"load {self.kind}, ptr {place}")
        for other in self.places[1:]:
            total = self.both(total, w.new(f"load {self.kind}, ptr {other}"))
        kind = llvm_type(self.dtype)
        name, flags, first = self._horizontal()
        vector = suffix_of(self.dtype, self.lanes)
        given = f"{kind}, {self.kind}" if first else self.kind
        w.declare(f"{kind} @llvm.vector.reduce.{name}.{vector}({given})")
        given = f"{kind} {first}, {self.kind} {total}" if first else f"{self.kind} {total}"
        found = w.new(f"call {flags}{kind} @llvm.vector.reduce.{name}.{vector}({given})")
        if self.dtype == BOOL:
            found = w.new(f"zext i1 {found} to i8")
        w.line(f"store {stored_type(self.dtype)} {found}, ptr {target}")
        if self.sees_nan:
            self._decide(found, row, target)

    def _horizontal(self) -> tuple[str, str, str]:
        """Return what puts the numbers of a vector together: LLVM's name, flags, first operand."""
        if self.name == "add":
            return ("fadd", "reassoc ", "-0.0") if self.dtype.kind == "f" else ("add", "", "")
        if self.dtype == BOOL:
            return ("or" if self.name in ("logical_or", "maximum") else "and"), "", ""
        end = "max" if self.name == "maximum" else "min"
        if self.dtype.kind == "f":
            return f"f{end}", "nnan ", ""
        return f"{'s' if self.dtype.kind == 'i' else 'u'}{end}", "", ""

    def _decide(self, found: str, row: str, target: str) -> None:
        """Write what is done of a row with a NaN; in exact mode also of one with a zero on top."""
        w = self.w
        seen = w.new(f"load <{self.lanes} x i1>, ptr {self.nan}")
        odd = any_lane(w, self.lanes, [seen])
        if not w.fast:
            zero = w.new(compared(w, "oeq", self.dtype, 1, found, "0.0"))
            odd = w.new(f"or i1 {odd}, {zero}")
        when(w, odd, lambda: self._settle(row, target))

    def _settle(self, row: str, target: str) -> None:
        """Write what decides: whoever called, nobody in fast mode, or NumPy's own loop."""
        w = self.w
        if self.stops:
            w.line("store i1 true, ptr %stopped")
        elif w.fast:
            nan = f"0x{0x7FF8000000000000:016X}"
            w.line(f"store {llvm_type(self.dtype)} {nan}, ptr {target}")
        else:
            reduce_row(w, self.x, row, target)


def identity_of(x: Instruction) -> Literal:
    """Return the number that changes nothing."""
    dtype, name = number(x.args[0].type), x.attrs["ufunc"]
    if name in EXTREMES:
        return Literal(dtype, _least(dtype, name == "maximum"))
    return Literal(dtype, name == "logical_and" if dtype == BOOL else 0)


def together(w: Writer, x: Instruction, lanes: int, first: str, second: str) -> str:
    """Return two vectors put together, or two numbers as they are in memory."""
    dtype, name = number(x.args[0].type), x.attrs["ufunc"]
    kind = stored_type(dtype) if lanes == 1 else kind_of(dtype, lanes)
    if name == "add":
        if dtype.kind == "f":
            return added(w, dtype, lanes, first, second)
        return w.new(f"add {kind} {first}, {second}")
    if dtype == BOOL:
        op = "or" if name in ("logical_or", "maximum") else "and"
        return w.new(f"{op} {kind} {first}, {second}")
    low, high = (first, second) if name == "maximum" else (second, first)
    if dtype.kind == "f":
        test = w.new(compared(w, "olt", dtype, lanes, low, high))
    else:
        sign = "s" if dtype.kind == "i" else "u"
        test = w.new(f"icmp {sign}lt {kind} {low}, {high}")
    tests = kind_of(BOOL, lanes)
    return w.new(f"select {tests} {test}, {kind} {second}, {kind} {first}")


def added(w: Writer, dtype: DType, lanes: int, first: str, second: str) -> str:
    """Return a sum of floats."""
    kind = kind_of(dtype, lanes)
    if w.fast:
        return w.new(f"fadd contract {kind} {first}, {second}")
    name = f"@llvm.experimental.constrained.fadd.{suffix_of(dtype, lanes)}"
    w.declare(f"{kind} {name}({kind}, {kind}, metadata, metadata)")
    return w.new(f"call {kind} {name}({kind} {first}, {kind} {second}, {NEAREST}) #0")


def _least(dtype: DType, is_maximum: bool) -> float | int | bool:
    """Return what no number is below, or above."""
    if dtype == BOOL:
        return not is_maximum
    if dtype.kind == "f":
        return -np.inf if is_maximum else np.inf
    info = np.iinfo(dtype)
    return int(info.min if is_maximum else info.max)


def reduce_row(w: Writer, x: Instruction, row: str, target: str) -> None:
    """Write the reduction of a row by an inner loop of NumPy, as NumPy itself reduces rows."""
    dtype, initial = number(x.args[0].type), x.attrs["initial"]
    kind, count, begin = stored_type(dtype), "%columns", row
    first = "zeroinitializer" if not initial else literal(Literal(dtype, initial))
    if initial is None:
        first, count = w.new(f"load {kind}, ptr {row}"), w.new("sub i64 %columns, 1")
        begin = w.new(f"getelementptr {kind}, ptr {row}, i64 1")
    w.line(f"store {kind} {first}, ptr {target}")
    call_loop(w, x, [target, begin, target], [count], [0, dtype.itemsize, 0])
