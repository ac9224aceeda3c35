"""Small products of matrices in registers, as LLVM text: what larger ones are made of.

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

from collections.abc import Iterator
from dataclasses import dataclass


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
    def tests(self) -> str:
        """The type of a vector of truth values."""
        return f"<{self.lanes} x i1>"

    @property
    def suffix(self) -> str:
        """How names of LLVM's functions on vectors end."""
        return f"v{self.lanes}f{8 * self.size}"


WIDTHS = (1, 2, 3)
"""How many vectors wide tiles are."""


def tiles(shape: Shape) -> str:
    """Return the text of all functions."""
    found = [_turn(shape), _spread(shape)]
    for width in WIDTHS:
        heights = _heights(shape)
        found += [_tile(shape, rows, width) for rows in heights]
        found += [_strip(shape, width), _pack(shape, width)]
    v, t, s = shape.vector, shape.tests, shape.suffix
    found += [
        f"declare {v} @llvm.fma.{s}({v}, {v}, {v})",
        f"declare {v} @llvm.masked.load.{s}.p0(ptr, i32 immarg, {t}, {v})",
        f"declare void @llvm.masked.store.{s}.p0({v}, ptr, i32 immarg, {t})",
    ]
    return "\n".join(found) + "\n"


def _heights(shape: Shape) -> tuple[int, ...]:
    return (shape.rows, shape.rows // 2, 1)


def _tile(shape: Shape, rows: int, width: int) -> str:
    """Return the text of `tile`."""
    v, one, lanes = shape.vector, shape.one, shape.lanes
    places = [(r, w) for r in range(rows) for w in range(width)]
    phis = [
        f"  %x{r}.{w} = phi {v} [ zeroinitializer, %start ], [ %y{r}.{w}, %loop ]"
        for r, w in places
    ]
    panel = [
        f"  %b{w}.at = getelementptr {v}, ptr %bp, i64 {w}\n"
        f"  %b{w} = load {v}, ptr %b{w}.at, align {lanes * shape.size}"
        for w in range(width)
    ]
    return f"""
define internal void @tile{rows}x{width}(
    ptr noalias %a, i64 %s0, i64 %s1, ptr noalias %b, i64 %depth, ptr noalias %c, i64 %s2,
    i1 %adds, {one} %zero, i{lanes} %mask
) noinline #1 {{
start:
  %bits = bitcast i{lanes} %mask to {shape.tests}
  %z1 = insertelement {v} poison, {one} %zero, i64 0
  %zeros = shufflevector {v} %z1, {v} poison, <{lanes} x i32> zeroinitializer
  br label %loop
loop:
  %i = phi i64 [ 0, %start ], [ %i1, %loop ]
  %ap = phi ptr [ %a, %start ], [ %ap1, %loop ]
  %bp = phi ptr [ %b, %start ], [ %bp1, %loop ]
{_lines(phis)}
{_lines(panel)}
{_lines(_products(shape, rows, width))}
  %ap1 = getelementptr i8, ptr %ap, i64 %s1
  %bp1 = getelementptr {v}, ptr %bp, i64 {width}
  %i1 = add i64 %i, 1
  %goes = icmp ult i64 %i1, %depth
  br i1 %goes, label %loop, label %end
end:
  br i1 %adds, label %add, label %put
add:
{_lines(_kept(shape, rows, width, adds=True))}
  ret void
put:
{_lines(_kept(shape, rows, width, adds=False))}
  ret void
}}"""


def _lines(lines: list[str] | Iterator[str]) -> str:
    return "\n".join(lines)


def _products(shape: Shape, rows: int, width: int) -> Iterator[str]:
    """Yield what is done with one number of each row, and one row of the panel."""
    v, one, lanes = shape.vector, shape.one, shape.lanes
    for r in range(rows):
        yield f"  %r{r} = mul i64 %s0, {r}"
        yield f"  %a{r}.at = getelementptr i8, ptr %ap, i64 %r{r}"
        yield f"  %a{r} = load {one}, ptr %a{r}.at, align {shape.size}"
        yield f"  %f{r} = insertelement {v} poison, {one} %a{r}, i64 0"
        zeros = f"<{lanes} x i32> zeroinitializer"
        yield f"  %s{r}.x = shufflevector {v} %f{r}, {v} poison, {zeros}"
        for w in range(width):
            given = f"{v} %s{r}.x, {v} %b{w}, {v} %x{r}.{w}"
            yield f"  %y{r}.{w} = call {v} @llvm.fma.{shape.suffix}({given})"


def _kept(shape: Shape, rows: int, width: int, adds: bool) -> Iterator[str]:
    """Yield the writing of a tile."""
    v, size, name = shape.vector, shape.size, "o" if adds else "p"
    for r in range(rows):
        yield f"  %{name}{r} = mul i64 %s2, {r}"
        yield f"  %{name}{r}.row = getelementptr i8, ptr %c, i64 %{name}{r}"
        for w in range(width):
            own, is_last = f"%{name}{r}.{w}", w == width - 1
            yield f"  {own}.at = getelementptr {v}, ptr %{name}{r}.row, i64 {w}"
            old = "%zeros"
            if adds:
                old = f"{own}.old"
                yield f"  {old} = {_load(shape, f'{own}.at', is_last)}"
            yield f"  {own} = fadd {v} %y{r}.{w}, {old}"
            if is_last:
                given = f"{v} {own}, ptr {own}.at, i32 {size}, {shape.tests} %bits"
                yield f"  call void @llvm.masked.store.{shape.suffix}.p0({given})"
            else:
                yield f"  store {v} {own}, ptr {own}.at, align {size}"


def _load(shape: Shape, address: str, is_masked: bool, bits: str = "%bits") -> str:
    """Return the loading of a vector, of some of its numbers where it is masked."""
    v, size = shape.vector, shape.size
    if not is_masked:
        return f"load {v}, ptr {address}, align {size}"
    given = f"ptr {address}, i32 {size}, {shape.tests} {bits}, {v} zeroinitializer"
    return f"call {v} @llvm.masked.load.{shape.suffix}.p0({given})"


def _strip(shape: Shape, width: int) -> str:
    """Return the text of `strip`: tiles as high as there are rows left."""
    parts, before, start = [], "%start", "0"
    heights = _heights(shape)
    for height, after in zip(heights, (*heights[1:], 0), strict=True):
        following = f"test{after}" if after else "done"
        given = (
            f"ptr %a{height}, i64 %s0, i64 %s1, ptr %b, i64 %depth, ptr %c{height}, i64 %s2, "
            f"i1 %adds, {shape.one} %zero, i{shape.lanes} %mask"
        )
        parts.append(f"""
test{height}:
  %r{height} = phi i64 [ {start}, {before} ], [ %n{height}, %do{height} ]
  %n{height} = add i64 %r{height}, {height}
  %fits{height} = icmp ule i64 %n{height}, %rows
  br i1 %fits{height}, label %do{height}, label %{following}
do{height}:
  %am{height} = mul i64 %r{height}, %s0
  %a{height} = getelementptr i8, ptr %a, i64 %am{height}
  %cm{height} = mul i64 %r{height}, %s2
  %c{height} = getelementptr i8, ptr %c, i64 %cm{height}
  call void @tile{height}x{width}({given})
  br label %test{height}""")
        before, start = f"%test{height}", f"%r{height}"
    return f"""
define internal void @strip{width}(
    ptr %a, i64 %s0, i64 %s1, ptr %b, i64 %depth, ptr %c, i64 %s2, i64 %rows, i1 %adds,
    {shape.one} %zero, i{shape.lanes} %mask
) noinline #1 {{
start:
  br label %test{heights[0]}
{"".join(parts)}
done:
  ret void
}}"""


def _pack(shape: Shape, width: int) -> str:
    """Return the text of `pack`: rows of the panel are there as they are."""
    v, align = shape.vector, shape.lanes * shape.size
    copies = []
    for w in range(width):
        copies += [
            f"  %f{w} = getelementptr {v}, ptr %from, i64 {w}",
            f"  %v{w} = {_load(shape, f'%f{w}', w == width - 1)}",
            f"  %t{w} = getelementptr {v}, ptr %to, i64 {w}",
            f"  store {v} %v{w}, ptr %t{w}, align {align}",
        ]
    return f"""
define internal void @pack{width}(
    ptr %b, i64 %s0, i64 %depth, i{shape.lanes} %mask, ptr %panel
) noinline #1 {{
start:
  %bits = bitcast i{shape.lanes} %mask to {shape.tests}
  br label %loop
loop:
  %i = phi i64 [ 0, %start ], [ %i1, %loop ]
  %from = phi ptr [ %b, %start ], [ %from1, %loop ]
  %to = phi ptr [ %panel, %start ], [ %to1, %loop ]
{_lines(copies)}
  %from1 = getelementptr i8, ptr %from, i64 %s0
  %to1 = getelementptr {v}, ptr %to, i64 {width}
  %i1 = add i64 %i, 1
  %goes = icmp ult i64 %i1, %depth
  br i1 %goes, label %loop, label %done
done:
  ret void
}}"""


def _turn(shape: Shape) -> str:
    """Return the text of `turn`: squares of columns become rows; a missing column is the last."""
    v, one, lanes, size = shape.vector, shape.one, shape.lanes, shape.size
    numbers = ", ".join(f"i64 {k}" for k in range(lanes))
    rows, stores = [f"%c{k}" for k in range(lanes)], []
    loads = []
    for k in range(lanes):
        loads += [
            f"  %j{k} = add i64 %first, {k}",
            f"  %m{k} = call i64 @llvm.umin.i64(i64 %j{k}, i64 %last)",
            f"  %o{k} = mul i64 %m{k}, %s1",
            f"  %p{k} = getelementptr i8, ptr %from, i64 %o{k}",
            f"  %c{k} = {_load(shape, f'%p{k}', True)}",
        ]
    lines, turned = _turned(shape, rows)
    for k, row in enumerate(turned):
        stores += [
            f"  %d{k} = mul i64 %width, {k}",
            f"  %t{k} = getelementptr {v}, ptr %to, i64 %d{k}",
            f"  store {v} {row}, ptr %t{k}, align {lanes * size}",
        ]
    return f"""
define internal void @turn(
    ptr %b, i64 %s1, i64 %depth, i64 %columns, ptr %panel, i64 %width
) noinline #1 {{
start:
  %last = sub i64 %columns, 1
  br label %across
across:
  %w = phi i64 [ 0, %start ], [ %w1, %next ]
  %first = mul i64 %w, {lanes}
  br label %down
down:
  %i = phi i64 [ 0, %across ], [ %i1, %down ]
  %left = sub i64 %depth, %i
  %l1 = insertelement <{lanes} x i64> poison, i64 %left, i64 0
  %lefts = shufflevector <{lanes} x i64> %l1, <{lanes} x i64> poison,
    <{lanes} x i32> zeroinitializer
  %bits = icmp ult <{lanes} x i64> <{numbers}>, %lefts
  %from = getelementptr {one}, ptr %b, i64 %i
{_lines(loads)}
{_lines(lines)}
  %iw = mul i64 %i, %width
  %place = add i64 %iw, %w
  %to = getelementptr {v}, ptr %panel, i64 %place
{_lines(stores)}
  %i1 = add i64 %i, {lanes}
  %goes = icmp ult i64 %i1, %depth
  br i1 %goes, label %down, label %next
next:
  %w1 = add i64 %w, 1
  %more = icmp ult i64 %w1, %width
  br i1 %more, label %across, label %done
done:
  ret void
}}"""


def _turned(shape: Shape, rows: list[str]) -> tuple[list[str], list[str]]:
    """Return lines that turn a square, and the names of its rows: halves change places."""
    v, lanes, lines = shape.vector, shape.lanes, []
    distance = lanes // 2
    while distance:
        found = [*rows]
        for k in range(lanes):
            if k & distance:
                continue
            upper, lower = rows[k], rows[k + distance]
            for place, other in ((k, 0), (k + distance, distance)):
                picks = (
                    j + other if not j & distance else lanes + j - distance + other
                    for j in range(lanes)
                )
                order = ", ".join(f"i32 {x}" for x in picks)
                name = f"%q{distance}.{place}"
                lines.append(
                    f"  {name} = shufflevector {v} {upper}, {v} {lower}, <{lanes} x i32> <{order}>"
                )
                found[place] = name
        rows, distance = found, distance // 2
    return lines, rows


def _spread(shape: Shape) -> str:
    """Return the text of `spread`: one number after the other."""
    one = shape.one
    return f"""
define internal void @spread(
    ptr %b, i64 %s0, i64 %s1, i64 %depth, i64 %columns, ptr %panel, i64 %width
) noinline #1 {{
start:
  %count = mul i64 %width, {shape.lanes}
  %last = sub i64 %columns, 1
  br label %down
down:
  %i = phi i64 [ 0, %start ], [ %i1, %next ]
  %im = mul i64 %i, %s0
  %row = getelementptr i8, ptr %b, i64 %im
  %ip = mul i64 %i, %count
  %to = getelementptr {one}, ptr %panel, i64 %ip
  br label %across
across:
  %j = phi i64 [ 0, %down ], [ %j1, %across ]
  %own = call i64 @llvm.umin.i64(i64 %j, i64 %last)
  %jm = mul i64 %own, %s1
  %from = getelementptr i8, ptr %row, i64 %jm
  %x = load {one}, ptr %from, align {shape.size}
  %there = getelementptr {one}, ptr %to, i64 %j
  store {one} %x, ptr %there, align {shape.size}
  %j1 = add i64 %j, 1
  %goes = icmp ult i64 %j1, %count
  br i1 %goes, label %across, label %next
next:
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %depth
  br i1 %more, label %down, label %done
done:
  ret void
}}"""
