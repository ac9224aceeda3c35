"""Attention without projections: `Attention` by products (Luong et al., 2015), and by sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.nn import activations
from autograph.nn.core import dropped
from autograph.nn.layer import ANYTHING, Layer


class Attention(Layer):
    """Means of values, weighted by the products of queries and keys.

    `call` takes a list of the query `[batch, targets, features]`, the value `[batch, sources,
    features]`, and the key, which is the value if it is left out; and by name `mask`, a list of
    those of query and value, `bool[batch, targets]` and `bool[batch, sources]`, or None.

    Args:
        use_scale: whether the products are multiplied by a variable.
        dropout: which part of the weights is dropped in training.
        options: of `Layer`.

    >>> Attention()([np.ones((1, 2, 3)), np.ones((1, 4, 3))]).shape
    (1, 2, 3)
    """

    takes = ANYTHING

    def __init__(self, use_scale: bool = False, dropout: float = 0.0, **options: Any) -> None:
        super().__init__(**options)
        self.use_scale, self.dropout = use_scale, dropout

    def build(self, shape: Any) -> None:
        if self.use_scale:
            self.scale = self.add_weight((), "ones", name="scale")

    def scores(self, query: Any, key: Any) -> Any:
        """Return how well each key fits each query, `[batch, targets, sources]`."""
        found = query @ np.swapaxes(key, -1, -2)
        return found * self.scale if self.use_scale else found

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = False,
        use_causal_mask: bool = False,
    ) -> Any:
        query, value = inputs[0], inputs[1]
        scores = self.scores(query, inputs[2] if len(inputs) > 2 else value)
        of_query, of_value = (None, None) if mask is None else (mask[0], mask[1])
        if of_value is not None:
            scores = np.where(np.asarray(of_value)[:, None], scores, -1e9)
        if use_causal_mask:
            scores = np.where(np.tri(scores.shape[-2], scores.shape[-1], dtype=bool), scores, -1e9)
        weights = activations.softmax(scores)
        if training and self.dropout > 0:
            weights = dropped(weights, self.dropout)
        found = weights @ value
        if of_query is not None:
            found = np.where(np.asarray(of_query)[..., None], found, 0)
        return (found, weights) if return_attention_scores else found

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Return the mask of the query."""
        return None if mask is None else mask[0]


class AdditiveAttention(Attention):
    """Means of values, weighted by `tanh` of the sums of queries and keys (Bahdanau et al., 2015).

    Args:
        use_scale: whether the terms of the sum over features have factors, which are learnt.
        dropout: which part of the weights is dropped in training.
        options: of `Layer`.

    >>> AdditiveAttention()([np.ones((1, 2, 3)), np.ones((1, 4, 3))]).shape
    (1, 2, 3)
    """

    def __init__(self, use_scale: bool = True, dropout: float = 0.0, **options: Any) -> None:
        super().__init__(use_scale, dropout, **options)

    def build(self, shape: Any) -> None:
        if self.use_scale:
            size = (self.size_of(shape[0]),)
            self.scale = self.add_weight(size, "glorot_uniform", name="scale")

    def scores(self, query: Any, key: Any) -> Any:
        terms = np.tanh(query[:, :, None] + key[:, None])
        return np.sum(terms * self.scale if self.use_scale else terms, axis=-1)
