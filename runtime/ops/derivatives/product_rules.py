"""Rules of products of matrices.

A cotangent may have one row or one column for a result that has more, or be a number: they are all
the same then, and what it is multiplied with is added up instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.derivatives.constructors import bilinear, times
from runtime.ops.reductions import sum_like
from runtime.spec import TensorSpec


def product_left(apply: Any, g: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of the left operand of a product of (stacks of) matrices."""
    ranks = len(np.shape(x)), len(np.shape(y))
    if ranks == (2, 2):
        if has_one(g, -1):
            return times(g, np.expand_dims(np.sum(y, -1), 0))
        return np.matmul(g, np.swapaxes(y, -1, -2))
    if ranks == (1, 2):
        return times(g, np.sum(y, -1)) if has_one(g, -1) else np.matmul(y, g)
    if ranks[1] == 1:
        return times(np.expand_dims(g, -1) if np.shape(g) else g, y)
    wide_x, wide_y, wide_g = _as_matrices(g, x, y)
    found = np.matmul(wide_g, np.swapaxes(wide_y, -1, -2))
    return np.reshape(apply(sum_like, (found, wide_x)), np.shape(x))


def product_right(apply: Any, g: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of the right operand of a product of (stacks of) matrices."""
    ranks = len(np.shape(x)), len(np.shape(y))
    if ranks[0] == 1:
        if ranks[1] == 1:
            return times(g, x)
        return times(np.expand_dims(g, -2) if np.shape(g) else g, np.expand_dims(x, -1))
    if ranks == (2, 1):
        return times(g, np.sum(x, 0)) if has_one(g, -1) else np.matmul(np.swapaxes(x, -1, -2), g)
    if ranks == (2, 2):
        if has_one(g, -2):
            return times(g, np.expand_dims(np.sum(x, 0), -1))
        return np.matmul(np.swapaxes(x, -1, -2), g)
    wide_x, wide_y, wide_g = _as_matrices(g, x, y)
    found = np.matmul(np.swapaxes(wide_x, -1, -2), wide_g)
    return np.reshape(apply(sum_like, (found, wide_y)), np.shape(y))


def has_one(g: Any, axis: int) -> bool:
    """Tell whether what is to be broadcast has one element along an axis, counted from the end."""
    shape = np.shape(g)
    size = shape[axis] if len(shape) >= -axis else 1
    return isinstance(size, int) and size == 1


def are_matrices(x: TensorSpec, y: TensorSpec) -> bool:
    """Tell whether operands are two matrices, or a matrix and a vector, or two vectors."""
    return x.rank in (1, 2) and y.rank in (1, 2)


def _as_matrices(g: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Return the operands of a product and what belongs to its result as (stacks of) matrices."""
    if len(np.shape(y)) == 1:
        y, g = np.expand_dims(y, -1), np.expand_dims(g, -1)
    if len(np.shape(x)) == 1:
        x, g = np.expand_dims(x, 0), np.expand_dims(g, -2)
    return x, y, g


PRODUCT = bilinear(product_left, product_right, broadcasts=False, takes_small=are_matrices)
