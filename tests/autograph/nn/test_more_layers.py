"""Layers of shapes, noise, merging, scaling, attention and wrappers, against NumPy's formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import nn
from runtime.errors import ShapeError
from tests.autograph.nn.same import check_same, drawn

X = drawn((2, 5, 4))
IMAGE = drawn((2, 6, 5, 3), seed=1)


def softmax(x: Any, axis: int = -1) -> Any:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def groups(x: Any, count: int) -> Any:
    parts = x.reshape(*x.shape[:-1], count, -1)
    axes = (*range(1, x.ndim - 1), x.ndim)
    apart = parts - parts.mean(axes, keepdims=True)
    return (apart / np.sqrt(parts.var(axes, keepdims=True) + 1e-3)).reshape(x.shape)


PLAIN: dict[str, tuple[Any, Any, Any]] = {
    "Softmax": (nn.Softmax(axis=1), X, lambda x: softmax(x, 1)),
    "ReLU": (
        nn.ReLU(0.9, 0.1, 0.2),
        X,
        lambda x: np.minimum(np.where(x < 0.2, 0.1 * (x - 0.2), x), 0.9),
    ),
    "LeakyReLU": (nn.LeakyReLU(alpha=0.2), X, lambda x: np.maximum(x, 0.2 * x)),
    "ELU": (nn.ELU(0.7), X, lambda x: np.where(x > 0, x, 0.7 * np.expm1(x))),
    "ZeroPadding1D": (nn.ZeroPadding1D((1, 2)), X, lambda x: np.pad(x, ((0, 0), (1, 2), (0, 0)))),
    "ZeroPadding2D": (
        nn.ZeroPadding2D((1, 2)),
        IMAGE,
        lambda x: np.pad(x, ((0, 0), (1, 1), (2, 2), (0, 0))),
    ),
    "Cropping1D": (nn.Cropping1D((1, 2)), X, lambda x: x[:, 1:3]),
    "Cropping2D": (nn.Cropping2D(((1, 2), (0, 1))), IMAGE, lambda x: x[:, 1:4, :4]),
    "UpSampling1D": (nn.UpSampling1D(3), X, lambda x: x.repeat(3, 1)),
    "UpSampling2D": (nn.UpSampling2D((2, 3)), IMAGE, lambda x: x.repeat(2, 1).repeat(3, 2)),
    "ZeroPadding3D": (
        nn.ZeroPadding3D((1, 2, 0)),
        IMAGE[..., None],
        lambda x: np.pad(x, ((0, 0), (1, 1), (2, 2), (0, 0), (0, 0))),
    ),
    "Cropping3D": (nn.Cropping3D((1, 2, 0)), IMAGE[..., None], lambda x: x[:, 1:5, 2:3]),
    "UpSampling3D": (
        nn.UpSampling3D((1, 2, 3)),
        IMAGE[..., None],
        lambda x: x.repeat(2, 2).repeat(3, 3),
    ),
    "Identity": (nn.Identity(), X, lambda x: x),
    "AlphaDropout": (nn.AlphaDropout(0.5), X, lambda x: x),
    "GroupNormalization": (nn.GroupNormalization(2), X, lambda x: groups(x, 2)),
    "GroupNormalization of each": (nn.GroupNormalization(-1), IMAGE, lambda x: groups(x, 3)),
    "RMSNormalization": (
        nn.RMSNormalization((1, 2), epsilon=0.5),
        X,
        lambda x: x / np.sqrt((x * x).mean((1, 2), keepdims=True) + 0.5),
    ),
    "UnitNormalization": (
        nn.UnitNormalization((1, 2)),
        X,
        lambda x: x / np.sqrt((x * x).sum((1, 2), keepdims=True)),
    ),
    "RepeatVector": (nn.RepeatVector(3), X[0], lambda x: np.stack([x] * 3, 1)),
    "Permute": (nn.Permute((3, 1, 2)), IMAGE, lambda x: np.moveaxis(x, -1, 1)),
    "Rescaling": (nn.Rescaling(2.0, 1.0), X, lambda x: 2 * x + 1),
    "Normalization": (
        nn.Normalization(axis=(1, 2), mean=np.ones((5, 4)), variance=4.0),
        X,
        lambda x: (x - 1) / 2,
    ),
    "Normalization of all": (
        nn.Normalization(axis=None, mean=1.0, variance=4.0, invert=True),
        X,
        lambda x: x * 2 + 1,
    ),
}


@pytest.mark.parametrize("name", PLAIN)
def test_layers_without_variables_are_their_formulas(name: str) -> None:
    layer, x, formula = PLAIN[name]
    np.testing.assert_allclose(check_same(layer, x), formula(x), rtol=1e-12)


@pytest.mark.parametrize(
    ("equation", "sizes", "x", "bias"),
    [
        ("abc,cd->abd", (None, 3), X, (3,)),
        ("...x,xyd->...yd", (2, 3), X, (2, 3)),
        ("ab...,bd->ad...", 3, IMAGE, (3, 1, 1)),
    ],
)
def test_dense_by_an_equation(equation: str, sizes: Any, x: Any, bias: Any) -> None:
    letters = "yd" if "y" in equation else "d"
    layer = nn.EinsumDense(equation, sizes, bias_axes=letters, bias_initializer="uniform")
    found = check_same(layer, x)
    assert layer.bias.shape == bias
    np.testing.assert_allclose(found, np.einsum(equation, x, layer.kernel) + layer.bias.numpy())
    with pytest.raises(ShapeError, match="gives 'b' the size 9"):
        nn.EinsumDense("abc,cd->abd", (9, 3))(X)


def test_alpha_dropout_keeps_mean_and_variance() -> None:
    found = nn.AlphaDropout(0.3, seed=1)(drawn((200, 200)), training=True)
    assert abs(found.mean()) < 0.02
    assert abs(found.var() - 1) < 0.03


MERGES: dict[str, tuple[Any, Any]] = {
    "Add": (nn.Add(), lambda x, y, z: x + y + z),
    "Multiply": (nn.Multiply(), lambda x, y, z: x * y * z),
    "Average": (nn.Average(), lambda x, y, z: (x + y + z) / 3),
    "Maximum": (nn.Maximum(), lambda x, y, z: np.maximum(np.maximum(x, y), z)),
    "Minimum": (nn.Minimum(), lambda x, y, z: np.minimum(np.minimum(x, y), z)),
    "Concatenate": (nn.Concatenate(1), lambda x, y, z: np.concatenate([x, y, z], 1)),
}


@pytest.mark.parametrize("name", MERGES)
def test_merging_layers_join_a_list(name: str) -> None:
    layer, formula = MERGES[name]
    parts = [drawn((2, 3, 4), seed=k) for k in range(3)]
    np.testing.assert_array_equal(layer(parts), formula(*parts))
    np.testing.assert_array_equal(ag.function(lambda *x: layer(list(x)))(*parts), formula(*parts))


def test_a_difference_is_of_two_arrays() -> None:
    np.testing.assert_array_equal(nn.Subtract()([X, 2 * X]), -X)
    with pytest.raises(ValueError, match="takes a list of 2 arrays or more"):
        nn.Subtract()([X])


@pytest.mark.parametrize(
    ("axes", "first", "second", "terms"),
    [
        (1, (2, 5), (2, 5), "bi,bi->b"),
        ((1, 2), (2, 5, 3), (2, 4, 5), "bix,byi->bxy"),
        ((2, 1), (2, 3, 5), (2, 5, 4), "bxi,biy->bxy"),
        ((3, 1), (2, 3, 4, 5), (2, 5, 6), "bxzi,biy->bxzy"),
    ],
)
def test_dot_sums_products_along_axes(axes: Any, first: Any, second: Any, terms: str) -> None:
    x, y = drawn(first), drawn(second, seed=1)
    expected = np.einsum(terms, x, y)
    expected = expected[:, None] if expected.ndim == 1 else expected
    np.testing.assert_allclose(nn.Dot(axes)([x, y]), expected)
    cosines = nn.Dot(axes, normalize=True)([3 * x, x if first == second else y])
    assert np.abs(cosines).max() <= 1 + 1e-12


def test_depthwise_convolutions_are_grouped_ones() -> None:
    layer = nn.DepthwiseConv2D(3, strides=2, padding="same", depth_multiplier=2)
    found = check_same(layer, IMAGE)
    grouped = nn.Conv2D(6, 3, strides=2, padding="same", groups=3)
    grouped(IMAGE)
    grouped.kernel.assign(np.reshape(layer.kernel, (3, 3, 1, 6)))
    np.testing.assert_allclose(found, grouped(IMAGE), rtol=1e-6)


def test_separable_convolutions_mix_what_depthwise_ones_give() -> None:
    layer = nn.SeparableConv2D(4, (3, 2), depth_multiplier=2, activation="relu")
    found = check_same(layer, IMAGE)
    each = nn.DepthwiseConv2D((3, 2), depth_multiplier=2, use_bias=False)
    each(IMAGE)
    each.kernel.assign(layer.depthwise_kernel.numpy())
    mixed = each(IMAGE) @ layer.pointwise_kernel.numpy()[0, 0]
    np.testing.assert_allclose(found, np.maximum(mixed, 0), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("shared", [None, [1]])
def test_prelu_learns_its_slopes(shared: Any) -> None:
    layer = nn.PReLU("ones", shared_axes=shared)
    layer(X)
    assert layer.alpha.shape == ((1, 4) if shared else (5, 4))
    layer.alpha.assign(np.full(layer.alpha.shape, 0.25))
    np.testing.assert_allclose(check_same(layer, X), np.where(X > 0, X, 0.25 * X))


def test_noise_is_drawn_in_training_alone() -> None:
    x = np.ones((200, 50))
    for layer in (nn.GaussianNoise(0.5, seed=3), nn.GaussianDropout(0.2, seed=3)):
        assert layer(x) is x or np.array_equal(layer(x), x)
        noise = layer(x, training=True) - x
        assert abs(noise.mean()) < 0.02
        assert abs(noise.std() - 0.5) < 0.02
        assert not np.array_equal(layer(x, training=True), layer(x, training=True))


def test_spatial_dropout_drops_whole_channels() -> None:
    x = np.ones((4, 6, 7, 10))
    for layer, axes in ((nn.SpatialDropout2D(0.5, seed=1), (1, 2)),):
        found = layer(x, training=True)
        assert np.all(found.max(axes) == found.min(axes))
        assert set(np.unique(found)) == {0.0, 2.0}


@pytest.mark.parametrize("mode", ["concat", "sum", "ave", "mul"])
@pytest.mark.parametrize("sequences", [True, False])
def test_bidirectional_layers_read_from_both_ends(mode: str, sequences: bool) -> None:
    layer = nn.Bidirectional(nn.GRU(3, return_sequences=sequences, name="own"), merge_mode=mode)
    found = check_same(layer, X)
    forth, back = layer.forward_layer(X), layer.backward_layer(X)
    assert (layer.forward_layer.name, layer.backward_layer.name) == ("forward_own", "backward_own")
    back = back[:, ::-1] if sequences else back
    parts = {"sum": forth + back, "ave": (forth + back) / 2, "mul": forth * back}
    expected = np.concatenate([forth, back], -1) if mode == "concat" else parts[mode]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_bidirectional_layers_have_states_of_both() -> None:
    layer = nn.Bidirectional(nn.LSTM(3, return_state=True), merge_mode=None)
    y, z, *states = layer(X)
    assert [x.shape for x in (y, z, *states)] == [(2, 3)] * 6
    again = nn.Bidirectional(nn.LSTM(3, return_state=True))
    first = again(X, initial_state=states)[0]
    forth = again.forward_layer(X, initial_state=states[:2])[0]
    np.testing.assert_allclose(first[:, :3], forth)
    with pytest.raises(ValueError, match="read in one direction"):
        nn.Bidirectional(nn.LSTM(3), backward_layer=nn.LSTM(3))
    with pytest.raises(ValueError, match="merge_mode of 'both' is 'concat'"):
        nn.Bidirectional(nn.LSTM(3), merge_mode="both", name="both")


def test_a_layer_for_each_step_sees_a_larger_batch() -> None:
    layer = nn.TimeDistributed(nn.Conv2D(2, 2))
    x = drawn((2, 3, 4, 4, 1))
    found = check_same(layer, x)
    np.testing.assert_allclose(found[:, 1], layer.layer(x[:, 1]), rtol=1e-6)


class Memory(nn.Layer):
    """A cell of one's own: it adds what it is given to one state, and counts in another."""

    state_size = (3, (3, 2))

    def call(self, x: Any, states: Any) -> Any:
        total, table = states
        return (total + x, table + 1), [total + x, table + 1]


