"""The kernel language: typed scalar arithmetic, structured control flow, elements of arrays.

    kernel  = "kernel" name "(" params ")" block
    block   = "{" ["(" params ")"] instruction* "yield" [operand ("," operand)*] "}"
    params  = [value ":" type ("," value ":" type)*]
    instruction = [results "="] op "(" [operand ("," operand)*] attributes ")" block*
    operand = value | literal ":" type
    type    = "bool" | "i8" | ... | "f64" | "c64" | "c128" | dtype "[" size ("," size)* "]"
    size    = integer | "_"                            ("_" is known at run time)

Instructions are those of a machine, a row each in `table`; what Python or NumPy mean by an operator
is spelled out in them (`scalars`). `verify` checks a kernel, `interpret` says what it means. Those
that decide:

    stop(test)             leave the kernel when the test is true: it has no result then, and who
                           called it computes without it
    overflow(test, wraps)  an integer overflow, when the test is true: NumPy's, which wrap, are
                           reported at the end; others leave the kernel
    if(test) block block   the results are what the chosen block yields (`rare`: the test waits for
                           what the first block gave before, so it is foreseen, not waited for)
    while(...) block block the first block yields whether to go on, the second the next state
    for(count, ...) block  the block takes the number of the round, then the state
                           (`counters`: which parts of the state of a loop are counters, that
                           start small and are looked at now and then, instead of each round)
    call(...) block        a function, which is the block: it sees nothing but its parameters
    call_again(...)        a call of the function in whose block this stands, by its name
                           (`function`: the name; `kept`: for each result that is an array, which
                           of the operands it is, as written there; None for numbers); leaves
                           the kernel where calls are deeper than Python's may be
    place(index, size)     an index as it counts from the start; leaves the kernel when it is out of
                           range (`natural`: it is known not to be negative)
    array(...)             a new array, by its sizes; nothing outside of the block sees it
                           (`is_leaving`); leaves the kernel when there is no memory for it
                           (`zeros`: whether it is filled with them, or holds anything)
    resized(array, ...)    an array of the kernel's own with other sizes: what it held is in front,
                           in the order of its memory; the old one is not used any more
    load(array, ...), store(array, value, ...)     elements, by indices that are in range
                           (`anyway`: also where the branch is not taken that it stands in)
    load_if(array, test, other, ...), store_if(array, test, value, ...)     elements, by indices
                           that are in range, if the test is true; else the other number, or nothing
    inner(array, index, ..., count, ...)     an inner loop of NumPy's, for elements of arrays
                           (`steps`: for each step that it takes, which operand, along which of its
                           axes, and how far; `quiet`: nobody hears what floats have to report)
    drawn(function, state, ...)    a random number: what a function of NumPy's at an address gives
                           for the state at another one
    beyond(x, limit)       whether an integer is less than -limit or greater than limit
    complex(re, im), real(z), imag(z)              a complex number of two floats, and these: all
                           arithmetic is on floats

Blocks see the values around them. A kernel changes only its own arrays, and those that it was given
to write into.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import count
from typing import Any

import numpy as np

from runtime.dtypes import DType, short_name
from runtime.kernels.instructions import TABLE, Trait, having
from runtime.kernels.target import Target

BOOL, INT, FLOAT = np.dtype(bool), np.dtype(np.int64), np.dtype(np.float64)
COMPLEX = np.dtype(np.complex128)
SMALL = 2**61
"""Counters of loops that are below this size do not overflow before they are looked at again."""


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array of elements; sizes that are None are known at run time."""

    dtype: DType
    shape: tuple[int | None, ...]

    def __str__(self) -> str:
        sizes = ("_" if n is None else str(n) for n in self.shape)
        return f"{short_name(self.dtype)}[{', '.join(sizes)}]"


Type = DType | ArrayType


class Policy(Enum):
    """Whose arithmetic it is."""

    PYTHON = "Python's numbers"
    SCALAR = "NumPy's scalars"
    ELEMENT = "elements of arrays"


