"""Layers from words to numbers, and tables: what Keras and TensorFlow give, eagerly and staged."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from autograph import tf

layers = tf.keras.layers
TEXTS = ["the cat sat on the mat!", "the dog; the cat", "a b c d e f g h"]


def adapted(layer, data):
    layer.adapt(data)
    return layer


CASES = {
    "texts": (
        lambda: adapted(layers.TextVectorization(10), TEXTS),
        ["The cat, ok", "mat"],
        [[2, 3, 1], [6, 0, 0]],
    ),
    "a column of texts": (
        lambda: adapted(layers.TextVectorization(10), TEXTS),
        [["the dog"], ["x"]],
        [[2, 1], [1, 0]],
    ),
    "one text": (lambda: adapted(layers.TextVectorization(10), TEXTS), "the cat", [2, 3]),
    "which words": (
        lambda: adapted(
            layers.TextVectorization(output_mode="multi_hot"), ["the cat the", "dog the", "cat a"]
        ),
        ["the the zzz", "cat", ""],
        [[1, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0]],
    ),
    "how often": (
        lambda: adapted(
            layers.TextVectorization(output_mode="count"), ["the cat the", "dog the", "cat a"]
        ),
        ["the the zzz"],
        [[1, 2, 0, 0, 0]],
    ),
    "a length": (
        lambda: layers.TextVectorization(
            standardize=None, output_sequence_length=2, vocabulary=["a", "b"]
        ),
        ["a b a", "b"],
        [[2, 3], [3, 0]],
    ),
    "pairs of words": (
        lambda: adapted(layers.TextVectorization(ngrams=2), ["a b c", "b c"]),
        ["a b c"],
        [[6, 4, 2, 5, 3]],
    ),
    "characters": (
        lambda: adapted(layers.TextVectorization(split="character"), ["abca"]),
        ["cab"],
        [[3, 2, 4]],
    ),
    "words": (
        lambda: adapted(layers.StringLookup(), [["a", "c", "d"], ["d", "z", "b"]]),
        [["a", "c", "d"], ["d", "q", "b"]],
        [[5, 3, 1], [1, 0, 4]],
    ),
    "a mask": (
        lambda: layers.StringLookup(vocabulary=["a", "b"], mask_token=""),
        ["", "b", "x"],
        [0, 3, 1],
    ),
    "words again": (
        lambda: layers.StringLookup(vocabulary=["a", "b"], invert=True),
        [2, 1, 0, 9],
        [b"b", b"a", b"[UNK]", b"[UNK]"],
    ),
    "rows of one": (
        lambda: layers.StringLookup(vocabulary=["a", "b"], output_mode="one_hot"),
        [["a"], ["z"]],
        [[0, 1, 0], [1, 0, 0]],
    ),
    "one sample": (
        lambda: layers.StringLookup(vocabulary=["a", "b"], output_mode="multi_hot"),
        ["a", "b"],
        [0, 1, 1],
    ),
    "numbers": (
        lambda: adapted(layers.IntegerLookup(3), np.array([5, 5, 7, 9, 9, 9])),
        [5, 9, 7],
        [2, 1, 0],
    ),
    "classes": (lambda: layers.CategoryEncoding(4), [[0, 1], [0, 0]], [[1, 1, 0, 0], [1, 0, 0, 0]]),
    "intervals": (
        lambda: layers.Discretization([0.0, 1.0, 2.0]),
        [[-1.5, 1.0, 3.4, 0.5], [0.0, 3.0, 1.3, 0.0]],
        [[0, 2, 3, 1], [1, 3, 2, 1]],
    ),
    "equal parts": (
        lambda: adapted(layers.Discretization(num_bins=4), np.arange(1.0, 9.0)),
        [1.0, 3.5, 5.0, 8.0],
        [0, 1, 2, 3],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_layers_number_words_as_keras_does_eagerly_and_staged(name):
    make, given, expected = CASES[name]
    layer, x = make(), tf.constant(given)
    assert layer(x).numpy().tolist() == expected
    assert tf.function(lambda x: layer(x))(x).numpy().tolist() == expected
    again = type(layer).from_config(layer.get_config())
    assert again(x).numpy().tolist() == expected


def test_vocabularies_are_ordered_by_frequency_then_backwards():
    layer = adapted(layers.TextVectorization(10), TEXTS)
    assert layer.get_vocabulary() == [
        "",
        "[UNK]",
        *["the", "cat", "sat", "on", "mat", "h", "g", "f"],
    ]
    assert layer.vocabulary_size() == 10
    assert layer.get_vocabulary(include_special_tokens=False)[0] == "the"


def test_weights_of_words_are_those_of_keras():
    texts = ["the cat the", "dog the", "cat a"]
    layer = adapted(layers.TextVectorization(output_mode="tf_idf"), texts)
    found = layer(["the the zzz", "cat"]).numpy() * 1000
    assert np.round(found).tolist() == [[805, 1386, 0, 0, 0], [0, 0, 693, 0, 0]]


def test_datasets_are_adapted_to_and_mapped():
    texts = tf.data.Dataset.from_tensor_slices(["one two", "two three"]).batch(1)
    layer = adapted(layers.TextVectorization(), texts)
    assert [x.numpy().tolist() for x in texts.map(layer)] == [[[4, 2]], [[2, 3]]]


def test_models_of_texts_are_trained_saved_and_read(tmp_path, caplog):
    words = adapted(layers.TextVectorization(), ["good film", "bad film", "good", "bad"])
    model = tf.keras.Sequential(
        [
            tf.keras.Input(shape=(1,), dtype=tf.string),
            words,
            layers.Embedding(words.vocabulary_size(), 4),
            layers.GlobalAveragePooling1D(),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(tf.keras.optimizers.Adam(0.05), "binary_crossentropy", metrics=["accuracy"])
    x, y = np.array([["good"], ["bad film"], ["good film"], ["bad"]]), np.array([1, 0, 1, 0])
    model.fit(x, y, epochs=60, verbose=0)
    assert model.evaluate(x, y, verbose=0)[1] == 1.0
    with caplog.at_level(logging.WARNING):
        model.save(tmp_path / "texts.keras")
        again = tf.keras.models.load_model(tmp_path / "texts.keras")
    np.testing.assert_array_equal(again.predict(x, verbose=0), model.predict(x, verbose=0))
    assert not caplog.records


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (
            lambda: layers.StringLookup(vocabulary=["a"], num_oov_indices=0)(["q"]),
            "not in its vocabulary",
        ),
        (lambda: layers.StringLookup(vocabulary=["a", "a"]), "occurs twice"),
        (lambda: layers.StringLookup(max_tokens=2, vocabulary=["a", "b"]), "has room for 1 words"),
        (lambda: layers.StringLookup(output_mode="some"), "output_mode of"),
        (lambda: layers.TextVectorization(split="lines"), "split is a function, None or one of"),
        (
            lambda: layers.TextVectorization(vocabulary=["a"])([["a", "b"]]),
            "one text for each sample",
        ),
        (lambda: layers.CategoryEncoding(2)([[2]]), "takes numbers from 0 to 1"),
        (lambda: layers.Discretization(), "bin_boundaries, or num_bins"),
        (lambda: layers.Discretization(num_bins=3)([1.0]), "call adapt on data before"),
    ],
)
def test_what_is_wrong_is_said(program, message):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=message):
        program()


def test_tables_look_keys_up_eagerly_and_staged(tmp_path):
    pairs = tf.lookup.KeyValueTensorInitializer(["lake", "palmer", "emerson"], [2, 3, 7])
    table = tf.lookup.StaticHashTable(pairs, default_value=-1)
    assert table.lookup(["lake", "x"]).numpy().tolist() == [2, -1]
    assert tf.function(lambda x: table[x])(tf.constant([["palmer"], [""]])).numpy().tolist() == [
        [3],
        [-1],
    ]
    assert table.lookup(tf.ragged.constant([["lake"], [], ["a"]])).to_list() == [[2], [], [-1]]
    assert int(table.size()) == 3
    (tmp_path / "words.txt").write_text("ten\nfive\n")
    index = tf.lookup.TextFileIndex
    words = tf.lookup.TextFileInitializer(
        str(tmp_path / "words.txt"), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
    )
    numbered = tf.lookup.StaticVocabularyTable(words, num_oov_buckets=1)
    assert numbered.lookup(["five", "zero", "ten"]).numpy().tolist() == [1, 2, 0]
    assert int(numbered.size()) == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="'a' occurs twice"):
        tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "a"], [1, 2]), 0)


def test_pictures_are_brought_to_a_size():
    x = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    np.testing.assert_allclose(layers.Resizing(2, 2)(x)[0, :, :, 0], [[2.5, 4.5], [10.5, 12.5]])
    np.testing.assert_array_equal(layers.CenterCrop(2, 2)(x)[0, :, :, 0], [[5, 6], [9, 10]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        layers.CenterCrop(5, 2)(x)


def test_augmentation_is_part_of_a_model_that_trains():
    model = tf.keras.Sequential(
        [
            layers.RandomFlip("horizontal", input_shape=(4, 4, 1)),
            layers.RandomRotation(0.1),
            layers.RandomZoom(0.1),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )
    model.compile("sgd", "mse")
    x = np.random.default_rng(0).random((8, 4, 4, 1)).astype(np.float32)
    model.fit(x, np.ones(8), epochs=2, verbose=0)
    np.testing.assert_array_equal(model.predict(x, verbose=0), model.predict(x, verbose=0))
    assert model.layers[0].get_config()["mode"] == "horizontal"
