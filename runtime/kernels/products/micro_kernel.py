"""Small products of matrices in registers, as routines: what larger ones are made of.

Comes in: the size of an element, and how long vectors are. Goes out: functions

    tile{rows}x{vectors}(a, s0, s1, b, depth, c, s2, adds, zero, mask)
    strip{vectors}(a, s0, s1, b, depth, c, s2, rows, adds, zero, mask)
    pack{vectors}(b, s0, depth, mask, panel)
    turn(b, s1, depth, columns, panel, vectors)
    spread(b, s0, s1, depth, columns, panel, vectors)

`tile` gives some rows of a product, a few vectors wide: each number is one chain of fused
multiply-adds along `depth`, from first to last, which BLAS does, too. What it gives is added to
`c`, or to `zero` and put there. `s0`, `s1` and `s2` are strides in bytes; the last vector has as
many numbers as `mask` has bits. `b` is a panel: without gaps, in whole vectors. `pack`, `turn` and
`spread` copy one: from rows, from columns without gaps, from anywhere; `strip` does many rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from runtime.kernels.llvm import Writer
from runtime.kernels.routine_values import Function, Value
from runtime.kernels.routines import routines


@dataclass(frozen=True, slots=True)
class Shape:
    """What a module of products is made for.

    Args:
        size: the bytes of an element: 4 or 8.
        lanes: how many elements a vector has.
        rows: how many rows of three vectors stay in registers.
    """

    size: int
    lanes: int
    rows: int

    @property
    def one(self) -> str:
        """The type of an element."""
        return "float" if self.size == 4 else "double"

    @property
    def vector(self) -> str:
        """The type of a vector."""
        return f"<{self.lanes} x {self.one}>"

    @property
    def heights(self) -> tuple[int, ...]:
        """How many rows tiles have."""
        return (self.rows, self.rows // 2, 1)


WIDTHS = (1, 2, 3)
"""How many vectors wide tiles are."""

_TILE = """
def tile(
    a: ptr, s0: i64, s1: i64, b: ptr, depth: i64, c: ptr, s2: i64, adds: i1, zero: one, mask: bits
):
    sums, row = space(vector, len(rows) * len(columns)), space(vector, len(columns))
    for k in unrolled(len(rows) * len(columns)):
        sums.vector.aligned[k] = 0.0
    for i in range(0, depth):
        for w in columns:
            row.vector.aligned[w] = b.vector.aligned[w]
        for r in rows:
            x = splat((a + s0 * r).one[0], lanes)
            for w in columns:
                n = len(columns) * r + w
                sums.vector.aligned[n] = fma(x, row.vector.aligned[w], sums.vector.aligned[n])
        a += s1
        b += len(columns) * lanes * size
    if adds:
        for r in rows:
            for w in columns:
                found = sums.vector.aligned[len(columns) * r + w]
                at = c + s2 * r + w * lanes * size
                put(found + get(at, mask, w == columns[-1]), at, mask, w == columns[-1])
    else:
        for r in rows:
            for w in columns:
                found = sums.vector.aligned[len(columns) * r + w]
                at = c + s2 * r + w * lanes * size
                put(found + splat(zero, lanes), at, mask, w == columns[-1])
"""

_STRIP = """
def strip(
    a: ptr, s0: i64, s1: i64, b: ptr, depth: i64, c: ptr, s2: i64, rows: i64,
    adds: i1, zero: one, mask: bits
):
    row = 0
    for height in heights:
        while row + height <= rows:
            tiles[height](a + row * s0, s0, s1, b, depth, c + row * s2, s2, adds, zero, mask)
            row += height

def pack(b: ptr, s0: i64, depth: i64, mask: bits, panel: ptr):
    for i in range(0, depth):
        for w in columns:
            panel.vector.aligned[w] = get(b + w * lanes * size, mask, w == columns[-1])
        b += s0
        panel += len(columns) * lanes * size
