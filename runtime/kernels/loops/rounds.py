"""Loops of kernels as LLVM text.

Comes in: `while` and `for` with blocks, and what writes the instructions in them. Goes out: lines.

A loop goes in strips, so that it looks for signals now and then:

    strip:  state of the strip's first round; how many rounds are left before the next look
    head:   state of the round; the test
    body:   ..., on to the next round, or to `look` when no rounds are left
    look:   lets other threads run, looks whether to stop, and begins the next strip

So the loop inside of a strip is one that LLVM knows: nothing is called in it. One that counts, and
has no loops in it, knows before its first round at which number the strip ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.kernels.arithmetic import UNLIKELY
from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import (
    BOOL,
    INT,
    SMALL,
    Instruction,
    Literal,
    Variable,
    instructions,
    is_loop,
)
from runtime.kernels.loops.breaks import ends, known_on
from runtime.kernels.loops.fission import Begun, Fission
from runtime.kernels.loops.unroll import ROUNDS as TOGETHER
from runtime.kernels.loops.unroll import Several, several
from runtime.kernels.loops.vectorize import Lanes, SideBySide

if TYPE_CHECKING:
    from runtime.kernels.llvm import Writer

ROUNDS = 1 << 22
"""How many rounds pass between two looks at signals."""
SHORT = 32
"""How many instructions a loop has at most that is unrolled: some rounds follow one another."""
FEW = 6
"""How many elements each round of it reads and writes at most: LLVM is slow at many addresses."""
UNROLLED, UNROLLED_MORE, ROLLED = "!llvm.loop !2", "!llvm.loop !4", "!llvm.loop !6"
"""What marks the last branch of a loop."""
METADATA = """\
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.unroll.count", i32 4}
!4 = distinct !{!4, !5}
!5 = !{!"llvm.loop.unroll.count", i32 8}
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.unroll.disable"}"""
_ELEMENT = having(Trait.ELEMENT)
Parts = list[tuple[str, str]]
"""Types and names of what a value is made of."""
State = Sequence[Sequence[str]]
"""The names of what each part of a state is made of."""


def loop(w: Writer, x: Instruction) -> None:
    """Write `while` or `for`: state in registers, a look at signals now and then."""
    _Loop(w, x).write()


def has_loop(x: Instruction) -> bool:
    """Tell whether there are loops in the blocks of an instruction."""
    return any(is_loop(y) for block in x.blocks for y in instructions(block))


