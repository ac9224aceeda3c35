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
UNLIKELY = "!prof !0"
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


class _Loop:  # Long: the blocks of one loop, which name each other.
    """Writes one loop. The number of the round is the last part of the state of one that counts."""

    def __init__(self, w: Writer, x: Instruction) -> None:
        self.w, self.x = w, x
        self.counts = x.op == "for"
        self.knows_end = self.counts and not has_loop(x)
        self.strip, self.look, self.done = map(w.block_label, ("strip", "look", "done"))
        self.starts: list[Parts] = [w.parts(arg) for arg in x.args[self.counts :]]
        if self.counts:
            self.starts.append([("i64", "0")])

    def write(self) -> None:
        """Write the loop."""
        w, before = self.w, self.w.label
        w.line(f"br label %{self.strip}")
        w.begin(self.strip)
        at_strip, first = len(w.lines), self.names()
        state, following = self.counted(first) if self.knows_end else self.tested(first)
        self.poll(following)
        starts = [[name for _, name in start] for start in self.starts]
        w.lines[at_strip:at_strip] = self.phis(first, (starts, before), (following, w.label))
        w.begin(self.done)
        for result, names in zip(self.x.results, state, strict=False):
            w.bind(result, names)

    def tested(self, first: State) -> tuple[State, State]:
        """Write the rounds of a strip, counted down; return the last state, and that at a look."""
        w, entered = self.w, self.w.label
        head, inside, after = map(w.block_label, ("loop", "body", "after"))
        found, ways = several(self.x), [(first, entered)]
        outs: list[tuple[State, str]] = []
        if found is None:
            w.line(f"br label %{head}")
        else:
            ways, outs = self.several(found, first, head, after)
        at_head, state = self.begin(head)
        test = self.test(state, "")
        w.line(f"br i1 {test}, label %{inside}, label %{after}")
        outs.append((state, w.label))
        w.begin(inside)
        following = self.body(state)
        self.count_down(self.look, head, "1")
        w.lines[-1] += f", {ROLLED}"
        w.lines[at_head:at_head] = self.phis(state, *ways, (following, w.label))
        w.begin(after)
        last = self.names()
        w.lines += self.phis(last, *outs)
        w.line(f"br label %{self.done}")
        return last, following

    def several(
        self, found: Several, first: State, head: str, after: str
    ) -> tuple[list[tuple[State, str]], list[tuple[State, str]]]:
        """Write rounds that one test is enough for; return the ways to others, and to the end.

        Args:
            found: what is tested.
            first: the state of the first round.
            head: where rounds begin that are tested one by one.
            after: where to go after the last round.
        """
        w, entered, start = self.w, self.w.label, self.w.block_label("several")
        w.line(f"br label %{start}")
        at_start, following = self.begin(start)
        state, outs = following, list[tuple[State, str]]()
        ways = [(state, self.go_if_small(found, head))]
        w.passed = found.passed
        for _ in range(TOGETHER):
            self.bind(following)
            inside, out = map(w.block_label, ("body", "out"))
            w.line(f"br i1 {self.test(following, '')}, label %{inside}, label %{out}")
            outs.append((following, out))
            w.begin(inside)
            following = self.body(following)
        w.passed = frozenset()
        self.count_down(head, start, str(TOGETHER))
        w.lines[-1] += f", {ROLLED}"
        ways.append((following, w.label))
        w.lines[at_start:at_start] = self.phis(state, (first, entered), ways[-1])
        for _, out in outs:
            w.begin(out)
            w.line(f"br label %{after}")
        return ways, outs

    def go_if_small(self, found: Several, otherwise: str) -> str:
        """Write that integers are small, or where to go else; return the label of that branch."""
        w, body, test = self.w, self.x.blocks[-1], "false"
        for k in found.places:
            beyond = Variable(BOOL)
            args = (body.params[k], Literal(INT, found.limit))
            w.beyond(Instruction("beyond", args, (beyond,)))
            test = w.new(f"or i1 {test}, {w.operand(beyond)}")
        label, after = w.label, w.block_label("small")
        w.line(f"br i1 {test}, label %{otherwise}, label %{after}, {UNLIKELY}")
        w.begin(after)
        return label

    def counted(self, first: State) -> tuple[State, State]:
        """Write the rounds of a strip whose end is known.

        Once an overflow is to be reported, others are nobody's concern: then they are not noted.
        """
        w, end, after = self.w, self.end(first), self.w.block_label("after")
        start = first[-1][0]
        beside = SideBySide(self.x, w.target)
        if beside.lanes:
            first = self.together(beside, first, end)
        heads, entered = [w.block_label("loop")], w.label
        if self.notes():
            heads.append(w.block_label("deaf"))
            test = w.new("load i1, ptr %reported")
            w.line(f"br i1 {test}, label %{heads[1]}, label %{heads[0]}")
        else:
            w.line(f"br label %{heads[0]}")
        ways: list[tuple[State, str]] = []
        for w.is_deaf, head in enumerate(heads):
            ways.append((self.rounds(head, first, entered, end, after), head))
        w.is_deaf = 0
        w.begin(after)
        state = self.names()
        w.lines += self.phis(state, *ways)
        self.count_down(self.look, self.done, w.new(f"sub i64 {end}, {start}"))
        return state, [*state[:-1], [end]]

    def together(self, beside: SideBySide, first: State, end: str) -> State:
        """Write rounds that go side by side; return the state after them."""
        w, entered, (start,) = self.w, self.w.label, first[-1]
        head, inside, rest = map(w.block_label, ("lanes", "side", "rest"))
        lanes, (place,) = Lanes(w, beside), self.names()[-1]
        most = w.new(f"and i64 {w.new(f'sub i64 {end}, {start}')}, {-beside.lanes}")
        last = w.new(f"add i64 {start}, {most}")
        w.line(f"br label %{head}")
        w.begin(head)
        at_head, state = len(w.lines), [*first[:-1], [place]]
        w.line(f"br i1 {w.new(f'icmp slt i64 {place}, {last}')}, label %{inside}, label %{rest}")
        w.begin(inside)
        self.bind(state)
        lanes.write()
        following = w.new(f"add nuw nsw i64 {place}, {beside.lanes}")
        w.line(f"br label %{head}, {self.unrolling()}")
        phi = f"phi i64 [ {start}, %{entered} ], [ {following}, %{w.label} ]"
        w.lines[at_head:at_head] = [f"  {place} = {phi}", *lanes.phis(entered)]
        w.begin(rest)
        return lanes.state(first, place)

    def rounds(self, head: str, first: State, entered: str, end: str, after: str) -> State:
        """Write rounds up to a known one; return the state after them."""
        w, inside = self.w, self.w.block_label("body")
        at_head, state = self.begin(head)
        w.line(f"br i1 {self.test(state, end)}, label %{inside}, label %{after}")
        w.begin(inside)
        following = self.body(state)
        w.line(f"br label %{head}, {self.unrolling()}")
        w.lines[at_head:at_head] = self.phis(state, (first, entered), (following, w.label))
        return state

    def begin(self, head: str) -> tuple[int, State]:
        """Begin a round; return where the lines of its state go, and the names of it."""
        self.w.begin(head)
        place, state = len(self.w.lines), self.names()
        self.bind(state)
        return place, state

    def body(self, state: State) -> State:
        """Write the body; return the state of the next round."""
        self.w.block(self.x.blocks[-1])
        return self.following(state)

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

    def names(self) -> list[list[str]]:
        """Return new names for the state."""
        return [[f"%v{next(self.w.numbers)}" for _ in start] for start in self.starts]

    def bind(self, state: State) -> None:
        """Say what the parameters of the blocks are called."""
        for block in self.x.blocks:
            for variable, names in zip(block.params[self.counts :], state, strict=False):
                self.w.bind(variable, names)
        if self.counts:
            self.w.bind(self.x.blocks[0].params[0], state[-1])

    def end(self, first: State) -> str:
        """Return the number of the round before which the strip ends."""
        w, count = self.w, self.w.operand(self.x.args[0])
        left = w.new("load i64, ptr %rounds")
        furthest = w.new(f"add nuw nsw i64 {first[-1][0]}, {left}")
        is_last = w.new(f"icmp slt i64 {count}, {furthest}")
        end = w.new(f"select i1 {is_last}, i64 {count}, i64 {furthest}")
        is_after = w.new(f"icmp slt i64 {first[-1][0]}, {end}")
        return w.new(f"select i1 {is_after}, i64 {end}, i64 {first[-1][0]}")

    def test(self, state: State, end: str) -> str:
        """Return whether there is another round in this strip."""
        if self.counts:
            return self.w.new(
                f"icmp slt i64 {state[-1][0]}, {end or self.w.operand(self.x.args[0])}"
            )
        test = self.x.blocks[0]
        self.w.block(test)
        return self.w.operand(test.results[0])

    def following(self, state: State) -> list[list[str]]:
        """Return the state of the next round."""
        w, results = self.w, self.x.blocks[-1].results
        found = [[name for _, name in w.parts(operand)] for operand in results]
        if self.counts:
            found.append([w.new(f"add nuw nsw i64 {state[-1][0]}, 1")])
        return found

    def count_down(self, look: str, otherwise: str, rounds: str) -> None:
        """Write that so many rounds were made, and where to go on."""
        w = self.w
        left = w.new(f"sub i64 {w.new('load i64, ptr %rounds')}, {rounds}")
        w.line(f"store i64 {left}, ptr %rounds")
        is_over = w.new(f"icmp sle i64 {left}, 0")
        w.line(f"br i1 {is_over}, label %{look}, label %{otherwise}, {UNLIKELY}")

    def poll(self, state: State) -> None:
        """Write that other threads run, a look whether to stop, and the way to the next strip."""
        w = self.w
        w.begin(self.look)
        failed = w.new("call preserve_allcc i1 @look(ptr %table, ptr %thread)")
        w.line(f"store i64 {ROUNDS}, ptr %rounds")
        looked = w.block_label("looked")
        w.line(f"br i1 {failed}, label %failed, label %{looked}, {UNLIKELY}")
        w.begin(looked)
        for k in self.x.attrs["counters"]:
            shifted = w.new(f"add i64 {state[k][0]}, {SMALL}")
            w.stop_if(w.new(f"icmp ugt i64 {shifted}, {2 * SMALL}"))
        w.line(f"br label %{self.strip}")

    def phis(self, state: State, *ways: tuple[State, str]) -> list[str]:
        """Return the lines of what the state is after several ways, each with its last block."""
        lines = []
        for k, (parts, start) in enumerate(zip(state, self.starts, strict=True)):
            for n, (name, (kind, _)) in enumerate(zip(parts, start, strict=True)):
                sources = ", ".join(f"[ {values[k][n]}, %{label} ]" for values, label in ways)
                lines.append(f"  {name} = phi {kind} {sources}")
        return lines
