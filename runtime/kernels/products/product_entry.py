"""The entry of a product of matrices, or of stacks of them, as routines.

Comes in: what a module of products is made for. Goes out: text, and the table of what it needs from
outside, which the words of one product follow (`Words`, then `Layout`). Nothing runs here.

As those of other kernels, the function takes two arrays and returns a new one, or None when it has
done nothing: an array is not laid out as its words say, or NumPy would report something.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from runtime.kernels.arrays.layout import FLAGS, RUN, TOTAL, begin_flags, tell_flags
from runtime.kernels.entry import Entry, Text
from runtime.kernels.helpers import common
from runtime.kernels.llvm import METADATA, Writer
from runtime.kernels.products.micro_kernel import WIDTHS, Shape, write_tiles
from runtime.kernels.routine_values import pointer
from runtime.kernels.routines import routines
from runtime.kernels.target import Target

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


OF_ARRAY = 1 + 2 * MOST_AXES
"""How many words follow for the result, and for each operand: rank, sizes, strides."""


_RUN = """
def run(table: ptr, context: ptr, first: i64, end: i64):
    begin_flags()
    panel, zero = space(vector, room), (context + 8 * Words.ZERO).one[0]
    rows = context.i64[Words.ROWS]
    bands, panels = context.i64[Words.BANDS], context.i64[Words.PANELS]
    for number in range(first, end):
        band, part = number % bands, number // bands % panels
        item, vectors = number // bands // panels, context.i64[Words.VECTORS]
        begin = part * vectors // panels
        width, column = (part + 1) * vectors // panels - begin, begin * lanes
        columns = min(context.i64[Words.COLUMNS] - column, width * lanes)
        heights = (rows + high - 1) // high
        low = band * heights // bands * high
        count = min((band + 1) * heights // bands * high, rows) - low
        x0, x1 = context.i64[Words.X0], context.i64[Words.X1]
        y0, y1 = context.i64[Words.Y0], context.i64[Words.Y1]
        z0, own = context.i64[Words.Z0], columns - (width - 1) * lanes
        x = context.ptr[Words.X] + item * context.i64[Words.X_ITEM] + low * x0
        y = context.ptr[Words.Y] + item * context.i64[Words.Y_ITEM] + column * y1
        z = context.ptr[Words.Z] + item * context.i64[Words.Z_ITEM] + low * z0 + column * size
        mask = bits(-1) >> bits(lanes - own)
        for k in range(0, context.i64[Words.PARTS]):
            adds = k != 0
            start = context.i64[k + (Words.ENDS - 1)] if adds else 0
            depth, a, b = context.i64[k + Words.ENDS] - start, x + start * x1, y + start * y0
            for w in widths:
                if width == w:
                    if y1 == size:
                        packs[w](b, y0, depth, mask, panel)
                    elif y0 == size:
                        turn(b, y1, depth, columns, panel, w)
                    else:
                        spread(b, y0, y1, depth, columns, panel, w)
                    strips[w](a, x0, x1, panel, depth, z, z0, count, adds, zero, mask)
    tell_flags()
"""

_OPERAND = """
need_array(obj, dtype, i32(words.i64[first]))
for axis in range(0, words.i64[first]):
    need((obj + Array.SIZES).ptr[0].i64[axis] == words.i64[axis + (first + 1)])
    need((obj + Array.STRIDES).ptr[0].i64[axis] == words.i64[axis + (first + 1 + MOST_AXES)])
return (obj + Array.DATA).ptr[0]
"""
"""An operand has to be laid out as the words say."""
_PRODUCT = """
need(x != y)
asked = words.ptr[Words.ASKED]
if asked != null:
    need(signed(i64, function(i32, asked)()) == words.i64[Words.FOUND])
made = empty(i32(words.i64[result]), words + 8 * (result + 1), dtype)
memcpy(context, words, 8 * Words.COUNT)
context.ptr[Words.X] = x
context.ptr[Words.Y] = y
context.ptr[Words.Z] = (made + Array.DATA).ptr[0]
if words.i64[Words.SMALL] != 0:
    run(table, context, 0, context.i64[TOTAL])
else:
    share(words.i64[Words.WORK], words.i64[Words.LEAST])
report(i32(context.i64[FLAGS]))
py.Py_IncRef(made)
leave(made)
"""
"""A product of an array with itself is another function of BLAS."""


def product_text(shape: Shape, target: Target) -> Text:
    """Return the module of products of matrices of one dtype."""
    table = {name: place for place, name in enumerate(common(target).table)}
    run, entry = Writer(table, target), Entry(table, target)
    tiles = write_tiles(run, shape)
    flags: dict[str, Any] = {
        "begin_flags": lambda: begin_flags(run),
        "tell_flags": lambda: tell_flags(run),
    }
    routines(
        run, _RUN, size=shape.size, lanes=shape.lanes, one=shape.one, bits=f"i{shape.lanes}",
        vector=shape.vector, high=shape.rows, room=(DEEPEST + shape.lanes) * WIDTHS[-1],
        Words=Words, widths=WIDTHS, **flags, **tiles,
    )  # fmt: skip
    entry.function(lambda: _product(entry, f"float{8 * shape.size}"))
    w = entry.writer
    lines = [*run.lines, *w.lines, *(run.declarations | w.declarations)]
    lines += ["attributes #0 = { strictfp }", "attributes #1 = { nounwind }", METADATA, "!1 = !{}"]
    text = "\n".join(lines) + "\n"
    return Text(text.replace("@WORDS@", str(len(table))), tuple(table), target)


def _product(e: Entry, dtype: str) -> None:
    """Write what the entry does."""
    e.writer.line("%words = getelementptr i64, ptr %table, i64 @WORDS@")
    e.writer.line(f"%context = alloca [{int(Words.COUNT)} x i64], align 64")
    known = {"words": pointer("%words"), "Words": Words, "dtype": dtype, "MOST_AXES": MOST_AXES}
    data: list[str] = []
    for k in range(2):
        obj = e.value("args.ptr[k]", args=pointer("%args"), k=k)
        first = Words.COUNT + (1 + k) * OF_ARRAY
        data += e.write(_OPERAND, obj=pointer(obj), first=first, **known)
    x, y = map(pointer, data)
    e.write(_PRODUCT, x=x, y=y, result=int(Words.COUNT), TOTAL=TOTAL, FLAGS=FLAGS, **known)
