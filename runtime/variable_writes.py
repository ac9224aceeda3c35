"""What variables hold while a graph runs: so much as was assigned when it fails.

Comes in: writes to the symbols of variables while tracing. Goes out: `keep` nodes, of which a pass
leaves those that something that may fail follows.
"""

from __future__ import annotations

from runtime.graph.builder import Builder
from runtime.graph.node import Value
from runtime.ops.effects import keep
from runtime.tensor import Symbol


def keep_assigned(builder: Builder, symbol: Symbol, before: Value) -> None:
    """Have a variable hold what was just assigned to it, in case that the graph fails later."""
    new, _ = symbol.held()
    assert new is not None
    inputs = (new,) if _is_item(builder, new, before) else (new, before)
    builder.emit(keep, inputs, {"variable": symbol.variable})


def _is_item(builder: Builder, new: Value, before: Value) -> bool:
    """Tell whether a value was just made by writing into the one before, as in `v[i] = x`."""
    last = builder.nodes[-1] if builder.nodes else None
    return (
        last is not None
        and last.op.in_place is not None
        and last.results == (new,)
        and last.inputs[0] is builder.resolve(before)
    )
