"""Reductions of rows, as LLVM text.

Comes in: a reduction, and where its block is. Goes out: lines, and the functions

    pad(target, count, filled)              repeats the last of `count` numbers
    spread(target, source, count, columns)  gives each of a row's elements the number of the row

Sums of floats are pairwise, exactly as NumPy has them (`pairwise_sum` in its loops): rows of more
than 128 numbers are halved, others go into eight sums side by side. Otherwise a row is reduced by
one call of NumPy's inner loop with an output that stays where it is, which is how NumPy itself
reduces rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.dtypes import DType
from runtime.kernels.arithmetic import llvm_type, number, stored_type
from runtime.kernels.kernel import Block, Instruction
from runtime.kernels.llvm import Writer

_FUNCTIONS = """
define internal void @pad{size}(ptr %target, i64 %count, i64 %filled) {{
start:
  %final = sub i64 %count, 1
  %final_at = getelementptr {kind}, ptr %target, i64 %final
  %last = load {kind}, ptr %final_at, align {size}
  br label %next
next:
  %k = phi i64 [ %count, %start ], [ %k1, %one ]
  %more = icmp ult i64 %k, %filled
  br i1 %more, label %one, label %done
one:
  %to = getelementptr {kind}, ptr %target, i64 %k
  store {kind} %last, ptr %to, align {size}
  %k1 = add i64 %k, 1
  br label %next
done:
  ret void
}}
define internal void @spread{size}(ptr %target, ptr %source, i64 %count, i64 %columns) {{
start:
  br label %row
row:
  %k = phi i64 [ 0, %start ], [ %k1, %filled ]
  %from = getelementptr {kind}, ptr %source, i64 %k
  %one = load {kind}, ptr %from, align {size}
  %first = insertelement <{lanes} x {kind}> poison, {kind} %one, i64 0
  %same = shufflevector <{lanes} x {kind}> %first, <{lanes} x {kind}> poison,
    <{lanes} x i32> zeroinitializer
  %begin = mul i64 %k, %columns
  %to = getelementptr {kind}, ptr %target, i64 %begin
  br label %fill
fill:
  %f = phi i64 [ 0, %row ], [ %f1, %fill ]
  %there = getelementptr {kind}, ptr %to, i64 %f
  store <{lanes} x {kind}> %same, ptr %there, align {size}
  %f1 = add i64 %f, {lanes}
  %more = icmp ult i64 %f1, %columns
  br i1 %more, label %fill, label %filled
filled:
  %k1 = add i64 %k, 1
  %others = icmp ult i64 %k1, %count
  br i1 %others, label %row, label %done
done:
  ret void
}}
"""


_PAIRWISE = """
define internal {kind} @pairwise{size}(ptr %row, i64 %count) {{
start:
  %few = icmp ult i64 %count, 8
  br i1 %few, label %rest, label %many
many:
  %fits = icmp ule i64 %count, 128
  br i1 %fits, label %vector, label %split
split:
  %half = lshr i64 %count, 1
  %first = and i64 %half, -8
  %left = call {kind} @pairwise{size}(ptr %row, i64 %first)
  %others = getelementptr {kind}, ptr %row, i64 %first
  %second = sub i64 %count, %first
  %right = call {kind} @pairwise{size}(ptr %others, i64 %second)
  %sum = fadd {kind} %left, %right
  ret {kind} %sum
vector:
  %whole = and i64 %count, -8
  %v0 = load <8 x {kind}>, ptr %row, align {size}
  br label %next
next:
  %k = phi i64 [ 8, %vector ], [ %k1, %more ]
  %v = phi <8 x {kind}> [ %v0, %vector ], [ %v1, %more ]
  %inside = icmp ult i64 %k, %whole
  br i1 %inside, label %more, label %fold
more:
  %at = getelementptr {kind}, ptr %row, i64 %k
  %part = load <8 x {kind}>, ptr %at, align {size}
  %v1 = fadd <8 x {kind}> %v, %part
  %k1 = add i64 %k, 8
  br label %next
fold:
  %even = shufflevector <8 x {kind}> %v, <8 x {kind}> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
  %odd = shufflevector <8 x {kind}> %v, <8 x {kind}> poison, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
  %four = fadd <4 x {kind}> %even, %odd
  %even2 = shufflevector <4 x {kind}> %four, <4 x {kind}> poison, <2 x i32> <i32 0, i32 2>
  %odd2 = shufflevector <4 x {kind}> %four, <4 x {kind}> poison, <2 x i32> <i32 1, i32 3>
  %two = fadd <2 x {kind}> %even2, %odd2
  %one = extractelement <2 x {kind}> %two, i64 0
  %other = extractelement <2 x {kind}> %two, i64 1
  %folded = fadd {kind} %one, %other
  br label %rest
rest:
  %r = phi i64 [ 0, %start ], [ %whole, %fold ], [ %r1, %single ]
  %total = phi {kind} [ -0.0, %start ], [ %folded, %fold ], [ %total1, %single ]
  %left_over = icmp ult i64 %r, %count
  br i1 %left_over, label %single, label %done
single:
  %r_at = getelementptr {kind}, ptr %row, i64 %r
  %number = load {kind}, ptr %r_at, align {size}
  %total1 = fadd {kind} %total, %number
  %r1 = add i64 %r, 1
  br label %rest
done:
  ret {kind} %total
}}
"""


def helpers(body: Block, vector: int) -> Iterator[str]:
    """Yield the text of the functions that the rows of a kernel need, by sizes of numbers."""
    found = [number(x.results[0].type) for x in body.instructions if x.results]
    for size in sorted({dtype.itemsize for dtype in found}):
        yield _FUNCTIONS.format(size=size, kind=f"i{size * 8}", lanes=vector // size)
    sums = [x for x in body.instructions if x.op == "reduce" and x.attrs["ufunc"] == "add"]
    for dtype in sorted({number(x.args[0].type) for x in sums}, key=str):
        if dtype.kind == "f":
            yield _PAIRWISE.format(size=dtype.itemsize, kind=llvm_type(dtype))


def reduce_rows(w: Writer, x: Instruction, source: str, target: str, rows: str) -> None:
    """Write the reduction of the rows of a block.

    Args:
        w: writes lines; `%columns` is the length of a row.
        x: the reduction.
        source: where the elements are.
        target: where the numbers of the rows go.
        rows: how many there are.
    """
    dtype = number(x.args[0].type)
    if x.attrs["ufunc"] == "add" and dtype.kind == "f":
        sum_rows(w, dtype, source, target, rows)
    else:
        call_rows(w, x, source, target, rows)
    w.line(f"call void @pad{dtype.itemsize}(ptr {target}, i64 {rows}, i64 %row_filled)")


def sum_rows(w: Writer, dtype: DType, source: str, target: str, rows: str) -> None:
    """Write the pairwise sums of rows of floats."""
    kind = stored_type(dtype)
    before, row, after = w.label, w.block_label("row"), w.block_label("summed")
    following = w.block_label("%following")
    w.line(f"br label %{row}")
    w.begin(row)
    index = w.new(f"phi i64 [ 0, %{before} ], [ {following}, %{row} ]")
    offset = w.new(f"mul i64 {index}, %columns")
    begin = w.new(f"getelementptr {kind}, ptr {source}, i64 {offset}")
    total = w.new(f"call {kind} @pairwise{dtype.itemsize}(ptr {begin}, i64 %columns)")
    place = w.new(f"getelementptr {kind}, ptr {target}, i64 {index}")
    w.line(f"store {kind} {w.new(f'fadd {kind} {total}, 0.0')}, ptr {place}")
    w.line(f"{following} = add i64 {index}, 1")
    more = w.new(f"icmp ult i64 {following}, {rows}")
    w.line(f"br i1 {more}, label %{row}, label %{after}")
    w.begin(after)


def call_rows(w: Writer, x: Instruction, source: str, target: str, rows: str) -> None:
    """Write the reduction of rows by an inner loop of NumPy."""
    kind, size = stored_type(number(x.args[0].type)), number(x.args[0].type).itemsize
    name, initial = f"{x.attrs['ufunc']}:{x.attrs['types']}", x.attrs["initial"]
    w.keep_flags()
    table, sizes = w.space("[3 x ptr]"), w.space("[4 x i64]")
    taken = "%columns" if initial is not None else w.new("sub i64 %columns, 1")
    for k, value in enumerate((taken, 0, size, 0)):
        place = w.new(f"getelementptr i64, ptr {sizes}, i64 {k}")
        w.line(f"store i64 {value}, ptr {place}")
    steps = w.new(f"getelementptr i64, ptr {sizes}, i64 1")
    before, row, after = w.label, w.block_label("row"), w.block_label("reduced")
    following = w.block_label("%following")
    w.line(f"br label %{row}")
    w.begin(row)
    index = w.new(f"phi i64 [ 0, %{before} ], [ {following}, %{row} ]")
    offset = w.new(f"mul i64 {index}, %columns")
    begin = w.new(f"getelementptr {kind}, ptr {source}, i64 {offset}")
    found = w.new(f"getelementptr {kind}, ptr {target}, i64 {index}")
    if initial is None:
        w.line(f"store {kind} {w.new(f'load {kind}, ptr {begin}')}, ptr {found}")
        begin = w.new(f"getelementptr {kind}, ptr {begin}, i64 1")
    else:
        text = "zeroinitializer" if not initial else "1"
        w.line(f"store {kind} {text}, ptr {found}")
    for k, place in enumerate((found, begin, found)):
        entry = w.new(f"getelementptr ptr, ptr {table}, i64 {k}")
        w.line(f"store ptr {place}, ptr {entry}")
    function, data = w.outside(f"loop:{name}"), w.outside(f"data:{name}")
    w.line(f"call void {function}(ptr {table}, ptr {sizes}, ptr {steps}, ptr {data}) #0")
    w.line(f"{following} = add i64 {index}, 1")
    more = w.new(f"icmp ult i64 {following}, {rows}")
    w.line(f"br i1 {more}, label %{row}, label %{after}")
    w.begin(after)
