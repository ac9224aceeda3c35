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
from autograph.tf.image_windows import crop_and_resize, extract_patches, non_max_suppression, ssim
from autograph.tf.pictures import (
    adjust_brightness,
    adjust_contrast,
    flip_left_right,
    flip_up_down,
    need_delta,
    need_factors,
    picture,
    rot90,
    scaled,
    transpose,
)
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
    "crop_and_resize",
    "crop_to_bounding_box",
    "extract_patches",
    "flip_left_right",
    "flip_up_down",
    "grayscale_to_rgb",
    "hsv_to_rgb",
    "image_gradients",
    "non_max_suppression",
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
    "ssim",
    "stateless_random_brightness",
    "stateless_random_contrast",
    "stateless_random_crop",
    "stateless_random_flip_left_right",
    "stateless_random_flip_up_down",
    "stateless_random_hue",
    "stateless_random_saturation",
    "total_variation",
    "transpose",
    "yiq_to_rgb",
    "yuv_to_rgb",
]


class ResizeMethod:
    """How `resize` computes elements: by lines between the nearest ones, or by the nearest."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"


def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: Any = None) -> Any:
    """Return a picture of another dtype, scaled: floats are from 0 to 1, integers use their range.

    >>> from autograph import tf
    >>> tf.image.convert_image_dtype(tf.constant([[[0], [255]]], tf.uint8), tf.float32).numpy()
    array([[[0.],
            [1.]]], dtype=float32)
    """
    with translating():
        return as_result(scaled(convert_to_tensor(image), np.dtype(dtype), saturate))


def per_image_standardization(image: Any) -> Any:
    """Return pictures with mean 0 and deviation 1; that is `1 / sqrt(size)` at least before.

    >>> from autograph import tf
    >>> tf.image.per_image_standardization(tf.constant([[[1.0], [3.0]]])).numpy()
    array([[[-1.],
            [ 1.]]], dtype=float32)
    """
    with translating():
        x = picture(image)
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
        x = picture(image)
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
        x = picture(image)
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
        x = picture(image)
        places = []
        for size in x.shape[-3:-1]:
            first = int((size - size * central_fraction) / 2)
            places.append(slice(first, first + size - 2 * first))
        return as_result(x[(..., *places, slice(None))])


def resize_with_crop_or_pad(image: Any, target_height: int, target_width: int) -> Any:
    """Return pictures of a size: their middle where they are larger, with zeros where smaller."""
    with translating():
        x = picture(image)
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
        x = picture(images)
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
            x = picture(image)
            shape = (x.shape[0], 1, 1, 1) if x.ndim == 4 else ()
            return as_result(rnp.where(tf_random.uniform(shape, seed=seed) < 0.5, flip(x), x))

    maybe.__doc__ = f"Return pictures {what} with chance one half, each by itself."
    return maybe


random_flip_left_right = _with_chance(flip_left_right, "with left and right exchanged")
random_flip_up_down = _with_chance(flip_up_down, "upside down")


def random_brightness(image: Any, max_delta: float, seed: Any = None) -> Any:
    """Return a picture brighter by a random number between `-max_delta` and `max_delta`."""
    need_delta(max_delta)
    return adjust_brightness(image, tf_random.uniform((), -max_delta, max_delta, seed=seed))


def random_contrast(image: Any, lower: float, upper: float, seed: Any = None) -> Any:
    """Return a picture with contrast by a random factor between two."""
    need_factors(lower, upper)
    return adjust_contrast(image, tf_random.uniform((), lower, upper, seed=seed))


def random_crop(value: Any, size: Any, seed: Any = None, name: Any = None) -> Any:
    """Return a part of a tensor, of a size, at a random place."""
    with translating():
        x, sizes = _cut(value, size)
        for axis, n in enumerate(sizes):
            if n < x.shape[axis]:
                place = tf_random.uniform((), 0, x.shape[axis] - n + 1, "int64", seed=seed)
                x = rnp.take(x, place + np.arange(n), axis=axis)
        return as_result(x)


def _cut(value: Any, size: Any) -> tuple[Any, list[int]]:
    """Return a tensor and the sizes of a part of it; ShapeError where it has no such part."""
    x = convert_to_tensor(value)
    sizes = [int(n) for n in np.asarray(size)]
    if len(sizes) != x.ndim or any(n > m for n, m in zip(sizes, x.shape, strict=True)):
        raise ShapeError(f"a part of the shape {tuple(sizes)} is in no {tuple(x.shape)}")
    return x, sizes


def _flipped_by_seed(flip: Callable[..., Any], what: str) -> Callable[..., Any]:
    def maybe(image: Any, seed: Any) -> Any:
        with translating():
            x = picture(image)
            shape = (x.shape[0], 1, 1, 1) if x.ndim == 4 else ()
            drawn = tf_random.stateless_uniform(shape, seed)
            return as_result(rnp.where(drawn < 0.5, flip(x), x))

    maybe.__doc__ = f"Return pictures {what} with chance one half, as a seed of two numbers says."
    return maybe


stateless_random_flip_left_right = _flipped_by_seed(
    flip_left_right, "with left and right exchanged"
)
stateless_random_flip_up_down = _flipped_by_seed(flip_up_down, "upside down")


def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Any:
    """Return what `random_brightness` does, of a seed of two numbers: equal for equal seeds."""
    need_delta(max_delta)
    return adjust_brightness(image, tf_random.stateless_uniform((), seed, -max_delta, max_delta))


def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Any:
    """Return what `random_contrast` does, of a seed of two numbers: equal for equal seeds."""
    need_factors(lower, upper)
    return adjust_contrast(image, tf_random.stateless_uniform((), seed, lower, upper))


def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Any:
    """Return what `random_hue` does, of a seed of two numbers: equal for equal seeds."""
    need_delta(max_delta, 0.5)
    return adjust_hue(image, tf_random.stateless_uniform((), seed, -max_delta, max_delta))


def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any) -> Any:
    """Return what `random_saturation` does, of a seed of two numbers: equal for equal seeds."""
    need_factors(lower, upper)
    return adjust_saturation(image, tf_random.stateless_uniform((), seed, lower, upper))


def stateless_random_crop(value: Any, size: Any, seed: Any, name: Any = None) -> Any:
    """Return what `random_crop` does, of a seed of two numbers: equal for equal seeds."""
    with translating():
        x, sizes = _cut(value, size)
        shares = tf_random.stateless_uniform((len(sizes),), seed, dtype=np.float64)
        for axis, n in enumerate(sizes):
            place = (shares[axis] * (x.shape[axis] - n + 1)).astype(np.int64)
            x = rnp.take(x, place + np.arange(n), axis=axis)
        return as_result(x)


for _name in (
    *("random_flip_left_right", "random_flip_up_down"),
    *("stateless_random_flip_left_right", "stateless_random_flip_up_down"),
):
    globals()[_name].__name__ = globals()[_name].__qualname__ = _name
__getattr__ = missing_from("autograph.tf.image", globals())
