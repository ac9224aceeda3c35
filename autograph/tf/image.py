"""`tf.image`: pictures `[..., height, width, channels]` as tensors, changed in graphs.

Comes in: one picture, or a batch of them. Sizes that are asked for are known while tracing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf import random as tf_random
from autograph.tf.absent import missing_from
from autograph.tf.colours import (
    adjust_gamma,
    adjust_hue,
    adjust_saturation,
    hsv_to_rgb,
    image_gradients,
    psnr,
    random_hue,
    random_saturation,
    rgb_to_hsv,
    rgb_to_yiq,
    rgb_to_yuv,
    sobel_edges,
    total_variation,
    yiq_to_rgb,
    yuv_to_rgb,
)
from autograph.tf.debugging import need
from autograph.tf.errors import translating
from autograph.tf.pictures import in_floats, scaled
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime.errors import ShapeError

__all__ = [
    "ResizeMethod",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_saturation",
    "central_crop",
    "convert_image_dtype",
    "crop_to_bounding_box",
    "flip_left_right",
    "flip_up_down",
    "grayscale_to_rgb",
    "hsv_to_rgb",
    "image_gradients",
    "pad_to_bounding_box",
    "per_image_standardization",
    "psnr",
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_hue",
    "random_saturation",
    "resize",
    "resize_with_crop_or_pad",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "rgb_to_yiq",
    "rgb_to_yuv",
    "rot90",
    "sobel_edges",
    "total_variation",
    "transpose",
    "yiq_to_rgb",
    "yuv_to_rgb",
]


class ResizeMethod:
    """How `resize` computes elements: by lines between the nearest ones, or by the nearest."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"


def _picture(image: Any) -> Any:
    """Return a tensor; ShapeError unless it is one picture, or a batch of them."""
    found = convert_to_tensor(image)
    if found.ndim not in (3, 4):
        raise ShapeError(
            f"an image has the shape [height, width, channels], or [batch, height, width, "
            f"channels], and not {found.ndim} dimensions"
        )
    return found


def _reversed(axis: int, what: str) -> Callable[..., Any]:
    def flip(image: Any, name: Any = None) -> Any:
        with translating():
            return as_result(rnp.flip(_picture(image), axis))

    flip.__doc__ = f"Return pictures {what}."
    return flip


flip_left_right = _reversed(-2, "with left and right exchanged")
flip_up_down = _reversed(-3, "upside down")


def transpose(image: Any, name: Any = None) -> Any:
    """Return pictures with rows and columns exchanged."""
    with translating():
        return as_result(rnp.swapaxes(_picture(image), -3, -2))


def rot90(image: Any, k: int = 1, name: Any = None) -> Any:
    """Return pictures turned by `k` quarters, against the clock."""
    with translating():
        return as_result(rnp.rot90(_picture(image), k, (-3, -2)))


def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: Any = None) -> Any:
    """Return a picture of another dtype, scaled: floats are from 0 to 1, integers use their range.

    >>> from autograph import tf
    >>> tf.image.convert_image_dtype(tf.constant([[[0], [255]]], tf.uint8), tf.float32).numpy()
    array([[[0.],
            [1.]]], dtype=float32)
    """
    with translating():
        return as_result(scaled(convert_to_tensor(image), np.dtype(dtype), saturate))


def adjust_brightness(image: Any, delta: Any) -> Any:
    """Return a picture that is brighter by `delta`, of which 1 is the whole range."""
    return in_floats(image, lambda x: x + convert_to_tensor(delta, x.dtype))


def adjust_contrast(images: Any, contrast_factor: Any) -> Any:
    """Return pictures with each channel further from its mean by a factor."""

    def further(x: Any) -> Any:
        mean = rnp.mean(x, axis=(-3, -2), keepdims=True)
        return (x - mean) * convert_to_tensor(contrast_factor, x.dtype) + mean

    return in_floats(images, further)


def per_image_standardization(image: Any) -> Any:
    """Return pictures with mean 0 and deviation 1; that is `1 / sqrt(size)` at least before.

    >>> from autograph import tf
    >>> tf.image.per_image_standardization(tf.constant([[[1.0], [3.0]]])).numpy()
    array([[[-1.],
            [ 1.]]], dtype=float32)
    """
    with translating():
        x = _picture(image)
        x = x.astype(np.float32) if np.dtype(x.dtype).kind != "f" else x
        axes = (-3, -2, -1)
        count = np.prod([x.shape[k] for k in axes])
        mean = rnp.mean(x, axis=axes, keepdims=True)
        least = 1 / rnp.sqrt(rnp.asarray(count, dtype=x.dtype))
        deviation = rnp.maximum(rnp.std(x, axis=axes, keepdims=True), least)
        return as_result((x - mean) / deviation)


