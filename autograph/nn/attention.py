"""Attention: means of values, weighted by how well keys fit queries (Vaswani et al., 2017)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.nn import activations, initializers
from autograph.nn.core import at_least, dropped, product
from autograph.nn.layer import Layer


class MultiHeadAttention(Layer):
    """Several attentions side by side, whose results are projected together.

    `call(query, value, key=None, attention_mask=None)` takes `[batch, targets, features]` and
    `[batch, sources, features]`; `key` is `value` if it is not given. The mask, `bool[batch,
    targets, sources]` or `bool[targets, sources]`, is true where a target may look at a source;
    with `use_causal_mask` at none that is later, with `value_mask` and `key_mask`,
    `bool[batch, sources]`, at none that is masked for all. It returns `[batch, targets, features]`,
    and with `return_attention_scores` also the weights, `[batch, heads, targets, sources]`.

    Args:
        num_heads: how many attentions.
        key_dim: the size of queries and keys in each.
        value_dim: the size of values in each; by default `key_dim`.
        dropout: which part of the weights is dropped in training.
        use_bias: whether projections have biases.
        output_shape: the size of the last axis of the result; by default that of the query.
        kernel_initializer, bias_initializer: what variables hold first.
        options: of `Layer`.

    >>> layer = MultiHeadAttention(num_heads=2, key_dim=3)
    >>> layer(np.zeros((1, 4, 8)), np.zeros((1, 6, 8))).shape
    (1, 4, 8)
    """

    ranks = (3,)

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: int | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.num_heads = at_least(1, num_heads, "num_heads", self)
        self.key_dim = at_least(1, key_dim, "key_dim", self)
        self.value_dim = key_dim if value_dim is None else at_least(1, value_dim, "value_dim", self)
        self.dropout, self.width = dropout, output_shape
        self._given = (use_bias, kernel_initializer, bias_initializer)
        self.query = self._heads("query", key_dim)
        self.key = self._heads("key", key_dim)
        self.value = self._heads("value", self.value_dim)

    def _heads(self, part: str, size: int) -> Heads:
        name = f"{self.name}/{part}"
        return Heads(self.num_heads, size, *self._given, name=name, dtype=self.dtype)

    def build(self, shape: Sequence[int | None]) -> None:
        self.features = self.size_of(shape)
        units = self.features if self.width is None else self.width
        name = f"{self.name}/attention_output"
        self.attention_output = Together(units, *self._given, name=name, dtype=self.dtype)

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = False,
        use_causal_mask: bool = False,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
    ) -> Any:
        q = self.query(query)
        k = self.key(value if key is None else key)
        v = self.value(value)
        scores = (q * (1 / math.sqrt(self.key_dim))) @ np.swapaxes(k, -1, -2)
        if use_causal_mask:
            scores = np.where(np.tri(scores.shape[-2], scores.shape[-1], dtype=bool), scores, -1e9)
        if query_mask is not None:
            scores = np.where(np.asarray(query_mask)[:, None, :, None], scores, -1e9)
        for of_sources in (value_mask, key_mask):
            if of_sources is not None:
                scores = np.where(np.asarray(of_sources)[:, None, None], scores, -1e9)
        if attention_mask is not None:
            mask = np.asarray(attention_mask)
            scores = np.where(mask[:, None] if len(mask.shape) == 3 else mask, scores, -1e9)
        weights = activations.softmax(scores)
        if training and self.dropout > 0:
            weights = dropped(weights, self.dropout)
        y = self.attention_output(weights @ v)
        return (y, weights) if return_attention_scores else y


class Heads(Layer):
    """Projections for heads: `[batch, steps, features]` to `[batch, heads, steps, size]`."""

    ranks = (3,)

    def __init__(
        self,
        heads: int,
        size: int,
        use_bias: bool,
        kernel_initializer: Any,
        bias_initializer: Any,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.heads, self.size, self.use_bias = heads, size, use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def build(self, shape: Sequence[int | None]) -> None:
        self.features = self.size_of(shape)
        size = (self.features, self.heads, self.size)
        self.kernel = self.add_weight(size, self.kernel_initializer, name="kernel")
        if self.use_bias:
            self.bias = self.add_weight(size[1:], self.bias_initializer, name="bias")

    def call(self, x: Any) -> Any:
        width = self.heads * self.size
        y = product(x, np.reshape(self.kernel, (-1, width)))
        if self.use_bias:
            y = y + np.reshape(self.bias, (width,))
        return np.swapaxes(np.reshape(y, (*x.shape[:-1], self.heads, self.size)), 1, 2)


class Together(Layer):
    """A projection of several heads: `[batch, heads, steps, size]` to `[batch, steps, units]`."""

    ranks = (4,)

    def __init__(
        self,
        units: int,
        use_bias: bool,
        kernel_initializer: Any,
        bias_initializer: Any,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.units, self.use_bias = units, use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def build(self, shape: Sequence[int | None]) -> None:
        size = (self.size_of(shape, 1), self.size_of(shape, 3), self.units)
        self.kernel = self.add_weight(size, self.kernel_initializer, name="kernel")
        if self.use_bias:
            self.bias = self.add_weight((self.units,), self.bias_initializer, name="bias")

    def call(self, x: Any) -> Any:
        heads, size, units = self.kernel.shape
        rows = np.reshape(np.swapaxes(x, 1, 2), (x.shape[0], x.shape[2], heads * size))
        y = product(rows, np.reshape(self.kernel, (heads * size, units)))
        return y + self.bias if self.use_bias else y
