"""Data that Keras has downloaded before, and small things around them."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograph import tf
from runtime.errors import ShapeError

keras = tf.keras


@pytest.fixture
def home(tmp_path: Path, monkeypatch: Any) -> Path:
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    (tmp_path / "datasets" / "fashion-mnist").mkdir(parents=True)
    return tmp_path / "datasets"


def test_data_are_read_from_the_files_of_keras(home: Path) -> None:
    draw = np.random.default_rng(0)
    for part, count in (("train", 5), ("t10k", 2)):
        for kind, head, shape in (("labels-idx1", 8, ()), ("images-idx3", 16, (28, 28))):
            data = draw.integers(0, 256, (count, *shape)).astype(np.uint8)
            path = home / "fashion-mnist" / f"{part}-{kind}-ubyte.gz"
            path.write_bytes(gzip.compress(bytes(head) + data.tobytes()))
            last = data
    (x, y), (x_test, y_test) = keras.datasets.fashion_mnist.load_data()
    assert (x.shape, y.shape, y_test.shape) == ((5, 28, 28), (5,), (2,))
    np.testing.assert_array_equal(x_test, last)
    prices = np.arange(10.0)
    np.savez(home / "boston_housing.npz", x=prices[:, None], y=prices)
    (x, y), (_, y_test) = keras.datasets.boston_housing.load_data()
    np.testing.assert_array_equal(x[:, 0], y)
    assert sorted([*y, *y_test]) == prices.tolist()
    assert len(y_test) == 2
    with pytest.raises(tf.errors.NotFoundError, match=r"mnist\.npz is not there, and nothing is"):
        keras.datasets.mnist.load_data()


def test_files_that_are_there_are_found(home: Path) -> None:
    (home / "titanic.csv").write_text("a,b")
    path = keras.utils.get_file("titanic.csv", "https://example.org/data/train.csv")
    assert Path(path).read_text() == "a,b"
    with pytest.raises(tf.errors.NotFoundError, match=r"train\.csv is not there"):
        keras.utils.get_file(origin="https://example.org/data/train.csv")


def test_sequences_are_padded_and_cut() -> None:
    rows = [[1, 2, 3], [4], []]
    pad = keras.preprocessing.sequence.pad_sequences
    assert pad(rows).tolist() == [[1, 2, 3], [0, 0, 4], [0, 0, 0]]
    assert pad(rows, padding="post", value=9).tolist() == [[1, 2, 3], [4, 9, 9], [9, 9, 9]]
    assert pad(rows, maxlen=2).tolist() == [[2, 3], [0, 4], [0, 0]]
    assert pad(rows, 2, truncating="post", dtype="float32").dtype == np.float32
    assert pad(rows, 2, truncating="post").tolist()[0] == [1, 2]
    assert pad([[[1, 2]], [[3, 4], [5, 6]]]).shape == (2, 2, 2)
    with pytest.raises(ValueError, match="padding of pad_sequences is 'pre' or 'post'"):
        pad(rows, padding="both")


def test_names_of_older_programs() -> None:
    assert tf.__version__ == tf.version.VERSION
    assert tf.losses is keras.losses
    assert tf.random_normal_initializer is keras.initializers.RandomNormal
    loss = keras.losses.MeanSquaredError(reduction=keras.losses.Reduction.NONE)
    assert loss([[1.0], [2.0]], [[1.0], [4.0]]).shape == (2,)
    keras.backend.clear_session()
    assert keras.layers.Dense(1).name == "dense"
    v = tf.Variable([1.0])
    keras.backend.set_value(v, [3.0])
    assert keras.backend.get_value(v).tolist() == [3.0]
    with pytest.raises(AttributeError, match="text is not there; there is sequence"):
        keras.preprocessing.text  # noqa: B018


def test_functions_of_tf_are_known_to_files(tmp_path):
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [layers.Dense(3, activation=tf.nn.relu, input_shape=(2,)), layers.Activation(tf.tanh)]
    )
    model.save(tmp_path / "model.keras")
    again = tf.keras.models.load_model(tmp_path / "model.keras")
    x = np.ones((2, 2), np.float32)
    np.testing.assert_array_equal(again(x), model(x))


def test_models_of_hdf5_are_refused_with_what_to_do(tmp_path, monkeypatch):
    path = tmp_path / "old.weights.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(8))
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    with pytest.raises(ValueError, match=r"is a file of HDF5, of which weights are read"):
        tf.keras.models.load_model(path)
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ImportError, match=r"need h5py, which is not installed"):
        model.load_weights(path)


WRITTEN = (
    *("lstm/cell", "bidirectional/forward_layer/cell", "bidirectional/backward_layer/cell"),
    *("multi_head_attention/query_dense", "multi_head_attention/output_dense"),
    *("sequential/layers/dense", "sequential/layers/batch_normalization"),
    "sequential/layers/dense_1",
)
"""Where Keras 3.15 writes the biases of `nested`, and the like."""


def nested():
    """Return a model whose layers keep variables in several ways."""
    layers = keras.layers
    inputs = keras.Input((5, 3))
    x = layers.Bidirectional(layers.GRU(2))(layers.LSTM(4, return_sequences=True)(inputs))
    y = layers.Flatten()(layers.MultiHeadAttention(2, 3)(inputs, inputs))
    inner = keras.Sequential([layers.Dense(2), layers.BatchNormalization(), layers.Dense(2)])
    return keras.Model(inputs, inner(layers.Concatenate()([x, y])))


def test_weights_are_files_of_hdf5_as_keras_has_them(tmp_path):
    h5py = pytest.importorskip("h5py")
    model, other, path = nested(), nested(), tmp_path / "net.weights.h5"
    model.save_weights(path)
    with h5py.File(path) as file:
        names: list[str] = []
        file.visit(names.append)
        assert {f"layers/{x}/vars/1" for x in WRITTEN} <= set(names)
    other.load_weights(path)
    for a, b in zip(model.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(ValueError, match="variables of '/layers/dense', and the model has 2"):
        keras.Sequential([keras.layers.Dense(2, input_shape=(3,))]).load_weights(path)
    small = keras.Sequential([keras.layers.LSTM(5, input_shape=(5, 3))])
    before = small.get_weights()
    with pytest.raises(ShapeError, match=r"has the shape \(3, 20\), and \(3, 16\) in the file"):
        small.load_weights(path)
    np.testing.assert_array_equal(small.get_weights()[0], before[0])
    with h5py.File(path, "w") as file:
        file.attrs["layer_names"] = [b"dense"]
    with pytest.raises(ValueError, match=r"before 3\.0"):
        model.load_weights(path)


def test_the_texts_of_a_folder_are_a_dataset_with_their_classes(tmp_path, capsys):
    for number in range(5):
        for name in ("neg", "pos"):
            (tmp_path / name).mkdir(exist_ok=True)
            (tmp_path / name / f"{number}.txt").write_text(f"{name} {number}")

    def read(**options):
        return keras.utils.text_dataset_from_directory(tmp_path, **options)

    split = {"validation_split": 0.2, "seed": 1, "batch_size": 4}
    training, validation = read(subset="training", **split), read(subset="validation", **split)
    assert capsys.readouterr().out.splitlines()[:2] == [
        "Found 10 files belonging to 2 classes.",
        "Using 8 files for training.",
    ]
    assert training.class_names == ["neg", "pos"]
    found = [
        (x.decode(), int(y))
        for part in (training, validation)
        for x, y in part.unbatch().as_numpy_iterator()
    ]
    assert sorted(found) == [
        (f"{n} {k}", c) for c, n in enumerate(("neg", "pos")) for k in range(5)
    ]
    assert [int(y.shape[0]) for _, y in training] == [4, 4]
    rows = read(label_mode="categorical", class_names=["pos", "neg"], shuffle=False, verbose=False)
    assert next(iter(rows))[1].numpy()[0].tolist() == [1.0, 0.0]
    assert next(iter(read(labels=None, batch_size=None, shuffle=False))).numpy() == b"neg 0"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"subset": "training"}, "validation_split goes with subset"),
        ({"subset": "training", "validation_split": 0.5}, "need one seed"),
        ({"label_mode": "some"}, "label_mode is one of"),
        ({"class_names": ["a"]}, "in some order"),
        ({"directory": "nowhere"}, "there is no folder"),
        ({}, "no folders with files"),
    ],
)
def test_folders_that_are_no_datasets_are_refused(tmp_path, options, message):
    with pytest.raises((ValueError, tf.errors.NotFoundError), match=message):
        keras.utils.text_dataset_from_directory(**{"directory": tmp_path, **options})
