from __future__ import annotations

import numpy as np
import pytest

from runtime.graph.interpret import interpret
from tests.runtime.graph import hand_made
from tests.runtime.graph.hand_made import ONES


def test_a_graph_runs_by_the_kernels_of_its_ops():
    (found,) = interpret(hand_made.doubled(), [ONES], np)
    assert found.tolist() == [2.0, 4.0, 6.0]


@pytest.mark.parametrize(("test", "expected"), [(True, [2.0, 4.0, 6.0]), (False, [1.0, 2.0, 3.0])])
def test_a_branch_runs_one_arm(test, expected):
    (found,) = interpret(hand_made.branch(), [np.bool_(test), ONES], np)
    assert found.tolist() == expected


@pytest.mark.parametrize(("index", "added"), [(0, 0), (1, 1), (2, 2), (-5, 0), (7, 2)])
def test_a_choice_out_of_range_is_the_first_or_the_last_arm(index, added):
    (found,) = interpret(hand_made.choice(), [index, ONES], np)
    assert found.tolist() == [1.0 + added, 2.0 + added, 3.0 + added]


@pytest.mark.parametrize("rounds", [0, 1, 4])
def test_a_loop_runs_while_its_test_is_true(rounds):
    count, found = interpret(hand_made.loop(), [rounds, ONES], np)
    assert type(count) is int
    assert found.tolist() == (ONES * 2**rounds).tolist()


def test_a_reduction_has_a_carry_and_stacked_outputs():
    total, partial = interpret(hand_made.running_sum(), [ONES], np)
    assert total == 6.0
    assert partial.tolist() == [1.0, 3.0, 6.0]


def test_a_reversed_reduction_begins_with_the_last_row_and_stacks_in_place():
    total, partial = interpret(hand_made.running_sum(reverse=True), [ONES], np)
    assert total == 6.0
    assert partial.tolist() == [6.0, 5.0, 3.0]


def test_a_wrong_number_of_arguments_is_refused():
    with pytest.raises(ValueError, match="shorter"):
        interpret(hand_made.doubled(), [], np)
