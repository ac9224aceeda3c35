"""Copies of elements that are not one after the other in memory, as LLVM text.

Comes in: the size of an element, and the rank of the space. Goes out: functions

    gather(target, source, sizes, strides, shifts, begin, count, filled)
    roll(target, source, sizes, strides, shifts, begin, count, filled)
    take(target, table, places, length, size, begin, count, filled)
    copy(target, source, bytes)

`gather` copies the elements from number `begin` on, in C order, of an array with sizes and strides;
then it repeats the last one until `filled` are there. It may write one vector more than that.
`roll` does the same with elements that are moved on along each axis by `shifts`, and around its
end. `take` copies elements of a table of `length` parts of so many elements each, which stand one
after another at given places; it returns whether one of the places is not there.
"""

from __future__ import annotations

COPY = """
define internal void @copy(ptr %target, ptr %source, i64 %bytes) {
start:
  %whole = and i64 %bytes, -64
  %some = icmp ne i64 %whole, 0
  br i1 %some, label %vector, label %rest
vector:
  %v = phi i64 [ 0, %start ], [ %v1, %vector ]
  %vfrom = getelementptr i8, ptr %source, i64 %v
  %vto = getelementptr i8, ptr %target, i64 %v
  %part = load <64 x i8>, ptr %vfrom, align 1
  store <64 x i8> %part, ptr %vto, align 1
  %v1 = add i64 %v, 64
  %vmore = icmp ult i64 %v1, %whole
  br i1 %vmore, label %vector, label %rest
rest:
  %left = icmp ult i64 %whole, %bytes
  br i1 %left, label %next, label %done
next:
  %k = phi i64 [ %whole, %rest ], [ %k1, %next ]
  %from = getelementptr i8, ptr %source, i64 %k
  %to = getelementptr i8, ptr %target, i64 %k
  %byte = load i8, ptr %from
  store i8 %byte, ptr %to
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %bytes
  br i1 %more, label %next, label %done
done:
  ret void
}
"""

_VECTORS = """\
  %whole = and i64 %run, {mask}
  %some = icmp ne i64 %whole, 0
  br i1 %some, label %vectors, label %rest
vectors:
  %k = phi i64 [ 0, %{before} ], [ %k1, %vectors ]
  %vfrom = getelementptr {kind}, ptr %from, i64 %k
  %vto = getelementptr {kind}, ptr %to, i64 %k
  %v = load <{lanes} x {kind}>, ptr %vfrom, align {size}
  store <{lanes} x {kind}> %v, ptr %vto, align {size}
  %k1 = add i64 %k, {lanes}
  %kmore = icmp ult i64 %k1, %whole
  br i1 %kmore, label %vectors, label %{after}"""
"""Copies `%run` elements in whole vectors."""

