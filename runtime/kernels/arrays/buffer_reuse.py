"""Which elements wait where a result goes, instead of in memory of their own.

Comes in: a kernel that reduces rows, and its phases. Goes out: numbers of results. So memory of new
arrays is reached while more is computed for each element, and there is less to go through.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runtime.kernels.arrays.block_schedule import Part, Phase, Schedule
from runtime.kernels.kernel import Operand, Variable
from runtime.kernels.maps import Kind, MapKernel


def borrowed(kernel: MapKernel, schedule: Schedule) -> dict[Variable, int]:
    """Return which result a variable waits in, if it does: one that is made of it.

    Nothing else may need it afterwards, and the pass that makes the result has to go through each
    element once, which passes row by row do that reduce nothing.
    """
    found: dict[Variable, int] = {}
    if not kernel.has_rows or kernel.kind is not Kind.ROWS:
        return found
    phases, results = schedule.phases, kernel.body.results
    kept = [x for phase in phases for x in phase.stores[Part.PASS]]
    called = [y for phase in phases for x in phase.parts[Part.CALLS] for y in x.results]
    known = {*kept, *called, *schedule.rows}
    for x in kept:
        users = [p for p in phases if x in schedule.sources(_needs(p, schedule, results), known)]
        if users and not (users[-1].parts[Part.CALLS] or users[-1].parts[Part.REDUCTIONS]):
            fits = (k for k in users[-1].results if _fits(schedule, x, results[k], known))
            place = next((k for k in fits if k not in found.values()), None)
            if place is not None and x not in users[-1].stores[Part.PASS]:
                found[x] = place
    return found


def _needs(phase: Phase, schedule: Schedule, results: Sequence[Operand]) -> Iterator[Operand]:
    """Yield what a phase computes of elements, or computes that of."""
    for part in (Part.CALLS, Part.REDUCTIONS):
        yield from (y for x in phase.parts[part] for y in x.args)
    yield from (y for x in phase.parts[Part.PASS] if x.op == "stop" for y in x.args)
    yield from (y for x in phase.stores[Part.PASS] for y in schedule.makers[x].args)
    yield from (results[k] for k in phase.results)


def _fits(schedule: Schedule, x: Variable, result: Operand, known: set[Variable]) -> bool:
    """Tell whether a result is made of a variable and of numbers of rows."""
    sources = schedule.sources([result], known)
    has_rows = any(y in schedule.rows for y in sources)
    return has_rows and x in sources and x is not result and x.type == result.type
