"""Patches, boxes and likenesses of pictures; patches and boxes are those of TensorFlow's pages."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf

NUMBERS = tf.reshape(tf.range(1, 101, dtype=tf.float32), [1, 10, 10, 1])
PICTURES = tf.constant(np.random.default_rng(0).random((2, 8, 8, 3)), tf.float32)


def patches(rates, padding):
    found = tf.image.extract_patches(NUMBERS, [1, 3, 3, 1], [1, 5, 5, 1], rates, padding)
    return found.numpy().astype(int)


def test_patches_are_those_of_tensorflows_page() -> None:
    first = [[1, 2, 3, 11, 12, 13, 21, 22, 23], [6, 7, 8, 16, 17, 18, 26, 27, 28]]
    found = patches([1, 1, 1, 1], "VALID")
    assert found.shape == (1, 2, 2, 9)
    assert found[0, 0].tolist() == first
    assert (found[0, 1] - found[0, 0] == 50).all()
    first = [[1, 3, 5, 21, 23, 25, 41, 43, 45], [6, 8, 10, 26, 28, 30, 46, 48, 50]]
    assert patches([1, 2, 2, 1], "VALID")[0, 0].tolist() == first
    assert patches([1, 1, 1, 1], "SAME").shape == (1, 2, 2, 9)


@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_boxes_are_cut_out_in_one_size(method: str) -> None:
    boxes = [[0, 0, 1, 1], [0, 0, 0.5, 0.5], [-0.5, 0, 1, 1], [0.5, 0.5, 0, 0]]
    found = tf.image.crop_and_resize(NUMBERS, boxes, [0, 0, 0, 0], [2, 2], method).numpy()[..., 0]
    far = 51 if method == "nearest" else 46  # a half is rounded up
    corner = [1, 6 if method == "nearest" else 5.5]
    assert found[0].tolist() == [[1, 10], [91, 100]]
    assert found[1].tolist() == [corner, [far, 56 if method == "nearest" else 50.5]]
    assert found[2].tolist() == [[0, 0], [91, 100]]
    assert found[3].tolist() == found[1][::-1, ::-1].tolist()
    with tf.GradientTape() as tape:
        tape.watch(PICTURES)
        cut = tf.image.crop_and_resize(PICTURES, [[0.1, 0.2, 0.8, 0.9]], [1], [4, 4], method)
    slope = tape.gradient(cut, PICTURES).numpy()
    np.testing.assert_allclose(np.sum(slope, axis=(1, 2, 3)), [0.0, 48.0], rtol=1e-5)


def test_pictures_are_as_alike_as_their_windows_say() -> None:
    def expected(x, y):
        bell = np.exp(-0.5 * ((np.arange(5) - 2) / 1.5) ** 2)
        weights = np.outer(bell, bell) / np.sum(bell) ** 2
        found = []
        for row, column, channel in np.ndindex(4, 4, 3):
            parts = [z[row : row + 5, column : column + 5, channel] for z in (x, y)]
            a, b = (np.sum(weights * z) for z in parts)
            spread = [np.sum(weights * (p - a) * (p - a)) for p in parts[:1]]
            spread += [np.sum(weights * (parts[1] - b) ** 2)]
            both = np.sum(weights * (parts[0] - a) * (parts[1] - b))
            light = (2 * a * b + 1e-4) / (a * a + b * b + 1e-4)
            found.append(light * (2 * both + 9e-4) / (sum(spread) + 9e-4))
        return np.mean(found)

    x, y = PICTURES.numpy().astype(np.float64)
    found = tf.function(lambda a, b: tf.image.ssim(a, b, 1.0, filter_size=5))(*PICTURES)
    np.testing.assert_allclose(found.numpy(), expected(x, y), rtol=1e-4)
    np.testing.assert_allclose(tf.image.ssim(PICTURES, PICTURES, 1.0, 5).numpy(), 1, rtol=1e-5)


def test_boxes_that_overlap_better_ones_are_left_out() -> None:
    boxes = [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [1, 11.1, 0, 10.1]]
    boxes += [[0, 100, 1, 101]]
    scores = [0.9, 0.75, 0.6, 0.95, 0.5, 0.3]
    choose = tf.function(tf.image.non_max_suppression)
    assert choose(boxes, scores, 3).numpy().tolist() == [3, 0, 5]
    assert choose(boxes, scores, 2).numpy().tolist() == [3, 0]
    assert choose(boxes, scores, 6, score_threshold=0.4).numpy().tolist() == [3, 0]
    assert choose(boxes, scores, 6, iou_threshold=0.95).numpy().tolist() == [3, 0, 1, 2, 4, 5]
