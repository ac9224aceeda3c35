"""Colours of pictures in other terms, and how much their elements differ from their neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf import random as tf_random
from autograph.tf.errors import translating
from autograph.tf.pictures import in_floats, need_delta, need_factors, scaled
from autograph.tf.tensors import as_result, convert_to_tensor, pair, takes
from runtime.errors import ShapeError

YIQ = (
    (0.299, 0.59590059, 0.2115),
    (0.587, -0.27455667, -0.52273617),
    (0.114, -0.32134392, 0.31119955),
)
FROM_YIQ = (
    (1.0, 1.0, 1.0),
    (0.95598634, -0.27201283, -1.10674021),
    (0.6208248, -0.64720424, 1.70423049),
)
YUV = (
    (0.299, -0.14714119, 0.61497538),
    (0.587, -0.28886916, -0.51496512),
    (0.114, 0.43601035, -0.10001026),
)
FROM_YUV = ((1.0, 1.0, 1.0), (0.0, -0.394642334, 2.03206185), (1.13988303, -0.58062185, 0.0))
"""What TensorFlow multiplies red, green and blue with, and what it multiplies to get them."""


def _multiplied(name: str, matrix: Any, what: str) -> Callable[..., Any]:
    def public(images: Any) -> Any:
        return rnp.matmul(images, np.array(matrix, images.dtype))

    public.__name__ = public.__qualname__ = name
    public.__doc__ = f"Return {what}, along the last axis."
    return takes(1)(public)


rgb_to_yiq = _multiplied("rgb_to_yiq", YIQ, "brightness, I and Q of red, green and blue")
yiq_to_rgb = _multiplied("yiq_to_rgb", FROM_YIQ, "red, green and blue of brightness, I and Q")
rgb_to_yuv = _multiplied("rgb_to_yuv", YUV, "brightness, U and V of red, green and blue")
yuv_to_rgb = _multiplied("yuv_to_rgb", FROM_YUV, "red, green and blue of brightness, U and V")


@takes(1)
def rgb_to_hsv(images: Any) -> Any:
    """Return hue, saturation and value of red, green and blue, from 0 to 1 (Smith, 1978)."""
    r, g, b = (images[..., k] for k in range(3))
    value = rnp.max(images, axis=-1)
    spread = value - rnp.min(images, axis=-1)
    whole = rnp.where(spread > 0, spread, 1) * 6
    two, four = images.dtype.type(2 / 6), images.dtype.type(4 / 6)
    of_others = rnp.where(value == g, (b - r) / whole + two, (r - g) / whole + four)
    hue = rnp.where(value == r, (g - b) / whole, of_others)
    hue = rnp.where(spread > 0, hue, 0)
    saturation = rnp.where(value > 0, spread / rnp.where(value > 0, value, 1), 0)
    return rnp.stack([rnp.where(hue < 0, hue + 1, hue), saturation, value], axis=-1)


@takes(1)
def hsv_to_rgb(images: Any) -> Any:
    """Return red, green and blue of hue, saturation and value, from 0 to 1."""
    hue, saturation, value = (images[..., k, None] for k in range(3))
    part = hue * 6
    near = rnp.concatenate(
        [rnp.abs(part - 3) - 1, 2 - rnp.abs(part - 2), 2 - rnp.abs(part - 4)], axis=-1
    )
    return (1 - saturation + saturation * rnp.clip(near, 0, 1)) * value


def adjust_hue(image: Any, delta: Any, name: Any = None) -> Any:
    """Return pictures whose hue is turned by `delta`, of which 1 is the whole circle."""

    def turned(x: Any) -> Any:
        hsv = rgb_to_hsv(x)
        hue = (hsv[..., :1] + convert_to_tensor(delta, x.dtype)) % 1
        return hsv_to_rgb(rnp.concatenate([hue, hsv[..., 1:]], axis=-1))

    return in_floats(image, turned)


def adjust_saturation(image: Any, saturation_factor: Any, name: Any = None) -> Any:
    """Return pictures whose saturation is that times a factor, and 1 at most."""

    def saturated(x: Any) -> Any:
        hsv = rgb_to_hsv(x)
        more = rnp.clip(hsv[..., 1:2] * convert_to_tensor(saturation_factor, x.dtype), 0, 1)
        return hsv_to_rgb(rnp.concatenate([hsv[..., :1], more, hsv[..., 2:]], axis=-1))

    return in_floats(image, saturated)


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Any:
    """Return pictures whose elements, from 0 to 1, are `gain` times their power `gamma`."""
    return in_floats(image, lambda x: x ** convert_to_tensor(gamma, x.dtype) * gain)


def random_hue(image: Any, max_delta: float, seed: Any = None) -> Any:
    """Return a picture whose hue is turned by a random number up to `max_delta`, either way."""
    need_delta(max_delta, 0.5)
    return adjust_hue(image, tf_random.uniform((), -max_delta, max_delta, seed=seed))


def random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Any:
    """Return a picture whose saturation is that times a random factor between two."""
    need_factors(lower, upper)
    return adjust_saturation(image, tf_random.uniform((), lower, upper, seed=seed))


@takes(1)
def total_variation(images: Any) -> Any:
    """Return the sum of the differences of neighbours of each picture, without their signs."""
    axes = (-3, -2, -1)
    down = rnp.abs(images[..., 1:, :, :] - images[..., :-1, :, :])
    along = rnp.abs(images[..., 1:, :] - images[..., :-1, :])
    return rnp.sum(down, axis=axes) + rnp.sum(along, axis=axes)


@takes(1)
def image_gradients(image: Any) -> Any:
    """Return how much the next row, and the next column, differ; zeros in the last ones."""
    if image.ndim != 4:
        raise ShapeError(
            f"image_gradients takes [batch, height, width, channels], not {image.ndim}"
        )
    down, along = image[:, 1:] - image[:, :-1], image[:, :, 1:] - image[:, :, :-1]
    rows = rnp.concatenate([down, rnp.zeros_like(image[:, :1])], axis=1)
    return rows, rnp.concatenate([along, rnp.zeros_like(image[:, :, :1])], axis=2)


@takes(1)
def sobel_edges(image: Any) -> Any:
    """Return Sobel's differences of rows and of columns, in a last axis of size 2."""
    x = rnp.pad(image, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="reflect")
    down, along = x[:, 2:] - x[:, :-2], x[:, :, 2:] - x[:, :, :-2]
    rows = down[:, :, :-2] + 2 * down[:, :, 1:-1] + down[:, :, 2:]
    return rnp.stack([rows, along[:, :-2] + 2 * along[:, 1:-1] + along[:, 2:]], axis=-1)


def psnr(a: Any, b: Any, max_val: float, name: Any = None) -> Any:
    """Return the ratio of the largest value to the difference of pictures, in decibels."""
    with translating():
        x, y = (scaled(z, np.dtype(np.float32), False) for z in pair(a, b))
        kind = np.dtype(convert_to_tensor(a).dtype)
        top = np.float32(max_val / (1 if kind.kind == "f" else np.iinfo(kind).max))
        error = rnp.mean((x - y) ** 2, axis=(-3, -2, -1))
        of_top = np.float32(20 * np.log10(top))
        return as_result(of_top - np.float32(10 / np.log(10)) * rnp.log(error))
