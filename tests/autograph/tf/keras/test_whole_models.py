"""What is done with whole models: they are drawn, told as data, exported, backed up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograph import tf
from autograph.tf.keras.drawing import model_to_dot

keras = tf.keras
layers = keras.layers
X = np.arange(24.0, dtype=np.float32).reshape(6, 4) / 10


def two_ended() -> Any:
    """Return a model with two inputs, one layer used twice, and an operator."""
    a, b = keras.Input((4,), name="a"), keras.Input((4,), name="b")
    shared = layers.Dense(3, name="shared", activation="relu")
    x, y = shared(a), shared(b)
    joined = layers.Concatenate(name="joined")([x * 2.0 + y, y])
    return keras.Model([a, b], layers.Dense(1, name="end")(joined), name="two")


class Scaled(layers.Layer):  # type: ignore[misc]
    """A layer without variables."""

    def __init__(self, by: float, **options: Any) -> None:
        super().__init__(**options)
        self.by = by

    def call(self, x: Any) -> Any:
        return x * self.by

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "by": self.by}


def test_a_drawing_has_the_layers_and_what_goes_between_them() -> None:
    text = model_to_dot(two_ended(), show_shapes=True, rankdir="LR")
    assert '"shared" [label="Dense\\n(None, 3)"]' in text
    edges = {tuple(line.split('"')[1::2]) for line in text.splitlines() if "->" in line}
    assert edges == {("a", "shared"), ("b", "shared"), ("shared", "joined"), ("joined", "end")}


def test_a_drawing_of_a_sequential_model_is_a_row() -> None:
    model = keras.Sequential([layers.Dense(2, name="p"), layers.Dense(3, name="q")])
    assert '"p" -> "q"' in model_to_dot(model)


def test_a_drawing_is_written_as_text_without_another_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    keras.utils.plot_model(two_ended(), tmp_path / "m.dot")
    assert (tmp_path / "m.dot").read_text() == model_to_dot(two_ended())
    with pytest.raises(ImportError, match="whose program dot is not installed; give to_file"):
        keras.utils.plot_model(two_ended(), tmp_path / "m.png")


@pytest.mark.parametrize(
    "made",
    [
        layers.Dense(3, activation="relu", kernel_regularizer=keras.regularizers.L2(0.1)),
        keras.losses.Huber(0.5),
        keras.optimizers.Adam(0.01),
        keras.initializers.GlorotUniform(seed=3),
        keras.metrics.MeanSquaredError(name="e"),
    ],
    ids=lambda x: type(x).__name__,
)
def test_objects_are_told_as_data_and_made_again(made: Any) -> None:
    data = keras.saving.serialize_keras_object(made)
    assert data["class_name"] == type(made).__name__
    again = keras.saving.deserialize_keras_object(data)
    assert type(again) is type(made)
    assert keras.saving.serialize_keras_object(again) == data
    assert layers.serialize(layers.deserialize(data)) == data


def test_models_and_objects_of_ones_own_are_told_as_data() -> None:
    model = two_ended()
    model([X, X])
    again = keras.utils.deserialize_keras_object(keras.utils.serialize_keras_object(model))
    assert [x.shape for x in again.weights] == [x.shape for x in model.weights]
    data = keras.saving.serialize_keras_object(Scaled(2.0))
    assert (data["module"], data["registered_name"]) == (None, "Scaled")
    assert keras.saving.deserialize_keras_object(data, {"Scaled": Scaled}).by == 2.0
    with pytest.raises(ValueError, match="the file has 'Scaled', which is not known here"):
        keras.saving.deserialize_keras_object(data)
    assert keras.saving.serialize_keras_object([1, "a"]) == [1, "a"]


def test_a_model_without_variables_is_saved(tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((4,)), Scaled(3.0)])
    model.save(tmp_path / "m.keras")
    again = keras.models.load_model(tmp_path / "m.keras", {"Scaled": Scaled})
    assert np.array_equal(again(X), model(X))


def test_what_is_exported_serves_batches_of_any_size(tmp_path: Path) -> None:
    own = keras.Sequential([layers.Dense(1)])
    with pytest.raises(ValueError, match="was not called yet"):
        own.export(tmp_path / "e")
    model = two_ended()
    wanted = model([X, X * 2])
    model.export(tmp_path / "e", verbose=False)
    served = tf.saved_model.load(tmp_path / "e")
    assert np.allclose(served.serve([tf.constant(X), tf.constant(X * 2)]), wanted)
    assert np.allclose(served.serve([tf.constant(X[:2]), tf.constant(X[:2] * 2)]), wanted[:2])
    assert {*served.signatures} == {"serve", "serving_default"}
    with pytest.raises(TypeError, match="export has no argument format='onnx' here"):
        model.export(tmp_path / "e", format="onnx")


class Stops(keras.callbacks.Callback):  # type: ignore[misc]
    """Fails in an epoch."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if epoch == 2:
            raise InterruptedError


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_an_interrupted_training_goes_on_where_it_was_left(optimizer: str, tmp_path: Path) -> None:
    def trained(*phases: Any) -> Any:
        keras.utils.set_random_seed(1)
        model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
        model.compile(optimizer, "mse")
        for others in phases:
            backup = keras.callbacks.BackupAndRestore(tmp_path / str(len(phases)))
            options = {"epochs": 5, "shuffle": False, "verbose": 0}
            try:
                done = model.fit(X, X[:, :1], **options, callbacks=[backup, *others])
            except InterruptedError:  # another process begins with other weights
                model.set_weights([x * 0 + 7 for x in model.get_weights()])
        return model.get_weights(), done.epoch

    weights, epochs = trained([Stops()], [])
    wanted, _ = trained([])
    assert epochs == [2, 3, 4]
    assert all(np.array_equal(x, y) for x, y in zip(weights, wanted, strict=True))
    assert not any(x.is_file() for x in tmp_path.rglob("*"))


