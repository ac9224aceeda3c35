"""What a variable may hold, and what it is assigned in a graph, as derivatives see it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from runtime.active_tapes import RECORDERS
from runtime.dispatch import apply
from runtime.errors import ShapeError
from runtime.graph.builder import Builder
from runtime.ops.movement import assigned
from runtime.spec import TensorSpec, accepts, make_spec
from runtime.state.boxes import Boxes
from runtime.tensor import Symbol

if TYPE_CHECKING:
    from runtime.state.variable import Variable


def told(builder: Builder, variable: Variable, value: Any) -> Any:
    """Return what a variable is assigned as something that derivatives may end at.

    Args:
        builder: of the graph or region that assigns it.
        variable: which is used there.
        value: what it is assigned; tapes are told of it.
    """
    for recorder in RECORDERS.active:
        value = recorder.assigned(variable, value)
    if variable.spec.dtype.kind not in "fc":
        return value
    held = builder.context(Boxes).used[id(variable)].symbol
    return apply(assigned, (value, Symbol(held.builder, held.first)))


def declared(spec: TensorSpec, shape: Any) -> TensorSpec:
    """Return the spec of a variable whose shape may be declared."""
    if shape is None:
        return make_spec(spec.dtype, spec.shape)
    found = TensorSpec(shape, spec.dtype)
    if not accepts(found, make_spec(spec.dtype, spec.shape)):
        raise ShapeError(f"a variable of shape {found} cannot hold {spec}")
    return found


def fresh(array: Any, dtype: Any) -> Any:
    """Return a copy of an array, as a scalar if it has no dimensions."""
    found = array.astype(dtype, copy=True)
    return found if found.ndim else found[()]


def assignable(part: Any, variable: Any, index: Any) -> Any:
    """Return a part of what a variable holds, which is assigned to by `part.assign(value)`."""
    part.assign = partial(_assign, variable, index)
    return part


def _assign(variable: Any, index: Any, value: Any, **others: Any) -> Any:
    variable[index] = value
    return variable
