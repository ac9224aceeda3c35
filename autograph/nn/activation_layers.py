"""Activations that are layers: `Softmax` with a mask, and units whose slopes are arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.nn import activations, initializers
from autograph.nn.layer import Layer


class Softmax(Layer):
    """Numbers that add up to 1 along an axis, in proportion to the exponentials of the input.

    `call` takes by name `mask`, booleans of the input's shape: what is false there becomes 0.

    Args:
        axis: along which.
        options: of `Layer`.

    >>> Softmax()(np.array([[0.0, 0.0, 5.0]]), mask=np.array([[True, True, False]]))
    array([[0.5, 0.5, 0. ]])
    """

    least_rank = 1

    def __init__(self, axis: int = -1, **options: Any) -> None:
        super().__init__(**options)
        self.axis = axis

    def call(self, x: Any, mask: Any = None) -> Any:
        if mask is not None:
            x = np.where(mask, x, -1e9)
        return activations.softmax(x, axis=self.axis)


class ReLU(Layer):
    """`max(x, 0)`, or a line of another slope below a threshold, and no more than a bound.

    Args:
        max_value: the bound; None for none.
        negative_slope: of what is below the threshold.
        threshold: below which the input counts as negative.
        options: of `Layer`.

    >>> ReLU(max_value=6.0, negative_slope=0.1)(np.array([-10.0, 2.0, 9.0]))
    array([-1.,  2.,  6.])
    """

    def __init__(
        self,
        max_value: float | None = None,
        negative_slope: float = 0.0,
        threshold: float = 0.0,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if negative_slope < 0 or threshold < 0 or (max_value is not None and max_value < 0):
            raise ValueError(f"the slope and the bounds of {self.name!r} are 0 or more")
        self.max_value, self.negative_slope = max_value, negative_slope
        self.threshold = threshold

    def call(self, x: Any) -> Any:
        kept = np.where(x >= self.threshold, x, self.negative_slope * (x - self.threshold))
        return kept if self.max_value is None else np.minimum(kept, self.max_value)


class LeakyReLU(Layer):
    """`x` where it is positive, and a part of it elsewhere (Maas et al., 2013).

    Args:
        negative_slope: which part.
        alpha: an older name of it.
        options: of `Layer`.

    >>> LeakyReLU(0.5)(np.array([-2.0, 3.0]))
    array([-1.,  3.])
    """

    def __init__(
        self, negative_slope: float = 0.3, alpha: float | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self.negative_slope = negative_slope if alpha is None else alpha

    def call(self, x: Any) -> Any:
        return np.where(x > 0, x, self.negative_slope * x)


class ELU(Layer):
    """`x` where it is positive, `alpha * (exp(x) - 1)` elsewhere (Clevert et al., 2015).

    >>> ELU()(np.array([0.0, 3.0]))
    array([0., 3.])
    """

    def __init__(self, alpha: float = 1.0, **options: Any) -> None:
        super().__init__(**options)
        self.alpha = alpha

    def call(self, x: Any) -> Any:
        return activations.elu(x, alpha=self.alpha)


class PReLU(Layer):
    """`x` where it is positive, and a part of it elsewhere that is learnt (He et al., 2015).

    Args:
        alpha_initializer: what the slopes are first, one for each element of a sample.
        shared_axes: the axes along which there is one slope; 1 is the first after the batch.
        options: of `Layer`.

    >>> PReLU("ones", shared_axes=[1])(np.array([[[-2.0, 3.0]]]))
    array([[[-2.,  3.]]])
    """

    least_rank = 2

    def __init__(
        self,
        alpha_initializer: Any = "zeros",
        shared_axes: Sequence[int] | int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.alpha_initializer = initializers.get(alpha_initializer)
        given = (shared_axes,) if isinstance(shared_axes, int) else shared_axes
        self.shared_axes = tuple(given or ())

    def build(self, shape: Sequence[int | None]) -> None:
        sizes = [
            1 if k in self.shared_axes else self.size_of(shape, k) for k in range(1, len(shape))
        ]
        self.alpha = self.add_weight(sizes, self.alpha_initializer, name="alpha")

    def call(self, x: Any) -> Any:
        return np.where(x > 0, x, self.alpha * x)
