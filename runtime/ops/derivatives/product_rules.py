"""Rules of products of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.reductions import sum_like


def product_left(apply: Any, g: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of the left operand of a product of (stacks of) matrices."""
    ranks = len(np.shape(x)), len(np.shape(y))
    if ranks == (2, 2):
        return np.matmul(g, np.swapaxes(y, -1, -2))
    if ranks == (1, 2):
        return np.matmul(y, g)
    if ranks[1] == 1:
        return np.expand_dims(g, -1) * y
    wide_x, wide_y, wide_g = _as_matrices(g, x, y)
    found = np.matmul(wide_g, np.swapaxes(wide_y, -1, -2))
    return np.reshape(apply(sum_like, (found, wide_x)), np.shape(x))


def product_right(apply: Any, g: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of the right operand of a product of (stacks of) matrices."""
    ranks = len(np.shape(x)), len(np.shape(y))
    if ranks in ((2, 2), (2, 1)):
        return np.matmul(np.swapaxes(x, -1, -2), g)
    if ranks[0] == 1:
        return x * g if ranks[1] == 1 else np.expand_dims(x, -1) * np.expand_dims(g, -2)
    wide_x, wide_y, wide_g = _as_matrices(g, x, y)
    found = np.matmul(np.swapaxes(wide_x, -1, -2), wide_g)
    return np.reshape(apply(sum_like, (found, wide_y)), np.shape(y))


def _as_matrices(g: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Return the operands of a product and what belongs to its result as (stacks of) matrices."""
    if len(np.shape(y)) == 1:
        y, g = np.expand_dims(y, -1), np.expand_dims(g, -1)
    if len(np.shape(x)) == 1:
        x, g = np.expand_dims(x, 0), np.expand_dims(g, -2)
    return x, y, g
