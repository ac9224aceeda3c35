"""Layers of products and shapes: `Dense`, `Embedding`, `Flatten`, `Dropout`, `Sequential`, ..."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.nn import activations, initializers
from autograph.nn.layer import ANYTHING, INTEGERS, Layer
from autograph.nn.regularizers import L1L2
from runtime.numpy import random
from runtime.state.generator import Generator


class Dense(Layer):
    """`activation(x @ kernel + bias)`.

    Args:
        units: the size of the last axis of the result.
        activation: a function, or its name; none by default.
        use_bias: whether there is a bias.
        kernel_initializer, bias_initializer: what the variables hold first.
        options: of `Layer`.

    `call` takes `[..., features]` and returns `[..., units]`.

    >>> layer = Dense(2, "relu", kernel_initializer="ones")
    >>> layer(np.array([[1.0, 2.0], [-1.0, -2.0]]))
    array([[3., 3.],
           [0., 0.]])
    """

    least_rank = 1

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.units = at_least(1, units, "units", self)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def build(self, shape: Sequence[int | None]) -> None:
        self.features = self.size_of(shape)
        size = (self.features, self.units)
        self.kernel = self.add_weight(size, self.kernel_initializer, name="kernel")
        if self.use_bias:
            self.bias = self.add_weight((self.units,), self.bias_initializer, name="bias")

    def call(self, x: Any) -> Any:
        y = product(x, self.kernel)
        if self.use_bias:
            y = y + self.bias
        return self.activation(y)


class Flatten(Layer):
    """Make one axis of all but the first.

    >>> Flatten()(np.zeros((2, 3, 4))).shape
    (2, 12)
    """

    takes = ANYTHING
    least_rank = 1

    def call(self, x: Any) -> Any:
        return np.reshape(x, (len(x), math.prod(x.shape[1:]))) if len(x.shape) > 1 else x[:, None]


class Reshape(Layer):
    """Give each element of a batch another shape, of which one size may be -1.

    >>> Reshape((2, -1))(np.zeros((5, 6))).shape
    (5, 2, 3)
    """

    takes = ANYTHING
    least_rank = 1

    def __init__(self, target_shape: Sequence[int], **options: Any) -> None:
        super().__init__(**options)
        self.target_shape = tuple(target_shape)

    def call(self, x: Any) -> Any:
        return np.reshape(x, (len(x), *self.target_shape))


class Activation(Layer):
    """An activation as a layer.

    >>> Activation("relu")(np.array([-1.0, 2.0]))
    array([0., 2.])
    """

    def __init__(self, activation: Any, **options: Any) -> None:
        super().__init__(**options)
        self.activation = activations.get(activation)

    def call(self, x: Any) -> Any:
        return self.activation(x)


class Identity(Layer):
    """Give what is given.

    >>> Identity()(np.ones(2))
    array([1., 1.])
    """

    takes = ANYTHING

    def call(self, x: Any) -> Any:
        return x


class ActivityRegularization(Layer):
    """Give what is given, and add to the losses how large it is.

    Args:
        l1: a factor of the sum of absolute values.
        l2: a factor of the sum of squares.
        options: of `Layer`.

    >>> layer = ActivityRegularization(l2=0.5)
    >>> _ = layer(np.array([[1.0, 2.0]]))
    >>> layer.losses
    [np.float64(2.5)]
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **options: Any) -> None:
        super().__init__(activity_regularizer=L1L2(l1, l2), **options)

    def call(self, x: Any) -> Any:
        return x


