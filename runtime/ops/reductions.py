"""Ops that make one number of many, over axes or along one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from runtime.dtypes import resolve_ufunc
from runtime.errors import ShapeError
from runtime.graph.opdef import Samples, op
from runtime.graph.traits import Error, Reduction, Rule, raises, raises_nothing, raises_of_sizes
from runtime.ops.batch_rules import along, along_rows, over_axes
from runtime.ops.derivatives import lines, ordering
from runtime.ops.derivatives import reduction_rules as rules
from runtime.ops.derivatives.constructors import linear
from runtime.ops.families import ARRAYS, FACTS
from runtime.ops.samples import calls, each, reductions
from runtime.ops.spec_rules import (
    Axis,
    as_size,
    interpolated,
    normal_axes,
    normal_axis,
    not_empty,
    numpys,
    reduced_shape,
    total,
    trial,
)
from runtime.spec import Shape, TensorSpec, make_spec

REDUCED = replace(ARRAYS, batching=over_axes)
"""Functions that make one number of many."""

COUNTED = replace(FACTS, batching=over_axes)
"""The same where the number is no continuous one."""

RUNNING = replace(ARRAYS, batching=along_rows)
"""Functions along an axis, or of all elements as one row."""


def _shape(
    x: TensorSpec, *, axis: Axis = None, keepdims: bool = False, **attrs: Any
) -> Shape | None:
    return reduced_shape(x.shape, axis, keepdims)


def _place(x: TensorSpec, *, axis: int | None = None, keepdims: bool = False) -> Shape | None:
    """The shape rule of argmax and argmin."""
    axes = normal_axes(axis, x.rank or 0) if x.shape is not None else ()
    if x.shape is not None and 0 in (x.shape[k] for k in axes):
        raise ShapeError("attempt to get the place of an extreme of an empty sequence")
    return reduced_shape(x.shape, axis, keepdims)


def _running(x: TensorSpec, *, axis: int | None = None, **attrs: Any) -> Shape | None:
    """The shape rule of running sums."""
    if axis is not None and x.shape != ():
        return x.shape
    return (as_size(None if x.shape is None else total(x.shape)),)


def _axis_samples() -> Samples:
    return each("biuf", {}, {"axis": 0}, {"axis": -1, "keepdims": True})


# fmt: off
sum_ = op(
    "sum(x, /, axis=None, dtype=None, keepdims=False)",
    doc="Sum over axes; small integers are added as 64-bit ones.",
    **numpys(np.sum, _shape), samples=reductions(),
    scalar=lambda s, x, dtype=None, **attrs: s.reduce(np.add, x, dtype), family=REDUCED,
    reduction=Reduction("sum", np.add), derivative=linear(rules.spread, takes_small=True))
prod = op(
    "prod(x, /, axis=None, dtype=None, keepdims=False)",
    doc="Product over axes; small integers are multiplied as 64-bit ones.",
    **numpys(np.prod, _shape), samples=reductions(), family=REDUCED, derivative=rules.PRODUCT,
    reduction=Reduction("product", np.multiply))
mean = op(
    "mean(x, /, axis=None, dtype=None, keepdims=False)",
    doc="Arithmetic mean over axes.",
    **numpys(np.mean, _shape), samples=reductions(empty=False),
    scalar=lambda s, x, **attrs: s.mean(x), family=REDUCED, reduction=Reduction("mean", None),
    derivative=linear(rules.spread_mean, takes_small=True))
var = op(
    "var(x, /, axis=None, dtype=None, ddof=0, keepdims=False)",
    doc="Variance over axes: mean square distance from the mean.",
    **numpys(np.var, _shape), samples=reductions(empty=False),
    scalar=lambda s, x, **attrs: s.variance(x), family=REDUCED, derivative=rules.VARIANCE,
    reduction=Reduction("spread", None))
std = op(
    "std(x, /, axis=None, dtype=None, ddof=0, keepdims=False)",
    doc="Standard deviation over axes: the square root of the variance.",
    **numpys(np.std, _shape), samples=reductions(empty=False),
    scalar=lambda s, x, **attrs: s.sqrt(s.variance(x)), family=REDUCED, derivative=rules.DEVIATION,
    reduction=Reduction("spread", None))
max_ = op(
    "max(x, /, axis=None, keepdims=False)",
    doc="Greatest element over axes; NaN if one is NaN.",
    **numpys(np.max, not_empty("maximum")), samples=reductions(empty=False),
    scalar=lambda s, x, **attrs: s.reduce(np.maximum, x), family=REDUCED,
    reduction=Reduction("max", np.maximum), raises=raises_of_sizes, warns=False,
    derivative=rules.EXTREME)
min_ = op(
    "min(x, /, axis=None, keepdims=False)",
    doc="Smallest element over axes; NaN if one is NaN.",
    **numpys(np.min, not_empty("minimum")), samples=reductions(empty=False),
    scalar=lambda s, x, **attrs: s.reduce(np.minimum, x), family=REDUCED,
    reduction=Reduction("min", np.minimum), raises=raises_of_sizes, warns=False,
    derivative=rules.EXTREME)
ptp = op(
    "ptp(x, /, axis=None, keepdims=False)",
    doc="Distance of the greatest element from the smallest over axes.",
    **numpys(np.ptp, not_empty("maximum")), samples=reductions("iuf", empty=False),
    scalar=lambda s, x, **attrs: s.subtract(s.reduce(np.maximum, x), s.reduce(np.minimum, x)),
    family=REDUCED, derivative=rules.DISTANCE, reduction=Reduction("spread", None),
    raises=raises_of_sizes)
any_ = op(
    "any(x, /, axis=None, keepdims=False)",
    doc="Whether any element over axes is true.",
    **numpys(np.any, _shape), samples=reductions(),
    scalar=lambda s, x, **attrs: s.reduce(np.logical_or, x), family=COUNTED,
    reduction=Reduction("any", np.logical_or))
all_ = op(
    "all(x, /, axis=None, keepdims=False)",
    doc="Whether every element over axes is true.",
    **numpys(np.all, _shape), samples=reductions(),
    scalar=lambda s, x, **attrs: s.reduce(np.logical_and, x), family=COUNTED,
    reduction=Reduction("all", np.logical_and))
argmax = op(
    "argmax(x, /, axis=None, keepdims=False)",
    doc="Index of the greatest element along an axis, or in the array as one row.",
    **numpys(np.argmax, _place), samples=_axis_samples(),
    scalar=lambda s, x, **attrs: s.place_of(np.maximum, x), family=COUNTED,
    reduction=Reduction("place", None), raises=raises_of_sizes)
argmin = op(
    "argmin(x, /, axis=None, keepdims=False)",
    doc="Index of the smallest element along an axis, or in the array as one row.",
    **numpys(np.argmin, _place), samples=_axis_samples(),
    scalar=lambda s, x, **attrs: s.place_of(np.minimum, x), family=COUNTED,
    reduction=Reduction("place", None), raises=raises_of_sizes)
count_nonzero = op(
    "count_nonzero(x, /, axis=None, keepdims=False)",
    doc="Number of elements over axes that are not zero.",
    **numpys(np.count_nonzero, _shape), samples=reductions(), family=COUNTED,
    reduction=Reduction("count", None))
median = op(
    "median(x, /, axis=None, keepdims=False)",
    doc="Middle element over axes, or the mean of the two in the middle.",
    **numpys(np.median, _shape),
    samples=each("biuf", {}, {"axis": 0}, {"axis": (0, 1), "keepdims": True}), family=REDUCED,
    derivative=ordering.MIDDLE, reduction=Reduction("order", None))
nansum = op(
    "nansum(x, /, axis=None, dtype=None, keepdims=False)",
    doc="Sum over axes, with NaN counted as zero.",
    **numpys(np.nansum, _shape), samples=reductions(), family=REDUCED,
    derivative=rules.SUM_WITHOUT_NAN, reduction=Reduction("sum", None))
nanprod = op(
    "nanprod(x, /, axis=None, dtype=None, keepdims=False)",
    doc="Product over axes, with NaN counted as one.",
    **numpys(np.nanprod, _shape), samples=reductions(), family=REDUCED,
    derivative=rules.PRODUCT_WITHOUT_NAN, reduction=Reduction("product", None))
nanmean = op(
    "nanmean(x, /, axis=None, dtype=None, keepdims=False)",
    doc="Arithmetic mean over axes of the elements that are not NaN.",
    **numpys(np.nanmean, _shape), samples=reductions("iuf", empty=False), family=REDUCED,
    derivative=rules.MEAN_WITHOUT_NAN, reduction=Reduction("mean", None))
nanvar = op(
    "nanvar(x, /, axis=None, dtype=None, ddof=0, keepdims=False)",
    doc="Variance over axes of the elements that are not NaN.",
    **numpys(np.nanvar, _shape), samples=each("iuf", {}, {"axis": 0}, {"axis": (0, 1), "ddof": 1}),
    family=REDUCED, derivative=rules.VARIANCE_WITHOUT_NAN, reduction=Reduction("spread", None))
nanstd = op(
    "nanstd(x, /, axis=None, dtype=None, ddof=0, keepdims=False)",
    doc="Standard deviation over axes of the elements that are not NaN.",
    **numpys(np.nanstd, _shape), samples=each("iuf", {}, {"axis": 0}, {"axis": (0, 1), "ddof": 1}),
    family=REDUCED, derivative=rules.DEVIATION_WITHOUT_NAN, reduction=Reduction("spread", None))
nanmax = op(
    "nanmax(x, /, axis=None, keepdims=False)",
    doc="Greatest element over axes that is not NaN.",
    **numpys(np.nanmax, not_empty("fmax")), samples=reductions("iuf", empty=False), family=REDUCED,
    derivative=rules.EXTREME, reduction=Reduction("max", None), raises=raises_of_sizes)
nanmin = op(
    "nanmin(x, /, axis=None, keepdims=False)",
    doc="Smallest element over axes that is not NaN.",
    **numpys(np.nanmin, not_empty("fmin")), samples=reductions("iuf", empty=False), family=REDUCED,
    derivative=rules.EXTREME, reduction=Reduction("min", None), raises=raises_of_sizes)
cumsum = op(
    "cumsum(x, /, axis=None, dtype=None)",
    doc="Running sum along an axis, or of the array as one row.",
    **numpys(np.cumsum, _running), samples=each("biufc", {}, {"axis": 0}, {"axis": -1}),
    family=RUNNING, derivative=linear(ordering.cumsum_back), accumulation=np.add,
    raises=raises_nothing)
cumprod = op(
    "cumprod(x, /, axis=None, dtype=None)",
    doc="Running product along an axis, or of the array as one row.",
    **numpys(np.cumprod, _running), samples=each("biufc", {}, {"axis": 0}, {"axis": -1}),
    family=RUNNING, derivative=ordering.RUNNING_PRODUCT, accumulation=np.multiply,
    raises=raises_nothing)
nancumsum = op(
    "nancumsum(x, /, axis=None, dtype=None)",
    doc="Running sum along an axis, with NaN counted as zero.",
    **numpys(np.nancumsum, _running), samples=each("biuf", {}, {"axis": 0}), family=RUNNING,
    derivative=ordering.RUNNING_SUM_WITHOUT_NAN)
nancumprod = op(
    "nancumprod(x, /, axis=None, dtype=None)",
    doc="Running product along an axis, with NaN counted as one.",
    **numpys(np.nancumprod, _running), samples=each("biuf", {}, {"axis": 0}), family=RUNNING,
    derivative=ordering.RUNNING_PRODUCT_WITHOUT_NAN)
nanargmax = op(
    "nanargmax(x, /, axis=None, keepdims=False)",
    doc="Index of the greatest element that is not NaN along an axis, or in the array as one row.",
    **numpys(np.nanargmax, _place), samples=_axis_samples(), family=COUNTED,
    reduction=Reduction("place", None), raises=raises("ValueError"))
nanargmin = op(
    "nanargmin(x, /, axis=None, keepdims=False)",
    doc="Index of the smallest element that is not NaN along an axis, or in the array as one row.",
    **numpys(np.nanargmin, _place), samples=_axis_samples(), family=COUNTED,
    reduction=Reduction("place", None), raises=raises("ValueError"))
nanmedian = op(
    "nanmedian(x, /, axis=None, keepdims=False)",
    doc="Middle element over axes of those that are not NaN.",
    **numpys(np.nanmedian, _shape), samples=each("iuf", {}, {"axis": 0}), family=REDUCED,
    derivative=ordering.QUANTILE_WITHOUT_NAN, reduction=Reduction("order", None))
# fmt: on


def _sum_like(xp: Any, x: Any, like: Any) -> Any:
    given, wanted = xp.shape(x), xp.shape(like)
    extra = max(len(given) - len(wanted), 0)
    sizes = [*wanted[max(len(wanted) - len(given), 0) :]]
    axes = [k for k, n in enumerate(sizes, extra) if n == 1 and given[k] != 1]
    found = xp.sum(x, axis=tuple(axes), keepdims=True) if axes else x
    found = xp.sum(found, axis=tuple(range(extra))) if extra else found
    return xp.array(xp.broadcast_to(found, wanted))


sum_like = op(
    "sum_like(x, like)",
    doc="Sums over the axes along which another array would be broadcast to the shape of this.",
    spec=lambda x, like: make_spec(x.dtype, like.shape),
    kernel=_sum_like,
    samples=calls("f", lambda some: [((some(2, 3), some(2, 1)), {}), ((some(2, 3), some(3)), {})]),
    family=ARRAYS,
    raises=raises_of_sizes,
    derivative=linear(lambda apply, g, x, like: np.broadcast_to(g, np.shape(x))),
)


def _quantile_shape(
    x: TensorSpec, q: TensorSpec, *, axis: Axis, keepdims: bool, method: str
) -> Shape | None:
    kept = reduced_shape(x.shape, axis, keepdims)
    return None if kept is None or q.shape is None else (*q.shape, *kept)


def _raises_beyond(most: int) -> Rule:
    """Return the rule of what shares raise that are below zero or above `most`, and no elements."""
    found = Error("ValueError", (1,), lambda q: bool(np.all((np.asarray(q) >= 0) & (q <= most))))
    return lambda specs, attrs: (found, *raises_of_sizes(specs, attrs))


quantile = op(
    "quantile(x, q, /, axis=None, method='linear', keepdims=False)",
    doc="The numbers below which the shares `q` of the elements over axes lie.",
    **numpys(np.quantile, _quantile_shape),
    samples=calls(
        "iuf",
        lambda some: [
            ((some(3, 4), 0.3), {}),
            ((some(3, 4), np.array([0.0, 0.25])), {"axis": 1}),
            ((some(3, 4), 0.5), {"axis": 0, "method": "nearest", "keepdims": True}),
        ],
    ),
    family=REDUCED,
    derivative=ordering.QUANTILE,
    reduction=Reduction("order", None),
    raises=_raises_beyond(1),
)

percentile = op(
    "percentile(x, q, /, axis=None, method='linear', keepdims=False)",
    doc="The numbers below which `q` percent of the elements over axes lie.",
    **numpys(np.percentile, _quantile_shape),
    samples=calls("iuf", lambda some: [((some(3, 4), 30), {}), ((some(3, 4), 99.0), {"axis": 1})]),
    family=REDUCED,
    derivative=ordering.PERCENTILE,
    reduction=Reduction("order", None),
    raises=_raises_beyond(100),
)


nanquantile = op(
    "nanquantile(x, q, /, axis=None, method='linear', keepdims=False)",
    doc="The numbers below which the shares `q` of the elements that are not NaN lie.",
    **numpys(np.nanquantile, _quantile_shape),
    samples=calls("iuf", lambda some: [((some(3, 4), 0.3), {}), ((some(3, 4), 0.5), {"axis": 1})]),
    family=REDUCED,
    derivative=ordering.QUANTILE_WITHOUT_NAN,
    reduction=Reduction("order", None),
    raises=_raises_beyond(1),
)

nanpercentile = op(
    "nanpercentile(x, q, /, axis=None, method='linear', keepdims=False)",
    doc="The numbers below which `q` percent of the elements that are not NaN lie.",
    **numpys(np.nanpercentile, _quantile_shape),
    samples=calls("iuf", lambda some: [((some(3, 4), 30), {}), ((some(3, 4), 99.0), {"axis": 1})]),
    family=REDUCED,
    derivative=ordering.PERCENTILE_WITHOUT_NAN,
    reduction=Reduction("order", None),
    raises=_raises_beyond(100),
)


def _diff_shape(x: TensorSpec, *, n: int, axis: int) -> Shape | None:
    if x.shape is None:
        return None
    if n < 0:
        raise ShapeError(f"order must be non-negative but got {n}")
    axis = normal_axis(axis, len(x.shape))
    size = x.shape[axis]
    less = as_size(max(0, size - n) if isinstance(size, int) else None)
    return (*x.shape[:axis], less if n else size, *x.shape[axis + 1 :])


def _diff_trial(x: Any, *, n: int, axis: int) -> Any:
    return np.diff(np.broadcast_to(x, [2] * x.ndim), min(n, 1), axis)


diff = op(
    "diff(x, /, n=1, axis=-1)",
    doc="Differences of neighbours along an axis, `n` times.",
    spec=trial(_diff_trial, _diff_shape),
    kernel=lambda xp, x, n, axis: xp.diff(x, n, axis),
    samples=each("biufc", {}, {"axis": 0}, {"n": 2, "axis": 1}),
    family=ARRAYS,
    derivative=linear(lines.differences_back),
    batching=along("axis"),
)


def _convolve_shape(x: TensorSpec, y: TensorSpec, *, mode: str) -> Shape | None:
    n, m = (spec.shape[0] if spec.shape else as_size(None) for spec in (x, y))
    if not isinstance(n, int) or not isinstance(m, int):
        return (as_size(None),)
    if not n or not m:
        raise ShapeError("an array that is convolved cannot be empty")
    sizes = {"full": n + m - 1, "same": max(n, m), "valid": max(n, m) - min(n, m) + 1}
    if mode not in sizes:
        raise ShapeError(f"mode must be 'full', 'same' or 'valid', not {mode!r}")
    return (sizes[mode],)


def _line(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a trial that gives the function vectors, whatever the rank of its operands is."""
    return lambda x, y, **attrs: function(np.atleast_1d(x), np.atleast_1d(y), **attrs)


