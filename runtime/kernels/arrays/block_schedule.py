"""In what order a block of a kernel over arrays is computed.

Comes in: the body of a kernel. Goes out: phases. Within a phase these follow each other: a pass
over the elements, calls of inner loops, reductions of rows, a pass over the numbers of rows, calls
for these. What needs a result of a later one comes in the next phase.

What a pass computes in a few instructions of what is in memory is not kept for others, but computed
again by them: memory is slower.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import (
    ArrayType,
    Block,
    Instruction,
    Operand,
    Port,
    UnsupportedError,
    Variable,
)


class Part(IntEnum):
    """The parts of a phase, in order."""

    PASS = 0
    CALLS = 1
    REDUCTIONS = 2
    ROW_PASS = 3
    ROW_CALLS = 4


@dataclass(slots=True)
class Phase:
    """What is computed before the next phase begins.

    Args:
        parts: the instructions of each part.
        stores: results of passes that other parts or phases read from memory, by part.
        results: the numbers of the kernel's results that the pass over the elements writes.
    """

    parts: dict[Part, list[Instruction]] = field(default_factory=lambda: {x: [] for x in Part})
    stores: dict[Part, list[Variable]] = field(default_factory=lambda: {x: [] for x in Part})
    results: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Schedule:
    """The phases of a body.

    Args:
        phases: in order.
        uniform: what is the same for all elements.
        rows: what there is one of for each row.
        direct: results that inner loops write right into the new arrays, by their numbers.
        makers: which instruction makes a variable.
    """

    phases: list[Phase]
    uniform: set[Variable]
    rows: set[Variable]
    direct: dict[Variable, int]
    makers: dict[Variable, Instruction]

    def sources(self, operands: Iterable[Operand], known: Container[Variable]) -> list[Variable]:
        """Return what is made for operands of what is known, and then what is known."""
        found: dict[Variable, None] = {}
        waiting = [x for x in operands if isinstance(x, Variable)]
        while waiting:
            x = waiting.pop()
            if x not in found:
                found[x] = None
                if x not in known and x in self.makers:
                    waiting += [y for y in self.makers[x].args if isinstance(y, Variable)]
        return [*found]

    def rows_for(self, operands: Iterable[Operand], memory: Container[Variable]) -> list[Variable]:
        """Return the numbers of rows that elements are computed of; others are in memory."""
        stops = {x for x in self.makers if x in memory or x in self.rows}
        return [x for x in self.sources(operands, stops) if x in self.rows]

    def takes_rows(self) -> bool:
        """Tell whether elements are computed of numbers of rows."""
        parts = (Part.PASS, Part.CALLS, Part.REDUCTIONS)
        steps = (x for phase in self.phases for part in parts for x in phase.parts[part])
        return any(y in self.rows for x in steps for y in x.args)


EXTREMES = ("maximum", "minimum")
KNOWN = frozenset({"add", "logical_or", "logical_and", *EXTREMES})
"""The ufuncs whose reductions are written without NumPy's own loop."""


def schedule(body: Block, inputs: tuple[Port, ...], fast: bool = False) -> Schedule:
    """Return the phases of a body; UnsupportedError when it reduces what has no rows.

    Args:
        body: of the kernel.
        inputs: how its parameters enter.
        fast: whether the order of floats does not matter.
    """
    pairs = zip(body.params, inputs, strict=True)
    uniform = {x for x, port in pairs if not isinstance(port.type, ArrayType)}
    makers = {y: x for x in body.instructions for y in x.results}
    found = Schedule([Phase()], uniform, set(), {}, makers)
    made: dict[Variable, tuple[int, Part]] = {}
    for x in body.instructions:
        if x.op == "columns":
            found.uniform.update(x.results)
            continue
        part = _part(x, found)
        needed = [y for y in x.args if isinstance(y, Variable) and y in made]
        place = max((_after(made[y], part) for y in needed), default=0)
        while len(found.phases) <= place:
            found.phases.append(Phase())
        found.phases[place].parts[part].append(x)
        for y in needed:
            if made[y][1] == Part.ROW_PASS and made[y] != (place, part):
                _append(found.phases[made[y][0]].stores[Part.ROW_PASS], y)
        made.update(dict.fromkeys(x.results, (place, part)))
        if part >= Part.REDUCTIONS:
            found.rows.update(x.results)
    _place_results(found, body, made)
    _keep(found, body, made, fast)
    return found


