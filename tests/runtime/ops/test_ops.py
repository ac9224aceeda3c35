"""Tests that are made of the registry: every op with samples against plain NumPy."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Container, Iterator
from typing import Any

import numpy as np
import pytest
import scipy.special

import runtime.numpy as rnp
from runtime import default_graph
from runtime.dispatch import apply, as_value
from runtime.graph.builder import Builder
from runtime.graph.interpret import interpret
from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import REGISTRY, OpDef
from runtime.ops import text_ops
from runtime.ops.movement import copy
from runtime.ops.special import erfcinv, erfinv, ndtri
from runtime.passes.pipeline import optimise
from runtime.spec import Dim, TensorSpec, accepts, make_spec, spec_of
from runtime.tensor import Symbol
from tests.runtime.staging import unknown

ERRORS = (TypeError, ValueError, IndexError, ArithmeticError)
pytestmark = pytest.mark.filterwarnings("ignore")
OF_TEXTS = [text_ops.op_of_texts(name) for name in text_ops.SAMPLES]
SAMPLED = [op for op in REGISTRY.values() if op.samples is not None]
of_each_op = pytest.mark.parametrize("op", SAMPLED, ids=str)


def draws(
    op: OpDef, names: Container[str] | None = None
) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Yield calls of an op, in each of its dtypes, or those that have some names."""
    for dtype in op.samples.dtypes:
        if names is None or dtype.name in names:
            rng = np.random.default_rng(zlib.crc32(op.name.encode()))
            for inputs, attrs in op.samples.draw(rng, dtype):
                yield tuple(inputs), op.attributes(attrs)


def plain(op: OpDef, inputs: Any, attrs: Any) -> Any:
    """Return the results of the kernel, or the error that it raises."""
    try:
        found = op.kernel(np, *inputs, **attrs)
    except ERRORS as error:
        return error
    return found if op.multiple else (found,)


def graph_of(op: OpDef, specs: list[TensorSpec], attrs: Any) -> Any:
    builder = Builder()
    params = [builder.param(spec) for spec in specs]
    with default_graph.building(builder):
        if specs:
            found = apply(op, [Symbol(builder, value) for value in params], **attrs)
            values = [as_value(builder, x) for x in (found if op.multiple else (found,))]
        else:
            values = list(builder.emit(op, [], attrs))
    return builder.seal(params, values)


def bits(array: Any) -> bytes:
    return np.ascontiguousarray(array).tobytes()


def agree(found: Any, wanted: Any) -> bool:
    if type(wanted) in (bool, int, float, complex):
        return type(found) is type(wanted) and repr(found) == repr(wanted)
    same_spec = spec_of(found) == spec_of(wanted)
    return same_spec and (bits(found) == bits(wanted) or np.array_equal(found, wanted, True))


@of_each_op
def test_graph_of_an_op_gives_what_numpy_gives(op: OpDef) -> None:
    for inputs, attrs in draws(op):
        wanted = plain(op, inputs, attrs)
        specs = [spec_of(x) for x in inputs]
        if isinstance(wanted, Exception):
            with pytest.raises(ERRORS):
                interpret(graph_of(op, specs, attrs), inputs, np)
            continue
        graph = graph_of(op, specs, attrs)
        found = interpret(graph, inputs, np)
        for value, result, expected in zip(graph.results, found, wanted, strict=True):
            assert agree(result, expected), (inputs, attrs, result, expected)
            assert accepts(value.spec, spec_of(expected)), (inputs, attrs, str(value.spec))


@pytest.mark.parametrize("op", [x for x in SAMPLED if x.view is not None], ids=str)
def test_a_view_that_nobody_gets_has_the_same_elements_after_all_passes(op: OpDef) -> None:
    for inputs, attrs in draws(op):
        wanted = plain(op, inputs, attrs)
        if isinstance(wanted, Exception) or not inputs:
            continue
        graph = graph_of(op, [spec_of(x) for x in inputs], attrs)
        copies = [
            Node(copy, (x,), {"order": "C"}, (), (Value(x.spec),), None)
            for x in graph.results
            if x.spec.shape
        ]
        results = tuple(node.result for node in copies)
        graph = optimise(Graph(graph.params, (*graph.nodes, *copies), results))
        found = interpret(graph, inputs, np)
        kept = [x for x in wanted if np.shape(x)]
        assert all(map(agree, found, map(np.ascontiguousarray, kept))), (inputs, attrs, found)


