"""Rows of several lengths: what is made of them, eagerly and staged, as TensorFlow prints it."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf

ROWS = [[3, 1, 4, 1], [], [5, 9, 2], [6], []]
DEEP = [[[1, 2, 3], [4]], [[5], [], [6]], [[7]], [[8, 9], [10]]]

PROGRAMS = {
    "add": (lambda x: x + 3, [[6, 4, 7, 4], [], [8, 12, 5], [9], []]),
    "swapped": (lambda x: 10 - x, [[7, 9, 6, 9], [], [5, 1, 8], [4], []]),
    "two of the same lengths": (lambda x: x * x, [[9, 1, 16, 1], [], [25, 81, 4], [36], []]),
    "a column": (
        lambda x: tf.add(x, [[10], [20], [30], [40], [50]]),
        [[13, 11, 14, 11], [], [35, 39, 32], [46], []],
    ),
    "compare": (lambda x: x > 3, [[0, 0, 1, 0], [], [1, 1, 0], [1], []]),
    "where": (lambda x: tf.where(x > 3, x, 0), [[0, 0, 4, 0], [], [5, 9, 0], [6], []]),
    "cast": (
        lambda x: tf.cast(x, tf.float32) / 2,
        [[1.5, 0.5, 2, 0.5], [], [2.5, 4.5, 1], [3], []],
    ),
    "first two": (lambda x: x[:, :2], [[3, 1], [], [5, 9], [6], []]),
    "last two": (lambda x: x[:, -2:], [[4, 1], [], [9, 2], [6], []]),
    "every second": (lambda x: x[:, 1::2], [[1, 1], [], [9], [], []]),
    "some rows": (lambda x: x[2:4], [[5, 9, 2], [6]]),
    "rows backwards": (lambda x: x[::-1], [[], [6], [5, 9, 2], [], [3, 1, 4, 1]]),
    "gather": (lambda x: tf.gather(x, [2, 0, 2]), [[5, 9, 2], [3, 1, 4, 1], [5, 9, 2]]),
    "after each other": (lambda x: tf.concat([x, [[5, 3]]], 0), [*ROWS, [5, 3]]),
    "beside each other": (
        lambda x: tf.concat([x, x[:, :1]], 1),
        [[3, 1, 4, 1, 3], [], [5, 9, 2, 5], [6, 6], []],
    ),
    "tile": (lambda x: tf.tile(x, [1, 2])[2:3], [[5, 9, 2, 5, 9, 2]]),
    "reverse": (lambda x: tf.reverse(x, [1]), [[1, 4, 1, 3], [], [2, 9, 5], [6], []]),
    "mask": (lambda x: tf.ragged.boolean_mask(x, x > 2), [[3, 4], [], [5, 9], [6], []]),
    "sum": (lambda x: tf.reduce_sum(x, axis=1), [9, 0, 16, 6, 0]),
    "sum of columns": (lambda x: tf.reduce_sum(x, axis=0), [14, 10, 6, 1]),
    "sum of all": (lambda x: tf.reduce_sum(x), 31),
    "product": (lambda x: tf.reduce_prod(x, axis=-1), [12, 1, 90, 6, 1]),
    "maximum": (lambda x: tf.reduce_max(x[::2], axis=1)[:2], [4, 9]),
    "any": (lambda x: tf.reduce_any(x > 4, axis=1), [False, False, True, True, False]),
    "all": (lambda x: tf.reduce_all(x > 1, axis=1), [False, True, True, True, True]),
    "padded": (lambda x: x.to_tensor(-1)[:, :2], [[3, 1], [-1, -1], [5, 9], [6, -1], [-1, -1]]),
    "of a shape": (lambda x: x.to_tensor(0, shape=[2, 3]), [[3, 1, 4], [0, 0, 0]]),
    "lengths": (lambda x: x.row_lengths(), [4, 0, 3, 1, 0]),
    "row of each value": (lambda x: x.value_rowids(), [0, 0, 0, 0, 2, 2, 2, 3]),
    "bounds": (lambda x: x.bounding_shape(), [5, 4]),
    "a row": (lambda x: x[2], [5, 9, 2]),
    "an item": (lambda x: x[0, 2], 4),
    "flat": (lambda x: tf.ragged.map_flat_values(lambda v: v * 2 + 1, x)[2:3], [[11, 19, 5]]),
    "sparse": (lambda x: tf.sparse.to_dense(x.to_sparse())[3], [6, 0, 0, 0]),
}


def listed(value):
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


@pytest.mark.parametrize("name", PROGRAMS)
def test_rows_are_what_tensorflow_makes_of_them_eagerly_and_staged(name):
    program, expected = PROGRAMS[name]
    x = tf.ragged.constant(ROWS)
    assert listed(program(x)) == expected
    assert listed(tf.function(program)(x)) == expected


def test_one_trace_of_a_spec_serves_rows_of_all_lengths():
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
    def ends(x):
        return tf.concat([x[:, :1], x[:, -1:]], axis=1), tf.reduce_max(x, axis=1)

    rows, most = ends(tf.ragged.constant([[1, 5, 2], [7]]))
    assert (rows.to_list(), most.numpy().tolist()) == ([[1, 2], [7, 7]], [5, 7])
    assert ends(tf.ragged.constant([[4], [2, 1], [3, 3, 9]]))[1].numpy().tolist() == [4, 2, 9]
    assert ends.trace_count == 1


def test_the_mean_of_no_numbers_is_nan_and_integers_have_one_of_float64():
    found = tf.reduce_mean(tf.ragged.constant([[1, 2], []]), axis=1)
    assert (found.dtype, found[0].numpy(), np.isnan(found[1].numpy())) == (tf.float64, 1.5, True)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda x: x[1], [[5], [], [6]]),
        (lambda x: x[3, 0], [8, 9]),
        (lambda x: x[:, 1:3], [[[4]], [[], [6]], [], [[10]]]),
        (lambda x: x[:, -1:], [[[4]], [[6]], [[7]], [[10]]]),
        (lambda x: x[:, :, :1], [[[1], [4]], [[5], [], [6]], [[7]], [[8], [10]]]),
        (lambda x: tf.reduce_sum(x, axis=2), [[6, 4], [5, 0, 6], [7], [17, 10]]),
        (lambda x: x.merge_dims(0, 1), [[1, 2, 3], [4], [5], [], [6], [7], [8, 9], [10]]),
        (lambda x: x.merge_dims(1, 2), [[1, 2, 3, 4], [5, 6], [7], [8, 9, 10]]),
        (lambda x: x.to_tensor()[0], [[1, 2, 3], [4, 0, 0], [0, 0, 0]]),
        (lambda x: tf.concat([x[:1], x[2:3]], axis=0), [[[1, 2, 3], [4]], [[7]]]),
        (lambda x: tf.concat([x, x], axis=1)[2], [[7], [7]]),
        (lambda x: (x + x)[0], [[2, 4, 6], [8]]),
        (lambda x: x.row_lengths(axis=2), [[3, 1], [1, 0, 1], [1], [2, 1]]),
        (lambda x: tf.map_fn(tf.square, x.values)[0], [1, 4, 9]),
        (lambda x: x.bounding_shape(), [4, 3, 3]),
    ],
)
def test_rows_of_rows(program, expected):
    assert listed(program(tf.ragged.constant(DEEP))) == expected


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda c, v: c.from_row_splits(v, [0, 2, 2, 5]), [[1, 2], [], [3, 4, 5]]),
        (lambda c, v: c.from_row_lengths(v, [2, 0, 3]), [[1, 2], [], [3, 4, 5]]),
        (lambda c, v: c.from_row_starts(v, [0, 2, 2]), [[1, 2], [], [3, 4, 5]]),
        (lambda c, v: c.from_row_limits(v, [2, 2, 5]), [[1, 2], [], [3, 4, 5]]),
        (
            lambda c, v: c.from_value_rowids(v, [0, 0, 2, 2, 2], nrows=4),
            [[1, 2], [], [3, 4, 5], []],
        ),
        (lambda c, v: c.from_nested_row_lengths(v, [[1, 1], [2, 3]]), [[[1, 2]], [[3, 4, 5]]]),
        (lambda c, v: c.from_tensor([[1, 0, 0], [2, 3, 0]], padding=0), [[1], [2, 3]]),
        (lambda c, v: c.from_tensor([[1, 0, 0], [2, 3, 0]], lengths=[0, 2]), [[], [2, 3]]),
        (
            lambda c, v: c.from_tensor([[[1], [2]], [[3], [4]]], ragged_rank=2),
            [[[1], [2]], [[3], [4]]],
        ),
        (
            lambda c, v: c.from_sparse(
                tf.SparseTensor([[0, 0], [2, 0], [2, 1]], [7, 8, 9], [3, 3])
            ),
            [[7], [], [8, 9]],
        ),
        (lambda c, v: tf.ragged.range([2, 0, 3]), [[0, 1], [], [0, 1, 2]]),
        (lambda c, v: tf.ragged.range([1, 5], [4, 6], 2), [[1, 3], [5]]),
        (lambda c, v: tf.ragged.stack([[1, 2], [3]]), [[1, 2], [3]]),
    ],
)
def test_rows_are_made_of_what_tells_their_lengths(make, expected):
    assert make(tf.RaggedTensor, [1, 2, 3, 4, 5]).to_list() == expected


def test_they_print_as_there():
    assert str(tf.ragged.constant([[0.1, 2.0], []])) == "<tf.RaggedTensor [[0.1, 2.0], []]>"
    long = tf.ragged.constant(
        [[["I", "have", "a", "cat"], ["His", "name", "is", "Mat"]], [["Do", "you", "want", "one"]]]
    )
    assert repr(long) == (
        "<tf.RaggedTensor [[[b'I', b'have', b'a', b'cat'], [b'His', b'name', b'is', b'Mat']],\n"
        " [[b'Do', b'you', b'want', b'one']]]>"
    )
    assert repr(long.shape) == "TensorShape([2, None, None])"


def test_texts_are_split_into_rows_and_joined_again():
    @tf.function
    def shouted(texts):
        words = tf.strings.split(texts)
        return words, tf.strings.reduce_join(tf.strings.upper(words), axis=-1, separator="_")

    for call in (shouted, shouted.python_function):
        words, joined = call(tf.constant(["so long", "", "and  thanks"]))
        assert words.to_list() == [[b"so", b"long"], [], [b"and", b"thanks"]]
        assert joined.numpy().tolist() == [b"SO_LONG", b"", b"AND_THANKS"]


def test_datasets_have_their_rows_as_elements_and_batches_of_rows():
    rows = tf.ragged.constant([[1, 2], [], [3, 4, 5]])
    dataset = tf.data.Dataset.from_tensor_slices((rows, [7, 8, 9]))
    assert [(x.numpy().tolist(), int(y)) for x, y in dataset] == [
        ([1, 2], 7),
        ([], 8),
        ([3, 4, 5], 9),
    ]
    batches = list(dataset.ragged_batch(2))
    assert [x.to_list() for x, _ in batches] == [[[1, 2], []], [[3, 4, 5]]]
    assert [y.numpy().tolist() for _, y in batches] == [[7, 8], [9]]
    sums = dataset.map(lambda x, y: tf.reduce_sum(x) * y)
    assert [int(x) for x in sums] == [21, 0, 108]


def test_gradients_go_through_rows():
    table = tf.Variable([[1.0], [2.0], [4.0]])
    rows = tf.ragged.constant([[0, 2], [2]])
    with tf.GradientTape() as tape:
        found = tf.reduce_sum(tf.nn.embedding_lookup(table, rows), axis=1)
        loss = tf.reduce_sum(found * found)
    assert found.numpy().tolist() == [[5.0], [4.0]]
    assert tape.gradient(loss, table).numpy().tolist() == [[10.0], [0.0], [18.0]]


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda x: tf.nn.softmax(x), "softmax takes no RaggedTensor here; x.to_tensor()"),
        (lambda x: tf.matmul(x, x), "matmul takes no RaggedTensor here"),
        (lambda x: x[:, 0], "x\\[:, k\\] of rows of several lengths is not defined"),
        (lambda x: np.asarray(x), "are no array; x.to_tensor\\(\\)"),
        (lambda x: tf.keras.layers.Dense(2)(x), "\\(Dense\\) takes no RaggedTensor here"),
        (lambda x: tf.reduce_sum(x, axis=1, keepdims=True), "has no keepdims"),
        (lambda x: x + tf.ragged.constant([[1], [2], [3], [4], [5]]), "not the same lengths"),
        (lambda x: x + tf.ones([5, 2], tf.int32), "have not all the length 2"),
        (lambda x: x[9], "there is no row 9"),
        (lambda x: tf.RaggedTensor.from_row_splits([1, 2], [0, 3]), "the last of row_splits"),
        (lambda x: tf.RaggedTensor.from_row_splits([1, 2], [0, 2, 1, 2]), "do not fall"),
        (lambda x: tf.ragged.constant(["a", ["b"]]), "must have the same nesting depth"),
        (
            lambda x: tf.data.Dataset.from_tensor_slices(x.to_sparse()),
            "no slices of a SparseTensor",
        ),
    ],
)
def test_what_is_not_defined_is_refused_with_what_to_do(program, message):
    with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError), match=message):
        program(tf.ragged.constant(ROWS))


def test_map_fn_over_rows_is_refused_in_a_staged_function():
    with pytest.raises(tf.errors.InvalidArgumentError, match="call it outside of staged functions"):
        tf.function(lambda x: tf.map_fn(tf.square, x))(tf.ragged.constant(ROWS))


def test_characters_are_numbers_of_a_text_or_rows_of_several():
    decode = tf.strings.unicode_decode
    assert decode("Th \U0001f60a", "UTF-8").numpy().tolist() == [84, 104, 32, 128522]
    assert decode(["ab", "", "c"], "UTF-8").to_list() == [[97, 98], [], [99]]
    staged = tf.function(lambda x: decode(x, "UTF-8"))
    assert staged(tf.constant(["ab", "c"])).to_list() == [[97, 98], [99]]


def test_batches_of_rows_have_their_former_name():
    numbers = tf.data.Dataset.from_tensor_slices([1, 3, 2]).map(tf.range)
    rows = list(numbers.apply(tf.data.experimental.dense_to_ragged_batch(2)))
    assert [x.to_list() for x in rows] == [[[0], [0, 1, 2]], [[0, 1]]]
    assert int(tf.data.experimental.cardinality(tf.data.Dataset.range(4))) == 4
