from __future__ import annotations

import pytest

from runtime.graph.node import Value
from runtime.spec import TensorSpec
from tests.runtime.graph import hand_made


def test_values_are_compared_by_identity():
    assert Value(TensorSpec([3]), "x") != Value(TensorSpec([3]), "x")


def test_a_value_shows_its_name_and_spec():
    assert repr(Value(TensorSpec([3]), "x")) == "<value x: f64[3]>"


def test_the_result_of_a_node_is_its_only_one():
    graph = hand_made.doubled()
    assert graph.nodes[0].result is graph.results[0]


def test_a_node_with_several_results_has_no_single_one():
    with pytest.raises(ValueError, match="too many values"):
        _ = hand_made.loop().nodes[0].result


def test_graphs_are_compared_by_identity():
    assert hand_made.doubled() != hand_made.doubled()
