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

__all__ = [
    "GradientTape",
    "UnconnectedGradients",
    "custom_gradient",
    "gradients",
    "hessians",
    "recompute_grad",
]


class UnconnectedGradients(Enum):
    """What the gradient by a source is that the target does not depend on."""

    NONE = NO_GRADIENT
    ZERO = ZEROS


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str | None = None,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = NO_GRADIENT,
) -> list[Any]:
    """Return the gradients of the sum of `ys` by each of `xs`, in a staged function.

    Args:
        ys: a tensor, or a list of them.
        xs: a tensor or variable of the function, or a list of them.
        grad_ys: what the elements of `ys` are weighted with.
        name, gate_gradients, aggregation_method: without an effect.
        stop_gradients: must be None; use `tf.stop_gradient`.
        unconnected_gradients: what is returned for those of `xs` that no `ys` follow.

    Raises:
        RuntimeError: outside of staged functions; there is `tf.GradientTape`.
    """
    if stop_gradients is not None:
        raise TypeError("gradients has no stop_gradients here; use tf.stop_gradient(x)")
    sources = xs if isinstance(xs, list | tuple) else [xs]
    tape = GradientTape.of_graph(sources)
    found = tape.gradient(ys, sources, grad_ys, _word(unconnected_gradients))
    return list(as_result(list(found)))


def hessians(ys: Any, xs: Any, **others: Any) -> list[Any]:
    """Return the second derivatives of the sum of `ys` by each of `xs`, in a staged function.

    Args:
        ys: a tensor, or a list of them.
        xs: a tensor or variable of known sizes, or a list of them.
        others: TensorFlow's, without an effect.

    Returns:
        For each of `xs` a tensor of the shape `[*x, *x]`; zeros where `ys` follow it linearly.

    Raises:
        RuntimeError: outside of staged functions.

    >>> from autograph import tf
    >>> @tf.function
    ... def second(x):
    ...     return tf.hessians(tf.reduce_sum(x**3), x)[0]
    >>> second(tf.constant([1.0, 2.0])).numpy()
    array([[ 6.,  0.],
           [ 0., 12.]], dtype=float32)
    """
    sources = xs if isinstance(xs, list | tuple) else [xs]
    first = gradients(ys, sources, unconnected_gradients=ZEROS)
    tapes = [GradientTape.of_graph([x]) for x in sources]
    parts = zip(tapes, first, sources, strict=True)
    return list(as_result([tape.jacobian(g, x, ZEROS) for tape, g, x in parts]))


def _word(unconnected: Any) -> str:
    found: str = unconnected.value if isinstance(unconnected, Enum) else unconnected
    return found


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
