"""Layers that bring pictures to a size: `Resizing` and `CenterCrop`."""

from __future__ import annotations

from typing import Any

from autograph.tf import image
from autograph.tf.keras.layer import Layer

__all__ = ["CenterCrop", "Resizing"]


class _Sized(Layer):
    """What gives pictures of one size.

    Args:
        height, width: of the result.
        options: of `Layer`.
    """

    def __init__(self, height: int, width: int, **options: Any) -> None:
        super().__init__(**options)
        self.height, self.width = height, width


class Resizing(_Sized):
    """Bring pictures to a size: `[..., rows, columns, channels]`.

    Args:
        height, width: of the result.
        interpolation: "bilinear" or "nearest".
        options: of `Layer`.

    >>> import numpy as np
    >>> Resizing(2, 3)(np.ones((1, 4, 4, 1))).shape
    TensorShape([1, 2, 3, 1])
    """

    def __init__(
        self, height: int, width: int, interpolation: str = "bilinear", **options: Any
    ) -> None:
        super().__init__(height, width, **options)
        self.interpolation = interpolation

    def call(self, inputs: Any) -> Any:
        return image.resize(inputs, (self.height, self.width), self.interpolation)


class CenterCrop(_Sized):
    """Take the middle of pictures: `[..., rows, columns, channels]`; smaller ones are an error.

    >>> import numpy as np
    >>> CenterCrop(2, 3)(np.ones((1, 4, 4, 1))).shape
    TensorShape([1, 2, 3, 1])
    """

    def call(self, inputs: Any) -> Any:
        rows, columns = inputs.shape[-3], inputs.shape[-2]
        top, left = (rows - self.height) // 2, (columns - self.width) // 2
        return image.crop_to_bounding_box(inputs, top, left, self.height, self.width)
