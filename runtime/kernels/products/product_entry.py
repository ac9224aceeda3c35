"""The entry of a product of matrices, or of stacks of them, as LLVM text.

Comes in: what a module of products is made for. Goes out: text, and the table of what it needs from
outside, which the words of one product follow (`Words`, then `Layout`). Nothing runs here.

As those of other kernels, the function takes two arrays and returns a new one, or None when it has
done nothing: an array is not laid out as its words say, or NumPy would report something.
"""

from __future__ import annotations

from enum import IntEnum

from runtime.kernels.arrays.layout import FLAGS, RUN, TABLE, TOTAL, word
from runtime.kernels.control_flow import loop
from runtime.kernels.entry import ITEMS, REPORTED, Entry, Text
from runtime.kernels.helpers import common, helper
from runtime.kernels.llvm import METADATA, Writer
from runtime.kernels.products.micro_kernel import WIDTHS, Shape, tiles

ALIGNED = 0x0100
DEEPEST = 1024
"""How deep a panel is at most; it is on the stack."""
MOST_PARTS = 8
"""In how many parts the depth of a product is gone through at most."""
MOST_AXES = 8
"""How many axes arrays have at most."""


class Words(IntEnum):
    """The words of a context: after those that every one has, these.

    X, Y, Z are the data of the operands and of the result, ROWS, COLUMNS and DEPTH the sizes of an
    item of the stack; X0 to Z0 are strides in bytes, X_ITEM to Z_ITEM those from item to item.
    VECTORS is how many vectors have all columns; PANELS and BANDS are into how many parts columns
    and rows are divided, each a unit of work. ZERO is what sums are added to first, SMALL whether
    nobody else runs meanwhile; WORK, how much there is to do, is compared with LEAST to see whether
    threads pay. ASKED is a function, or 0, that has to return FOUND. PARTS and ENDS say
    after how many steps of the depth a sum goes to the result.
    """

    X, Y, Z = RUN + 1, RUN + 2, RUN + 3
    ROWS, COLUMNS, DEPTH = RUN + 4, RUN + 5, RUN + 6
    X0, X1, Y0, Y1, Z0 = RUN + 7, RUN + 8, RUN + 9, RUN + 10, RUN + 11
    X_ITEM, Y_ITEM, Z_ITEM = RUN + 12, RUN + 13, RUN + 14
    VECTORS, PANELS, BANDS = RUN + 15, RUN + 16, RUN + 17
    ZERO, SMALL, WORK, LEAST = RUN + 18, RUN + 19, RUN + 20, RUN + 21
    ASKED, FOUND = RUN + 22, RUN + 23
    PARTS = RUN + 24
    ENDS = RUN + 25
    COUNT = RUN + 25 + MOST_PARTS


RESULT, FIRST, SECOND = range(3)
"""Whose shapes and strides follow: rank, sizes, strides, with room for MOST_AXES each."""
OF_ARRAY = 1 + 2 * MOST_AXES


def product_text(shape: Shape) -> Text:
    """Return the module of products of matrices of one dtype."""
    table = {name: place for place, name in enumerate(common().table)}
    run = Writer(table)
    _Run(run, shape).whole()
    entry = _Entry(table, f"float{8 * shape.size}")
    entry.whole()
    w = entry.w
    lines = [*run.lines, *w.lines, tiles(shape)]
    lines += run.declarations | w.declarations
    lines += ["attributes #0 = { strictfp }", "attributes #1 = { nounwind }", METADATA, "!1 = !{}"]
    text = "\n".join(lines) + "\n"
    return Text(text.replace("@WORDS@", str(len(table))), tuple(table))


