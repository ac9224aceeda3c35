"""The instructions of the kernel languages: a row for each name says all that holds for it.

Comes in: nothing. Goes out: `TABLE`, which has the types of operands and results, and the sets of
instructions that building, improving and printing kernels goes by (`having`).

A signature names types of operands and results:

    T       a number of one of the row's kinds, the same throughout
    U       a number of any dtype
    bool    a truth value
    i64     an integer of 64 bits
    A E     an array, and a number of the dtype of its elements
    ...     as many more as it likes: indices after an array, else whatever `verify` says of it
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Flag, auto


class Trait(Flag):
    """What may hold for an instruction."""

    NONE = 0
    SPECULATABLE = auto()
    """It may be computed for nothing; an overflow then ends the kernel without need, but rarely."""
    SIDE_BY_SIDE = auto()
    """Rounds of a loop may compute it side by side, in vectors."""
    CHEAP = auto()
    """To compute it again costs less than to keep its result in memory."""
    AFFINE = auto()
    """A sum or an order of integers: what is known of its operands tells all of its result."""
    CHECKED = auto()
    """Integer arithmetic with a second result: whether it overflowed."""
    TRAPS = auto()
    """Processors end the program for some operands."""
    TESTS = auto()
    """It leaves the kernel, or notes something, where its operand is true; nothing else."""
    ELEMENT = auto()
    """It reads or writes an element of an array."""
    CALLS_C = auto()
    """It is a call of a function written in C, which may change the processor's flags."""
    BLOCKS = auto()
    """It takes numbers from memory for a whole block of elements, or a row."""
    REPEATS = auto()
    """It is a loop."""
    FUNCTION = auto()
    """It is a call of a function of the kernel."""


@dataclass(frozen=True, slots=True)
class Row:
    """What holds for all instructions of a name.

    Args:
        name: of the instruction.
        operands: their types, in the language of this module.
        results: the types of its results.
        kinds: what numbers of type T may be, by the kinds of their dtypes.
        traits: what else holds.
        attrs: the names of attributes that it has to have.
        blocks: how many blocks it has.
        maps: whether it is one of kernels over arrays only.
    """

    name: str
    operands: tuple[str, ...]
    results: tuple[str, ...]
    kinds: str = "biuf"
    traits: Trait = Trait.NONE
    attrs: tuple[str, ...] = ()
    blocks: int = 0
    maps: bool = False


_N, _S, _L, _C = Trait.NONE, Trait.SPECULATABLE, Trait.SIDE_BY_SIDE, Trait.CHEAP
_FREE = _S | _L | _C


def _rows(
    names: str,
    types: str,
    kinds: str = "biuf",
    traits: Trait = _N,
    attrs: str = "",
    blocks: int = 0,
    maps: bool = False,
) -> Iterator[Row]:
    """Yield a row for each of some names."""
    operands, results = (tuple(side.split()) for side in types.split("->"))
    for name in names.split():
        yield Row(name, operands, results, kinds, traits, tuple(attrs.split()), blocks, maps)


