"""`fit`, `evaluate` and `predict`: Keras' numbers, and one trace for each shape."""

from __future__ import annotations

import os
import re
import signal
from typing import Any

import numpy as np
import pytest

from autograph import tf

keras = tf.keras


@pytest.fixture(autouse=True)
def _seeded() -> None:
    tf.random.set_seed(3)


def regression(rows: int = 10) -> tuple[Any, Any]:
    x = np.random.default_rng(0).normal(size=(rows, 3)).astype(np.float32)
    return x, x @ np.array([[1.0], [-2.0], [0.5]], np.float32)


def linear(**options: Any) -> Any:
    model = keras.Sequential([keras.layers.Dense(1, kernel_initializer="zeros")])
    model.compile(keras.optimizers.SGD(0.1), "mse", **options)
    return model


def descended(x: Any, y: Any, size: int, epochs: int, weight: Any) -> tuple[Any, list[float]]:
    """Return the kernel, and the mean loss of each epoch, by Keras' formulas in NumPy."""
    kernel, bias = np.zeros((3, 1)), np.zeros(1)
    means = []
    for _ in range(epochs):
        total = 0.0
        for start in range(0, len(x), size):
            a, b, w = (part[start : start + size] for part in (x, y, weight))
            error = a @ kernel + bias - b
            total += float(np.mean(w * np.mean(error**2, axis=1)) * len(a))
            slope = 2 * w[:, None] * error / len(a)
            kernel, bias = kernel - 0.1 * a.T @ slope, bias - 0.1 * slope.sum(0)
        means.append(total / len(x))
    return kernel, means


