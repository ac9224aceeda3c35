from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.node import Graph
from runtime.graph.verify import verify
from runtime.ops.control import reduce
from runtime.ops.elementwise import add
from runtime.ops.indexing import index
from runtime.ops.linear import matmul
from runtime.passes.batched_products import MOST_BYTES, hoist_products
from runtime.passes.log import Log
from runtime.spec import TensorSpec
from tests.runtime.lower.same import all_same
from tests.runtime.passes.build import INT, Draft, ops_of


def loop(*shape: int) -> Graph:
    """Return a graph of a loop that adds the products of the rows of an array with a matrix."""
    draft = Draft()
    n, x, w = draft.param(INT), draft.param(TensorSpec(shape)), draft.param(TensorSpec([3, 3]))
    state = draft.param(TensorSpec([*shape[1:]]))
    body = lambda d, i, a: [d(add, a, d(matmul, d(index, x, i, key="?"), w))]  # noqa: E731
    found = draft.nest(reduce, [n, state], [[INT, state.spec]], [body], carry=1, sequences=0)
    return draft.graph([n, x, w, state], *found)


def test_product_of_a_row_with_a_known_matrix_leaves_a_loop() -> None:
    log = Log()
    graph = hoist_products(loop(5, 2, 3), log)
    verify(graph)
    assert ops_of(graph) == ["index", "matmul", "reduce"]
    assert graph.nodes[0].attrs["key"] == ":?"
    assert ops_of(graph.nodes[-1].regions[0]) == ["index", "index", "add"]
    assert log.hits["pass"] == 1


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ((5, 3), "rows that are vectors are multiplied in another order together"),
        ((MOST_BYTES // 8, 2, 3), "all of them would take more than 1 MB"),
    ],
)
def test_products_that_stay_and_why(shape: tuple[int, ...], reason: str) -> None:
    log, graph = Log(), loop(*shape)
    assert hoist_products(graph, log) is graph
    (found,) = log.runs[-1].left
    assert found.endswith(f": {reason}")


def network(x: Any, h: Any, wx: Any, wh: Any, steps: Any) -> Any:
    xt = x.transpose(1, 0, 2)
    for t in range(steps):
        h = np.tanh(xt[t] @ wx + h @ wh)
    return h


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("batch", [1, 2, 7, 32])
def test_recurrent_networks_keep_their_bits(dtype: Any, batch: int) -> None:
    rng = np.random.default_rng(batch)
    x, h = rng.standard_normal((batch, 9, 50)), rng.standard_normal((batch, 24))
    wx, wh = rng.standard_normal((50, 24)), rng.standard_normal((24, 24))
    x, wx = (x * 9).astype(dtype), (wx * 9).astype(dtype)
    staged = ag.function(network)
    for steps in (9, 4, 0, -2):
        given = (x, h, wx, wh, np.int64(steps))
        assert all_same([staged(*given)], [network(*given)])
    (body,) = (r for r in staged.graph(*given).split("reduce(")[1:])
    assert body.count("matmul(") == 1


def test_more_rounds_than_rows_end_with_numpys_error() -> None:
    given = (np.ones((2, 3, 4)), np.ones((2, 5)), np.ones((4, 5)), np.ones((5, 5)), np.int64(4))
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        ag.function(network)(*given)
