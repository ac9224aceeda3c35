"""Names of `tf` that are used less: what TensorFlow 2.21 gives, eagerly and staged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograph import tf

X = np.array([[1.0, -2.0, 3.5], [0.5, 4.0, -1.5]], np.float32)
K, L = np.array([5, -7, 12, 3], np.int32), np.array([3, 2, -5, 1], np.int32)
M = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)
B = np.array([[0.9, 0.2, 0.4], [0.1, 0.6, 0.3]], np.float32).reshape(1, 2, 1, 3)
U = np.array([[[10, 200, 30], [250, 40, 90]]], np.uint8)
S = np.arange(12, dtype=np.float32).reshape(1, 4, 3, 1) ** 2
LOGS = np.logaddexp.accumulate(X, axis=1)
LEAST = np.full((2, 1), -np.inf, np.float32)
F = np.float32

CASES: dict[str, tuple[Callable[[], Any], Any]] = {
    "svd, values alone": (
        lambda: tf.linalg.svd(M, compute_uv=False),
        np.linalg.svd(M, compute_uv=False),
    ),
    "clip_by_norm, by rows": (
        lambda: tf.clip_by_norm(X, 4.2, axes=[1]),
        X * (4.2 / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), F(4.2))),
    ),
    "clip_by_norm, by columns": (
        lambda: tf.clip_by_norm(X, 1.0, axes=0),
        X / np.maximum(np.linalg.norm(X, axis=0), 1),
    ),
    "bitwise_and": (lambda: tf.bitwise.bitwise_and(K, L), K & L),
    "bitwise_or": (lambda: tf.bitwise.bitwise_or(K, L), K | L),
    "bitwise_xor": (lambda: tf.bitwise.bitwise_xor(K, L), K ^ L),
    "invert": (lambda: tf.bitwise.invert(K), ~K),
    "left_shift": (lambda: tf.bitwise.left_shift(K, [1, 2, 3, 4]), K << np.int32([1, 2, 3, 4])),
    "right_shift": (lambda: tf.bitwise.right_shift(K, [1, 2, 3, 4]), K >> np.int32([1, 2, 3, 4])),
    "cumulative_logsumexp": (lambda: tf.math.cumulative_logsumexp(X, axis=1), LOGS),
    "cumulative_logsumexp of others": (
        lambda: tf.math.cumulative_logsumexp(X, axis=1, exclusive=True),
        np.concatenate([LEAST, LOGS[:, :-1]], 1),
    ),
    "cumulative_logsumexp from the end": (
        lambda: tf.math.cumulative_logsumexp(X, axis=-1, reverse=True),
        np.logaddexp.accumulate(X[:, ::-1], axis=1)[:, ::-1],
    ),
    "polyval": (lambda: tf.math.polyval([1.0, X, 3.0], X), X * X + X * X + 3),
    "polyval of nothing": (lambda: tf.math.polyval([], X), X * 0),
    "invert_permutation": (
        lambda: tf.math.invert_permutation([3, 4, 0, 2, 1]),
        np.int32([2, 4, 3, 0, 1]),
    ),
    "is_non_decreasing": (lambda: tf.math.is_non_decreasing([1, 1, 2]), np.True_),
    "is_strictly_increasing": (lambda: tf.math.is_strictly_increasing([1, 1, 2]), np.False_),
    "lbeta": (lambda: tf.math.lbeta([2.0, 3.0]), F(np.log(1 / 12))),
    "nextafter": (lambda: tf.math.nextafter(X, 9.0), np.nextafter(X, F(9))),
    "xdivy": (lambda: tf.math.xdivy([0.0, 1.0], [0.0, 2.0]), F([0, 0.5])),
    "xlog1py": (lambda: tf.math.xlog1py([0.0, 2.0], [-1.0, 0.5]), F([0, 2 * np.log(1.5)])),
    "realdiv": (lambda: tf.realdiv(X, 2.0), X / 2),
    "truncatediv": (lambda: tf.truncatediv(K, L), np.int32([1, -3, -2, 3])),
    "truncatemod": (lambda: tf.truncatemod(K, L), np.int32([2, -1, 2, 0])),
    "segment_prod": (lambda: tf.math.segment_prod([2, 3, 4], [0, 0, 2]), np.int32([6, 1, 4])),
    "unsorted_segment_prod": (
        lambda: tf.math.unsorted_segment_prod(X, [2, 2], 3),
        np.stack([X[0] * 0 + 1, X[0] * 0 + 1, X[0] * X[1]]),
    ),
    "unsorted_segment_mean": (
        lambda: tf.math.unsorted_segment_mean(X, [1, 1], 2),
        np.stack([X[0] * 0, X.mean(0)]),
    ),
    "unsorted_segment_sqrt_n": (
        lambda: tf.math.unsorted_segment_sqrt_n(X, [1, 1], 2),
        np.stack([X[0] * 0, X.sum(0) / np.sqrt(F(2))]),
    ),
    "adjoint": (lambda: tf.linalg.adjoint(tf.complex(X, X)), (X - 1j * X).T.astype(np.complex64)),
    "cholesky_solve": (
        lambda: tf.linalg.cholesky_solve(tf.linalg.cholesky(M), [[1.0], [2.0]]),
        np.linalg.solve(M, F([[1], [2]])),
    ),
    "eigvalsh": (lambda: tf.linalg.eigvalsh(M), np.linalg.eigvalsh(M)),
    "logdet": (lambda: tf.linalg.logdet(M), F(np.log(11))),
    "slogdet": (lambda: tf.linalg.slogdet(-M[:1, :1])[0], F(-1)),
    "matrix_rank": (lambda: tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]), np.int32(1)),
    "lstsq": (
        lambda: tf.linalg.lstsq(X.T, [[1.0], [2.0], [3.0]]),
        np.linalg.lstsq(X.T, F([[1], [2], [3]]))[0],
    ),
    "lstsq of few": (
        lambda: tf.linalg.lstsq(X, [[1.0], [2.0]], fast=False),
        np.linalg.lstsq(X, F([[1], [2]]))[0],
    ),
    "lstsq that is short": (
        lambda: tf.linalg.lstsq(X, [[1.0], [2.0]], l2_regularizer=0.5),
        np.linalg.solve(X.T @ X + 0.5 * np.eye(3, dtype=F), X.T @ F([[1], [2]])),
    ),
    "tensor_diag_part": (
        lambda: tf.linalg.tensor_diag_part(tf.reshape(tf.range(36), [2, 3, 2, 3])),
        np.int32([[0, 7, 14], [21, 28, 35]]),
    ),
    "reverse_sequence": (
        lambda: tf.reverse_sequence(X, [2, 0], seq_axis=1),
        np.stack([X[0, [1, 0, 2]], X[1]]),
    ),
    "reverse_sequence of columns": (
        lambda: tf.reverse_sequence(X[..., None], [1, 2, 2], seq_axis=0, batch_axis=1),
        np.stack([X[0], X[1]])[[[0, 1, 1], [1, 0, 0]], [[0, 1, 2]] * 2][..., None],
    ),
    "dynamic_partition": (lambda: tf.dynamic_partition(K, [1, 0, 1, 0], 2)[1], K[[0, 2]]),
    "dynamic_stitch": (
        lambda: tf.dynamic_stitch([1, [2, 0]], [[6, 7], [[1, 2], [3, 4]]]),
        np.int32([[3, 4], [6, 7], [1, 2]]),
    ),
    "dynamic_stitch of one place": (
        lambda: tf.dynamic_stitch([[0, 1], [0]], [[1.0, 2.0], [3.0]]),
        F([3, 2]),
    ),
    "histogram_fixed_width": (
        lambda: tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5),
        np.int32([2, 1, 1, 0, 2]),
    ),
    "unravel_index": (
        lambda: tf.unravel_index([2, 5, 7], [3, 3]),
        np.int32([[0, 1, 2], [2, 2, 1]]),
    ),
    "rgb_to_hsv": (
        lambda: tf.image.rgb_to_hsv(B),
        F([0.952381, 0.777778, 0.9, 0.4, 0.833333, 0.6]).reshape(B.shape),
    ),
    "hsv_to_rgb": (
        lambda: tf.image.hsv_to_rgb(B),
        F([0.4, 0.32, 0.368, 0.3, 0.228, 0.12]).reshape(B.shape),
    ),
    "rgb_to_yiq": (
        lambda: tf.image.rgb_to_yiq(B),
        F([0.4321, 0.352862, 0.210283, 0.4163, -0.201547, -0.199132]).reshape(B.shape),
    ),
    "yiq_to_rgb": (
        lambda: tf.image.yiq_to_rgb(B),
        F([1.339527, 0.586716, 1.360344, 0.859839, -0.257369, -0.052775]).reshape(B.shape),
    ),
    "rgb_to_yuv": (
        lambda: tf.image.rgb_to_yuv(B),
        F([0.4321, -0.015797, 0.410481, 0.4163, -0.057233, -0.277485]).reshape(B.shape),
    ),
    "yuv_to_rgb": (
        lambda: tf.image.yuv_to_rgb(B),
        F([1.355953, 0.588823, 1.306412, 0.441965, -0.310972, 1.319237]).reshape(B.shape),
    ),
    "adjust_hue": (
        lambda: tf.image.adjust_hue(B, 0.2),
        F([0.9, 0.84, 0.2, 0.1, 0.3, 0.6]).reshape(B.shape),
    ),
    "adjust_hue of bytes": (
        lambda: tf.image.adjust_hue(U, -0.3),
        np.uint8([[[200, 68, 10], [40, 48, 250]]]),
    ),
    "adjust_saturation": (
        lambda: tf.image.adjust_saturation(B, 2.0),
        F([0.9, 0.0, 0.257143, 0.0, 0.6, 0.24]).reshape(B.shape),
    ),
    "adjust_saturation of bytes": (
        lambda: tf.image.adjust_saturation(U, 0.5),
        np.uint8([[[105, 200, 115], [250, 145, 170]]]),
    ),
    "adjust_gamma": (
        lambda: tf.image.adjust_gamma(U, 2.0),
        np.uint8([[[0, 157, 3], [245, 6, 31]]]),
    ),
    "total_variation": (lambda: tf.image.total_variation(S), F([385])),
    "image_gradients": (
        lambda: tf.image.image_gradients(S[:, :2])[1],
        F([1, 3, 0, 7, 9, 0]).reshape(1, 2, 3, 1),
    ),
    "sobel_edges": (
        lambda: tf.image.sobel_edges(S)[0, 1, :, 0],
        np.stack([F([168, 192, 216]), F([0, 64, 0])], -1),
    ),
    "psnr": (lambda: tf.image.psnr(U, U[:, ::-1], 255), F(3.516818)),
}


@pytest.mark.parametrize("name", CASES)
def test_gives_the_value_and_the_dtype(name: str) -> None:
    call, expected = CASES[name]
    for found in (call(), tf.function(call)()):
        assert isinstance(found, tf.Tensor)
        array = np.asarray(found.numpy())
        assert array.shape == np.shape(expected)
        assert array.dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(array, expected, rtol=1e-5, atol=2e-6)


def test_colours_have_gradients() -> None:
    x = tf.constant(B)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.image.adjust_saturation(x, 0.7) * B[..., ::-1])
    found, step = tape.gradient(y, x).numpy().ravel(), 1e-2
    for k in range(6):
        more = B.ravel().copy()
        more[k] += step
        after = tf.image.adjust_saturation(more.reshape(B.shape), 0.7) * B[..., ::-1]
        assert abs((tf.reduce_sum(after) - y) / step - found[k]) < 2e-2


def test_random_colours_are_between_those_of_both_ends() -> None:
    tf.random.set_seed(1)
    hues = [tf.image.rgb_to_hsv(tf.image.random_hue(B, 0.1))[0, 0, 0, 0].numpy() for _ in range(9)]
    assert all(min(abs(x - 0.952381), 1 - abs(x - 0.952381)) < 0.1001 for x in hues)
    assert len({float(x) for x in hues}) > 1
    saturated = tf.image.rgb_to_hsv(tf.image.random_saturation(B, 0.5, 0.9))[0, 0, 0, 1].numpy()
    assert 0.777778 * 0.5 <= saturated <= 0.777778 * 0.9
    with pytest.raises(ValueError, match=r"max_delta is from 0 to 0\.5"):
        tf.image.random_hue(B, 0.7)
    with pytest.raises(ValueError, match="lower is not negative"):
        tf.image.random_saturation(B, 1.0, 0.5)


def test_rows_are_as_many_as_tensors_and_a_permutation_is_a_row_of_integers() -> None:
    with pytest.raises(ValueError, match="2 lists of rows were given, for 1 tensors"):
        tf.dynamic_stitch([[0], [1]], [[1.0]])
    with pytest.raises(ValueError, match="are not for a tensor"):
        tf.dynamic_stitch([[0, 1, 2]], [[1.0, 2.0]])
    with pytest.raises(ValueError, match="a permutation is one row of integers"):
        tf.math.invert_permutation([0.0, 1.0])


def test_a_picture_without_a_batch_has_no_gradients_here_and_coefficients_are_a_list() -> None:
    with pytest.raises(ValueError, match="image_gradients takes"):
        tf.image.image_gradients(B[0])
    with pytest.raises(ValueError, match="is a list, not a tuple"):
        tf.math.polyval((1.0, 2.0), X)