def _append(items: list[Variable], x: Variable) -> None:
    if x not in items:
        items.append(x)


def _part(x: Instruction, found: Schedule) -> Part:
    """Return the part of a phase that an instruction belongs to."""
    if x.op == "reduce":
        (operand,) = x.args
        if not isinstance(operand, Variable) or operand in found.uniform | found.rows:
            raise UnsupportedError("a reduction of numbers")
        return Part.REDUCTIONS
    own = [y for y in x.args if isinstance(y, Variable) and y not in found.uniform]
    if own and all(y in found.rows for y in own):
        return Part.ROW_CALLS if x.op == "loop" else Part.ROW_PASS
    return Part.CALLS if x.op == "loop" else Part.PASS


def _after(made: tuple[int, Part], part: Part) -> int:
    """Return the first phase in which a part can use what was made."""
    place, maker = made
    follows = maker < part or (maker == part and part in (Part.PASS, Part.ROW_PASS))
    return place if follows else place + 1


FEW = 4
"""What takes no more instructions than this is computed again instead of being kept."""
_CHEAP = having(Trait.CHEAP)


def _keep(
    found: Schedule,
    body: Block,
    made: Mapping[Variable, tuple[int, Part]],
    fast: bool,
) -> None:
    """Note which results of passes over the elements have to be in memory."""
    users: dict[Variable, list[Instruction]] = {}
    for step in body.instructions:
        for y in step.args:
            if isinstance(y, Variable):
                users.setdefault(y, []).append(step)
    known = {x for x, (_, part) in made.items() if part is not Part.PASS}
    for x, (place, part) in made.items():
        if part is not Part.PASS:
            continue
        reads = [y for y in users.get(x, ()) if y.results and made[y.results[0]] != (place, part)]
        is_called = any(_may_call(y, fast) for y in reads)
        later = any(made[y.results[0]][0] > place for y in reads)
        if is_called or (later and not _is_cheap(found, x, known)):
            known.add(x)
            _append(found.phases[place].stores[Part.PASS], x)


def _may_call(x: Instruction, fast: bool) -> bool:
    """Tell whether an instruction may be a call of NumPy's own loop, which reads memory."""
    if x.op == "reduce":
        is_float = isinstance(x.args[0].type, np.dtype) and x.args[0].type.kind == "f"
        ufunc = x.attrs["ufunc"]
        return ufunc not in KNOWN or (ufunc in EXTREMES and is_float and not fast)
    return x.op == "loop"


def _is_cheap(found: Schedule, x: Variable, known: Container[Variable]) -> bool:
    """Tell whether a variable takes few instructions, of what is in memory."""
    steps = [found.makers[y] for y in found.sources([x], known) if y in found.makers]
    steps = [y for y in steps if y.results[0] not in known]
    return len(steps) <= FEW and all(y.op in _CHEAP for y in steps)


def _place_results(found: Schedule, body: Block, made: dict[Variable, tuple[int, Part]]) -> None:
    """Note where the results of the kernel are written."""
    for k, operand in enumerate(body.results):
        place, part = 0, Part.PASS
        if isinstance(operand, Variable) and operand in made:
            place, part = made[operand]
            if part == Part.CALLS and operand not in found.direct:
                found.direct[operand] = k
                continue
            if part >= Part.REDUCTIONS:
                stores = found.phases[place].stores[part]
                if part == Part.ROW_PASS and operand not in stores:
                    stores.append(operand)
                continue
        place += part == Part.CALLS
        while len(found.phases) <= place:
            found.phases.append(Phase())
        found.phases[place].results.append(k)
