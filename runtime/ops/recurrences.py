"""Recurrences along an axis, of which derivatives of running results are made."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.dtypes import resolve_ufunc
from runtime.graph.opdef import op
from runtime.graph.traits import raises_nothing
from runtime.ops.batch_rules import Batch, Operand, Result
from runtime.ops.derivatives.ordering import RECURRENCE
from runtime.ops.families import ARRAYS
from runtime.ops.samples import calls
from runtime.spec import TensorSpec, make_spec


def _spec(x: TensorSpec, y: TensorSpec) -> TensorSpec:
    (dtype,) = resolve_ufunc(np.multiply, x.promotable, y.promotable)
    return make_spec(dtype, y.shape)


def _kernel(xp: Any, x: Any, y: Any) -> Any:
    factors, addends = xp.moveaxis(x, -1, 0), xp.moveaxis(y, -1, 0)
    found = xp.empty(addends.shape, xp.result_type(x, y))
    found[:1] = addends[:1]
    for k in range(1, len(found)):  # by slices: products of complex scalars have other digits
        found[k : k + 1] = factors[k - 1 : k] * found[k - 1 : k] + addends[k : k + 1]
    return xp.moveaxis(found, 0, -1)


def _of_each(b: Batch, x: Operand, y: Operand) -> Result:
    return b.emit(b.node.op, b.spread(x), b.spread(y))


_SAMPLES = (((4,), (5,)), ((2, 3, 6), (2, 3, 7)), ((0,), (1,)), ((0,), (0,)))
recurrence = op(
    "recurrence(x, y, /)",
    doc="Numbers `z[k] = x[k - 1] * z[k - 1] + y[k]` along the last axis, which begin with `y[0]`.",
    spec=_spec,
    kernel=_kernel,
    samples=calls("fc", lambda some: [((some(*n[0]), some(*n[1])), {}) for n in _SAMPLES]),
    family=ARRAYS,
    derivative=RECURRENCE,
    batching=_of_each,
    raises=raises_nothing,
)
