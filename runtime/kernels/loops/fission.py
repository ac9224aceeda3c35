"""Rounds of which a part goes side by side: loop fission, within a vector of rounds.

Comes in: an inmost loop that counts, of which some part needs what the round before gives: a sum
of floats, the least so far, elements of arrays that are written. Goes out: how many rounds are
begun at once, and their lines. What needs nothing of other rounds is computed for all of them, in
vectors; NumPy's own functions of numbers are called once for all. The rest is then done round by
round, in order, so that bits are the same; a flag or a stop of a later round comes before those of
the rest. Where only rounds change the state in which something is true, as in a search for the
least, that is asked of all at once, of the state before them. The last rounds may be fewer: those
that are not made have the numbers of the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from runtime.dtypes import DType
from runtime.kernels.arithmetic import UNLIKELY, kind_in, llvm_type, number, stored_type
from runtime.kernels.c_calls import name_of
from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import (
    BOOL,
    INT,
    Block,
    Instruction,
    Operand,
    Variable,
    indices_of,
    instructions,
)
from runtime.kernels.known_powers import is_known, power
from runtime.kernels.loops.vectorize import ALLOWED, Lanes, SideBySide
from runtime.kernels.scalar.complexes import is_complex
from runtime.kernels.target import Target
from runtime.kernels.ufunc_loops import call_loop
from runtime.kernels.vectors import (
    any_lane,
    first_lanes,
    load_vector,
    splat,
    splat_at,
    store_vector,
)

if TYPE_CHECKING:
    from runtime.kernels.llvm import Writer

MOST_SINGLE = 40
"""How many instructions the part has at most that is written once for each round."""
CALL, SQUARE, QUOTIENT, TEST = 20, 6, 2, 2
"""What vectors save for some instructions, in those of sums."""
PASSED_ON = 2
"""What it costs to take a number out of a vector for each round."""
REPORTING = frozenset(["fadd", "fsub", "fmul", "fdiv", "fsqrt", "convert"])
"""Arithmetic that may report something where its operands are odd floats."""
_TESTS = having(Trait.TESTS)
_PURE = ALLOWED | {"load"}
_UNKNOWN = having(Trait.FUNCTION) | {"inner", "array", "resized", "drawn"}
"""What may change arrays that it does not name."""


@cache
def is_alike(ufunc: str, types: str) -> bool:
    """Tell whether an inner loop gives for some numbers at once what it gives for each of them.

    >>> is_alike("exp", "d->d")
    True
    """
    kinds, numbers = types.partition("->")[0], np.arange(-150, 150)
    if not {*kinds} <= {*"fd"}:
        return False
    function = getattr(np, ufunc)
    with np.errstate(all="ignore"):
        sizes = np.r_[numbers / 7, numbers * 1.7**numbers, 1 / (1 + numbers**2)]
        given = [np.roll(sizes, 31 * k).astype(kind) for k, kind in enumerate(kinds)]
        together = function(*given, signature=types)
        single = [function(*x, signature=types) for x in zip(*given, strict=True)]
    return bool(together.tobytes() == np.array(single, together.dtype).tobytes())


class Fission(SideBySide):
    """What is known of the rounds of a loop.

    Attributes:
        single: the instructions that are done round by round.
        steps: the others.
        taken: the results of these that the others need.
        guard: what is true in rounds that change the state; None if that is not known.
        asked: what computes that.
    """

    def find_lanes(self, target: Target) -> int:
        """Return how many rounds are begun at once; 0 if that saves nothing."""
        body, every = self.body, [*instructions(self.body)]
        own, *state = body.params
        self.target = target
        changed = {x for x, y in zip(state, body.results, strict=True) if x is not y}
        self.growth |= {own: 1, **{x: 0 for x in state if x not in changed}}
        self.single: list[Instruction] = []
        self.steps = []
        results = {y for x in every for y in x.results}
        if self.stored & results or any(x.op in _UNKNOWN for x in every):
            return 0
        for x in body.instructions:
            is_single = not changed.isdisjoint(x.args) or not self.goes_along(x)
            (self.single if is_single else self.steps).append(x)
            if is_single:
                changed.update(x.results)
        needed = [y for x in self.single for y in (*x.args, *_inside(x))] + [*body.results]
        apart = {y for x in self.steps for y in x.results}
        self.taken = [*dict.fromkeys(y for y in needed if y in apart)]
        length = sum(1 + sum(1 for b in x.blocks for _ in instructions(b)) for x in self.single)
        price = PASSED_ON * sum(self.growth[y] is None for y in self.taken)
        self.guard, self.asked = self.find_guard()
        is_worth_it = self.guard or sum(map(self.saved, self.steps)) >= 2 * price + TEST
        if length > MOST_SINGLE or not is_worth_it:
            return 0
        return target.vector // max(INT.itemsize, *self.sizes())

    def find_guard(self) -> tuple[Operand | None, Sequence[Instruction]]:
        """Return what has to be true in a round that changes the state, and what computes it.

        What may report something is asked, too. The state is the first round's, as long as none
        has changed it.
        """
        _, *state = self.body.params
        pairs = [(x, y) for x, y in zip(state, self.body.results, strict=True) if x is not y]
        (guard, *others) = {self.guard_of(x, y) for x, y in pairs} or {None}
        if guard is None or others:
            return None, ()
        needed, asked = {guard}, list[Instruction]()
        for x in reversed(self.single):
            if not needed.isdisjoint(x.results) or x.op in REPORTING:
                asked.insert(0, x)
                needed.update(x.args)
            elif not (x.op in _PURE or (x.op == "if" and x.args[0] is guard)):
                return None, ()
        self.growth |= dict.fromkeys(state, 0)
        if not asked or not all(map(self.goes_along, asked)):
            return None, ()
        return guard, asked

    def guard_of(self, x: Variable, y: Operand) -> Operand | None:
        """Return what has to be true where a part of the state changes, if that is known."""
        maker = self.makers.get(y)
        if maker is None or maker.op not in ("select", "if"):
            return None
        otherwise: Operand | None = maker.args[-1]
        if maker.op == "if":
            block = maker.blocks[1]
            otherwise = None if block.instructions else block.results[maker.results.index(y)]
        return maker.args[0] if otherwise is x else None

    def goes_along(self, x: Instruction) -> bool:
        """Tell whether an instruction can be one on vectors; enter by how much results grow."""
        if x.blocks or x.op == "store" or any(map(is_complex, (*x.args, *x.results))):
            return False
        if x.op == "load":
            ways = self.ways(x)
            if None in ways or x.args[0] in self.stored:
                return False
            self.growth[x.results[0]] = None if any(ways) else 0
            return True
        is_known = x.op in ALLOWED or x.op in _TESTS or self.is_called(x)
        if not is_known and (x.op != "place" or any(self.growth.get(y, 0) != 0 for y in x.args)):
            return False
        self.growth |= dict.fromkeys(x.results, self.growth_of(x))
        return True

    def is_called(self, x: Instruction) -> bool:
        """Tell whether it is a function that is called for all rounds at once."""
        if x.op == "loop":
            return name_of(x) is None and is_alike(x.attrs["ufunc"], x.attrs["types"])
        return is_known(x, self.target)

    def varies(self, x: Instruction) -> bool:
        """Tell whether an instruction is one on vectors."""
        return any(self.growth.get(y, 0) is None for y in (x.results or x.args))

    def saved(self, x: Instruction) -> int:
        """Return what it saves that an instruction is one on vectors."""
        if not self.varies(x) or x.op == "load":
            return 0
        if x.op == "loop":
            return CALL
        if x.op == "c_call":
            return SQUARE
        return QUOTIENT if x.op in ("fdiv", "fsqrt") or x.op in _TESTS else 1


def _inside(x: Instruction) -> list[Operand]:
    """Return what the blocks of an instruction need."""
    inner = [y for block in x.blocks for y in instructions(block)]
    yielded = [y for z in (x, *inner) for block in z.blocks for y in block.results]
    return [*(y for z in inner for y in z.args), *yielded]


class Begun(Lanes):
    """Writes rounds that are begun at once.

    Args:
        w: writes lines.
        rounds: what is known of them.
        count: how many they are, up to the lanes of a vector.
    """

    def __init__(self, w: Writer, rounds: Fission, count: str) -> None:
        super().__init__(w, rounds)
        self.rounds: Fission = rounds
        self.made = count
        self.last = w.new(f"sub i64 {count}, 1")
        kind, name = kind_in(self, INT), f"@llvm.umin.v{self.lanes}i64"
        w.declare(f"{kind} {name}({kind}, {kind})")
        most = splat(w, self.lanes, self.last, INT)
        self.clamped = w.new(f"call {kind} {name}({kind} {super().offsets}, {kind} {most})")
        self.mask = first_lanes(w, self.lanes, count)

    @property
    def offsets(self) -> str:
        """How far each round is from the first; those that are not made are the last one."""
        return self.clamped

    def filled(self, vector: str, dtype: DType) -> str:
        """Return a vector with what the last round has for the rounds that are not made."""
        w, kind = self.w, kind_in(self, dtype)
        last = w.new(f"extractelement {kind} {vector}, i64 {self.last}")
        others = splat(w, self.lanes, last, dtype)
        return w.new(f"select {kind_in(self, BOOL)} {self.mask}, {kind} {vector}, {kind} {others}")

    def step(self, x: Instruction) -> None:
        """Write an instruction of the part that goes side by side."""
        w = self.w
        if not self.rounds.varies(x):
            w.block(Block((), (x,), ()))
        elif x.op == "stop" or (x.op == "overflow" and not x.attrs["wraps"]):
            w.stop_if(any_lane(w, self.lanes, [self.operand(x.args[0])]))
        elif x.op == "c_call":
            self.names[x.results[0]] = power(w, self, x)
        elif x.op == "loop":
            self.call(x)
        else:
            super().step(x)

    def call(self, x: Instruction) -> None:
        """Write a call of an inner loop of NumPy's for all rounds."""
        w, kinds = self.w, [number(y.type) for y in (*x.args, *x.results)]
        places = [w.buffer(self.lanes * kind.itemsize) for kind in kinds]
        for kind, value, place in zip(kinds, x.args, places, strict=False):
            store_vector(w, self.lanes, kind, self.operand(value), place)
        call_loop(w, x, places, [self.made], [kind.itemsize for kind in kinds])
        found = load_vector(w, self.lanes, kinds[-1], places[-1])
        self.names[x.results[0]] = self.filled(found, kinds[-1])

    def load(self, x: Instruction) -> None:
        """Write the reading of elements that are equally far from one another."""
        w, ways, dtype = self.w, self.rounds.ways(x), number(x.results[0].type)
        address = w.element(x.args[0], indices_of(x))
        if not any(ways[:-1]):
            other = splat_at(w, self.lanes, dtype, address)
            found = load_vector(w, self.lanes, dtype, address, self.mask, other)
            self.names[x.results[0]] = self.filled(found, dtype)
            return
        step = w.position(x.args[0], [str(way) for way in ways])
        kind, found = kind_in(self, dtype), "poison"
        for k in range(self.lanes):
            offset = w.new(f"extractelement {kind_in(self, INT)} {self.offsets}, i32 {k}")
            place = w.new(f"mul i64 {offset}, {step}")
            own = w.new(f"getelementptr {stored_type(dtype)}, ptr {address}, i64 {place}")
            one = f"{llvm_type(dtype)} {w.loaded(own, dtype)}"
            found = w.new(f"insertelement {kind} {found}, {one}, i32 {k}")
        self.names[x.results[0]] = found

    def each(self, k: int) -> None:
        """Say what the rest of a round finds, by its number."""
        w = self.w
        for x, name in zip(self.rounds.taken, self.firsts, strict=True):
            dtype, growth = number(x.type), self.rounds.growth[x]
            if growth is None:
                vector = f"{kind_in(self, dtype)} {self.names[x]}"
                w.names[x] = w.new(f"extractelement {vector}, i32 {k}")
            elif growth and k:
                w.names[x] = w.new(f"add i64 {name}, {k}")

    def rounds_of(self, begin: Callable[[], None]) -> Iterator[list[list[str]]]:
        """Write the rounds; yield the state after each of them, which is to be kept.

        Args:
            begin: says what parameters are called at the start of a round.
        """
        w, rounds = self.w, self.rounds
        self.write()
        self.firsts = [w.names.get(x, "") for x in rounds.taken]
        place, after = w.operand(rounds.body.params[0]), w.block_label("begun")
        if rounds.guard is not None:
            for x in rounds.asked:
                self.step(x)
            changes = w.block_label("changes")
            test = any_lane(w, self.lanes, [self.operand(rounds.guard)])
            w.line(f"br i1 {test}, label %{changes}, label %{after}, {UNLIKELY}")
            w.begin(changes)
        for k in range(self.lanes):
            if k:
                go = w.block_label("next")
                w.line(
                    f"br i1 {w.new(f'icmp ult i64 {k}, {self.made}')}, label %{go}, label %{after}"
                )
                w.begin(go)
                begin()
                w.names[rounds.body.params[0]] = w.new(f"add i64 {place}, {k}")
            self.each(k)
            w.block(Block((), tuple(rounds.single), ()))
            yield [[name for _, name in w.parts(y)] for y in rounds.body.results]
        w.line(f"br label %{after}")
        w.begin(after)
