"""The largest elements, and whether they are the wanted ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import runtime.numpy as rnp
from autograph.tf.tensors import takes


class TopK(NamedTuple):
    """The largest elements, and where they are."""

    values: Any
    indices: Any


@takes(1)
def top_k(input: Any, k: int = 1, sorted: bool = True) -> Any:
    """Return the `k` largest elements of each row, the largest first, and where they are."""
    order = rnp.argsort(-input, axis=-1, kind="stable")[..., :k]
    return TopK(rnp.take_along_axis(input, order, -1), order.astype(np.int32))


@takes(2)
def in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    """Return whether the prediction for each target is among the `k` largest."""
    wanted = rnp.take_along_axis(predictions, targets[:, None], 1)
    return rnp.sum(predictions > wanted, axis=1) < k
