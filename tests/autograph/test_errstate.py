"""What NumPy does about floating point errors while tracing, and when a graph runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag


def test_an_errstate_that_raises_while_tracing_is_refused() -> None:
    @ag.function
    def invert(x: Any) -> Any:
        with np.errstate(divide="raise"):
            known = 1 / np.ones(2)
            return known / x

    with pytest.raises(ag.StagedValueError, match=r"np\.errstate\(divide='raise'\) holds while"):
        invert(np.zeros(2))


def test_one_around_the_call_holds_when_the_graph_runs() -> None:
    invert = ag.function(lambda x: 1 / x)
    for _ in range(2):
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
            invert(np.zeros(2))
    assert invert(np.ones(2)).tolist() == [1, 1]
