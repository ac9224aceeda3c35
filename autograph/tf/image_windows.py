"""Parts of pictures for `tf.image`: patches, boxes, and how alike two pictures are by windows."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.nn import convolution
from autograph.operators.calls.host_callback import numpy_function
from autograph.tf.errors import translating
from autograph.tf.tensors import as_result, convert_to_tensor, pair, takes
from autograph.tf.windows import depthwise_conv2d
from runtime.spec import TensorSpec


@takes(1)
def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: str) -> Any:
    """Return patches of pictures, the elements of each along the last axis.

    Args:
        images: `[batch, rows, columns, depth]`.
        sizes: `[1, rows, columns, 1]` of the patches.
        strides: `[1, rows, columns, 1]` from one to the next.
        rates: `[1, rows, columns, 1]` from one element to the next.
        padding: `"VALID"`, or `"SAME"` for patches that reach over the border, with zeros there.
    """
    size, steps, gaps = (tuple(map(int, x[1:3])) for x in (sizes, strides, rates))
    wide = convolution.padded(images, size, steps, padding.lower(), gaps, 0.0)
    found = convolution.windows(wide, size, steps, gaps)
    turned = rnp.transpose(found, (0, 1, 2, 4, 5, 3))
    return rnp.reshape(turned, (*rnp.shape(turned)[:3], -1))


def ssim(
    img1: Any,
    img2: Any,
    max_val: float,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Any:
    """Return how alike pictures are, by means and variances of windows: 1 for the same.

    It is the structural similarity of Wang, Bovik, Sheikh and Simoncelli (2004).

    Args:
        img1: `[..., rows, columns, channels]`.
        img2: of the same shape.
        max_val: the largest value that elements may have, less the smallest.
        filter_size: of the windows, which have weights.
        filter_sigma: the deviation of the normal distribution that these are of.
        k1, k2: keep quotients from those of small numbers.
    """
    with translating():
        x, y = pair(img1, img2)
        first = x.shape[:-3]
        x, y = (rnp.reshape(part, (-1, *part.shape[-3:])) for part in (x, y))
        bell = np.exp(-0.5 * ((np.arange(filter_size) - (filter_size - 1) / 2) / filter_sigma) ** 2)
        weights = np.outer(bell, bell) / np.sum(bell) ** 2
        weights = np.repeat(weights[..., None, None], x.shape[-1], axis=2).astype(x.dtype)

        def mean(part: Any) -> Any:
            return depthwise_conv2d(part, weights, 1, "VALID")

        c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
        both, squares = mean(x) * mean(y) * 2.0, mean(x) ** 2 + mean(y) ** 2
        light = (both + c1) / (squares + c1)
        rest = (mean(x * y) * 2.0 - both + c2) / (mean(x * x + y * y) - squares + c2)
        found = rnp.mean(light * rest, axis=(1, 2, 3))
        return as_result(rnp.reshape(found, first))


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: Any = None,
) -> Any:
    """Return parts of pictures, each in one size.

    Args:
        image: `[batch, rows, columns, depth]`.
        boxes: `[n, 4]`, each the first row and column and the last ones, from 0 to 1.
        box_indices: `[n]`, the picture that each is of.
        crop_size: the rows and columns of the results.
        method: `"bilinear"` or `"nearest"`.
        extrapolation_value: stands where a box reaches out of a picture.
        name: has no effect.
    """
    with translating():
        x, edges = convert_to_tensor(image).astype(np.float32), convert_to_tensor(boxes)
        places = convert_to_tensor(box_indices)[:, None, None]
        rows, rows_inside = _along(edges[:, 0], edges[:, 2], x.shape[1], int(crop_size[0]))
        columns, columns_inside = _along(edges[:, 1], edges[:, 3], x.shape[2], int(crop_size[1]))
        rows, columns = rows[:, :, None], columns[:, None, :]

        def at(row: Any, column: Any) -> Any:
            last = x.shape[1] - 1, x.shape[2] - 1
            row = rnp.clip(row, 0, last[0]).astype(np.int64)
            return x[places, row, rnp.clip(column, 0, last[1]).astype(np.int64)]

        if method == "nearest":
            found = at(rnp.floor(rows + 0.5), rnp.floor(columns + 0.5))
        else:
            top, left = rnp.floor(rows), rnp.floor(columns)
            down, right = (rows - top)[..., None], (columns - left)[..., None]
            upper = at(top, left) * (1 - right) + at(top, left + 1) * right
            lower = at(top + 1, left) * (1 - right) + at(top + 1, left + 1) * right
            found = upper * (1 - down) + lower * down
        inside = (rows_inside[:, :, None] & columns_inside[:, None, :])[..., None]
        return as_result(rnp.where(inside, found, np.float32(extrapolation_value)))


def _along(first: Any, last: Any, size: int, wanted: int) -> tuple[Any, Any]:
    """Return where the elements of boxes lie along an axis, and whether that is in the picture."""
    if wanted == 1:
        places = ((first + last) / 2 * (size - 1))[:, None]
    else:
        steps = np.arange(wanted, dtype=np.float32) / np.float32(wanted - 1)
        places = (first[:, None] + (last - first)[:, None] * steps) * (size - 1)
    return places, (places >= 0) & (places <= size - 1)


def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: float = 0.5,
    score_threshold: float = -np.inf,
    name: Any = None,
) -> Any:
    """Return the places of boxes, best scores first, without those that one before overlaps.

    Args:
        boxes: `[n, 4]`, each two opposite corners, row and column.
        scores: `[n]`.
        max_output_size: how many places there may be.
        iou_threshold: two overlap if that share of what both have is in both of them.
        score_threshold: boxes have to have more than that.
        name: has no effect.
    """
    with translating():
        given = [*pair(boxes, scores), convert_to_tensor(max_output_size)]

        def chosen(boxes: Any, scores: Any, most: Any) -> Any:
            return _best(boxes, scores, int(most), iou_threshold, score_threshold)

        return as_result(numpy_function(chosen, given, TensorSpec([None], np.int32)))


def _best(boxes: Any, scores: Any, most: int, share: float, least: float) -> Any:
    low = np.minimum(boxes[:, :2], boxes[:, 2:])
    high = np.maximum(boxes[:, :2], boxes[:, 2:])
    areas = np.prod(high - low, axis=1)
    left = [k for k in np.argsort(-scores, kind="stable") if scores[k] > least]
    chosen: list[int] = []
    for k in left:
        if len(chosen) == most:
            break
        size = np.maximum(np.minimum(high[k], high[chosen]) - np.maximum(low[k], low[chosen]), 0)
        both = np.prod(size, axis=1)
        union = areas[k] + areas[chosen] - both
        if not np.any((union > 0) & (both > share * union)):
            chosen.append(int(k))
    return np.array(chosen, dtype=np.int32)