@pytest.mark.parametrize("weighted", [False, True])
def test_fit_gives_keras_numbers(weighted: bool) -> None:
    x, y = regression()
    weight = np.linspace(0.5, 2.0, 10) if weighted else np.ones(10)
    model = linear()
    given = {"sample_weight": weight} if weighted else {}
    history = model.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0, **given)
    kernel, means = descended(x.astype(float), y.astype(float), 4, 2, weight)
    np.testing.assert_allclose(model.layers[0].kernel.numpy(), kernel, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(history.history["loss"], means, rtol=1e-4)
    assert history.epoch == [0, 1]


def test_a_step_is_traced_once_for_each_shape(capsys: pytest.CaptureFixture[str]) -> None:
    class Told(keras.layers.Layer):
        def call(self, x):
            print("traced", x.shape[0])
            return x

    model = keras.Sequential([Told(), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(*regression(), batch_size=8, epochs=3, verbose=0)
    assert capsys.readouterr().out == "traced 8\ntraced 2\n"
    model.run_eagerly = True
    model.fit(*regression(), batch_size=8, verbose=0)
    assert capsys.readouterr().out == "traced 8\ntraced 2\n"


def test_it_prints_what_keras_prints(capsys: pytest.CaptureFixture[str]) -> None:
    x, y = regression()
    model = linear(metrics=["mae"])
    model.fit(x, y, epochs=2, validation_split=0.2)
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("Epoch")] == ["Epoch 1/2", "Epoch 2/2"]
    assert re.match(r"1/1 \[={30}\] - \d+s ", lines[1])
    words = [part.split(":")[0] for part in lines[3].split(" - ")[2:]]
    assert words == ["loss", "mae", "val_loss", "val_mae"]
    model.evaluate(x, y, verbose=2)
    assert re.match(r"1/1 - \d+s - loss: ", capsys.readouterr().out)


def test_evaluate_and_predict() -> None:
    x, y = regression()
    model = linear(metrics=["mae", keras.metrics.RootMeanSquaredError(name="root")])
    model.build((None, 3))
    found = model.evaluate(x, y, batch_size=4, verbose=0, return_dict=True)
    expected = {"loss": np.mean(y**2), "mae": np.mean(np.abs(y)), "root": np.sqrt(np.mean(y**2))}
    assert list(found) == list(expected)
    np.testing.assert_allclose(list(found.values()), list(expected.values()), rtol=1e-5)
    assert model.predict(x, batch_size=4, verbose=0).shape == (10, 1)
    assert isinstance(linear().train_on_batch(x, y), float)


def test_classes_have_weights() -> None:
    x, labels = regression()[0], np.arange(10) % 2
    model = keras.Sequential([keras.layers.Dense(2, kernel_initializer="zeros")])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.SGD(0.0), loss, metrics=["accuracy"])
    history = model.fit(x, labels, class_weight={0: 1.0, 1: 3.0}, verbose=0).history
    np.testing.assert_allclose(history["loss"], [2 * np.log(2)], rtol=1e-5)
    assert history["accuracy"] == [0.5]


class Numbered(keras.utils.PyDataset):
    """Batches by their numbers, which ends of epochs write down."""

    def __init__(self, x, y, **options):
        super().__init__(**options)
        self.x, self.y, self.ends = x, y, 0

    def __len__(self):
        return 2

    def __getitem__(self, k):
        return self.x[k * 5 : k * 5 + 5], self.y[k * 5 : k * 5 + 5]

    def on_epoch_end(self):
        self.ends += 1


def test_datasets_and_generators_are_batches() -> None:
    x, y = regression()
    of_arrays, of_dataset, of_generator, of_numbers = linear(), linear(), linear(), linear()
    of_arrays.fit(x, y, batch_size=5, epochs=2, shuffle=False, verbose=0)
    of_dataset.fit(
        tf.data.Dataset.from_tensor_slices((x, y)).batch(5), epochs=2, verbose=0, validation_steps=1
    )

    def batches():
        while True:
            yield x[:5], y[:5]
            yield x[5:], y[5:]

    of_generator.fit(batches(), epochs=2, steps_per_epoch=2, verbose=0)
    numbered = Numbered(x, y, workers=2)
    of_numbers.fit(numbered, batch_size=64, epochs=2, verbose=0)  # they have their sizes
    assert numbered.ends == 2
    for other in (of_dataset, of_generator, of_numbers):
        assert np.array_equal(other.get_weights()[0], of_arrays.get_weights()[0])


def test_ctrl_c_stops_after_a_whole_step() -> None:
    x, y = regression()
    model, whole = linear(run_eagerly=True), linear()
    whole.fit(x[:4], y[:4], batch_size=4, verbose=0)

    def interrupted(y_true, y_pred):
        os.kill(os.getpid(), signal.SIGINT)
        return tf.reduce_mean((y_true - y_pred) ** 2, axis=-1)

    model.compile(keras.optimizers.SGD(0.1), interrupted, run_eagerly=True)
    with pytest.raises(KeyboardInterrupt):
        model.fit(x, y, batch_size=4, shuffle=False, verbose=0)
    np.testing.assert_allclose(model.get_weights()[0], whole.get_weights()[0], rtol=1e-5)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


class Watching(keras.callbacks.Callback):
    def __init__(self) -> None:
        self.seen: list[int] = []

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.seen.append(batch)


def test_steps_that_nobody_watches_are_one_loop_with_the_same_numbers() -> None:
    found, watching = [], Watching()
    for callbacks in ([], [watching]):
        tf.random.set_seed(3)
        layers = [keras.layers.Dropout(0.2), keras.layers.Dense(1, kernel_initializer="ones")]
        model = keras.Sequential(layers)
        model.compile("sgd", "mse")
        history = model.fit(*regression(11), 4, 3, verbose=0, callbacks=callbacks)
        found.append([history.history["loss"], *model.get_weights()])
    assert watching.seen == [0, 1, 2] * 3
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_an_epoch_is_traced_once_for_each_shape(capsys: pytest.CaptureFixture[str]) -> None:
    class Told(keras.Model):
        def train_step(self, data):
            print("traced", data[0].shape[0])
            return super().train_step(data) | {"twice": 2 * self.compiled_loss_so_far()}

        def compiled_loss_so_far(self):
            return self.metrics[0].result()

    inputs = keras.Input((3,))
    model = Told(inputs, keras.layers.Dense(1)(inputs))
    model.compile("sgd", "mse")
    for _ in range(2):
        found = model.fit(*regression(), batch_size=4, epochs=2, verbose=0).history
    assert capsys.readouterr().out == "traced 4\ntraced 2\n"
    np.testing.assert_allclose(found["twice"], 2 * np.array(found["loss"]), rtol=1e-6)


def test_ctrl_c_stops_a_loop_of_steps_after_a_whole_one() -> None:
    x, y = regression(100)

    class Pressing(keras.Sequential):
        def train_step(self, data):
            tf.py_function(lambda: os.kill(os.getpid(), signal.SIGINT), [], [])
            return super().train_step(data)

    model, whole = Pressing(linear().layers), linear()
    model.compile(keras.optimizers.SGD(0.1), "mse")
    with pytest.raises(KeyboardInterrupt):
        model.fit(x, y, batch_size=4, shuffle=False, verbose=0)
    steps = int(model.optimizer.iterations.numpy())
    assert 0 < steps < 25
    whole.fit(x[: 4 * steps], y[: 4 * steps], batch_size=4, shuffle=False, verbose=0)
    np.testing.assert_allclose(model.get_weights()[0], whole.get_weights()[0], rtol=1e-5)


REFUSED = [
    (lambda m: keras.Sequential().fit([1.0]), RuntimeError, "is not compiled, as fit needs it"),
    (lambda m: m.fit(np.ones((3, 3)), np.ones(2), verbose=0), ValueError, "samples, and have 3, 2"),
    (lambda m: m.fit(np.ones((3, 3)), verbose=0), ValueError, "is trained by y"),
    (lambda m: m.fit(np.ones((3, 3)), np.ones(3), epoch=2), TypeError, "no argument 'epoch'"),
    (lambda m: m.compile("adamm"), ValueError, "no optimizer 'adamm'; did you mean 'adam'"),
    (lambda m: m.compile(loss="msee"), ValueError, "no loss 'msee'; did you mean 'mse'"),
    (lambda m: m.compile(metrics=["acuracy"]), ValueError, "no metric 'acuracy'"),
    (lambda m: m.fit(iter([]), y=[1]), ValueError, "y is not given beside a dataset"),
    (lambda m: m.fit(iter([]), verbose=0), ValueError, "the data have no batch"),
]


@pytest.mark.parametrize(("act", "error", "message"), REFUSED)
def test_what_is_wrong_is_told(act: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        act(linear())


def test_an_optimizer_that_is_none_is_refused_with_those_there_are():
    model = keras.Sequential([keras.layers.Dense(1)])
    with pytest.raises(ValueError, match=r"did you mean 'adam'\? There are SGD, .*RMSprop$"):
        model.compile("adamm", "mse")
    with pytest.raises(ValueError, match="there is no optimizer 'clip_by_norm'"):
        model.compile("clip_by_norm", "mse")


def test_metrics_of_one_name_have_labels_of_their_own() -> None:
    kinds = keras.metrics
    model = linear()
    model.compile(
        "sgd",
        "mse",
        metrics=["mae", kinds.MeanSquaredError(name="a"), kinds.MeanAbsoluteError(name="a")],
        weighted_metrics=[
            "mae",
            kinds.MeanSquaredError(name="b"),
            kinds.MeanSquaredError(name="a"),
        ],
    )
    told = model.evaluate(
        np.ones((2, 3)), [1.0, 3.0], sample_weight=[1.0, 9.0], return_dict=True, verbose=0
    )
    assert [*told] == ["loss", "mae", "a", "a_1", "weighted_mae", "b", "weighted_a"]
    assert told["mae"] == pytest.approx(told["a_1"]) != told["weighted_mae"]