def test_cells_of_ones_own_make_steps() -> None:
    x = drawn((2, 4, 3))
    layer = nn.RNN(Memory(), return_sequences=True, return_state=True)
    (found, counts), total, table = layer(x)
    np.testing.assert_allclose(found, np.cumsum(x, axis=1))
    np.testing.assert_array_equal(counts[:, :, 0, 0], [[1, 2, 3, 4]] * 2)
    np.testing.assert_allclose(total, x.sum(1))
    np.testing.assert_array_equal(table, np.full((2, 3, 2), 4.0))
    staged = ag.function(lambda x: layer(x))(x)
    for a, b in zip((*staged[0], *staged[1:]), (found, counts, total, table), strict=True):
        np.testing.assert_allclose(a, b)
    mask = np.array([[True, False, True, False], [True] * 4])
    masked = layer(x, mask=mask)[0][0]
    np.testing.assert_allclose(masked[0], np.cumsum(x[0] * mask[0][:, None], axis=0))
    with pytest.raises(ValueError, match="has no state_size"):
        nn.RNN(nn.Dense(2))


def test_layers_of_cells_are_those_layers() -> None:
    cells = nn.RNN([nn.LSTMCell(3), nn.GRUCell(2)], return_state=True)
    found = check_same(nn.RNN(nn.LSTMCell(3)), X)
    assert found.shape == (2, 3)
    y, (h, c), (last,) = cells(X)
    lstm = nn.LSTM(3, return_sequences=True, return_state=True)
    lstm(X)
    for name in ("kernel", "recurrent_kernel", "bias"):
        getattr(lstm, name).assign(getattr(cells.cell.cells[0], name).numpy())
    seen, *states = lstm(X)
    np.testing.assert_allclose([h, c], states, rtol=1e-6)
    gru = nn.GRU(2)
    gru(seen)
    for name in ("kernel", "recurrent_kernel", "bias"):
        getattr(gru, name).assign(getattr(cells.cell.cells[1], name).numpy())
    np.testing.assert_allclose(y, gru(seen), rtol=1e-6)
    np.testing.assert_array_equal(y, last)


