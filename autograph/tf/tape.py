"""Names of TensorFlow for gradients."""

from __future__ import annotations

import functools
from collections.abc import Callable
from enum import Enum
from typing import Any

from autograph.tf.tensors import as_result
from autograph.transforms.cotangents import NONE as NO_GRADIENT
from autograph.transforms.cotangents import ZERO as ZEROS
from autograph.transforms.custom import checkpoint as recompute_grad
from autograph.transforms.gradients import as_function
from autograph.transforms.own_gradient import OwnGradient
from autograph.transforms.tape import GradientTape

__all__ = ["GradientTape", "UnconnectedGradients", "custom_gradient", "recompute_grad"]


class UnconnectedGradients(Enum):
    """What the gradient by a source is that the target does not depend on."""

    NONE = NO_GRADIENT
    ZERO = ZEROS


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function with the gradient that it returns beside its value.

    Args:
        f: a function of tensors, which returns a pair: its value, a tensor or several, and a
            function that takes the gradients by them, one after the other, and returns a list of
            those by the arguments, or one. If `f` reads trainable variables, that function takes a
            list of them as `variables`, and returns a pair: those, and a list of those by the
            variables.

    Raises:
        TypeError: variables are read, and the gradient does not take them.
        DerivativeError: there are not as many gradients as there are arguments.

    >>> from autograph import tf
    >>> @tf.custom_gradient
    ... def clipped(x):
    ...     return x, lambda dy: tf.clip_by_norm(dy, 0.5)
    >>> v = tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     y = clipped(v * v)
    >>> tape.gradient(y, v)
    <tf.Tensor: shape=(), dtype=float32, numpy=2.0>
    """
    own = OwnGradient(as_function(f), flat=True)

    @functools.wraps(f, updated=())
    def called(*args: Any, **kwargs: Any) -> Any:
        return as_result(own(args, kwargs))

    return called
