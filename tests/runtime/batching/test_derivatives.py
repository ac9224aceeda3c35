"""Tests that are made of the registry: a batch of the derivative of every op against a loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from runtime.batching.batch import batch_graph
from runtime.errors import DerivativeError
from runtime.graph.interpret import interpret
from runtime.graph.node import Graph
from runtime.graph.opdef import OpDef
from runtime.graph.verify import verify
from tests.runtime.autodiff.derivatives import forward_graph, inexact, like, reverse_graph, run
from tests.runtime.autodiff.test_rules import OPS
from tests.runtime.batching.test_rules import ERRORS, draws, graph_of, varied, wanted_of

pytestmark = pytest.mark.filterwarnings("ignore")
SIZE = 3


def derived(op: OpDef) -> Iterator[tuple[Graph, list[Any]]]:
    """Yield graphs of derivatives, both ways, with what they are given: one for all attributes."""
    assert op.samples is not None
    done: set[str] = set()
    for operands, attrs in draws(op, np.dtype(np.float64)):
        strong = [np.asarray(x)[()] for x in operands]
        wanted = inexact(strong)
        if str(attrs) in done or not any(wanted):
            continue
        graph, rng = graph_of(op, operands, attrs), np.random.default_rng(1)
        if not any(x.spec.dtype.kind in "fc" for x in graph.results):
            continue
        done.add(str(attrs))
        try:
            along, back = forward_graph(graph, wanted), reverse_graph(graph, wanted)
        except DerivativeError:
            continue
        tangents = [like(rng, x) for x, is_wanted in zip(strong, wanted, strict=True) if is_wanted]
        yield along, [*strong, *tangents]
        yield back, [*strong, *(like(rng, y) for y in run(graph, *strong))]


@pytest.mark.parametrize("op", [x for x in OPS if np.float64 in x.samples.dtypes], ids=str)
def test_batch_of_a_derivative_is_a_loop_over_the_elements(op: OpDef) -> None:
    for graph, operands in derived(op):
        given = [varied(x, SIZE) for x in operands]
        flags = [True] * len(given)
        wanted = wanted_of(graph, given, flags, SIZE)
        batch = batch_graph(graph, flags, SIZE)
        verify(batch)
        if isinstance(wanted, Exception):
            with pytest.raises(ERRORS):
                interpret(batch, given, np)
            continue
        for found, expected in zip(interpret(batch, given, np), wanted, strict=True):
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape), op
            np.testing.assert_allclose(found, expected, 1e-9, 1e-11)