convolve = op(
    "convolve(x, y, /, mode='full')",
    doc="Discrete convolution of two vectors.",
    **numpys(np.convolve, spec=trial(_line(np.convolve), _convolve_shape)),
    samples=calls(
        "iuf", lambda some: [((some(5), some(3)), {}), ((some(2), some(5)), {"mode": "same"})]
    ),
    family=ARRAYS,
    derivative=lines.CONVOLVED,
    product="sum",
    raises=raises_of_sizes,
)

correlate = op(
    "correlate(x, y, /, mode='valid')",
    doc="Discrete cross-correlation of two vectors.",
    **numpys(np.correlate, spec=trial(_line(np.correlate), _convolve_shape)),
    samples=calls(
        "iuf", lambda some: [((some(5), some(3)), {}), ((some(2), some(5)), {"mode": "full"})]
    ),
    family=ARRAYS,
    derivative=lines.CORRELATED,
    product="sum",
    raises=raises_of_sizes,
)


interp = op(
    "interp(x, points, heights)",
    doc="Heights at `x` on the line through points in rising order and their heights.",
    spec=interpolated,
    kernel=lambda xp, x, points, heights: xp.interp(x, points, heights),
    samples=calls("iuf", lambda some: [((some(2, 3), np.array([-1.0, 0.5, 2.0]), some(3)), {})]),
    family=ARRAYS,
    derivative=lines.INTERPOLATED,
    raises=raises_of_sizes,
)


