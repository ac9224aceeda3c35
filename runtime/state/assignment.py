"""What a variable is assigned in a graph, as derivatives see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runtime.active_tapes import RECORDERS
from runtime.dispatch import apply
from runtime.graph.builder import Builder
from runtime.ops.movement import assigned
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
