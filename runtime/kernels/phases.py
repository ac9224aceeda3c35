"""In what order a block of a kernel over arrays is computed.

Comes in: the body of a kernel. Goes out: phases. Within a phase these follow each other: a pass
over the elements, calls of inner loops, reductions of rows, a pass over the numbers of rows, calls
for these. What needs a result of a later one comes in the next phase.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from runtime.kernels.kernel import ArrayType, Block, Instruction, Port, UnsupportedError, Variable


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
        stores: results of passes that other parts or phases need, by part.
        spread: numbers of rows that a pass over the elements needs later.
        results: the numbers of the kernel's results that the pass over the elements writes.
    """

    parts: dict[Part, list[Instruction]] = field(default_factory=lambda: {x: [] for x in Part})
    stores: dict[Part, list[Variable]] = field(default_factory=lambda: {x: [] for x in Part})
    spread: list[Variable] = field(default_factory=list)
    results: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Schedule:
    """The phases of a body.

    Args:
        phases: in order.
        uniform: what is the same for all elements.
        rows: what there is one of for each row.
        direct: results that inner loops write right into the new arrays, by their numbers.
    """

    phases: list[Phase]
    uniform: set[Variable]
    rows: set[Variable]
    direct: dict[Variable, int]


def schedule(body: Block, inputs: tuple[Port, ...]) -> Schedule:
    """Return the phases of a body; UnsupportedError when it reduces what has no rows."""
    pairs = zip(body.params, inputs, strict=True)
    uniform = {x for x, port in pairs if not isinstance(port.type, ArrayType)}
    found = Schedule([Phase()], uniform, set(), {})
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
            _keep(found, y, made[y], (place, part))
        made.update(dict.fromkeys(x.results, (place, part)))
        if part >= Part.REDUCTIONS:
            found.rows.update(x.results)
    _place_results(found, body, made)
    return found


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


def _keep(found: Schedule, x: Variable, made: tuple[int, Part], used: tuple[int, Part]) -> None:
    """Note that a value has to be in memory, or spread over rows, for one who uses it."""
    place, maker = made
    phase = found.phases[place]
    if maker in (Part.PASS, Part.ROW_PASS) and used != made and x not in phase.stores[maker]:
        phase.stores[maker].append(x)
    if maker >= Part.REDUCTIONS and used[1] < Part.REDUCTIONS and x not in phase.spread:
        phase.spread.append(x)


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
