"""Activations: functions of arrays, by Keras' names.

They are NumPy programs, and give the dtype that they are given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.nn.names import find
from autograph.transforms.custom import stop_gradient
from runtime.dispatch import apply
from runtime.ops import special

Activation = Callable[[Any], Any]


def linear(x: Any) -> Any:
    """Return what is given."""
    return x


def relu(x: Any) -> Any:
    """Return `max(x, 0)`; its derivative at zero is 0, as in all libraries.

    >>> relu(np.array([-1.0, 2.0]))
    array([0., 2.])
    """
    return np.where(x <= 0, 0, x)


def relu6(x: Any) -> Any:
    """Return `min(max(x, 0), 6)`; its derivative at 0 and 6 is 0."""
    return np.where(x >= 6, 6, relu(x))


def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """Return `x`, or `negative_slope * x` where `x` is negative."""
    return np.where(x < 0, negative_slope * x, x)


def elu(x: Any, alpha: float = 1.0) -> Any:
    """Return `x`, or `alpha * (exp(x) - 1)` where `x` is negative (Clevert et al., 2015)."""
    return np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x)


def selu(x: Any) -> Any:
    """Return the scaled exponential linear unit (Klambauer et al., 2017)."""
    alpha, scale = 1.6732632423543772, 1.0507009873554805
    return scale * np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x)


def gelu(x: Any, approximate: bool = False) -> Any:
    """Return the Gaussian error linear unit (Hendrycks and Gimpel, 2016), or its tanh form."""
    if approximate:
        return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1 + apply(special.erf, (x * 0.7071067811865476,)))


def sigmoid(x: Any) -> Any:
    """Return the logistic function `1 / (1 + exp(-x))`, without overflow.

    >>> sigmoid(np.array([-1000.0, 0.0]))
    array([0. , 0.5])
    """
    small = np.exp(halves(x)[1])
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def hard_sigmoid(x: Any) -> Any:
    """Return `relu6(x + 3) / 6`."""
    return relu6(x + 3) / 6


def log_sigmoid(x: Any) -> Any:
    """Return the logarithm of the logistic function."""
    return -softplus(-x)


def silu(x: Any) -> Any:
    """Return `x * sigmoid(x)` (Elfwing et al., 2017)."""
    return x * sigmoid(x)


def softplus(x: Any) -> Any:
    """Return `log(1 + exp(x))`, without overflow."""
    positive, negative = halves(x)
    return positive + np.log1p(np.exp(negative))


def halves(x: Any) -> tuple[Any, Any]:
    """Return `max(x, 0)` and `-|x|`, for functions that are smooth where these two have a kink.

    At zero both go on as they are on its right, so that derivatives of any order of what is smooth
    are right there, too; by `np.abs` and `np.maximum` they would be what their kinks have.
    """
    is_right = x >= 0
    return np.where(is_right, x, 0), np.where(is_right, -x, x)


def softsign(x: Any) -> Any:
    """Return `x / (1 + |x|)`."""
    return x / (1 + np.abs(x))


def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent."""
    return np.tanh(x)


def exponential(x: Any) -> Any:
    """Return `exp(x)`."""
    return np.exp(x)


def softmax(x: Any, axis: int = -1) -> Any:
    """Return exponentials divided by their sum along an axis, without overflow.

    >>> softmax(np.array([1000.0, 1000.0]))
    array([0.5, 0.5])
    """
    powers = np.exp(x - _largest(x, axis))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def log_softmax(x: Any, axis: int = -1) -> Any:
    """Return the logarithm of `softmax`, without overflow."""
    shifted = x - _largest(x, axis)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


def _largest(x: Any, axis: int) -> Any:
    """Return the maximum along an axis; what is taken from all alike does not change a softmax."""
    return stop_gradient(np.max(x, axis=axis, keepdims=True))


def celu(x: Any, alpha: float = 1.0) -> Any:
    """Return `x`, or `alpha * (exp(x / alpha) - 1)` where `x` is negative (Barron, 2017)."""
    return np.where(x < 0, alpha * np.expm1(np.minimum(x, 0) / alpha), x)


def glu(x: Any, axis: int = -1) -> Any:
    """Return one half of `x` times the `sigmoid` of the other (Dauphin et al., 2016)."""
    half, gate = np.split(x, 2, axis=axis)
    return half * sigmoid(gate)


def hard_silu(x: Any) -> Any:
    """Return `x * hard_sigmoid(x)`."""
    return x * hard_sigmoid(x)


def hard_tanh(x: Any) -> Any:
    """Return `min(max(x, -1), 1)`."""
    return np.clip(x, -1, 1)


def mish(x: Any) -> Any:
    """Return `x * tanh(softplus(x))` (Misra, 2019)."""
    return x * np.tanh(softplus(x))


def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    """Return `x`, or 0 where it is between `-threshold` and `threshold`."""
    return np.where(np.abs(x) > threshold, x, 0)


def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    """Return `x` moved towards 0 by `threshold`, at most as far as to it."""
    return np.where(x > threshold, x - threshold, np.where(x < -threshold, x + threshold, 0))


def tanh_shrink(x: Any) -> Any:
    """Return `x - tanh(x)`."""
    return x - np.tanh(x)


def sparse_plus(x: Any) -> Any:
    """Return 0 up to -1, `x` from 1 on, and `(x + 1)**2 / 4` between."""
    return np.where(x <= -1, 0, np.where(x < 1, (x + 1) * (x + 1) * 0.25, x))


def sparse_sigmoid(x: Any) -> Any:
    """Return 0 up to -1, 1 from 1 on, and `(x + 1) / 2` between."""
    return np.where(x <= -1, 0, np.where(x < 1, (x + 1) * 0.5, 1))


def sparsemax(x: Any, axis: int = -1) -> Any:
    """Return the nearest distribution along an axis (Martins and Astudillo, 2016).

    It sums to 1 also where Keras' does not, which adds up too much when several elements are left.

    >>> sparsemax(np.array([3.0, 2.5, 0.0]))
    array([0.75, 0.25, 0.  ])
    """
    x = np.moveaxis(x, axis, -1)
    sums = np.cumsum(-np.sort(-x, axis=-1), axis=-1)
    counts = np.arange(1, x.shape[-1] + 1).astype(x.dtype)
    bound = np.max((sums - 1) / counts, axis=-1, keepdims=True)
    return np.moveaxis(np.maximum(x - bound, 0), -1, axis)


def squareplus(x: Any, b: float = 4) -> Any:
    """Return `(x + sqrt(x**2 + b)) / 2` (Barron, 2021)."""
    return (x + np.sqrt(x * x + b)) / 2


def threshold(x: Any, threshold: float, default_value: float) -> Any:
    """Return `x`, or `default_value` where it is not above `threshold`."""
    return np.where(x > threshold, x, default_value)


swish = silu
hard_swish = hard_silu

__all__ = [  # noqa: PLE0604  (in rows)
    *("celu", "elu", "exponential", "gelu", "glu", "hard_shrink", "hard_sigmoid", "hard_silu"),
    *("hard_swish", "hard_tanh", "leaky_relu", "linear", "log_sigmoid", "log_softmax", "mish"),
    *("relu", "relu6", "selu", "sigmoid", "silu", "soft_shrink", "softmax", "softplus"),
    *("softsign", "sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus", "swish", "tanh"),
    *("tanh_shrink", "threshold"),
]


def get(activation: str | Activation | None) -> Activation:
    """Return an activation by its name, or what is given; None is `linear`.

    >>> get("relu") is relu
    True
    """
    return linear if activation is None else find(activation, globals(), __all__, "activation")
