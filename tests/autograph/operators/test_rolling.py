"""Loops over Python's numbers become loops of the graph where their rounds are alike."""

from __future__ import annotations

import copy
import warnings

import numpy as np
import pytest

import autograph as ag
from runtime.graph.node import Graph
from tests.autograph.operators.rolling_samples import ROLLED, UNROLLED

MANY = 300


def size(graph: Graph) -> int:
    return sum(1 + sum(map(size, node.regions)) for node in graph.nodes)


def outcome(function, arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ag.FrozenRandomWarning)
        return function(*copy.deepcopy(arguments))


def assert_same(found, expected):
    assert type(found) is type(expected)
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    else:
        np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize(("function", "arguments"), ROLLED + UNROLLED)
def test_it_is_the_same_as_in_plain_python(function, arguments):
    assert_same(outcome(ag.function(function), arguments), outcome(function, arguments))


@pytest.mark.parametrize(("function", "arguments"), ROLLED)
def test_the_graph_does_not_grow_with_the_number_of_rounds(function, arguments):
    concrete = ag.function(function).get_concrete_function(*copy.deepcopy(arguments))
    assert size(concrete.traced_graph) < MANY


@pytest.mark.filterwarnings("ignore::autograph.FrozenRandomWarning")
@pytest.mark.parametrize(("function", "arguments"), UNROLLED)
def test_rounds_that_differ_are_unrolled(function, arguments):
    concrete = ag.function(function).get_concrete_function(*copy.deepcopy(arguments))
    assert size(concrete.traced_graph) >= MANY


def test_a_hint_decides_otherwise():
    @ag.function
    def f(x):
        for k in ag.hint(range(300), unroll=True):
            x = x * 0.5 + k
        return x

    assert size(f.get_concrete_function(np.float64(1)).traced_graph) >= MANY
