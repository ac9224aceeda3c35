"""The sweeps of a kernel over arrays that makes rounds, as LLVM text.

Comes in: what writes the entry of the kernel. Goes out: what stands before and after the computing.

A sweep goes over all tiles (`tiles`). After one, all have made at least as many rounds as before it
(`TARGET`), and one at least has made the most. If all have made as many, and none was held up by
the limit, that is the end. Else the most is what all make in the next sweep, before their elements
are asked again: rounds go on for all elements as long as any asks for them. The state is in the new
arrays then. The limit keeps a sweep short; between two there is a look at signals.

Where rounds go on only as long as all elements ask for more, the least that a tile has made is the
end. If others have made more by then, all of them begin once more, and stop there. Sweeps are short
at first, and each is as long as all before it, so that this costs as much again at most.
"""

from __future__ import annotations

from runtime.kernels.arithmetic import number, stored_type
from runtime.kernels.arrays.carried import Carried, carried
from runtime.kernels.arrays.layout import FLAGS, LONGEST, SIZES, STOPPED, Layout, Rounds, word
from runtime.kernels.arrays.tiles import RECORD, record_words
from runtime.kernels.entry import Entry
from runtime.kernels.kernel import INT, ArrayType
from runtime.kernels.maps import MapKernel

ALONE, SWEEP_TIME, FEWEST = 2e-4, 0.05, 16
"""For about how many seconds rounds are made without other threads; for how many by one sweep after
that; how many rounds this makes at least."""

UNKNOWN = -1
"""What stands for the end before it is known: more rounds than there are."""