class Dropout(Layer):
    """Set a part of the elements to 0 in training, and scale the others (Srivastava et al., 2014).

    Args:
        rate: which part, from 0 up to but without 1.
        noise_shape: the shape of what is drawn, with 1 along axes that share a draw.
        seed: of a generator of its own; else numbers come from the one that all share.
        options: of `Layer`.

    >>> x = np.ones((2, 3))
    >>> Dropout(0.5)(x)
    array([[1., 1., 1.],
           [1., 1., 1.]])
    >>> set(np.unique(Dropout(0.5, seed=1)(x, training=True))) <= {0.0, 2.0}
    True
    """

    def __init__(
        self,
        rate: float,
        noise_shape: Sequence[int | None] | None = None,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.rate, self.noise_shape, self.seed = rate_of(rate, self), noise_shape, seed
        self.generator = None if seed is None else Generator(seed)

    def call(self, x: Any, training: Any = False) -> Any:
        if training and self.rate > 0:
            return dropped(x, self.rate, self.noise_shape, self.generator)
        return x


def rate_of(rate: float, layer: Layer) -> float:
    """Return which part a layer drops; ValueError when it is none."""
    if not 0 <= rate < 1:
        raise ValueError(f"the rate of {layer.name!r} is from 0 up to but without 1, not {rate}")
    return rate


def dropped(x: Any, rate: float, noise_shape: Any = None, generator: Any = None) -> Any:
    """Return an array of which a part is 0, and the rest larger, so that the mean is the same."""
    shape = x.shape
    if noise_shape is not None:
        shape = tuple(x.shape[k] if n is None else n for k, n in enumerate(noise_shape))
    draws = (random if generator is None else generator).uniform(0.0, 1.0, shape, x.dtype)
    return np.where(draws >= rate, x / (1 - rate), 0)


class Embedding(Layer):
    """Rows of a matrix, by their numbers.

    Args:
        input_dim: how many rows there are.
        output_dim: the size of a row.
        embeddings_initializer: what the matrix holds first.
        mask_zero: whether number 0 stands for nothing; `compute_mask` tells where.
        input_length: has no effect: sequences have any length.
        options: of `Layer`.

    `call` takes integers `[...]` and returns `[..., output_dim]`; a number that is not in
    `0, ..., input_dim - 1` is an IndexError.

    >>> Embedding(10, 4)(np.array([[1, 2, 3]])).shape
    (1, 3, 4)
    """

    takes = INTEGERS

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        mask_zero: bool = False,
        input_length: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.input_dim = at_least(1, input_dim, "input_dim", self)
        self.output_dim = at_least(1, output_dim, "output_dim", self)
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.mask_zero = mask_zero

    def build(self, shape: Sequence[int | None]) -> None:
        size = (self.input_dim, self.output_dim)
        self.embeddings = self.add_weight(size, self.embeddings_initializer, name="embeddings")

    def call(self, numbers: Any) -> Any:
        return self.embeddings[places(numbers, self.input_dim)]

    def compute_mask(self, numbers: Any, mask: Any = None) -> Any:
        """Return where there is something: a mask for recurrent layers, or None."""
        return numbers != 0 if self.mask_zero else None


class Sequential(Layer):
    """Layers one after the other; functions of one array may stand among them.

    Args:
        layers: the layers.
        options: of `Layer`.

    >>> model = Sequential([Dense(4, "relu"), np.tanh, Dense(1)])
    >>> model(np.zeros((2, 3))).shape
    (2, 1)
    """

    takes = ANYTHING

    def __init__(self, layers: Sequence[Callable[..., Any]] = (), **options: Any) -> None:
        super().__init__(**options)
        self.layers = list(layers)

    def add(self, layer: Callable[..., Any]) -> None:
        """Put a layer at the end."""
        self.layers.append(layer)

    def call(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x


def product(x: Any, kernel: Any) -> Any:
    """Return `x @ kernel` as one product of matrices, however many axes `x` has."""
    if len(x.shape) <= 2:
        return x @ kernel
    rows = np.reshape(x, (-1, x.shape[-1])) @ kernel
    return np.reshape(rows, (*x.shape[:-1], kernel.shape[-1]))


def places(numbers: Any, count: int) -> Any:
    """Return indices of which none counts from the end: a negative one is out of bounds."""
    return np.where(numbers < 0, count, numbers)


def at_least(least: int, value: Any, what: str, layer: Layer) -> int:
    """Return an integer of a layer's arguments; ValueError when it is none or too small."""
    if not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{what} of {layer.name!r} is an integer, {least} or more, not {value!r}")
    return int(value)
