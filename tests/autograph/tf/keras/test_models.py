"""Models: of layers, of symbolic inputs, of classes; their tables and their files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import tf

keras = tf.keras
X = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)


def two_ways() -> Any:
    x = keras.Input((4,), name="x")
    y = keras.layers.Dense(3, "relu", name="first")(x)
    joined = keras.layers.Concatenate(name="joined")([x, y * 2.0 + 1.0])
    return keras.Model(x, [joined, keras.layers.Dense(1, name="last")(joined[:, 1:])])


def test_a_model_of_inputs_and_outputs_is_the_program_between_them() -> None:
    model = two_ways()
    joined, last = model(X)
    first, kernel = model.get_layer("first"), model.get_layer("last").kernel.numpy()
    expected = np.concatenate([X, np.maximum(X @ first.kernel.numpy(), 0) * 2 + 1], axis=1)
    np.testing.assert_allclose(joined.numpy(), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(last.numpy(), expected[:, 1:] @ kernel, rtol=1e-4)
    assert model.output_names == ["joined", "last"]
    assert [v.shape for v in model.trainable_variables] == [(4, 3), (3,), (6, 1), (1,)]


def test_several_outputs_have_losses() -> None:
    model = two_ways()
    model.compile("sgd", {"joined": "mse", "last": "mae"}, loss_weights={"joined": 0.5, "last": 2})
    truth = {"last": np.zeros((6, 1)), "joined": np.zeros((6, 7))}
    joined, last = (x.numpy() for x in model(X))
    found = model.evaluate(X, truth, verbose=0, return_dict=True)
    parts = {"joined_loss": np.mean(joined**2), "last_loss": np.mean(np.abs(last))}
    assert list(found) == ["loss", "joined_loss", "last_loss"]
    np.testing.assert_allclose([found[name] for name in parts], list(parts.values()), rtol=1e-5)
    np.testing.assert_allclose(found["loss"], np.dot(list(parts.values()), [0.5, 2]), rtol=1e-5)
    with pytest.raises(ag.ShapeError, match="inputs 'x' of shape \\(None, 4\\)"):
        model(X[:, :3])


class Own(keras.Model):
    def __init__(self) -> None:
        super().__init__(name="own")
        self.inner = [keras.layers.Dense(2, name="inner")]
        self.seen = keras.metrics.Mean(name="seen")

    def call(self, x, training=False):
        y = self.inner[0](x)
        while tf.reduce_max(tf.abs(y)) > 1.0:
            y = y / 2.0
        return y + 1.0 if training else y

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        self.seen.update_state(loss)
        return {"seen": self.seen.result()}


def test_a_class_of_ones_own_has_loops_and_steps() -> None:
    model = Own()
    model.compile(keras.optimizers.SGD(0.1))
    history = model.fit(X, np.ones((6, 2)), epochs=3, verbose=0).history
    assert history["seen"][2] < history["seen"][0]
    assert [layer.name for layer in model.layers] == ["inner"]
    assert len(model.weights) == 2
    assert np.abs(model.predict(X, verbose=0)).max() <= 1


TABLE = """\
Model: "net"
_________________________________________________________________
 Layer (type)                Output Shape              Param #
=================================================================
 flat (Flatten)              (None, 4)                 0

 out (Dense)                 (None, 3)                 15

