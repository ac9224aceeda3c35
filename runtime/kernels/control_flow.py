"""Loops and choices as LLVM text.

Comes in: what writes lines, and what stands inside. Goes out: lines.
"""

from __future__ import annotations

from collections.abc import Callable

from runtime.kernels.llvm import Writer


def loop(w: Writer, start: str, end: str, step: str, body: Callable[[str], None]) -> None:
    """Write a loop over places from `start` on, below `end`; it may have no round."""
    before, head = w.label, w.block_label("loop")
    inside, after = w.block_label("body"), w.block_label("done")
    place, following = w.block_label("%place"), w.block_label("%next")
    w.line(f"br label %{head}")
    w.begin(head)
    phi = len(w.lines)
    test = w.new(f"icmp ult i64 {place}, {end}")
    w.line(f"br i1 {test}, label %{inside}, label %{after}")
    w.begin(inside)
    body(place)
    w.line(f"{following} = add i64 {place}, {step}")
    w.line(f"br label %{head}")
    w.lines.insert(phi, f"  {place} = phi i64 [ {start}, %{before} ], [ {following}, %{w.label} ]")
    w.begin(after)


def when(w: Writer, test: str, body: Callable[[], None]) -> None:
    """Write what is only done where a test is true."""
    inside, after = w.block_label("then"), w.block_label("after")
    w.line(f"br i1 {test}, label %{inside}, label %{after}")
    w.begin(inside)
    body()
    w.line(f"br label %{after}")
    w.begin(after)