class _Run:
    """Writes `run(table, context, first, end)`, which computes units of work."""

    def __init__(self, w: Writer, shape: Shape) -> None:
        self.w = w
        self.shape = shape

    def whole(self) -> None:
        """Write the function."""
        w, shape = self.w, self.shape
        given = "ptr %table, ptr %context, i64 %first, i64 %end"
        w.lines.append(f"define internal void @run({given}) #0 {{")
        w.begin("start")
        top = len(w.lines)
        w.line("%control = alloca i32")
        w.line("%flags = alloca i32")
        w.line("store i32 0, ptr %flags")
        w.declare("i64 @llvm.umin.i64(i64, i64)")
        panel = (DEEPEST + shape.lanes) * WIDTHS[-1] * shape.lanes * shape.size
        self.panel = w.buffer(panel)
        w.clear_flags()
        self.zero = self.loaded(Words.ZERO, shape.one)
        loop(w, "%first", "%end", "1", self.unit)
        w.keep_flags()
        wide = w.new(f"zext i32 {w.new('load i32, ptr %flags')} to i64")
        w.new(f"atomicrmw or ptr {word(w, FLAGS)}, i64 {wide} monotonic")
        w.line("ret void")
        w.lines.append("}")
        w.lines[top:top] = w.spaces

    def loaded(self, place: int, kind: str = "i64") -> str:
        """Return a word of the context."""
        return self.w.new(f"load {kind}, ptr {word(self.w, place)}")

    def unit(self, number: str) -> None:
        """Write the work on some columns and rows of one item."""
        w, lanes = self.w, self.shape.lanes
        bands, panels = self.loaded(Words.BANDS), self.loaded(Words.PANELS)
        band, rest = w.new(f"urem i64 {number}, {bands}"), w.new(f"udiv i64 {number}, {bands}")
        part, item = w.new(f"urem i64 {rest}, {panels}"), w.new(f"udiv i64 {rest}, {panels}")
        vectors = self.loaded(Words.VECTORS)
        first, after = (self.share(x, vectors, panels) for x in self.ends(part))
        width = w.new(f"sub i64 {after}, {first}")
        column = w.new(f"mul i64 {first}, {lanes}")
        left = w.new(f"sub i64 {self.loaded(Words.COLUMNS)}, {column}")
        room = w.new(f"mul i64 {width}, {lanes}")
        columns = w.new(f"call i64 @llvm.umin.i64(i64 {left}, i64 {room})")
        rows = self.loaded(Words.ROWS)
        high = self.shape.rows
        heights = w.new(f"udiv i64 {w.new(f'add i64 {rows}, {high - 1}')}, {high}")
        low, top = (
            w.new(f"mul i64 {self.share(x, heights, bands)}, {high}") for x in self.ends(band)
        )
        top = w.new(f"call i64 @llvm.umin.i64(i64 {top}, i64 {rows})")
        count = w.new(f"sub i64 {top}, {low}")
        x = self.address(Words.X, (item, Words.X_ITEM), (low, Words.X0))
        y = self.address(Words.Y, (item, Words.Y_ITEM), (column, Words.Y1))
        z = self.address(Words.Z, (item, Words.Z_ITEM), (low, Words.Z0))
        z = w.new(f"getelementptr {self.shape.one}, ptr {z}, i64 {column}")

        def part_of_depth(number: str) -> None:
            self.part_of_depth(number, width, columns, count, (x, y, z))

        loop(w, "0", self.loaded(Words.PARTS), "1", part_of_depth)

    def ends(self, number: str) -> tuple[str, str]:
        """Return a number and the next one."""
        return number, self.w.new(f"add i64 {number}, 1")

    def share(self, number: str, whole: str, parts: str) -> str:
        """Return where a part of so many begins."""
        return self.w.new(f"udiv i64 {self.w.new(f'mul i64 {number}, {whole}')}, {parts}")

    def address(self, data: int, *ways: tuple[str, int]) -> str:
        """Return an address so many steps from where data begin."""
        found = self.loaded(data, "ptr")
        for count, stride in ways:
            found = self.moved(found, count, self.loaded(stride))
        return found

    def moved(self, address: str, count: str, stride: str) -> str:
        """Return the address so many strides further."""
        distance = self.w.new(f"mul i64 {count}, {stride}")
        return self.w.new(f"getelementptr i8, ptr {address}, i64 {distance}")

    def part_of_depth(
        self, number: str, width: str, columns: str, rows: str, places: tuple[str, str, str]
    ) -> None:
        """Write that one part of the depth is added to the result."""
        w, lanes = self.w, self.shape.lanes
        ends = word(w, Words.ENDS)
        end = w.new(f"load i64, ptr {w.new(f'getelementptr i64, ptr {ends}, i64 {number}')}")
        before = w.new(f"getelementptr i64, ptr {ends}, i64 {w.new(f'sub i64 {number}, 1')}")
        adds = w.new(f"icmp ne i64 {number}, 0")
        start = w.new(f"select i1 {adds}, i64 {w.new(f'load i64, ptr {before}')}, i64 0")
        depth = w.new(f"sub i64 {end}, {start}")
        strides = {k: self.loaded(k) for k in (Words.X0, Words.X1, Words.Y0, Words.Y1, Words.Z0)}
        x = self.moved(places[0], start, strides[Words.X1])
        y = self.moved(places[1], start, strides[Words.Y0])
        others = w.new(f"mul i64 {w.new(f'sub i64 {width}, 1')}, {lanes}")
        own = w.new(f"sub i64 {columns}, {others}")
        missing = w.new(f"trunc i64 {w.new(f'sub i64 {lanes}, {own}')} to i{lanes}")
        mask = w.new(f"lshr i{lanes} -1, {missing}")
        labels = {k: w.block_label("width") for k in WIDTHS}
        after = w.block_label("added")
        choices = " ".join(f"i64 {k}, label %{labels[k]}" for k in WIDTHS[:-1])
        w.line(f"switch i64 {width}, label %{labels[WIDTHS[-1]]} [ {choices} ]")
        for k, label in labels.items():
            w.begin(label)
            self.copy(k, y, strides[Words.Y0], strides[Words.Y1], depth, columns, mask)
            given = (
                f"ptr {x}, i64 {strides[Words.X0]}, i64 {strides[Words.X1]}, ptr {self.panel}, "
                f"i64 {depth}, ptr {places[2]}, i64 {strides[Words.Z0]}, i64 {rows}, i1 {adds}, "
                f"{self.shape.one} {self.zero}, i{lanes} {mask}"
            )
            w.line(f"call void @strip{k}({given})")
            w.line(f"br label %{after}")
        w.begin(after)

    def copy(
        self, width: int, y: str, down: str, across: str, depth: str, columns: str, mask: str
    ) -> None:
        """Write that a panel is copied, by the quickest way."""
        w, size = self.w, self.shape.size
        labels = [w.block_label(x) for x in ("rows", "other", "columns", "any", "copied")]
        of_rows, other, of_columns, of_any, copied = labels
        test = w.new(f"icmp eq i64 {across}, {size}")
        w.line(f"br i1 {test}, label %{of_rows}, label %{other}")
        w.begin(of_rows)
        given = f"ptr {y}, i64 {down}, i64 {depth}, i{self.shape.lanes} {mask}, ptr {self.panel}"
        w.line(f"call void @pack{width}({given})")
        w.line(f"br label %{copied}")
        w.begin(other)
        test = w.new(f"icmp eq i64 {down}, {size}")
        w.line(f"br i1 {test}, label %{of_columns}, label %{of_any}")
        w.begin(of_columns)
        rest = f"i64 {depth}, i64 {columns}, ptr {self.panel}, i64 {width}"
        w.line(f"call void @turn(ptr {y}, i64 {across}, {rest})")
        w.line(f"br label %{copied}")
        w.begin(of_any)
        w.line(f"call void @spread(ptr {y}, i64 {down}, i64 {across}, {rest})")
        w.line(f"br label %{copied}")
        w.begin(copied)