=================================================================
Total params: 15
Trainable params: 15
Non-trainable params: 0
_________________________________________________________________
"""


def net(units: int = 3) -> Any:
    layers = [keras.layers.Flatten(input_shape=(2, 2), name="flat")]
    return keras.Sequential([*layers, keras.layers.Dense(units, name="out")], name="net")


def test_the_table_of_layers(capsys: pytest.CaptureFixture[str]) -> None:
    net().summary()
    lines = capsys.readouterr().out.splitlines()
    assert [line.rstrip() for line in lines] == TABLE.splitlines()
    with pytest.raises(ValueError, match="has no shapes yet; call it on a batch"):
        keras.Sequential([keras.layers.Dense(2)]).summary()


def test_weights_are_kept_in_a_file(tmp_path: Path) -> None:
    model, other = net(), net()
    model.save_weights(tmp_path / "net.npz")
    other.load_weights(tmp_path / "net.npz")
    for a, b in zip(model.get_weights(), other.get_weights(), strict=True):
        assert np.array_equal(a, b)
    with pytest.raises(ag.ShapeError):
        net(2).load_weights(tmp_path / "net.npz")
    with pytest.raises(FileExistsError, match="give overwrite=True"):
        model.save_weights(tmp_path / "net.npz", overwrite=False)
    with pytest.raises(ValueError, match="has no variables yet"):
        keras.Sequential([keras.layers.Dense(2)]).save_weights(tmp_path / "none.npz")
    with pytest.raises(ag.ShapeError, match=r"'out/kernel' has the shape \(4, 3\)"):
        model.set_weights([np.zeros((3, 4)), np.zeros(3)])


def test_what_stands_for_a_tensor_says_so() -> None:
    x = keras.Input((4,))
    with pytest.raises(TypeError, match="Lambda"):
        np.sum(x)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(x)
    with pytest.raises(ValueError, match="is none of its inputs"):
        keras.Model(keras.Input((4,)), keras.layers.Lambda(lambda t: t + 1.0)(x))
    with pytest.raises(TypeError, match="needs the shape of a sample"):
        keras.Input()


def test_layers_take_and_give_tensors_of_float32() -> None:
    layer = keras.layers.Dense(2)
    assert isinstance(layer(np.ones((1, 3))), tf.Tensor)
    assert layer(np.ones((1, 3))).dtype == np.float32
    assert isinstance(layer.kernel + 0.0, tf.Tensor)
    assert layer.count_params() == 8

    class Older(keras.layers.Layer):
        def build(self, input_shape):
            self.kernel = self.add_weight("kernel", shape=[int(input_shape[-1]), 2])

        def call(self, inputs):
            return tf.matmul(inputs, self.kernel)

    assert Older()(tf.zeros((10, 5))).shape == (10, 2)


def test_layers_know_what_they_were_called_on() -> None:
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(2)])
    parts = keras.Model(model.inputs, [layer.output for layer in model.layers])
    first, second = parts(X)
    np.testing.assert_allclose(second.numpy(), model(X).numpy())
    np.testing.assert_allclose(first.numpy(), model.layers[0](X).numpy())
    inner = keras.Model(model.input, model.layers[0].output)
    np.testing.assert_allclose(inner(X).numpy(), first.numpy())
    assert inner.output.shape == (None, 3)
    with pytest.raises(AttributeError, match="'alone' has no output: it was called on symbolic"):
        keras.layers.Dense(2, name="alone").output  # noqa: B018
    model.compile("sgd", "mse")
    before = [x.numpy() for x in parts.weights]
    model.fit(X, np.ones((6, 2)), verbose=0)
    assert not np.array_equal(parts.weights[0].numpy(), before[0])


class Older(keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compiled_loss(y, y_pred, regularization_losses=self.losses)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        self.compiled_metrics.update_state(y, y_pred)
        return {m.name: m.result() for m in self.metrics}


@pytest.mark.parametrize("kind", [keras.Model, Older])
def test_steps_of_ones_own_have_what_compile_sets(kind: Any) -> None:
    x = keras.Input((4,))
    y = keras.layers.Dense(2, kernel_initializer="ones", kernel_regularizer="l2")(x)
    model = kind(x, y)
    model.compile("sgd", "mse", metrics=["mae"])
    history = model.fit(X, np.ones((6, 2)), epochs=2, verbose=0, shuffle=False).history
    errors = X.sum(1, keepdims=True) - 1
    np.testing.assert_allclose(history["loss"][0], np.mean(errors**2) + 0.08, rtol=1e-5)
    np.testing.assert_allclose(history["mae"][0], np.mean(np.abs(errors)), rtol=1e-5)
    assert history["loss"][1] < history["loss"][0]


def test_a_model_without_variables_is_not_changed_and_has_a_loss() -> None:
    x = keras.Input((4,))
    model = keras.Model(x, keras.layers.ReLU()(x))
    model.compile("adam", "mse")
    history = model.fit(X, X, verbose=0).history
    np.testing.assert_allclose(history["loss"], [np.mean(np.minimum(X, 0) ** 2)], rtol=1e-5)


def test_embeddings_take_numbers_of_any_kind() -> None:
    layer = keras.layers.Embedding(input_dim=5, output_dim=2)
    numbers = np.array([[1, 2], [3, 4]])
    np.testing.assert_array_equal(layer(numbers.astype(np.float32)).numpy(), layer(numbers).numpy())
    x = keras.Input((None,))
    assert keras.Model(x, layer(x))(numbers).shape == (2, 2, 2)


RECURRENT = {
    "LSTM": lambda: [keras.layers.LSTM(4, return_sequences=True, input_shape=(5, 3))],
    "from both ends": lambda: [
        keras.layers.Bidirectional(keras.layers.GRU(2, return_sequences=True), input_shape=(5, 3))
    ],
    "of a cell": lambda: [
        keras.Input((5, 3)),
        keras.layers.RNN(keras.layers.LSTMCell(4), return_sequences=True),
    ],
    "each step": lambda: [
        keras.Input((5, 3)),
        keras.layers.TimeDistributed(keras.layers.Dense(4)),
    ],
}


@pytest.mark.parametrize("name", RECURRENT)
def test_sequences_of_a_known_length_are_known_before_any_batch(name: str) -> None:
    model = keras.Sequential([*RECURRENT[name](), keras.layers.Flatten(), keras.layers.Dense(2)])
    assert model.layers[0].output.shape == (None, 5, 4)
    x = np.random.default_rng(0).normal(size=(7, 5, 3)).astype(np.float32)
    expected = model(x).numpy()
    np.testing.assert_allclose(model.predict(x, batch_size=4, verbose=0), expected, rtol=1e-5)


def test_sequences_become_sequences() -> None:
    heard, said = keras.Input((None, 3)), keras.Input((None, 2))
    _, h, c = keras.layers.LSTM(4, return_state=True)(heard)
    steps = keras.layers.LSTM(4, return_sequences=True)(said, initial_state=[h, c])
    model = keras.Model([heard, said], keras.layers.Dense(2)(steps))
    model.compile("rmsprop", "mse")
    draw = np.random.default_rng(0)
    x, y = (draw.normal(size=(6, n, k)).astype(np.float32) for n, k in ((7, 3), (5, 2)))
    history = model.fit([x, y], y, epochs=3, verbose=0).history
    assert history["loss"][2] < history["loss"][0]
    assert model([x, y]).shape == (6, 5, 2)


def test_a_model_that_begins_with_an_embedding_has_its_variables_at_once() -> None:
    model = keras.Sequential(
        [keras.layers.Embedding(input_dim=9, output_dim=4, input_length=6), keras.layers.LSTM(2)]
    )
    assert model.count_params() == 9 * 4 + 4 * 2 * (4 + 2 + 1)
    assert model.layers[0].output.shape == (None, 6, 4)
    assert model.input.dtype == np.int32


def test_batches_of_one_size_are_known_to_stateful_layers_of_a_sequence() -> None:
    layers = [keras.layers.GRU(3, stateful=True, return_sequences=True), keras.layers.LSTM(2)]
    model = keras.Sequential([keras.Input(batch_shape=(2, 4, 3)), *layers])
    assert model.output_shape == (2, 2)
    x = np.ones((2, 4, 3), np.float32)
    assert not np.allclose(model(x).numpy(), model(x).numpy())


def test_states_are_handed_to_another_layer() -> None:
    layer = keras.layers.LSTM(3, stateful=True)
    layer(np.ones((2, 5, 4), np.float32))
    other = keras.layers.LSTM(3)
    assert other(np.ones((2, 5, 4), np.float32), initial_state=layer.states).shape == (2, 3)
    assert other.states is None


def test_what_is_frozen_is_frozen_with_all_that_is_in_it():
    inner = keras.Sequential([keras.layers.Dense(3), keras.layers.BatchNormalization()])
    model = keras.Sequential([keras.Input((3,)), inner, keras.layers.Dense(1)])
    model.trainable = False
    assert (inner.trainable, inner.layers[1].trainable, model.trainable_weights) == (
        False,
        False,
        [],
    )
    model.trainable, inner.trainable = True, False
    model.compile("sgd", "mse")
    before = inner.get_weights()
    x = np.random.default_rng(0).random((8, 3)).astype(np.float32)
    model.fit(x, x[:, :1], verbose=0)
    assert all(map(np.array_equal, before, inner.get_weights()))
    assert len(model.trainable_weights) == 2


def test_a_model_of_inputs_and_outputs_begins_with_its_inputs():
    first, other = keras.Input((4,), name="first"), keras.Input((2,), name="other")
    x = keras.layers.Dense(2, name="dense")(first)
    model = keras.Model([first, other], keras.layers.Add(name="sum")([x, other]))
    assert [layer.name for layer in model.layers] == ["first", "dense", "other", "sum"]
    assert model.layers[0].output is first
    assert (model.input_shape, model.output_shape) == ([(None, 4), (None, 2)], (None, 2))


def test_a_last_axis_of_size_1_may_be_missing_in_inputs_or_too_much():
    number, row = keras.Input((1,)), keras.Input((2,))
    model = keras.Model([number, row], keras.layers.Concatenate()([number, row]))
    x, rows = np.arange(3.0), np.ones((3, 2, 1))
    for call in (model, tf.function(lambda given: model(given))):
        found = call([tf.constant(x), tf.constant(rows)])
        np.testing.assert_array_equal(found, np.stack([x, x * 0 + 1, x * 0 + 1], axis=1))
    assert model.predict([x, rows], verbose=0).shape == (3, 3)
    for wrong in ([x[0], rows], [rows, rows], [x, np.ones((3, 2, 2))], [x, x]):
        with pytest.raises(ag.ShapeError, match="takes inputs 'input"):
            model(wrong)


class Twice(keras.layers.Layer):
    def call(self, x, training=True):
        return x * 2 if training else x


def test_a_layer_that_nobody_tells_whether_it_trains_has_its_own_default():
    x = np.ones((1, 2), np.float32)
    model = keras.Sequential([keras.Input((2,)), Twice()])
    assert [Twice()(x).numpy()[0, 0], Twice()(x, training=False).numpy()[0, 0]] == [2, 1]
    assert [model(x).numpy()[0, 0], model.predict(x, verbose=0)[0, 0]] == [2, 1]


def test_random_crops_are_of_a_place_in_training_and_of_the_whole_otherwise():
    x = np.arange(64, dtype=np.float32).reshape(1, 8, 8, 1)
    crop = keras.layers.RandomCrop(3, 4, seed=1)
    corners = {int(crop(x).numpy()[0, 0, 0, 0]) for _ in range(40)}
    assert len(corners) > 5
    assert max(corners) <= 8 * 5 + 4
    part = crop(x).numpy()[0, :, :, 0]
    assert np.array_equal(part - part[0, 0], x[0, :3, :4, 0])
    whole = tf.image.resize(x[:, 1:7], (3, 4))
    assert np.allclose(crop(x, training=False).numpy(), whole.numpy())
    assert keras.layers.RandomCrop(10, 9)(x[0]).shape == (10, 9, 1)


BUILT = [
    (lambda: keras.layers.LSTMCell(3), (None, 2)),
    (lambda: keras.layers.GRU(3), (None, 4, 2)),
    (lambda: keras.layers.BatchNormalization(), (None, 2)),
    (lambda: Gained(3), (None, 2)),
]


class Gained(keras.layers.Dense):
    def build(self, input_shape: Any) -> None:
        self.count = self.add_weight(trainable=False, initializer="zeros", name="count")
        super().build(input_shape)
        self.gain = self.add_weight(shape=(self.units,), initializer="ones", name="gain")

    def call(self, x: Any) -> Any:
        return super().call(x) * self.gain


@pytest.mark.parametrize(("make", "shape"), BUILT)
def test_a_layer_that_one_builds_oneself_keeps_its_variables(make: Any, shape: Any) -> None:
    layer = make()
    layer.build(shape)
    assert layer.built
    given = [np.full(x.shape, k, np.float32) for k, x in enumerate(layer.get_weights(), 1)]
    layer.set_weights(given)
    x = np.ones([2 if n is None else n for n in shape], np.float32)
    layer(x, [np.zeros((2, 3), np.float32)] * 2) if "Cell" in type(layer).__name__ else layer(x)
    for now, before in zip(layer.get_weights(), given, strict=True):
        np.testing.assert_array_equal(now, before)


def test_variables_of_an_object_come_before_those_in_it_and_trained_ones_first() -> None:
    class Outer(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Gained(2)
            self.scale = self.add_weight(name="scale", initializer="ones")

        def call(self, x: Any) -> Any:
            return self.inner(x) * self.scale

    model = Outer()
    model(np.ones((1, 3), np.float32))
    names = [x.name.rpartition("/")[2] for x in model.weights]
    assert names == ["scale", "kernel", "bias", "gain", "count"]
