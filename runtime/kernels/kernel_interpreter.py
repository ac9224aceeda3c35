"""What kernels mean: their languages in plain Python and NumPy, slow and small.

Comes in: a kernel, and what it is given. Goes out: what machine code returns for that, None where
it would return None. This is the definition; tests compare machine code with it. An instruction
that has no meaning for its operands, such as an index out of range, is an UndefinedError: no kernel
that is built right has one, whatever it is given.

What a kernel may report at its end is what NumPy's own arithmetic reports. A counter of a loop that
gets large leaves the kernel; machine code looks at it now and then, and may give a result before.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from runtime.dtypes import DType
from runtime.kernels.kernel import (
    SMALL,
    ArrayType,
    Block,
    Instruction,
    Kernel,
    Literal,
    Operand,
    UnsupportedError,
    Variable,
    as_branch,
    indices_of,
    kind_of,
)
from runtime.kernels.maps import MapKernel
from runtime.kernels.semantics import MEANINGS, UndefinedError, Value, text

_REPORTS = {
    "divide by zero": "divide",
    "overflow": "over",
    "underflow": "under",
    "invalid value": "invalid",
}
"""The settings of `numpy.errstate` for what NumPy reports."""


DEEPEST = 150
"""How many calls deep the interpreter goes; machine code goes as deep as Python's limit says."""


class _LeftError(Exception):
    """The kernel is left, without a result."""


def interpret(kernel: Kernel | MapKernel, given: Sequence[Any]) -> Any:
    """Return what a kernel gives: the one result or a tuple of them, or None.

    Args:
        kernel: is valid.
        given: arguments of the types that it was made for, constants included.
    """
    run = _run_map if isinstance(kernel, MapKernel) else _run
    settings: Mapping[str, Any] = {**np.geterr()}
    machine = _Machine()
    with np.errstate(all="call", call=machine.note):
        try:
            found = run(machine, kernel, given)  # type: ignore[arg-type]
        except _LeftError:
            return None
    if any(settings[name] != "ignore" for name in machine.reported):
        _undo(kernel, machine, given)
        return None
    return found[0] if len(found) == 1 else tuple(found)


def _run(machine: _Machine, kernel: Kernel, given: Sequence[Any]) -> list[Any]:
    """Run a kernel; what it writes in place is as before if it is left."""
    for x, port, own in zip(kernel.body.params, kernel.inputs, given, strict=True):
        if isinstance(port.type, ArrayType):
            machine.values[x] = own.copy() if port.written else own
        elif port.weak and not _fits(own, port.type):
            raise _LeftError
        else:
            machine.values[x] = port.type.type(own)
        if port.in_place:
            machine.kept.append((own, own.copy()))
    try:
        found = machine.block(kernel.body)
    except _LeftError:
        _undo(kernel, machine, given)
        raise
    pairs = zip(found, kernel.outputs, strict=True)
    return [x.item() if port.weak else x for x, port in pairs]


def _undo(kernel: Kernel | MapKernel, machine: _Machine, given: Sequence[Any]) -> None:
    for array, before in machine.kept:
        array[...] = before


def _run_map(machine: _Machine, kernel: MapKernel, given: Sequence[Any]) -> list[Any]:
    """Run a kernel over arrays: each value is the numbers of all elements at once."""
    shapes = []
    for x, port, source in zip(kernel.body.params, kernel.inputs, kernel.sources, strict=True):
        own = given[source]
        if port.drawn:
            raise UnsupportedError("random numbers")
        if port.places is not None:
            own = own[given[port.places]]
        elif port.column is not None:
            own = own[..., port.column[0]]
        elif port.shifts:
            own = np.roll(own, port.shifts, range(-len(port.shifts), 0))
        elif not isinstance(port.type, ArrayType) and port.weak and not _fits(own, port.type):
            raise _LeftError
        machine.values[x] = own if port.whole else np.asarray(own, kind_of(x))[()]
        shapes.append(() if port.whole or port.spread else np.shape(own))
    machine.space = space = np.broadcast_shapes((1,) * kernel.rank, *shapes)
    first, after = kernel.axes or (kernel.rank - 1, kernel.rank)
    machine.axes = tuple(range(first, after))
    found = machine.block(kernel.body)[: len(kernel.outputs) - kernel.hidden]
    results = []
    for value, port in zip(found, kernel.outputs, strict=False):
        sizes = port.type.shape if isinstance(port.type, ArrayType) else ()
        if len(sizes) == kernel.rank:
            shape = [1 if n == 1 else m for n, m in zip(sizes, space, strict=True)]
            results.append(np.broadcast_to(value, shape).copy())
        elif sizes:
            results.append(np.reshape(value, (*space[:first], *space[after:])))
        else:
            number = np.reshape(value, ())[()]
            results.append(number.item() if port.weak else number)
    return results


def _fits(x: Any, dtype: DType) -> bool:
    """Tell whether a dtype holds a number of Python's."""
    return dtype.kind != "i" or -(2**63) <= x < 2**63


