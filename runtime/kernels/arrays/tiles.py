"""The rounds of a kernel over arrays as LLVM text: a function that makes those of a range.

Comes in: a kernel with a loop. Goes out: lines of a function. It knows nothing of Python's objects.

A tile, a few vectors of elements, makes round after round in registers, then comes the next one. It
makes as many as all have made before (`TARGET`), goes on as long as one of its own elements asks
for more (or all do, where all have to), and stops at the limit of this sweep (`sweeps` says what
follows). What it has reached goes to its record: the number of rounds, whether it rests, and the
numbers that the rounds carry.

A tile rests when none of its elements asks for more, and one round more changes no bit of it: then
no other round will. That round is computed together with the test. The last tiles of the space,
where these are not whole, are copies that are filled up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runtime.kernels.arithmetic import kind_of, llvm_type, number
from runtime.kernels.arrays import ranges
from runtime.kernels.arrays.blocks import Run
from runtime.kernels.arrays.carried import Carried, carried
from runtime.kernels.arrays.layout import Rounds, word
from runtime.kernels.arrays.tables import whole_array
from runtime.kernels.arrays.vector_pass import Known, Lanes
from runtime.kernels.control_flow import loop
from runtime.kernels.kernel import BOOL, ArrayType, Block, Operand, Variable
from runtime.kernels.llvm import Writer
from runtime.kernels.maps import MapKernel
from runtime.kernels.vectors import any_lane, splat

RECORD = 2
"""The words of a record before those of the numbers: how many rounds, whether the tile rests."""
RESTS = -1
"""What a tile that rests counts as, among the rounds that tiles have made at least."""


def write_tiles(w: Writer, kernel: MapKernel) -> int:
    """Write `run(table, context, first, end)`; return how long a block is."""
    tiles = _Tiles(w, kernel)
    tiles.whole()
    return tiles.length


class _Tiles:  # Long: the steps of one function of LLVM, which share its registers and blocks.
    """Writes the function; `Run` writes what it has in common with those of other kernels."""

    def __init__(self, w: Writer, kernel: MapKernel) -> None:
        self.w, self.kernel = w, kernel
        self.run = Run(w, kernel)
        self.state: Carried = carried(kernel)
        self.length = self.run.length // self.state.tile * self.state.tile
        assert kernel.loop is not None
        places = [
            kernel.loop.results.index(x) for x in kernel.body.results if x in kernel.loop.results
        ]
        self.outputs = {part: k for k, part in enumerate(places) if part in self.state.elements}

    def whole(self) -> None:
        """Write the function."""
        w, run = self.w, self.run
        top = run.start("run", "i64 %first, i64 %end")
        w.line("%reported = alloca i1")
        w.line("store i1 false, ptr %reported")
        self.most, self.least = w.space("i64"), w.space("i64")
        w.line(f"store i64 0, ptr {self.most}")
        w.line(f"store i64 {RESTS}, ptr {self.least}")
        copies = {k: run.buffer(x, self.length) for x, k in run.arrays()}
        shorts = {
            k: run.buffer(self.kernel.body.results[k], self.length) for k in self.outputs.values()
        }
        w.clear_flags()
        run.read_context()
        self.numbers()
        w.line("br label %block")
        w.begin("block")
        begin = len(w.lines)
        self.block(copies, shorts)
        w.line(f"%following = add i64 %begin, {run.range.units}")
        more = w.new("icmp ult i64 %following, %end")
        goes_on = w.new(f"xor i1 {w.new('load i1, ptr %stopped')}, true")
        goes_on = w.new(f"and i1 {more}, {goes_on}")
        w.lines.insert(begin, f"  %begin = phi i64 [ %first, %start ], [ %following, %{w.label} ]")
        w.line(f"br i1 {goes_on}, label %block, label %leaving")
        w.begin("stop")
        w.line("store i1 true, ptr %stopped")
        w.line("br label %leaving")
        w.begin("leaving")
        self.report()
        w.line("br label %finish")
        run.finish(top)

    def rounds(self, place: Rounds) -> str:
        """Return the address of a word about rounds."""
        return word(self.w, self.run.layout.rounds(place))

    def numbers(self) -> None:
        """Write the reading of what is the same for all tiles."""
        w, kernel = self.w, self.kernel
        for k, (x, port) in enumerate(zip(kernel.body.params, kernel.inputs, strict=True)):
            if not isinstance(port.type, ArrayType):
                w.names[x] = w.loaded(self.run.memory[x], number(x.type))
            elif port.whole:
                w.bind(x, whole_array(w, self.run.layout.input(k), len(port.type.shape)))
        before = kernel.body.instructions[: kernel.body.instructions.index(self.state.loop)]
        w.block(Block((), before, ()))
        self.target = w.new(f"load i64, ptr {self.rounds(Rounds.TARGET)}")
        self.limit = w.new(f"load i64, ptr {self.rounds(Rounds.LIMIT)}")
        self.records = w.new(f"load ptr, ptr {self.rounds(Rounds.RECORDS)}")

    def report(self) -> None:
        """Write what goes to the context in the end, beside the flags."""
        w = self.w
        for rule, local, place in (
            ("umax", self.most, Rounds.MOST),
            ("umin", self.least, Rounds.LEAST),
        ):
            found = w.new(f"load i64, ptr {local}")
            w.new(f"atomicrmw {rule} ptr {self.rounds(place)}, i64 {found} monotonic")
        reported = w.new(f"select i1 {w.new('load i1, ptr %reported')}, i32 8, i32 0")
        both = w.new(f"or i32 {reported}, {w.new('load i32, ptr %flags')}")
        w.line(f"store i32 {both}, ptr %flags")

    def block(self, copies: Mapping[int, str], shorts: dict[int, str]) -> None:
        """Write what is done with a block."""
        w, run, tile = self.w, self.run, self.state.tile
        run.range = ranges.elements(w, self.length)
        run.filled = w.new(f"and i64 {w.new(f'add i64 {run.range.count}, {tile - 1}')}, {-tile}")
        run.is_short = w.new(f"icmp ne i64 {run.filled}, {run.range.count}")
        for x, k in run.arrays():
            run.memory[x] = run.input_block(x, k, copies[k])
        self.memory = {k: run.output_block(k, short) for k, short in shorts.items()}
        loop(w, "0", run.filled, str(tile), self.tile)
        run.copy_short(shorts)

    def tile(self, place: str) -> None:
        """Write the rounds of a tile."""
        w, state = self.w, self.state
        first = w.new(f"add i64 %begin, {place}")
        offset = w.new(
            f"mul i64 {w.new(f'udiv i64 {first}, {state.tile}')}, {record_words(self.state)}"
        )
        self.record = w.new(f"getelementptr i64, ptr {self.records}, i64 {offset}")
        self.vectors = [
            self.registers(w.new(f"add i64 {place}, {k * state.lanes}"))
            for k in range(state.vectors)
        ]
        inputs = [x for x in self.kernel.body.params if x not in {*state.loop.args} | state.uniform]
        for x in (*inputs, *(state.loop.args[k] for k in state.elements)):
            for registers in self.vectors:
                registers.operand(x)
        rounds, rests, numbers = self.begun()
        limit = w.new(f"select i1 {rests}, i64 0, i64 {self.limit}")
        if state.is_unanimous:
            end = w.new(f"load i64, ptr {self.least}")
            limit = w.new(f"call i64 @llvm.umin.i64(i64 {limit}, i64 {end})")
        made, rests = self.loop(rounds, rests, numbers, limit)
        for part, k in self.outputs.items():
            for registers in self.vectors:
                registers.store(state.test.params[part], self.memory[k])
        self.keep(made, rests)

    def registers(self, place: str) -> Lanes:
        """Return the registers of one vector of the tile."""
        lanes, run = self.state.lanes, self.run
        return Lanes(self.w, lanes, Known(), run.memory, place, ahead=run.ahead)

    def begun(self) -> tuple[str, str, list[str]]:
        """Write how far the tile is: its rounds, whether it rests, and the numbers it carries."""
        w, state = self.w, self.state
        again, after = w.block_label("again"), w.block_label("begun")
        before = w.label
        fresh = w.new(f"icmp eq i64 {self.target}, 0")
        w.line(f"br i1 {fresh}, label %{after}, label %{again}")
        w.begin(again)
        rounds = w.new(f"load i64, ptr {self.record}")
        rests = w.new(f"icmp ne i64 {w.new(f'load i64, ptr {self.word(1)}')}, 0")
        known = [
            w.loaded(self.word(RECORD + n), number(state.body.params[k].type))
            for n, k in enumerate(state.numbers)
        ]
        w.line(f"br label %{after}")
        w.begin(after)

        def either(kind: str, first: str, other: str) -> str:
            return w.new(f"phi {kind} [ {first}, %{before} ], [ {other}, %{again} ]")

        found = either("i64", "0", rounds), either("i1", "false", rests)
        initial = [w.operand(state.loop.args[k]) for k in state.numbers]
        kinds = [llvm_type(number(state.body.params[k].type)) for k in state.numbers]
        return *found, [either(*x) for x in zip(kinds, initial, known, strict=True)]

    def word(self, k: int) -> str:
        """Return the address of a word of the record."""
        return self.w.new(f"getelementptr i64, ptr {self.record}, i64 {k}")

    def keep(self, rounds: str, rests: str) -> None:
        """Write that the record of the tile is kept, and what all tiles have made."""
        w, state = self.w, self.state
        w.line(f"store i64 {rounds}, ptr {self.record}")
        w.line(f"store i64 {w.new(f'zext i1 {rests} to i64')}, ptr {self.word(1)}")
        for n, k in enumerate(state.numbers):
            w.store(state.test.params[k], self.word(RECORD + n))
        for least, local in (("umax", self.most), ("umin", self.least)):
            own = (
                w.new(f"select i1 {rests}, i64 {RESTS}, i64 {rounds}")
                if least == "umin"
                else rounds
            )
            found = w.new(f"load i64, ptr {local}")
            found = w.new(f"call i64 @llvm.{least}.i64(i64 {found}, i64 {own})")
            w.line(f"store i64 {found}, ptr {local}")

    def loop(self, rounds: str, rests: str, numbers: Sequence[str], limit: str) -> tuple[str, str]:
        """Write the rounds; return how many there were, and whether the tile rests now."""
        w, state, before = self.w, self.state, self.w.label
        given = dict(zip(state.numbers, numbers, strict=True))
        starts = [
            [given[k]] if k in given else self.elements(x) for k, x in enumerate(state.loop.args)
        ]
        head, inside, left = map(w.block_label, ("round", "inside", "left"))
        w.line(f"br label %{head}")
        w.begin(head)
        phi = len(w.lines)
        made = f"%v{next(w.numbers)}"
        names = [[f"%v{next(w.numbers)}" for _ in start] for start in starts]
        self.bind(names)
        w.block(state.of_numbers(state.test))
        forced = w.new(f"icmp ult i64 {made}, {self.target}")
        ways = [(rests, w.label)]
        w.line(f"br i1 {self.may_go(made, limit, forced)}, label %{inside}, label %{left}")
        w.begin(inside)
        if state.asks:
            again = self.asked(forced)
            if not state.may_rest:
                ways.append(("false", w.label))
                inside = w.block_label("again")
                w.line(f"br i1 {again}, label %{inside}, label %{left}")
                w.begin(inside)
        following = self.round()
        made_now, end = w.new(f"add i64 {made}, 1"), w.label
        if state.may_rest:
            probed = w.block_label("probed")
            w.line(f"br i1 {again}, label %{head}, label %{probed}")
            w.begin(probed)
            ways.append((self.unchanged(names, following), w.label))
            w.line(f"br label %{left}")
        else:
            w.line(f"br label %{head}")
        phis = [self.phi("i64", made, (rounds, before), (made_now, end))]
        for k, parts in enumerate(zip(names, starts, following, strict=True)):
            for name, start, other in zip(*parts, strict=True):
                phis.append(self.phi(self.kind(k), name, (start, before), (other, end)))
        w.lines[phi:phi] = phis
        w.begin(left)
        sources = ", ".join(f"[ {value}, %{label} ]" for value, label in ways)
        return made, w.new(f"phi i1 {sources}")

    def phi(self, kind: str, name: str, *ways: tuple[str, str]) -> str:
        """Return the line of what a value is at the beginning of a round."""
        sources = ", ".join(f"[ {value}, %{label} ]" for value, label in ways)
        return f"  {name} = phi {kind} {sources}"

    def kind(self, k: int) -> str:
        """Return the type of a part of the state in registers."""
        dtype = number(self.state.body.params[k].type)
        return llvm_type(dtype) if k in self.state.numbers else kind_of(dtype, self.state.lanes)

    def bind(self, names: Sequence[Sequence[str]]) -> None:
        """Say what the state is called in both blocks."""
        for block in self.state.loop.blocks:
            for x, own in zip(block.params, names, strict=True):
                if x in self.state.uniform:
                    (self.w.names[x],) = own
                else:
                    for registers, name in zip(self.vectors, own, strict=True):
                        registers.names[x] = name

    def may_go(self, made: str, limit: str, forced: str) -> str:
        """Return whether there is another round, if the elements agree."""
        w, state = self.w, self.state
        goes = w.new(f"or i1 {forced}, {w.operand(state.test.results[0])}")
        goes = w.new(f"and i1 {goes}, {w.new(f'icmp ult i64 {made}, {limit}')}")
        if any(x.op == "stop" for block in state.loop.blocks for x in state.of_elements(block)):
            fine = w.new(f"xor i1 {w.new('load i1, ptr %stopped')}, true")
            goes = w.new(f"and i1 {goes}, {fine}")
        return goes

    def elements(self, x: Operand) -> list[str]:
        """Return the vectors of an operand."""
        if x in self.state.uniform and isinstance(x, Variable):
            vector = splat(self.w, self.state.lanes, self.w.names[x], number(x.type))
            return [vector] * self.state.vectors
        return [registers.operand(x) for registers in self.vectors]

    def steps(self, block: Block) -> None:
        """Write the instructions on elements, each for all vectors: none waits for others."""
        steps = self.state.of_elements(block)
        for x in dict.fromkeys(y for step in steps for y in step.args):
            if x in self.state.uniform and isinstance(x, Variable):
                for registers, name in zip(self.vectors, self.elements(x), strict=True):
                    registers.names[x] = name
        for step in steps:
            for registers in self.vectors:
                registers.instruction(step)

    def asked(self, forced: str) -> str:
        """Return whether any element asks for another round, or there has to be one."""
        w, state = self.w, self.state
        self.steps(state.test)
        asks = self.elements(state.test.results[1])
        if not state.is_unanimous:
            return w.new(f"or i1 {forced}, {any_lane(w, state.lanes, asks)}")
        kind = kind_of(BOOL, state.lanes)
        found = any_lane(w, state.lanes, [w.new(f"xor {kind} {x}, splat (i1 true)") for x in asks])
        return w.new(f"or i1 {forced}, {w.new(f'xor i1 {found}, true')}")

    def round(self) -> list[list[str]]:
        """Write a round; return the state after it."""
        w, state = self.w, self.state
        w.block(state.of_numbers(state.body))
        self.steps(state.body)
        return [
            [w.operand(x)] if k in state.numbers else self.elements(x)
            for k, x in enumerate(state.body.results)
        ]

    def unchanged(self, names: Sequence[Sequence[str]], following: Sequence[Sequence[str]]) -> str:
        """Return whether a round changes no bit of the elements."""
        w, lanes = self.w, self.state.lanes
        changed = []
        for k in self.state.elements:
            kind, dtype = self.kind(k), number(self.state.body.params[k].type)
            bits = kind_of(dtype, lanes).replace("float", "i32").replace("double", "i64")
            for before, after in zip(names[k], following[k], strict=True):
                sides = [w.new(f"bitcast {kind} {x} to {bits}") for x in (before, after)]
                changed.append(w.new(f"icmp ne {bits} {sides[0]}, {sides[1]}"))
        return w.new(f"xor i1 {any_lane(w, lanes, changed)}, true")


def record_words(state: Carried) -> int:
    """Return how many words the record of a tile has."""
    return RECORD + len(state.numbers)