def test_states_last_from_call_to_call() -> None:
    layer = nn.LSTM(3, stateful=True, return_state=True)
    whole = nn.LSTM(3, return_state=True)
    layer(X), whole(X)
    for a, b in zip(layer.variables, whole.variables, strict=True):
        a.assign(b.numpy())
    layer.reset_states()
    step = ag.function(lambda x: layer(x))
    for part in (X[:, :2], X[:, 2:4], X[:, 4:]):
        found = step(part)
    np.testing.assert_allclose(found, whole(X), rtol=1e-6)
    layer.reset_states()
    np.testing.assert_allclose(layer(X), whole(X), rtol=1e-6)


def test_attention_weighs_by_products_or_sums() -> None:
    query, value, key = drawn((2, 3, 4)), drawn((2, 5, 6), seed=1), drawn((2, 5, 4), seed=2)
    mask = np.array([[True] * 5, [True, True, False, False, False]])
    found, weights = nn.Attention()(
        [query, value, key], mask=[None, mask], return_attention_scores=True
    )
    scores = np.where(mask[:, None], query @ key.swapaxes(1, 2), -1e9)
    np.testing.assert_allclose(weights, softmax(scores), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found, softmax(scores) @ value, rtol=1e-12)
    layer = nn.AdditiveAttention()
    found = layer([query, key])
    scores = np.sum(np.tanh(query[:, :, None] + key[:, None]) * layer.scale.numpy(), -1)
    np.testing.assert_allclose(found, softmax(scores) @ key, rtol=1e-5)
    causal = nn.Attention(use_scale=True)([key, key], use_causal_mask=True)
    np.testing.assert_allclose(causal[:, 0], key[:, 0])