class _Machine:
    """Runs instructions.

    Attributes:
        values: of variables.
        functions: those in which it is, and `depth`, how many calls deep.
        reported: what floats and integers had to report, by NumPy's names.
        kept: arrays that are written in place, with what they held.
        space: of a kernel over arrays.
        axes: that it reduces.
    """

    def __init__(self) -> None:
        self.values: dict[Variable, Value] = {}
        self.functions: dict[str, Block] = {}
        self.depth = 0
        self.reported: set[str] = set()
        self.kept: list[tuple[Any, Any]] = []
        self.space: tuple[int, ...] = ()
        self.axes: tuple[int, ...] = ()

    def note(self, kind: str, flag: int) -> None:
        """Note what NumPy reports."""
        self.reported.add(_REPORTS[kind])

    def value(self, x: Operand) -> Value:
        """Return the value of an operand."""
        return x.type.type(x.value) if isinstance(x, Literal) else self.values[x]

    def block(self, block: Block, given: Sequence[Value] = ()) -> list[Value]:
        """Run a block; return what it yields."""
        self.values.update(zip(block.params, given, strict=False))
        for x in block.instructions:
            own = _STRUCTURED.get(x.op)
            if own is not None:
                own(self, x)
                continue
            found = MEANINGS[x.op](x, *map(self.value, x.args))
            found = found if len(x.results) > 1 else (found,)
            for result, value in zip(x.results, found, strict=True):
                dtype = kind_of(result)
                self.values[result] = np.asarray(value).astype(dtype, casting="equiv")[()]
        return [*map(self.value, block.results)]

    # What leaves the kernel.

    def stop(self, x: Instruction) -> None:
        """Leave the kernel when a test is true."""
        if np.any(self.value(x.args[0])):
            raise _LeftError

    def overflow(self, x: Instruction) -> None:
        """Note an overflow that wraps; leave the kernel for another one."""
        if np.any(self.value(x.args[0])):
            if not x.attrs["wraps"]:
                raise _LeftError
            self.reported.add("over")

    def place(self, x: Instruction) -> None:
        """An index as it counts from the start; out of range, it leaves the kernel."""
        index, size = map(int, map(self.value, x.args))
        if index < 0 and not x.attrs["natural"]:
            index += size
        if not 0 <= index < size:
            raise _LeftError
        self.values[x.results[0]] = np.int64(index)

    # Arrays.

    def element(self, x: Instruction) -> tuple[Any, tuple[int, ...]]:
        """Return an array and the indices of an element, which are in range."""
        array, found = self.value(x.args[0]), tuple(int(self.value(y)) for y in indices_of(x))
        if not all(0 <= k < n for k, n in zip(found, array.shape, strict=True)):
            raise UndefinedError(f"{found} of {array.shape}: {text(x)}")
        return array, found

    def array(self, x: Instruction) -> None:
        """Make an array; leave the kernel where there is no memory."""
        found = self.room(x, x.args)
        if x.attrs["zeros"]:
            found[...] = 0
        self.values[x.results[0]] = found

    def room(self, x: Instruction, sizes: Sequence[Operand]) -> Any:
        """Return a new array, which holds anything."""
        kind = x.results[0].type
        assert isinstance(kind, ArrayType)
        try:
            return np.full([int(self.value(n)) for n in sizes], 85, kind.dtype)
        except (MemoryError, ValueError):
            raise _LeftError from None

    def resized(self, x: Instruction) -> None:
        """Make an array of what another one held; that one is gone."""
        array, *sizes = x.args
        assert isinstance(array, Variable)
        old, new = self.values.pop(array), self.room(x, sizes)
        kept = min(old.size, new.size)
        new.reshape(-1)[:kept] = old.reshape(-1)[:kept]
        self.values[x.results[0]] = new

    def drawn(self, x: Instruction) -> None:
        """A random number of NumPy's."""
        address, *given = (self.value(y).item() for y in x.args)
        kinds: Any = {int: ctypes.c_int64, float: ctypes.c_double}
        dtype = kind_of(x.results[0])
        types = [kinds[type(y)] for y in (dtype.type(0).item(), *given)]
        self.values[x.results[0]] = dtype.type(ctypes.CFUNCTYPE(*types)(address)(*given))

    def load(self, x: Instruction) -> None:
        """Read an element."""
        array, places = self.element(x)
        self.values[x.results[0]] = array[places]

    def store(self, x: Instruction) -> None:
        """Write an element."""
        array, places = self.element(x)
        array[places] = self.value(x.args[1])

    def size(self, x: Instruction) -> None:
        """The size of an axis."""
        self.values[x.results[0]] = np.int64(self.value(x.args[0]).shape[x.attrs["axis"]])

    def inner(self, x: Instruction) -> None:
        """An inner loop of NumPy's: a product, a row added to a number, a function of elements."""
        steps, given, operands = x.attrs["steps"], [*map(self.value, x.args)], []
        for _ in range(1 + max(k for k, _, _ in steps)):
            array, *given = given
            operands.append((array, [*map(int, given[: array.ndim])]))
            given = given[array.ndim :]
        counts = [*map(int, given)]
        with np.errstate(all="ignore") if x.attrs["quiet"] else nullcontext():
            _inner(getattr(np, x.attrs["ufunc"]), steps, operands, counts)

    # Control flow.

    def if_(self, x: Instruction) -> None:
        """Run one of two blocks."""
        found = self.block(x.blocks[0 if self.value(x.args[0]) else 1])
        self.values.update(zip(x.results, found, strict=True))

    def while_(self, x: Instruction) -> None:
        """Make rounds as long as the test says so."""
        state, (test, body) = [*map(self.value, x.args)], x.blocks
        rounds, ask = 0, np.all if x.attrs.get("all") else np.any
        while all(map(ask, self.block(test, state))):
            state = self.block(body, state)
            self.look(x, state)
            rounds += 1
        if rounds < x.attrs.get("least", 0):
            raise _LeftError
        self.values.update(zip(x.results, state, strict=True))

    def for_(self, x: Instruction) -> None:
        """Make so many rounds."""
        count, *state = map(self.value, x.args)
        for k in range(int(count)):
            state = self.block(x.blocks[0], [np.int64(k), *state])
            self.look(x, state)
        self.values.update(zip(x.results, state, strict=True))

    def call(self, x: Instruction) -> None:
        """Run a function: it sees its parameters."""
        functions = self.functions
        self.functions = {**functions, x.attrs["function"]: x.blocks[0]}
        self.call_again(x)
        self.functions = functions

    def call_again(self, x: Instruction) -> None:
        """Run the function once more; leave the kernel where calls are too deep."""
        given, outside = [*map(self.value, x.args)], self.values
        self.values, self.depth = {}, self.depth + 1
        if self.depth > DEEPEST:
            raise _LeftError
        found = self.block(self.functions[x.attrs["function"]], given)
        self.values, self.depth = outside, self.depth - 1
        self.values.update(zip(x.results, found, strict=True))

    def look(self, x: Instruction, state: Sequence[Value]) -> None:
        """Leave the kernel when a counter is large."""
        if any(abs(int(state[k])) > SMALL for k in x.attrs.get("counters", ())):
            raise _LeftError

    # Rows.

    def reduce(self, x: Instruction) -> None:
        """One number of each row, by a ufunc."""
        elements = np.ascontiguousarray(np.broadcast_to(self.value(x.args[0]), self.space))
        ufunc, dtype = getattr(np, x.attrs["ufunc"]), kind_of(x.results[0])
        if ufunc.identity is None and not elements.size:
            raise _LeftError
        found = ufunc.reduce(elements, axis=self.axes, keepdims=True, dtype=dtype)
        self.values[x.results[0]] = found

    def columns(self, x: Instruction) -> None:
        """The length of a row."""
        length = math.prod(self.space[k] for k in self.axes)
        self.values[x.results[0]] = kind_of(x.results[0]).type(length)

    def index(self, x: Instruction) -> None:
        """The number of an element in its row."""
        self.values[x.results[0]] = np.arange(self.space[-1], dtype=kind_of(x.results[0]))


