"""Pictures turned, brighter, and of other dtypes, and what their functions share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf.errors import translating
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime.errors import ShapeError


def picture(image: Any) -> Any:
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
            return as_result(rnp.flip(picture(image), axis))

    flip.__doc__ = f"Return pictures {what}."
    return flip


flip_left_right = _reversed(-2, "with left and right exchanged")
flip_up_down = _reversed(-3, "upside down")


def transpose(image: Any, name: Any = None) -> Any:
    """Return pictures with rows and columns exchanged."""
    with translating():
        return as_result(rnp.swapaxes(picture(image), -3, -2))


def rot90(image: Any, k: int = 1, name: Any = None) -> Any:
    """Return pictures turned by `k` quarters, against the clock."""
    with translating():
        return as_result(rnp.rot90(picture(image), k, (-3, -2)))


def scaled(x: Any, kind: np.dtype[Any], saturate: bool) -> Any:
    """Return a picture of another dtype: floats are from 0 to 1, integers use their range."""
    own = np.dtype(x.dtype)
    if own == kind:
        return x
    if own.kind == "f" and kind.kind == "f":
        return x.astype(kind)
    if own.kind == "f":
        largest = np.iinfo(kind).max
        found = x * own.type(largest + 0.5)
        return (rnp.clip(found, 0, largest) if saturate else found).astype(kind)
    if kind.kind == "f":
        return x.astype(kind) * kind.type(1.0 / np.iinfo(own).max)
    ours, theirs = np.iinfo(own).max, np.iinfo(kind).max
    if ours > theirs:
        return (x // own.type((ours + 1) // (theirs + 1))).astype(kind)
    return x.astype(kind) * kind.type((theirs + 1) // (ours + 1))


def in_floats(image: Any, change: Callable[[Any], Any]) -> Any:
    """Return what is made of a picture of floats, in the dtype of the picture."""
    with translating():
        x = convert_to_tensor(image)
        own = np.dtype(x.dtype)
        if own.kind == "f":
            return as_result(change(x))
        found = change(scaled(x, np.dtype(np.float32), False))
        return as_result(scaled(found, own, True))


def adjust_brightness(image: Any, delta: Any) -> Any:
    """Return a picture that is brighter by `delta`, of which 1 is the whole range."""
    return in_floats(image, lambda x: x + convert_to_tensor(delta, x.dtype))


def adjust_contrast(images: Any, contrast_factor: Any) -> Any:
    """Return pictures with each channel further from its mean by a factor."""

    def further(x: Any) -> Any:
        mean = rnp.mean(x, axis=(-3, -2), keepdims=True)
        return (x - mean) * convert_to_tensor(contrast_factor, x.dtype) + mean

    return in_floats(images, further)


def need_delta(most: float, limit: float | None = None) -> None:
    """Raise ValueError for what no random change goes up to."""
    if most < 0 or (limit is not None and most > limit):
        end = "not negative" if limit is None else f"from 0 to {limit}"
        raise ValueError(f"max_delta is {end}")


def need_factors(lower: float, upper: float) -> None:
    """Raise ValueError for what no random factor is between."""
    if not 0 <= lower < upper:
        raise ValueError("lower is not negative, and less than upper")


for _name in ("flip_left_right", "flip_up_down"):
    globals()[_name].__name__ = globals()[_name].__qualname__ = _name
