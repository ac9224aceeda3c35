"""Tracing: running a function on symbols, once, to get its graph."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from autograph.function.callers import Callers, Change, Made
from autograph.function.needs import Needs
from autograph.function.outside import Outside
from autograph.function.unconverted import explain_unconverted
from autograph.operators.lists.returned import list_of
from autograph.operators.lists.table import (
    Lists,
    ListsNeeded,
    Marker,
    StagedList,
    staged_list,
)
from autograph.operators.lists.values import list_of_value, value_of_option
from autograph.operators.recursion import Recursions, called, endless
from runtime import trees
from runtime.choice import Choice, by_value, values_of
from runtime.control.choosing import check_present, each
from runtime.control.copies import TryAgain, check_copies
from runtime.control.failing import emit_failure, has_staged_text, is_of_tracing
from runtime.control.searching import searching
from runtime.dispatch import as_value, value_of
from runtime.errors import MutationError, StagedBoolError, StagedValueError
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Value
from runtime.graph.walk import effects
from runtime.mode import building
from runtime.results import as_result
from runtime.spec import TensorSpec
from runtime.state.variable import Variable, is_of_variable
from runtime.subscripts import copied
from runtime.tensor import Symbol


@dataclass(frozen=True, slots=True)
class Output:
    """Where one leaf of a function's result comes from.

    Args:
        kind: `"result"` of the graph, `"argument"` (the array that was passed), `"object"` (a list,
            dict or dataclass that was passed), `"static"`, `"variable"`, or `"list"`, made of
            several results.
        position: which result (the first one, for a list), tensor argument or object.
        value: the Python object, for a static one; a reference to a variable; how it is made, for a
            list.
    """

    kind: str
    position: int = 0
    value: Any = None


@dataclass(frozen=True, slots=True)
class Trace:
    """What tracing found.

    Args:
        graph: the graph; its results are those of `outputs` and `changes`, then the `writes`, then
            what is stored in variables.
        structure: the tree that the function returns.
        outputs: the leaves of that tree.
        writes: the tensor arguments that the function writes in place.
        changes: what it changes of the lists, dicts and objects among its arguments.
        reads: the variables that are parameters, after those of the arguments; held weakly.
        arrays: arrays from outside that are parameters after these; held weakly.
        stores: the variables that are assigned; held weakly.
        created: the variables that were created while tracing.
        error: what the function raises when the graph has run; None if it returns.
        used: by id of an array from outside, where it is an operand.
        asked: the names of attributes that the function computes.
    """

    graph: Graph
    structure: Any
    outputs: tuple[Output, ...]
    writes: tuple[int, ...]
    changes: tuple[Change, ...] = ()
    reads: tuple[weakref.ref[Variable], ...] = ()
    arrays: tuple[weakref.ref[Any], ...] = ()
    stores: tuple[weakref.ref[Variable], ...] = ()
    created: tuple[Variable, ...] = ()
    error: Exception | None = None
    used: Mapping[int, Set[Any]] = field(default_factory=dict)
    asked: Set[str] = frozenset()

    @property
    def is_alive(self) -> bool:
        """Whether all variables and arrays from outside that it uses are still there."""
        used = (*self.reads, *self.arrays, *self.stores)
        return all(reference() is not None for reference in used)


def there(references: Iterable[weakref.ref[Any]]) -> list[Any]:
    """Return the variables or arrays that are still there."""
    found = (reference() for reference in references)
    return [x for x in found if x is not None]


NOTHING_OUTSIDE: Mapping[int, tuple[Any, str]] = {}
Fill: TypeAlias = Callable[[Sequence[Any]], tuple[tuple[Any, ...], dict[str, Any]]]


def trace(
    converted: Callable[[bool], Callable[..., Any]],
    specs: Sequence[TensorSpec],
    names: Sequence[str],
    fill: Fill,
    owners: Iterable[tuple[str, Any]] = (),
    outside: Mapping[int, tuple[Any, str]] = NOTHING_OUTSIDE,
) -> Trace:
    """Trace a function.

    Args:
        converted: returns the converted function, given whether lists may have staged items.
        specs: of the tensors among its arguments.
        names: of those tensors.
        fill: returns positional and keyword arguments that hold the given symbols.
        owners: objects that the function can reach, with their names.
        outside: arrays that it can reach, by id, with their names: they become parameters.

    Raises:
        MutationError: the function assigned a staged value to something outside of itself.
        Whatever the function raises; no half-built state is left.
    """
    owners = list(owners)
    needs = Needs()
    while True:
        builder = Builder()
        builder.outside.update(outside)
        builder.tries.update(needs.tries)
        with searching(builder):
            found = _trace_once(builder, converted, specs, names, fill, owners, needs)
        if found is not None:
            return found


def _trace_once(
    builder: Builder,
    converted: Callable[[bool], Callable[..., Any]],
    specs: Sequence[TensorSpec],
    names: Sequence[str],
    fill: Fill,
    owners: Iterable[tuple[str, Any]],
    needs: Needs,
) -> Trace | None:
    """Trace a function with what is needed; add to that when more is."""
    recursions = Recursions(dict(needs.recursions)) if needs.recursions else None
    lists = builder.lists = Lists(needs.generators, recursions) if needs.lists else None
    function = converted(lists is not None)
    outside, is_done = Outside(function, owners), False
    try:
        params = [builder.param(spec, name) for spec, name in zip(specs, names, strict=True)]
        symbols = [Symbol(builder, value) for value in params]
        for symbol in symbols:
            symbol.is_param = True
        args, kwargs = fill(symbols)
        with building(builder):
            callers = Callers((args, kwargs))
            returned = _result(builder, called(function), args, kwargs)
            found = _finish(builder, symbols, callers, *returned)
        refused = outside.restore(is_done=True)
        if refused is not None:
            raise refused
        is_done = True
        return found
    except TryAgain as needed:
        needs.tries.add(needed.key)
        return None
    except ListsNeeded as needed:
        needs.add(needed)
        return None
    except NameError as error:
        _explain_undefined(builder, error)
        raise
    except RecursionError as error:
        if lists is None:  # the other form of converted code makes loops of tail calls
            needs.lists = True
            return None
        needs.call(endless(error), error)
        return None
    except StagedValueError as error:
        if needs.helps(error):
            return None
        if isinstance(error, StagedBoolError):
            explain_unconverted(error)
        raise
    finally:
        if not is_done:
            outside.restore()
        builder.is_open = False


def _result(
    builder: Builder, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Exception | None]:
    """Return what the function returns, and what it raises.

    An error with staged values in it is raised by the graph.
    """
    try:
        return function(*args, **kwargs), None
    except Exception as error:
        check_copies(builder)  # what was written may be only a copy
        if has_staged_text(error):
            emit_failure(error)
            return None, None
        if isinstance(error, RecursionError | MemoryError) or is_of_tracing(builder, error):
            raise
        return None, error


class _Results:
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
        if self._builder.choices:
            check_present(value)
            value = trees.map_tree(_without_references, value, self._is_unchanged)
        leaves, structure = trees.flatten_to(value, self._is_leaf)
        return Made(as_result(structure), tuple(map(self._output, leaves)))

    def _is_unchanged(self, item: Any) -> bool:
        return type(item) is Choice or self._is_leaf(item)

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
        if self._builder.variables and is_of_variable(leaf):
            leaf = copied(leaf)  # the caller may write into what it gets
        self.values.append(value_of(leaf))
        return Output("result", len(self.values) - 1)


def _without_references(leaf: Any) -> Any:
    if type(leaf) is not Choice:
        return leaf
    if any(staged_list(value) for value in values_of(leaf)):
        return list_of_value(each(leaf, value_of_option))
    return by_value(leaf)


def _finish(
    builder: Builder,
    symbols: Sequence[Symbol],
    callers: Callers,
    returned: Any,
    error: Exception | None,
) -> Trace:
    check_copies(builder)
    if builder.lists is not None:
        builder.lists.check()
    results = _Results(builder, symbols, callers)
    structure, outputs = results.add(returned)
    changes = callers.changes(results.add)
    writes = tuple(k for k, symbol in enumerate(symbols) if symbol.was_written)
    boxes = list(builder.variables.values())
    reads = [box for box in boxes if box.symbol.is_param]
    stores = [box for box in boxes if box.symbol.was_written or not box.symbol.is_param]
    written = [*(symbols[k] for k in writes), *(box.symbol for box in stores)]
    params = [symbol.first for symbol in (*symbols, *(box.symbol for box in reads))]
    arrays = list(builder.taken.values())
    params += [value for _, value in arrays]
    graph = builder.seal(params, [*results.values, *map(value_of, written)])
    if error is not None and not (changes or written or any(map(effects, graph.nodes))):
        raise error
    return Trace(
        graph,
        structure,
        tuple(outputs),
        writes,
        changes,
        tuple(weakref.ref(box.variable) for box in reads),
        tuple(weakref.ref(array) for array, _ in arrays),
        tuple(weakref.ref(box.variable) for box in stores),
        tuple(builder.created),
        error,
        builder.used,
        builder.asked,
    )


_VARIABLE = re.compile(r"variable '(\w+)'")


def _explain_undefined(builder: Builder, error: NameError) -> None:
    """Say why a variable has no value, when a staged branch or loop is the reason."""
    found = _VARIABLE.search(str(error))
    reason = builder.undefined.get(found.group(1)) if found else None
    if found is not None and reason is not None:
        error.args = (
            f"{error}: {reason}, and which way the graph goes is known only when it runs. "
            f"Give {found.group(1)!r} a value before",
        )


def created_again(name: str, first: Trace, later: Trace) -> ValueError:
    """Return the error of a function that creates variables each time it is traced."""
    made = (("first created", first.created[0]), ("and again", later.created[0]))
    places = [f"{what}:\n{x.created.describe()}" for what, x in made if x.created is not None]
    return ValueError(
        f"{name}() tried to create variables on a non-first call: a staged function creates its "
        "variables once, on the first call (singleton variables), and this one created "
        f"{later.created[0].name!r} when it was traced again. Create it outside of the function, "
        "or once, where it is kept: `if self.v is None: self.v = ag.Variable(...)`\n"
        + "\n".join(places)
    )
