"""Texts and numbers do not become each other, and nothing is lost when a tensor is made."""

from __future__ import annotations

import pytest

from autograph import tf

WRONG = [
    (lambda: tf.constant("a") + 0, r"string and one of int32 .* write tf\.as_string\(x\)"),
    (lambda: tf.constant([1, 2], tf.string), r"\[1, 2\] is no string; write tf\.as_string"),
    (lambda: tf.constant("1", tf.int32), r"'1' is no int32; write tf\.strings\.to_number"),
    (lambda: tf.cast(tf.constant(1), tf.string), "tf.cast of int32 to string: texts are no num"),
    (lambda: tf.constant([1, "a"]), "holds texts and numbers"),
    (lambda: tf.constant(1.5, tf.int32), "1.5 is no int32"),
    (lambda: tf.constant(300, tf.uint8), "300 does not fit into uint8"),
]


@pytest.mark.parametrize(("make", "message"), WRONG)
def test_what_would_lose_something_is_refused(make, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        make()


def test_tensors_are_filled_with_values_of_any_dtype():
    def filled(x):
        return tf.fill([2], x)

    for value in ("q", True, 3, 1.5):
        for run in (filled, tf.function(filled)):
            found = run(tf.constant(value))
            assert found.dtype == tf.constant(value).dtype
            assert found.numpy().tolist() == [tf.constant(value).numpy()] * 2
    assert tf.zeros([2], tf.string).numpy().tolist() == [b"", b""]
    assert tf.zeros_like(tf.constant(["a"])).numpy().tolist() == [b""]
    assert tf.constant([1, 2], tf.uint8).dtype == tf.uint8


def test_a_list_that_a_function_of_a_dataset_returns_is_a_tuple():
    def parts(x):
        return tf.py_function(lambda x: [x, x * 2], [x], [tf.int64, tf.int64])

    data = tf.data.Dataset.range(2).map(parts).map(lambda a, b: a + b)
    assert [int(x) for x in data] == [0, 3]
