"""`tf.image`: what TensorFlow 2.21 gives, eagerly and staged."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf

image = tf.image
X = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
U = np.array([[[10], [200]], [[30], [250]]], np.uint8)
DEEP = np.array([0, 300, 65535], np.uint16)
SIXTEEN = np.arange(16, dtype=np.float32).reshape(4, 4, 1)
STANDARD = [-1.593255, -1.303572, -1.013890, -0.724207, -0.434524, -0.144841]
CASES = {
    "lines": (lambda x: image.resize(x, [3, 2]), X,
              [0.5, 1.5, 3.5, 4.5, 3.5, 4.5, 6.5, 7.5, 6.5, 7.5, 9.5, 10.5]),
    "nearest": (lambda x: image.resize(x, [3, 1], method="nearest"), U, [200, 250, 250]),
    "brighter": (lambda x: image.adjust_brightness(x, 0.1), U, [35, 225, 55, 255]),
    "contrast": (lambda x: image.adjust_contrast(x, 2.0), U, [0, 255, 0, 255]),
    "standard": (image.per_image_standardization, X, STANDARD + [-x for x in STANDARD[::-1]]),
    "padded": (lambda x: image.resize_with_crop_or_pad(x, 3, 2), X,
               [0, 1, 2, 3, 6, 7, 8, 9, 0, 0, 0, 0]),
    "middle": (lambda x: image.central_crop(x, 0.5), SIXTEEN, [5, 6, 9, 10]),
    "grey": (image.rgb_to_grayscale, np.array([[[10, 20, 200]]], np.uint8), [37]),
    "turned": (image.rot90, U, [200, 250, 10, 30]),
    "mirrored": (image.flip_left_right, U, [200, 10, 250, 30]),
    "saturated": (lambda x: image.convert_image_dtype(x, tf.uint8, saturate=True),
                  np.array([0.0, 0.5, 1.2]), [0, 127, 255]),
    "deeper": (lambda x: image.convert_image_dtype(x, tf.uint16), U, [2560, 51200, 7680, 64000]),
    "flatter": (lambda x: image.convert_image_dtype(x, tf.uint8), DEEP, [0, 1, 255]),
    "part": (lambda x: image.crop_to_bounding_box(x, 1, 0, 1, 2), U, [30, 250]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_pictures_are_changed_as_there(name):
    change, given, expected = CASES[name]
    for run in (change, tf.function(change)):
        found = run(tf.constant(given))
        np.testing.assert_allclose(found.numpy().ravel(), expected, rtol=1e-5)
        if given.dtype == np.uint8 and name != "deeper":
            assert found.dtype == tf.uint8


def test_chance_is_of_each_picture():
    tf.random.set_seed(1)
    batch = np.stack([X] * 64)
    flipped = image.random_flip_up_down(batch).numpy()
    kinds = {same: sum(np.array_equal(y, same_as) for y in flipped)
             for same, same_as in (("same", X), ("flipped", X[::-1]))}  # fmt: skip
    assert sum(kinds.values()) == 64
    assert min(kinds.values()) > 16
    part = image.random_crop(SIXTEEN, [2, 2, 1]).numpy().ravel()
    np.testing.assert_array_equal(part - part[0], [0, 1, 4, 5])


def test_what_is_no_picture_is_told():
    with pytest.raises(tf.errors.InvalidArgumentError, match="an image has the shape"):
        image.flip_up_down(tf.ones((2, 2)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit into one of 1 by 1"):
        image.pad_to_bounding_box(X, 0, 0, 1, 1)
    with pytest.raises(NotImplementedError, match="'bilinear' and 'nearest'"):
        image.resize(X, [1, 1], method="bicubic")


def test_a_part_that_begins_before_a_picture_is_an_error():
    with pytest.raises(tf.errors.InvalidArgumentError, match="begins at 0 or after it"):
        tf.image.crop_to_bounding_box(tf.ones([4, 4, 1]), -1, 0, 2, 2)


SEEDED = {
    "brightness": lambda x, seed: image.stateless_random_brightness(x, 0.5, seed),
    "contrast": lambda x, seed: image.stateless_random_contrast(x, 0.2, 0.9, seed),
    "hue": lambda x, seed: image.stateless_random_hue(x, 0.4, seed),
    "saturation": lambda x, seed: image.stateless_random_saturation(x, 0.2, 0.9, seed),
    "crop": lambda x, seed: image.stateless_random_crop(x, [2, 2, 3], seed),
    "mirrored": image.stateless_random_flip_left_right,
    "upside down": image.stateless_random_flip_up_down,
}


@pytest.mark.parametrize("name", SEEDED)
def test_random_changes_by_a_seed_are_equal_for_equal_seeds(name):
    change = SEEDED[name]
    x = np.random.default_rng(0).random((5, 4, 3)).astype(np.float32)
    found = [change(x, (k, 7)).numpy() for k in range(12)]
    staged = tf.function(change)
    for k, one in enumerate(found):
        np.testing.assert_array_equal(change(x, (k, 7)), one)
        np.testing.assert_allclose(staged(x, tf.constant([k, 7])), one, atol=1e-6)
    assert len({one.tobytes() for one in found}) > 1


def test_a_part_by_a_seed_is_a_part():
    x = np.arange(60.0).reshape(5, 4, 3)
    parts = {(i, j): x[i : i + 2, j : j + 2] for i in range(4) for j in range(3)}
    found = [image.stateless_random_crop(x, [2, 2, 3], (k, 0)).numpy() for k in range(200)]
    seen = {next(p for p, y in parts.items() if np.array_equal(y, one)) for one in found}
    assert len(seen) == len(parts)