GREY = (0.2989, 0.5870, 0.1140)
"""The parts of red, green and blue in grey."""


def rgb_to_grayscale(images: Any, name: Any = None) -> Any:
    """Return pictures in grey, with one channel."""
    with translating():
        x = convert_to_tensor(images)
        kind = np.dtype(x.dtype)
        floats = scaled(x, np.dtype(np.float32), False) if kind.kind != "f" else x
        parts = np.array(GREY, np.dtype(floats.dtype))
        return as_result(scaled(rnp.sum(floats * parts, axis=-1, keepdims=True), kind, False))


def grayscale_to_rgb(images: Any, name: Any = None) -> Any:
    """Return pictures of one channel with three, which are the same."""
    with translating():
        x = convert_to_tensor(images)
        return as_result(rnp.repeat(x, 3, axis=-1))


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: int, target_width: int
) -> Any:
    """Return the part of pictures from a place on, of a size; InvalidArgumentError outside."""
    with translating():
        x = _picture(image)
        for axis, first, size in (
            (-3, offset_height, target_height),
            (-2, offset_width, target_width),
        ):
            need(rnp.greater_equal(first, 0), "a part of a picture begins at 0 or after it")
            x = rnp.take(x, first + np.arange(size), axis=axis)
        return as_result(x)


