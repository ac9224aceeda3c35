"""`custom_gradient`: functions that return their derivative beside their value.

The function runs where it is called, once, as any other; what it computes on the way is there for
its rule, and has derivatives itself, so that a rule has a derivative. Only the value it gives is
one that follows the arguments by the rule: in a graph a `custom` node that changes nothing, outside
of graphs something that tapes are told of.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.function.polymorphic import Function
from autograph.transforms.region import Closed, close, current_builder
from runtime import default_graph, trees
from runtime.active_tapes import RECORDERS, Recorder
from runtime.autodiff.dependence import is_inexact
from runtime.dispatch import as_value
from runtime.errors import DerivativeError
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.ops import control
from runtime.state.variable import Variable
from runtime.tensor import Symbol, Tensor
from runtime.union import is_numeric

Rule = Callable[..., Any]


class _Read(Recorder):
    """Notes which trainable variables are read, with what they held when they first were."""

    def __init__(self) -> None:
        self.found: dict[int, tuple[Variable, Any]] = {}

    def read(self, variable: Any, value: Any) -> bool:
        """Take note of a variable."""
        if variable.trainable and is_inexact(variable.spec):
            self.found.setdefault(id(variable), (variable, value))
        return False

    def ran(self, op: Any, attrs: Any, operands: Any, results: Any) -> None:
        """Take note of nothing."""

    def called(self, inputs: Any, results: Any, pull: Any) -> None:
        """Take note of nothing."""

    def follows(self, array: Any) -> bool:
        """Tell that no array is followed."""
        return False

    def assigned(self, variable: Any, value: Any) -> Any:
        """Return the value."""
        return value

    def writes(self, array: Any) -> None:
        """Let it be written."""


@contextmanager
def _reading(note: _Read) -> Iterator[None]:
    RECORDERS.active = (*RECORDERS.active, note)
    try:
        yield
    finally:
        RECORDERS.active = tuple(x for x in RECORDERS.active if x is not note)


class OwnGradient:
    """A function that returns its value, and the function that goes back through it.

    Args:
        func: the function, staged.
        flat: whether its rule takes the cotangents of the results one by one, and returns those of
            all leaves of the arguments, as TensorFlow's do; else both have their structure.
    """

    def __init__(self, func: Function, flat: bool) -> None:
        self._func = func
        self._flat = flat
        self._name = func._signature.name

    def __call__(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Return the value for some arguments."""
        builder = default_graph.current()
        if builder is None and not RECORDERS.active:
            return self._parts(self._func.python_function(*args, **kwargs))[0]
        start = builder.nodes[-1] if builder is not None and builder.nodes else None
        leaves = [x for x in trees.flatten(args)[0] if _is_source(x)]
        operands = [x.read() if isinstance(x, Variable) else x for x in leaves]
        note = _Read()
        with _reading(note):
            called = self._func if builder is not None else self._func.python_function
            value, rule = self._parts(called(*args, **kwargs))
        value = trees.map_tree(lambda x: x.read() if isinstance(x, Variable) else x, value)
        given = {id(x) for x in leaves}
        read = [x for key, x in note.found.items() if key not in given]
        taken = read if _takes_variables(rule) else []
        if self._flat and len(taken) < len(read):
            names = ", ".join(x.name for x, _ in read)
            raise TypeError(
                f"{self._name} reads the variables {names}, and the function that goes back "
                "through it does not take them: give it the parameter `variables`, a list of them, "
                "and let it return a pair, the gradients by the arguments, and a list of those by "
                "the variables"
            )
        others = [x for x, _ in read] if not taken else []
        call = _Call(self, args, operands, taken, others, value, rule)
        return call.recorded() if builder is None else call.staged(builder, start)

    def _parts(self, found: Any) -> tuple[Any, Rule]:
        if not isinstance(found, tuple | list) or len(found) != 2 or not callable(found[1]):
            raise DerivativeError(
                f"{self._name} is to return a pair, its value and the function that goes back "
                f"through it, as it is given to custom_gradient, and returned {found!r}"
            )
        value, rule = found
        return value, rule

    def back(
        self,
        args: tuple[Any, ...],
        variables: Sequence[Variable],
        value: Any,
        rule: Rule,
        cotangents: Sequence[Any],
    ) -> list[Any]:
        """Return what a rule gives for the leaves of the arguments, and for the variables.

        Args:
            args: the arguments.
            variables: those that the function read.
            value: what it returned.
            rule: what it returned beside it.
            cotangents: of the leaves of that.
        """
        structure = trees.flatten(value)[1]
        given = cotangents if self._flat else [trees.unflatten(structure, cotangents)]
        if not variables:
            return self._fitting(args, rule(*given))
        found = rule(*given, variables=list(variables))
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise DerivativeError(
                f"the rule of {self._name}, which reads variables, is to return a pair: the "
                "gradients by the arguments, and a list of those by the variables"
            )
        of_args, of_variables = found
        if len(of_variables) != len(variables):
            raise DerivativeError(
                f"the rule of {self._name} returned gradients by {len(of_variables)} variables, "
                f"and was given {len(variables)}"
            )
        return [*self._fitting(args, of_args), *of_variables]

    def _fitting(self, args: tuple[Any, ...], found: Any) -> list[Any]:
        """Return a cotangent for each leaf of the arguments."""
        if self._flat:
            leaves = [x for x in trees.flatten(args)[0] if _is_source(x)]
            parts = trees.flatten_to(found, lambda x: x is None)[0]
            if len(parts) != len(leaves):
                raise DerivativeError(
                    f"the rule of {self._name} is to return {len(leaves)} gradients, one for each "
                    f"tensor that it is given, and returned {len(parts)}"
                )
            return list(parts)
        found = found if isinstance(found, tuple) else (found,)
        if len(found) != len(args):
            raise DerivativeError(
                f"the rule of {self._name} is to return a tuple of {len(args)} cotangents, one for "
                f"each argument, and returned {found!r}"
            )
        made: list[Any] = []
        for arg, g in zip(args, found, strict=True):
            own = [x for x in trees.flatten(arg)[0] if _is_source(x)]
            given: list[Any] = [None] * len(own) if g is None else list(trees.flatten(g)[0])
            if len(given) != len(own):
                raise DerivativeError(
                    f"the rule of {self._name} returned {g!r} for an argument of {len(own)} arrays"
                )
            made += given
        return made


