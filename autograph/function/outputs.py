"""Where what a function returns, and what it leaves in its arguments, comes from in its graph.

Comes in: values that hold symbols. Goes out: values of the graph, and how what plain Python has is
made of them.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from autograph.function.argument_mutation import Callers, Made
from autograph.function.returned_objects import objects_apart
from autograph.operators.containers.markers import Marker
from autograph.operators.containers.results import (
    InStore,
    StoredOf,
    StoreOf,
    list_of,
    parts_of,
)
from autograph.operators.containers.staged_containers import StagedList, staged_list
from autograph.operators.containers.stores import Store
from autograph.operators.heap.heap import Heap
from autograph.operators.heap.heap_objects import is_on_heap, place_of
from autograph.operators.heap.heap_results import ObjectsOf
from autograph.operators.heap.stored_objects import home_of
from autograph.operators.lists.list_truth import ListTruth
from runtime import trees
from runtime.deferred_results import as_result
from runtime.dispatch import as_value, forget, value_of
from runtime.errors import MutationError
from runtime.graph.builder import Builder
from runtime.graph.node import Value
from runtime.numpy.staged_call import as_cell
from runtime.signature import Output
from runtime.state.boxes import Boxes
from runtime.state.variable import Variable, is_of_variable
from runtime.subscripts import copied
from runtime.tensor import Symbol, root_of
from runtime.union import is_cell


class Results:
    """The results that a graph is given, one after another.

    Args:
        builder: of the graph.
        symbols: its parameters.
        callers: the objects among the arguments of the function.
    """

    def __init__(self, builder: Builder, symbols: Sequence[Symbol], callers: Callers) -> None:
        self._builder = builder
        self._callers = callers
        self._positions = {id(symbol): k for k, symbol in enumerate(symbols)}
        self._stores: dict[Store | Heap, InStore] = {}
        self.values: list[Value] = []

    def add(self, value: Any) -> Made:
        """Make the leaves of a value results; returns how it is made of them."""
        value = objects_apart(self._builder, value, self._is_leaf)
        leaves, structure = trees.flatten_to(value, self._is_leaf)
        stage_shared(leaves)
        return Made(as_result(structure), tuple(map(self._output, leaves)))

    def _list_output(self, made: Any, parts: Sequence[Any]) -> Output:
        output = Output("list", len(self.values), made)
        self.values += [as_value(self._builder, x) for x in parts]
        return output

    def _store_of(self, store: Store | Heap) -> InStore:
        """Return how the containers of a store, or the objects of a class, are made of results."""
        if store in self._stores:
            return self._stores[store]
        if isinstance(store, Heap):
            self._stores[store] = objects = ObjectsOf(store)
            columns = objects.describe(store, self._store_of)
            objects.first = len(self.values)
            self.values += [as_value(self._builder, x) for x in columns]
            return objects
        if store.given is not None:
            raise MutationError("a list that is an item of an argument in columns is returned")
        self._stores[store] = found = StoreOf()
        found.describe(store, self._store_of)
        parts = store.parts
        found.first = len(self.values)
        self.values += [as_value(self._builder, x) for x in parts]
        for number, x in enumerate(self._callers.objects):
            home = home_of(x)
            if home is not None and home.store is store:
                found.callers.append((len(self.values), number))
                self.values.append(as_value(self._builder, home.number))
        return found

    def _is_leaf(self, item: Any) -> bool:
        is_stored = staged_list(item) is not None or is_on_heap(item)
        return is_stored or self._callers.number(item) is not None

    def _output(self, leaf: Any) -> Output:
        is_changed = isinstance(leaf, StagedList)
        number = self._callers.number(leaf)
        if number is not None:
            return Output("object", number)
        if is_on_heap(leaf):
            heap, place = place_of(leaf)
            return self._list_output(StoredOf(self._store_of(heap)), [place])
        if isinstance(leaf, Variable):
            return Output("variable", value=weakref.ref(leaf))
        leaf = staged_list(leaf) or leaf
        if isinstance(leaf, StagedList):
            if leaf.home is not None:
                stored = StoredOf(self._store_of(leaf.home.store), is_changed)
                return self._list_output(stored, [leaf.home.number])
            made = list_of(leaf, self._store_of)
            return self._list_output(made, parts_of(leaf))
        if type(leaf) is ListTruth:
            leaf.refuse()
        if isinstance(leaf, Marker):
            raise MutationError(
                f"the {leaf.staged.what}, whose items are known only when the graph runs, "
                "is part of one of several values that are returned, or of what Python's own code "
                "made of it. Return it itself, or np.array of a list"
            )
        if not isinstance(leaf, Symbol):
            return Output("static", value=leaf)
        if id(leaf) in self._positions:
            return Output("argument", self._positions[id(leaf)])
        if self._builder.context(Boxes).used and is_of_variable(leaf):
            leaf = copied(leaf)  # the caller may write into what it gets
        if is_cell(leaf):
            leaf = as_cell(leaf)
        self.values.append(value_of(leaf))
        return Output("result", len(self.values) - 1)


def stage_shared(leaves: Iterable[Any]) -> None:
    """Make known arrays staged of which there are several views: they are to share its memory."""
    symbols = {id(x): x for x in leaves if type(x) is Symbol and x.known is not None}
    roots = [root_of(x) for x in symbols.values()]
    counts = Counter(map(id, roots))
    for root in roots:
        if counts[id(root)] > 1 and root.known is not None:
            forget(root)
