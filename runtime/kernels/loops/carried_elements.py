"""Elements that a round writes and a later one reads go from round to round as numbers.

Comes in: the body of a kernel. Goes out: the same, where inmost loops with a number of the round
do not read what an earlier round has written: memory would give it some ten cycles later than a
register does, and each round of a recurrence waits for the one before. What the next round writes
again, and nothing reads, is written after the last round only.

    for(%n) { (%i)                         %0 = load(%a, 0)
      %x = load(%a, %i)                    for(%n, %0) { (%i, %x)
      %y = fmul(%x, 2.0)                     %y = fmul(%x, 2.0)
      store(%a, %y, add(%i, 1)) }            store(%a, %y, add(%i, 1))
                                             yield %y }

(Scalar replacement: Callahan, Carr and Kennedy, Improving Register Allocation for Subscripted
Variables, 1990.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import (
    BOOL,
    INT,
    Block,
    Instruction,
    Literal,
    Operand,
    Variable,
    indices_of,
    kind_of,
)
from runtime.kernels.loops.merge import arrays_of, renamed

FARTHEST = 4
"""How many rounds after it was written an element is read, at most."""
_OTHERS = having(Trait.TESTS) | having(Trait.CALLS_C) | {"array", "resized"}
"""What may leave a loop before it has read, and what may write elsewhere."""
NEVER = -1


@dataclass(frozen=True, slots=True)
class _Place:
    """A sum of an integer, of the number of the round so often, and of what no round changes."""

    start: int
    step: int = 0
    terms: tuple[tuple[Operand, int], ...] = ()

    def plus(self, other: _Place, sign: int = 1) -> _Place:
        """Return the sum of two places, or the difference."""
        found = dict(self.terms)
        for x, times in other.terms:
            found[x] = found.get(x, 0) + sign * times
        terms = tuple((x, times) for x, times in found.items() if times)
        return _Place(self.start + sign * other.start, self.step + sign * other.step, terms)

    def times(self, other: _Place) -> _Place | None:
        """Return the product of two places, of which one is an integer."""
        if other.step or other.terms:
            return None if self.step or self.terms else other.times(self)
        factor = other.start
        terms = tuple((x, times * factor) for x, times in self.terms if factor)
        return _Place(self.start * factor, self.step * factor, terms)


def carried(body: Block) -> Block:
    """Return the body of a kernel whose inmost loops keep in registers what they read again."""
    return _in_block(body, arrays_of(body))


def _in_block(block: Block, arrays: Set[Operand]) -> Block:
    found: list[Instruction] = []
    for x in block.instructions:
        if x.op == "for" and not any(y.blocks for y in x.blocks[0].instructions):
            found += _Rewriter(_Loop(x, arrays)).written()
        else:
            found.append(replace(x, blocks=tuple(_in_block(y, arrays) for y in x.blocks)))
    return replace(block, instructions=tuple(found))


class _Loop:
    """A loop without others in it, and the elements that its rounds meet.

    Args:
        loop: counts its rounds.
        arrays: those of which each name is another array.
    """

    def __init__(self, loop: Instruction, arrays: Set[Operand]) -> None:
        self.loop, self.arrays, (self.body,) = loop, arrays, loop.blocks
        self.makers: dict[Operand, Instruction] = {
            y: x for x in self.body.instructions for y in x.results
        }
        self.own = {*self.body.params, *self.makers}
        steps = self.body.instructions
        self.stores = [(k, x) for k, x in enumerate(steps) if x.op == "store"]
        self.loads = [(k, x) for k, x in enumerate(steps) if x.op == "load"]
        is_known = all(x.args[0] in arrays for _, x in self.stores)
        others = (x for x in steps if x.op in _OTHERS and not x.attrs.get("wraps"))
        self.is_open = is_known and not any(others)

    def array(self, x: Instruction) -> Operand | None:
        """Return the array whose element an instruction meets."""
        return x.args[0] if x.args[0] in self.arrays else None

    def places(self, x: Instruction) -> list[_Place | None]:
        """Return where the element is that an instruction meets."""
        return [self.place(y) for y in indices_of(x)]

    def place(self, x: Operand) -> _Place | None:
        """Return an index as a sum; None if it is none."""
        if isinstance(x, Literal):
            return _Place(int(x.value))
        if x is self.body.params[0]:
            return _Place(0, 1)
        if x not in self.own:
            return _Place(0, 0, ((x, 1),))
        maker = self.makers.get(x)
        if maker is None or maker.op not in ("add", "sub", "mul"):
            return None
        first, second = map(self.place, maker.args)
        if first is None or second is None:
            return None
        if maker.op == "mul":
            return first.times(second)
        return first.plus(second, 1 if maker.op == "add" else -1)

    def rounds(self, first: Instruction, second: Instruction) -> int | None:
        """Return after how many rounds the second instruction meets the element of the first.

        None if that is not known, and where it does so in each round.
        """
        found: set[int] = set()
        for x, y in zip(self.places(first), self.places(second), strict=True):
            apart = None if x is None or y is None else x.plus(y, -1)
            if x is None or apart is None or apart.step or apart.terms:
                return None
            if x.step:
                rounds, rest = divmod(apart.start, x.step)
                found.add(NEVER if rest or rounds < 0 else rounds)
            elif apart.start:
                return NEVER
        if not found:
            return None
        return found.pop() if len(found) == 1 else NEVER

    def source(self, at: int, load: Instruction) -> tuple[Operand, int] | None:
        """Return what an earlier round stored where one reads, and how many rounds before.

        None also where it cannot be told, or where the same round has stored it.
        """
        array, found = self.array(load), None
        if array is None or kind_of(load.results[0]).kind == "c":
            return None
        for k, x in self.stores:
            if self.array(x) is not array:
                continue
            rounds = self.rounds(x, load)
            if rounds is None or (rounds == 0 and k < at):
                return None
            if 0 < rounds <= (FARTHEST if found is None else found[1]):
                found = x.args[1], rounds
        return found

    def is_written_again(self, at: int, store: Instruction, loads: Sequence[int]) -> bool:
        """Tell whether the next round writes what one has written, and nothing reads it before.

        Args:
            at: where the store is.
            store: it.
            loads: where those are that are left.
        """
        array = self.array(store)
        for k, x in self.loads:
            if k not in loads or self.array(x) not in (array, None):
                continue
            rounds = None if self.array(x) is None else self.rounds(store, x)
            if rounds is None or rounds > 0 or (rounds == 0 and k > at):
                return False
        others = [x for _, x in self.stores if self.array(x) is array]
        found = [self.rounds(store, x) for x in others]
        return None not in found and 1 in found


class _Rewriter:
    """Writes a loop that carries elements.

    Args:
        found: the loop as it is.
    """

    def __init__(self, found: _Loop) -> None:
        self.found, self.loop = found, found.loop
        self.before: list[Instruction] = []
        self.states: list[tuple[Operand, Variable, Operand]] = []
        self.names: dict[Operand, Operand] = {}

    def written(self) -> list[Instruction]:
        """Return the loop, with what has to stand before and after it."""
        found, body = self.found, self.found.body
        sources = {k: found.source(k, x) for k, x in found.loads} if found.is_open else {}
        for k, source in sources.items():
            if source is not None:
                self.carry(body.instructions[k], *source)
        if not self.states:
            return [self.loop]
        loads = [k for k, source in sources.items() if source is None]
        dead = {k: x for k, x in found.stores if found.is_written_again(k, x, loads)}
        for x in dead.values():
            self.keep(x.args[1])
        initial, params, nexts = zip(*self.states, strict=True)
        gone = {*dead, *(k for k in sources if k not in loads)}
        steps = [renamed(x, self.names) for k, x in enumerate(body.instructions) if k not in gone]
        results = tuple(self.names.get(x, x) for x in (*body.results, *nexts))
        more = tuple(Variable(x.type) for x in params)
        loop = replace(
            self.loop,
            args=(*self.loop.args, *initial),
            results=(*self.loop.results, *more),
            blocks=(Block((*body.params, *params), tuple(steps), results),),
        )
        last = dict(zip(nexts, more, strict=True))
        after = [y for x in dead.values() for y in self.last(x, last[x.args[1]])]
        return [*self.before, loop, *after]

    def carry(self, load: Instruction, stored: Operand, rounds: int) -> None:
        """Have the loop carry what it would load so many rounds after it was stored."""
        (found,) = load.results
        for behind in range(rounds):
            param = Variable(found.type)
            self.states.append((self.first(load, rounds - 1 - behind), param, stored))
            stored = param
        self.names[found] = stored

    def keep(self, value: Operand) -> None:
        """Have the loop give what its last round has stored."""
        if all(x is not value for _, _, x in self.states):
            self.states.append((_zero(value), Variable(kind_of(value)), value))

    def first(self, load: Instruction, number: int) -> Operand:
        """Write what a round loads before another has stored it; zero if there is no such round."""
        value, at = Variable(load.results[0].type), Literal(INT, number)
        steps = self.moved(load, at, self.loop.args[1:])
        steps[-1] = replace(steps[-1], results=(value,))
        found = Variable(value.type)
        arms = Block((), tuple(steps), (value,)), Block((), (), (_zero(value),))
        made = self.if_more(at, steps, Instruction("if", (), (found,), {}, arms))
        self.before += made
        return value if made is steps else found if made else _zero(value)

    def last(self, store: Instruction, value: Operand) -> list[Instruction]:
        """Return what writes after the loop what its last round has stored."""
        count, number = self.loop.args[0], Variable(INT)
        at = Literal(INT, count.value - 1) if isinstance(count, Literal) else number
        steps = self.moved(store, at, self.loop.results)
        array, _, *places = steps[-1].args
        steps[-1] = replace(steps[-1], args=(array, value, *places))
        if at is number:
            steps.insert(0, Instruction("sub", (count, Literal(INT, 1)), (number,), {}))
        arms = Block((), tuple(steps), ()), Block((), (), ())
        return self.if_more(Literal(INT, 0), steps, Instruction("if", (), (), {}, arms))

    def if_more(
        self, than: Literal, steps: list[Instruction], chosen: Instruction
    ) -> list[Instruction]:
        """Return instructions for loops of more rounds: as they are, none, or those that choose."""
        count, test = self.loop.args[0], Variable(BOOL)
        if isinstance(count, Literal):
            return steps if count.value > than.value else []
        return [Instruction("lt", (than, count), (test,), {}), replace(chosen, args=(test,))]

    def moved(self, x: Instruction, number: Operand, state: Sequence[Operand]) -> list[Instruction]:
        """Return an instruction of one round, outside of the loop, behind what makes its place."""
        params, given = self.found.body.params, (number, *state)
        names: dict[Operand, Operand] = dict(zip(params, given, strict=True))
        steps = [*self._copied(indices_of(x), names)]
        return [*steps, replace(x, args=tuple(names.get(y, y) for y in x.args))]

    def _copied(
        self, indices: Sequence[Operand], names: dict[Operand, Operand]
    ) -> Iterator[Instruction]:
        for x in indices:
            maker = self.found.makers.get(x)
            if maker is None or x in names:
                continue
            yield from self._copied(maker.args, names)
            own = Variable(x.type)
            names[x] = own
            yield replace(maker, args=tuple(names.get(y, y) for y in maker.args), results=(own,))


def _zero(x: Operand) -> Literal:
    dtype = kind_of(x)
    return Literal(dtype, dtype.type(0).item())
