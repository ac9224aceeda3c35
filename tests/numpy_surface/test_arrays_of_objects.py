"""Arrays of Python's numbers and texts are arguments, and what is done with them are calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.numpy_surface.judging import same

USES: tuple[Any, ...] = (
    lambda a, x: a.sum() * x,
    lambda a, x: a + x,
    lambda a, x: a.astype(float) @ x,
    lambda a, x: np.sort(a)[0],
    lambda a, x: (a[0], a[1:], len(a), a.tolist(), a.dtype),
    lambda a, x: np.where(x > 1, a, -a),
    lambda a, x: np.maximum.reduce(a) if x.sum() > 0 else x,
)


@pytest.mark.parametrize("use", USES)
def test_an_array_of_pythons_numbers_is_used_as_in_plain_numpy(use: Any) -> None:
    staged = ag.function(use)
    for items in ([1, 2.5, 3], [4, 2.5, -3], [2**80, 1, 2], [1, 2, 3]):
        array, x = np.array(items, object), np.arange(3.0)
        assert same(use(array, x), staged(array, x))


def test_a_write_is_seen_outside() -> None:
    def write(a: Any, x: Any) -> None:
        a[1] = x.sum()
        a *= 2

    found, expected = np.array([1, 2, 3], object), np.array([1, 2, 3], object)
    ag.function(write)(found, np.ones(4))
    write(expected, np.ones(4))
    assert same(found.tolist(), expected.tolist())


def test_other_classes_of_items_are_another_trace() -> None:
    twice = ag.function(lambda a: a + a)
    assert twice(np.array([1, 2], object)).tolist() == [2, 4]
    assert twice(np.array(["a", "b"], object)).tolist() == ["aa", "bb"]
    assert twice.trace_count == 2
