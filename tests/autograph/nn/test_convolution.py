"""Convolution and pooling against loops over windows, eagerly and staged, with gradients."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import nn
from tests.autograph.nn.same import check_same, drawn


def around(n: int, size: int, step: int, gap: int, padding: str) -> tuple[int, int]:
    """Return how much TensorFlow pads, before and after."""
    if padding == "valid":
        return 0, 0
    if padding == "causal":
        return (size - 1) * gap, 0
    missing = max((-(-n // step) - 1) * step + (size - 1) * gap + 1 - n, 0)
    return missing // 2, missing - missing // 2


def each_window(x: Any, size: Any, step: Any, gap: Any, padding: str, value: float = 0.0) -> Any:
    """Yield each place of the result, and the window `[batch, *size, channels]` that is there."""
    sides = [around(*one, padding) for one in zip(x.shape[1:-1], size, step, gap, strict=True)]
    x = np.pad(x, [(0, 0), *sides, (0, 0)], constant_values=value)
    spans = [(k - 1) * g + 1 for k, g in zip(size, gap, strict=True)]
    counts = [(n - s) // t + 1 for n, s, t in zip(x.shape[1:-1], spans, step, strict=True)]
    for place in product(*map(range, counts)):
        starts = [p * t for p, t in zip(place, step, strict=True)]
        cut = [slice(a, a + s, g) for a, s, g in zip(starts, spans, gap, strict=True)]
        yield place, x[(slice(None), *cut)]


def convolution(layer: Any, x: Any) -> Any:
    """Return what a layer of convolution gives, window by window and group by group."""
    kernel, groups = layer.kernel.numpy(), layer.groups
    y: dict[Any, Any] = {}
    for place, window in each_window(
        x, layer.kernel_size, layer.strides, layer.dilation_rate, layer.padding
    ):
        inputs = np.split(window, groups, axis=-1)
        outputs = np.split(kernel, groups, axis=-1)
        axes = len(layer.kernel_size) + 1
        pairs = zip(inputs, outputs, strict=True)
        parts = [np.tensordot(a, k, (range(1, axes + 1), range(axes))) for a, k in pairs]
        y[place] = np.concatenate(parts, axis=-1) + layer.bias.numpy()
    return stacked(y)


def stacked(y: dict[Any, Any]) -> Any:
    sizes = [1 + max(place[k] for place in y) for k in range(len(next(iter(y))))]
    rows = np.stack(list(y.values()), axis=1)
    return rows.reshape(len(rows), *sizes, -1)


CONVOLUTIONS = {
    "valid": lambda **o: nn.Conv2D(3, 3, **o),
    "same": lambda **o: nn.Conv2D(4, (3, 2), strides=2, padding="same", **o),
    "dilated": lambda **o: nn.Conv2D(3, 2, dilation_rate=(2, 3), padding="same", **o),
    "groups": lambda **o: nn.Conv2D(6, 2, groups=2, strides=(1, 2), **o),
    "few filters": lambda **o: nn.Conv2D(2, (4, 3), **o),
    "few filters, same": lambda **o: nn.Conv2D(2, (4, 3), padding="same", **o),
    "few filters, dilated": lambda **o: nn.Conv2D(1, 2, dilation_rate=(3, 2), **o),
    "one axis, few filters": lambda **o: nn.Conv1D(1, 6, padding="same", **o),
    "one axis": lambda **o: nn.Conv1D(3, 3, strides=2, padding="same", **o),
    "one axis, causal": lambda **o: nn.Conv1D(2, 3, padding="causal", dilation_rate=2, **o),
    "one axis, groups": lambda **o: nn.Conv1D(4, 2, groups=4, dilation_rate=2, **o),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_a_convolution_is_the_sum_over_each_window(case: str, dtype: Any) -> None:
    layer = CONVOLUTIONS[case](bias_initializer="ones")
    x = drawn((2, 7, 4) if "axis" in case else (2, 7, 6, 4), dtype)
    y = check_same(layer, x)
    assert y.dtype == dtype
    np.testing.assert_allclose(y, convolution(layer, x), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "case", ["valid", "same", "groups", "one axis", "few filters", "few filters, same"]
)
def test_gradients_of_inputs_are_those_of_small_steps(case: str) -> None:
    layer = CONVOLUTIONS[case]()
    x = drawn((2, 7, 4) if "axis" in case else (2, 7, 6, 4))
    pull, step = drawn(layer(x).shape, seed=1), drawn(x.shape, seed=2)
    gradient = ag.grad(lambda x: np.sum(layer(x) * pull))(x)
    np.testing.assert_allclose(np.sum(gradient * step), np.sum((layer(x + step) - layer(x)) * pull))


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.Conv2DTranspose(3, 3, strides=2, padding="same"), (2, 3, 4, 2)),
        (nn.Conv2DTranspose(3, (3, 2), strides=(1, 3)), (2, 3, 4, 2)),
        (nn.Conv1DTranspose(2, 3, strides=2, dilation_rate=2, padding="same"), (2, 5, 3)),
    ],
    ids=["same", "valid", "one axis"],
)
def test_a_transposed_convolution_goes_back(layer: Any, shape: tuple[int, ...]) -> None:
    """It is linear, and what `convolved` gives for its result is paired with its input."""
    from autograph.nn.convolution import convolved

    x = drawn(shape)
    y = check_same(layer, x)
    pull = drawn(y.shape, seed=1)
    settings = (layer.strides, layer.padding, layer.dilation_rate)
    there = convolved(pull, layer.kernel.numpy(), *settings)
    assert there.shape == x.shape
    np.testing.assert_allclose(np.sum(y * pull), np.sum(x * there))


POOLS = {
    "tiles": {"pool_size": 2},
    "overlap": {"pool_size": 3, "strides": 2},
    "same": {"pool_size": (3, 2), "strides": (2, 3), "padding": "same"},
}


@pytest.mark.parametrize("case", POOLS)
def test_windows_are_pooled(case: str) -> None:
    x = drawn((2, 6, 8, 3))
    for kind, reduce, value in (
        (nn.MaxPooling2D, np.max, -np.inf),
        (nn.AveragePooling2D, np.nanmean, np.nan),
    ):
        layer = kind(**POOLS[case])
        found = each_window(x, layer.pool_size, layer.strides, (1, 1), layer.padding, value)
        expected = stacked({place: reduce(window, axis=(1, 2)) for place, window in found})
        np.testing.assert_allclose(check_same(layer, x), expected)
        step = drawn(x.shape, seed=1) * 1e-6
        gradient = ag.grad(lambda x: np.sum(layer(x) ** 2))(x)  # noqa: B023
        change = np.sum(layer(x + step) ** 2 - layer(x - step) ** 2)
        np.testing.assert_allclose(2 * np.sum(gradient * step), change, rtol=1e-4)


def test_steps_and_whole_axes_are_pooled() -> None:
    x = drawn((2, 6, 3))
    for kind, pool in ((nn.MaxPooling1D, np.max), (nn.AveragePooling1D, np.mean)):
        expected = pool(x.reshape(2, 3, 2, 3), axis=2)
        np.testing.assert_allclose(check_same(kind(2), x), expected)
    np.testing.assert_allclose(check_same(nn.GlobalAveragePooling1D(), x), x.mean(1))
    np.testing.assert_allclose(
        check_same(nn.GlobalMaxPooling1D(keepdims=True), x), x.max(1)[:, None]
    )
    image = x.reshape(2, 2, 3, 3)
    np.testing.assert_allclose(check_same(nn.GlobalMaxPooling2D(), image), x.max(1))
    np.testing.assert_allclose(check_same(nn.GlobalAveragePooling2D(), image), x.mean(1))


REFUSED = {
    "rank": (lambda: nn.Conv2D(3, 3, name="c")(np.ones((2, 3))), "'c' .* takes inputs of 4 dim"),
    "channels": (lambda: nn.Conv1D(4, 3, groups=2, name="c")(np.ones((1, 4, 3))), "3 is none of 2"),
    "filters": (lambda: nn.Conv1D(3, 3, groups=2, name="c"), "'c' is a multiple of groups, and 3"),
    "window": (lambda: nn.Conv1D(3, 5)(np.ones((1, 4, 3))), "a window of 5 .* than an axis of 4"),
    "pool": (lambda: nn.MaxPooling1D(5)(np.ones((1, 4, 3))), "a window of 5 .* than an axis of 4"),
    "padding": (lambda: nn.Conv1D(3, 3, padding="full", name="c"), "padding of 'c' is 'valid' or"),
    "format": (
        lambda: nn.MaxPooling2D(2, data_format="channels_first", name="m"),
        "'m' takes arrays with the channels last, not 'channels_first'",
    ),
    "axes": (lambda: nn.Conv2D(3, (1, 2, 3), name="c"), r"kernel_size of 'c' is one number or 2"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_is_said_with_the_name_of_the_layer(case: str) -> None:
    program, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        program()


def test_sizes_of_images_need_not_be_known() -> None:
    layers = [
        nn.Conv2D(3, 2, strides=2, padding="same"),
        nn.MaxPooling2D(),
        nn.AveragePooling2D(2, padding="same"),
        nn.Conv2DTranspose(2, 3, strides=2, padding="same"),
    ]
    model = nn.Sequential(layers)
    model(drawn((2, 8, 8, 1)))
    spec = ag.TensorSpec([None, None, None, 1], np.float64)
    staged = ag.function(lambda x: model(x), input_signature=[spec])
    for shape in ((2, 8, 8, 1), (1, 9, 11, 1)):
        np.testing.assert_allclose(staged(drawn(shape)), model(drawn(shape)))
    assert staged.trace_count == 1


def test_convolutions_of_few_filters_do_not_copy_windows() -> None:
    x = drawn((2, 9, 9, 8), np.float32)
    few, many = nn.Conv2D(1, 7, padding="same"), nn.Conv2D(8, 7, padding="same")
    sizes = {}
    for layer in (few, many):
        layer(x)
        staged = ag.function(lambda x, layer=layer: layer(x))
        nodes = staged.get_concrete_function(x).traced_graph.nodes
        sizes[layer] = max(math.prod(r.spec.shape) for node in nodes for r in node.results)
    assert sizes[few] <= 2 * 9 * 9 * 49
    assert sizes[many] >= 2 * 9 * 9 * 49 * 8
