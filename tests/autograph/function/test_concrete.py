"""A trace that is called by itself."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from autograph.function.arguments import Text
from runtime.signature import check_overlap


@ag.function
def sample(x, n=2, *, scale):
    """Sample."""
    return x * n, "text", x, {"scaled": (x + scale,)}


def test_a_concrete_function_runs_on_its_tensors():
    x, scale = np.ones(2), np.float64(3)
    concrete = sample.get_concrete_function(x, scale=scale)
    double, text, same, scaled = concrete.run([x, scale])
    assert (double.tolist(), text, same is x) == ([2, 2], "text", True)
    assert scaled["scaled"][0].tolist() == [4, 4]


def test_specs_and_arrays_ask_for_the_same_trace():
    by_spec = sample.get_concrete_function(ag.TensorSpec([3]), scale=ag.TensorSpec([3]))
    by_array = sample.get_concrete_function(np.ones(3), scale=np.ones(3))
    assert by_spec is by_array


def test_a_concrete_function_says_what_it_is_for():
    concrete = sample.get_concrete_function(ag.TensorSpec(["n"]), 5, scale=ag.TensorSpec([]))
    assert repr(concrete) == (
        "<concrete function sample(f64[n], 5, f64[]) -> "
        "(f64[n], 'text', f64[n], {'scaled': (f64[n],)})>"
    )


def test_the_graph_and_the_program_are_texts_that_show_as_they_are():
    concrete = sample.get_concrete_function(np.ones(2), scale=np.ones(2))
    assert isinstance(concrete.graph, Text)
    assert repr(concrete.graph) == str(concrete.graph)
    assert "%x: f64[2]" in concrete.graph
    assert "def " in concrete.plan


def test_the_traced_graph_is_the_one_before_optimisation():
    @ag.function
    def f(x):
        unused = x * 5
        return x + 1

    concrete = f.get_concrete_function(np.ones(2))
    assert len(concrete.traced_graph.nodes) > concrete.graph.count("add")


def test_a_tensor_among_the_arguments_makes_tensors_of_results():
    concrete = sample.get_concrete_function(ag.Tensor(np.ones(2)), scale=np.ones(2))
    assert concrete.gives_tensors
    assert type(concrete.run([ag.Tensor(np.ones(2)), np.ones(2)])[0]) is ag.Tensor


def test_arrays_that_do_not_overlap_may_be_written():
    whole = np.ones(4)
    check_overlap([whole[:2], whole[2:]], [0, 1])
    with pytest.raises(ag.MutationError, match="writes 'a', and 'b' is given"):
        check_overlap([whole[:3], whole[2:]], [0], ["a", "b"])
    repeated = np.lib.stride_tricks.as_strided(np.ones(1), (3,), (0,))
    with pytest.raises(ag.MutationError, match="'a' repeats its elements"):
        check_overlap([repeated], [0], ["a"])


def test_arrays_that_are_only_read_may_overlap():
    whole = np.ones(4)
    check_overlap([whole, whole], [])