def _of_numbers() -> Iterator[Row]:
    # Integers; those of the machine, which wrap.
    yield from _rows("add sub", "T T -> T", "iu", _FREE | Trait.AFFINE)
    yield from _rows("mul", "T T -> T", "iu", _FREE)
    checked = _S | _L | Trait.CHECKED
    yield from _rows("add_overflow sub_overflow", "T T -> T bool", "iu", checked | Trait.AFFINE)
    yield from _rows("mul_overflow", "T T -> T bool", "iu", _S | Trait.CHECKED)
    yield from _rows("sdiv srem", "T T -> T", "i", Trait.TRAPS)
    yield from _rows("udiv urem", "T T -> T", "u", Trait.TRAPS)
    yield from _rows("and or xor", "T T -> T", "biu", _FREE)
    yield from _rows("not", "T -> T", "b", _FREE)
    yield from _rows("shl", "T T -> T", "iu", _S | _L)
    yield from _rows("ashr", "T T -> T", "i", _S | _L)
    yield from _rows("lshr", "T T -> T", "u", _S | _L)
    yield from _rows("ult ule", "T T -> bool", "iu", _S | _L)
    yield from _rows("beyond", "T T -> bool", "i", _S)
    # Numbers of all kinds.
    yield from _rows("eq ne", "T T -> bool", traits=_FREE)
    yield from _rows("lt le", "T T -> bool", traits=_FREE | Trait.AFFINE)
    yield from _rows("select", "bool T T -> T", traits=_FREE)
    yield from _rows("laid", "T ... -> T", traits=_FREE)
    yield from _rows("convert", "U -> T", "iuf", _FREE)
    yield from _rows("bits", "U -> T", "if", _S | _L)
    # Floats, rounded to the nearest.
    yield from _rows("fadd fsub fmul", "T T -> T", "f", _FREE)
    yield from _rows("fneg fabs", "T -> T", "f", _FREE)
    yield from _rows("fma", "T T T -> T", "f", _S | _C)
    yield from _rows("fdiv copysign", "T T -> T", "f", _S | _L)
    yield from _rows("fsqrt floor ceil trunc rint", "T -> T", "f", _S | _L)
    yield from _rows("scale", "T T -> T", "f", _S, maps=True)
    # Complex numbers; U is one of them, T its parts.
    yield from _rows("complex", "T T -> U", "f", _S | _C)
    yield from _rows("real imag", "U -> T", "fc", _S | _C)


def _of_all_else() -> Iterator[Row]:
    # Functions from elsewhere.
    yield from _rows("c_call", "... -> T", "f", Trait.CALLS_C, attrs="name")
    called = Trait.CALLS_C | Trait.BLOCKS
    yield from _rows("loop", "... -> T", traits=called, attrs="ufunc types")
    yield from _rows("drawn", "i64 i64 ... -> T", "if", Trait.CALLS_C)
    yield from _rows("vector", "T -> T", "f", attrs="name", maps=True)
    # What leaves a kernel.
    yield from _rows("stop", "bool ->", traits=Trait.TESTS)
    yield from _rows("overflow", "bool ->", traits=_S | Trait.TESTS, attrs="wraps")
    # Arrays.
    yield from _rows("array", "i64 ... -> A", attrs="zeros")
    yield from _rows("resized", "A i64 ... -> A")
    yield from _rows("size", "A -> i64", traits=_L, attrs="axis")
    yield from _rows("place", "i64 i64 -> i64", attrs="natural")
    yield from _rows("inner", "... ->", traits=Trait.CALLS_C, attrs="ufunc types steps quiet")
    yield from _rows("load", "A ... -> E", "biufc", Trait.ELEMENT)
    yield from _rows("load_if", "A bool E ... -> E", "biuf", Trait.ELEMENT)
    yield from _rows("store", "A E ... ->", "biufc", Trait.ELEMENT)
    yield from _rows("store_if", "A bool E ... ->", "biuf", Trait.ELEMENT)
    # Rows of kernels over arrays.
    yield from _rows("index", "-> T", "i", _C, maps=True)
    yield from _rows("columns", "-> T", "f", maps=True)
    reduced = "ufunc types initial"
    yield from _rows("reduce", "T -> T", "biufc", Trait.BLOCKS, reduced, maps=True)
    # Control flow.
    yield from _rows("if", "bool -> ...", blocks=2)
    loop = Trait.REPEATS | Trait.BLOCKS
    yield from _rows("while", "... -> ...", traits=loop, blocks=2)
    yield from _rows("for", "i64 ... -> ...", traits=loop, attrs="counters", blocks=1)
    own = "function kept"
    yield from _rows("call", "... -> ...", traits=Trait.FUNCTION, attrs=own, blocks=1)
    yield from _rows("call_again", "... -> ...", traits=Trait.FUNCTION, attrs=own)


TABLE = {row.name: row for row in (*_of_numbers(), *_of_all_else())}
"""All instructions, by their names."""


def having(trait: Trait) -> frozenset[str]:
    """Return the names of the instructions that have all parts of a trait.

    >>> sorted(having(Trait.TRAPS))
    ['sdiv', 'srem', 'udiv', 'urem']
    """
    return frozenset(name for name, row in TABLE.items() if trait in row.traits)