def pad_to_bounding_box(
    image: Any, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> Any:
    """Return pictures at a place of larger ones that are 0 elsewhere."""
    with translating():
        x = _picture(image)
        below = target_height - offset_height - x.shape[-3]
        beside = target_width - offset_width - x.shape[-2]
        if min(offset_height, offset_width, below, beside) < 0:
            raise ShapeError(
                f"an image of {x.shape[-3]} by {x.shape[-2]} at ({offset_height}, {offset_width}) "
                f"does not fit into one of {target_height} by {target_width}"
            )
        widths = [(0, 0)] * (x.ndim - 3) + [(offset_height, below), (offset_width, beside), (0, 0)]
        return as_result(rnp.pad(x, widths))


def central_crop(image: Any, central_fraction: float) -> Any:
    """Return the middle of pictures: a part of their height and width."""
    if not 0 < central_fraction <= 1:
        raise ValueError(f"central_fraction is above 0 and at most 1, not {central_fraction}")
    with translating():
        x = _picture(image)
        places = []
        for size in x.shape[-3:-1]:
            first = int((size - size * central_fraction) / 2)
            places.append(slice(first, first + size - 2 * first))
        return as_result(x[(..., *places, slice(None))])


def resize_with_crop_or_pad(image: Any, target_height: int, target_width: int) -> Any:
    """Return pictures of a size: their middle where they are larger, with zeros where smaller."""
    with translating():
        x = _picture(image)
        (height, width), wanted = x.shape[-3:-1], (target_height, target_width)
        sizes = list(zip((height, width), wanted, strict=True))
        first = [max((n - size) // 2, 0) for n, size in sizes]
        kept = [min(n, size) for n, size in sizes]
        x = x[..., first[0] : first[0] + kept[0], first[1] : first[1] + kept[1], :]
        before = [max((size - n) // 2, 0) for n, size in sizes]
        return pad_to_bounding_box(x, before[0], before[1], target_height, target_width)


def resize(
    images: Any,
    size: Any,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: Any = None,
) -> Any:
    """Return pictures of another size, `float32` unless elements are the nearest ones.

    Args:
        images: one picture, or a batch of them.
        size: the new height and width, known while tracing.
        method: `"bilinear"` or `"nearest"`; centers of elements lie at halves.
        preserve_aspect_ratio: whether the size is the largest, and both are scaled alike.
        antialias: must be False.
        name: TensorFlow's, without an effect.

    >>> from autograph import tf
    >>> tf.image.resize(tf.constant([[[0.0], [1.0]]]), [1, 4]).numpy().ravel()
    array([0.  , 0.25, 0.75, 1.  ], dtype=float32)
    """
    if antialias or method not in (ResizeMethod.BILINEAR, ResizeMethod.NEAREST_NEIGHBOR):
        raise NotImplementedError(
            "resize has the methods 'bilinear' and 'nearest' here, without antialias; other ones "
            "are a call of a library for pictures in tf.numpy_function"
        )
    with translating():
        x = _picture(images)
        wanted = [int(n) for n in np.asarray(size)]
        if preserve_aspect_ratio:
            scale = min(n / m for n, m in zip(wanted, x.shape[-3:-1], strict=True))
            wanted = [round(scale * m) for m in x.shape[-3:-1]]
        if method == ResizeMethod.NEAREST_NEIGHBOR:
            for axis, n in zip((-3, -2), wanted, strict=True):
                x = rnp.take(x, _nearest(x.shape[axis], n), axis=axis)
            return as_result(x)
        if list(x.shape[-3:-1]) == wanted:
            return as_result(x.astype(np.float32))
        x = x.astype(np.float32)
        for axis, n in zip((-2, -3), wanted[::-1], strict=True):
            x = _between(x, axis, n)
        return as_result(x)


def _nearest(size: int, wanted: int) -> Any:
    centers = (np.arange(wanted, dtype=np.float32) + np.float32(0.5)) * np.float32(size / wanted)
    return np.minimum(np.floor(centers).astype(np.int64), size - 1)


def _between(x: Any, axis: int, wanted: int) -> Any:
    """Return elements along an axis at the centers of others, on lines between the nearest."""
    size = x.shape[axis]
    scale = np.float32(size) / np.float32(wanted)
    places = (np.arange(wanted, dtype=np.float32) + np.float32(0.5)) * scale - np.float32(0.5)
    low = np.floor(places)
    part = (places - low).reshape((-1,) + (1,) * (-axis - 1))
    first = rnp.take(x, np.clip(low.astype(np.int64), 0, size - 1), axis=axis)
    second = rnp.take(x, np.clip(low.astype(np.int64) + 1, 0, size - 1), axis=axis)
    return first + (second - first) * part


def _with_chance(flip: Callable[..., Any], what: str) -> Callable[..., Any]:
    def maybe(image: Any, seed: Any = None) -> Any:
        with translating():
            x = _picture(image)
            shape = (x.shape[0], 1, 1, 1) if x.ndim == 4 else ()
            return as_result(rnp.where(tf_random.uniform(shape, seed=seed) < 0.5, flip(x), x))

    maybe.__doc__ = f"Return pictures {what} with chance one half, each by itself."
    return maybe


random_flip_left_right = _with_chance(flip_left_right, "with left and right exchanged")
random_flip_up_down = _with_chance(flip_up_down, "upside down")


def random_brightness(image: Any, max_delta: float, seed: Any = None) -> Any:
    """Return a picture brighter by a random number between `-max_delta` and `max_delta`."""
    if max_delta < 0:
        raise ValueError("max_delta is not negative")
    return adjust_brightness(image, tf_random.uniform((), -max_delta, max_delta, seed=seed))


def random_contrast(image: Any, lower: float, upper: float, seed: Any = None) -> Any:
    """Return a picture with contrast by a random factor between two."""
    if not 0 <= lower < upper:
        raise ValueError("lower is not negative, and less than upper")
    return adjust_contrast(image, tf_random.uniform((), lower, upper, seed=seed))


def random_crop(value: Any, size: Any, seed: Any = None, name: Any = None) -> Any:
    """Return a part of a tensor, of a size, at a random place."""
    with translating():
        x = convert_to_tensor(value)
        sizes = [int(n) for n in np.asarray(size)]
        if len(sizes) != x.ndim or any(n > m for n, m in zip(sizes, x.shape, strict=True)):
            raise ShapeError(f"a part of the shape {tuple(sizes)} is in no {tuple(x.shape)}")
        for axis, n in enumerate(sizes):
            if n < x.shape[axis]:
                place = tf_random.uniform((), 0, x.shape[axis] - n + 1, "int64", seed=seed)
                x = rnp.take(x, place + np.arange(n), axis=axis)
        return as_result(x)


for _name in ("flip_left_right", "flip_up_down", "random_flip_left_right", "random_flip_up_down"):
    globals()[_name].__name__ = globals()[_name].__qualname__ = _name
__getattr__ = missing_from("autograph.tf.image", globals())