def test_normalization_adapts_to_data() -> None:
    data = drawn((50, 3)) * [1.0, 2.0, 3.0] + [0.0, 10.0, -5.0]
    layer, parts = nn.Normalization(), nn.Normalization()
    layer.adapt(data)
    np.testing.assert_allclose(layer(data).mean(0), 0, atol=1e-12)
    np.testing.assert_allclose(layer(data).std(0), 1)
    parts.adapt(ag.data.Dataset.from_arrays(data).batch(20))
    np.testing.assert_allclose(parts(data), layer(data), rtol=1e-6)
    assert not nn.parameters(layer)
    with pytest.raises(ValueError, match="both mean and variance"):
        nn.Normalization(mean=1.0)
    with pytest.raises(ValueError, match="does not adapt"):
        nn.Normalization(mean=1.0, variance=1.0).adapt(data)


def test_three_axes_are_convolved_and_pooled() -> None:
    x = drawn((2, 4, 5, 6, 3))
    layer = nn.Conv3D(2, (1, 2, 2), strides=(2, 1, 1))
    found = check_same(layer, x)
    flat = nn.Conv2D(2, 2)
    flat(x[:, 0])
    flat.kernel.assign(layer.kernel.numpy()[0])
    np.testing.assert_allclose(found[:, 1], flat(x[:, 2]), rtol=1e-6)
    np.testing.assert_array_equal(nn.MaxPooling3D((1, 2, 2))(x)[:, 2], nn.MaxPooling2D()(x[:, 2]))
    np.testing.assert_allclose(nn.GlobalAveragePooling3D()(x), x.mean((1, 2, 3)))
    np.testing.assert_allclose(
        nn.AveragePooling3D(4)(x)[0, 0, 0, 0], x[0, :, :4, :4].mean((0, 1, 2))
    )


