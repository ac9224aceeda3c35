"""Pictures changed at random: by pinned factors, the same staged, and not at all untrained."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from autograph import nn

X = np.arange(24, dtype=np.float32).reshape(1, 4, 3, 2)
LAYERS = {
    "turn": (lambda fill: nn.RandomRotation((0.5, 0.5), fill_mode=fill), X[:, ::-1, ::-1]),
    "shift down": (
        lambda fill: nn.RandomTranslation((0.25, 0.25), (0.0, 0.0), fill_mode=fill),
        X[:, [0, 0, 1, 2]],
    ),
    "shift left": (
        lambda fill: nn.RandomTranslation((0.0, 0.0), (-1 / 3, -1 / 3), fill_mode=fill),
        X[:, :, [1, 2, 2]],
    ),
    "as it is": (lambda fill: nn.RandomZoom((0.0, 0.0), fill_mode=fill), X),
}


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("fill", ["reflect", "nearest"])
def test_a_pinned_factor_moves_elements_where_it_says(name, fill):
    make, expected = LAYERS[name]
    layer = make(fill)
    np.testing.assert_allclose(layer(X, training=True), expected, atol=1e-4)
    np.testing.assert_allclose(layer(X[0], training=True), expected[0], atol=1e-4)
    np.testing.assert_array_equal(layer(X, training=False), X)


def test_what_is_outside_is_filled_as_it_is_said():
    def shifted(**options):
        layer = nn.RandomTranslation((0.5, 0.5), (0.0, 0.0), **options)
        return layer(X, training=True)[0, :, 0, 0].tolist()

    assert shifted(fill_mode="constant", fill_value=-1.0) == [-1.0, -1.0, 0.0, 6.0]
    assert shifted(fill_mode="nearest") == [0.0, 0.0, 0.0, 6.0]
    assert shifted(fill_mode="reflect") == [6.0, 0.0, 0.0, 6.0]
    assert shifted(fill_mode="wrap") == [12.0, 18.0, 0.0, 6.0]


def test_a_zoom_takes_elements_between_others():
    row = np.array([0.0, 2.0, 4.0, 6.0], np.float32).reshape(1, 1, 4, 1)
    found = nn.RandomZoom((0.0, 0.0), (-0.5, -0.5))(row, training=True)
    np.testing.assert_allclose(found.ravel(), [1.5, 2.5, 3.5, 4.5], atol=1e-6)
    nearest = nn.RandomZoom((0.0, 0.0), (-0.5, -0.5), interpolation="nearest")(row, training=True)
    np.testing.assert_allclose(nearest.ravel(), [2.0, 2.0, 4.0, 4.0])


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.RandomFlip(seed=3),
        lambda: nn.RandomRotation(0.2, seed=3),
        lambda: nn.RandomTranslation(0.3, 0.2, seed=3),
        lambda: nn.RandomZoom(0.4, 0.1, seed=3),
        lambda: nn.RandomContrast(0.5, seed=3),
        lambda: nn.RandomBrightness(0.5, seed=3),
    ],
)
def test_each_picture_has_numbers_of_its_own_and_staged_ones_are_the_same(make):
    x = np.repeat(np.random.default_rng(0).random((1, 5, 6, 2)).astype(np.float32) * 255, 8, 0)
    plain, layer = make(), make()
    staged = ag.function(lambda x: layer(x, training=True))
    for _ in range(2):
        found = plain(x, training=True)
        np.testing.assert_allclose(staged(x), found, rtol=1e-5, atol=1e-3)
        assert found.dtype == np.float32
        assert len({row.tobytes() for row in found}) > 1


def test_contrast_is_around_the_mean_of_each_channel_and_stays_in_range():
    layer = nn.RandomContrast((0.5, -0.5), value_range=(0.0, 23.0))
    mean = X.mean(axis=(1, 2), keepdims=True)
    np.testing.assert_allclose(layer(X, training=True), (X - mean) / 2 + mean, rtol=1e-6)
    bright = nn.RandomBrightness((0.5, 0.5), value_range=(0.0, 20.0))(X, training=True)
    np.testing.assert_array_equal(bright, np.minimum(X + 10, 20))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.RandomFlip("both"), "is one of"),
        (lambda: nn.RandomZoom(-2.0), "is a number of 0 or more"),
        (lambda: nn.RandomRotation((0.3, 0.1)), "two in order"),
        (lambda: nn.RandomRotation(0.1, fill_mode="mirror"), "takes fill_mode, one of"),
        (lambda: nn.RandomFlip()(np.ones((2, 2))), "takes inputs of 3 or 4 dimensions"),
    ],
)
def test_what_is_wrong_is_said(make, message):
    with pytest.raises(ValueError, match=message):
        make()
