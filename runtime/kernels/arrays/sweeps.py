"""The sweeps of a kernel over arrays that makes rounds, as routines.

Comes in: what writes the entry of the kernel. Goes out: rounds of computing.

A sweep goes over all tiles (`tiles`). After one, all have made at least as many rounds as before it
(`TARGET`), and one at least has made the most. If all have made as many, and none was held up by
the limit, that is the end. Else the most is what all make in the next sweep, before their elements
are asked again: rounds go on for all elements as long as any asks for them. The state is in the new
arrays then. The limit keeps a sweep short; between two there is a look at signals.

Where rounds go on only as long as all elements ask for more, the least that a tile has made is the
end. If others have made more by then, all of them begin once more, and stop there. Sweeps are short
at first, and each is as long as all before it, so that this costs as much again at most.
"""

from __future__ import annotations

from runtime.kernels.arithmetic import number
from runtime.kernels.arrays import layout
from runtime.kernels.arrays.carried import carried
from runtime.kernels.arrays.layout import LONGEST, Layout, Rounds
from runtime.kernels.arrays.tiles import RECORD, record_words
from runtime.kernels.entry import Entry
from runtime.kernels.kernel import ArrayType
from runtime.kernels.maps import ROUNDS, MapKernel

ALONE, SWEEP_TIME, FEWEST = 2e-4, 0.05, 16
"""For about how many seconds rounds are made without other threads; for how many by one sweep after
that; how many rounds this makes at least."""
UNKNOWN = -1
"""What stands for the end before it is known: more rounds than there are."""

_SWEEPS = """
need(total != 0)
size, saved = space(i64, 1), space(i64, 1 + len(kept))
size.i64[0] = (total + (tile - 1)) // tile * words
records = empty(1, size, "int64")
context.ptr[first + Rounds.RECORDS] = (records + Array.DATA).ptr[0]
context.i64[first + Rounds.TARGET] = 0
context.i64[first + Rounds.END] = UNKNOWN
for n in unrolled(len(kept)):
    saved.i64[n] = context.i64[kept[n]]
few, many = alone // total, max(sweep // total, FEWEST)
while true:
    target = context.i64[first + Rounds.TARGET]
    limit = few if target < few else target + many
    if is_unanimous:
        limit = min(min(limit, (target << 1) + 2), context.i64[first + Rounds.END])
    context.i64[first + Rounds.LIMIT] = limit
    context.i64[first + Rounds.MOST] = target
    context.i64[first + Rounds.LEAST] = -1
    if target < few:
        run(table, context, 0, units)
    else:
        context.i64[Layout.NEXT] = 0
        context.i64[Layout.TOTAL] = units
        context.i64[Layout.CHUNK] = min((total >> 3 & -tile) + tile, LONGEST)
        share(total, 0)
    need(context.i64[Layout.FLAGS] & Layout.STOPPED == 0)
    most, least = context.i64[first + Rounds.MOST], context.i64[first + Rounds.LEAST]
    agree, is_end = least >= most, most < context.i64[first + Rounds.LIMIT]
    if is_unanimous:
        if not agree:
            context.i64[first + Rounds.END] = least
            context.i64[first + Rounds.TARGET] = 0
            for n in unrolled(len(kept)):
                context.i64[kept[n]] = saved.i64[n]
            continue
        if is_end or most == context.i64[first + Rounds.END]:
            break
    elif agree and is_end:
        break
    context.i64[first + Rounds.TARGET] = most
    if py.PyErr_CheckSignals() != 0:
        goto(failed)
    for k in unrolled(len(inputs)):
        context.ptr[inputs[k]] = context.ptr[outputs[k]]
        context.i64[inputs[k] + 1] = 1
        stride = strides[k]
        for axis in inwards:
            context.i64[inputs[k] + 2 + axis] = stride
            stride = stride * context.i64[Layout.SIZES + axis]
made = context.i64[first + Rounds.MOST]
need(made >= fewest)
record = context.ptr[first + Rounds.RECORDS]
if len(numbers):
    while record.i64[0] != made:
        record += 8 * words
for k in unrolled(len(numbers)):
    memcpy(context.ptr[numbers[k]], record + 8 * places[k], sizes[k])
"""


def write_sweeps(e: Entry, kernel: MapKernel, total: str, units: str, cost: float) -> None:
    """Write the sweeps.

    Args:
        e: writes the entry.
        kernel: that is entered.
        total: how many elements the space has.
        units: how many units of work.
        cost: how many seconds the rounds of an element take.
    """
    own, state, outputs = Layout(kernel), carried(kernel), [*enumerate(kernel.outputs)]
    params, rank = kernel.body.params, kernel.rank
    first = {k: own.input(params.index(state.loop.args[k])) for k in state.elements}
    parts = [state.loop.results.index(x) for x in kernel.body.results]
    arrays = {k: port.type for k, port in outputs if isinstance(port.type, ArrayType)}
    numbers = [k for k, part in enumerate(parts) if part in state.numbers]
    kept = [k + n for k in first.values() for n in range(2 + rank)] if state.is_unanimous else []
    e.write(
        _SWEEPS, Layout=layout, Rounds=Rounds, first=own.rounds(0), total=total, units=units,
        tile=state.tile, words=record_words(state), kept=kept, is_unanimous=state.is_unanimous,
        alone=int(ALONE * ROUNDS / cost), sweep=int(SWEEP_TIME * ROUNDS / cost), FEWEST=FEWEST,
        UNKNOWN=UNKNOWN, LONGEST=LONGEST, fewest=state.loop.attrs["least"],
        inwards=range(rank)[::-1],
        inputs=[first[parts[k]] for k in arrays], outputs=[own.output(k) for k in arrays],
        strides=[kind.dtype.itemsize for kind in arrays.values()],
        numbers=[own.output(k) for k in numbers],
        places=[RECORD + state.numbers.index(parts[k]) for k in numbers],
        sizes=[number(kernel.body.results[k].type).itemsize for k in numbers],
    )  # fmt: skip
