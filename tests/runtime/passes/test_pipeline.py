from __future__ import annotations

import numpy as np
import pytest

from runtime.graph.builder import Builder
from runtime.graph.interpret import interpret
from runtime.graph.verify import verify
from runtime.graph.walk import count_nodes
from runtime.ops.elementwise import add
from runtime.passes.pipeline import optimise
from runtime.spec import TensorSpec
from tests.runtime.graph.random_graphs import SEEDS, arguments_for, random_graph, run
from tests.runtime.lower.random_updates import arguments, random_updates
from tests.runtime.lower.same import all_same


@pytest.mark.parametrize("seed", SEEDS)
def test_every_pass_leaves_a_valid_graph_of_the_same_meaning(seed: int) -> None:
    graph = random_graph(seed, nodes=14, depth=3)
    given = arguments_for(graph, seed)
    optimised = optimise(graph, check=verify)
    assert all_same(run(optimised, given), run(graph, given))
    assert count_nodes(optimised) <= count_nodes(graph)


@pytest.mark.parametrize("seed", range(40))
def test_graphs_of_updates_keep_their_meaning(seed: int) -> None:
    graph = random_updates(seed)
    optimised = optimise(graph, check=verify)
    assert all_same(
        interpret(optimised, arguments(seed), np), interpret(graph, arguments(seed), np)
    )


def test_graph_that_cannot_be_better_is_returned_itself() -> None:
    builder = Builder()
    x = builder.param(TensorSpec([3]), "x")
    graph = builder.seal([x], builder.emit(add, (x, x), {}))
    assert optimise(graph) is graph
