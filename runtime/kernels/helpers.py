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

from runtime.kernels.arrays.gather import write_copies, write_gather, write_take
from runtime.kernels.arrays.long_rows import PIECE_OF
from runtime.kernels.arrays.pairwise import LEAVES
from runtime.kernels.arrays.philox import write_draw
from runtime.kernels.entry import Text
from runtime.kernels.llvm import METADATA, Writer
from runtime.kernels.routines import routines
from runtime.kernels.target import Target
from runtime.kernels.work_partition import write_lead, write_look

_GATHER = re.compile(r"(gather|roll|take)(\d+)(?:x(\d+))?")
COMMON = ("copy", "leaves", "piece", "resume", "lead", "quit", "pad1", "pad2", "pad4", "pad8")
"""What is in one module, since most kernels need much of it."""


def helper(w: Writer, name: str) -> str:
    """Return the address of a helper, for a kernel."""
    return w.outside(f"helper:{name}")


@cache
def common(target: Target) -> Text:
    """Return the module of COMMON; its table is what tables of kernels begin with."""
    w = Writer({}, target)
    write_look(w, "define")
    write_lead(w)
    write_copies(w)
    routines(w, LEAVES + PIECE_OF, "define")
    return Text(_text(w), tuple(w.table), target)


def module_of(name: str, target: Target) -> tuple[str, tuple[str, ...]]:
    """Return the text of the module that a helper is in, and the functions of that."""
    found, w = _GATHER.fullmatch(name), Writer({}, target)
    if name == "draw":
        write_draw(w)
    elif found is None:
        return common(target).text, COMMON
    elif found[1] == "take":
        write_take(w, int(found[2]))
    else:
        write_gather(w, int(found[2]), int(found[3]), found[1] == "roll")
    return _text(w), (name,)


def _text(w: Writer) -> str:
    """Return the text of a module."""
    end = [*w.declarations, METADATA, "attributes #0 = { nounwind }", "!1 = !{}"]
    return "\n".join([*w.lines, *end]) + "\n"
