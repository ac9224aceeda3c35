"""What kernels with rows need besides, as LLVM text.

Comes in: the body of a kernel. Goes out: the functions

    pad(target, count, filled)    repeats the last of `count` numbers
    leaves(table, count, used)    see `pairwise`
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.kernels.arithmetic import number
from runtime.kernels.kernel import Block
from runtime.kernels.pairwise import LEAVES

_PAD = """
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
"""


def helpers(body: Block) -> Iterator[str]:
    """Yield the text of the functions that the rows of a kernel need, by sizes of numbers."""
    found = [number(x.results[0].type) for x in body.instructions if x.op == "reduce"]
    for size in sorted({dtype.itemsize for dtype in found}):
        yield _PAD.format(size=size, kind=f"i{size * 8}")
    yield LEAVES
