"""`EinsumDense`: sums of products of an array and a kernel, as Einstein wrote them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.nn import activations, initializers
from autograph.nn.layer import Layer
from runtime.errors import ShapeError


class EinsumDense(Layer):
    """`activation(einsum(equation, x, kernel) + bias)`.

    Args:
        equation: of two operands: `"ab,bc->ac"`; an ellipsis may stand for axes of the input.
        output_shape: the sizes of the result's axes, without the first one and the ellipsis; None
            for one that the input tells.
        activation: a function, or its name; none by default.
        bias_axes: the letters of the result's axes along which a bias differs; none by default.
        kernel_initializer, bias_initializer: what the variables hold first.
        options: of `Layer`.

    >>> layer = EinsumDense("abc,cd->abd", (None, 2), bias_axes="d", kernel_initializer="ones")
    >>> layer(np.ones((1, 2, 3)))
    array([[[3., 3.],
            [3., 3.]]])
    """

    least_rank = 1

    def __init__(
        self,
        equation: str,
        output_shape: int | Sequence[int | None],
        activation: Any = None,
        bias_axes: str | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.equation = equation.replace(" ", "")
        self.sizes = (output_shape,) if isinstance(output_shape, int) else tuple(output_shape)
        self.activation, self.bias_axes = activations.get(activation), bias_axes
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def build(self, shape: Sequence[int | None]) -> None:
        ends, arrow, result = self.equation.partition("->")
        own, comma, letters = ends.partition(",")
        if not arrow or not comma or own.count("...") != result.count("...") or "." in letters:
            raise ValueError(
                f"the equation of {self.name!r} is of an input, with an ellipsis perhaps, and a "
                f"kernel: '...a,ab->...b', not {self.equation!r}"
            )
        left = own.startswith("...") or "..." not in own
        own, plain = own.replace("...", ""), result.replace("...", "")
        first = len(shape) - len(own) if left else 0
        known = {letter: k + first for k, letter in enumerate(own)}
        named = dict(zip(reversed(plain), reversed(self.sizes), strict=False))
        sizes: dict[str, int] = {}
        for letter in {*letters, *(self.bias_axes or "")}:
            size = named.get(letter)
            if size is None and letter not in known:
                raise ValueError(f"{self.name!r} knows no size of {letter!r} in {self.equation!r}")
            sizes[letter] = self.size_of(shape, known[letter]) if size is None else size
        for letter in {*named} & {*known}:
            if named[letter] is not None and shape[known[letter]] not in (None, named[letter]):
                raise ShapeError(
                    f"{self.name!r} gives {letter!r} the size {named[letter]}, and was given an "
                    f"input of the shape {tuple(shape)}"
                )
        kernel = [sizes[x] for x in letters]
        self.kernel = self.add_weight(kernel, self.kernel_initializer, name="kernel")
        if self.bias_axes:
            start = min(plain.index(x) for x in self.bias_axes)
            bias = [sizes[x] if x in self.bias_axes else 1 for x in plain[start:]]
            bias += [1] * (0 if left else len(shape) - len(own))
            self.bias = self.add_weight(bias, self.bias_initializer, name="bias")

    def call(self, x: Any) -> Any:
        y = np.einsum(self.equation, x, self.kernel)
        return self.activation(y + self.bias if self.bias_axes else y)
