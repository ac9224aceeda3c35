"""A number that has one of several classes is given to NumPy's functions as the one that it has."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.autograph.operators.control_flow.test_arrays_of_dtypes import described


def made(k, x):
    return np.full(2, k), np.array([k, k]), np.array(k).dtype, np.zeros_like(k), np.arange(k % 4)


def computed(k, x):
    return np.mean(k), np.clip(k, 0, 50), np.prod([k, k]), np.cumsum([k, k]), np.where(k > 1, k, 2)


def joined(k, x):
    return np.append(x, k), np.concatenate([x, [k]]), np.stack([k, 1]), np.dot(k, 2)


def by_ufuncs(k, x):
    return np.floor_divide(k, 2), np.square(k), np.maximum(k, x), np.add(k, k), np.sqrt(k)


def by_calls(k, x):
    return np.interp(k, [0, 10], [0, 1]), np.searchsorted(x, k), np.isclose(k, 5)


def attributes(k, x):
    return hasattr(k, "dtype"), getattr(k, "itemsize", None)


def constructed(k, x):
    return np.int64(k), np.uint8(k), type(k)(k), int(k), copy.copy(k), copy.deepcopy(k)


def grouped(k, x):
    return [key for key, _ in itertools.groupby([3, k])]


@pytest.mark.parametrize("c", [np.int64(0), np.int64(1)])
@pytest.mark.parametrize("x", [np.array([9, 1], np.uint8), np.array([3, 1])])
@pytest.mark.parametrize(
    "use",
    [made, computed, joined, by_ufuncs, by_calls, attributes, constructed, grouped],
    ids=lambda f: f.__name__,
)
def test_numpys_functions_get_the_class_that_a_number_has(
    use: Callable[..., Any], x: Any, c: Any
) -> None:
    def f(x, c):
        k = 5
        if c:
            k = x[0]
        return use(k, x)

    assert described(ag.function(f)(x, c)) == described(f(x, c))
