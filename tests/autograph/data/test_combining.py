"""Padded batches, windows, different elements, and choices among datasets."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from autograph import tf
from autograph.data import Dataset
from runtime.errors import ShapeError, StructureError


def lists(data):
    return [x.tolist() for x in data]


def growing():
    return Dataset.range(1, 4).map(lambda n: np.full(n, n))


def test_padded_batches_are_as_large_as_their_largest_element():
    assert lists(growing().padded_batch(2)) == [[[1, 0], [2, 2]], [[3, 3, 3]]]
    assert lists(growing().padded_batch(2, drop_remainder=True)) == [[[1, 0], [2, 2]]]
    wide = growing().padded_batch(3, padded_shapes=(4,), values=-1)
    assert lists(wide) == [[[1, -1, -1, -1], [2, 2, -1, -1], [3, 3, 3, -1]]]
    assert str(wide.element_spec) == "i64[?, 4]"
    words = Dataset.from_generator(lambda: [["a"], ["b", "c"]], ag.TensorSpec([None], str))
    assert lists(words.padded_batch(2)) == [[["a", ""], ["b", "c"]]]
    pairs = Dataset.zip({"n": Dataset.range(3), "row": growing()}).padded_batch(3)
    (batch,) = pairs
    assert batch["n"].tolist() == [0, 1, 2]
    assert batch["row"].shape == (3, 3)
    with pytest.raises(ShapeError, match="an element has 3 where the padded shape has 2"):
        list(growing().padded_batch(3, padded_shapes=(2,)))
    with pytest.raises(ShapeError, match="a padded shape has 2 sizes, and the elements are"):
        growing().padded_batch(3, padded_shapes=(2, 2))
    with pytest.raises(StructureError, match="one shape and one value for each array"):
        growing().padded_batch(3, padded_shapes=[(2,), (2,)])


WINDOWS = [
    ((3,), [[0, 1, 2], [3, 4, 5], [6]]),
    ((3, 1, 1, True), [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5], [4, 5, 6]]),
    ((2, 5), [[0, 1], [5, 6]]),
    ((3, 1, 2, True), [[0, 2, 4], [1, 3, 5], [2, 4, 6]]),
    ((3, 4, 2), [[0, 2, 4], [4, 6]]),
    ((2, 9), [[0, 1]]),
]


@pytest.mark.parametrize(("options", "expected"), WINDOWS)
def test_windows_overlap_and_skip(options, expected):
    data = Dataset.range(7).windows(*options)
    assert lists(data) == lists(data) == expected
    windows = tf.data.Dataset.range(7).window(*options)
    assert [[int(x) for x in window] for window in windows] == expected
    whole = windows.flat_map(lambda window: window.batch(9))
    assert [x.numpy().tolist() for x in whole] == expected
    assert len(list(windows.take(1))) == 1
    assert len(list(windows.skip(1))) == len(expected) - 1


def test_windows_of_pairs_are_pairs_of_datasets():
    pairs = tf.data.Dataset.zip((tf.data.Dataset.range(4), tf.data.Dataset.range(4, 8))).window(2)
    made = pairs.flat_map(lambda a, b: tf.data.Dataset.zip((a.skip(1), b)))
    assert [(int(x), int(y)) for x, y in made] == [(1, 4), (3, 6)]


def test_different_elements_are_given_once():
    assert list(Dataset.from_arrays(["a", "b", "a"]).unique()) == ["a", "b"]
    rows = Dataset.from_arrays(([[1, 2], [1, 2], [2, 1]], [0, 0, 0])).unique()
    assert [x.tolist() for x, _ in rows] == [[1, 2], [2, 1]]


def test_datasets_are_drawn_by_their_weights():
    many = [Dataset.from_tensors(k).repeat(2000) for k in range(3)]
    data = Dataset.sample(many, [0.75, 0.25, 0.0], seed=1)
    first = [int(x) for x in data.take(1000)]
    assert 700 < first.count(0) < 800
    assert first.count(2) == 0
    assert first == [int(x) for x in data.take(1000)]
    few = [Dataset.range(2), Dataset.range(10, 13)]
    assert sorted(int(x) for x in Dataset.sample(few, seed=3)) == [0, 1, 10, 11, 12]
    assert len(list(Dataset.sample(few, seed=3, stop_on_empty=True))) < 5
    with pytest.raises(StructureError, match="no dataset to choose from"):
        Dataset.sample([])


def test_datasets_are_chosen_by_numbers():
    numbers = Dataset.from_arrays([1, 1, 0, 1, 1])
    few = [Dataset.range(2), Dataset.range(10, 13)]
    assert [int(x) for x in Dataset.choose(few, numbers)] == [10, 11, 0, 12]
    plain = [tf.data.Dataset.range(2), tf.data.Dataset.range(10, 13)]
    chosen = tf.data.Dataset.choose_from_datasets(plain, tf.data.Dataset.from_tensor_slices([1, 0]))
    assert [int(x) for x in chosen] == [10, 0]
    sampled = tf.data.Dataset.sample_from_datasets(plain, weights=[1.0, 0.0], seed=1)
    assert [int(x) for x in sampled] == [0, 1]


def test_functions_of_tf_are_functions_of_datasets():
    assert [x.numpy() for x in tf.data.Dataset.range(3).map(tf.math.square)] == [0, 1, 4]
    pairs = tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4]))
    assert [x.numpy() for x in pairs.map(tf.add)] == [4, 6]
    assert [x.numpy() for x in pairs.map(tf.function(lambda a, b: a * b))] == [3, 8]


def test_what_tf_has_beside(tmp_path):
    for name in ("b", "a"):
        (tmp_path / name).write_text(name)
    names = tf.data.Dataset.list_files(str(tmp_path / "*"), shuffle=False)
    assert [x.numpy()[-1:] for x in names] == [b"a", b"b"]
    assert len(list(tf.data.Dataset.list_files([str(tmp_path / "a")]))) == 1
    with pytest.raises(tf.errors.NotFoundError, match="no file matches"):
        tf.data.Dataset.list_files(str(tmp_path / "c*"))
    assert [int(x) for x in tf.data.Dataset.counter(5, 2).take(2)] == [5, 7]
    assert tf.data.Dataset.range(1).get_single_element().numpy() == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than one element"):
        tf.data.Dataset.range(2).get_single_element()
    assert len(tf.data.Dataset.range(2).with_options(None)) == 2
    assert [int(x) for x in tf.data.Dataset.from_tensor_slices([1, 2, 1]).unique()] == [1, 2]
    rows = (
        tf.data.Dataset.range(1, 3)
        .map(lambda n: tf.fill([n], n))
        .padded_batch(2, padded_shapes=(None,), padding_values=tf.constant(-1, tf.int64))
    )
    assert next(iter(rows)).numpy().tolist() == [[1, -1], [2, 2]]
