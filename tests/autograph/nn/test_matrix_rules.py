"""`Adafactor` and `Muon`, against loops of NumPy's, and the singular values of a step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import nn
from tests.autograph.nn.same import FLOATS, drawn, tolerance

optimizers = nn.optimizers
STEPS = 5


def size(x: Any) -> Any:
    return np.sqrt(np.mean(x * x))


def adafactor(x: Any, gradients: Any, rate: float = 0.5, clip: float = 0.3) -> Any:
    rows, columns, v = 0.0, 0.0, 0.0
    for t, g in enumerate(gradients, 1):
        new, squares = t**-0.8, g * g + 1e-30
        if x.ndim > 1:
            rows = (1 - new) * rows + new * squares.mean(-1)
            columns = (1 - new) * columns + new * squares.mean(-2)
            v = (rows / rows.mean(-1, keepdims=True))[..., None] * columns[..., None, :]
        else:
            v = (1 - new) * v + new * squares
        u = g / np.sqrt(v)
        x = x - max(1e-3, size(x)) * min(rate, 1 / np.sqrt(t)) * u / max(1, size(u) / clip)
    return x


def muon(x: Any, gradients: Any, nesterov: bool = True) -> Any:
    m = 0.0
    for g in gradients:
        x = x - 0.1 * 0.004 * x
        m = 0.95 * m + g
        y = g + 0.95 * m if nesterov else m
        y = y.T if y.shape[0] > y.shape[1] else y
        y = y / (np.linalg.norm(y) + 1e-7)
        for _ in range(5):
            a = y @ y.T
            y = 3.4445 * y + (-4.775 * a + 2.0315 * a @ a) @ y
        y = y.T if x.shape[0] > x.shape[1] else y
        x = x - 0.1 * y * np.sqrt(max(x.shape)) * 0.2
    return x


def adamw(x: Any, gradients: Any) -> Any:
    m, v = 0.0, 0.0
    for t, g in enumerate(gradients, 1):
        x = x - 0.1 * 0.004 * x
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        x = x - 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-7)
    return x


CASES = {
    "adafactor of a vector": (optimizers.Adafactor, adafactor, (4,), "v"),
    "adafactor of a matrix": (optimizers.Adafactor, adafactor, (4, 3), "v"),
    "adafactor of matrices": (optimizers.Adafactor, adafactor, (2, 4, 3), "v"),
    "muon of a wide matrix": (optimizers.Muon, muon, (3, 5), "kernel"),
    "muon of a high matrix": (optimizers.Muon, muon, (6, 2), "kernel"),
    "muon of a vector": (optimizers.Muon, adamw, (4,), "bias"),
    "muon of a table": (optimizers.Muon, adamw, (4, 3), "embedding/embeddings"),
    "muon of what is excluded": (optimizers.Muon, adamw, (4, 3), "last/kernel"),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("case", CASES)
def test_steps_are_those_of_the_formula(case: str, dtype: Any) -> None:
    rule, formula, shape, name = CASES[case]
    options: dict[str, Any] = {"learning_rate": 0.5, "clip_threshold": 0.3}
    if rule is optimizers.Muon:
        options = {"learning_rate": 0.1, "exclude_layers": ["^last"]}
    start, gradients = drawn(shape, dtype), drawn((STEPS, *shape), dtype, seed=1)
    optimizer, x = rule(**options), ag.Variable(start, name=name)

    @ag.function
    def train(gradients: Any) -> None:
        for g in gradients:
            optimizer.apply([g], [x])

    train(gradients)
    assert x.dtype == dtype
    np.testing.assert_allclose(x.numpy(), formula(start, gradients), **tolerance(dtype))
    again = rule.from_config(optimizer.get_config())
    y = ag.Variable(start, name=name)
    for g in gradients:
        again.apply([g], [y])
    np.testing.assert_allclose(y.numpy(), x.numpy(), **tolerance(dtype))


def test_a_step_of_muon_goes_as_far_in_all_directions() -> None:
    x = ag.Variable(np.zeros((6, 4)), name="kernel")
    optimizers.Muon(1.0, rms_rate=None, weight_decay=None).apply([drawn((6, 4))], [x])
    sizes = np.linalg.svd(x.numpy(), compute_uv=False)
    assert np.all((sizes > 0.6) & (sizes < 1.3)), sizes


def test_means_of_rows_and_columns_are_all_that_is_kept_of_a_matrix_but_for_its_size() -> None:
    optimizer, x = optimizers.Adafactor(), ag.Variable(drawn((4, 3)))
    optimizer.build([x])
    assert [s.shape for s in optimizer.state[0].values()] == [(4,), (3,), (4, 3)]
