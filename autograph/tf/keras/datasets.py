"""`tf.keras.datasets`: data that Keras has downloaded before; nothing is downloaded here."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from autograph.tf.absent import Names, missing_from
from autograph.tf.errors import NotFoundError

__all__ = ["mnist"]


def _load_mnist(path: Any = "mnist.npz") -> Any:
    """Return the digits, `((x_train, y_train), (x_test, y_test))`: images `uint8[n, 28, 28]`.

    Args:
        path: the name of the file in the folder `datasets` of Keras, or a whole path.

    Raises:
        NotFoundError: there is no such file.
    """
    home = Path(os.environ.get("KERAS_HOME") or Path.home() / ".keras")
    file = home / "datasets" / path
    if not file.is_file():
        raise NotFoundError(
            f"{file} is not there, and nothing is downloaded here. Put the file there that Keras "
            "downloads, or read other data: sklearn.datasets.load_digits(), say"
        )
    with np.load(file, allow_pickle=False) as found:
        parts = [found[name] for name in ("x_train", "y_train", "x_test", "y_test")]
    return (parts[0], parts[1]), (parts[2], parts[3])


mnist = Names("Handwritten digits: `load_data()`, of a file of Keras'.", load_data=_load_mnist)

INSTEAD = dict.fromkeys(
    ("fashion_mnist", "cifar10", "cifar100", "imdb", "reuters", "boston_housing"),
    "nothing is downloaded; read data with NumPy, or use scikit-learn's",
)
__getattr__ = missing_from("autograph.tf.keras.datasets", globals(), INSTEAD)
