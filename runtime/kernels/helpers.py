"""Functions that kernels over arrays have in common: each is compiled once, and found by its name.

Comes in: names. Goes out: modules of LLVM text.

    helper = "copy" | "leaves" | "piece" | "resume" | "lead" | "quit" | "pad" size
           | ("gather" | "roll") size "x" rank | "take" size | "draw"

Kernels call them by addresses in their tables. Those that need something from outside themselves
take it from the table of the kernel that calls them, which begins with what they need (`OUTSIDE`).
"""

from __future__ import annotations

import re
from functools import cache

from runtime.kernels.arrays.gather import COPY, gather, take
from runtime.kernels.arrays.long_rows import PIECE_OF
from runtime.kernels.arrays.pairwise import LEAVES
from runtime.kernels.arrays.philox import draw
from runtime.kernels.arrays.reducing import pad
from runtime.kernels.entry import Entry, Text
from runtime.kernels.llvm import METADATA, Writer
from runtime.kernels.target import WIDEST
from runtime.kernels.work_partition import WORK, write_lead

_GATHER = re.compile(r"(gather|roll|take)(\d+)(?:x(\d+))?")
COMMON = ("copy", "leaves", "piece", "resume", "lead", "quit", "pad1", "pad2", "pad4", "pad8")
"""What is in one module, since most kernels need much of it."""


def helper(w: Writer, name: str) -> str:
    """Return the address of a helper, for a kernel."""
    return w.outside(f"helper:{name}")


@cache
def common() -> Text:
    """Return the module of COMMON; its table is what tables of kernels begin with."""
    entry = Entry({})
    entry.look()
    w = entry.writer
    write_lead(w)
    lines = [COPY, WORK, LEAVES, PIECE_OF, *map(pad, (1, 2, 4, 8))]
    lines += [*w.lines, *w.declarations, METADATA]
    return Text(_shown(lines), tuple(w.table))


def module_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the text of the module that a helper is in, and the functions of that."""
    if name == "draw":
        return _shown([draw()]), (name,)
    found = _GATHER.fullmatch(name)
    if found is None:
        return common().text, COMMON
    kind, size = found[1], int(found[2])
    is_take = kind == "take"
    text = take(size, WIDEST) if is_take else gather(size, int(found[3]), WIDEST, kind == "roll")
    lines = [text, "declare i64 @llvm.umin.i64(i64, i64)"]
    return _shown(lines), (name,)


def _shown(lines: list[str]) -> str:
    """Return the text of a module whose functions others may call."""
    text = "\n".join([*lines, "attributes #0 = { nounwind }", "!1 = !{}"]) + "\n"
    return text.replace("define internal ", "define ")
