"""Functions that take any arguments, `*args` and `**kwargs`, have guards."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.autograph.function.test_guarded_call import only_fast

X, N = np.arange(3.0), np.float64(2)


def sums(*args: Any, **kwargs: Any) -> Any:
    return sum(args) if args else 0, {k: v * 2 for k, v in kwargs.items()}


def mixed(x: Any, y: Any = 3, /, *rest: Any, k: Any, m: Any = 5, **others: Any) -> Any:
    return x * k, y, rest, m, others


def taken(x: Any, **options: Any) -> Any:
    if "a" in options:
        x = x + options.pop("a")
    return x, options


def written(*arrays: Any) -> Any:
    arrays[0][0] += 1
    return arrays[0] is arrays[-1], arrays


def grown(**named: Any) -> Any:
    named["l"].append(named["x"])
    return len(named["l"])


CALLS: list[tuple[Any, list[tuple[Any, Any]]]] = [
    (sums, [((), {}), ((X, N), {"a": X}), ((X, N), {"b": X, "a": N}), ((X, N), {"a": N, "b": X})]),
    (mixed, [((X,), {"k": N}), ((X, N, X), {"m": X, "k": N}), ((X,), {"k": N, "o": X, "m": N})]),
    (taken, [((X,), {}), ((X,), {"b": N, "a": X}), ((X,), {"a": N})]),
    (written, [((X,), {}), ((X, X), {}), ((X, N), {})]),
    (grown, [((), {"l": [1.0], "x": N}), ((), {"x": N, "l": [1.0]})]),
]


@pytest.mark.parametrize(("function", "calls"), CALLS, ids=[x.__name__ for x, _ in CALLS])
def test_calls_give_what_plain_python_does(function: Any, calls: Any) -> None:
    staged = ag.function(function)
    for args, kwargs in calls * 2:
        (own, named), (others, others_named) = (copy.deepcopy((args, kwargs)) for _ in range(2))
        expected, found = function(*own, **named), staged(*others, **others_named)
        assert repr(found) == repr(expected)
        assert repr((others, others_named)) == repr((own, named))


@pytest.mark.parametrize(("function", "calls"), CALLS[:2], ids=[x.__name__ for x, _ in CALLS[:2]])
def test_a_second_call_takes_the_short_path(function: Any, calls: Any) -> None:
    args, kwargs = copy.deepcopy(calls[1])
    staged = ag.function(function)
    staged(*args, **kwargs)
    only_fast(staged)
    staged(*args, **kwargs)
    with pytest.raises(AssertionError, match="the slow path"):
        staged(*args, np.float64(1), **kwargs)
    with pytest.raises(AssertionError, match="the slow path"):
        staged(*args, **{**kwargs, "k": 1})
