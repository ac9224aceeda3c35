"""`CategoryEncoding`, `Discretization` and `Hashing`: layers that make numbers of classes.

The numbers of `Hashing` and `HashedCrossing` are this library's own, not TensorFlow's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf import creation, elementwise, ragged_functions, reductions, strings
from autograph.tf.debugging import need
from autograph.tf.keras.layer import Layer
from autograph.tf.ragged_tensor import RaggedTensor
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime.dtypes import is_string

__all__ = ["CategoryEncoding", "Discretization", "HashedCrossing", "Hashing"]
MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf")


def encoded(numbers: Any, size: int, mode: str, weights: Any = None) -> Any:
    """Return what is told of each sample of numbers below a size: `f32[..., size]`.

    Args:
        numbers: of classes `[..., n]`, or rows of several lengths; for "one_hot" `[...]`.
        size: how many classes there are.
        mode: "multi_hot", which occur; "count", how often; "one_hot", each for itself.
        weights: of each class, by which counts are multiplied.
    """
    if mode == "one_hot" and not isinstance(numbers, RaggedTensor):
        is_column = len(numbers.shape) > 1 and numbers.shape[-1] == 1
        return creation.one_hot(numbers[..., 0] if is_column else numbers, size)
    rows = creation.one_hot(numbers, size)
    if len(numbers.shape) == 0:
        found = rows
    elif mode == "multi_hot":
        found = reductions.reduce_max(rows, axis=-2)
        found = elementwise.where(found < 0, np.float32(0), found)  # of no numbers at all
    else:
        found = reductions.reduce_sum(rows, axis=-2)
    return found if weights is None else as_result(rnp.multiply(found, weights))


class CategoryEncoding(Layer):
    """Which numbers are in a sample, or how often.

    Args:
        num_tokens: the numbers are below it.
        output_mode: "multi_hot", "one_hot" or "count".
        options: of `Layer`.

    >>> CategoryEncoding(4, output_mode="count")([[0, 1], [2, 2]]).numpy()
    array([[1., 1., 0., 0.],
           [0., 0., 2., 0.]], dtype=float32)
    """

    def __init__(self, num_tokens: int, output_mode: str = "multi_hot", **options: Any) -> None:
        super().__init__(**options)
        if output_mode not in ("multi_hot", "one_hot", "count"):
            raise ValueError(
                f"output_mode of {self.name!r} is 'multi_hot', 'one_hot' or 'count', not "
                f"{output_mode!r}"
            )
        self.num_tokens, self.output_mode = num_tokens, output_mode

    def call(self, inputs: Any, count_weights: Any = None) -> Any:
        numbers = inputs
        if not isinstance(inputs, RaggedTensor):
            numbers = elementwise.cast(inputs, np.int64)
        flat = numbers.flat_values if isinstance(numbers, RaggedTensor) else numbers
        in_range = rnp.all(rnp.logical_and(flat >= 0, flat < self.num_tokens))
        need(in_range, f"{self.name!r} takes numbers from 0 to {self.num_tokens - 1}")
        if count_weights is not None:
            rows = creation.one_hot(numbers, self.num_tokens)
            weights = convert_to_tensor(count_weights, np.float32)
            return reductions.reduce_sum(as_result(rows * weights[..., None]), axis=-2)
        return encoded(numbers, self.num_tokens, self.output_mode)


class Discretization(Layer):
    """The number of the interval that each number lies in.

    Args:
        bin_boundaries: where intervals begin, in order; else `adapt` finds them.
        num_bins: how many intervals `adapt` makes, with as many data in each.
        output_mode: "int", or as in `CategoryEncoding`.
        options: of `Layer`.

    >>> Discretization([0.0, 1.0])([-3.0, 0.0, 5.0]).numpy()
    array([0, 1, 2])
    """

    def __init__(
        self,
        bin_boundaries: Sequence[float] | None = None,
        num_bins: int | None = None,
        epsilon: float = 0.01,
        output_mode: str = "int",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if (bin_boundaries is None) == (num_bins is None):
            raise ValueError(f"{self.name!r} takes bin_boundaries, or num_bins and adapt")
        self.bin_boundaries = None if bin_boundaries is None else list(bin_boundaries)
        self.num_bins, self.output_mode = num_bins, output_mode

    def adapt(self, data: Any, **others: Any) -> None:
        """Make intervals with as many data in each."""
        if self.num_bins is None:
            raise ValueError(f"{self.name!r} was given its bin_boundaries, and does not adapt")
        is_one = hasattr(data, "shape") or isinstance(data, list | tuple)
        parts = [np.asarray(x).ravel() for x in ([data] if is_one else data)]
        inner = np.linspace(0, 1, self.num_bins + 1)[1:-1]
        self.bin_boundaries = np.quantile(np.concatenate(parts), inner).tolist()
        given = {"bin_boundaries": self.bin_boundaries, "num_bins": None}
        self.__given__ = self.__given__[0], {**self.__given__[1], **given}

    def call(self, inputs: Any) -> Any:
        if self.bin_boundaries is None:
            raise ValueError(f"{self.name!r} has no intervals yet; call adapt on data before")
        if isinstance(inputs, RaggedTensor):
            return ragged_functions.each(self.call, inputs)
        found = rnp.searchsorted(np.asarray(self.bin_boundaries, np.float32), inputs, "right")
        numbers = as_result(found.astype(np.int64))
        if self.output_mode == "int":
            return numbers
        return encoded(numbers, len(self.bin_boundaries) + 1, self.output_mode)


class Hashing(Layer):
    """A number below `num_bins` for each text or whole number, the same in all processes.

    Args:
        num_bins: how many numbers there are.
        mask_value: what has the number 0, if anything.
        options: of `Layer`.
    """

    def __init__(self, num_bins: int, mask_value: Any = None, **options: Any) -> None:
        super().__init__(**options)
        self.num_bins, self.mask_value = num_bins, mask_value

    def call(self, inputs: Any) -> Any:
        if isinstance(inputs, RaggedTensor):
            return ragged_functions.each(self.call, inputs)
        texts = _texts(inputs)
        if self.mask_value is None:
            return strings.to_hash_bucket(texts, self.num_bins)
        found = strings.to_hash_bucket(texts, self.num_bins - 1) + np.int64(1)
        is_mask = rnp.equal(inputs, convert_to_tensor(self.mask_value, inputs.dtype))
        return elementwise.where(as_result(is_mask), np.int64(0), found)


class HashedCrossing(Layer):
    """A number below `num_bins` for each pair of features, texts or whole numbers.

    Args:
        num_bins: how many numbers there are.
        output_mode: "int", or "one_hot".
        options: of `Layer`.

    >>> crossed = HashedCrossing(5)
    >>> found = crossed((np.array(["A", "B", "A"]), np.array([101, 102, 101]))).numpy()
    >>> bool(found[0] == found[2]), bool((found < 5).all())
    (True, True)
    """

    def __init__(self, num_bins: int, output_mode: str = "int", **options: Any) -> None:
        super().__init__(**options)
        if output_mode not in ("int", "one_hot"):
            raise ValueError(
                f"output_mode of {self.name!r} is 'int' or 'one_hot', not {output_mode!r}"
            )
        self.num_bins, self.output_mode = num_bins, output_mode

    def call(self, inputs: Any) -> Any:
        if len(inputs) < 2:
            raise ValueError(f"{self.name!r} crosses two features or more, and was given one")
        crossed = strings.join([_texts(convert_to_tensor(x)) for x in inputs], separator="_X_")
        numbers = strings.to_hash_bucket(crossed, self.num_bins)
        return numbers if self.output_mode == "int" else encoded(numbers, self.num_bins, "one_hot")


def _texts(x: Any) -> Any:
    """Return whole numbers as texts, and texts as they are."""
    return x if is_string(x.spec.dtype) else strings.as_string(x)
