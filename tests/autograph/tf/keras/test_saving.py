"""Models as files: data alone, from which the same model is made and trained on."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograph import tf

keras = tf.keras
X = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)
Y = np.arange(8) % 2


class Doubled(keras.layers.Layer):
    def __init__(self, units: int, **options: Any) -> None:
        super().__init__(**options)
        self.inner = keras.layers.Dense(units)

    def call(self, x):
        return self.inner(x) * 2


class Two(keras.Model):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = keras.layers.Dense(width, "relu"), Doubled(2)

    def call(self, x):
        return self.second(self.first(x))


def halved(x):
    return x / 2


def in_a_row() -> Any:
    rules = {"kernel_regularizer": keras.regularizers.L2(0.1), "kernel_constraint": "max_norm"}
    last = keras.layers.Dense(2, kernel_initializer=keras.initializers.HeNormal(seed=3))
    layers = [keras.layers.Dense(4, "relu", **rules), keras.layers.Lambda(halved), last]
    return keras.Sequential(layers, name="row")


def of_calls() -> Any:
    x = keras.Input((3,), name="x")
    shared = keras.layers.Dense(4, "tanh")
    h = shared(x)
    both = keras.layers.Concatenate()([h, shared(x * 2)[:, :2], -h])
    return keras.Model(x, keras.layers.Dense(2)(both))


KNOWN = {"Doubled": Doubled, "Two": Two, "halved": halved}


@pytest.mark.parametrize("make", [in_a_row, of_calls, lambda: Two(5)])
def test_a_model_is_read_and_trained_on(make: Any, tmp_path: Path) -> None:
    model, path = make(), tmp_path / "net.keras"
    rate = keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.SGD(rate, momentum=0.9), loss, metrics=["accuracy"])
    model.fit(X, Y, 8, verbose=0)
    model.save(path)
    read = keras.models.load_model(path, custom_objects=KNOWN)
    assert type(read) is type(model)
    kinds = [type(x).__name__ for x in model.submodules]
    assert kinds == [type(x).__name__ for x in read.submodules]
    assert len(kinds) > 2
    copy = keras.models.clone_model(model)
    copy.set_weights(model.get_weights())
    for _ in range(2):
        expected = model.predict(X, verbose=0)
        np.testing.assert_array_equal(read.predict(X, verbose=0), expected)
        if copy is not None:
            np.testing.assert_array_equal(copy.predict(X, verbose=0), expected)
        copy = None
        assert model.train_on_batch(X, Y) == read.train_on_batch(X, Y)


def test_a_file_holds_data_and_no_code(tmp_path: Path) -> None:
    model, path = in_a_row(), tmp_path / "net.keras"
    model(X)
    model.save(path)
    with zipfile.ZipFile(path) as file:
        assert file.namelist() == ["metadata.json", "config.json", "variables.npz"]
        made = json.loads(file.read("config.json"))["model"]["made"]
    assert (made["class"], made["name"]) == ("Sequential", "row")
    assert made["config"]["layers"][1]["config"] == {
        "function": {"$": "function", "name": "halved"}
    }
    with pytest.raises(ValueError, match=r"has 'halved', which is not known here; give custom_obj"):
        keras.models.load_model(path)
    with keras.utils.custom_object_scope({"halved": halved}):
        again = keras.models.model_from_json(model.to_json())
    assert [x.name for x in again.layers] == [x.name for x in model.layers]


def test_what_cannot_be_saved_is_told(tmp_path: Path) -> None:
    model = keras.Sequential([keras.layers.Dense(1), keras.layers.Lambda(lambda x: x)])
    with pytest.raises(ValueError, match="has no variables yet"):
        model.save(tmp_path / "net.keras")
    model(X)
    with pytest.raises(TypeError, match="no name by which it would be found again"):
        model.save(tmp_path / "net.keras")
    with pytest.raises(ValueError, match=r"ends with .keras, not"):
        model.save(tmp_path / "net.h5")
    (tmp_path / "odd.keras").write_text("odd")
    with pytest.raises(ValueError, match="no file that save_model wrote"):
        keras.models.load_model(tmp_path / "odd.keras")
    assert not (tmp_path / "net.keras").exists()
