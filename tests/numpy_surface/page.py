"""The page on NumPy: what stands for each of its public names in a staged function, and why not."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from runtime.methods import ArrayMethods, functions_as_methods
from runtime.numpy.call_text import public_modules
from runtime.numpy.face import FUNCTIONS, OF_ONE_OP
from runtime.ops.public_names import DOERS, FILES, READERS
from runtime.protocols import UFUNCS
from tests.numpy_surface.surface import names

PAGE = Path(__file__).parents[2] / "docs" / "numpy.md"

STATE = "changes NumPy's own settings while tracing, once: call it outside of the staged function"
MEMORY = "tells where an array is in memory, and a graph decides that"
WRITES = "writes the memory of other arrays, and is not seen to do so"
REASONS = {
    **dict.fromkeys(FILES - READERS - DOERS, "does more than to compute, or gives open files"),
    "ndarray.ctypes": MEMORY,
    "ndarray.data": WRITES,
    "ndarray.setflags": "changes whether an array can be written",
    "np.nested_iters": WRITES,
    "np.lib.array_utils.byte_bounds": MEMORY,
    **dict.fromkeys(
        ("np.setbufsize", "np.seterr", "np.seterrcall"),
        STATE,
    ),
}
"""Why names have nothing that stands for them: whole names, and last parts of names of files."""

_METHODS = {*vars(ArrayMethods), *dict(functions_as_methods())}
OF_ARGUMENTS = {
    "ndarray.base": MEMORY,
    "ndarray.strides": MEMORY,
    "ndarray.flags": MEMORY,
    "ndarray.resize": "changes the shape of an array; write x = np.resize(x, shape)",
}
"""Why calls of these names are refused unless they are of an argument, which has a place."""

HEAD = """\
# NumPy in staged functions

Made by the test that proves it (`pytest tests/numpy_surface --update-golden` writes it anew): some
four calls of each name, with staged arguments, give what plain NumPy gives, bit for bit, of the
same class and dtype, with the same warnings and exceptions, and write what it writes.

* **op**: one operation of a graph: it is fused, compiled, differentiated;
* **made of ops**: a few of them, as NumPy's own function is;
* **called**: a call of NumPy in the graph, by its name
  ([decision 36](decisions/0036-calls-of-numpy.md)), on the arrays of the CPU, in order, not
  differentiable. What no array of a graph can hold (masked arrays, dates, records, texts of a fixed
  length, arrays whose dtype the values decide) is an object of the graph, and what is done with it
  is a call, too ([decision 59](decisions/0059-objects-of-numpy.md)). The same holds for SciPy,
  and for scikit-learn ([decision 101](decisions/0101-estimators-are-objects.md));
* **not**: refused by an error that says so, or done while tracing, as it says here.

Functions that read a file read it when the graph runs, which then must have the dtypes that it had
while tracing; those that write files or print do that when the graph runs, in order. Both are given
the names of files, not open ones.

Where the arguments of an op ask for what it does not do, NumPy is called, too. A function of the
user's that is an argument of a called function (`np.apply_over_axes`) is called with it, as plain
Python; one that may do more than to compute is refused, since a trial would call it. Those of
`np.piecewise` and `np.apply_along_axis` are part of the graph, and have derivatives.
"""


def function_of(name: str) -> Any:
    """Return what a name of `surface.names` is."""
    root, *parts = name.split(".")
    found: Any = np if root == "np" else np.ndarray
    for part in parts:
        found = getattr(found, part)
    return found


def kind_of(name: str) -> str:
    """Return what stands for a name: "op", "made of ops", "called" or "not"."""
    if reason_of(name) is not None:
        return "not"
    function = function_of(name)
    if name.startswith("ndarray."):
        return "op" if name.removeprefix("ndarray.") in _METHODS else "called"
    if isinstance(function, np.ufunc) or isinstance(getattr(function, "__self__", 0), np.ufunc):
        known = function if isinstance(function, np.ufunc) else function.__self__
        return "op" if known in UFUNCS or known is function else "made of ops"
    ours = FUNCTIONS.get(function) if function.__hash__ is not None else None
    return "called" if ours is None else "op" if ours in OF_ONE_OP else "made of ops"


def reason_of(name: str) -> str | None:
    """Return why nothing stands for a name; None where something does."""
    return REASONS.get(name) or REASONS.get(name.rpartition(".")[2])


def page() -> str:
    """Return the page for the NumPy that is installed."""
    rooms: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name in [*names(), *_left_out()]:
        room, _, own = name.rpartition(".")
        if isinstance(function_of(name), np.ufunc | type(None)) or "ufunc" not in room:
            rooms[room][kind_of(name)].append(own)
    lines = [HEAD, "| module or class | op | made of ops | called | not |", "|---|---|---|---|---|"]
    kinds = ("op", "made of ops", "called", "not")
    shown = sorted(room for room in rooms if not _is_ufunc(room))
    counts = [(room, [len(rooms[room][kind]) for kind in kinds]) for room in shown]
    lines += [f"| `{room}` | {' | '.join(map(str, row))} |" for room, row in counts]
    total = [sum(row[k] for _, row in counts) for k in range(len(kinds))]
    lines.append(f"| together | {' | '.join(map(str, total))} |")
    for room in shown:
        lines.append(f"\n## `{room}`\n")
        for kind in kinds[:3]:
            if rooms[room][kind]:
                lines.append(f"* {kind}: {', '.join(f'`{x}`' for x in sorted(rooms[room][kind]))}")
        for own in sorted(rooms[room]["not"]):
            lines.append(f"* not: `{own}`, which {reason_of(f'{room}.{own}')}")
    lines.append(
        "\nThe methods of ufuncs (`reduce`, `accumulate`, `outer`, `at`, `reduceat`) are ops or"
    )
    lines.append("are called.\n\n## Of arguments only\n")
    lines += [f"* `{name}`: {reason}" for name, reason in OF_ARGUMENTS.items()]
    return "\n".join(lines) + "\n"


def _is_ufunc(room: str) -> bool:
    return isinstance(function_of(room), np.ufunc) if room not in ("np", "ndarray") else False


def _left_out() -> list[str]:
    """Return the names that no call is made of, since nothing stands for them."""
    found = [name for name in REASONS if "." in name]
    for path, module in public_modules().items():
        short = path.replace("numpy", "np", 1)
        found += [f"{short}.{x}" for x in sorted(FILES & {*vars(module)}) if x != "test"]
    found += [f"ndarray.{x}" for x in ("dump", "tofile")]
    found += [f"np.{x}" for x in ("get_include", "info", "show_config", "show_runtime")]
    found += ["np.printoptions", "np.set_printoptions"]
    return sorted({*found} - {*names()})
