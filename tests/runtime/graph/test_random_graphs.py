from __future__ import annotations

import numpy as np
import pytest

from runtime.graph.walk import count_nodes, walk
from runtime.spec import accepts, spec_of
from tests.runtime.graph.random_graphs import SEEDS, SIZES, arguments_for, random_graph, run


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_graph_runs_and_its_results_are_what_their_specs_say(seed):
    graph = random_graph(seed)
    results = run(graph, arguments_for(graph, seed))
    for value, found in zip(graph.results, results, strict=True):
        assert accepts(value.spec, spec_of(found)), (str(value.spec), found)


def test_a_seed_gives_the_same_graph_each_time():
    a, b = (random_graph(7, nodes=40) for _ in range(2))
    assert [node.op for node in walk(a)] == [node.op for node in walk(b)]


def test_different_seeds_give_different_graphs():
    assert len({tuple(node.op.name for node in walk(random_graph(seed))) for seed in SEEDS}) > 33


def test_all_ops_with_regions_are_drawn():
    names = {node.op.name for seed in SEEDS for node in walk(random_graph(seed))}
    assert {"cond", "switch", "while_loop", "reduce", "constant"} <= names


def test_arguments_have_the_sizes_that_unknown_dimensions_are_given():
    graph = random_graph(3)
    for value, argument in zip(graph.params, arguments_for(graph, 0), strict=True):
        sizes = tuple(SIZES[n.name] if not isinstance(n, int) else n for n in value.spec.shape)
        assert np.shape(argument) == sizes


def test_large_graphs_can_be_asked_for():
    assert count_nodes(random_graph(1, nodes=500)) > 400
