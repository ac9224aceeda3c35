"""Recurrent layers against loops of NumPy's, eagerly and staged, with gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import nn
from tests.autograph.nn.same import FLOATS, check_same, drawn, tolerance


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def simple(x: Any, states: Any, k: Any, r: Any, b: Any) -> Any:
    return (np.tanh(x @ k + states[0] @ r + b),)


def lstm(x: Any, states: Any, k: Any, r: Any, b: Any) -> Any:
    h, c = states
    i, f, g, o = np.split(x @ k + h @ r + b, 4, axis=-1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def gru(x: Any, states: Any, k: Any, r: Any, b: Any) -> Any:
    (h,) = states
    xz, xr, xh = np.split(x @ k + b[0], 3, axis=-1)
    hz, hr, hh = np.split(h @ r + b[1], 3, axis=-1)
    z = sigmoid(xz + hz)
    return (z * h + (1 - z) * np.tanh(xh + sigmoid(xr + hr) * hh),)


def gru_before(x: Any, states: Any, k: Any, r: Any, b: Any) -> Any:
    (h,), n = states, r.shape[0]
    xz, xr, xh = np.split(x @ k + b, 3, axis=-1)
    z, reset = sigmoid(xz + h @ r[:, :n]), sigmoid(xr + h @ r[:, n : 2 * n])
    return (z * h + (1 - z) * np.tanh(xh + (reset * h) @ r[:, 2 * n :]),)


LAYERS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "SimpleRNN": (nn.SimpleRNN, simple, {}),
    "LSTM": (nn.LSTM, lstm, {}),
    "GRU": (nn.GRU, gru, {}),
    "GRU before": (nn.GRU, gru_before, {"reset_after": False}),
}


def expected(layer: Any, step: Any, x: Any, states: Any = None, mask: Any = None) -> Any:
    """Return the outputs of all steps, and the states after them."""
    weights = [v.numpy() for v in (layer.kernel, layer.recurrent_kernel, layer.bias)]
    states = states or [np.zeros((len(x), layer.units))] * layer.state_count
    outputs, output = [], np.zeros((len(x), layer.units))
    for t in range(x.shape[1]):
        after = step(x[:, t], states, *weights)
        keep = np.ones((len(x), 1), bool) if mask is None else mask[:, t : t + 1]
        states = [np.where(keep, a, b) for a, b in zip(after, states, strict=True)]
        output = np.where(keep, after[0], output)
        outputs.append(output)
    return np.stack(outputs, axis=1), states


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("case", LAYERS)
def test_steps_are_those_of_the_formula(case: str, dtype: Any) -> None:
    kind, step, options = LAYERS[case]
    x = drawn((2, 4, 3), dtype)
    layer = kind(5, return_sequences=True, bias_initializer="uniform", **options)
    y = check_same(layer, x)
    assert y.dtype == dtype
    np.testing.assert_allclose(y, expected(layer, step, x)[0], **tolerance(dtype))


@pytest.mark.parametrize("case", LAYERS)
def test_states_go_in_and_out_and_masked_steps_change_none(case: str) -> None:
    kind, step, options = LAYERS[case]
    x, mask = drawn((3, 4, 2)), np.array([[1, 1, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]], bool)
    layer = kind(5, return_state=True, **options)
    first = [drawn((3, 5), seed=k) for k in range(layer.state_count)]
    layer(x)

    def program(x: Any, mask: Any, *first: Any) -> Any:
        return layer(x, mask=mask, initial_state=first)

    y, states = expected(layer, step, x, first, mask)
    for found in (program(x, mask, *first), ag.function(program)(x, mask, *first)):
        for one, other in zip(found, [y[:, -1], *states], strict=True):
            np.testing.assert_allclose(one, other)


def test_the_last_step_may_come_first() -> None:
    x = drawn((2, 4, 3))
    layer = nn.LSTM(3, return_sequences=True, go_backwards=True)
    y = check_same(layer, x)
    np.testing.assert_allclose(y, expected(layer, lstm, x[:, ::-1])[0])


def test_sequences_of_other_lengths_need_no_other_trace() -> None:
    layer = nn.GRU(3)
    layer(drawn((2, 4, 3)))
    spec = ag.TensorSpec([None, None, 3], np.float64)
    staged = ag.function(lambda x: layer(x), input_signature=[spec])
    for shape in ((2, 4, 3), (3, 1, 3)):
        np.testing.assert_allclose(staged(drawn(shape)), layer(drawn(shape)))
    assert staged.trace_count == 1


def test_forgetting_begins_with_one() -> None:
    layer = nn.LSTM(2)
    layer(drawn((1, 1, 1)))
    assert layer.bias.numpy().tolist() == [0, 0, 1, 1, 0, 0, 0, 0]
    kernel = layer.recurrent_kernel.numpy()
    np.testing.assert_allclose(kernel @ kernel.T, np.eye(2), atol=1e-12)


def test_one_part_is_dropped_at_all_steps() -> None:
    layer = nn.SimpleRNN(8, None, dropout=0.5, recurrent_initializer="zeros", return_sequences=True)
    y = ag.function(lambda x: layer(x, training=True))(np.ones((1, 4, 2)))
    np.testing.assert_allclose(y, np.repeat(y[:, :1], 4, axis=1))
    free = nn.GRU(4, recurrent_dropout=0.5)
    assert free(np.ones((2, 3, 1)), training=True).shape == (2, 4)


def test_what_is_wrong_is_said_with_the_name_of_the_layer() -> None:
    layer = nn.LSTM(3, name="l")
    with pytest.raises(ag.ShapeError, match=r"'l' \(LSTM\) takes inputs of 3 dimensions"):
        layer(np.zeros((2, 3)))
    with pytest.raises(ag.ShapeError, match=r"'l' begins with 2 states \[batch, 3\], .* given 1"):
        layer(np.zeros((2, 4, 3)), initial_state=[np.zeros((2, 3))])


CELLS = {"SimpleRNN": nn.SimpleRNNCell, "LSTM": nn.LSTMCell, "GRU": nn.GRUCell}


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_makes_one_step(name: str) -> None:
    _, step, _ = LAYERS[name]
    cell = CELLS[name](4)
    x = np.random.default_rng(0).normal(size=(2, 3)).astype(np.float32)
    states = [np.full((2, 4), 0.5 + k, np.float32) for k in range(cell.state_count)]
    output, after = cell(x, states)
    weights = [v.numpy() for v in (cell.kernel, cell.recurrent_kernel, cell.bias)]
    wanted = step(x, states, *weights)
    np.testing.assert_allclose(output, wanted[0], rtol=1e-5, atol=1e-6)
    for found, part in zip(after, wanted, strict=True):
        np.testing.assert_allclose(found, part, rtol=1e-5, atol=1e-6)


def test_cells_go_over_as_many_steps_as_there_are() -> None:
    layer = nn.RNN(nn.LSTMCell(4), return_sequences=True)
    x = drawn((2, 5, 3))
    wanted = layer(x)
    spec = ag.TensorSpec([None, None, 3], np.float64)
    staged = ag.function(lambda x: layer(x), input_signature=[spec])
    np.testing.assert_allclose(staged(x), wanted)
    np.testing.assert_allclose(staged(x[:1, :2]), wanted[:1, :2])