class Sweeps:
    """Writes what is around the computing.

    Args:
        e: writes the entry.
        kernel: that is entered.
        total: how many elements the space has.
    """

    def __init__(self, e: Entry, kernel: MapKernel, total: str) -> None:
        self.e, self.w, self.kernel, self.total = e, e.writer, kernel, total
        self.layout = Layout(kernel)
        self.state: Carried = carried(kernel)
        self.results = [self.state.loop.results.index(x) for x in kernel.body.results]

    def before(self, cost: float) -> None:
        """Write the beginning of a sweep; `cost` is the time of a round for an element."""
        w, state = self.w, self.state
        self.e.need(w.new(f"icmp ne i64 {self.total}, 0"))
        tiles = w.new(f"add i64 {self.total}, {state.tile - 1}")
        tiles = w.new(f"udiv i64 {tiles}, {state.tile}")
        self.make_records(w.new(f"mul i64 {tiles}, {record_words(state)}"))
        w.line(f"store i64 0, ptr {self.word(Rounds.TARGET)}")
        w.line(f"store i64 {UNKNOWN}, ptr {self.word(Rounds.END)}")
        self.inputs = self.kept_inputs() if state.is_unanimous else []
        w.declare("i64 @llvm.umax.i64(i64, i64)")
        few, most = (w.new(f"udiv i64 {int(x / cost)}, {self.total}") for x in (ALONE, SWEEP_TIME))
        most = w.new(f"call i64 @llvm.umax.i64(i64 {most}, i64 {FEWEST})")
        w.line("br label %sweep")
        w.begin("sweep")
        target = w.new(f"load i64, ptr {self.word(Rounds.TARGET)}")
        alone, limit = w.new(f"icmp ult i64 {target}, {few}"), w.new(f"add i64 {target}, {most}")
        limit = w.new(f"select i1 {alone}, i64 {few}, i64 {limit}")
        if state.is_unanimous:
            twice = w.new(f"add i64 {w.new(f'shl i64 {target}, 1')}, 2")
            for other in (twice, w.new(f"load i64, ptr {self.word(Rounds.END)}")):
                limit = w.new(f"call i64 @llvm.umin.i64(i64 {limit}, i64 {other})")
        for place, value in ((Rounds.LIMIT, limit), (Rounds.MOST, target), (Rounds.LEAST, "-1")):
            w.line(f"store i64 {value}, ptr {self.word(place)}")
        w.line(f"br i1 {alone}, label %small, label %large")

    def part(self) -> str:
        """Return how many elements a thread takes at once: whole tiles, so that all have some."""
        w = self.w
        w.declare("i64 @llvm.umin.i64(i64, i64)")
        eighth = w.new(f"and i64 {w.new(f'lshr i64 {self.total}, 3')}, {-self.state.tile}")
        part = w.new(f"add i64 {eighth}, {self.state.tile}")
        return w.new(f"call i64 @llvm.umin.i64(i64 {part}, i64 {LONGEST})")

    def after(self) -> None:
        """Write the end of a sweep: another one, or what there is to do after the last."""
        e, w = self.e, self.w
        flags = w.new(f"load i64, ptr {word(w, FLAGS)}")
        e.need(w.new(f"icmp eq i64 {w.new(f'and i64 {flags}, {STOPPED}')}, 0"))
        most, least, limit = (
            w.new(f"load i64, ptr {self.word(x)}")
            for x in (Rounds.MOST, Rounds.LEAST, Rounds.LIMIT)
        )
        agree = w.new(f"icmp uge i64 {least}, {most}")
        done = w.new(f"and i1 {agree}, {w.new(f'icmp ult i64 {most}, {limit}')}")
        if self.state.is_unanimous:
            done = self.ended(agree, done, most, least)
        w.line(f"br i1 {done}, label %settled, label %unsettled")
        w.begin("unsettled")
        w.line(f"store i64 {most}, ptr {self.word(Rounds.TARGET)}")
        raised = w.new(f"call i32 {w.outside('py:PyErr_CheckSignals')}()")
        w.line(f"br i1 {w.new(f'icmp eq i32 {raised}, 0')}, label %continued, label %failed")
        w.begin("continued")
        self.take_results()
        w.line("br label %sweep")
        w.begin("settled")
        e.need(w.new(f"icmp uge i64 {most}, {self.state.loop.attrs['least']}"))
        self.read_numbers(most)

    def kept_inputs(self) -> list[tuple[str, str]]:
        """Return words that say where the state is at first, and what they hold."""
        w, params = self.w, self.kernel.body.params
        found = []
        for part in self.state.elements:
            first = self.layout.input(params.index(self.state.loop.args[part]))
            for n in range(2 + self.kernel.rank):
                place = word(w, first + n)
                found.append((place, w.new(f"load i64, ptr {place}")))
        return found

    def ended(self, agree: str, done: str, most: str, least: str) -> str:
        """Write that all begin again where some went too far; return whether the end is reached."""
        w = self.w
        again, after = w.block_label("again"), w.block_label("agreed")
        w.line(f"br i1 {agree}, label %{after}, label %{again}")
        w.begin(again)
        w.line(f"store i64 {least}, ptr {self.word(Rounds.END)}")
        w.line(f"store i64 0, ptr {self.word(Rounds.TARGET)}")
        for place, value in self.inputs:
            w.line(f"store i64 {value}, ptr {place}")
        w.line("br label %sweep")
        w.begin(after)
        end = w.new(f"load i64, ptr {self.word(Rounds.END)}")
        return w.new(f"or i1 {done}, {w.new(f'icmp eq i64 {most}, {end}')}")

    def word(self, place: Rounds) -> str:
        """Return the address of a word about rounds."""
        return word(self.w, self.layout.rounds(place))

    def make_records(self, words: str) -> None:
        """Write that there is memory for the records; it goes with the other arrays."""
        w = self.w
        sizes = w.space("i64")
        w.line(f"store i64 {words}, ptr {sizes}")
        made = self.e.empty(f"i32 1, ptr {sizes}", INT, "0")
        w.line(f"store ptr {self.e.field(made, 'ptr', 0)}, ptr {self.word(Rounds.RECORDS)}")

    def take_results(self) -> None:
        """Write that the state begins as what the sweep has made of it."""
        w, rank = self.w, self.kernel.rank
        params = self.kernel.body.params
        for k, part in enumerate(self.results):
            port = self.kernel.outputs[k]
            if not isinstance(port.type, ArrayType):
                continue
            first = self.layout.input(params.index(self.state.loop.args[part]))
            data = w.new(f"load ptr, ptr {word(w, self.layout.output(k))}")
            w.line(f"store ptr {data}, ptr {word(w, first)}")
            w.line(f"store i64 1, ptr {word(w, first + 1)}")
            stride = str(port.type.dtype.itemsize)
            for axis in reversed(range(rank)):
                w.line(f"store i64 {stride}, ptr {word(w, first + 2 + axis)}")
                size = w.new(f"load i64, ptr {word(w, SIZES + axis)}")
                stride = w.new(f"mul i64 {stride}, {size}")

    def read_numbers(self, made: str) -> None:
        """Write that the numbers among the results are those of a tile that made all rounds."""
        w, state = self.w, self.state
        wanted = [(k, part) for k, part in enumerate(self.results) if part in state.numbers]
        if not wanted:
            return
        before, search, following, found = w.label, *map(w.block_label, ("search", "next", "found"))
        records = w.new(f"load ptr, ptr {self.word(Rounds.RECORDS)}")
        w.line(f"br label %{search}")
        w.begin(search)
        record = w.block_label("%record")
        phi = len(w.lines)
        own = w.new(f"load i64, ptr {record}")
        w.line(f"br i1 {w.new(f'icmp eq i64 {own}, {made}')}, label %{found}, label %{following}")
        w.begin(following)
        other = w.new(f"getelementptr i64, ptr {record}, i64 {record_words(state)}")
        w.line(f"br label %{search}")
        w.lines.insert(
            phi, f"  {record} = phi ptr [ {records}, %{before} ], [ {other}, %{following} ]"
        )
        w.begin(found)
        for k, part in wanted:
            kind = stored_type(number(self.kernel.body.results[k].type))
            place = w.new(
                f"getelementptr i64, ptr {record}, i64 {RECORD + state.numbers.index(part)}"
            )
            target = w.new(f"load ptr, ptr {word(w, self.layout.output(k))}")
            w.line(f"store {kind} {w.new(f'load {kind}, ptr {place}')}, ptr {target}")
