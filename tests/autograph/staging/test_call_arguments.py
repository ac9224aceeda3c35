"""What a function that calls itself is given: parameters for each leaf of it."""

from __future__ import annotations

import pytest

from autograph.staging.call_arguments import given, widened_params


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (given([1], ()), given([(1, 5)], ())),
        (given([1], (2,)), given([(1, 5)], (2,))),
        (given([(1, 5)], (2,)), given([1], (2, 3))),
        (given([1], (2,)), given([1], ((2, 3),))),
    ],
)
def test_there_is_a_parameter_for_each_leaf_whatever_has_changed(before, after):
    params = [None] * len(before.leaves)
    assert len(widened_params(params, before, after)) == len(after.leaves)
