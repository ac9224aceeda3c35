"""Random kernels, and what they are given: all dtypes, loops, branches, elements, what is odd.

`python -m tests.runtime.kernels.random_kernels FIRST COUNT` compares that many: what the
interpreter gives for a kernel as it was written, and what it and the machine give
after `versioning`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from runtime.dtypes import DType
from runtime.kernels.entry import write_entry
from runtime.kernels.jit import load
from runtime.kernels.kernel import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    ArrayType,
    Block,
    Kernel,
    Operand,
    Policy,
    Port,
    Type,
    UnsupportedError,
    Variable,
    kind_of,
)
from runtime.kernels.kernel_interpreter import interpret
from runtime.kernels.kernel_verifier import verify
from runtime.kernels.loops.settled import settled
from runtime.kernels.loops.versioning import lean
from runtime.kernels.scalar import element_access
from runtime.kernels.scalar.scalars import Scalars
from runtime.kernels.target import host_target

DTYPES = [np.dtype(x) for x in [*"?bhilBHILfdFD"]]
COMMON = [INT, INT, INT, FLOAT, FLOAT, COMPLEX, BOOL, np.dtype(np.float32), np.dtype(np.uint8)]
SIZES = (0, 1, 2, 3, 5, 8, 17, 40)
ODD: dict[str, Sequence[Any]] = {
    "f": [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -7.25, 1e-320, 1e-40, np.inf, -np.inf, np.nan, 1e30],
    "i": [0, 1, -1, 2, 3, 5, -3, 7, 100, 127, -128],
    "u": [0, 1, 2, 3, 7, 100, 255],
    "b": [False, True],
    "c": [
        0j,
        complex(-0.0, 1.0),
        1.0,
        -7.25j,
        3 + 4j,
        complex(np.inf, 2),
        complex(1, np.nan),
        1e30,
    ],
}
Make = Callable[..., Operand]


class RandomWriter:
    """Writes the body of a kernel.

    Args:
        seed: of the choices.
    """

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.s = Scalars(host_target())
        self.pool: list[Operand] = []
        self.arrays: list[tuple[Variable, bool]] = []
        self.depth = 0

    def kernel(self) -> Kernel:
        """Return a kernel, in which nothing is improved yet."""
        rng = self.rng
        ports = [self.port() for _ in range(rng.randint(1, 5))]
        params = [Variable(port.type) for port in ports]
        for x, port in zip(params, ports, strict=True):
            if isinstance(x.type, ArrayType):
                self.arrays.append((x, port.written or port.in_place))
            else:
                self.pool.append(x)

        def write() -> list[Operand]:
            self.statements(rng.randint(1, 7))
            found = rng.sample(self.pool, min(len(self.pool), 3))
            return [*found, *(x for x, port in zip(params, ports, strict=True) if port.written)]

        body = self.s.block(params, write)
        outputs = tuple(Port(x.type) for x in body.results)
        return Kernel("random", body, tuple(ports), outputs, target=self.s.target)

    def port(self) -> Port:
        """Return how something enters."""
        rng, dtype = self.rng, self.rng.choice(DTYPES + COMMON)
        if rng.random() < 0.5:
            return Port(dtype, dtype in (BOOL, INT, FLOAT, COMPLEX) and rng.random() < 0.4)
        shape = tuple(rng.choice([None, None, 5, 17]) for _ in range(rng.choice([1, 1, 2])))
        how = rng.choice(["read", "written", "in place"])
        return Port(ArrayType(dtype, shape), written=how == "written", in_place=how == "in place")

    # Statements.

    def statements(self, count: int) -> None:
        """Write some statements."""
        kinds = [self.expression] * 4 + [self.stored, self.branch, self.each, self.counted]
        kinds += [self.tested, self.summed, self.left, self.regular, self.regular]
        for _ in range(count):
            self.rng.choice(kinds)()

    def expression(self) -> None:
        """Compute a number of numbers."""
        s, rng = self.s, self.rng
        x = self.number()
        kind = kind_of(x)
        s.policy = rng.choice([Policy.SCALAR, Policy.ELEMENT])
        if kind in (BOOL, INT, FLOAT, COMPLEX) and rng.random() < 0.4:
            s.policy = Policy.PYTHON
        try:
            found = rng.choice(_OPERATORS[kind.kind])(s, x, self.number(kind))
        except UnsupportedError:
            return
        self.pool.append(found)

    def left(self) -> None:
        """Leave the kernel for some numbers."""
        x = self.number(INT)
        self.s.stop_if(self.s.equal(x, self.s.literal(self.rng.choice([-3, 100, 7]), INT)))

    def stored(self) -> None:
        """Write an element."""
        arrays = [x for x, is_written in self.arrays if is_written]
        if arrays:
            self.put(self.rng.choice(arrays), None)

    def put(self, array: Variable, number: Operand | None) -> None:
        """Write an element of an array, at the number of a round."""
        dtype = element_access.array_type(array).dtype
        self.s.policy = Policy.ELEMENT
        value = self.number(dtype if self.rng.random() < 0.6 else None)
        try:
            element_access.store(self.s, array, self.indices(array, number), value)
        except UnsupportedError:
            return

    def indices(self, array: Variable, number: Operand | None) -> list[Operand]:
        """Return indices: the number of a round, something near it, or any."""
        s, rng = self.s, self.rng
        found: list[Operand] = []
        s.policy = Policy.PYTHON
        for _ in element_access.array_type(array).shape:
            x = number if number is not None and rng.random() < 0.8 else self.number(INT)
            if rng.random() < 0.3:
                change = rng.choice([s.add, s.subtract, s.multiply])
                x = change(x, s.literal(rng.choice([0, 1, 1, 2, -1]), INT))
            found.append(x)
        return found

    def branch(self) -> None:
        """Write a choice between two blocks, which yield numbers of the same types."""
        types = [self.rng.choice(COMMON) for _ in range(self.rng.randint(0, 2))]
        test = self.number(BOOL)
        arms = [self.inner((), types, self.rng.randint(0, 3)) for _ in range(2)]
        self.pool += self.s.choice(test, types, arms)

    def each(self) -> None:
        """Write elements of an array round by round."""
        arrays = [x for x, is_written in self.arrays if is_written]
        if not arrays:
            return
        array, number = self.rng.choice(arrays), Variable(INT)
        size = element_access.size_of(self.s, array, 0)

        def write() -> list[Operand]:
            self.read(number)
            self.put(array, number)
            return []

        self.loop_of([size], [number], write)

    def regular(self) -> None:
        """Go through arrays by regular indices: such rounds may need no tests, and be vectors."""
        rows = [x for x in self.arrays if len(element_access.array_type(x[0]).shape) == 1]
        if not rows or self.depth > 1:
            return
        s, rng, number = self.s, self.rng, Variable(INT)
        array, is_written = rng.choice(rows)
        dtype, state = element_access.array_type(array).dtype, Variable(INT)
        size = element_access.size_of(s, array, 0)
        s.policy = Policy.PYTHON
        count = rng.choice([size, size, self.small(), s.subtract(size, s.literal(1, INT))])
        same = [x for x, _ in rows if element_access.array_type(x).dtype == dtype]
        sums = dtype == INT and rng.random() < 0.6

        def write() -> list[Operand]:
            found: Operand = element_access.load(s, rng.choice(same), [self.near(number, size)])
            s.policy = rng.choice([Policy.SCALAR, Policy.ELEMENT])
            if sums:
                return [s.add(state, found)]
            other = self.number(dtype)
            if dtype == BOOL:
                found = s.bitwise("xor", found, other)
            elif rng.random() < 0.8:
                found = rng.choice([s.add, s.multiply, self.greater(dtype), s.subtract])(
                    found, other
                )
            if is_written:
                element_access.store(s, array, [self.near(number, size)], found)
            return [state]

        start = s.literal(rng.choice([0, 0, 3, 2**62, 2**63 - 9]), INT)
        found = self.loop_of([count, start], [number, state], write)
        self.pool += found

    def near(self, number: Operand, size: Operand) -> Operand:
        """Return an index that is the number of a round, or made of it, or small."""
        s, rng = self.s, self.rng
        s.policy, kind = Policy.PYTHON, rng.choice([0] * 6 + [1, 2, 2, 3, 4])
        if kind == 1:
            return s.subtract(s.subtract(size, s.literal(1, INT)), number)
        if kind == 2:
            way = rng.choice([s.add, s.add, s.subtract, s.multiply])
            return way(number, s.literal(rng.choice([1, 1, 2]), INT))
        if kind == 3:
            return s.bitwise("and", self.number(INT), s.literal(rng.choice([1, 3, 7]), INT))
        known = (x for x in self.pool if isinstance(x, Variable))
        small = [x for x in known if kind_of(x).kind in "iu" and kind_of(x).itemsize < 4]
        if kind == 4 and small:
            return s.convert(rng.choice(small), INT)
        return number

    def summed(self) -> None:
        """Sum elements of an array, or find the greatest."""
        if not self.arrays or self.depth > 1:
            return
        array, _ = self.rng.choice(self.arrays)
        kind, number = element_access.array_type(array).dtype, Variable(INT)
        dtype = kind if self.rng.random() < 0.5 and kind != BOOL else INT
        state, start = Variable(dtype), self.number(dtype)

        def write() -> list[Operand]:
            found = self.read(number, array)
            self.s.policy = self.rng.choice([Policy.SCALAR, Policy.ELEMENT])
            join = self.rng.choice([self.s.add, self.s.add, self.greater(dtype)])
            return [join(state, self.of(found, dtype))]

        size = element_access.size_of(self.s, array, 0)
        found = self.loop_of([size, start], [number, state], write)
        self.pool += found

    def counted(self) -> None:
        """Write a loop that counts, with a state."""
        if self.depth > 1:
            return
        types = [self.rng.choice(COMMON) for _ in range(self.rng.randint(0, 2))]
        state, number = [*map(Variable, types)], Variable(INT)
        count = self.small()
        start = [self.number(x) for x in types]
        block = self.inner([number, *state], types, self.rng.randint(1, 3), number)
        self.pool += self.s.structured("for", [count, *start], types, [block], counters=())

    def tested(self) -> None:
        """Write a loop that tests a counter, which goes up or down."""
        if self.depth > 1:
            return
        s, rng = self.s, self.rng
        types, step = (
            [rng.choice(COMMON) for _ in range(rng.randint(0, 2))],
            rng.choice([1, 1, 2, 3]),
        )
        end, start = self.small(), [s.literal(rng.choice([0, 0, 1, -2]), INT)]
        start += [self.number(x) for x in types]
        asked, state = ([*map(Variable, [INT, *types])] for _ in range(2))
        test = s.block(asked, lambda: [s.less(asked[0], end)])
        inner = self.inner(state, types, rng.randint(1, 3), state[0])
        following = s.block((), lambda: [s.emit("add", [state[0], s.literal(step, INT)], INT)])
        steps = (*inner.instructions, *following.instructions)
        body = Block(inner.params, steps, (*following.results, *inner.results))
        found = s.structured("while", start, [INT, *types], [test, body], counters=(0,))
        self.pool += found

    def loop_of(
        self, args: Sequence[Operand], params: Sequence[Variable], write: Callable[[], Any]
    ) -> tuple[Variable, ...]:
        """Write a loop that counts; what is computed in it is forgotten."""
        pool = [*self.pool]
        self.depth += 1
        self.s.mark_natural(params[0])
        block = self.s.block(params, write)
        self.depth -= 1
        self.pool = pool
        types = [x.type for x in params[1:]]
        return self.s.structured("for", args, types, [block], counters=())

    def inner(
        self,
        params: Sequence[Variable],
        types: Sequence[Type],
        count: int,
        number: Operand | None = None,
    ) -> Block:
        """Return a block of some statements, which yields numbers of types."""
        pool = [*self.pool]

        def write() -> list[Operand]:
            self.pool += params
            if number is not None:
                self.read(number)
            self.statements(count)
            return [self.number(x) for x in types if isinstance(x, np.dtype)]

        self.depth += 1
        block = self.s.block(params, write)
        self.depth -= 1
        self.pool = pool
        return block

    # Numbers.

    def read(self, number: Operand, array: Variable | None = None) -> Operand:
        """Read an element at the number of a round."""
        if array is None and not self.arrays:
            return number
        own = array or self.rng.choice(self.arrays)[0]
        self.pool.append(element_access.load(self.s, own, self.indices(own, number)))
        return self.pool[-1]

    def small(self) -> Operand:
        """Return an integer that is small: known, a size, or some bits of a number."""
        if self.arrays and self.rng.random() < 0.4:
            return element_access.size_of(self.s, self.rng.choice(self.arrays)[0], 0)
        if self.rng.random() < 0.3:
            return self.s.literal(self.rng.choice([0, 1, 3, 9, 20]), INT)
        return self.s.bitwise("and", self.number(INT), self.s.literal(15, INT))

    def number(self, dtype: DType | None = None) -> Operand:
        """Return a number, of a dtype or of any."""
        known = [x for x in self.pool if dtype is None or x.type == dtype]
        if known and self.rng.random() < 0.85:
            return self.rng.choice(known[-6:])
        others = [x for x in self.pool if isinstance(x, Variable)]
        if dtype is not None and others and self.rng.random() < 0.5:
            return self.of(self.rng.choice(others), dtype)
        dtype = dtype or self.rng.choice(COMMON)
        found = np.array(self.rng.choice(ODD[dtype.kind])).astype(dtype)
        return self.s.literal(found.item(), dtype)

    def greater(self, dtype: DType) -> Callable[[Operand, Operand], Operand]:
        """Return what makes the greater one of two numbers, or a sum where they have no order."""
        return self.s.add if dtype.kind == "c" else self.s.maximum

    def of(self, x: Operand, dtype: DType) -> Operand:
        """Return a number in a dtype."""
        self.s.policy = Policy.ELEMENT
        return self.s.cast(x if dtype.kind == "c" else self.s.real(x), dtype)


def _shift(name: str) -> Make:
    return lambda s, x, y: getattr(s, name)(x, s.bitwise("and", y, s.literal(7, kind_of(y))))


def _called(name: str) -> Make:
    return lambda s, x, y: s.loop(getattr(np, name), x)


def _method(name: str, *args: str, both: bool = True) -> Make:
    return lambda s, x, y: getattr(s, name)(*args, x, *((y,) if both else ()))


def _chosen(s: Scalars, x: Operand, y: Operand) -> Operand:
    return s.select(s.less(x, y), y, x)


def _selected(s: Scalars, x: Operand, y: Operand) -> Operand:
    return s.select(s.equal(x, y), y, x)


def _converted(s: Scalars, x: Operand, y: Operand) -> Operand:
    kinds = [kind for kind in DTYPES if kind != BOOL]
    return s.cast(x, kinds[len(s.roomy) % 3 + 3 * (kind_of(x).itemsize % 3)])


_COMPARED = [_method(x) for x in ("equal", "not_equal", "less", "less_equal", "greater")]
_BITS = [_method("bitwise", x) for x in ("and", "or", "xor")]
_BOTH = [_method(x) for x in ("maximum", "minimum")] + [_chosen, _converted]
_ARITHMETIC = [_method(x) for x in ("add", "subtract", "multiply", "floor_divide", "remainder")] * 2
_ONE = [_method(x, both=False) for x in ("absolute", "negative")]
_ROUNDED = [_method("rounded", x, both=False) for x in ("floor", "ceil", "trunc", "rint")]
_INTEGERS = [*_ARITHMETIC, *_BITS, *_BOTH, *_ONE, *_COMPARED, _method("invert", both=False)]
_INTEGERS += [_shift("left_shift"), _shift("right_shift"), _method("left_shift")]
_INTEGERS += [_method("right_shift"), _method("truth", both=False)]
_OPERATORS: dict[str, Sequence[Make]] = {
    "f": [
        *_ARITHMETIC, *_BOTH, *_ONE, *_COMPARED, *_ROUNDED, _method("divide"), _method("power"),
        _method("sqrt", both=False), _method("is_finite", both=False), _called("exp"),
        _called("sin"), _called("log1p"), _method("to_int", both=False),
    ],
    "i": [*_INTEGERS, _method("divide")],
    "u": _INTEGERS,
    "b": [*_BITS, *_COMPARED[:2], _method("not_", both=False), _converted, _chosen],
    "c": [
        *_ARITHMETIC[:3] * 2, *_COMPARED[:2], *_ONE * 2, _method("divide"), _selected, _converted,
        _method("square", both=False), *(_method(x, both=False) for x in ("conjugate", "real")),
        _method("imag", both=False), _method("truth", both=False),
    ],
}  # fmt: skip


def arguments(kernel: Kernel, rng: Random) -> Iterator[list[Any]]:
    """Yield what a kernel may be given: usual and odd numbers, arrays of some sizes."""
    for _ in range(5):
        size = rng.choice(SIZES)
        yield [_argument(port, rng, size) for port in kernel.inputs]


def _argument(port: Port, rng: Random, size: int) -> Any:
    if not isinstance(port.type, ArrayType):
        found = _number(port.type, rng)
        return found.item() if port.weak else found
    shape = [size if n is None else n for n in port.type.shape]
    count = int(np.prod(shape))
    return np.array([_number(port.type.dtype, rng) for _ in range(count)]).astype(
        port.type.dtype
    ).reshape(shape)  # fmt: skip


def _number(dtype: DType, rng: Random) -> Any:
    if dtype.kind in "iu" and rng.random() < 0.15:
        info = np.iinfo(dtype)
        return dtype.type(rng.choice([info.min, info.max, info.max // 2]))
    if dtype.kind == "f" and rng.random() < 0.5:
        return dtype.type(rng.uniform(-9, 9))
    if dtype.kind == "c" and rng.random() < 0.7:
        return dtype.type(complex(rng.uniform(-9, 9), rng.uniform(-9, 9)))
    with np.errstate(all="ignore"):
        return np.array(rng.choice(ODD[dtype.kind])).astype(dtype)[()]


def is_same(found: Any, wanted: Any) -> bool:
    """Tell whether results are the same, bit for bit; any NaN is any other."""
    if type(found) is not type(wanted):
        return False
    if isinstance(found, tuple):
        return len(found) == len(wanted) and all(map(is_same, found, wanted))
    if not isinstance(found, np.ndarray | np.generic):
        return repr(found) == repr(wanted)
    if (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
        return False
    x, y = (np.atleast_1d(each) for each in (found, wanted))
    if x.dtype.kind == "c":
        return is_same(x.real, y.real) and is_same(x.imag, y.imag)
    bits = f"u{x.itemsize}"
    alike = x.view(bits) == y.view(bits)
    return bool(np.all(alike | ((x != x) & (y != y))))


def outcome(function: Callable[..., Any], given: Sequence[Any], quiet: bool) -> tuple[Any, ...]:
    """Return what a function gives for copies of arguments, and what these are afterwards."""
    own = [x.copy() if isinstance(x, np.ndarray) else x for x in given]
    with np.errstate(all="ignore" if quiet else "warn"):
        return (function(*own), *own)


def compare(seed: int) -> tuple[int, int]:
    """Compare one kernel; return how many results there were, and of how many calls."""
    plain = RandomWriter(seed).kernel()
    body = lean(settled(plain.body))
    kernel = replace(plain, body=body)
    verify(plain)
    verify(kernel)
    machine = load(write_entry(kernel), "random")
    rng, given, results = Random(seed), 0, 0
    for inputs in arguments(kernel, rng):
        for quiet in (True, False):
            wanted = outcome(lambda *x: interpret(plain, x), inputs, quiet)
            for name, function in (("lean", lambda *x: interpret(kernel, x)), ("machine", machine)):
                found = outcome(function, inputs, quiet)
                assert is_same(found, wanted), (
                    f"{seed} {name}: {inputs}\n{found}\nnot\n{wanted}\n{plain}\n{kernel}"
                )
            given, results = given + 1, results + (wanted[0] is not None)
    return results, given


def main(first: int, count: int) -> None:
    """Compare many kernels, and say how many calls had results."""
    found = [compare(seed) for seed in range(first, first + count)]
    print(count, "kernels;", *map(sum, zip(*found, strict=True)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