class _Loop:
    """Writes one loop. The number of the round is the last part of the state of one that counts.

    The state is in memory between two rounds; LLVM has it in registers.
    """

    def __init__(self, w: Writer, x: Instruction) -> None:
        self.w, self.x = w, x
        self.counts = x.op == "for"
        self.knows_end = self.counts and not has_loop(x)
        self.ends = [] if self.counts else ends(x.blocks[0])
        self.strip, self.look, self.done = map(w.block_label, ("strip", "look", "done"))
        starts: list[Parts] = [w.parts(arg) for arg in x.args[self.counts :]]
        starts += [[("i64", "0")]] * self.counts
        self.slots = [[(kind, w.space(kind)) for kind, _ in start] for start in starts]
        self.keep([[name for _, name in start] for start in starts])

    def write(self) -> None:
        """Write the loop."""
        w = self.w
        w.line(f"br label %{self.strip}")
        w.begin(self.strip)
        if self.knows_end:
            self.counted()
        else:
            self.tested()
        self.poll()
        w.begin(self.done)
        for result, names in zip(self.x.results, self.state(), strict=False):
            w.bind(result, names)

    def state(self) -> list[list[str]]:
        """Return the names of the state as it is kept."""
        return [
            [self.w.new(f"load {kind}, ptr {slot}") for kind, slot in part] for part in self.slots
        ]

    def keep(self, state: State) -> None:
        """Write that a state is kept."""
        for slots, names in zip(self.slots, state, strict=True):
            for (kind, slot), name in zip(slots, names, strict=True):
                self.w.line(f"store {kind} {name}, ptr {slot}")

    def begin(self, head: str) -> None:
        """Begin a round: the parameters of the blocks have the state."""
        self.w.begin(head)
        self.bind(self.state())

    def bind(self, state: State) -> None:
        """Say what the parameters of the blocks are called."""
        for block in self.x.blocks:
            for variable, names in zip(block.params[self.counts :], state, strict=False):
                self.w.bind(variable, names)
        if self.counts:
            self.w.bind(self.x.blocks[0].params[0], state[-1])

    def tested(self) -> None:
        """Write the rounds of a strip, counted down."""
        w, found = self.w, several(self.x)
        head, after = map(w.block_label, ("loop", "after"))
        if found is None:
            w.line(f"br label %{head}")
        else:
            self.several(found, head, after)
        self.begin(head)
        self.round(after)
        self.count_down(self.look, head, "1")
        w.lines[-1] += f", {ROLLED}"
        w.begin(after)
        w.line(f"br label %{self.done}")

    def several(self, found: Several, head: str, after: str) -> None:
        """Write rounds that one test is enough for.

        Args:
            found: what is tested.
            head: where rounds begin that are tested one by one.
            after: where to go after the last round.
        """
        w, start = self.w, self.w.block_label("several")
        w.line(f"br label %{start}")
        self.begin(start)
        self.go_if_small(found, head)
        w.passed = found.passed
        for k in range(TOGETHER):
            if k:
                self.bind(self.state())
            self.round(after)
        w.passed = frozenset()
        self.count_down(head, start, str(TOGETHER))
        w.lines[-1] += f", {ROLLED}"

    def go_if_small(self, found: Several, otherwise: str) -> None:
        """Write that integers are small, or where to go else."""
        w, body, test = self.w, self.x.blocks[-1], "false"
        for k in found.places:
            beyond = Variable(BOOL)
            args = (body.params[k], Literal(INT, found.limit))
            w.beyond(Instruction("beyond", args, (beyond,)))
            test = w.new(f"or i1 {test}, {w.operand(beyond)}")
        after = w.block_label("small")
        w.line(f"br i1 {test}, label %{otherwise}, label %{after}, {UNLIKELY}")
        w.begin(after)

    def counted(self) -> None:
        """Write the rounds of a strip whose end is known.

        Once an overflow is to be reported, others are nobody's concern: then they are not noted.
        """
        w, after, first = self.w, self.w.block_label("after"), self.state()
        ((start,), end), beside = (first[-1], self.end(first[-1][0])), SideBySide(self.x, w.target)
        if beside.lanes:
            self.together(beside, first, end)
        elif (parted := Fission(self.x, w.target)).lanes:
            self.begun(parted, end, after)
        if beside.lanes or not parted.lanes:
            self.one_by_one(end, after)
        w.begin(after)
        w.line(f"store i64 {end}, ptr {self.slots[-1][0][1]}")
        self.count_down(self.look, self.done, w.new(f"sub i64 {end}, {start}"))

    def one_by_one(self, end: str, after: str) -> None:
        """Write rounds that are made one by one."""
        w = self.w
        heads = [w.block_label("loop")]
        if self.notes():
            heads.append(w.block_label("deaf"))
            test = w.new("load i1, ptr %reported")
            w.line(f"br i1 {test}, label %{heads[1]}, label %{heads[0]}")
        else:
            w.line(f"br label %{heads[0]}")
        for w.is_deaf, head in enumerate(heads):
            self.begin(head)
            self.round(after, end)
            w.line(f"br label %{head}, {self.unrolling()}")
        w.is_deaf = 0

    def begun(self, parted: Fission, end: str, after: str) -> None:
        """Write rounds of which a part goes side by side."""
        w, head, inside = self.w, self.w.block_label("lanes"), self.w.block_label("begin")
        w.line(f"br label %{head}")
        w.begin(head)
        (place,) = self.state()[-1]
        w.line(f"br i1 {w.new(f'icmp slt i64 {place}, {end}')}, label %{inside}, label %{after}")
        w.begin(inside)
        left, lanes = w.new(f"sub i64 {end}, {place}"), parted.lanes
        is_less = w.new(f"icmp ult i64 {left}, {lanes}")
        count = w.new(f"select i1 {is_less}, i64 {left}, i64 {lanes}")
        self.bind(self.state())
        for state in Begun(w, parted, count).rounds_of(
            lambda: self.bind([*self.state()[:-1], [place]])
        ):
            self.keep([*state, [place]])
        self.keep([*self.state()[:-1], [w.new(f"add nuw nsw i64 {place}, {count}")]])
        w.line(f"br label %{head}, {ROLLED}")

    def together(self, beside: SideBySide, first: State, end: str) -> None:
        """Write rounds that go side by side."""
        w, (start,), lanes = self.w, first[-1], Lanes(self.w, beside)
        head, inside, rest = map(w.block_label, ("lanes", "side", "rest"))
        most = w.new(f"and i64 {w.new(f'sub i64 {end}, {start}')}, {-beside.lanes}")
        last = w.new(f"add i64 {start}, {most}")
        w.line(f"br label %{head}")
        w.begin(head)
        (place,) = self.state()[-1]
        w.line(f"br i1 {w.new(f'icmp slt i64 {place}, {last}')}, label %{inside}, label %{rest}")
        w.begin(inside)
        self.bind([*first[:-1], [place]])
        lanes.write()
        following = w.new(f"add nuw nsw i64 {place}, {beside.lanes}")
        self.keep([*first[:-1], [following]])
        w.line(f"br label %{head}, {self.unrolling()}")
        w.begin(rest)
        self.keep(lanes.state(first, place))

    def round(self, after: str, end: str = "") -> None:
        """Write a test whether there is another round before an end, and the round."""
        w, inside, number = self.w, self.w.block_label("body"), self.x.blocks[0].params[:1]
        if self.counts:
            end = end or w.operand(self.x.args[0])
            test = w.new(f"icmp slt i64 {w.operand(*number)}, {end}")
        else:
            w.block(self.x.blocks[0])
            test = w.operand(self.x.blocks[0].results[0])
        w.line(f"br i1 {test}, label %{inside}, label %{after}")
        w.begin(inside)
        w.block(self.x.blocks[-1])
        state = [[name for _, name in w.parts(y)] for y in self.x.blocks[-1].results]
        if self.counts:
            state.append([w.new(f"add nuw nsw i64 {w.operand(*number)}, 1")])
        self.keep(state)
        for k in self.ends:  # each way that says so goes straight on; on others more is known
            going, body = w.block_label("going"), self.x.blocks[-1]
            w.line(f"br i1 {w.operand(body.results[k])}, label %{after}, label %{going}")
            w.begin(going)
            for place, y in known_on(body, k):
                w.line(f"store {w.typed(y)}, ptr {self.slots[place][0][1]}")

    def notes(self) -> bool:
        """Tell whether it is a loop of numbers that notes overflows which end nothing."""
        body = [*instructions(self.x.blocks[-1])]
        return any(x.op == "overflow" and x.attrs["wraps"] for x in body) and not any(
            x.op in _ELEMENT for x in body
        )

    def unrolling(self) -> str:
        """Return the mark that says how many rounds are written one after another."""
        body = [*instructions(self.x.blocks[0])]
        elements = sum(x.op in _ELEMENT for x in body)
        if len(body) > SHORT or elements > FEW or any(x.op == "place" for x in body):
            return ROLLED
        if self.notes():
            return UNROLLED_MORE if self.w.is_deaf else ROLLED
        return UNROLLED

    def end(self, first: str) -> str:
        """Return the number of the round before which the strip ends."""
        w, count = self.w, self.w.operand(self.x.args[0])
        left = w.new("load i64, ptr %rounds")
        furthest = w.new(f"add nuw nsw i64 {first}, {left}")
        is_last = w.new(f"icmp slt i64 {count}, {furthest}")
        end = w.new(f"select i1 {is_last}, i64 {count}, i64 {furthest}")
        is_after = w.new(f"icmp slt i64 {first}, {end}")
        return w.new(f"select i1 {is_after}, i64 {end}, i64 {first}")

    def count_down(self, look: str, otherwise: str, rounds: str) -> None:
        """Write that so many rounds were made, and where to go on."""
        w = self.w
        left = w.new(f"sub i64 {w.new('load i64, ptr %rounds')}, {rounds}")
        w.line(f"store i64 {left}, ptr %rounds")
        is_over = w.new(f"icmp sle i64 {left}, 0")
        w.line(f"br i1 {is_over}, label %{look}, label %{otherwise}, {UNLIKELY}")

    def poll(self) -> None:
        """Write that other threads run, a look whether to stop, and the way to the next strip."""
        w = self.w
        w.begin(self.look)
        failed = w.new("call preserve_allcc i1 @look(ptr %table, ptr %thread)")
        w.line(f"store i64 {ROUNDS}, ptr %rounds")
        looked = w.block_label("looked")
        w.line(f"br i1 {failed}, label %failed, label %{looked}, {UNLIKELY}")
        w.begin(looked)
        for k in self.x.attrs["counters"]:
            number = w.new(f"load i64, ptr {self.slots[k][0][1]}")
            shifted = w.new(f"add i64 {number}, {SMALL}")
            w.stop_if(w.new(f"icmp ugt i64 {shifted}, {2 * SMALL}"))
        w.line(f"br label %{self.strip}")