class _Entry:
    """Writes the entry."""

    def __init__(self, table: dict[str, int], dtype: str) -> None:
        self.entry = Entry(table)
        self.w = self.entry.writer
        self.dtype = dtype

    def whole(self) -> None:
        """Write the function."""
        e, w = self.entry, self.w
        w.lines.append("define ptr @entry(ptr %self, ptr %args, i64 %count) #0 {")
        w.begin("start")
        top = len(w.lines)
        w.line(f"%table = getelementptr i8, ptr %self, i64 {ITEMS}")
        w.line("%words = getelementptr i64, ptr %table, i64 @WORDS@")
        w.line(f"%context = alloca [{Words.COUNT} x i64], align 64")
        for name in ("thread", "answer"):
            w.line(f"%{name} = alloca ptr")
            w.line(f"store ptr null, ptr %{name}")
        x, y = self.array(FIRST, 0), self.array(SECOND, 1)
        # A product of an array with itself is another function of BLAS.
        e.need(w.new(f"icmp ne ptr {x}, {y}"))
        self.ask()
        made = self.new_array()
        loop(w, "0", str(int(Words.COUNT)), "1", self.copy_word)
        for place, data in ((Words.X, x), (Words.Y, y), (Words.Z, e.field(made, "ptr", 0))):
            w.line(f"store ptr {data}, ptr {word(w, place)}")
        self.compute()
        found = w.new(f"load i64, ptr {word(w, FLAGS)}")
        flags = w.new(f"trunc i64 {found} to i32")
        e.ask_about(w.new(f"and i32 {flags}, {REPORTED}"))
        w.line(f"call void {w.outside('py:Py_IncRef')}(ptr {made})")
        e.leave(made)
        e.endings()
        w.lines[top:top] = [*w.spaces, *(f"  store ptr null, ptr {x}" for x in e.owned)]

    def copy_word(self, place: str) -> None:
        """Write that a word goes into the context."""
        w = self.w
        value = w.new(f"load i64, ptr {w.new(f'getelementptr i64, ptr %words, i64 {place}')}")
        w.line(f"store i64 {value}, ptr {w.new(f'getelementptr i64, ptr %context, i64 {place}')}")

    def known(self, place: int) -> str:
        """Return a word of the product."""
        return self.w.new(f"load i64, ptr {self.place(place)}")

    def place(self, place: int) -> str:
        """Return the address of a word of the product."""
        return self.w.new(f"getelementptr i64, ptr %words, i64 {place}")

    def array(self, which: int, argument: int) -> str:
        """Return the data of an argument, which has to be laid out as the words say."""
        e, w = self.entry, self.w
        obj = w.new(f"load ptr, ptr {w.new(f'getelementptr ptr, ptr %args, i64 {argument}')}")
        e.need_equal(e.field(obj, "ptr", -8), w.outside("object:ndarray"))
        e.need_equal(e.field(obj, "ptr", 40), w.outside(f"dtype:{self.dtype}"))
        aligned = w.new(f"and i32 {e.field(obj, 'i32', 48)}, {ALIGNED}")
        e.need(w.new(f"icmp ne i32 {aligned}, 0"))
        first = Words.COUNT + which * OF_ARRAY
        rank = w.new(f"zext i32 {e.field(obj, 'i32', 8)} to i64")
        e.need(w.new(f"icmp eq i64 {rank}, {self.known(first)}"))
        for field, own in ((16, first + 1), (24, first + 1 + MOST_AXES)):
            there, wanted = e.field(obj, "ptr", field), self.place(own)

            def same(axis: str, there: str = there, wanted: str = wanted) -> None:
                pair = [
                    w.new(f"load i64, ptr {w.new(f'getelementptr i64, ptr {x}, i64 {axis}')}")
                    for x in (there, wanted)
                ]
                e.need(w.new(f"icmp eq i64 {pair[0]}, {pair[1]}"))

            loop(w, "0", rank, "1", same)
        return e.field(obj, "ptr", 0)

    def ask(self) -> None:
        """Write that a function has to return what it did."""
        e, w = self.entry, self.w
        asked = w.new(f"load ptr, ptr {self.place(Words.ASKED)}")
        ask, fine = w.block_label("ask"), w.block_label("fine")
        w.line(f"br i1 {w.new(f'icmp eq ptr {asked}, null')}, label %{fine}, label %{ask}")
        w.begin(ask)
        found = w.new(f"sext i32 {w.new(f'call i32 {asked}()')} to i64")
        e.need(w.new(f"icmp eq i64 {found}, {self.known(Words.FOUND)}"))
        w.line(f"br label %{fine}")
        w.begin(fine)

    def new_array(self) -> str:
        """Return a new array for the result."""
        e, w = self.entry, self.w
        first = Words.COUNT + RESULT * OF_ARRAY
        descr = w.outside(f"dtype:{self.dtype}")
        w.line(f"call void {w.outside('py:Py_IncRef')}(ptr {descr})")
        rank = w.new(f"trunc i64 {self.known(first)} to i32")
        given = f"i32 {rank}, ptr {self.place(first + 1)}, ptr {descr}, i32 0"
        made = w.new(f"call ptr {w.outside('numpy:PyArray_Empty')}({given})")
        place, after = w.space("ptr"), w.block_label("made")
        e.owned.append(place)
        w.line(f"store ptr {made}, ptr {place}")
        w.line(f"br i1 {w.new(f'icmp eq ptr {made}, null')}, label %failed, label %{after}")
        w.begin(after)
        return made

    def compute(self) -> None:
        """Write the call of `run`, for all or, with threads, for one part after another."""
        w = self.w
        units = w.new(f"load i64, ptr {word(w, TOTAL)}")
        small = w.new(f"icmp ne i64 {self.known(Words.SMALL)}, 0")
        w.line(f"br i1 {small}, label %small, label %large")
        w.begin("small")
        w.line(f"call void @run(ptr %table, ptr %context, i64 0, i64 {units})")
        w.line("br label %computed")
        w.begin("large")
        w.line(f"store ptr %table, ptr {word(w, TABLE)}")
        w.line(f"store ptr @run, ptr {word(w, RUN)}")
        saved = w.new(f"call ptr {w.outside('py:PyEval_SaveThread')}()")
        w.line(f"store ptr {saved}, ptr %thread")
        work, least = self.known(Words.WORK), self.known(Words.LEAST)
        given = f"ptr %table, ptr %context, i64 {work}, i64 {least}, ptr %thread"
        raised = w.new(f"call i1 {helper(w, 'lead')}({given})")
        w.line(f"br i1 {raised}, label %failed, label %end")
        w.begin("end")
        w.line(f"call void {helper(w, 'resume')}(ptr %table, ptr %thread)")
        w.line("br label %computed")
        w.begin("computed")
