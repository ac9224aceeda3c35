"""Every op with a derivative: both modes against each other, and against differences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import runtime.ops.special  # noqa: F401  (its ops are to be tested, too)
from runtime.errors import DerivativeError
from runtime.graph.node import Graph
from runtime.graph.opdef import REGISTRY, OpDef
from runtime.graph.traits import Derivative
from runtime.ops.applied import OF_REDUCTIONS, OF_UFUNCS, applied
from runtime.spec import spec_of
from tests.runtime.autodiff.derivatives import (
    central,
    forward_graph,
    inexact,
    like,
    op_graph,
    reverse_graph,
    run,
)

BY_STEPS = (np.subtract, np.divide, np.fmax)
APPLIED = [
    *map(applied, OF_UFUNCS),
    *(applied(x, "reduce") for x in (*OF_REDUCTIONS, *BY_STEPS)),
    *(applied(x, "accumulate") for x in (*OF_REDUCTIONS, *BY_STEPS, np.maximum)),
]
"""Ops that are defined when they are asked for."""
OPS = [
    x
    for x in REGISTRY.values()
    if isinstance(x.derivative, Derivative) and x.samples and x.samples.dtypes
]
BITS = {np.dtype(np.float32): 2e-3, np.dtype(np.complex64): 2e-3}


def samples(op: OpDef) -> Iterator[tuple[Any, tuple[Any, ...], dict[str, Any]]]:
    """Yield calls of an op with floats or complex numbers among the operands."""
    assert op.samples is not None
    rng = np.random.default_rng(0)
    given = [x for x in op.samples.dtypes if x in (np.float32, np.float64, np.complex128)]
    for dtype in given or [x for x in op.samples.dtypes if x == np.int64]:
        for operands, attrs in op.samples.draw(rng, dtype):
            yield dtype, operands, op.attributes(attrs)


@pytest.mark.parametrize("op", OPS, ids=str)
@pytest.mark.parametrize("open_sizes", [False, True])
def test_the_derivative_of_an_op_is_that_of_differences(op: OpDef, open_sizes: bool) -> None:
    rng = np.random.default_rng(1)
    found = {
        compare(op_graph(op, operands, attrs, open_sizes), operands, rng)
        for _, operands, attrs in samples(op)
    }
    is_known = op.name in NEVER_SMOOTH or ("refused" in found and op.name in OF_KNOWN_SIZES)
    assert "same" in found or is_known


@pytest.mark.parametrize("op", OPS, ids=str)
def test_derivatives_of_derivatives_of_an_op_are_those_of_differences(op: OpDef) -> None:
    """Both modes of both modes, for the first smooth call with each of the attributes."""
    done: set[str] = set()
    for dtype, operands, attrs in samples(op):
        wanted, graph = inexact(operands), op_graph(op, operands, attrs)
        is_wide = np.dtype(dtype) not in BITS and sum(np.size(x) for x in operands) < 30
        if not is_wide or str(attrs) in done:
            continue
        rng = np.random.default_rng(1)
        if compare(graph, operands, rng) == "same":
            done.add(str(attrs))
            tangents = [like(rng, x) for x, w in zip(operands, wanted, strict=True) if w]
            compare(forward_graph(graph, wanted), (*operands, *tangents), rng)
            cotangents = [like(rng, y) for y in run(graph, *operands)]
            compare(reverse_graph(graph, wanted), (*operands, *cotangents), rng)


def compare(graph: Graph, operands: Any, rng: Any) -> str:
    """Compare both modes of the derivative of a graph; return what came of it."""
    wanted = inexact(operands)
    if not any(wanted) or graph.results[0].spec.dtype.kind not in "fc":
        return "steps"
    tangents = [like(rng, x) if w else None for x, w in zip(operands, wanted, strict=True)]
    given = [t for t in tangents if t is not None]
    try:
        along, back_graph = forward_graph(graph, wanted), reverse_graph(graph, wanted)
    except DerivativeError:
        return "refused"
    found, results = run(along, *operands, *given), run(graph, *operands)
    cotangents = [like(rng, y) for y in results]
    back = run(back_graph, *operands, *cotangents)
    check_specs(operands, wanted, back)
    for y, t in zip(results, found, strict=True):
        assert (np.shape(y), spec_of(y).dtype) == (np.shape(t), spec_of(t).dtype)
    return check_values(graph, operands, tangents, found, cotangents, back)


NEVER_SMOOTH = frozenset({"random_real_of_key", "done"})
"""Ops whose samples of floats have no derivative at all, or that have none."""


OF_KNOWN_SIZES = frozenset({"qr"})
"""Ops whose derivative is refused where sizes are not known."""


def check_specs(operands: Any, wanted: Any, back: Any) -> None:
    """Check that cotangents have the shapes and dtypes of what they belong to."""
    own = [x for x, w in zip(operands, wanted, strict=True) if w]
    for x, g in zip(own, back, strict=True):
        assert np.shape(g) == np.shape(x)
        assert spec_of(g).dtype == spec_of(x).dtype


def check_values(
    graph: Any, operands: Any, tangents: Any, found: Any, cotangents: Any, back: Any
) -> str:
    """Compare both modes where differences of two sizes agree: where the op is smooth."""
    dtypes = [spec_of(x).dtype for x in (*operands, *found)]
    bound = max(BITS.get(x, 1e-5) for x in dtypes) * 10
    fine = differences(graph, operands, tangents, bound / 10)
    if fine is None:
        return "rough"
    for a, t in zip(fine, found, strict=True):
        np.testing.assert_allclose(t, a, rtol=bound, atol=bound)
    given = [t for t in tangents if t is not None]
    left = sum(np.sum(v * t) for v, t in zip(cotangents, found, strict=True))
    right = sum(np.sum(g * t) for g, t in zip(back, given, strict=True))
    np.testing.assert_allclose(np.real(left), np.real(right), rtol=bound, atol=bound)
    return "same"


def differences(graph: Any, operands: Any, tangents: Any, bound: float) -> Any:
    """Return the derivative in a direction by differences, if those of two sizes agree."""
    step = 1e-3 if bound > 1e-4 else 1e-5
    wide = [np.asarray(x)[()] for x in operands]
    function = lambda *xs: run(graph, *xs)  # noqa: E731
    try:
        with np.errstate(all="ignore"):
            coarse = central(function, wide, tangents, step)
            fine = central(function, wide, tangents, step / 2)
    except (ValueError, OverflowError):  # at the edge of what the op is defined for
        return None
    agree = all(
        np.all(np.isfinite(a)) and np.allclose(a, b, rtol=bound * 10, atol=bound * 10)
        for a, b in zip(coarse, fine, strict=True)
    )
    return fine if agree else None
