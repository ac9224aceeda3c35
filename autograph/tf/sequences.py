"""Functions of elements in an order: running ones, polynomials, permutations, parts by number."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf.composite import as_list
from autograph.tf.elementwise import lgamma
from autograph.tf.errors import translating
from autograph.tf.shaping import boolean_mask
from autograph.tf.tensors import as_result, convert_to_tensor, pair, takes
from runtime.dtypes import as_dtype
from runtime.errors import ShapeError
from runtime.subscripts import describe, with_items


@takes(1)
def cumulative_logsumexp(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> Any:
    """Return logarithms of sums of exponentials of the elements up to each one, or before it."""
    rows = rnp.moveaxis(x, axis, -1)
    rows = rows[..., ::-1] if reverse else rows
    if exclusive:
        first = rnp.full_like(rows[..., :1], -np.inf)
        rows = rnp.concatenate([first, rows[..., :-1]], -1)
    found = np.logaddexp.accumulate(rows, axis=-1)
    return rnp.moveaxis(found[..., ::-1] if reverse else found, -1, axis)


def polyval(coeffs: Any, x: Any, name: Any = None) -> Any:
    """Return a polynomial, whose coefficients are a list, that of the highest power first."""
    if not isinstance(coeffs, list):
        raise ValueError(f"coeffs is a list, not a {type(coeffs).__name__}")
    with translating():
        point = convert_to_tensor(x)
        found = rnp.zeros_like(point)
        for k, one in enumerate(coeffs):
            term = convert_to_tensor(one, point.dtype)
            found = term if k == 0 else found * point + term
        return as_result(found)


@takes(1)
def invert_permutation(x: Any) -> Any:
    """Return where each number from 0 on stands in a permutation."""
    if x.ndim != 1 or np.dtype(x.dtype).kind not in "iu":
        raise ShapeError(f"a permutation is one row of integers, not {describe(x)}")
    return with_items(rnp.zeros_like(x), (x,), rnp.arange(x.shape[0], dtype=x.dtype))


@takes(1)
def is_non_decreasing(x: Any) -> Any:
    """Return whether no element is less than the one before it."""
    row = rnp.reshape(x, (-1,))
    return rnp.all(row[1:] >= row[:-1])


@takes(1)
def is_strictly_increasing(x: Any) -> Any:
    """Return whether each element is greater than the one before it."""
    row = rnp.reshape(x, (-1,))
    return rnp.all(row[1:] > row[:-1])


@takes(1)
def lbeta(x: Any) -> Any:
    """Return the logarithms of the beta function of the last axis."""
    return rnp.sum(lgamma(x), axis=-1) - lgamma(rnp.sum(x, axis=-1))


@takes(2)
def reverse_sequence(input: Any, seq_lengths: Any, seq_axis: int = 1, batch_axis: int = 0) -> Any:
    """Return a tensor whose rows are turned, each as far as its length says."""
    seq_axis, batch_axis = seq_axis % input.ndim, batch_axis % input.ndim
    rows = rnp.moveaxis(input, (batch_axis, seq_axis), (0, 1))
    numbers, lengths = rnp.arange(rows.shape[1]), seq_lengths[:, None]
    places = rnp.where(numbers < lengths, lengths - 1 - numbers, numbers)
    places = rnp.reshape(places, (*places.shape, *(1,) * (input.ndim - 2)))
    found = rnp.take_along_axis(rows, places, 1)
    return rnp.moveaxis(found, (0, 1), (batch_axis, seq_axis))


def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: Any = None) -> Any:
    """Return a list of the parts of a tensor whose number is 0, 1 and so on."""
    with translating():
        rows, numbers = convert_to_tensor(data), convert_to_tensor(partitions)
        return [boolean_mask(rows, numbers == k) for k in range(num_partitions)]


def dynamic_stitch(indices: Any, data: Any, name: Any = None) -> Any:
    """Return a tensor whose row `indices[k][i]` is `data[k][i]`; later ones count."""
    rows_of, parts = (as_list(x, "tf.dynamic_stitch") for x in (indices, data))
    if len(rows_of) != len(parts):
        raise ValueError(f"{len(rows_of)} lists of rows were given, for {len(parts)} tensors")
    with translating():
        pairs = [*zip(map(convert_to_tensor, rows_of), map(convert_to_tensor, parts), strict=True)]
        for x, y in pairs:
            if x.shape != y.shape[: x.ndim]:
                raise ShapeError(f"rows {describe(x)} are not for a tensor {describe(y)}")
        tail = pairs[0][1].shape[pairs[0][0].ndim :]
        places = rnp.concatenate([rnp.reshape(x, (-1,)) for x, _ in pairs])
        rows = rnp.concatenate([rnp.reshape(y, (-1, *tail)) for _, y in pairs])
        found = rnp.zeros((rnp.max(places) + 1, *tail), rows.dtype)
        return as_result(with_items(found, (places,), rows))


def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: int = 100, dtype: Any = np.int32, name: Any = None
) -> Any:
    """Return the number of the bin of each value, of bins of one width; outside is at the end."""
    with translating():
        x, ends = pair(values, value_range)
        share = rnp.true_divide(x - ends[0], ends[1] - ends[0])
        numbers = rnp.floor(nbins * share).astype(as_dtype(dtype))
        return as_result(rnp.clip(numbers, 0, nbins - 1))


def histogram_fixed_width(
    values: Any, value_range: Any, nbins: int = 100, dtype: Any = np.int32, name: Any = None
) -> Any:
    """Return how many values are in each bin, of bins of one width; outside is at the end."""
    with translating():
        numbers = rnp.ravel(histogram_fixed_width_bins(values, value_range, nbins))
        counts = rnp.zeros(nbins, as_dtype(dtype))
        return as_result(with_items(counts, (numbers,), as_dtype(dtype).type(1), np.add))


@takes(2)
def unravel_index(indices: Any, dims: Any) -> Any:
    """Return the places of elements along each axis: of numbers `[n]` an array `[axes, n]`."""
    found, rest = [], indices
    for k in range(dims.shape[0] - 1, -1, -1):
        found.append(rest % dims[k])
        rest = rest // dims[k]
    return rnp.stack(found[::-1])
