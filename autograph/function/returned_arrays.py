"""Which arrays that a function returns lie in memory that the caller has, or gets twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from autograph.function.argument_mutation import Made, SharedOf
from autograph.staging.copies import TryAgain
from autograph.staging.loop_sharing import LoopSharing
from autograph.staging.selections import SELECTED, is_selecting
from autograph.staging.strictness import is_strict
from runtime import trees
from runtime.aliasing import JoinedPlace, sources_of
from runtime.dispatch import as_value, forget, value_of
from runtime.graph.builder import Builder
from runtime.graph.node import Value
from runtime.numpy.staged_call import as_cell
from runtime.result_memory import InMemory, OneInMemory, TakenView
from runtime.selected import arrays_in, roots_of
from runtime.signature import Output
from runtime.tensor import Place, Symbol, root_of
from runtime.union import is_cell


class ReturnedArrays:
    """The arrays among the results of a graph.

    Args:
        builder: of the graph.
        positions: by id, the numbers of the symbols that are its parameters.
        values: its results so far; what is needed to make views is added.
    """

    def __init__(self, builder: Builder, positions: Mapping[int, int], values: list[Value]) -> None:
        self._builder = builder
        self._positions = positions
        self._values = values
        self._shared: dict[int, Output | None] = {}
        self._roots: set[int] = set()

    def expect(self, leaves: Sequence[Any]) -> None:
        """Tell which leaves are returned: those of one array that is made here are to share it."""
        times = Counter(id(x) for x in leaves)
        arrays = {id(x): x for x in leaves if type(x) is Symbol and x.spec.shape != ()}
        roots = Counter(id(root) for x in arrays.values() for root in roots_of(x))
        for x in arrays.values():
            if roots[id(root_of(x))] > 1 and root_of(x).known is not None:
                forget(root_of(x))
        self._roots |= roots.keys()
        shared = [k for k in arrays if times[k] > 1] + [
            k for k, count in roots.items() if count > 1
        ]
        for k in shared:
            self._shared.setdefault(k, None)

    def output(self, leaf: Symbol) -> Output:
        """Return how an array is made that is no argument itself.

        Raises:
            TryAgain: it may be in the memory of another one, and what they hold was joined.
        """
        found = self._shared.get(id(leaf))
        if found is not None:
            return found
        if not (is_selecting() or is_strict()) and self._is_lost(root_of(leaf)):
            raise TryAgain(SELECTED)
        memory = self._selected(leaf) if leaf.selected is not None else self._written(leaf)
        found = Output("result", self._add(leaf), memory=memory)
        if id(leaf) in self._shared:
            if memory is not None:
                found = Output("list", 0, SharedOf(None, Made(trees.LEAF, (found,))))
            self._shared[id(leaf)] = found
        return found

    def _is_lost(self, root: Symbol) -> bool:
        """Tell whether an array is one that the caller sees, but the graph's result is another.

        Branches give the array itself, where that was not written. What loops give is a copy: were
        arrays selected there, rounds would not be native.
        """
        places = sources_of(root.joined_places or ())
        if any(type(x) is JoinedPlace and type(x.join) is LoopSharing for x in places):
            return False
        return any(x.owner.was_written for x in filter(self._is_seen, places))

    def _is_seen(self, place: Any) -> bool:
        """Tell whether an array is an argument, or is returned."""
        return type(place) is Place and (place.is_exposed or id(place.owner) in self._roots)

    def _add(self, x: Any) -> int:
        x = as_cell(x) if type(x) is Symbol and is_cell(x) else x
        self._values.append(value_of(x) if type(x) is Symbol else as_value(self._builder, x))
        return len(self._values) - 1

    def _selected(self, leaf: Symbol) -> OneInMemory | None:
        options = tuple(map(self._memory, arrays_in(leaf.selected)))
        if not any(options):
            return None
        return OneInMemory(self._add(leaf), self._add(leaf.selected._which), options)

    def _written(self, leaf: Symbol) -> InMemory | None:
        """Return where a view is of an array that was written, or an array without axes.

        In other cases what the graph returns is such a view.
        """
        if leaf.view_of is None:
            return None
        is_made = leaf.is_cell or any(x.was_written for x in roots_of(leaf))
        return self._memory(leaf) if is_made else None

    def _memory(self, array: Symbol) -> InMemory | None:
        """Return where an array is, if that is in an argument or in another result."""
        root = root_of(array)
        if id(root) in self._positions:
            return self._viewed(Output("argument", self._positions[id(root)]), array)
        one = None if root.selected is None else self._selected(root)
        if one is not None:
            return self._viewed(Output("result", one.value, memory=one), array)
        is_result = id(root) in self._shared and root.builder is self._builder
        return self._viewed(self.output(root), array) if is_result else None

    def _viewed(self, base: Output, array: Symbol) -> InMemory:
        views: list[TakenView] = []
        while (view := array.view_of) is not None:
            first = len(self._values)
            for x in view.others:
                self._add(x)
            views.insert(0, TakenView(view.op, view.attrs, first, len(view.others)))
            array = view.base
        return InMemory(base, tuple(views))
