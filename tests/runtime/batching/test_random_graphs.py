"""The graph of a batch of a random graph gives what a loop over the elements gives."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from runtime.batching.batch import batch_graph
from runtime.graph.verify import verify
from runtime.spec import Dim
from tests.runtime.graph.random_graphs import arguments_for, random_graph, run


def elements(seed: int, size: int) -> tuple[Any, list[bool], list[tuple[Any, ...]], list[Any]]:
    """Return a graph, which parameters differ, the arguments of each element, and of the batch."""
    graph = random_graph(seed, nodes=14)
    rng = Random(seed)
    flags = [rng.random() < 0.5 for _ in graph.params]
    flags[0] = flags[0] or not any(flags)
    rows = [list(arguments_for(graph, seed + k)) for k in range(size)]
    for row in rows:
        row[:] = [x if flag else one for x, one, flag in zip(row, rows[0], flags, strict=True)]
    columns = zip(zip(*rows, strict=True), flags, rows[0], strict=True)
    batch = [np.stack([np.asarray(x) for x in c]) if flag else one for c, flag, one in columns]
    return graph, flags, [tuple(row) for row in rows], batch


@pytest.mark.parametrize("size", [3, Dim("b")], ids=str)
@pytest.mark.parametrize("seed", range(40))
def test_batch_of_a_random_graph_is_a_loop_over_the_elements(seed: int, size: Any) -> None:
    graph, flags, rows, given = elements(seed, 3)
    batch = batch_graph(graph, flags, size)
    verify(batch)
    found = run(batch, given)
    wanted = [run(graph, row) for row in rows]
    columns = zip(found, zip(*wanted, strict=True), graph.results, strict=True)
    for one, column, result in columns:
        stacked = np.stack([np.asarray(x) for x in column])
        assert (one.dtype, one.shape) == (result.spec.dtype, stacked.shape)
        exact = 1e-4 if one.dtype in ("float32", "complex64") else 1e-9
        np.testing.assert_allclose(one, stacked, exact, exact)
