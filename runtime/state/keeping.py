"""What variables hold while a graph runs: so much as was assigned when it fails.

Comes in: writes to boxes while tracing. Goes out: `keep` nodes, of which a pass leaves those that
something that may fail follows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from runtime.graph.builder import ASSIGNED, Builder
from runtime.graph.node import Value
from runtime.ops.effects import keep
from runtime.tensor import Symbol


class Box(NamedTuple):
    """A variable in a graph that is being built: what it holds there now."""

    variable: Any
    symbol: Symbol


def _keep(builder: Builder, symbol: Symbol, before: Value) -> None:
    """Have a variable hold what was just assigned to it, in case that the graph fails later."""
    found = (x.variable for x in builder.variables.values() if x.symbol is symbol)
    variable = next(found, None)
    if variable is not None:
        new, _ = symbol.held()
        assert new is not None
        inputs = (new,) if _is_item(builder, new, before) else (new, before)
        builder.emit(keep, inputs, {"number": variable.number})


def _is_item(builder: Builder, new: Value, before: Value) -> bool:
    """Tell whether a value was just made by writing into the one before, as in `v[i] = x`."""
    last = builder.nodes[-1] if builder.nodes else None
    return (
        last is not None
        and last.op.in_place is not None
        and last.results == (new,)
        and last.inputs[0] is builder.resolve(before)
    )


ASSIGNED.append(_keep)
