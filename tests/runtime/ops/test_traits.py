"""What ops say about themselves holds: on their samples, and on numbers chosen to break."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import runtime.ops.special  # noqa: F401  (its ops are to be tested, too)
from runtime.graph.opdef import REGISTRY, OpDef
from runtime.graph.traits import NotThere
from runtime.spec import spec_of

OPS = [*REGISTRY.values()]  # others are made when they are first asked for
SAMPLED = [op for op in OPS if op.samples is not None]
BAD = {
    "f": (0.0, -1.0, np.nan, np.inf, -np.inf, 1e300, -0.0),
    "c": (0.0, complex(np.nan, 1), complex(np.inf, 0)),
    "i": (0, -1, 100, 7),
    "u": (0, 100, 7),
    "b": (False, True),
}


def hostile(rng: np.random.Generator, x: Any, few: bool) -> Any:
    """Return a value of the same spec, some of whose numbers are chosen to break."""
    kind = np.asarray(x).dtype.kind
    if kind not in BAD:
        return x
    bad = BAD[kind][: 2 if few else None]
    if isinstance(x, bool | int | float | complex):
        return type(x)(bad[rng.integers(len(bad))])
    array = np.array(x)
    for place in np.ndindex(array.shape):
        if rng.random() < 0.5:
            with np.errstate(all="ignore"):
                array[place] = bad[rng.integers(len(bad))]
    return array if isinstance(x, np.ndarray) else array[()]


def calls(op: OpDef) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Yield calls of an op in a dtype of each kind that it has."""
    is_slow = op.kernel.__module__ == "runtime.ops.decompositions"  # LAPACK of infinity: no end
    for dtype in {d.kind: d for d in reversed(op.samples.dtypes)}.values():
        rng = np.random.default_rng(zlib.crc32(op.name.encode()))
        for inputs, attrs in op.samples.draw(rng, dtype):
            yield tuple(inputs), op.attributes(attrs)
            for _ in range(6):
                yield tuple(hostile(rng, x, is_slow) for x in inputs), op.attributes(attrs)


def raised(op: OpDef, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Exception | None:
    try:
        op.kernel(np, *inputs, **attrs)
    except Exception as error:
        return error
    return None


def declared(op: OpDef, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> set[str]:
    """Return what an op says that it may raise for these values."""
    errors = op.raises([spec_of(x) for x in inputs], attrs)
    return {x.name for x in errors if x.is_possible(dict(enumerate(inputs)))}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", SAMPLED, ids=str)
def test_an_op_raises_nothing_but_what_it_says(op: OpDef) -> None:
    for inputs, attrs in calls(op):
        try:
            op.spec(*map(spec_of, inputs), **attrs)
        except Exception:
            continue  # it is refused when the graph is built
        found = raised(op, inputs, attrs)
        if found is not None:
            known = {kind.__name__ for kind in type(found).__mro__}
            assert known & declared(op, inputs, attrs), (inputs, attrs, repr(found))


@pytest.mark.parametrize("op", [op for op in SAMPLED if not op.warns], ids=str)
def test_an_op_that_says_so_never_warns(op: OpDef) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for inputs, attrs in calls(op):
            if any(type(x) in (float, complex) for x in inputs):
                continue  # it may be too large for the dtype of another operand
            try:
                op.kernel(np, *inputs, **attrs)
            except RuntimeWarning as warning:
                pytest.fail(f"{op.name} warns of {inputs}: {warning}")
            except Exception:
                continue


def test_a_reduction_has_axes_and_one_operand_that_it_reduces() -> None:
    reductions = [op for op in OPS if op.reduction is not None]
    assert [op for op in reductions if "keepdims" not in op.signature.attrs] == []


def test_the_ufunc_of_a_reduction_reduces_as_the_op_does() -> None:
    x = np.arange(1.0, 7.0).reshape(2, 3)
    for op in OPS:
        if op.reduction is not None and op.reduction.ufunc is not None:
            found = op.kernel(np, x, **op.attributes({"axis": 1}))
            np.testing.assert_array_equal(found, op.reduction.ufunc.reduce(x, axis=1), str(op))


def test_the_ufunc_of_an_accumulation_accumulates_as_the_op_does() -> None:
    x = np.arange(1.0, 7.0).reshape(2, 3)
    for op in OPS:
        if op.accumulation is not None:
            found = op.kernel(np, x, **op.attributes({"axis": 1}))
            np.testing.assert_array_equal(found, op.accumulation.accumulate(x, axis=1), str(op))


def test_what_an_op_does_not_have_is_written_with_a_reason() -> None:
    for op in OPS:
        for trait in (op.cost, op.derivative, op.batching):
            assert not isinstance(trait, NotThere) or trait.why, op
