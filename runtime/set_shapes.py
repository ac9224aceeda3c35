"""Arrays that stay the same arrays and have another shape: `x.shape = n`, and what is told of one.

Comes in: a symbol. It is changed, so it must be an array of its own that the trace has made: nobody
outside sees it, and no view was taken of its old axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.aliasing import check_current, note_write
from runtime.array_context import OutsideArrays
from runtime.dispatch import apply, value_of
from runtime.errors import MutationError
from runtime.graph.node import Value
from runtime.ops.movement import reshape
from runtime.rows import needed_for_rows
from runtime.tensor import Symbol

IN_PLACE = "x.shape = n changes an array in place; write x = x.reshape(n)"


def refine(symbol: Symbol, value: Value) -> None:
    """Hold the same array, of whose shape more is known; MutationError for what is shared."""
    if not _is_own(symbol) or symbol.was_written:
        raise MutationError(
            "the shape of an argument, a variable of a loop or a view is what it is; write "
            "x = tf.ensure_shape(x, shape) for an array whose shape is known"
        )
    symbol._first = symbol._value = value


def set_shape(symbol: Any, shape: Any) -> None:
    """Do what `x.shape = shape` does.

    Raises:
        MutationError: others may see the array, or it may not lie in rows.
        What NumPy raises for a shape that does not fit.
    """
    if type(symbol) is not Symbol or not symbol.spec.is_static or symbol.spec.shape == ():
        raise MutationError(IN_PLACE)
    example: Any = np.empty(symbol.spec.shape)
    setattr(example, "shape", shape)  # noqa: B010 - a call, so its errors are the program's
    builder, needed = symbol.builder_now(), needed_for_rows(symbol)
    is_free = builder is symbol.builder and not symbol.has_views and symbol.joined_places is None
    if not is_free or not _is_own(symbol) or symbol.unwritable is not None or needed is None:
        raise MutationError(IN_PLACE)
    builder.context(OutsideArrays).in_rows |= needed
    if symbol.known is not None:
        symbol.restore((None, np.reshape(symbol.known, example.shape)))
        return
    check_current(builder, symbol)
    new: Any = apply(reshape, (symbol,), shape=example.shape)
    note_write(builder, symbol)
    symbol._first = symbol._value = value_of(new)


def _is_own(symbol: Symbol) -> bool:
    """Tell whether a symbol is an array that the trace made, and no view."""
    is_view = symbol.view_of is not None or symbol.selected is not None
    return not (symbol.is_param or symbol.begins_round or is_view)
