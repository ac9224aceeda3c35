"""`tf.edit_distance`: how many edits make rows of sparse tensors into others."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.operators.calls.host_callback import numpy_function
from autograph.tf.errors import translating
from autograph.tf.sets import lists_in, parts_of
from autograph.tf.sparse_tensor import as_sparse
from autograph.tf.tensors import as_result
from runtime.spec import TensorSpec


def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: Any = None) -> Any:
    """Return how many elements are put in, left out or replaced to make rows into others.

    Args:
        hypothesis, truth: sparse tensors of one rank, with a sequence in each row of the last axis.
        normalize: whether that is divided by the length of the row of `truth`.
        name: has no effect.

    Returns:
        `f32`, of the shape of the two without the last axis.

    >>> from autograph import tf
    >>> edit_distance(tf.sparse.from_dense([[1, 2, 3]]), tf.sparse.from_dense([[1, 3]])).numpy()
    array([0.5], dtype=float32)
    """

    def run(*parts: Any) -> Any:
        (one, shape), (two, other) = lists_in(*parts[:3]), lists_in(*parts[3:])
        found = np.zeros(np.maximum(shape, other)[:-1], np.float32)
        for place in {*one, *two}:
            made, wanted = one.get(place, []), two.get(place, [])
            count = _edits(made, wanted)
            share = count / len(wanted) if wanted else np.inf
            found[place] = share if normalize else count
        return found

    with translating():
        both = [as_sparse(x, "edit_distance") for x in (hypothesis, truth)]
        rank = both[0].indices.shape[1]
        spec = TensorSpec((None,) * (rank - 1), np.float32)
        return as_result(numpy_function(run, [y for x in both for y in parts_of(x)], spec))


def _edits(made: list[Any], wanted: list[Any]) -> int:
    """Return the least number of edits between two lists (Wagner and Fischer, 1974)."""
    row = list(range(len(wanted) + 1))
    for k, x in enumerate(made, 1):
        before, row[0] = row[0], k
        for n, y in enumerate(wanted, 1):
            before, row[n] = row[n], min(row[n] + 1, row[n - 1] + 1, before + (x != y))
    return row[-1]
