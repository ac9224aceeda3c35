"""Where what a function returns, and what it leaves in its arguments, comes from in its graph.

Comes in: values that hold symbols. Goes out: values of the graph, and how what plain Python has is
made of them.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from autograph.function.argument_mutation import Callers, Made
from autograph.function.returned_objects import objects_apart
from autograph.operators.containers.results import list_of
from autograph.operators.containers.staged_containers import Marker, StagedList, staged_list
from runtime import trees
from runtime.deferred_results import as_result
from runtime.dispatch import as_value, value_of
from runtime.errors import MutationError
from runtime.graph.builder import Builder
from runtime.graph.node import Value
from runtime.numpy.staged_call import as_cell
from runtime.signature import Output
from runtime.state.boxes import Boxes
from runtime.state.variable import Variable, is_of_variable
from runtime.subscripts import copied
from runtime.tensor import Symbol
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
        self.values: list[Value] = []

    def add(self, value: Any) -> Made:
        """Make the leaves of a value results; returns how it is made of them."""
        value = objects_apart(self._builder, value, self._is_leaf)
        leaves, structure = trees.flatten_to(value, self._is_leaf)
        return Made(as_result(structure), tuple(map(self._output, leaves)))

    def _is_leaf(self, item: Any) -> bool:
        return staged_list(item) is not None or self._callers.number(item) is not None

    def _output(self, leaf: Any) -> Output:
        number = self._callers.number(leaf)
        if number is not None:
            return Output("object", number)
        if isinstance(leaf, Variable):
            return Output("variable", value=weakref.ref(leaf))
        leaf = staged_list(leaf) or leaf
        if isinstance(leaf, StagedList):
            content = leaf.content
            parts = (content.length, *content.buffers)
            output = Output("list", len(self.values), list_of(leaf))
            self.values += [as_value(self._builder, x) for x in parts]
            return output
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
