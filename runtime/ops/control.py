"""Control flow: ops with regions.

Programs need four: `cond` (and its n-way form `switch`), `while_loop`, `reduce`, a loop over a
number of rounds or a dataset, with a carry and stacked outputs, which serves fold, scan and map,
and `try_`. Besides them stand `raises` and `attempt` (`runtime.ops.attempts`), and
`fused`, which lowering makes. What their operands and regions are is said once, in
`runtime.graph.regions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from runtime.dtypes import is_string
from runtime.errors import DtypeError, GraphFormatError, LoopStateError, ShapeError
from runtime.floating_errors import QUIET, Filters, Reporting, Settings
from runtime.graph.node import Graph
from runtime.graph.opdef import op
from runtime.graph.regions import Layout, Parts
from runtime.graph.traits import Form
from runtime.ops.effects import Failure
from runtime.ops.families import REGIONS
from runtime.ops.streams import DATASET, Stream
from runtime.spec import (
    UNKNOWN,
    Dim,
    TensorSpec,
    accepts,
    join_specs,
    row_spec,
    stacked_spec,
)

Region = Callable[..., tuple[Any, ...]]


def _check_scalar(spec: TensorSpec, what: str) -> None:
    if spec.shape is not None and any(n != 1 for n in spec.shape if isinstance(n, int)):
        raise ShapeError(
            f"{what} must be one truth value, and {spec} has many; use .any() or .all(), "
            "or np.where to choose element by element"
        )


def check_regions(regions: Sequence[Graph], count: int) -> None:
    """Raise GraphFormatError unless an op has so many regions."""
    if len(regions) != count:
        raise GraphFormatError(f"there are {len(regions)} regions, and {count} are needed")


def check_params(region: Graph, given: Sequence[TensorSpec]) -> None:
    """Check that a region takes the values that it is given."""
    params = [value.spec for value in region.params]
    if len(params) != len(given):
        raise GraphFormatError(f"a region has {len(params)} parameters and is given {len(given)}")
    for number, (param, spec) in enumerate(zip(params, given, strict=True)):
        if not accepts(param, spec):
            raise GraphFormatError(f"parameter {number} of a region is {param}, not {spec}")


def _check_results(region: Graph, least: int, most: int | None = None) -> None:
    count = len(region.results)
    if count < least or (most is not None and count > most):
        raise GraphFormatError(f"a region returns {count} values, and {least} are needed")


def _result_specs(regions: Sequence[Graph]) -> tuple[TensorSpec, ...]:
    """Return the specs that hold the results of every region."""
    for region in regions[1:]:
        _check_results(region, len(regions[0].results), len(regions[0].results))
    first, *others = ([value.spec for value in region.results] for region in regions)
    for other in others:
        first = [_join(a, b) for a, b in zip(first, other, strict=True)]
    return tuple(first)


def _join(a: TensorSpec, b: TensorSpec) -> TensorSpec:
    joined = join_specs(a, b)
    if joined is None:
        raise DtypeError(f"the arms give {a} and {b}, which no dtype and rank can hold both")
    return joined


def _cond_spec(
    test: TensorSpec, *operands: TensorSpec, regions: Sequence[Graph], **attrs: Any
) -> tuple[TensorSpec, ...]:
    _check_scalar(test, "a condition")
    check_regions(regions, 2)
    for region in regions:
        check_params(region, operands)
    return _result_specs(regions)


def _cond_kernel(
    xp: Any, test: Any, *operands: Any, quiet: bool, regions: Sequence[Region], **attrs: Any
) -> tuple[Any, ...]:
    then, else_ = regions
    with QUIET.active() if quiet else nullcontext():
        return then(*operands) if test else else_(*operands)


cond = op(
    "cond(test, *operands, label=None, quiet=False)",
    doc="""Run the first region when `test` is true, else the second.

    `label` is the name of the branch; in a `quiet` one NumPy does not warn.""",
    spec=_cond_spec,
    kernel=_cond_kernel,
    samples=None,
    family=REGIONS,
    form=Form.COND,
)


def _switch_spec(
    index: TensorSpec, *operands: TensorSpec, regions: Sequence[Graph], **attrs: Any
) -> tuple[TensorSpec, ...]:
    _check_scalar(index, "an index")
    if index.dtype.kind not in "iu":
        raise DtypeError(f"an index must be an integer, not {index}")
    for region in regions:
        check_params(region, operands)
    return _result_specs(regions)


def _switch_kernel(
    xp: Any,
    index: Any,
    *operands: Any,
    errstate: Settings = (),
    filters: Filters = (),
    regions: Sequence[Region],
) -> tuple[Any, ...]:
    with Reporting(errstate, filters).active():
        return regions[min(max(int(index), 0), len(regions) - 1)](*operands)


switch = op(
    "switch(index, *operands, errstate=(), filters=())",
    doc="""Run the region of the given number; numbers out of range mean the first or the last.

    `errstate` and `filters` say how it reports floating point errors, where that is not as around
    it; see `runtime.floating_errors`.""",
    spec=_switch_spec,
    kernel=_switch_kernel,
    samples=None,
    family=REGIONS,
    form=Form.SWITCH,
)


def _check_carry(layout: Layout, given: Parts[TensorSpec], body: Graph) -> None:
    """Check that what is carried fits the body of a loop, which it fits again after a round."""
    _check_results(body, layout.carry)
    params = layout.split([value.spec for value in body.params])
    if len(params.head) < layout.head or len(params.carried) < layout.carry:
        raise GraphFormatError(f"a region has {len(body.params)} parameters, too few for a loop")
    results, _ = layout.outputs([value.spec for value in body.results])
    carried = zip(given.carried, params.carried, results, strict=True)
    for k, (spec, param, result) in enumerate(carried):
        is_kept = _keeps_sizes(spec, param, result)
        if not is_kept or not accepts(param, result) or not accepts(param, spec):
            raise LoopStateError(f"loop state {k} starts as {spec}, is {param}, becomes {result}")


def _keeps_sizes(before: TensorSpec, param: TensorSpec, after: TensorSpec) -> bool:
    """Tell whether the sizes that have a name before a loop, and the same in it, stay these."""
    sizes = zip(before.shape or (), param.shape or (), after.shape or (), strict=False)
    return all(n == m for k, n, m in sizes if k == n and isinstance(n, Dim) and n != UNKNOWN)


def _while_spec(
    *operands: TensorSpec, carry: int, regions: Sequence[Graph], **attrs: Any
) -> tuple[TensorSpec, ...]:
    check_regions(regions, 2)
    test, body = regions
    _check_results(test, 1, 1)
    _check_scalar(test.results[0].spec, "a loop condition")
    _check_results(body, carry, carry)
    layout = Layout(0, carry, 0)
    _check_carry(layout, layout.split(operands), body)
    check_params(body, operands)
    check_params(test, [value.spec for value in body.params])
    return _carried_out(layout, body)


def _carried_out(layout: Layout, body: Graph) -> tuple[TensorSpec, ...]:
    """Return what is carried out of a loop: sizes that a round may change have no name."""
    params = layout.split([value.spec for value in body.params]).carried
    results, _ = layout.outputs([value.spec for value in body.results])
    return tuple(join_specs(a, b) or a for a, b in zip(params, results, strict=True))


def _while_kernel(
    xp: Any, *operands: Any, carry: int, quiet: bool, regions: Sequence[Region], **attrs: Any
) -> tuple[Any, ...]:
    test, body = regions
    given = Layout(0, carry, 0).split(operands)
    state = given.carried
    with QUIET.active() if quiet else nullcontext():
        while test(*state, *given.captured)[0]:
            state = body(*state, *given.captured)
    return state


while_loop = op(
    "while_loop(*operands, carry, label=None, quiet=False)",
    doc="""Run the second region on the first `carry` operands while the first region gives true.

    `label` is the name of the loop; in a `quiet` one NumPy does not warn.""",
    spec=_while_spec,
    kernel=_while_kernel,
    samples=None,
    family=REGIONS,
    form=Form.WHILE,
)


def _reduce_spec(
    count: TensorSpec,
    *operands: TensorSpec,
    carry: int,
    sequences: int,
    length: int | None,
    until: int | None,
    reverse: bool,
    regions: Sequence[Graph],
    **attrs: Any,
) -> tuple[TensorSpec, ...]:
    check_regions(regions, 1)
    (body,) = regions
    _check_scalar(count, "a number of rounds")
    if count == DATASET and len(body.results) > carry:
        raise GraphFormatError("a loop over a dataset stacks nothing")
    if count != DATASET and until is not None:
        raise GraphFormatError("only a loop over a dataset ends before all rounds")
    if count == DATASET and reverse:
        raise GraphFormatError("a loop over a dataset goes forward")
    layout = Layout(1, carry, sequences)
    given = layout.split((count, *operands))
    _check_carry(layout, given, body)
    params = layout.split([value.spec for value in body.params])
    elements = tuple(map(row_spec, given.sequences))
    check_params(body, [*replace(given, head=params.head, sequences=elements)])
    _, rows = layout.outputs([value.spec for value in body.results])
    rounds = _rounds(given.sequences, length)
    stacked = (stacked_spec(spec, rounds) for spec in rows)
    return (*_carried_out(layout, body), *stacked)


def _rounds(sequences: Sequence[TensorSpec], length: int | None) -> int | Dim:
    if length is not None:
        return length
    return next((spec.shape[0] for spec in sequences if spec.shape), UNKNOWN)


def _reduce_kernel(
    xp: Any,
    count: Any,
    *operands: Any,
    carry: int,
    sequences: int,
    until: int | None,
    reverse: bool,
    regions: Sequence[Any],
    **attrs: Any,
) -> tuple[Any, ...]:
    (body,) = regions
    layout = Layout(1, carry, sequences)
    given = layout.split((count, *operands))
    state, (_, specs) = given.carried, layout.outputs(body.specs)
    outputs: list[list[Any]] = [[] for _ in specs]
    for index in numbers_of_rounds(count, reverse):
        found = body(index, *state, *(xs[index] for xs in given.sequences), *given.captured)
        state, row = layout.outputs(found)
        for column, value in zip(outputs, row, strict=True):
            column.append(value)
        if until is not None and state[until]:
            break
    stacked = [rows[::-1] if reverse else rows for rows in outputs]
    pairs = zip(stacked, specs, strict=True)
    return (*state, *(stack_rows(xp, rows, spec) for rows, spec in pairs))


def numbers_of_rounds(count: Any, reverse: bool) -> Iterable[int]:
    """Return the numbers of the rounds of a loop that goes over a stream, or has a count."""
    if isinstance(count, Stream):
        return count.rounds()
    return reversed(range(int(count))) if reverse else range(int(count))


def _ragged(shapes: set[tuple[int, ...]]) -> str:
    a, b, *_ = sorted(shapes)
    return (
        f"arrays of the shapes {a} and {b} cannot be stacked: rounds of a loop, or elements of a "
        "batch, give results of one shape. Bring them to one length by np.pad"
    )


def stack_rows(xp: Any, rows: Sequence[Any], spec: TensorSpec) -> Any:
    """Stack the outputs of the rounds of a loop; `spec` says what they are when there are none."""
    if rows:
        dtype = spec.dtype if is_string(spec.dtype) else None
        arrays = [xp.asarray(row, dtype) for row in rows]
        if len({x.shape for x in arrays}) > 1:
            raise ShapeError(_ragged({x.shape for x in arrays}))
        return xp.stack(arrays)
    shape = [n if isinstance(n, int) else 0 for n in spec.shape or ()]
    return xp.empty((0, *shape), spec.dtype)


reduce = op(
    "reduce(count, *operands, carry, sequences, length=None, label=None, until=None, "
    "reverse=False)",
    doc="""Run the region `count` times, or once for each element of a stream over a dataset.

    It receives the number of the round, the carry, one element of each sequence (along the first
    axis) and the other operands; it returns the new carry and outputs, which are stacked. `length`
    is the number of rounds when it is known while tracing, `label` the name of the loop. A loop
    over a stream ends, too, once part `until` of the carry is true after a round. One that is
    `reverse` begins with the last round; what is stacked keeps the places of the rounds.""",
    spec=_reduce_spec,
    kernel=_reduce_kernel,
    samples=None,
    family=REGIONS,
    form=Form.REDUCE,
)


def _try_spec(
    *operands: TensorSpec, points: tuple[int, ...], regions: Sequence[Graph]
) -> tuple[TensorSpec, ...]:
    check_regions(regions, 1 + len(points))
    body, *handlers = regions
    check_params(body, operands)
    for handler in handlers:
        values = [value.spec for value in handler.params[: len(handler.params) - len(operands)]]
        check_params(handler, [*values, *operands])
    return _result_specs(regions)


def _try_kernel(
    xp: Any, *operands: Any, points: tuple[int, ...], regions: Sequence[Region]
) -> tuple[Any, ...]:
    body, *handlers = regions
    try:
        return body(*operands)
    except Failure as failure:
        number, values = failure.among(points)
    return handlers[number - 1](*values, *operands)


try_ = op(
    "try_(*operands, points)",
    doc="""Run the first region; when a `fail` of one of the points leaves it, that point's region.

    The region of a point receives the values that the `fail` was given, and the operands.""",
    spec=_try_spec,
    kernel=_try_kernel,
    samples=None,
    family=REGIONS,
    form=Form.TRY,
)


def _first_spec(*x: TensorSpec, regions: Sequence[Graph], **attrs: Any) -> tuple[TensorSpec, ...]:
    """The rule of an op that runs the first of its regions."""
    check_regions(regions, 1)
    check_params(regions[0], x)
    return tuple(value.spec for value in regions[0].results)


def _first_kernel(xp: Any, *x: Any, regions: Sequence[Region], **attrs: Any) -> tuple[Any, ...]:
    return regions[0](*x)


fused = op(
    "fused(*x, space)",
    doc="""Run the region: a chain of ops that a kernel computes together.

    `space` has the shape of the elements that the kernel goes through.""",
    spec=_first_spec,
    kernel=_first_kernel,
    samples=None,
    family=REGIONS,
    form=Form.CHAIN,
)


def _custom_spec(
    *x: TensorSpec, mode: str, regions: Sequence[Graph], **attrs: Any
) -> tuple[TensorSpec, ...]:
    check_regions(regions, 2)
    check_params(regions[0], x)
    if mode not in ("vjp", "jvp"):
        raise GraphFormatError(f"a derivative is given by 'vjp' or 'jvp', not {mode!r}")
    return tuple(value.spec for value in regions[0].results)


custom = op(
    "custom(*x, mode, count, free=0, label=None)",
    doc="""Run the first region, which has the derivative that the second one says.

    That one is given the operands, of which the first `count` are arguments, the next `free` what
    the function computed of them, and the others what it uses from outside; and for `vjp` the
    cotangents of the results that are floats or complex, to give those of such arguments; for `jvp`
    the tangents of such arguments, to give those of such results. `label` is the name of the
    function.""",
    spec=_custom_spec,
    kernel=_first_kernel,
    samples=None,
    family=REGIONS,
    form=Form.CUSTOM,
)


checkpoint = op(
    "checkpoint(*x)",
    doc="Run the region, of which derivatives keep little.",
    spec=_first_spec,
    kernel=_first_kernel,
    samples=None,
    family=REGIONS,
    form=Form.CHECKPOINT,
)

step = op(
    "step(*x)",
    doc="Run the region, which others of a trace may share: it is written out where that ends.",
    spec=_first_spec,
    kernel=_first_kernel,
    samples=None,
    family=REGIONS,
    form=Form.STEP,
)