class UnsupportedError(Exception):
    """There is no kernel for something; says what."""


class Variable:
    """A value of a kernel, compared by identity."""

    __slots__ = ("type",)

    def __init__(self, type: Type) -> None:
        self.type = type


@dataclass(frozen=True, slots=True)
class Literal:
    """A number that is written out."""

    type: DType
    value: Any


Operand = Variable | Literal


def kind_of(x: Operand) -> DType:
    """Return the dtype of a number."""
    if not isinstance(x.type, np.dtype):
        raise UnsupportedError("arithmetic on whole arrays")
    return x.type


def part_of(dtype: DType) -> DType:
    """Return the dtype of the parts of a complex number.

    >>> part_of(np.dtype(np.complex64))
    dtype('float32')
    """
    return np.dtype(f"f{dtype.itemsize // 2}")


@dataclass(frozen=True, slots=True, eq=False)
class Instruction:
    """One step; see the grammar of this module."""

    op: str
    args: tuple[Operand, ...]
    results: tuple[Variable, ...] = ()
    attrs: Mapping[str, Any] = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Instructions with parameters, and what they yield."""

    params: tuple[Variable, ...]
    instructions: tuple[Instruction, ...]
    results: tuple[Operand, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Port:
    """How a value enters or leaves a kernel.

    Args:
        type: of the value inside.
        weak: whether it is a Python scalar outside.
        written: whether an array is copied before, so that the kernel may write into the copy.
        in_place: whether an array is written where it is; it then shares no memory with others.
        shifts: for each axis by how much the elements are moved on, as `numpy.roll` does.
        places: the number of the argument that says which parts of an array are read.
        drawn: the sizes of the space, where random numbers are made of an array that is their key.
        spread: whether a number enters as an array, all of whose elements are that number.
        whole: whether an array is there as a whole for each element, to be read by indices.
        column: of an array with one axis more, what is read: which element of that, of how many.
        stream: whether a generator of NumPy's enters, as an array with the address of its state.
    """

    type: Type
    weak: bool = False
    written: bool = False
    in_place: bool = False
    shifts: tuple[int, ...] = ()
    places: int | None = None
    drawn: tuple[int, ...] = ()
    spread: bool = False
    whole: bool = False
    column: tuple[int, int] | None = None
    stream: bool = False

    def __str__(self) -> str:
        return type_name(self.type)


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """A kernel with its ports: one for each parameter and result of its body.

    Args:
        name: for people.
        body: what it does.
        inputs: how its parameters enter.
        outputs: how its results leave.
        constants: arrays and generators that it is given for its last parameters.
        waits: whether it is compiled only when NumPy has taken as long for what it stands for.
        target: what it is for.
    """

    name: str
    body: Block
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    constants: tuple[Any, ...] = ()
    waits: bool = False
    target: Target = field(kw_only=True)

    def __str__(self) -> str:
        return "\n".join(Printer().kernel(self))


def instructions(block: Block) -> Iterator[Instruction]:
    """Yield every instruction of a block, those of inner blocks included."""
    for instruction in block.instructions:
        yield instruction
        for inner in instruction.blocks:
            yield from instructions(inner)


_LOOPS, _SPECULATABLE = having(Trait.REPEATS), having(Trait.SPECULATABLE)
_FUNCTIONS = having(Trait.FUNCTION)


def is_loop(x: Instruction) -> bool:
    """Tell whether an instruction is a loop."""
    return x.op in _LOOPS


def is_call(x: Instruction) -> bool:
    """Tell whether an instruction calls a function of the kernel."""
    return x.op in _FUNCTIONS


def calls_of(x: Instruction) -> list[Instruction]:
    """Return the calls of a function by itself."""
    name, steps = x.attrs["function"], [y for block in x.blocks for y in instructions(block)]
    return [y for y in steps if y.op == "call_again" and y.attrs["function"] == name]


def indices_of(x: Instruction) -> tuple[Operand, ...]:
    """Return the indices of an instruction that meets an element."""
    return x.args[len(TABLE[x.op].operands) - 1 :]


def as_branch(x: Instruction) -> Instruction:
    """Return the branch that `load_if` or `store_if` stands for."""
    array, test, value, *places = x.args
    read = tuple(Variable(y.type) for y in x.results)
    given, other = ((), (value,)) if read else ((value,), ())
    step = Instruction(x.op.removesuffix("_if"), (array, *given, *places), read)
    arms = Block((), (step,), read), Block((), (), other)
    return Instruction("if", (test,), x.results, {}, arms)


MOST_COMPUTED = 12
"""How many instructions of each arm of a branch are computed whichever is taken."""


def is_short(block: Block) -> bool:
    """Tell whether a block may be computed for nothing: few steps, none of them on floats."""
    if len(block.instructions) > MOST_COMPUTED or not all(map(_is_number, block.results)):
        return False
    return all(
        x.op in _SPECULATABLE and all(kind_of(y).kind not in "fc" for y in (*x.args, *x.results))
        for x in block.instructions
    )


def _is_number(x: Operand) -> bool:
    return not isinstance(x.type, ArrayType)


def fits(found: Type, wanted: Type) -> bool:
    """Tell whether a value may be one of another type, with sizes that are known later."""
    if not isinstance(found, ArrayType) or not isinstance(wanted, ArrayType):
        return found == wanted
    pairs = zip(found.shape, wanted.shape, strict=False)
    alike = found.dtype == wanted.dtype and len(found.shape) == len(wanted.shape)
    return alike and all(b is None or a == b for a, b in pairs)


def type_name(type: Type) -> str:
    """Return the name of a type in printed kernels."""
    return str(type) if isinstance(type, ArrayType) else short_name(type)


class Printer:
    """Numbers variables in the order in which they are met."""

    def __init__(self) -> None:
        self.names: dict[Variable, str] = {}
        self.numbers = count()

    def kernel(self, kernel: Kernel) -> Iterator[str]:
        """Yield the lines of a kernel."""
        body = kernel.body
        params = ", ".join(
            self.typed(x) + ("!" if port.written else "&" if port.in_place else "")
            for x, port in zip(body.params, kernel.inputs, strict=True)
        )
        yield f"kernel {kernel.name}({params}) {{"
        yield from self.lines(body)
        yield "}"

    def block(self, block: Block) -> Iterator[str]:
        """Yield the lines of a block with its parameters."""
        if block.params:
            yield f"  ({', '.join(map(self.typed, block.params))})"
        yield from self.lines(block)

    def lines(self, block: Block) -> Iterator[str]:
        """Yield the lines of the instructions of a block."""
        for instruction in block.instructions:
            for line in self.instruction(instruction):
                yield f"  {line}"
        yield f"  yield {self.operands(block.results)}".rstrip()

    def instruction(self, x: Instruction) -> Iterator[str]:
        """Yield the lines of an instruction."""
        args = [
            *map(self.operand, x.args),
            *(f"{name}={value}" for name, value in x.attrs.items()),
        ]
        text = f"{x.op}({', '.join(args)})"
        if x.results:
            text = f"{', '.join(map(self.typed, x.results))} = {text}"
        if not x.blocks:
            yield text
            return
        yield text + " {"
        for number, block in enumerate(x.blocks):
            if number:
                yield "} {"
            yield from self.block(block)
        yield "}"

    def operands(self, operands: Sequence[Operand]) -> str:
        """Return the text of operands."""
        return ", ".join(map(self.operand, operands))

    def operand(self, operand: Operand) -> str:
        """Return the text of an operand."""
        if isinstance(operand, Literal):
            return f"{operand.value}: {type_name(operand.type)}"
        return self.name(operand)

    def name(self, variable: Variable) -> str:
        """Return the name of a variable."""
        if variable not in self.names:
            self.names[variable] = f"%{next(self.numbers)}"
        return self.names[variable]

    def typed(self, variable: Variable) -> str:
        """Return a variable with its type."""
        return f"{self.name(variable)}: {type_name(variable.type)}"