def _inner(
    ufunc: np.ufunc,
    steps: Sequence[tuple[int, int, int]],
    operands: Sequence[tuple[Any, Sequence[int]]],
    counts: Sequence[int],
) -> None:
    """Do what an inner loop does: `counts` are those of a product's axes, or of elements."""

    def part(k: int, *axes: tuple[int, int]) -> Any:
        """Return elements of an operand: for each axis a step by its number, and a count."""
        (array, start) = operands[k]
        strides = [
            step * array.strides[axis] for _, axis, step in (steps[number] for number, _ in axes)
        ]
        shape = [count for _, count in axes]
        first = array[tuple(slice(n, None) for n in start)] if 0 not in shape else array
        return np.lib.stride_tricks.as_strided(first, shape, strides)

    if ufunc is np.matmul:
        _, m, n, p = counts
        x, y, found = part(0, (3, m), (4, n)), part(1, (5, n), (6, p)), part(2, (7, m), (8, p))
        found[...] = x @ y
    elif steps[-1][2]:  # element by element
        *given, found = (part(k, (k, counts[0])) for k in range(len(operands)))
        found[...] = ufunc(*given)
    elif counts[0]:
        total, row = part(0, (0, 1)), part(1, (1, counts[0]))
        total[...] = ufunc(total, ufunc.reduce(row)) if row.size else total


_STRUCTURED: Mapping[str, Callable[[_Machine, Instruction], None]] = {
    "stop": _Machine.stop,
    "overflow": _Machine.overflow,
    "place": _Machine.place,
    "array": _Machine.array,
    "resized": _Machine.resized,
    "drawn": _Machine.drawn,
    "load": _Machine.load,
    **dict.fromkeys(("load_if", "store_if"), lambda machine, x: machine.if_(as_branch(x))),
    "store": _Machine.store,
    "size": _Machine.size,
    "inner": _Machine.inner,
    "if": _Machine.if_,
    "while": _Machine.while_,
    "for": _Machine.for_,
    "call": _Machine.call,
    "call_again": _Machine.call_again,
    "reduce": _Machine.reduce,
    "columns": _Machine.columns,
    "index": _Machine.index,
}