@of_each_op
def test_spec_of_an_op_holds_for_unknown_sizes_and_ranks(op: OpDef) -> None:
    for inputs, attrs in draws(op):
        wanted = plain(op, inputs, attrs)
        if isinstance(wanted, Exception) or not inputs:
            continue
        specs = [spec_of(x) for x in inputs]
        ranks = [x if x.weak or not x.shape else make_spec(x.dtype, None) for x in specs]
        for general in ([unknown(x) for x in specs], ranks):
            if op.name == "nonzero" and general is ranks:
                continue
            graph = graph_of(op, general, attrs)
            for value, expected in zip(graph.results, wanted, strict=True):
                assert holds(value.spec, spec_of(expected)), (inputs, attrs, str(value.spec))


def holds(general: TensorSpec, special: TensorSpec) -> bool:
    """Tell whether dtype, weakness, rank and the sizes that are known agree."""
    if (general.dtype, general.weak) != (special.dtype, special.weak):
        return False
    if general.shape is None:
        return True
    assert special.shape is not None
    return len(general.shape) == len(special.shape) and all(
        isinstance(m, Dim) or m == n for m, n in zip(general.shape, special.shape, strict=True)
    )


def test_every_op_has_samples_or_a_reason_not_to() -> None:
    without = {op.name for op in REGISTRY.values() if op.samples is None and op.effect is None}
    with_derivatives = {"checkpoint", "custom", "step"}  # they are ops once they have been imported
    assert without - with_derivatives == {
        "attempt", "cond", "constant", "fused", "raises", "reduce", "switch", "try_", "while_loop",
    }  # fmt: skip


@pytest.mark.parametrize("name", rnp.FUNCTION_NAMES)
def test_every_public_function_is_documented(name: str) -> None:
    text = getattr(rnp, name).__doc__
    assert text
    assert text.rstrip().endswith((".", ")", '"')) or "\n" in text


def test_warnings_are_those_of_numpy() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rnp.divide(np.ones(2), np.zeros(2))
    assert [w.category for w in caught] == [RuntimeWarning]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "complex128"])
@pytest.mark.parametrize("value", [0, -0.0, 1, False])
def test_arrays_that_are_filled_are_numpys(value: Any, dtype: str) -> None:
    scalar = np.dtype(dtype).type(value)
    wanted = [np.full((2, 3), scalar), np.full((2, 3), value, dtype), np.full((2, 3), value)]
    found = [
        REGISTRY["filled"].kernel(np, value=scalar, shape=(2, 3)),
        REGISTRY["full"].kernel(np, value, shape=(2, 3), dtype=dtype),
        REGISTRY["full"].kernel(np, value, shape=(2, 3), dtype=None),
    ]
    for x, y in zip(found, wanted, strict=True):
        assert (x.dtype, x.tobytes()) == (y.dtype, y.tobytes())


def test_the_inverse_of_the_error_function_is_that_of_scipy() -> None:
    x = np.concatenate(
        [np.linspace(-1, 2, 2001), 1 - np.logspace(-16, -1, 50), [1e-300, -0.0, 2.0]]
    )
    found = erfinv.kernel(np, x)
    np.testing.assert_allclose(found, scipy.special.erfinv(x), rtol=5e-16)
    assert np.signbit(found[-2])


@pytest.mark.parametrize(("inverse", "scale"), [(erfcinv, 1.0), (ndtri, 0.5)])
def test_quantiles_are_those_of_scipy(inverse: OpDef, scale: float) -> None:
    ends = [0.0, 1e-310, 1e-300, 2.0, 2.5, -1.0, np.nan]
    x = scale * np.concatenate(
        [np.linspace(1e-12, 2 - 1e-9, 2001), np.logspace(-300, -1, 50), ends]
    )
    with np.errstate(invalid="ignore"):
        found, wanted = inverse.kernel(np, x), getattr(scipy.special, inverse.name)(x)
    np.testing.assert_allclose(found, wanted, rtol=1e-15, atol=1e-15)