_GATHER = """
define internal void @{name}{size}x{rank}(
    ptr %target, ptr %source, ptr %sizes, ptr %strides, ptr %shifts,
    i64 %begin, i64 %count, i64 %filled
) noinline {{
start:
  %places = alloca [{rank} x i64]
{decode}
  %sizes_last = getelementptr i64, ptr %sizes, i64 {last}
  %row_size = load i64, ptr %sizes_last
  %strides_last = getelementptr i64, ptr %strides, i64 {last}
  %stride = load i64, ptr %strides_last
  %is_dense = icmp eq i64 %stride, {size}
  %is_same = icmp eq i64 %stride, 0
  %place_last = getelementptr i64, ptr %places, i64 {last}
  br label %row
row:
  %done = phi i64 [ 0, %start ], [ %done1, %carried ]
{address}
  %column = load i64, ptr %place_last
  %after = sub i64 %row_size, %column
{left}
  %wanted = sub i64 %count, %done
  %is_last = icmp ule i64 %wanted, %left
  %run = select i1 %is_last, i64 %wanted, i64 %left
  %to = getelementptr {kind}, ptr %target, i64 %done
  br i1 %is_dense, label %dense, label %other
dense:
{vectors}
last:
  %l = sub i64 %run, {lanes}
  %lfrom = getelementptr {kind}, ptr %from, i64 %l
  %lto = getelementptr {kind}, ptr %to, i64 %l
  %lv = load <{lanes} x {kind}>, ptr %lfrom, align {size}
  store <{lanes} x {kind}> %lv, ptr %lto, align {size}
  br label %end
other:
  br i1 %is_same, label %same, label %rest
same:
  %one = load {kind}, ptr %from, align {size}
  %first = insertelement <{lanes} x {kind}> poison, {kind} %one, i64 0
  %splat = shufflevector <{lanes} x {kind}> %first, <{lanes} x {kind}> poison,
    <{lanes} x i32> zeroinitializer
  br label %fill
fill:
  %f = phi i64 [ 0, %same ], [ %f1, %fill ]
  %fto = getelementptr {kind}, ptr %to, i64 %f
  store <{lanes} x {kind}> %splat, ptr %fto, align {size}
  %f1 = add i64 %f, {lanes}
  %fmore = icmp ult i64 %f1, %run
  br i1 %fmore, label %fill, label %end
rest:
  %r0 = phi i64 [ 0, %dense ], [ 0, %other ]
  %any = icmp ult i64 %r0, %run
  br i1 %any, label %single, label %end
single:
  %r = phi i64 [ %r0, %rest ], [ %r1, %single ]
  %offset = mul i64 %r, %stride
  %rfrom = getelementptr i8, ptr %from, i64 %offset
  %rto = getelementptr {kind}, ptr %to, i64 %r
  %rv = load {kind}, ptr %rfrom, align {size}
  store {kind} %rv, ptr %rto, align {size}
  %r1 = add i64 %r, 1
  %rmore = icmp ult i64 %r1, %run
  br i1 %rmore, label %single, label %end
end:
  %done1 = add i64 %done, %run
  %all = icmp eq i64 %done1, %count
  %column1 = add i64 %column, %run
  store i64 %column1, ptr %place_last
  br i1 %all, label %pad, label %more
more:
  %row_ends = icmp eq i64 %column1, %row_size
  br i1 %row_ends, label %carry, label %carried
carry:
  store i64 0, ptr %place_last
{carry}
carried:
  br label %row
{pad}"""

_END = """pad:
  %final = sub i64 %count, 1
  %final_at = getelementptr {kind}, ptr %target, i64 %final
  %repeated = load {kind}, ptr %final_at, align {size}
  br label %padding
padding:
  %e = phi i64 [ %count, %pad ], [ %e1, %padded ]
  %emore = icmp ult i64 %e, %filled
  br i1 %emore, label %padded, label %finished
padded:
  %eto = getelementptr {kind}, ptr %target, i64 %e
  store {kind} %repeated, ptr %eto, align {size}
  %e1 = add i64 %e, 1
  br label %padding
finished:
  ret {answer}
}}
"""

