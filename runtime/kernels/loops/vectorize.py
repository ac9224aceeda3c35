"""Rounds of a loop side by side: several of them at once, in vectors.

Comes in: an inmost loop that counts, and tests nothing. Goes out: how many of its rounds may go
side by side, and their lines. They may where each round writes elements that follow those of the
round before, and no round needs what another one gives; elements that are read may lie apart. All
operations are those of the single rounds, on the same numbers: bits and flags are the same.

Integers may be summed, too, in another order. Whether NumPy's sums would have overflowed on the way
is told by how large the integers are: where it is not sure, the rounds are made again one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from runtime.dtypes import DType
from runtime.kernels.arithmetic import kind_in, llvm_type, number, plain, stored_type, write_checked
from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import (
    BOOL,
    INT,
    ArrayType,
    Block,
    Instruction,
    Literal,
    Operand,
    Variable,
    indices_of,
    instructions,
)
from runtime.kernels.target import Target
from runtime.kernels.vectors import any_lane, load_vector, reduced, same, splat, store_vector

if TYPE_CHECKING:
    from runtime.kernels.llvm import Writer

LARGEST = 2**40
"""Below which integers are whose sums do not overflow within a strip."""
ALLOWED = having(Trait.SIDE_BY_SIDE)
_CHECKED, _ELEMENT = having(Trait.CHECKED), having(Trait.ELEMENT)
_STORES = frozenset(["store", "store_if"])


class SideBySide:
    """What is known of the rounds of a loop.

    Args:
        loop: an inmost one that counts.
        target: what the kernel is for.

    Attributes:
        lanes: how many rounds go side by side; 0 if they may not.
        growth: by how much values grow from one round to the next; None if that is not the same
            for all, or not 0 or 1.
    """

    def __init__(self, loop: Instruction, target: Target) -> None:
        (self.body,) = loop.blocks
        self.growth: dict[Operand, int | None] = {}
        self.makers: dict[Operand, Instruction] = {
            y: x for x in self.body.instructions for y in x.results
        }
        self.stored = {x.args[0] for x in instructions(self.body) if x.op in _STORES}
        self.sums: dict[Instruction, int] = {}
        self.steps: Sequence[Instruction] = self.body.instructions
        self.lanes = self.find_lanes(target)

    def find_lanes(self, target: Target) -> int:
        """Return how many rounds go side by side."""
        is_free = self.is_free() and (self.stored or self.sums)
        return target.vector // max(self.sizes()) if is_free else 0

    @property
    def is_tested(self) -> bool:
        """Whether sums may overflow."""
        return any(x.op == "add_overflow" for x in self.sums)

    def is_free(self) -> bool:
        """Tell whether no round needs what another one gives."""
        number, *state = self.body.params
        self.growth |= {number: 1, **dict.fromkeys(state, 0)}
        for k, (x, result) in enumerate(zip(state, self.body.results, strict=True)):
            if result is not x and not self.is_sum(k, x, result):
                return False
        if self.is_tested and self.stored:
            return False
        return all(map(self.fits, self.body.instructions)) and all(map(self.is_apart, self.stored))

    def is_sum(self, k: int, x: Variable, result: Operand) -> bool:
        """Tell whether a part of the state is a sum that nothing else needs; enter it."""
        maker = self.makers.get(result) if result.type == INT else None
        if maker is None or maker.op not in ("add", "add_overflow"):
            return False
        own = {x, *maker.results}
        users = [y for y in self.body.instructions if not own.isdisjoint(y.args)]
        results = [y for y in self.body.results if y in own]
        self.sums[maker] = k
        is_once = maker.args.count(x) == len(results) == 1 and maker.results[0] is result
        return is_once and all(y is maker or y.op == "overflow" for y in users)

    def fits(self, x: Instruction) -> bool:
        """Tell whether an instruction can be one on vectors; enter by how much its results grow."""
        if x.op in _ELEMENT:
            return self.is_regular(x)
        if x.op == "overflow":
            return x.attrs["wraps"] or self.makers.get(x.args[0]) in self.sums
        if x in self.sums:
            self.growth |= dict.fromkeys(x.results)
            return True
        self.growth |= dict.fromkeys(x.results, self.growth_of(x))
        return x.op in ALLOWED

    def growth_of(self, x: Instruction) -> int | None:
        """Return by how much the results of an instruction grow in a round."""
        ways = [self.growth.get(y, 0) for y in x.args]
        if not any(way != 0 for way in ways):
            return 0
        if None in ways or x.results[0].type != INT or x.op not in ("add", "sub", "mul"):
            return None
        first, second = (way or 0 for way in ways)
        found = first + second if x.op == "add" else first - second
        if x.op == "mul":
            factor = x.args[1] if first else x.args[0]
            found = int(isinstance(factor, Literal) and factor.value == 1 and first != second)
        return found if found == 1 or (found == 0 and x.op == "sub") else None

    def is_regular(self, x: Instruction) -> bool:
        """Tell whether elements are equally far from one another; those that are written follow."""
        if array_dtype(x).kind == "c":
            return False
        *others, last = ways = self.ways(x)
        self.growth |= dict.fromkeys(x.results)
        if x.op != "load":
            return last == 1 and not any(way != 0 for way in others)
        self.growth[x.results[0]] = None if any(ways) else 0
        return None not in ways and (any(ways) or x.args[0] not in self.stored)

    def ways(self, x: Instruction) -> list[int | None]:
        """Return by how much the indices of a load or store grow in a round."""
        return [self.growth.get(y, 0) for y in indices_of(x)]

    def is_apart(self, array: Operand) -> bool:
        """Tell whether a round reads and writes one element only of an array."""
        found = (x for x in self.body.instructions if x.op in _ELEMENT)
        places = {tuple(map(self.form, indices_of(x))) for x in found if x.args[0] is array}
        return len(places) == 1

    def form(self, x: Operand) -> object:
        """Return what is equal for integers that are computed in the same way."""
        if isinstance(x, Literal):
            return x.value
        maker = self.makers.get(x)
        if maker is None or maker.op not in ("add", "sub", "mul"):
            return x
        return (maker.op, *map(self.form, maker.args))

    def sizes(self) -> Iterator[int]:
        """Yield how many bytes the numbers of vectors have."""
        yield INT.itemsize if self.sums else 1
        for x in self.steps:
            if x.op in _ELEMENT:
                yield array_dtype(x).itemsize
            elif any(self.growth.get(y) is None for y in x.results):
                kinds = (number(y.type) for y in (*x.args, *x.results))
                yield from (kind.itemsize for kind in kinds if kind != BOOL)


def array_dtype(x: Instruction) -> DType:
    """Return the dtype of the array of which an instruction meets an element."""
    kind = x.args[0].type
    assert isinstance(kind, ArrayType)
    return kind.dtype


class Lanes:
    """Writes rounds that go side by side; the first of them is that of the writer.

    Args:
        w: writes lines.
        rounds: what is known of them.
    """

    def __init__(self, w: Writer, rounds: SideBySide) -> None:
        self.w = w
        self.rounds = rounds
        self.lanes = rounds.lanes
        self.fast = w.fast
        self.names: dict[Variable, str] = {}
        parts = [*rounds.sums, *([None] if rounds.is_tested else [])]
        self.totals = {x: w.space(kind_in(self, INT)) for x in parts}
        for place in self.totals.values():
            w.line(f"store {kind_in(self, INT)} zeroinitializer, ptr {place}")

    def declare(self, text: str) -> None:
        """Declare an outside function."""
        self.w.declare(text)

    def operand(self, operand: Operand) -> str:
        """Return the text of a vector."""
        if isinstance(operand, Literal):
            return same(self.lanes, operand)
        if operand not in self.names:
            self.names[operand] = self.spread(operand)
        return self.names[operand]

    def spread(self, operand: Variable) -> str:
        """Return the vector of a number that grows by the same in each round, or not at all."""
        w, dtype = self.w, number(operand.type)
        found = splat(w, self.lanes, w.operand(operand), dtype)
        if not self.rounds.growth.get(operand, 0):
            return found
        return w.new(f"add {kind_in(self, dtype)} {found}, {self.offsets}")

    @property
    def offsets(self) -> str:
        """How far each round is from the first."""
        return f"<{', '.join(f'i64 {k}' for k in range(self.lanes))}>"

    def write(self) -> None:
        """Write the rounds; whether any of them reports something is told at their end."""
        self.noted: list[str] = []
        for x in self.rounds.steps:
            self.step(x)
        if self.noted:
            self.w.note(any_lane(self.w, self.lanes, self.noted))

    def step(self, x: Instruction) -> None:
        """Write an instruction of all rounds."""
        if x.op in _STORES:
            self.store(x)
        elif x in self.rounds.sums:
            self.add(x)
        elif x.op == "overflow" and self.rounds.makers.get(x.args[0]) in self.rounds.sums:
            return
        elif x.op == "overflow":
            self.noted.append(self.operand(x.args[0]))
        elif None not in [self.rounds.growth[y] for y in x.results]:
            self.w.block(Block((), (x,), ()))
        elif x.op in _ELEMENT:
            self.load(x)
        elif x.op in _CHECKED:
            self.checked(x)
        else:
            self.names[x.results[0]] = self.w.new(plain(self, x))

    def checked(self, x: Instruction) -> None:
        """Write integer arithmetic that tells whether it overflowed, by the signs."""
        dtype = number(x.args[0].type)
        if dtype.kind == "u":
            write_checked(self, x, self.w.new, self.names)
            return
        new, kind, (first, second) = self.w.new, kind_in(self, dtype), map(self.operand, x.args)
        found = new(f"{x.op.removesuffix('_overflow')} {kind} {first}, {second}")
        other = found if x.op == "add_overflow" else first
        signs = new(f"xor {kind} {first}, {found}"), new(f"xor {kind} {second}, {other}")
        both = new(f"and {kind} {', '.join(signs)}")
        names = found, new(f"icmp slt {kind} {both}, zeroinitializer")
        self.names |= dict(zip(x.results, names, strict=True))

    def load(self, x: Instruction) -> None:
        """Write the reading of elements that are equally far from one another."""
        (result,), address = x.results, self.w.element(x.args[0], indices_of(x))
        w, dtype, ways = self.w, number(result.type), self.rounds.ways(x)
        if not any(ways[:-1]):
            self.load_next(x, dtype, address)
            return
        step = w.position(x.args[0], [str(way) for way in ways])
        kind, found = kind_in(self, dtype), "poison"
        for k in range(self.lanes):
            if k:
                address = w.new(f"getelementptr {stored_type(dtype)}, ptr {address}, i64 {step}")
            one = f"{llvm_type(dtype)} {w.loaded(address, dtype)}"
            found = w.new(f"insertelement {kind} {found}, {one}, i32 {k}")
        self.names[result] = found

    def load_next(self, x: Instruction, dtype: DType, address: str) -> None:
        """Write the reading of elements that follow one another, or of those with a test."""
        if x.op == "load":
            self.names[x.results[0]] = load_vector(self.w, self.lanes, dtype, address)
            return
        mask, other = map(self.operand, x.args[1:3])
        if dtype == BOOL:
            kind = kind_in(self, BOOL)
            other = self.w.new(f"zext {kind} {other} to {kind.replace('i1', 'i8')}")
        found = load_vector(self.w, self.lanes, dtype, address, mask, other)
        self.names[x.results[0]] = found

    def store(self, x: Instruction) -> None:
        """Write the writing of elements that follow one another."""
        address = self.w.element(x.args[0], indices_of(x))
        *tests, value = map(self.operand, x.args[1 : 2 + (x.op == "store_if")])
        store_vector(self.w, self.lanes, array_dtype(x), value, address, *tests)

    def add(self, x: Instruction) -> None:
        """Write that integers are added to a sum for each lane, and how large they are."""
        w, kind = self.w, kind_in(self, INT)
        param = self.rounds.body.params[self.rounds.sums[x] + 1]
        value = self.operand(x.args[1] if x.args[0] is param else x.args[0])
        self.count("add", x, value)
        if x.op == "add_overflow":
            room = same(self.lanes, Literal(INT, LARGEST))
            self.count("or", None, w.new(f"add {kind} {value}, {room}"))

    def count(self, op: str, x: Instruction | None, value: str) -> None:
        """Write that a vector goes into a total."""
        w, kind = self.w, kind_in(self, INT)
        found = w.new(f"{op} {kind} {self.total(x)}, {value}")
        w.line(f"store {kind} {found}, ptr {self.totals[x]}")

    def total(self, x: Instruction | None) -> str:
        """Return a total so far."""
        return self.w.new(f"load {kind_in(self, INT)}, ptr {self.totals[x]}")

    def state(self, first: Sequence[Sequence[str]], last: str) -> list[Sequence[str]]:
        """Return the state after the rounds, or the first one where sums may have overflowed.

        Args:
            first: the state of the first round.
            last: the number of the round after them.
        """
        w, found, is_fine = self.w, [*first[:-1], [last]], "true"
        for x, k in self.rounds.sums.items():
            (start,) = first[k]
            found[k] = [
                w.new(f"add i64 {start}, {reduced(w, self.lanes, INT, 'add', self.total(x))}")
            ]
            if x.op == "add_overflow":
                is_small = w.new(f"icmp ult i64 {w.new(f'add i64 {start}, {2**62}')}, {2**63}")
                is_fine = w.new(f"and i1 {is_fine}, {is_small}")
        if not self.rounds.is_tested:
            return found
        size = reduced(w, self.lanes, INT, "or", self.total(None))
        is_fine = w.new(f"and i1 {is_fine}, {w.new(f'icmp ult i64 {size}, {2 * LARGEST}')}")
        for k in (*self.rounds.sums.values(), len(first) - 1):
            found[k] = [w.new(f"select i1 {is_fine}, i64 {found[k][0]}, i64 {first[k][0]}")]
        return found
