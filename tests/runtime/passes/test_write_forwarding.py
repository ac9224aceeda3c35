"""What was written into an array is read as what it is, unless something else may be there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.walk import walk
from runtime.ops.indexing import index

X = np.array([3.0, -1.0, 2.0, 8.0])


def reads(function: Callable[..., Any], *args: Any) -> int:
    """Return how many reads are left in a graph."""
    graph = ag.function(function).get_concrete_function(*args).executable.plan.graph
    return sum(node.op is index for node in walk(graph))


def sums(x: Any, k: Any) -> Any:
    for i in range(1, len(x)):
        x[i] = x[i] + x[i - 1]
        if x[i] > 3:
            x[i - 1] = -x[i]
    return x


def beside(x: Any, k: Any) -> Any:
    x[0] = x[2] * 2
    x[1] = x[0] + 1
    x[3] = x[1] - x[0]
    return x[0] * x[1], x


def by_name(x: Any, k: Any) -> Any:
    x[k] = x[k] + 1
    return x[k] * 2, x


def by_other_names(x: Any, k: Any) -> Any:
    x[k] = x[0] + 1
    x[k - 1] = x[1] * 2
    return x[k] * 2, x[-1], x[3], x


def of_rows(x: Any, k: Any) -> Any:
    y = x.reshape(2, 2) * 1.0
    y[1, 0] = y[0, 1] * 2
    y[0] = y[1] + 1
    return y[1, 0], y[0, 1], y[1, 1]


def converted(x: Any, k: Any) -> Any:
    y = np.zeros(4, np.int64)
    y[1] = x[0] / 2
    z = np.zeros(4, np.float32)
    z[2] = x[0] / 3
    return y[1] + 1, z[2] * 3


def given(x: Any, k: Any) -> Any:
    """What is written is an array without axes, which NumPy's number is not."""
    y = np.zeros(4)
    y[1] = x[k : k + 1].reshape(())
    return y[1]


@pytest.mark.parametrize(
    ("function", "left"),
    [(sums, 9), (beside, 1), (by_name, 1), (by_other_names, 5), (of_rows, 5), (converted, 3)],
)
@pytest.mark.parametrize("k", [np.int64(0), np.int64(2), np.int64(3), np.int64(-1), np.int64(7)])
def test_reads_of_what_was_written_are_gone(
    function: Callable[..., Any], left: int, k: np.int64
) -> None:
    assert reads(function, X, k) == left
    found, wanted = (outcome(f, X.copy(), k) for f in (ag.function(function), function))
    assert found == wanted


def test_a_number_that_is_read_is_one_of_numpys() -> None:
    for value in (X, X[:, None]):
        found = ag.function(given)(value, np.int64(2))
        assert (type(found), found) == (np.float64, 2.0)


def outcome(function: Callable[..., Any], x: Any, k: Any) -> str:
    try:
        return f"{function(x, k)!r} {x!r}"
    except IndexError as error:
        return f"{error} {x!r}"
