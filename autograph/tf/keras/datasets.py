"""`tf.keras.datasets`: data that Keras has downloaded before; nothing is downloaded here."""

from __future__ import annotations

import gzip
import math
from pathlib import Path
from typing import Any

import numpy as np

from autograph.tf.absent import Names, missing_from
from autograph.tf.keras import cached

__all__ = ["boston_housing", "california_housing", "fashion_mnist", "mnist"]


def _load_mnist(path: Any = "mnist.npz") -> Any:
    """Return the digits, `((x_train, y_train), (x_test, y_test))`: images `uint8[n, 28, 28]`.

    Args:
        path: the name of the file in the folder `datasets` of Keras, or a whole path.

    Raises:
        NotFoundError: there is no such file.
    """
    with np.load(_in_datasets(path), allow_pickle=False) as found:
        parts = [found[name] for name in ("x_train", "y_train", "x_test", "y_test")]
    return (parts[0], parts[1]), (parts[2], parts[3])


def _load_fashion_mnist() -> Any:
    """Return clothes, `((x_train, y_train), (x_test, y_test))`: images `uint8[n, 28, 28]`.

    Raises:
        NotFoundError: there are no such files.
    """
    parts = []
    for part in ("train", "t10k"):
        labels = _bytes(f"fashion-mnist/{part}-labels-idx1-ubyte.gz", 8)
        images = _bytes(f"fashion-mnist/{part}-images-idx3-ubyte.gz", 16)
        parts.append((images.reshape(len(labels), 28, 28), labels))
    return tuple(parts)


def _bytes(name: str, start: int) -> Any:
    """Return what a file holds after its head, `uint8[n]`."""
    with gzip.open(_in_datasets(name), "rb") as file:
        return np.frombuffer(file.read(), np.uint8, offset=start)


def _houses(name: str) -> Any:
    def load_data(path: Any = name, test_split: float = 0.2, seed: int = 113) -> Any:
        """Return features and prices, `((x_train, y_train), (x_test, y_test))`.

        Args:
            path: the name of the file in the folder `datasets` of Keras, or a whole path.
            test_split: which part is for tests.
            seed: of the order of the samples.

        Raises:
            NotFoundError: there is no such file.
        """
        with np.load(_in_datasets(path), allow_pickle=False) as found:
            x, y = found["x"], found["y"]
        order = np.arange(len(x))
        np.random.RandomState(seed).shuffle(order)
        at = math.floor(len(x) * (1 - test_split))
        first, last = order[:at], order[at:]
        return (x[first], y[first]), (x[last], y[last])

    return load_data


def _in_datasets(path: Any) -> Path:
    return cached.file(cached.home() / "datasets" / path)


mnist = Names("Handwritten digits: `load_data()`, of a file of Keras'.", load_data=_load_mnist)
fashion_mnist = Names(
    "Pictures of clothes: `load_data()`, of files of Keras'.", load_data=_load_fashion_mnist
)
boston_housing = Names(
    "Prices of houses: `load_data()`, of a file of Keras'.",
    load_data=_houses("boston_housing.npz"),
)
california_housing = Names(
    "Prices of houses: `load_data()`, of a file of Keras'.",
    load_data=_houses("california_housing.npz"),
)

INSTEAD = dict.fromkeys(
    ("cifar10", "cifar100", "imdb", "reuters"),
    "nothing is downloaded; read data with NumPy, or use scikit-learn's",
)
__getattr__ = missing_from("autograph.tf.keras.datasets", globals(), INSTEAD)
