"""NumPy's functions that call functions of the user's are part of the graph, with derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

X = np.array([1.0, 2.2, 3.0])
M = np.arange(24.0).reshape(2, 3, 4) + 1.1

PROGRAMS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "two pieces": (lambda x: np.piecewise(x, [x < 2, x >= 2], [lambda v: v * v, np.sin]), X),
    "the rest": (lambda x: np.piecewise(x, [x < 2, x > 99], [7.0, np.max, lambda v: v**3]), M),
    "one condition": (lambda x: np.piecewise(x, x < 2, [lambda v, k: v + k, 3.0], 2.0), X),
    "a number": (lambda x: np.piecewise(x, x < 2, [1.0, lambda v: v * 2]), np.float64(2.5)),
    "integers": (lambda x: np.piecewise(x, [x < 2], [7.9, lambda v: v / 2]), np.arange(5)),
    "too few": (lambda x: np.piecewise(x, [x < 2, x > 3], [1.0]), X),
    "rows": (lambda x: np.apply_along_axis(lambda r: r * r.sum(), 1, x), M),
    "matrices": (lambda x: np.apply_along_axis(lambda r: np.outer(r, r), -2, x), M),
    "branches": (lambda x: np.apply_along_axis(lambda r: r[0] if r[0] > 9 else r[1], 0, x), M),
    "no such axis": (lambda x: np.apply_along_axis(np.sum, 3, x), M),
    "not named": (lambda x: np.add.reduce(x, 1, None, None, True), M),
    "running": (lambda x: np.multiply.accumulate(x, 1), M),
}


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (ValueError, IndexError) as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_they_give_what_numpy_gives_and_have_its_derivative(name: str) -> None:
    function, x = PROGRAMS[name]
    want, found = outcome(lambda: function(x)), outcome(lambda: ag.function(function)(x))
    assert type(found) is type(want)
    np.testing.assert_array_equal(found, want)
    if isinstance(want, str) or x.dtype.kind != "f":
        return
    step = np.cos(np.arange(x.size)).reshape(x.shape) * 1e-6
    change = np.sum(function(x + step) - function(x - step)) / 2
    gradient = ag.grad(lambda x: np.sum(function(x)))(x)
    np.testing.assert_allclose(np.sum(gradient * step), change, rtol=1e-6)


def test_a_method_of_a_ufunc_is_differentiated_itself() -> None:
    np.testing.assert_array_equal(ag.grad(np.add.reduce)(X), np.ones(3))
