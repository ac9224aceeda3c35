"""`np.nditer` goes on in the program's order, and never unseen by a branch or loop of the graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.errors import StagedValueError


def _weighed(x: Any) -> Any:
    found, total = np.nditer(x, flags=["multi_index"]), 0.0
    while not found.finished:
        if found[0] > 0:
            total += found[0] * sum(found.multi_index)
        found.iternext()
    found.reset()
    return total, found.multi_index


@pytest.mark.parametrize("shape", [(2, 2), (3, 4), (9, 9)])
def test_a_loop_until_the_iterator_is_finished_ends(shape: Any) -> None:
    x = np.arange(float(np.prod(shape))).reshape(shape) - 3
    assert repr(ag.function(_weighed)(x)) == repr(_weighed(x))


def _goes_on(x: Any, n: Any) -> Any:
    found = np.nditer(x)
    if n > 0:
        found.iternext()
    return found[0] * 1


def _flat_goes_on(x: Any, n: Any) -> Any:
    found = x.flat
    if n > 0:
        next(found)
    return next(found)


@pytest.mark.parametrize("function", [_goes_on, _flat_goes_on])
def test_an_iterator_that_goes_on_in_a_staged_branch_is_refused(function: Any) -> None:
    with pytest.raises(StagedValueError, match="goes on in a staged branch or loop"):
        ag.function(function)(np.arange(4.0), np.int64(1))