def _takes_variables(rule: Rule) -> bool:
    parameters = inspect.signature(rule).parameters.values()
    return any(x.name == "variables" or x.kind is x.VAR_KEYWORD for x in parameters)


class _Call:
    """One call of such a function.

    Args:
        function: which is called.
        args: its arguments.
        operands: their leaves, what variables among them hold.
        variables: those that it read and its rule takes, with what they held.
        others: those that it read, if its rule takes none.
        value: what it returned.
        rule: what it returned beside it.
    """

    def __init__(
        self,
        function: OwnGradient,
        args: tuple[Any, ...],
        operands: Sequence[Any],
        variables: Sequence[tuple[Variable, Any]],
        others: Sequence[Variable],
        value: Any,
        rule: Rule,
    ) -> None:
        self._function = function
        self._args = args
        self._leaves, self._variables, self._others = operands, variables, others
        self._value = value
        self._rule = rule
        self._results, self._structure = trees.flatten(value)

    def _back(self, cotangents: Sequence[Any]) -> list[Any]:
        """Return what the rule gives for the operands, of the cotangents of numeric results."""
        rest = iter(cotangents)
        given = [next(rest) if is_numeric(x) else None for x in self._results]
        variables = [x for x, _ in self._variables]
        return self._function.back(self._args, variables, self._value, self._rule, given)

    def _returned(self, results: Sequence[Any]) -> Any:
        rest = iter(results)
        made = [next(rest) if is_numeric(x) else x for x in self._results]
        return trees.unflatten(self._structure, made)

    def recorded(self) -> Any:
        """Tell the tapes of it, and return the value."""
        results = [x for x in self._results if is_numeric(x)]
        made = [
            Tensor(np.array(x.array), x.operate) if isinstance(x, Tensor) else x for x in results
        ]

        def pull(cotangents: Sequence[Any], wanted: Sequence[bool]) -> Sequence[Any]:
            if any(wanted[len(wanted) - len(self._others) :]):
                raise DerivativeError(
                    f"{self._function._name} has a derivative of its own, and reads a variable "
                    "that is differentiated by: let its rule take `variables`"
                )
            pairs = zip(cotangents, made, strict=True)
            return [*self._back([_given(g, y) for g, y in pairs]), *(None for _ in self._others)]

        variables = [x for x, _ in self._variables]
        inputs = [*map(_array, self._leaves), *variables, *self._others]
        for recorder in RECORDERS.active:
            recorder.called(inputs, [*map(_array, made)], pull)
        return self._returned(made)

    def staged(self, builder: Builder, start: Node | None) -> Any:
        """Write it into a graph, and return the value.

        Args:
            builder: of the graph.
            start: the node after which the function began.
        """
        operands = [*self._leaves, *(held for _, held in self._variables)]
        given = [builder.resolve(as_value(builder, x)) for x in operands]
        results = [builder.resolve(as_value(builder, x)) for x in self._results if is_numeric(x)]
        own = builder.nodes[_place(builder, start) :]
        specs = [x.spec for x in results if is_inexact(x.spec)]
        closed = close(lambda symbols: self._cotangents(symbols, given, results), specs)
        if closed.writes:
            raise DerivativeError(
                f"the rule of {self._function._name} assigns a variable or an array from outside, "
                "and what goes back through a function only computes"
            )
        free, outside = _apart(own, given, results, closed.captured)
        values = [*given, *free, *outside]
        attrs = {"mode": "vjp", "count": len(given), "free": len(free)}
        attrs["label"] = self._function._name
        regions = [_chosen(values, results), _of(closed, values)]
        found = builder.emit(control.custom, values, attrs, regions)
        return self._returned([Symbol(builder, x) for x in found])

    def _cotangents(
        self, symbols: Sequence[Any], given: Sequence[Value], results: Sequence[Value]
    ) -> list[Any]:
        """Return the cotangents of the operands that are floats."""
        rest = iter(symbols)
        found = self._back([next(rest) if is_inexact(x.spec) else None for x in results])
        builder = current_builder()
        pairs = zip(found, given, strict=True)
        return [
            rnp.zeros_like(Symbol(builder, builder.resolve(x))) if g is None else g
            for g, x in pairs
            if is_inexact(x.spec)
        ]


