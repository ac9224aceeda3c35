"""Converting values of a graph to a spec: NumPy's casts, and those that make Python's numbers."""

from __future__ import annotations

from typing import Any

from runtime.default_graph import building
from runtime.dispatch import apply, as_value
from runtime.dtypes import python_type
from runtime.graph.builder import Builder
from runtime.graph.node import Value
from runtime.graph.opdef import REGISTRY
from runtime.ops.elementwise import truth
from runtime.spec import TensorSpec
from runtime.tensor import Symbol


def cast(builder: Builder, operand: Any, spec: TensorSpec) -> Value:
    """Return the graph value of a number or an array, converted to the dtype of `spec`.

    Args:
        builder: where it is used.
        operand: a symbol, an array or a number.
        spec: what it is converted to; a weak one makes it a number of Python's.
    """
    with building(builder):
        value = builder.resolve(as_value(builder, operand))
        if value.spec.dtype == spec.dtype and value.spec.weak == spec.weak:
            return value
        symbol = Symbol(builder, value)
        if spec.weak:
            kind = python_type(spec.dtype)
            return as_value(
                builder, apply(truth if kind is bool else REGISTRY[f"to_{kind.__name__}"], [symbol])
            )
        return as_value(builder, apply(REGISTRY["cast"], [symbol], dtype=spec.dtype.name))