"""

_PANELS = """
def turn(b: ptr, s1: i64, depth: i64, columns: i64, panel: ptr, width: i64):
    square = space(vector, lanes)
    for w in range(0, width):
        for i in range(0, depth, lanes):
            mask = bits(-1) >> bits(lanes - min(depth - i, lanes))
            for k in unrolled(lanes):
                place = min(w * lanes + k, columns - 1)
                square.vector.aligned[k] = get(b + i * size + place * s1, mask, True)
            for distance in distances:
                for k in unrolled(lanes):
                    if not k & distance:
                        upper, lower = square.vector.aligned[k], square.vector.aligned[k + distance]
                        for other in (0, distance):
                            square.vector.aligned[k + other] = halves(upper, lower, distance, other)
            for k in unrolled(lanes):
                panel.vector.aligned[(i + k) * width + w] = square.vector.aligned[k]

def spread(b: ptr, s0: i64, s1: i64, depth: i64, columns: i64, panel: ptr, width: i64):
    count = width * lanes
    for i in range(0, depth):
        for j in range(0, count):
            panel.one[i * count + j] = (b + i * s0 + min(j, columns - 1) * s1).one[0]
"""


def write_tiles(w: Writer, shape: Shape) -> dict[str, Any]:
    """Write all functions; return `turn`, `spread`, and by width `strip` and `pack`."""
    known: dict[str, Any] = {
        "size": shape.size,
        "lanes": shape.lanes,
        "one": shape.one,
        "vector": shape.vector,
    }
    known |= {"bits": f"i{shape.lanes}", "heights": shape.heights, **_vectors(w, shape)}
    tail, strips, packs = "noinline #1", dict[int, Function](), dict[int, Function]()
    panels = routines(w, _PANELS, tail=tail, **known)
    for width in WIDTHS:
        known["columns"], known["tiles"] = range(width), {}
        for rows in shape.heights:
            name = f"tile{rows}x{width}"
            made = routines(w, _TILE, tail=tail, tile=name, rows=range(rows), **known)
            known["tiles"][rows] = made["tile"]
        names = {"strip": f"strip{width}", "pack": f"pack{width}"}
        made = routines(w, _STRIP, tail=tail, **names, **known)
        strips[width], packs[width] = made["strip"], made["pack"]
    return {**panels, "strips": strips, "packs": packs}


def _vectors(w: Writer, shape: Shape) -> dict[str, Any]:
    """Return what is done with vectors, some of whose numbers may be masked."""
    v, size, lanes = shape.vector, shape.size, shape.lanes
    suffix, tests = f"v{lanes}f{8 * size}.p0", f"<{lanes} x i1>"
    w.declare(f"{v} @llvm.masked.load.{suffix}(ptr, i32 immarg, {tests}, {v})")
    w.declare(f"void @llvm.masked.store.{suffix}({v}, ptr, i32 immarg, {tests})")

    def got(at: str, mask: str, is_masked: bool) -> Value:
        """Return the vector at an address; numbers that are not there are zero."""
        if is_masked:
            there = w.new(f"bitcast i{lanes} {mask} to {tests}")
            given = f"ptr {at}, i32 {size}, {tests} {there}, {v} zeroinitializer"
            return Value(v, w.new(f"call {v} @llvm.masked.load.{suffix}({given})"))
        return Value(v, w.new(f"load {v}, ptr {at}, align {size}"))

    def put(x: str, at: str, mask: str, is_masked: bool) -> None:
        """Write that a vector goes to an address."""
        if is_masked:
            there = w.new(f"bitcast i{lanes} {mask} to {tests}")
            given = f"{v} {x}, ptr {at}, i32 {size}, {tests} {there}"
            w.line(f"call void @llvm.masked.store.{suffix}({given})")
        else:
            w.line(f"store {v} {x}, ptr {at}, align {size}")

    def halves(upper: str, lower: str, distance: int, other: int) -> Value:
        """Return a row of a square whose halves, so long, change places."""
        picks = (
            j + other if not j & distance else lanes + j - distance + other for j in range(lanes)
        )
        order = ", ".join(f"i32 {x}" for x in picks)
        return Value(v, w.new(f"shufflevector {v} {upper}, {v} {lower}, <{lanes} x i32> <{order}>"))

    distances = [lanes >> k for k in range(1, lanes.bit_length())]
    return {"get": got, "put": put, "halves": halves, "distances": distances}
