"""Attention of several heads against its formula, one head and one sample at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import nn
from tests.autograph.nn.same import FLOATS, check_same, drawn, tolerance


def formula(layer: Any, query: Any, value: Any, key: Any, mask: Any) -> Any:
    """Return the result, and the weights."""
    y = np.zeros((*query.shape[:2], layer.attention_output.kernel.shape[-1]))
    weights = np.zeros((len(query), layer.num_heads, query.shape[1], value.shape[1]))
    for b in range(len(query)):
        for h in range(layer.num_heads):
            q, k, v = (
                x[b] @ part.kernel.numpy()[:, h] + part.bias.numpy()[h]
                for x, part in ((query, layer.query), (key, layer.key), (value, layer.value))
            )
            scores = np.where(mask[b], q @ k.T / np.sqrt(layer.key_dim), -np.inf)
            power = np.exp(scores - scores.max(-1, keepdims=True))
            weights[b, h] = power / power.sum(-1, keepdims=True)
            y[b] += weights[b, h] @ v @ layer.attention_output.kernel.numpy()[h]
    return y + layer.attention_output.bias.numpy(), weights


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("case", ["self", "cross", "masked", "causal"])
def test_heads_look_at_what_the_mask_lets_them(case: str, dtype: Any) -> None:
    query = drawn((2, 3, 4), dtype)
    value = query if case in ("self", "causal") else drawn((2, 5, 6), dtype, seed=1)
    layer = nn.MultiHeadAttention(2, 3, value_dim=2, bias_initializer="uniform")
    mask, options = np.ones((2, 3, value.shape[1]), bool), {}
    if case == "masked":
        mask[0, :, 3:] = mask[1, 1, 0] = False
        options = {"attention_mask": mask}
    if case == "causal":
        mask = mask & np.tri(3, dtype=bool)
        options = {"use_causal_mask": True}
    y = check_same(layer, query, value, **options)
    assert y.dtype == dtype
    expected, weights = formula(layer, query, value, value, mask)
    np.testing.assert_allclose(y, expected, **tolerance(dtype))
    _, found = layer(query, value, return_attention_scores=True, **options)
    np.testing.assert_allclose(found, weights, **tolerance(dtype))


def test_keys_may_be_others_than_values() -> None:
    query, value, key = (drawn((1, n, m), seed=n) for n, m in ((2, 3), (4, 5), (4, 2)))
    layer = nn.MultiHeadAttention(1, 3, output_shape=7)
    y = check_same(layer, query, value, key)
    assert y.shape == (1, 2, 7)
    mask = np.ones((1, 2, 4), bool)
    np.testing.assert_allclose(y, formula(layer, query, value, key, mask)[0])


def test_variables_are_in_keras_order() -> None:
    layer = nn.MultiHeadAttention(2, 3, name="m")
    layer(drawn((1, 2, 4)), drawn((1, 2, 4)))
    found = {path: v.shape for path, v in nn.parameters(layer).items()}
    assert found == {
        **{f"query.{k}": s for k, s in (("kernel", (4, 2, 3)), ("bias", (2, 3)))},
        **{f"key.{k}": s for k, s in (("kernel", (4, 2, 3)), ("bias", (2, 3)))},
        **{f"value.{k}": s for k, s in (("kernel", (4, 2, 3)), ("bias", (2, 3)))},
        "attention_output.kernel": (2, 3, 4),
        "attention_output.bias": (4,),
    }
    assert layer.query.kernel.name == "m/query/kernel"


def test_weights_are_dropped_in_training_only() -> None:
    layer, x = nn.MultiHeadAttention(1, 2, dropout=0.5), drawn((1, 3, 4))
    still = layer(x, x)
    moved = ag.function(lambda x: layer(x, x, training=True))(x)
    assert np.array_equal(still, layer(x, x))
    assert not np.allclose(still, moved)
