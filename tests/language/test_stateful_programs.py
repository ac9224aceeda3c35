"""Stateful objects: calls of a method give and leave what plain Python does, with few traces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.language.stateful_samples import STATEFUL

XS = [np.float64(x) for x in (1, 2, -1, 0.3, 2.5, 2, -1, -1, 0, 4, 1, -2)]
MOST_TRACES = 6


def held(x: Any) -> Any:
    """Return what a value is, classes and bits included."""
    if isinstance(x, np.ndarray):
        return x.dtype.str, x.shape, x.tobytes()
    if isinstance(x, list | tuple):
        return type(x), [held(item) for item in x]
    if isinstance(x, np.random.Generator):
        return repr(x.bit_generator.state)
    return (type(x), held([*vars(x).items()])) if hasattr(x, "__dict__") else (type(x), repr(x))


@pytest.mark.parametrize("kind", STATEFUL, ids=lambda x: x.__name__)
def test_calls_give_and_leave_what_plain_python_does(kind: type) -> None:
    staged, model, plain = ag.function(kind.step), kind(), kind()
    for x in XS:
        assert held(staged(model, x)) == held(kind.step(plain, x))
        assert held(model) == held(plain)
    assert staged.trace_count <= MOST_TRACES
