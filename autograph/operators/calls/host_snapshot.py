"""Values of variables that are handed to a Python function when the graph runs.

In: a value as it is while tracing, with symbols in it. Out: operands for a node, and how to make
the value of what the node is given: as plain Python would have it at that place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from autograph.operators.containers.results import Found, StoredOf, StoreOf, list_of, parts_of
from autograph.operators.containers.staged_containers import StagedList, is_staged_list, staged_list
from autograph.operators.containers.stores import Store
from autograph.staging.join import flag_of
from autograph.staging.region import UNDEFINED
from runtime import default_graph, trees
from runtime.deferred_results import as_result
from runtime.dispatch import as_value, value_of
from runtime.errors import LeakedSymbolError, MutationError, StructureError
from runtime.ops.effects import Called, call_python
from runtime.tensor import Symbol
from runtime.union import Missing

Rebuild = Callable[[Sequence[Any]], Any]


class _Position(int):
    """The number of an operand."""


class _Staged(NamedTuple):
    """A staged list: how it is made, and the number of its first operand."""

    made: Any
    first: int


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
            leaves, structure = trees.flatten_to(value, is_staged_list)
        except StructureError:
            kept = self._known(value)
            return lambda values: kept
        places = [self._place(leaf) for leaf in leaves]
        flags = [self._place(flag) for flag in flag_of(value) or ()]

        def rebuild(values: Sequence[Any]) -> Any:
            if not all(values[flag] if type(flag) is _Position else flag for flag in flags):
                return UNDEFINED
            found = Found(values, (), False)
            filled = [_filled(x, values, found) for x in places]
            made = trees.unflatten(as_result(structure), filled)
            return UNDEFINED if type(made) is Missing else made

        return rebuild

    def hand_over(self, function: Callable[..., None]) -> Called:
        """Have the graph call a function with the operands; return what it knows it by."""
        builder = default_graph.current()
        assert builder is not None
        found = Called(function)
        builder.emit(call_python, self._operands, call_python.attributes({"function": found}))
        return found

    def _place(self, leaf: Any) -> Any:
        staged = staged_list(leaf)
        if staged is not None:
            return self._place_list(staged)
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

    def _place_list(self, staged: StagedList) -> Any:
        builder = default_graph.current()
        assert builder is not None
        count = len(self._operands)
        try:
            if staged.home is not None:
                made: Any = StoredOf(self._store_of(staged.home.store))
                parts = [staged.home.number]
            else:
                made = list_of(staged, self._store_of)
                parts = parts_of(staged)
            operands = [as_value(builder, x) for x in parts]
        except (MutationError, LeakedSymbolError):
            del self._operands[count:]
            return self._hidden
        self._operands += operands
        return _Staged(made, len(self._operands) - len(operands))

    def _store_of(self, store: Store) -> StoreOf:
        """Return how the containers of a store are made of operands."""
        builder = default_graph.current()
        assert builder is not None
        found = StoreOf()
        found.describe(store, self._store_of)
        operands = [as_value(builder, x) for x in store.parts]
        found.first = len(self._operands)
        self._operands += operands
        return found


def _filled(place: Any, values: Sequence[Any], found: Found) -> Any:
    """Return a leaf, of what the node is given."""
    if type(place) is _Staged:
        return place.made.make(values, place.first, found)
    return values[place] if type(place) is _Position else place
