from __future__ import annotations

import numpy as np
import pytest

import runtime.numpy as rnp
from runtime.errors import DtypeError
from runtime.graph.interpret import interpret
from runtime.spec import TensorSpec
from tests.runtime.staging import ops_of, staged, trace

random = rnp.random


def test_a_seed_decides_what_comes():
    random.seed(3)
    first = random.normal(size=(2, 3))
    random.seed(3)
    assert random.normal(size=(2, 3)).tolist() == first.tolist()


def test_a_graph_draws_anew_each_time_it_runs():
    graph = trace(lambda x: x + random.uniform(size=3), [TensorSpec([3])])
    first, second = (interpret(graph, [np.zeros(3)], np)[0] for _ in range(2))
    assert first.tolist() != second.tolist()
    assert ((first >= 0) & (first < 1)).all()


def test_draws_are_made_in_the_order_of_the_program_even_when_unused():
    def function(x):
        random.seed(1)
        random.random()
        return x + random.random()

    assert ops_of(trace(function, [TensorSpec([])])) == [
        "random_seed", "random_real", "random_real", "add",
    ]  # fmt: skip


def test_a_key_gives_the_same_numbers_each_time():
    def function(seed):
        first, second = random.split(random.key(seed))
        return random.normal_of(first, 3), random.normal_of(first, 3), random.normal_of(second, 3)

    a, b, c = staged(function, 7)
    assert a.tolist() == b.tolist() != c.tolist()


def test_sizes_may_be_staged():
    assert staged(lambda n: random.integers(0, 5, (n, 2)), np.int64(3)).shape == (3, 2)


def test_a_key_must_be_a_key():
    with pytest.raises(DtypeError, match=r"a key is u64\[2\], as random_key makes it"):
        staged(lambda x: random.uniform_of(x, 3), np.zeros(2))


def test_a_permutation_has_the_same_elements():
    assert sorted(random.permutation(np.arange(5)).tolist()) == [0, 1, 2, 3, 4]
