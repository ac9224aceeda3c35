"""Lists and tuples of the graph beside what is NumPy's, which takes them for arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

OTHERS = [np.int64(2), np.float64(1.5), np.array([1, 2]), np.array(3), np.array(["1", "2"])]
SIGNS = [operator.add, operator.mul, operator.sub, operator.lt, operator.eq, operator.ne]


def positive(x: Any) -> list[Any]:
    found = []
    for v in x:
        if v > 0:
            found.append(v)
    return found


def outcome(function: Callable[..., Any], *args: Any) -> str:
    try:
        return repr(function(*args))
    except (TypeError, ValueError) as error:
        return repr(error)


@pytest.mark.filterwarnings("ignore::autograph.FallbackWarning")
@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: sign.__name__)
@pytest.mark.parametrize("kind", [list, tuple])
def test_operators(sign: Any, kind: Any) -> None:
    def ahead(x: Any, v: Any) -> Any:
        return sign(kind(positive(x)), v)

    def behind(x: Any, v: Any) -> Any:
        return sign(v, kind(positive(x)))

    for function in (ahead, behind):
        staged = ag.function(function)
        for v in OTHERS:
            x = np.array([1, 3, -1])
            assert outcome(staged, x, v) == outcome(function, x, v), v


def looked_for(known: Any) -> Callable[[Any], Any]:
    def f(v: Any) -> Any:
        both = [known, v]
        return both.index(v), both.count(v), v in both, [v, known].count(v), both.remove(v), both

    return f


@pytest.mark.filterwarnings("ignore::autograph.FallbackWarning")
@pytest.mark.parametrize("known", [[1], (1,), range(1, 2), [1, 2], "1"], ids=repr)
def test_items_are_compared_as_numpy_compares_them(known: Any) -> None:
    function = looked_for(known)
    for v in (np.int64(1), np.int64(0)):
        assert outcome(ag.function(function), v) == outcome(function, v)
