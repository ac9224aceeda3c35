"""Callbacks: what they write, and when they stop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograph import tf

callbacks = tf.keras.callbacks


class Fake:
    """A model whose epochs tell given numbers."""

    def __init__(self) -> None:
        self.stop_training = False
        self.weights: Any = 0
        self.saved: list[str] = []
        self.optimizer = tf.keras.optimizers.SGD(1.0)

    def get_weights(self) -> Any:
        return self.weights

    def set_weights(self, weights: Any) -> None:
        self.weights = weights

    def save_weights(self, path: str) -> None:
        self.saved.append(Path(path).name)

    save = save_weights


def told(callback: Any, values: list[float], name: str = "val_loss") -> Fake:
    """Return a model after epochs, to whose end a callback has looked."""
    model = Fake()
    callback.set_model(model)
    for moment in ("on_train_begin",):
        getattr(callback, moment, lambda logs: None)({})
    for epoch, value in enumerate(values):
        model.weights = epoch
        callback.on_epoch_end(epoch, {name: value})
        if model.stop_training:
            break
    getattr(callback, "on_train_end", lambda logs: None)({})
    return model


def test_early_stopping_waits_and_restores() -> None:
    stopping = callbacks.EarlyStopping(patience=2, restore_best_weights=True)
    model = told(stopping, [3.0, 1.0, 2.0, 1.5, 0.5])
    assert model.stop_training
    assert (stopping.stopped_epoch, model.weights) == (3, 1)
    assert not told(callbacks.EarlyStopping(patience=2), [3.0, 2.0, 2.5, 1.0]).stop_training
    more = callbacks.EarlyStopping("val_accuracy", patience=1)
    assert told(more, [0.5, 0.6, 0.6], "val_accuracy").stop_training
    with pytest.raises(ValueError, match="looks at 'val_loss', and an epoch tells loss; give fit"):
        told(callbacks.EarlyStopping(), [1.0], "loss")


def test_checkpoints_are_of_the_best_epochs(tmp_path: Path) -> None:
    file = tmp_path / "{epoch:02d}-{val_loss:.1f}.npz"
    best = callbacks.ModelCheckpoint(file, save_best_only=True, save_weights_only=True)
    assert told(best, [3.0, 4.0, 2.0]).saved == ["01-3.0.npz", "03-2.0.npz"]
    whole = callbacks.ModelCheckpoint(tmp_path / "{epoch}.keras")
    assert told(whole, [3.0, 4.0]).saved == ["1.keras", "2.keras"]


def test_epochs_are_lines_of_a_file(tmp_path: Path) -> None:
    told(callbacks.CSVLogger(tmp_path / "log.csv"), [3.0, 1.0])
    assert (tmp_path / "log.csv").read_text().splitlines() == ["epoch,val_loss", "0,3.0", "1,1.0"]


def test_the_rate_is_made_smaller() -> None:
    reduce = callbacks.ReduceLROnPlateau(factor=0.5, patience=2)
    assert float(told(reduce, [1.0, 1.0, 1.0, 1.0]).optimizer.learning_rate.numpy()) == 0.5


def test_all_moments_are_called_in_order() -> None:
    seen: list[str] = []

    def noting(name: str) -> Any:
        return lambda *args: seen.append(name)

    names = ("train_begin", "epoch_begin", "batch_end", "test_end", "epoch_end", "train_end")
    noted = callbacks.LambdaCallback(**{f"on_{name}": noting(name) for name in names})
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", run_eagerly=True)
    schedule = callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2)
    x, y = np.ones((4, 2)), np.ones(4)
    history = model.fit(
        x, y, batch_size=2, verbose=0, validation_data=(x, y), callbacks=[noted, schedule]
    ).history
    middle = ["epoch_begin", "batch_end", "batch_end", "test_end", "epoch_end"]
    assert seen == ["train_begin", *middle, "train_end"]
    assert list(history) == ["loss", "val_loss", "learning_rate"]
    assert history["learning_rate"] == [0.005]
    assert float(model.optimizer.learning_rate.numpy()) == 0.005
    with pytest.raises(TypeError, match="has no moment 'on_epoch'"):
        callbacks.LambdaCallback(on_epoch=print)


def trained(*told: Any, epochs: int = 2) -> Any:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, name="only")])
    model.compile("sgd", "mse")
    model.fit(np.ones((6, 2)), np.ones(6), epochs=epochs, batch_size=2, verbose=0, callbacks=told)
    return model


def test_models_are_written_after_steps(tmp_path: Path) -> None:
    path = str(tmp_path / "w-{epoch:02d}-{loss:.1f}")
    trained(callbacks.ModelCheckpoint(path, save_weights_only=True, save_freq=4), epochs=4)
    assert [x.name[:4] for x in sorted(tmp_path.iterdir())] == ["w-02", "w-03", "w-04"]
    with pytest.raises(ValueError, match="save_freq is 'epoch' or a number of steps"):
        callbacks.ModelCheckpoint(path, save_freq="batch")


def test_histograms_of_weights_are_written(tmp_path: Path) -> None:
    trained(callbacks.TensorBoard(tmp_path, histogram_freq=2, profile_batch=0), epochs=3)
    (file,) = (tmp_path / "train").iterdir()
    assert file.read_bytes().count(b"only/kernel") == 2
    with pytest.raises(ValueError, match="TensorBoard has no 'write_images' here"):
        callbacks.TensorBoard(tmp_path, write_images=True)
    with pytest.raises(ValueError, match="TensorBoard has no 'wrong' here"):
        callbacks.TensorBoard(tmp_path, wrong=0)
