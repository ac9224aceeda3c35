"""Where what a function returns, and what it leaves in its arguments, comes from in its graph.

Comes in: values that hold symbols. Goes out: values of the graph, and how what plain Python has is
made of them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from autograph.function.argument_mutation import (
    Assigned,
    Callers,
    Change,
    Changed,
    Made,
    SharedOf,
    weakly,
)
from autograph.function.returned_arrays import ReturnedArrays
from autograph.function.returned_objects import objects_apart, opened_node, shared_in
from autograph.operators.containers.markers import Marker
from autograph.operators.containers.results import (
    InStore,
    StoredOf,
    StoreOf,
    list_of,
    parts_of,
)
from autograph.operators.containers.staged_containers import (
    StagedList,
    lists_now,
    staged_list,
    what_is,
)
from autograph.operators.containers.stores import Store
from autograph.operators.heap.heap import Heap
from autograph.operators.heap.heap_objects import is_on_heap, place_of
from autograph.operators.heap.heap_results import ObjectsOf
from autograph.operators.lists.list_truth import ListTruth
from autograph.staging.copies import refuse_copy
from autograph.staging.join import unmarked
from autograph.staging.strictness import is_strict
from runtime import trees
from runtime.deferred_results import as_result
from runtime.dispatch import as_value
from runtime.errors import MutationError
from runtime.graph.builder import Builder
from runtime.graph.node import Value
from runtime.signature import Output
from runtime.state.boxes import Boxes
from runtime.state.variable import Variable, is_of_variable
from runtime.subscripts import copied
from runtime.tensor import Symbol
from runtime.union import Choice

_ONE = trees.flatten(0)[1]


def uses_objects(outputs: Sequence[Output]) -> bool:
    """Tell whether objects of the caller's are among what is made."""
    made = (x.value.parts.outputs for x in outputs if type(x.value) is SharedOf)
    return any(x.kind == "object" for x in outputs) or any(map(uses_objects, made))


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
        self._is_outside: Callable[[Any], bool] = lambda x: False
        self._positions = {id(symbol): k for k, symbol in enumerate(symbols)}
        self._stores: dict[Store | Heap, InStore] = {}
        self._shared: dict[int, Any] = {}
        self._made: dict[int, SharedOf | None] = {}
        self.values: list[Value] = []
        self._arrays = ReturnedArrays(builder, self._positions, self.values)

    def changes(
        self, changed: Sequence[Changed], returned: Any = None
    ) -> tuple[Made, tuple[Change | Assigned, ...]]:
        """Add what is returned and what was changed; returns how that is made, and the changes."""
        self._is_outside = self._callers.outside.there()
        parts = [returned, *(x.value for x in changed)]
        self._shared = {} if is_strict() else shared_in(self._builder, parts, self._is_leaf)
        self._arrays.expect(trees.flatten_to(parts, self._is_leaf)[0])
        made = self.add(returned)
        return made, tuple(x.told(self.add(x.value)) for x in changed)

    def add(self, value: Any) -> Made:
        """Make the leaves of a value results; returns how it is made of them."""
        absent: list[Any] = []
        value = objects_apart(self._builder, value, self._is_leaf, absent)
        leaves, structure = trees.flatten_to(value, self._is_leaf)
        self._arrays.expect(leaves)
        with unmarked(absent):
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
        for python, number in lists_now().stored(store):
            if self._is_callers(python):
                found.callers.append((len(self.values), self._own(python)))
                self.values.append(as_value(self._builder, number))
        return found

    def _is_callers(self, item: Any) -> bool:
        return self._is_outside(item) or self._callers.number(item) is not None

    def _own(self, item: Any) -> Output:
        """Return an object of the caller's as a result."""
        number = self._callers.number(item)
        if number is not None:
            return Output("object", number)
        kept = weakly(item)
        return Output("static", value=item) if kept is None else Output("variable", value=kept)

    def _is_leaf(self, item: Any) -> bool:
        is_stored = staged_list(item) is not None or is_on_heap(item)
        return is_stored or id(item) in self._shared or self._is_callers(item)

    def _output(self, leaf: Any) -> Output:
        if id(leaf) in self._shared:
            return Output("list", 0, self._shared_output(leaf))
        return self._own_output(leaf)

    def _shared_output(self, leaf: Any) -> SharedOf:
        if id(leaf) not in self._made:
            self._made[id(leaf)] = None
            self._made[id(leaf)] = self._made_once(leaf)
        found = self._made[id(leaf)]
        if found is None:
            raise MutationError(
                f"{what_is(leaf, 'result')} is made here, returned, and part of itself. Return the "
                "arrays that it holds"
            )
        return found

    def _made_once(self, leaf: Any) -> SharedOf:
        if staged_list(leaf) is not None:
            return SharedOf(None, Made(_ONE, (self._own_output(leaf),)))
        if type(leaf) is Choice:
            held = self._shared.pop(id(leaf))
            made = SharedOf(None, self.add(leaf))
            self._shared[id(leaf)] = held
            return made
        node = opened_node(leaf)
        return SharedOf(node, self.add(tuple(node.children)))

    def _own_output(self, leaf: Any) -> Output:
        is_changed = isinstance(leaf, StagedList)
        if self._is_callers(leaf):
            return self._own(leaf)
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
            if not is_changed:
                refuse_copy(leaf.python, self._is_callers)
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
        return self._arrays.output(leaf)