_TAKE = """
define internal i1 @take{size}(
    ptr %target, ptr %table, ptr %index, i64 %length, i64 %inner,
    i64 %begin, i64 %count, i64 %filled
) noinline {{
start:
  %is_single = icmp eq i64 %inner, 1
  br i1 %is_single, label %singles, label %parts
singles:
  %eights = and i64 %count, -8
  %length_one = insertelement <8 x i64> poison, i64 %length, i64 0
  %lengths = shufflevector <8 x i64> %length_one, <8 x i64> poison, <8 x i32> zeroinitializer
  %is_one_more = icmp ne i64 %eights, 0
  br i1 %is_one_more, label %eight, label %tail
eight:
  %e8 = phi i64 [ 0, %singles ], [ %e9, %eight_there ]
  %at8 = add i64 %begin, %e8
  %index8 = getelementptr i64, ptr %index, i64 %at8
  %given8 = load <8 x i64>, ptr %index8, align 8
  %below8 = icmp slt <8 x i64> %given8, zeroinitializer
  %end8 = add <8 x i64> %given8, %lengths
  %place8 = select <8 x i1> %below8, <8 x i64> %end8, <8 x i64> %given8
  %there8 = icmp ult <8 x i64> %place8, %lengths
  %all8 = call i1 @llvm.vector.reduce.and.v8i1(<8 x i1> %there8)
  br i1 %all8, label %eight_there, label %missing
eight_there:
  %from8 = getelementptr {kind}, ptr %table, <8 x i64> %place8
  %found8 = call <8 x {kind}> @llvm.masked.gather.v8{kind}.v8p0(
    <8 x ptr> %from8, i32 {size}, <8 x i1> splat (i1 true), <8 x {kind}> poison)
  %to8 = getelementptr {kind}, ptr %target, i64 %e8
  store <8 x {kind}> %found8, ptr %to8, align {size}
  %e9 = add i64 %e8, 8
  %more8 = icmp ult i64 %e9, %eights
  br i1 %more8, label %eight, label %tail
tail:
  %begin1 = add i64 %begin, %eights
  %is_done = icmp eq i64 %eights, %count
  br i1 %is_done, label %pad, label %parts
parts:
  %done0 = phi i64 [ 0, %start ], [ %eights, %tail ]
  %first0 = phi i64 [ %begin, %start ], [ %begin1, %tail ]
  %number0 = udiv i64 %first0, %inner
  %column0 = urem i64 %first0, %inner
  br label %part
part:
  %done = phi i64 [ %done0, %parts ], [ %done1, %end ]
  %number = phi i64 [ %number0, %parts ], [ %number1, %end ]
  %column = phi i64 [ %column0, %parts ], [ 0, %end ]
  %place_at = getelementptr i64, ptr %index, i64 %number
  %given = load i64, ptr %place_at
  %below = icmp slt i64 %given, 0
  %from_end = add i64 %given, %length
  %place = select i1 %below, i64 %from_end, i64 %given
  %is_there = icmp ult i64 %place, %length
  br i1 %is_there, label %found, label %missing
missing:
  ret i1 true
found:
  %part_begin = mul i64 %place, %inner
  %first = add i64 %part_begin, %column
  %from = getelementptr {kind}, ptr %table, i64 %first
  %to = getelementptr {kind}, ptr %target, i64 %done
  %left = sub i64 %inner, %column
  %wanted = sub i64 %count, %done
  %run = call i64 @llvm.umin.i64(i64 %left, i64 %wanted)
{vectors}
rest:
  %r0 = phi i64 [ 0, %found ], [ %k1, %vectors ]
  %any = icmp ult i64 %r0, %run
  br i1 %any, label %single, label %end
single:
  %r = phi i64 [ %r0, %rest ], [ %r1, %single ]
  %rfrom = getelementptr {kind}, ptr %from, i64 %r
  %rto = getelementptr {kind}, ptr %to, i64 %r
  %rv = load {kind}, ptr %rfrom, align {size}
  store {kind} %rv, ptr %rto, align {size}
  %r1 = add i64 %r, 1
  %rmore = icmp ult i64 %r1, %run
  br i1 %rmore, label %single, label %end
end:
  %done1 = add i64 %done, %run
  %number1 = add i64 %number, 1
  %more = icmp ult i64 %done1, %count
  br i1 %more, label %part, label %pad
{pad}"""


def gather(size: int, rank: int, vector: int, rolled: bool = False) -> str:
    """Return the text of `gather` for elements of a size; its name ends with size and rank.

    Where it is to be rolled, it is called `roll`, and begins at other places than 0.
    """
    lanes = vector // size
    left = f"  %room = sub i64 %row_size, %c{rank - 1}\n" if rolled else ""
    least = "call i64 @llvm.umin.i64(i64 %after, i64 %room)" if rolled else "add i64 %after, 0"
    return _GATHER.format(
        name="roll" if rolled else "gather",
        left=f"{left}  %left = {least}",
        size=size,
        rank=rank,
        last=rank - 1,
        kind=f"i{size * 8}",
        lanes=lanes,
        vectors=_vectors(size, lanes, "dense", "last"),
        decode="\n".join(_decode(rank)),
        address="\n".join(_address(rank, rolled)),
        carry="\n".join(_carry(rank)),
        pad=_end(size, "void"),
    )


def take(size: int, vector: int) -> str:
    """Return the text of `take` for elements of a size; its name ends with that size."""
    lanes, kind = vector // size, f"i{size * 8}"
    vectors = _vectors(size, lanes, "found", "rest")
    text = _TAKE.format(size=size, kind=kind, vectors=vectors, pad=_end(size, "i1 false"))
    single = (
        f"<8 x {kind}> @llvm.masked.gather.v8{kind}.v8p0(<8 x ptr>, i32, <8 x i1>, <8 x {kind}>)"
    )
    return f"{text}declare i1 @llvm.vector.reduce.and.v8i1(<8 x i1>)\ndeclare {single}\n"