def test_models_take_sparse_tensors_for_dense_ones() -> None:
    dense = np.where(X > 1, X, 0)
    sparse = tf.sparse.from_dense(dense)
    a = keras.Input((4,), sparse=True)
    model = keras.Model(a, layers.Dense(2)(a))
    assert np.array_equal(model(sparse), model(dense))
    assert np.array_equal(layers.ReLU()(sparse), dense)
    model.compile("sgd", "mse")
    assert np.array_equal(model.predict(sparse, verbose=0), model.predict(dense, verbose=0))
    model.fit(sparse, dense[:, :2], verbose=0)
    two = two_ended()
    assert np.array_equal(two([sparse, X]), two([dense, X]))


def test_layers_of_ones_own_are_given_sparse_tensors_as_they_are() -> None:
    class Counts(layers.Layer):  # type: ignore[misc]
        def call(self, x: Any) -> Any:
            return tf.sparse.reduce_sum(x)

    assert float(Counts()(tf.sparse.from_dense(X))) == pytest.approx(float(X.sum()))


def test_matrices_of_scipy_are_samples() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    model = keras.Sequential([keras.Input((4,)), layers.Dense(2)])
    found = model.predict(sparse.csr_matrix(X), verbose=0)
    assert np.array_equal(found, model.predict(X, verbose=0))


def test_the_rate_of_a_schedule_is_that_of_now() -> None:
    rate = keras.optimizers.schedules.ExponentialDecay(0.1, decay_steps=1, decay_rate=0.5)
    optimizer, v = keras.optimizers.SGD(rate), tf.Variable(1.0)
    assert float(optimizer.learning_rate.numpy()) == pytest.approx(0.1)
    optimizer.apply([tf.constant(1.0)], [v])
    optimizer.apply([tf.constant(1.0)], [v])
    assert float(optimizer.learning_rate) == pytest.approx(0.025)
    assert float(v.numpy()) == pytest.approx(1 - 0.1 - 0.05)
    again = keras.optimizers.deserialize(keras.optimizers.serialize(optimizer))
    assert float(again.learning_rate) == pytest.approx(0.1)


