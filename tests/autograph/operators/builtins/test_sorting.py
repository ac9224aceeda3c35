"""Sorting by staged keys: whatever the items are, they come in Python's order."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest

import autograph as ag
from tests.autograph.operators.builtins import sorting_samples
from tests.autograph.operators.lists.test_lists import same

XS = [np.array([0.3, 2.0, -1.0, 5.0]), np.array([7.0, 2.0, 7.0, -5.0])]


@pytest.mark.parametrize("program", sorting_samples.PROGRAMS, ids=lambda x: x.__name__)
def test_items_come_in_pythons_order(program):
    staged = ag.function(program)
    for x in XS:
        found, wanted = staged(x), program(x)
        assert same(found, wanted), (found, wanted)
    assert staged.trace_count == 1


def test_an_array_that_was_sorted_is_a_copy_and_not_written():
    def program(x):
        found = [x[:2], x[1:]]
        found.sort(key=lambda row: row[0])
        found[0][0] = 0.0
        return x

    with pytest.raises(ag.MutationError, match="kept there as a copy"):
        ag.function(program)(np.array([3.0, 1.0, 2.0]))


def test_keys_of_several_lengths_are_compared_one_by_one():
    found = ag.function(lambda x: sorted([(x, 1), (x,), (0, 2)]))(np.float64(1))
    assert found == [(0, 2), (1.0,), (1.0, 1)]


def test_keys_that_are_no_numbers_and_no_texts_are_refused():
    days = [datetime(2015, 3, 12), datetime(2015, 1, 2)]
    with pytest.raises(ag.StagedValueError, match=r"sorted\(\) .* compares them by a datetime"):
        ag.function(lambda x: sorted([(day, x, "a") for day in days]))(np.int64(1))