def _is_source(leaf: Any) -> bool:
    return is_numeric(leaf) or isinstance(leaf, Variable)


def _array(leaf: Any) -> Any:
    return leaf.array if isinstance(leaf, Tensor) else leaf


def _given(cotangent: Any, result: Any) -> Any:
    """Return a cotangent as a tensor like the result that it is of; zeros for None."""
    operate = getattr(result, "operate", None)
    if cotangent is None:
        return Tensor(np.zeros_like(_array(result)), operate)
    return Tensor(cotangent.array, operate)


def _place(builder: Builder, start: Node | None) -> int:
    """Return how many nodes there are up to one; none if it is not there any more."""
    places = (k for k, node in enumerate(builder.nodes, 1) if node is start)
    return next(places, 0)


def _apart(
    nodes: Sequence[Node], given: Sequence[Value], results: Sequence[Value], used: Sequence[Value]
) -> tuple[list[Value], list[Value]]:
    """Return what a function computed that is needed, and what it used from outside for that.

    Args:
        nodes: of the function.
        given: its arguments.
        results: its results.
        used: what its rule uses.
    """
    needed = dict.fromkeys((*results, *used))
    made = {x for node in nodes for x in node.results}
    for node in reversed(nodes):
        if any(x in needed for x in node.results):
            needed.update(dict.fromkeys(node.inputs))
    free = [x for x in dict.fromkeys((*results, *used)) if x in made or x in results]
    return free, [x for x in needed if x not in made and x not in results and x not in given]


def _chosen(operands: Sequence[Value], results: Sequence[Value]) -> Graph:
    """Return the graph that gives some of its operands."""
    params = [Value(x.spec) for x in operands]
    own = dict(zip(operands, params, strict=True))
    return Graph(tuple(params), (), tuple(own[x] for x in results))


def _of(closed: Closed, operands: Sequence[Value]) -> Graph:
    """Return the graph of a rule, which takes all operands, then the cotangents."""
    graph = closed.graph
    count = len(graph.params) - len(closed.captured)
    known = dict(zip(closed.captured, graph.params[count:], strict=True))
    params = [known.pop(x) if x in known else Value(x.spec) for x in operands]
    return Graph((*params, *graph.params[:count]), graph.nodes, graph.results)
