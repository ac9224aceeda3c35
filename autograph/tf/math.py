"""`tf.math`: functions of elements, and reductions."""

from __future__ import annotations

from autograph.tf import elementwise, special
from autograph.tf.absent import missing_from
from autograph.tf.nn import l2_normalize, log_softmax, softmax, softsign, zero_fraction
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
from autograph.tf.segments import (
    bincount,
    confusion_matrix,
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from autograph.tf.selection import in_top_k, top_k
from autograph.tf.sequences import (
    cumulative_logsumexp,
    invert_permutation,
    is_non_decreasing,
    is_strictly_increasing,
    lbeta,
    polyval,
)

NAMES = (
    *elementwise.UNARY, *elementwise.BINARY,
    "rsqrt", "sigmoid", "softplus", "squared_difference", "divide_no_nan", "add_n", "erf", "erfc",
    "erfinv", "erfcinv", "ndtri", "lgamma", "digamma", "log_sigmoid", "multiply_no_nan", "xlogy",
    "scalar_mul", "reciprocal_no_nan", "xdivy", "xlog1py",
)  # fmt: skip
OF_SCIPY = (
    *special.OF_MATH,
    "polygamma",
    "zeta",
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
)
globals().update({name: getattr(elementwise, name) for name in NAMES})
globals().update({name: getattr(special, name) for name in OF_SCIPY})

__all__ = [  # noqa: PLE0604  (most names stand in a table)
    *NAMES,
    *OF_SCIPY,
    "argmax",
    "argmin",
    "bincount",
    "confusion_matrix",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "cumulative_logsumexp",
    "in_top_k",
    "invert_permutation",
    "is_non_decreasing",
    "is_strictly_increasing",
    "l2_normalize",
    "lbeta",
    "log_softmax",
    "polyval",
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
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "softmax",
    "softsign",
    "special",
    "top_k",
    "unsorted_segment_max",
    "unsorted_segment_mean",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sqrt_n",
    "unsorted_segment_sum",
    "zero_fraction",
]
__getattr__ = missing_from("autograph.tf.math", globals())
