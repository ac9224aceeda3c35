"""Views of NumPy's that are staged."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import autograph as ag

X = np.arange(12.0).reshape(3, 4)


def test_windows_slide_as_numpys_do() -> None:
    for shape, axis in ((2, 1), ((2, 3), None), ((2, 2), (0, -1))):
        staged = ag.function(lambda x: sliding_window_view(x, shape, axis))  # noqa: B023
        np.testing.assert_array_equal(staged(X), sliding_window_view(X, shape, axis))


def test_what_goes_back_adds_windows_up() -> None:
    found = ag.grad(lambda x: np.sum(sliding_window_view(x, 2, axis=0)))(np.arange(4.0))
    assert found.tolist() == [1, 2, 2, 1]


def test_a_window_fits_into_its_axis() -> None:
    with pytest.raises(ValueError, match="a window of 4 elements is larger than an axis of 3"):
        ag.function(lambda x: sliding_window_view(x, 4, axis=0))(X)