def test_means_do_not_count_masked_steps() -> None:
    mask = np.array([[True, True, False, False, False], [True] * 5])
    found = nn.GlobalAveragePooling1D()(X, mask=mask)
    np.testing.assert_allclose(found, [X[0, :2].mean(0), X[1].mean(0)])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: nn.ZeroPadding2D((1, 2, 3), name="pad"),
            "'pad' takes a number, one for each of 2",
        ),
        (lambda: nn.Permute((1, 3), name="turn"), "dims of 'turn' are the numbers 1 to 2"),
        (lambda: nn.UpSampling2D(interpolation="cubic", name="up"), "'up' repeats elements"),
        (lambda: nn.ReLU(negative_slope=-1.0, name="r"), "of 'r' are 0 or more"),
        (lambda: nn.GaussianDropout(1.0, name="g"), "the rate of 'g'"),
        (lambda: nn.GaussianNoise(-1.0, name="g"), "the noise of 'g'"),
        (lambda: nn.Dot(0, name="d"), "axes of 'd'"),
        (lambda: nn.Normalization(axis=0, name="n").adapt(X), "axis of 'n' is not that of the"),
        (lambda: nn.Normalization(name="n").adapt([]), "'n' adapts to data, and there are none"),
    ],
)
def test_what_layers_do_not_take_is_told(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
