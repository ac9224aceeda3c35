"""Reductions over axes: sums, maxima, norms, running sums."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf.tensors import takes


def _axis(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


@takes(1)
def reduce_sum(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the sum over axes, of the same dtype."""
    dtype = input_tensor.dtype
    return rnp.sum(input_tensor, axis=_axis(axis), dtype=dtype, keepdims=keepdims)


@takes(1)
def reduce_prod(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the product over axes, of the same dtype."""
    dtype = input_tensor.dtype
    return rnp.prod(input_tensor, axis=_axis(axis), dtype=dtype, keepdims=keepdims)


@takes(1)
def reduce_mean(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the mean over axes, of the same dtype: rounded towards zero for integers."""
    found = rnp.mean(input_tensor, axis=_axis(axis), keepdims=keepdims)
    return found.astype(input_tensor.dtype)


@takes(1)
def reduce_max(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the maximum over axes."""
    return rnp.max(input_tensor, axis=_axis(axis), keepdims=keepdims)


@takes(1)
def reduce_min(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the minimum over axes."""
    return rnp.min(input_tensor, axis=_axis(axis), keepdims=keepdims)


@takes(1)
def reduce_all(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether all elements over axes are true."""
    return rnp.all(input_tensor, axis=_axis(axis), keepdims=keepdims)


@takes(1)
def reduce_any(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether any element over axes is true."""
    return rnp.any(input_tensor, axis=_axis(axis), keepdims=keepdims)


@takes(1)
def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the standard deviation over axes."""
    return rnp.std(input_tensor, axis=_axis(axis), keepdims=keepdims)


@takes(1)
def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the variance over axes."""
    return rnp.var(input_tensor, axis=_axis(axis), keepdims=keepdims)


@takes(1)
def reduce_logsumexp(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return `log(sum(exp(x)))` over axes, without overflow."""
    axes = _axis(axis)
    most = rnp.max(input_tensor, axis=axes, keepdims=True)
    most = rnp.where(rnp.isfinite(most), most, 0)
    found = rnp.log(rnp.sum(rnp.exp(input_tensor - most), axis=axes, keepdims=True)) + most
    return found if keepdims else rnp.sum(found, axis=axes, dtype=found.dtype)


@takes(1)
def reduce_euclidean_norm(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the square root of the sum of squares over axes."""
    return rnp.sqrt(rnp.sum(input_tensor * input_tensor, axis=_axis(axis), keepdims=keepdims))


@takes(1)
def count_nonzero(
    input: Any, axis: Any = None, keepdims: bool = False, dtype: Any = np.int64
) -> Any:
    """Return how many elements over axes are not zero."""
    return rnp.sum(rnp.not_equal(input, 0), axis=_axis(axis), dtype=dtype, keepdims=keepdims)


@takes(1)
def argmax(input: Any, axis: Any = None, output_type: Any = np.int64) -> Any:
    """Return where the maximum along an axis is; along the first when none is given."""
    return rnp.argmax(input, axis=0 if axis is None else axis).astype(output_type)


@takes(1)
def argmin(input: Any, axis: Any = None, output_type: Any = np.int64) -> Any:
    """Return where the minimum along an axis is; along the first when none is given."""
    return rnp.argmin(input, axis=0 if axis is None else axis).astype(output_type)


@takes(1)
def cumsum(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
    """Return running sums along an axis; `exclusive` ones without the element itself."""
    x = rnp.flip(x, axis=axis) if reverse else x
    found = rnp.cumsum(x, axis=axis, dtype=x.dtype)
    found = found - x if exclusive else found
    return rnp.flip(found, axis=axis) if reverse else found


@takes(1)
def cumprod(x: Any, axis: int = 0, reverse: bool = False) -> Any:
    """Return running products along an axis."""
    x = rnp.flip(x, axis=axis) if reverse else x
    found = rnp.cumprod(x, axis=axis, dtype=x.dtype)
    return rnp.flip(found, axis=axis) if reverse else found
