"""Layers that bring pictures to a size: `Resizing`, `CenterCrop` and `RandomCrop`."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.tf import image, random
from autograph.tf.keras.layer import Layer

__all__ = ["CenterCrop", "RandomCrop", "Resizing"]


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


class RandomCrop(_Sized):
    """Take a part of pictures from a place that is drawn for each batch.

    Pictures that are smaller, and all where nothing is trained, are brought to the size instead,
    without what is beyond its proportions.

    Args:
        height, width: of the result.
        seed: of the places; equal ones give equal places.
        options: of `Layer`.

    >>> import numpy as np
    >>> RandomCrop(2, 3)(np.ones((1, 4, 4, 1))).shape
    TensorShape([1, 2, 3, 1])
    """

    def __init__(self, height: int, width: int, seed: int | None = None, **options: Any) -> None:
        super().__init__(height, width, **options)
        self.seed = seed

    def call(self, inputs: Any, training: Any = True) -> Any:
        rows, columns = inputs.shape[-3], inputs.shape[-2]
        if rows < self.height or columns < self.width:
            return self._fitted(inputs)
        if training:
            top = random.uniform((), 0, rows - self.height + 1, np.int32, self.seed)
            left = random.uniform((), 0, columns - self.width + 1, np.int32, self.seed)
            return image.crop_to_bounding_box(inputs, top, left, self.height, self.width)
        return self._fitted(inputs)

    def _fitted(self, inputs: Any) -> Any:
        rows, columns = inputs.shape[-3], inputs.shape[-2]
        tall = max(min(rows, int(columns * self.height / self.width)), 1)
        wide = max(min(columns, int(rows * self.width / self.height)), 1)
        top, left = (rows - tall) // 2, (columns - wide) // 2
        middle = image.crop_to_bounding_box(inputs, top, left, tall, wide)
        return image.resize(middle, (self.height, self.width))
