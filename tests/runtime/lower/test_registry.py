"""What lowering assumes of every op, tried on the op's own samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import runtime
from runtime.graph.builder import Builder
from runtime.graph.interpret import interpret
from runtime.graph.node import Graph
from runtime.graph.opdef import REGISTRY, OpDef
from runtime.lower.compile import compile_graph
from runtime.spec import spec_of
from tests.runtime.lower.same import all_same

OPS = [op for op in REGISTRY.values() if op.samples is not None and op.effect is None]
assert runtime


def calls(op: OpDef) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Yield some calls of an op, those of its first and last dtype, unless it refuses them."""
    assert op.samples is not None
    for dtype in dict.fromkeys((op.samples.dtypes[0], op.samples.dtypes[-1])):
        for inputs, attrs in op.samples.draw(np.random.default_rng(0), dtype):
            try:
                op.kernel(np, *inputs, **op.attributes(attrs))
            except (TypeError, ValueError, ArithmeticError):
                continue
            yield inputs, attrs


def graph_of(op: OpDef, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Graph:
    """Return the graph of one call."""
    builder = Builder()
    params = [builder.param(spec_of(x)) for x in inputs]
    return builder.seal(params, builder.emit(op, params, op.attributes(attrs)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_driver_does_what_the_kernel_does(op: OpDef) -> None:
    for inputs, attrs in calls(op):
        graph = graph_of(op, inputs, attrs)
        before = [np.copy(x) for x in inputs]
        found = compile_graph(graph).run(*inputs)
        assert all_same(found, interpret(graph, inputs, np))
        assert all_same(list(map(np.asarray, inputs)), before)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_op_that_is_no_view_gives_memory_of_its_own(op: OpDef) -> None:
    for inputs, attrs in calls(op):
        found = op.kernel(np, *inputs, **op.attributes(attrs))
        results = found if op.multiple else (found,)
        for result in (x for x in results if isinstance(x, np.ndarray)):
            shared = [k for k, x in enumerate(inputs) if np.shares_memory(result, x)]
            assert shared in ([], [0]), attrs
            assert op.view or not shared, attrs
