"""Arrays that are one of several, which one is known only when the graph runs.

Such a symbol has no memory of its own: it is read and written through the array that it is, so what
is written under any name is seen under all others. Which arrays are selected, and not joined to
one, is decided in `autograph.staging.selections`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.graph.builder import Builder
from runtime.graph.node import Value
from runtime.spec import TensorSpec
from runtime.tensor import NO_PLACES, Symbol, root_of
from runtime.union import Choice, Reference, option_of

ValueOf = Callable[..., Value]


def selection(builder: Builder, which: Any, arrays: Sequence[Symbol], spec: TensorSpec) -> Symbol:
    """Return the array that is the one of a number.

    Args:
        builder: where it can be read.
        which: the number, a symbol.
        arrays: what it may be, of one dtype and as many dimensions.
        spec: what holds for all of them.
    """
    symbol = not_read_yet(Symbol(builder, None), spec)
    options = [option_of(Reference(x))[0] for x in arrays]
    symbol.selected = Choice(which, options, [()] * len(options))
    symbol.joined_places = NO_PLACES.union(*(root.places for root in roots_of(symbol)))
    return symbol


def not_read_yet(symbol: Symbol, spec: TensorSpec) -> Symbol:
    """Return a symbol that is computed where it is read first."""
    symbol._lost = spec
    return symbol


def arrays_in(choice: Choice) -> list[Symbol]:
    """Return the arrays that a symbol may be, given its `selected`."""
    return [leaf.value.target for option in choice._options for _, leaf in option.known]


def roots_of(symbol: Symbol) -> list[Symbol]:
    """Return the arrays with memory of their own that a symbol may be, or may be a view of."""
    root = root_of(symbol)
    if root.selected is None:
        return [root]
    found = [x for option in arrays_in(root.selected) for x in roots_of(option)]
    return list({id(x): x for x in found}.values())


def read_selected(builder: Builder, symbol: Symbol, value_of: ValueOf) -> Value:
    """Return what a selected array holds; it is read again where one that it may be was written."""
    seen = _seen(builder, symbol, value_of)
    if symbol._seen != seen or symbol._value in builder.gone:
        read = lambda array: Symbol(array.builder_now(), value_of(array))  # noqa: E731
        symbol._value = value_of(Choice.each(symbol.selected, read))
        symbol._seen = seen
    assert symbol._value is not None
    return symbol._value


def write_selected(
    builder: Builder,
    symbol: Symbol,
    value: Value,
    write_array: Callable[[Symbol], None],
    value_of: ValueOf,
) -> None:
    """Write the array that a selected one is, so that it holds a value."""
    Choice.each(symbol.selected, write_array)
    symbol._value, symbol._seen = value, _seen(builder, symbol, value_of)


def _seen(builder: Builder, symbol: Symbol, value_of: ValueOf) -> Any:
    """Return what tells, by being another, that a selected array may hold something else."""
    return builder, tuple(value_of(x, checked=False) for x in roots_of(symbol))