def test_other_names_of_layers_and_initializers() -> None:
    assert layers.MaxPool2D is layers.MaxPooling2D
    assert layers.GlobalAvgPool1D is layers.GlobalAveragePooling1D
    assert layers.Convolution3D is layers.Conv3D
    assert keras.initializers.glorot_uniform is keras.initializers.GlorotUniform
    assert np.array_equal(
        layers.Dense(2, kernel_initializer=keras.initializers.ones())(X[:1]),
        np.full((1, 2), X[0].sum()),
    )


@pytest.mark.parametrize("options", [{}, {"sampling_rate": 2}, {"sequence_stride": 3}])
@pytest.mark.parametrize("part", [(None, None), (2, 11)])
def test_windows_of_a_series_are_those_that_a_loop_takes(options: Any, part: Any) -> None:
    series, targets = np.arange(24.0).reshape(12, 2), np.arange(12.0) * 10
    first, last = part[0] or 0, 12 if part[1] is None else part[1]
    found = keras.utils.timeseries_dataset_from_array(
        series, targets, 3, batch_size=2, start_index=part[0], end_index=part[1], **options
    )
    step, stride = options.get("sampling_rate", 1), options.get("sequence_stride", 1)
    wanted = [k for k in range(first, last, stride) if k + 2 * step < last]
    x, y = (np.concatenate([np.asarray(a) for a in each]) for each in zip(*found, strict=True))
    assert np.array_equal(x, [series[k : k + 2 * step + 1 : step] for k in wanted])
    assert np.array_equal(y, targets[wanted])


def test_windows_of_a_series_come_in_any_order_and_without_targets() -> None:
    found = keras.utils.timeseries_dataset_from_array(
        np.arange(9.0), None, 2, batch_size=None, shuffle=True, seed=1
    )
    rows = [x.numpy().tolist() for x in found]
    assert rows != sorted(rows)
    assert sorted(rows) == [[k, k + 1.0] for k in range(8)]


def test_data_of_steps_are_packed_and_unpacked() -> None:
    pack, unpack = keras.utils.pack_x_y_sample_weight, keras.utils.unpack_x_y_sample_weight
    for given in ((1, None, None), (1, 2, None), (1, 2, 3), ([1, 2], None, None)):
        assert unpack(pack(*given)) == given
    with pytest.raises(ValueError, match="and not 4"):
        unpack((1, 2, 3, 4))


def test_an_empty_list_of_a_generator_has_the_dtype_that_is_declared() -> None:
    signature = (tf.TensorSpec((), tf.int32), tf.TensorSpec((None,), tf.int32))
    rows = tf.data.Dataset.from_generator(
        lambda: ((k, [1] * k) for k in range(3)), output_signature=signature
    )
    (_, padded), *_ = rows.padded_batch(3)
    assert padded.numpy().tolist() == [[0, 0], [1, 0], [1, 1]]


class Warm(keras.optimizers.schedules.LearningRateSchedule):  # type: ignore[misc]
    """The rate of the transformer's tutorial."""

    def __init__(self, size: int, steps: int = 4) -> None:
        self.size, self.steps = size, steps

    def __call__(self, step: Any) -> Any:
        step = tf.cast(step, tf.float32) + 1
        rising = step * (self.steps**-1.5)
        return tf.math.rsqrt(tf.cast(self.size, tf.float32)) * tf.minimum(
            tf.math.rsqrt(step), rising
        )


def test_a_schedule_of_ones_own_is_asked_at_each_step() -> None:
    model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
    model.compile(keras.optimizers.SGD(Warm(16)), "mse")
    assert float(model.optimizer.learning_rate) == pytest.approx(0.25 / 8)
    model.fit(X, X[:, :1], batch_size=2, epochs=3, verbose=0)
    assert float(model.optimizer.learning_rate) == pytest.approx(0.25 / 10**0.5)
    v = tf.Variable(0.0)
    optimizer = keras.optimizers.SGD(Warm(16))
    for _ in range(3):
        optimizer.apply([tf.constant(1.0)], [v])
    assert float(v.numpy()) == pytest.approx(-0.25 * (1 + 2 + 3) / 8)
    with pytest.raises(NotImplementedError, match="needs a method __call__"):
        keras.optimizers.schedules.LearningRateSchedule()(1)
