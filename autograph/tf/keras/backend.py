"""`tf.keras.backend`: what is left of it, as most of it has names in `tf` itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.nn.loss_functions import EPSILON
from autograph.nn.names import reset_names
from autograph.tf.absent import missing_from

__all__ = [
    "clear_session",
    "epsilon",
    "floatx",
    "get_value",
    "image_data_format",
    "set_value",
]


def clear_session(free_memory: bool = True) -> None:
    """Count the names of layers and models from the beginning."""
    reset_names()


def epsilon() -> float:
    """Return the number by which losses keep away from 0."""
    return EPSILON


def floatx() -> str:
    """Return the dtype of layers."""
    return "float32"


def image_data_format() -> str:
    """Return where the channels of pictures are."""
    return "channels_last"


def get_value(x: Any) -> Any:
    """Return what a variable or tensor holds, as an array of NumPy."""
    return x.numpy() if hasattr(x, "numpy") else np.asarray(x)


def set_value(x: Any, value: Any) -> None:
    """Assign to a variable."""
    x.assign(value)


__getattr__ = missing_from(
    "autograph.tf.keras.backend", globals(), {"clip": "write tf.clip_by_value"}
)
