"""What operators mean for single numbers, in the instructions of kernels.

Comes in: calls of the methods of `Scalars`, by the `scalar` fields of ops. Goes out: instructions.
It knows nothing of graphs, nor of the machine.

The same operator means different things for Python's numbers, for NumPy's scalars and for elements
of arrays: a Python int never overflows, a NumPy scalar wraps and warns, an element wraps silently.
What cannot be said in machine arithmetic, or would raise, leaves the kernel (`stop`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.dtypes import DType
from runtime.kernels.instructions import TABLE
from runtime.kernels.kernel import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    SMALL,
    Block,
    Instruction,
    Literal,
    Operand,
    Policy,
    Type,
    UnsupportedError,
    Variable,
    is_short,
    kind_of,
    part_of,
)
from runtime.kernels.scalar import (
    called,
    complexes,
    conversions,
    division,
    powers,
    python_maths,
    row_reductions,
    selection,
    shifts,
)
from runtime.kernels.scalar.complexes import is_complex
from runtime.kernels.target import Target

LARGEST_STEP = 2**30
"""What counters count by, at most, so that they do not overflow between two looks at them."""


class Scalars:  # Long: the vocabulary of rules of scalars, a few lines an instruction.
    """Writes instructions. Operands of a method have one dtype, unless it says otherwise.

    Args:
        target: what the kernel is for.
        fast: whether results may differ from NumPy's in their last digits.
    """

    def __init__(self, target: Target, fast: bool = False) -> None:
        self.target = target
        self.fast = fast
        self.policy = Policy.PYTHON
        self._blocks: list[list[Instruction]] = [[]]
        self.uniform: set[Operand] = set()
        self._natural: set[Operand] = set()
        self.roomy: set[Operand] = set()
        self.pairs: dict[Operand, complexes.Parts] = {}

    def emit(self, op: str, args: Sequence[Operand], *types: Type, **attrs: object) -> Variable:
        """Append an instruction, and return its first result."""
        if "c" not in TABLE[op].kinds and any(map(complexes.is_complex, args)):
            raise UnsupportedError(f"the instruction {op} on complex numbers")
        results = tuple(map(Variable, types)) or (Variable(BOOL),)
        self._blocks[-1].append(Instruction(op, tuple(args), results if types else (), attrs))
        return results[0]

    def choice(
        self, test: Operand, types: Sequence[Type], arms: Sequence[Block]
    ) -> Sequence[Operand]:
        """Append a choice between two blocks: by computing both, where they are short."""
        if not all(map(is_short, arms)):
            return self.structured("if", [test], types, arms)
        for arm in arms:
            self._blocks[-1] += arm.instructions
        return [self.select(test, x, y) for x, y in zip(*(a.results for a in arms), strict=True)]

    def structured(
        self,
        op: str,
        args: Sequence[Operand],
        types: Sequence[Type],
        blocks: Sequence[Block],
        **attrs: object,
    ) -> tuple[Variable, ...]:
        """Append an instruction with blocks, and return its results."""
        results = tuple(map(Variable, types))
        self._blocks[-1].append(Instruction(op, tuple(args), results, attrs, tuple(blocks)))
        return results

    def block(self, params: Sequence[Variable], write: Callable[[], Sequence[Operand]]) -> Block:
        """Return the block of the instructions that `write` appends, with the results it gives."""
        self._blocks.append([])
        results = tuple(write())
        return Block(tuple(params), tuple(self._blocks.pop()), results)

    def stop_if(self, test: Operand) -> None:
        """Leave the kernel when a test is true."""
        if not isinstance(test, Literal) or test.value:
            self.emit("stop", [test])

    def stop_unless_small(self, x: Operand) -> None:
        """Leave the kernel when an integer is so large that counting may make it overflow."""
        if isinstance(x, Literal):
            self.stop_if(Literal(BOOL, abs(x.value) > SMALL))
            return
        self.stop_if(self.emit("beyond", [x, self.like(SMALL, x)], BOOL))

    def literal(self, value: Any, dtype: DType) -> Literal:
        """Return a number as an operand; UnsupportedError when the dtype does not hold it."""
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            if not info.min <= value <= info.max:
                raise UnsupportedError(f"the number {value} in {dtype}")
            return Literal(dtype, int(value))
        if dtype.kind == "b":
            return Literal(dtype, bool(value))
        if dtype.kind == "c":
            re, im = (self.literal(x, part_of(dtype)) for x in (value.real, value.imag))
            return Literal(dtype, complex(re.value, im.value))
        with np.errstate(all="ignore"):  # the program warns when it runs
            held = float(value) if dtype == FLOAT else float(np.float32(value))
        if math.isinf(held) and not math.isinf(value):
            raise UnsupportedError(f"the number {value} in {dtype}")
        return Literal(dtype, held)

    def like(self, value: float, x: Operand) -> Literal:
        """Return a number of the dtype of another operand."""
        return self.literal(value, kind_of(x))

    # Arithmetic.

    def add(self, x: Operand, y: Operand) -> Operand:
        """x + y."""
        return self._sum("add", x, y)

    def subtract(self, x: Operand, y: Operand) -> Operand:
        """x - y."""
        return self._sum("sub", x, y)

    def multiply(self, x: Operand, y: Operand) -> Operand:
        """x * y."""
        return complexes.multiply(self, x, y) if is_complex(x) else self._sum("mul", x, y)

    def _sum(self, op: str, x: Operand, y: Operand) -> Operand:
        dtype = kind_of(x)
        if dtype.kind == "c":
            return complexes.each(self, f"f{op}", x, y)
        if dtype.kind == "f":
            return self.emit(f"f{op}", [x, y], dtype)
        if dtype.kind == "b":  # a sum tells whether either is true, a product whether both are
            if self.policy is not Policy.ELEMENT or op == "sub":
                raise UnsupportedError("arithmetic on numpy.bool")
            return self.bitwise("or" if op == "add" else "and", x, y)
        lowers = self.policy is Policy.PYTHON and op == "sub" and self.is_natural(x, y)
        if self.policy is Policy.ELEMENT or lowers or (op != "mul" and self._has_room(x, y)):
            return self.emit(op, [x, y], dtype)
        if op == "mul" and dtype.kind == "i" and (isinstance(x, Literal) or isinstance(y, Literal)):
            return powers.times(self, *((y, x) if isinstance(x, Literal) else (x, y)))
        found = self.emit(f"{op}_overflow", [x, y], dtype, BOOL)
        self.overflow_if(self._blocks[-1][-1].results[1])
        if op != "sub" and self.policy is Policy.PYTHON and self.is_natural(x, y):
            self.mark_natural(found)
        return found

    def mark_natural(self, x: Operand) -> None:
        """Remember that an integer is not negative."""
        self._natural.add(x)

    def is_natural(self, *operands: Operand) -> bool:
        """Tell whether integers are known not to be negative."""
        return all(x.value >= 0 if isinstance(x, Literal) else x in self._natural for x in operands)

    def _has_room(self, x: Operand, y: Operand) -> bool:
        """Tell whether adding one number to another, or taking it off, cannot overflow."""
        return x in self.roomy and isinstance(y, Literal) and abs(y.value) <= powers.ROOM

    def overflow_if(self, test: Operand) -> None:
        """Say what an integer overflow means when a test is true."""
        if self.policy is not Policy.ELEMENT:
            self.emit("overflow", [test], wraps=self.policy is Policy.SCALAR)

    def divide(self, x: Operand, y: Operand) -> Operand:
        """x / y, of floats or complex numbers; of Python's integers, too."""
        if is_complex(x):
            return complexes.divide(self, x, y)
        if self.policy is Policy.PYTHON:
            self.stop_if(self.equal(y, self.like(0, y)))
        if kind_of(x).kind == "i":
            x, y = self.exact_float(x), self.exact_float(y)
        return self.emit("fdiv", [x, y], kind_of(x))

    def negative(self, x: Operand) -> Operand:
        """-x."""
        if is_complex(x):
            return complexes.each(self, "fneg", x)
        if kind_of(x).kind == "f":
            return self.emit("fneg", [x], kind_of(x))
        return self.subtract(self.like(0, x), x)

    def absolute(self, x: Operand) -> Operand:
        """abs(x)."""
        dtype = kind_of(x)
        if dtype.kind == "c":
            return complexes.absolute(self, x)
        if dtype.kind == "f":
            return self.emit("fabs", [x], dtype)
        if dtype.kind != "i":
            return x
        self.overflow_if(self.equal(x, self.like(np.iinfo(dtype).min, x)))
        opposite = self.emit("sub", [self.like(0, x), x], dtype)
        return self.select(self.less(x, self.like(0, x)), opposite, x)

    def sqrt(self, x: Operand) -> Operand:
        """The square root of a float."""
        return self.emit("fsqrt", [x], kind_of(x))

    def rounded(self, op: str, x: Operand) -> Operand:
        """A number as a whole one, by `floor`, `ceil`, `trunc` or `rint`."""
        if kind_of(x).kind != "f":
            return self.loop(getattr(np, op), x)
        return self.emit(op, [x], kind_of(x))

    # Bits.

    def bitwise(self, op: str, x: Operand, y: Operand) -> Operand:
        """x & y, x | y or x ^ y, by the names `and`, `or`, `xor`."""
        return self.emit(op, [x, y], kind_of(x))

    def invert(self, x: Operand) -> Operand:
        """~x."""
        if kind_of(x).kind == "b":
            return self.emit("not", [x], BOOL)
        ones = -1 if kind_of(x).kind == "i" else int(np.iinfo(kind_of(x)).max)
        return self.emit("xor", [x, self.like(ones, x)], kind_of(x))

    # Tests.

    def equal(self, x: Operand, y: Operand) -> Operand:
        """x == y."""
        return self._compare("eq", x, y)

    def not_equal(self, x: Operand, y: Operand) -> Operand:
        """x != y."""
        return self._compare("ne", x, y)

    def less(self, x: Operand, y: Operand) -> Operand:
        """x < y."""
        return self._compare("lt", x, y)

    def less_equal(self, x: Operand, y: Operand) -> Operand:
        """x <= y."""
        return self._compare("le", x, y)

    def greater(self, x: Operand, y: Operand) -> Operand:
        """x > y."""
        return self._compare("lt", y, x)

    def greater_equal(self, x: Operand, y: Operand) -> Operand:
        """x >= y."""
        return self._compare("le", y, x)

    def _compare(self, op: str, x: Operand, y: Operand) -> Operand:
        if is_complex(x):
            return complexes.compare(self, op, x, y)
        if isinstance(x, Literal) and isinstance(y, Literal):
            found = {"eq": x.value == y.value, "ne": x.value != y.value,
                     "lt": x.value < y.value, "le": x.value <= y.value}[op]  # fmt: skip
            return Literal(BOOL, found)
        return self.emit(op, [x, y], BOOL)

    def both(self, x: Operand, y: Operand) -> Operand:
        """Whether two tests are true."""
        return self.emit("and", [x, y], BOOL)

    def is_nan(self, x: Operand) -> Operand:
        """Whether a number is NaN."""
        if kind_of(x).kind != "f":
            return self.loop(np.isnan, x)
        return self.not_equal(x, x)

    def is_finite(self, x: Operand) -> Operand:
        """Whether a float is neither infinite nor NaN."""
        size = self.emit("fabs", [x], kind_of(x))
        return self.less(size, Literal(kind_of(x), math.inf))

    def truth(self, x: Operand) -> Operand:
        """bool(x)."""
        return x if kind_of(x).kind == "b" else self.not_equal(x, self.like(0, x))

    def not_(self, x: Operand) -> Operand:
        """not x."""
        return self.emit("not", [self.truth(x)], BOOL)

    def select(self, test: Operand, x: Operand, y: Operand) -> Operand:
        """x if the test is true, else y."""
        if is_complex(x):
            return complexes.select(self, test, x, y)
        if y in (test, Literal(BOOL, False)):
            return self.both(test, x)
        if x is test:
            return self.emit("or", [test, y], BOOL)
        return self.emit("select", [test, x, y], kind_of(x))

    def in_order_of(self, x: Operand, *like: Operand) -> Operand:
        """x, an element of an array in the order of that of which `like` is one, or in rows."""
        return self.emit("laid", [x, *like], kind_of(x))

    # Other dtypes.

    def convert(self, x: Operand, dtype: DType) -> Operand:
        """Return a number in another dtype, as a machine converts it."""
        if kind_of(x) == dtype:
            return x
        if dtype.kind not in "biufc" or dtype == np.float16:
            raise UnsupportedError(f"numbers of {dtype}")
        if dtype.kind == "b":
            return self.truth(x)
        if dtype.kind != "c" and is_complex(x):
            raise UnsupportedError(f"complex numbers as {dtype}")
        if isinstance(x, Literal):
            return self.literal(x.value, dtype)
        if dtype.kind == "c":
            return complexes.convert(self, x, dtype)
        return self.emit("convert", [x], dtype)

    def cast(self, x: Operand, dtype: DType) -> Operand:
        """Return a number in another dtype where that needs no warning, as `astype` does."""
        if kind_of(x).kind == "f" and dtype.kind in "iu":
            return self.truncate(x, dtype)
        return self.fit(x, dtype) if self.policy is Policy.PYTHON else self.convert(x, dtype)

    def to_int(self, x: Operand) -> Operand:
        """int(x)."""
        if kind_of(x).kind == "f":
            return self.truncate(x, INT)
        if kind_of(x) == np.uint64:
            found = self.convert(x, INT)
            self.stop_if(self.less(found, self.literal(0, INT)))
            return found
        return self.convert(x, INT)

    def to_float(self, x: Operand) -> Operand:
        """float(x)."""
        return self.convert(x, FLOAT)

    def to_complex(self, x: Operand) -> Operand:
        """complex(x)."""
        return self.convert(x, COMPLEX)

    def item(self, x: Operand) -> Operand:
        """Return the Python number of the same kind."""
        kind = kind_of(x).kind
        if kind in "iu":
            return self.to_int(x)
        return self.convert(x, {"b": BOOL, "f": FLOAT, "c": COMPLEX}[kind])

    # What has a file of its own.

    exact_float = conversions.exact_float
    fit = conversions.fit
    truncate = conversions.truncate
    floor_divide = division.floor_divide
    remainder = division.remainder
    complex = complexes.made
    conjugate = complexes.conjugate
    real = complexes.real
    imag = complexes.imag
    power = powers.power
    square = powers.square
    reduce = row_reductions.reduce
    mean = row_reductions.mean
    variance = row_reductions.variance
    place_of = row_reductions.place_of
    maximum = selection.maximum
    minimum = selection.minimum
    where = selection.where
    clip = selection.clip
    left_shift = shifts.left_shift
    right_shift = shifts.right_shift
    loop = called.loop
    of_math = python_maths.of_math
