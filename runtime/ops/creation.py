"""Ops that make arrays from nothing, or from sizes and bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from runtime.dtypes import STRING, DType, as_dtype, promote
from runtime.errors import DtypeError, ShapeError
from runtime.graph.opdef import op
from runtime.graph.traits import (
    NOTHING_GIVEN,
    Application,
    Derivative,
    Error,
    raises_if,
    raises_nothing,
)
from runtime.ops.batch_rules import Batch, Operand, Result, known_ranks
from runtime.ops.derivatives.constructors import forward, linear, partials, total
from runtime.ops.derivatives.indexing_rules import numbers
from runtime.ops.families import ARRAYS, MOVED
from runtime.ops.movement import Dims, fill_sizes, sizes_spec
from runtime.ops.samples import calls
from runtime.ops.spec_rules import need_scalar, same, trial
from runtime.spec import UNKNOWN, Shape, TensorSpec, broadcast_shapes, make_spec, spec_of


def _constant_kernel(xp: Any, *, value: Any) -> Any:
    return xp.asarray(value) if isinstance(value, np.ndarray) else value


constant = op(
    "constant(*, value)",
    doc="An array, NumPy scalar or Python scalar that was known while tracing.",
    spec=lambda *, value: spec_of(value),
    kernel=_constant_kernel,
    samples=None,
    family=MOVED,
    derivative=NOTHING_GIVEN,
    raises=raises_nothing,
)


cell = op(
    "cell(x)",
    doc="A number as an array without axes, of which operators are ufuncs.",
    spec=same,
    kernel=lambda xp, x: np.array(x) if xp is np else x,
    samples=calls("biufc", lambda some: [((some(1)[0],), {}), ((some(),), {})]),
    scalar=lambda s, x: x,
    cell="always",
    family=MOVED,
    derivative=partials(1),
    batching=lambda b, x: x.value,
    raises=raises_nothing,
)


def _full_spec(value: TensorSpec, *sizes: TensorSpec, shape: Dims, dtype: str | None) -> TensorSpec:
    dims = sizes_spec(shape, sizes)
    _need_fill(value, dims)
    return make_spec(as_dtype(dtype) if dtype else value.dtype, dims)


def _need_fill(value: TensorSpec, dims: Shape | None) -> None:
    """Raise ShapeError for a value that has more axes than the array that it fills."""
    broadcast_shapes([value.shape, dims])
    if value.rank is not None and dims is not None and value.rank > len(dims):
        raise ShapeError(f"{value} does not fill an array of {len(dims)} dimension(s)")


def _full_kernel(xp: Any, value: Any, *sizes: Any, shape: Dims, dtype: str | None) -> Any:
    return _made(xp, fill_sizes(shape, sizes), value, _kind(value, dtype))


def _made(xp: Any, shape: Sequence[int], value: Any, dtype: DType | None) -> Any:
    """Return an array that is filled; of zeros the system has pages that it fills when needed."""
    is_cut = isinstance(value, complex | np.complexfloating) and not _holds_complex(dtype)
    if isinstance(value, np.number | np.bool_ | int | float | complex) and not is_cut:
        own = np.asarray(value, dtype)
        if own.dtype.kind in "biufc" and not own.tobytes().strip(b"\0"):
            return xp.zeros(shape, own.dtype)
    return xp.full(shape, value, dtype)


def _holds_complex(dtype: DType | None) -> bool:
    """Tell whether a dtype that was asked for, if one was, is one of complex numbers."""
    return dtype is None or dtype.kind == "c"


def _kind(value: Any, dtype: str | None) -> Any:
    """Return the dtype of what is filled with a value; None for that of the value."""
    if dtype is None:
        return STRING if isinstance(value, str) else None
    return as_dtype(dtype)


def _full_of_each(
    b: Batch, value: Operand, *sizes: Operand, shape: Dims, dtype: str | None
) -> Result:
    is_converted = value.spec.weak and dtype is not None  # a number that does not fit raises
    if is_converted or value.spec.shape is None or any(n.is_batched for n in sizes):
        return None
    size = b.size if isinstance(b.size, int) else None
    given = [*(() if size is not None else (b.count,)), *(n.value for n in sizes)]
    number = b.raised(value, len(shape))
    return b.emit(b.node.op, number, *given, shape=(size, *shape), dtype=dtype)


filled = op(
    "filled(*, value, shape)",
    doc="An array of a known shape that is filled with one NumPy scalar.",
    spec=lambda *, value, shape: make_spec(value.dtype, shape),
    kernel=lambda xp, *, value, shape: _made(xp, shape, value, value.dtype),
    samples=calls("biufc", lambda some: [((), {"value": some(1)[0], "shape": (2, 3)})]),
    family=MOVED,
    derivative=NOTHING_GIVEN,
    raises=raises_nothing,
)

full = op(
    "full(value, *sizes, shape, dtype=None)",
    doc="An array of a shape that is filled with one value.",
    spec=_full_spec,
    kernel=_full_kernel,
    samples=calls(
        "biufc",
        lambda some: [
            ((some(1)[0],), {"shape": (2, 3)}),
            ((0, 3), {"shape": (None, 2), "dtype": "float32"}),
            ((some(3),), {"shape": (2, 3)}),
            ((1.5,), {"shape": ()}),
        ],
    ),
    family=MOVED,
    cell="always",
    derivative=linear(lambda apply, g, value, *sizes, **attrs: g, broadcasts=True),
    batching=_full_of_each,
    raises=raises_if(lambda specs: len(specs) > 1, "ValueError"),
)


def _full_like_spec(x: TensorSpec, value: TensorSpec, *, dtype: str | None) -> TensorSpec:
    _need_fill(value, x.shape)
    return make_spec(as_dtype(dtype) if dtype else x.dtype, x.shape)


def _like_of_each(b: Batch, x: Operand, value: Operand, *, dtype: str | None) -> Result:
    if not known_ranks((x, value)):
        return None
    return b.emit(b.node.op, b.spread(x), b.raised(value, x.rank), dtype=dtype)


full_like = op(
    "full_like(x, value, /, dtype=None)",
    doc="An array of the shape and dtype of another one that is filled with one value.",
    spec=_full_like_spec,
    kernel=lambda xp, x, value, dtype: xp.full_like(x, value, dtype and as_dtype(dtype)),
    samples=calls(
        "biuf",
        lambda some: [((some(2, 3), 1), {}), ((some(2), 2), {"dtype": "float32"})],
    ),
    family=MOVED,
    cell="always",
    derivative=Derivative(lambda call, given: [given[1]], lambda call, given: [None, given[0]]),
    batching=_like_of_each,
)


def _arange(start: Any, stop: Any, step: Any, *, dtype: str | None) -> Any:
    make: Any = np.arange
    return make(start, stop, step, dtype)


def _arange_shape(*bounds: TensorSpec, dtype: str | None) -> Shape:
    for bound in bounds:
        need_scalar(bound, "a bound of arange")
        if bound.dtype.kind == "c":
            raise DtypeError("arange is not defined for complex numbers")
    return (UNKNOWN,)


def _arange_raises(specs: Sequence[TensorSpec], attrs: Mapping[str, Any]) -> tuple[Error, ...]:
    """Return what steps of zero raise, and bounds that are no numbers, or have no sign."""
    is_whole = all(spec.dtype.kind in "bi" for spec in specs)
    large = Error("ValueError", (2,), bool) if is_whole else Error("ValueError")
    return (Error("ZeroDivisionError", (2,), bool), large)


def _counted(call: Application, tangents: Sequence[Any]) -> list[Any]:
    s, _, t = tangents
    count = numbers(call.apply, np.shape(call.results[0])[0])
    return [total([s, None if t is None else t * count])]


arange = op(
    "arange(start, stop, step, /, dtype=None)",
    doc="Numbers from `start` in steps, up to but without `stop`.",
    spec=trial(_arange, _arange_shape),
    kernel=lambda xp, start, stop, step, dtype: xp.arange(start, stop, step, dtype),
    samples=calls(
        "iuf",
        lambda some: [
            ((0, abs(some(1)[0]), 1), {}),
            ((abs(some(1)[0]), 10, 2), {}),
            ((0, 3, 1), {"dtype": "float32"}),
            ((0.0, abs(some(1)[0]), 0.5), {}),
        ],
    ),
    family=ARRAYS,
    derivative=forward(_counted),
    raises=_arange_raises,
)


def _linspace_spec(
    start: TensorSpec, stop: TensorSpec, *, num: int, endpoint: bool, dtype: str | None
) -> TensorSpec:
    if num < 0:
        raise ShapeError(f"Number of samples, {num}, must be non-negative.")
    shape = broadcast_shapes([start.shape, stop.shape])
    found = promote(start.promotable, stop.promotable, float)
    return make_spec(as_dtype(dtype) if dtype else found, None if shape is None else (num, *shape))


def _linspace_of_each(b: Batch, start: Operand, stop: Operand, **attrs: Any) -> Result:
    has_numbers = any(x.is_batched and x.spec.weak for x in (start, stop))
    if has_numbers or not known_ranks((start, stop)):  # NumPy computes in the dtype of both
        return None
    rank = max(start.rank, stop.rank)
    found = b.emit(b.node.op, b.raised(start, rank), b.raised(stop, rank), **attrs)
    return b.moved(found, 1, 0)


def _ends_back(
    apply: Any, g: Any, start: Any, stop: Any, *, num: int, endpoint: bool, dtype: str | None
) -> list[Any]:
    weight = np.linspace(0.0, 1.0, num, endpoint)
    weight = np.reshape(weight, (num, *(1 for _ in np.shape(g)[1:])))
    return [np.sum((1 - weight) * g, 0), np.sum(weight * g, 0)]


linspace = op(
    "linspace(start, stop, /, num=50, endpoint=True, dtype=None)",
    doc="So many numbers at equal distances from `start` to `stop`.",
    spec=_linspace_spec,
    kernel=lambda xp, start, stop, num, **attrs: xp.linspace(start, stop, num, **attrs),
    samples=calls(
        "iufc",
        lambda some: [
            ((some(1)[0], 2), {"num": 5}),
            ((some(3), some(2, 1)), {"num": 4, "endpoint": False}),
            ((0, some(1)[0]), {"num": 1, "dtype": "float32"}),
        ],
    ),
    family=ARRAYS,
    derivative=linear(_ends_back, 2, broadcasts=True),
    batching=_linspace_of_each,
)


def _eye_spec(*sizes: TensorSpec, shape: Dims, k: int, dtype: str) -> TensorSpec:
    return make_spec(as_dtype(dtype), sizes_spec(shape, sizes))


def _eye_kernel(xp: Any, *sizes: Any, shape: Dims, k: int, dtype: str) -> Any:
    rows, columns = fill_sizes(shape, sizes)
    return xp.eye(rows, columns, k, dtype)


eye = op(
    "eye(*sizes, shape, k=0, dtype='float64')",
    doc="A matrix with ones on a diagonal and zeros elsewhere.",
    spec=_eye_spec,
    kernel=_eye_kernel,
    samples=calls(
        "f", lambda some: [((), {"shape": (2, 3)}), ((3,), {"shape": (None, 2), "k": -1})]
    ),
    family=MOVED,
    derivative=NOTHING_GIVEN,
    raises=raises_if(bool, "ValueError"),
)
