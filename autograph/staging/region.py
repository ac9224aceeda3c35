"""Tracing a function into a region of the graph that is being built.

Comes in: a Python function and the specs of its parameters. Goes out: what it returned, still in
terms of the open region, and which arrays from outside it wrote. Every such array holds its old
value again afterwards, so that the next region starts from the same state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from autograph.staging.births import check_births
from autograph.staging.copies import Copied, Values, check_copies, holds_for_tracing, snapshot
from runtime import trees
from runtime.array_context import Written, arrays_of
from runtime.default_graph import building
from runtime.dispatch import forget, value_of
from runtime.errors import Noted
from runtime.graph.builder import Builder
from runtime.graph.node import Value
from runtime.selected import roots_of
from runtime.spec import TensorSpec
from runtime.tensor import Symbol, is_staged


class State(Protocol):
    """The variables that a branch or a loop may assign.

    `names` are the user's names; `optional` tells for each whether every read is guarded, so that
    it may hold anything while it is undefined.
    """

    @property
    def names(self) -> Sequence[str]: ...

    @property
    def optional(self) -> Sequence[bool]: ...

    def read(self) -> Values:
        """Return the values of the variables, `UNDEFINED` for those that have none."""

    def write(self, values: Sequence[Any]) -> None:
        """Assign all variables; `UNDEFINED` leaves one without a value."""

    def explain(self, name: str, reason: str) -> None:
        """Remember why a variable is undefined, for the message when it is read."""

    def grow(self, before: Values | None) -> None:
        """Let what is found to be assigned join it, and to a list what that held before; or not."""


@holds_for_tracing
class Field:
    """A field of one of the tracer's own objects, as a variable of a state.

    Args:
        owner: the object.
        name: of the field.
        identity: what the object stands for, if it is not known by itself.
    """

    __slots__ = ("identity", "name", "owner")

    def __init__(self, owner: Any, name: str, identity: Any = None) -> None:
        self.owner = owner
        self.name = name
        self.identity = owner if identity is None else identity

    @property
    def key(self) -> tuple[Any, ...]:
        """What variables that are the same have in common."""
        return self.name, id(self.identity)

    def read(self) -> Any:
        return getattr(self.owner, self.name)

    def write(self, value: Any) -> None:
        """Have it hold a value; where no arm is left that gives one, it keeps what it held."""
        if not is_absent(value):
            setattr(self.owner, self.name, value)


class Midway(Protocol):
    """What is asked where others see what a body has changed before it ends."""

    def look(self) -> None:
        """Look at what was changed up to here."""

    def is_from_outside(self, x: Any) -> bool:
        """Tell whether something is a container that was not made in the body."""

    def check(self) -> None:
        """Raise what has the statement staged again, if its state lacks what was changed."""


class _Absent:
    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


UNDEFINED = _Absent("UNDEFINED")
"""What a variable without a value holds."""

NEVER = _Absent("NEVER")
"""What a variable holds after an arm that always raises."""


def is_absent(value: Any) -> bool:
    """Tell whether an arm leaves a variable without a value."""
    return value is UNDEFINED or value is NEVER


class NeverReturns(Noted):
    """A call of a function by itself, of which it is not known yet what it returns.

    Args:
        functions: which ones.
    """

    def __init__(self, functions: frozenset[Any]) -> None:
        super().__init__(functions)
        self.functions = functions


class NoState:
    """The state of a branch or loop that assigns nothing."""

    names: tuple[str, ...] = ()
    optional: tuple[bool, ...] = ()

    def read(self) -> Values:
        """Return no values."""
        return Values()

    def write(self, values: Sequence[Any]) -> None:
        """Assign nothing."""

    def explain(self, name: str, reason: str) -> None:
        """There is no variable to explain."""

    def grow(self, before: Values | None) -> None:
        """Nothing is added."""


@dataclass(frozen=True, slots=True)
class Region:
    """A traced region that is still open.

    Args:
        builder: where it was built.
        params: its own parameters, as values.
        symbols: the parameters as the function saw them.
        result: what the function returned.
        writes: the arrays from outside that it wrote, with their values at its end.
        ends: by id, the values at its end of results that are such arrays, or views of them.
        contents: by id, the containers in the result as they were at its end.
    """

    builder: Builder
    params: tuple[Value, ...]
    symbols: tuple[Symbol, ...]
    result: Any
    writes: tuple[tuple[Symbol, Value], ...]
    ends: Mapping[int, Value]
    contents: Mapping[int, Copied]

    def at_end(self, value: Any) -> Any:
        """Return a part of the result with what its containers held at the end of the region.

        What a variable of the state is restored to, when a region was traced, may be an item of it.
        """
        if not any(one.was_written for one in self.contents.values()):
            return value
        node = trees.node_of(value)
        if node is None:
            return value
        kept = self.contents.get(id(value))
        if kept is not None:
            node = trees.Node(node.cls, kept.data, kept.children)
        return node.holding([self.at_end(child) for child in node.children])


NOTHING_WRITTEN: Written = {}
NOTHING_CHANGES: Mapping[int, Symbol] = {}


def trace_region(
    parent: Builder,
    function: Callable[..., Any],
    specs: Sequence[TensorSpec],
    written: Written = NOTHING_WRITTEN,
    changing: Mapping[int, Symbol] = NOTHING_CHANGES,
) -> Region:
    """Run `function` on symbols of the given specs and record what it does as a region.

    `written` is what earlier rounds of a loop have written, as in `ArrayContext.written`;
    `changing` are the arrays from outside, by id, that hold other values in each round.
    """
    builder = Builder(parent)
    arrays = arrays_of(builder)
    arrays.changing = changing
    arrays.written.update({place: dict(writers) for place, writers in written.items()})
    params = tuple(builder.param(spec) for spec in specs)
    symbols = tuple(Symbol(builder, value) for value in params)
    try:
        with building(builder):
            result = function(*symbols)
            check_births(builder, result)
            writes = tuple((x, builder.resolve(value_of(x))) for x, _ in arrays.mutations.values())
            ends = _values_at_end(builder, result)
            contents = {id(one.container): one for one in snapshot(result)}
            check_copies(builder)
            if builder.watcher is not None:
                builder.watcher.at_end(builder)
    finally:
        for symbol, held in arrays.mutations.values():
            symbol.restore(held)
    return Region(builder, params, symbols, result, writes, ends, contents)


def _values_at_end(builder: Builder, result: Any) -> dict[int, Value]:
    mutations = arrays_of(builder).mutations
    if not mutations:
        return {}
    leaves = [x for x in trees.flatten(result)[0] if is_staged(x)]
    written = (x for x in leaves if any(id(root) in mutations for root in roots_of(x)))
    return {id(x): value_of(x, checked=False) for x in written}


def forget_written(region: Region) -> bool:
    """Make known arrays staged that a region wrote: run again, it finds something else."""
    known = [symbol for symbol, _ in region.writes if symbol.known is not None]
    for symbol in known:
        forget(symbol)
    return bool(known) or arrays_of(region.builder).has_forgotten


def union_of_captures(regions: Sequence[Region], but: Sequence[Value] = ()) -> list[Value]:
    """Return the values from outside that any of the regions uses, in order of first use."""
    found: dict[Value, None] = {}
    for region in regions:
        found.update(dict.fromkeys(region.builder.captured()))
    return [value for value in found if value not in set(but)]