def _histogram_spec(x: TensorSpec, edges: TensorSpec) -> TensorSpec:
    size = edges.shape[0] if edges.shape else None
    return make_spec(np.dtype(np.intp), (as_size(size - 1 if isinstance(size, int) else None),))


histogram = op(
    "histogram(x, edges)",
    doc="How many elements lie between neighbouring edges, which rise.",
    spec=_histogram_spec,
    kernel=lambda xp, x, edges: xp.histogram(x, edges)[0],
    samples=calls("iuf", lambda some: [((some(7), np.array([-2.0, 0.0, 1.0, 3.0])), {})]),
    family=FACTS,
    raises=raises("ValueError"),
)


def _logsumexp_spec(x: TensorSpec, *, axis: Axis, keepdims: bool) -> TensorSpec:
    (dtype,) = resolve_ufunc(np.exp, x.promotable)
    return make_spec(dtype, reduced_shape(x.shape, axis, keepdims))


def _logsumexp(xp: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
    top = xp.max(x, axis=axis, keepdims=True)
    top = xp.where(xp.isfinite(top), top, xp.zeros_like(top))
    found = xp.log(xp.sum(xp.exp(x - top), axis=axis, keepdims=True)) + top
    return found if keepdims else xp.squeeze(found, axis)[()]


logsumexp = op(
    "logsumexp(x, /, axis=None, keepdims=False)",
    doc="Logarithm of the sum of exponentials over axes, without overflow.",
    spec=_logsumexp_spec,
    kernel=_logsumexp,
    samples=each("f", {}, {"axis": 0}, {"axis": (0, 2), "keepdims": True}),
    family=REDUCED,
    derivative=rules.LOGARITHM_OF_SUM,
    reduction=Reduction("sum", None),
    raises=raises_of_sizes,
)