def _vectors(size: int, lanes: int, before: str, after: str) -> str:
    """Return the lines that copy vectors, entered from a block and left to another one."""
    kind = f"i{size * 8}"
    return _VECTORS.format(
        size=size, kind=kind, lanes=lanes, mask=-lanes, before=before, after=after
    )


def _end(size: int, answer: str) -> str:
    """Return the lines that fill up a vector, and what is returned then."""
    return _END.format(size=size, kind=f"i{size * 8}", answer=answer)


def _decode(rank: int) -> list[str]:
    """Return the lines that find the place on each axis of the first element."""
    lines, whole = [], "%begin"
    for axis in range(rank - 1, -1, -1):
        place = whole
        if axis:
            lines += [
                f"  %s{axis}_at = getelementptr i64, ptr %sizes, i64 {axis}",
                f"  %s{axis} = load i64, ptr %s{axis}_at",
                f"  %d{axis} = urem i64 {whole}, %s{axis}",
                f"  %q{axis} = udiv i64 {whole}, %s{axis}",
            ]
            place, whole = f"%d{axis}", f"%q{axis}"
        lines += [
            f"  %p{axis} = getelementptr i64, ptr %places, i64 {axis}",
            f"  store i64 {place}, ptr %p{axis}",
        ]
    return lines


def _address(rank: int, rolled: bool) -> list[str]:
    """Return the lines that find the address of the element at the present places."""
    lines, total = [], "0"
    for axis in range(rank):
        lines += [
            f"  %t{axis}_at = getelementptr i64, ptr %strides, i64 {axis}",
            f"  %t{axis} = load i64, ptr %t{axis}_at",
            *(_rolled(axis) if rolled else [f"  %c{axis} = load i64, ptr %p{axis}"]),
            f"  %m{axis} = mul i64 %c{axis}, %t{axis}",
            f"  %a{axis} = add i64 {total}, %m{axis}",
        ]
        total = f"%a{axis}"
    return [*lines, f"  %from = getelementptr i8, ptr %source, i64 {total}"]


def _rolled(axis: int) -> list[str]:
    """Return the lines that find from where on an axis an element comes."""
    return [
        f"  %h{axis} = load i64, ptr %p{axis}",
        f"  %u{axis}_at = getelementptr i64, ptr %shifts, i64 {axis}",
        f"  %u{axis} = load i64, ptr %u{axis}_at",
        f"  %z{axis}_at = getelementptr i64, ptr %sizes, i64 {axis}",
        f"  %z{axis} = load i64, ptr %z{axis}_at",
        f"  %b{axis} = sub i64 %h{axis}, %u{axis}",
        f"  %w{axis} = add i64 %b{axis}, %z{axis}",
        f"  %g{axis} = icmp slt i64 %b{axis}, 0",
        f"  %c{axis} = select i1 %g{axis}, i64 %w{axis}, i64 %b{axis}",
    ]


def _carry(rank: int) -> list[str]:
    """Return the lines that go on to the next row."""
    lines = []
    for axis in range(rank - 2, -1, -1):
        following = f"carry{axis - 1}" if axis else "carried"
        lines += [
            f"  %n{axis} = load i64, ptr %p{axis}",
            f"  %n{axis}_next = add i64 %n{axis}, 1",
            f"  store i64 %n{axis}_next, ptr %p{axis}",
            f"  %n{axis}_at = getelementptr i64, ptr %sizes, i64 {axis}",
            f"  %n{axis}_size = load i64, ptr %n{axis}_at",
            f"  %n{axis}_full = icmp eq i64 %n{axis}_next, %n{axis}_size",
            f"  br i1 %n{axis}_full, label %over{axis}, label %carried",
            f"over{axis}:",
            f"  store i64 0, ptr %p{axis}",
            f"  br label %{following}",
            *([f"carry{axis - 1}:"] if axis else []),
        ]
    return lines or ["  br label %carried"]
