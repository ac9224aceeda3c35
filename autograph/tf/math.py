"""`tf.math`: functions of elements, and reductions."""

from __future__ import annotations

from autograph.tf import elementwise
from autograph.tf.absent import missing_from
from autograph.tf.reductions import (
    argmax,
    argmin,
    count_nonzero,
    cumprod,
    cumsum,
    reduce_all,
    reduce_any,
    reduce_euclidean_norm,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_std,
    reduce_sum,
    reduce_variance,
)
from autograph.tf.selection import top_k

NAMES = (
    *elementwise.UNARY, *elementwise.BINARY,
    "rsqrt", "sigmoid", "softplus", "squared_difference", "divide_no_nan", "add_n",
)  # fmt: skip
globals().update({name: getattr(elementwise, name) for name in NAMES})

__all__ = [  # noqa: PLE0604  (most names stand in a table)
    *NAMES,
    "argmax",
    "argmin",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "reduce_all",
    "reduce_any",
    "reduce_euclidean_norm",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_std",
    "reduce_sum",
    "reduce_variance",
    "top_k",
]
__getattr__ = missing_from("autograph.tf.math", globals())
