"""Variables that staged branches and loops assign other lists mean what they mean in Python."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import autograph as ag
from tests.autograph.operators.other_list_samples import CASES, REFUSED


@pytest.mark.parametrize(("function", "x"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_the_list_that_a_variable_holds_is_the_one_that_is_written(function, x):
    wanted = function(copy.deepcopy(x))
    assert ag.function(function)(x) == wanted


@pytest.mark.parametrize(("function", "message"), REFUSED)
@pytest.mark.parametrize("x", [1.0, -1.0])
def test_what_cannot_be_followed_is_refused(function, message, x):
    with pytest.raises(ag.MutationError, match=message):
        ag.function(function)(np.float64(x))
