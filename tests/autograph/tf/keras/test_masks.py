"""Masks: tensors carry them from `Embedding` and `Masking` to what they are for."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

from autograph import tf
from autograph.tf.keras.masks import _MASKS, mask_of

keras = tf.keras
layers = keras.layers
NUMBERS = np.array([[1, 2, 3, 0, 0], [4, 5, 6, 1, 0], [3, 0, 0, 0, 0]])


def padded_and_not(model: Any) -> None:
    """What a model gives for a padded sequence is what it gives for the sequence alone."""
    whole = model(NUMBERS).numpy()
    for numbers, found in zip(NUMBERS, whole, strict=True):
        alone = model(numbers[numbers > 0][None]).numpy()[0]
        np.testing.assert_allclose(found, alone, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(tf.function(model)(NUMBERS).numpy(), whole, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(model.predict(NUMBERS, verbose=0), whole, rtol=1e-5, atol=1e-6)


def functional() -> Any:
    x = keras.Input((None,), dtype="int32")
    y = layers.Embedding(7, 4, mask_zero=True)(x)
    y = layers.Add()([y, layers.MultiHeadAttention(2, 3)(y, y)])
    y = layers.LayerNormalization()(y)
    return keras.Model(x, layers.GlobalAveragePooling1D()(y))


MODELS = {
    "LSTM": lambda: keras.Sequential([layers.Embedding(7, 4, mask_zero=True), layers.LSTM(3)]),
    "through layers that pass it on": lambda: keras.Sequential(
        [
            layers.Embedding(input_dim=7, output_dim=4, mask_zero=True, input_length=5),
            layers.Dense(4, "relu"),
            layers.Dropout(0.5),
            layers.GRU(3, return_sequences=True),
            layers.SimpleRNN(2),
        ]
    ),
    "from both ends": lambda: keras.Sequential(
        [
            layers.Embedding(7, 4, mask_zero=True),
            layers.Bidirectional(layers.LSTM(3, return_sequences=True)),
            layers.Bidirectional(layers.RNN(layers.GRUCell(3))),
        ]
    ),
    "attention and a mean": functional,
}


@pytest.mark.parametrize("name", MODELS)
def test_padding_does_not_change_what_a_model_gives(name: str) -> None:
    padded_and_not(MODELS[name]())


def test_masking_marks_steps_of_one_number() -> None:
    x = tf.constant([[[1.0, 2.0], [9.0, 9.0], [9.0, 3.0]]])
    found = layers.Masking(9.0)(x)
    np.testing.assert_array_equal(found.numpy(), [[[1, 2], [0, 0], [9, 3]]])
    np.testing.assert_array_equal(mask_of(found).numpy(), [[True, False, True]])
    assert found._keras_mask is mask_of(found)
    assert x._keras_mask is None


class Doubled(layers.Layer):
    def compute_mask(self, inputs, mask=None):
        return None if mask is None else tf.repeat(mask, 2, axis=1)

    def call(self, inputs):
        return tf.repeat(inputs, 2, axis=1)


class Counted(layers.Layer):
    def call(self, inputs, mask=None):
        return tf.reduce_sum(tf.cast(mask, "float32"), axis=1)


def test_layers_of_ones_own_are_given_masks_and_make_them() -> None:
    model = keras.Sequential([layers.Embedding(7, 2, mask_zero=True), Doubled(), Counted()])
    np.testing.assert_array_equal(model(NUMBERS).numpy(), [6, 8, 2])
    np.testing.assert_array_equal(tf.function(model)(NUMBERS).numpy(), [6, 8, 2])


def test_a_mask_that_is_lost_is_told() -> None:
    embedded = layers.Embedding(7, 2, mask_zero=True)(NUMBERS)
    with pytest.warns(UserWarning, match="'flat' \\(Flatten\\) has a mask"):
        assert mask_of(layers.Flatten(name="flat")(embedded)) is None


def test_masks_live_as_long_as_their_tensors() -> None:
    before = len(_MASKS)
    embedded = layers.Embedding(7, 2, mask_zero=True)(NUMBERS)
    assert len(_MASKS) == before + 1
    key = id(embedded)
    _MASKS[key + 1] = _MASKS[key]
    del embedded
    assert len(_MASKS) == before + 1
    assert _MASKS.pop(key + 1)[0]() is None
    other = tf.constant(1.0)
    _MASKS[id(other)] = weakref.ref(tf.constant(2.0)), other
    assert mask_of(other) is None
    del _MASKS[id(other)]


def test_merges_join_masks() -> None:
    first = layers.Embedding(7, 2, mask_zero=True)(NUMBERS)
    second = layers.Embedding(7, 2, mask_zero=True)(NUMBERS[::-1])
    other = layers.Embedding(7, 2)(NUMBERS)
    is_there = NUMBERS > 0
    either = is_there | is_there[::-1]
    np.testing.assert_array_equal(mask_of(layers.add([first, second])).numpy(), either)
    assert mask_of(layers.add([first, other])) is None
    joined = layers.Concatenate(axis=1)([first, second])
    np.testing.assert_array_equal(
        mask_of(joined).numpy(), np.concatenate([is_there, is_there[::-1]], 1)
    )
    assert mask_of(layers.Concatenate()([first, other])).numpy().all()


def test_losses_and_metrics_do_not_count_what_is_masked() -> None:
    model = keras.Sequential(
        [layers.Embedding(7, 3, mask_zero=True), layers.LSTM(3, return_sequences=True)]
    )
    model.compile("sgd", "mse", metrics=["mae"])
    truth = np.random.default_rng(0).normal(size=(3, 5, 3)).astype(np.float32)
    found = model.evaluate(NUMBERS, truth, verbose=0, return_dict=True)
    errors = (model(NUMBERS).numpy() - truth)[NUMBERS > 0]
    np.testing.assert_allclose(found["loss"], np.mean(errors**2), rtol=1e-5)
    np.testing.assert_allclose(found["mae"], np.mean(np.abs(errors)), rtol=1e-5)
    weights = np.array([1.0, 2.0, 0.5], np.float32)
    weighted = model.evaluate(NUMBERS, truth, sample_weight=weights, verbose=0)[0]
    of_steps = np.repeat(weights, (NUMBERS > 0).sum(1))
    expected = np.sum(np.mean(errors**2, -1) * of_steps) / len(of_steps)
    np.testing.assert_allclose(weighted, expected, rtol=1e-5)
    before = model.layers[0].embeddings.numpy()
    model.fit(NUMBERS, truth, epochs=1, verbose=0)
    np.testing.assert_array_equal(model.layers[0].embeddings.numpy()[0], before[0])


def test_variables_are_in_the_order_of_the_layers() -> None:
    x = keras.Input((3,))
    first, second = layers.Dense(4, name="first")(x), layers.Dense(4, name="second")(x)
    y = layers.Dense(2, name="last")(
        layers.Subtract()([first, layers.Dense(4, name="deep")(second)])
    )
    model = keras.Model(x, y)
    assert [layer.name for layer in model.layers if isinstance(layer, layers.Dense)] == [
        "second",
        "first",
        "deep",
        "last",
    ]
    names = [v.name.partition("/")[0] for v in model.variables]
    assert names == [n for n in ("second", "first", "deep", "last") for _ in range(2)]


def test_masks_are_there_while_models_are_put_together() -> None:
    x = keras.Input((None,), dtype="int32")
    y = layers.Embedding(7, 2, mask_zero=True)(x)
    assert y._keras_mask.shape == (None, None)
    assert layers.Dense(2)(y)._keras_mask.dtype == bool
    model = keras.Model(x, Counted()(Doubled()(y)))
    np.testing.assert_array_equal(model(NUMBERS).numpy(), [6, 8, 2])
    assert layers.LSTM(2)(y)._keras_mask is None
