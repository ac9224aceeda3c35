"""The end of the numbers of rows, as LLVM text.

Comes in: the size of a number. Goes out: the function

    pad(target, count, filled)    repeats the last of `count` numbers
"""

from __future__ import annotations

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


def pad(size: int) -> str:
    """Return the text of `pad` for numbers of a size; its name ends with that size."""
    return _PAD.format(size=size, kind=f"i{size * 8}")
