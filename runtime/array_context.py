"""What is known of arrays in a graph that is being built: written ones, ones from outside.

Comes in: symbols that are read and written, arrays of Python. Goes out: whether they may be.
Each region has an `ArrayContext` of its own, the whole graph one `OutsideArrays`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from runtime.graph.builder import Builder, Context
from runtime.graph.location import user_location
from runtime.graph.node import Node, Value
from runtime.spec import spec_of
from runtime.tensor import Symbol

Written: TypeAlias = dict[Any, dict[int, tuple[Symbol, int, Builder]]]
"""For places, by the ids of the symbols that were written in them: which, when, and where."""


class Checked(NamedTuple):
    """A truth value that a graph checks, and where among its nodes."""

    flag: Symbol
    position: int
    node: Node


class ArrayContext(Context):
    """What is known of arrays in one region.

    Attributes:
        frozen: why arrays, by id, may not be written here any more.
        checked: the truth values that were checked here, by id.
        written: which symbols were written in places.
        shared_reads: the places of symbols from outside that may be in several.
        has_forgotten: whether an array from outside, which was known, became staged meanwhile.
        changing: arrays from outside, by id, that a round of a loop finds changed by earlier ones.
        mutations: arrays from outside that were written, by id, with what they held before.
    """

    def __init__(self) -> None:
        self.frozen: dict[int, tuple[Symbol, str]] = {}
        self.checked: dict[int, Checked] = {}
        self.written: Written = {}
        self.shared_reads: set[Any] = set()
        self.has_forgotten = False
        self.changing: Mapping[int, Symbol] = {}
        self.mutations: dict[int, tuple[Symbol, Any]] = {}

    def inner(self) -> ArrayContext:
        """Return that of a region, in which nothing is known yet."""
        return ArrayContext()


def arrays_of(builder: Builder) -> ArrayContext:
    """Return what is known of arrays in a graph or region that is being built."""
    return builder.context(ArrayContext)


class OutsideArrays(Context):
    """The arrays that outlive a graph, so that they may change: they are parameters where used.

    Attributes:
        names: the arrays, by id, and what they are called.
        params: those that were used, by id, with their parameters.
        places: where they were used.
        foreign: arrays of other libraries of which the graph has copies.
        are_apart: whether the graph is one of arguments that share no memory: that was asked.
        arguments: the parameters that are arguments.
        in_rows: those of them that have to lie in rows.
    """

    def __init__(self) -> None:
        self.names: dict[int, tuple[Any, str]] = {}
        self.params: dict[int, tuple[Any, Value]] = {}
        self.places: dict[int, set[Any]] = {}
        self.foreign: list[Any] = []
        self.are_apart = False
        self.arguments: set[Value] = set()
        self.in_rows: set[Value] = set()

    def inner(self) -> OutsideArrays:
        """Return those of a region, which are those of the graph."""
        return self

    def add(self, array: Any) -> None:
        """Let an array be a parameter from now on."""
        self.names.setdefault(id(array), (array, "outside"))

    def param(self, root: Builder, array: Any) -> Value | None:
        """Return the parameter that an array is in a graph; None for other arrays."""
        held, name = self.names.get(id(array), (None, ""))
        if held is not array:
            return None
        if id(array) not in self.params:
            self.params[id(array)] = (array, root.param(spec_of(array), name))
        place = user_location()
        if place is not None:
            self.places.setdefault(id(array), set()).add((place.file, place.span or place.line))
        return self.params[id(array)][1]
