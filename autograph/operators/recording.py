"""Values of variables that are handed to a Python function when the graph runs.

In: a value as it is while tracing, with symbols in it. Out: operands for a node, and how to make
the value of what the node is given: as plain Python would have it at that place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime import mode, trees
from runtime.choice import Missing
from runtime.control.join import flag_of
from runtime.control.region import UNDEFINED
from runtime.dispatch import value_of
from runtime.errors import LeakedSymbolError, MutationError, StructureError
from runtime.ops.effects import Called, call_python
from runtime.results import as_result
from runtime.tensor import Symbol

Rebuild = Callable[[Sequence[Any]], Any]


class _Position(int):
    """The number of an operand."""


class Recording:
    """Values that one node hands over.

    Args:
        known: what is kept of a leaf that is known while tracing.
        hidden: stands for what nobody may read.
    """

    def __init__(self, known: Callable[[Any], Any], hidden: Any) -> None:
        self._known = known
        self._hidden = hidden
        self._operands: list[Any] = []

    def add(self, value: Any) -> Rebuild:
        """Add a value; returns how to make it of what the node is given.

        A variable that may be undefined is not checked; it is made `UNDEFINED` where it is.
        """
        try:
            leaves, structure = trees.flatten(value)
        except StructureError:
            kept = self._known(value)
            return lambda values: kept
        places = [self._place(leaf) for leaf in leaves]
        flags = [self._place(flag) for flag in flag_of(value) or ()]

        def rebuild(values: Sequence[Any]) -> Any:
            if not all(values[flag] if type(flag) is _Position else flag for flag in flags):
                return UNDEFINED
            filled = [values[x] if type(x) is _Position else x for x in places]
            made = trees.unflatten(as_result(structure), filled)
            return UNDEFINED if type(made) is Missing else made

        return rebuild

    def hand_over(self, function: Callable[..., None]) -> Called:
        """Have the graph call a function with the operands; return what it knows it by."""
        builder = mode.current()
        assert builder is not None
        number = Called(function)
        builder.emit(call_python, self._operands, call_python.attributes({"number": number}))
        return number

    def _place(self, leaf: Any) -> Any:
        if type(leaf) is not Symbol:
            return self._known(leaf)
        try:
            if leaf.known is not None:
                leaf.builder_now()
                return leaf.known.copy()
            self._operands.append(value_of(leaf, False))
        except (MutationError, LeakedSymbolError):
            return self._hidden
        return _Position(len(self._operands) - 1)
