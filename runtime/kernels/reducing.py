"""Reductions of rows, as LLVM text.

Comes in: a reduction, and where its block is. Goes out: lines, and the functions

    pad(target, count, filled)              repeats the last of `count` numbers
    spread(target, source, count, columns)  gives each of a row's elements the number of the row

A row is reduced by one call of NumPy's inner loop with an output that stays where it is, which is
how NumPy itself reduces rows: of sums, the order is the same.
"""

from __future__ import annotations

from runtime.kernels.arithmetic import number, stored_type
from runtime.kernels.kernel import Instruction
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


def helpers(size: int, vector: int) -> str:
    """Return the text of `pad` and `spread` for numbers of a size; their names end with it."""
    return _FUNCTIONS.format(size=size, kind=f"i{size * 8}", lanes=vector // size)


def reduce_rows(w: Writer, x: Instruction, source: str, target: str, rows: str) -> None:
    """Write the reduction of the rows of a block.

    Args:
        w: writes lines; `%columns` is the length of a row.
        x: the reduction.
        source: where the elements are.
        target: where the numbers of the rows go.
        rows: how many there are.
    """
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
    w.line(f"call void @pad{size}(ptr {target}, i64 {rows}, i64 %row_filled)")
