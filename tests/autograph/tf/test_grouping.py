"""Datasets whose elements are gathered by keys and lengths; what is expected is TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograph import tf

Dataset = tf.data.Dataset
ROWS = [[1], [1, 2], [1, 2, 3], [4], [5, 6, 7], [8, 9]]


def rows() -> Any:
    return Dataset.from_generator(
        lambda: iter(ROWS), output_signature=tf.TensorSpec([None], tf.int32)
    )


def bucketed(bounds: list[int], data: Any = None, **options: Any) -> Any:
    found = rows() if data is None else data
    return found.bucket_by_sequence_length(lambda x, *_: tf.shape(x)[0], bounds, [2] * 3, **options)


def listed(dataset: Any) -> list[Any]:
    return [
        tuple(x.numpy().tolist() for x in element)
        if isinstance(element, tuple)
        else element.numpy().tolist()
        for element in dataset
    ]


CASES: dict[str, tuple[Callable[[], Any], list[Any]]] = {
    "buckets": (
        lambda: bucketed([2, 3]),
        [[[1], [4]], [[1, 2, 3], [5, 6, 7]], [[1, 2], [8, 9]]],
    ),
    "up to the boundary": (
        lambda: bucketed([2, 5], pad_to_bucket_boundary=True, padding_values=-1),
        [[[1, 2, -1, -1], [1, 2, 3, -1]], [[1], [4]], [[5, 6, 7, -1], [8, 9, -1, -1]]],
    ),
    "of pairs": (
        lambda: bucketed([2, 3], rows().map(lambda x: (x, tf.reduce_sum(x)))),
        [([[1], [4]], [1, 4]), ([[1, 2, 3], [5, 6, 7]], [6, 18]), ([[1, 2], [8, 9]], [3, 17])],
    ),
    "windows": (
        lambda: Dataset.range(7).group_by_window(lambda x: x % 2, lambda _, x: x.batch(10), 2),
        [[0, 2], [1, 3], [4, 6], [5]],
    ),
    "windows of a key's size": (
        lambda: Dataset.range(7).group_by_window(
            lambda x: x % 3,
            lambda key, x: x.batch(10).map(lambda y: y + key * 100),
            window_size_func=lambda key: key + 1,
        ),
        [[0], [3], [101, 104], [6], [202, 205]],
    ),
    "batches again": (
        lambda: Dataset.range(7).batch(3).rebatch(2, drop_remainder=True),
        [[0, 1], [2, 3], [4, 5]],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_elements_are_gathered(case: str) -> None:
    make, expected = CASES[case]
    assert listed(make()) == expected


def test_a_staged_loop_goes_over_buckets() -> None:
    data = bucketed([2, 3])
    assert repr(data.element_spec) == "TensorSpec(shape=(None, None), dtype=tf.int32, name=None)"

    @tf.function
    def total() -> Any:
        found = tf.constant(0)
        for batch in data:
            found += tf.reduce_sum(batch) * tf.shape(batch)[1]
        return found

    assert int(total()) == sum(sum(x) * len(x) for x in ROWS)


def test_elements_are_drawn_and_left_out() -> None:
    first, again = (list(map(int, Dataset.random(seed=4).take(3))) for _ in range(2))
    assert first == again != list(map(int, Dataset.random(seed=5).take(3)))
    inverse = Dataset.from_tensor_slices([1.0, 0.0, 4.0]).map(
        lambda x: tf.debugging.check_numerics(tf.where(x > 0, x, np.nan), "of no number")
    )
    with pytest.raises(tf.errors.InvalidArgumentError):
        list(inverse)
    assert len(list(inverse.ignore_errors())) == 2
    data = Dataset.range(2000).map(lambda k: (k, tf.cast(k % 10 == 0, tf.int64)))
    for initial in (None, [0.9, 0.1]):
        found = list(data.rejection_resample(lambda k, c: c, [0.5, 0.5], initial, seed=1))
        share = sum(int(c) for c, _ in found) / len(found)
        assert 0.4 < share < 0.6
        assert 300 < len(found) < 500
        assert all(int(c) == int(pair[1]) for c, pair in found)


REFUSED = [
    (lambda: rows().group_by_window(len, len), "give one of window_size and window_size_func"),
    (lambda: bucketed([2]), "1 boundaries are between 2 buckets, and there are 3 batch sizes"),
    (lambda: list(bucketed([2, 3], pad_to_bucket_boundary=True)), "longer than the last of bucket"),
]


@pytest.mark.parametrize(("make", "message"), REFUSED)
def test_what_is_not_possible_is_told(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
