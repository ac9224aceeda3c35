"""What one trace knows of the Python program, beside the graph that it builds.

`TraceContext` is one for a trace, whatever its regions; each region has a `RegionContext` of its
own, which begins as the one around it says. Both are kept with the builder, which knows neither.
"""

from __future__ import annotations

import sys
import weakref
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from itertools import count
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from runtime import default_graph, trees
from runtime.graph.builder import Attrs, Builder, Call, Context, Inputs
from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.spec import TensorSpec
from runtime.tensor import Symbol

if TYPE_CHECKING:
    from autograph.operators.calls.recursion import Recursions
    from autograph.operators.mutation.journal import Journal
    from autograph.operators.mutation.trace_journal import TraceJournal
    from autograph.staging.copies import ById, Copies, Join
    from runtime.union import Option


class Catcher(Protocol):
    """A `try` whose body is being traced."""

    def redirect(
        self, builder: Builder, op: OpDef, inputs: Inputs, attrs: Attrs
    ) -> Call | list[Value]:
        """Return the call of an op, or the results, that stand for one that may raise."""

    def catches(self, error: BaseException) -> bool:
        """Tell whether it, or one around it, catches an error."""

    def leave(
        self, builder: Builder, error: BaseException, test: Value
    ) -> tuple[Inputs, dict[str, Any]]:
        """Return operands and attributes of the `fail` that raises an error that is caught."""


class Held(NamedTuple):
    """What was written before a safepoint, and that one, which may have been dropped since.

    Args:
        writes: how often arrays had been written.
        leaves: what the objects held that may have been written.
        node: the safepoint; None for the begin of a region.
        place: its number among the nodes, from 1.
    """

    writes: int
    leaves: Sequence[object] | None
    node: Node | None = None
    place: int = 0


class Lasting(NamedTuple):
    """An object that was there before all arms and bodies of a depth, and of deeper ones."""

    value: object
    depth: int


class Exchanged(NamedTuple):
    """An argument that is in one of several variables in a round of a loop.

    Args:
        argument: it.
        rounds: how many rounds have been made.
        options: what it is then, in turn.
    """

    argument: Symbol
    rounds: Symbol
    options: Sequence[Symbol]


class TraceContext:
    """What is known in all regions of a trace.

    Attributes:
        tries: identify the `try` statements that are staged, joins that must not copy, and loops
            that are not unrolled; see `TryAgain`.
        points: number where the bodies of `try` are left.
        undefined: why variables, by name, may have no value.
        handled: the exception that the caller was handling.
        generators: what identifies the generators that are staged.
        loops_tail_calls: whether functions that end by calling themselves are loops.
        recursions: the functions whose calls are calls in the graph, if there are any.
        lasting: objects that were there before arms or bodies began, by id; see `Lasting`.
        drained: iterators that one of them took items from, by id.
        unshared: for each join, the containers that it may copy.
        choices: the options of all choices that were made.
        joins: where those of containers were.
        calls: how often functions were called deep inside of branches, if that is of interest.
        asked: the names of attributes that the program computed.
        callers: the numbers of the caller's objects that can be changed, by id.
        given: all containers and objects that are taken apart among what it gives, by id.
        tells_apart: whether it was asked which of these are one.
        touched: those that may have been written; None stands for anything else but containers.
        touched_stores: where containers are that may have been written.
        journal: what was written outside of all arms and bodies, to be undone if the function is
            traced once more.
        outside: the containers that were there before it, by id.
        hold: has variables outside hold values until the trace ends.
        born: the objects of the user's that were made, by id, and where.
        assigned: for the code of a statement, by their keys, the variables that it was found to
            assign: what they are of stays, so that no other gets its id.
        resized: for places of loops, by the names of variables, what these were found to be.
        results: what functions of `functools.cache` gave, by what tells those apart.
        running: where those were called that are running.
        traced: graphs of functions of ours for types of arguments, and how their results are built.
        rounds: how many of loops were unrolled.
        made: for operands that are joined, the known containers that were made in their arms.
        originals: the instances of dataclasses that their classes made, by id.
    """

    def __init__(self) -> None:
        self.tries: set[Hashable] = set()
        self.points = count(1)
        self.undefined: dict[str, str] = {}
        self.handled: BaseException | None = sys.exc_info()[1]
        self.generators: set[Hashable] = set()
        self.loops_tail_calls = False
        self.recursions: Recursions | None = None
        self.lasting: dict[int, Lasting] = {}
        self.drained: dict[int, object] = {}
        self.unshared: dict[Join, ById] = {}
        self.choices: list[Sequence[Option]] = []
        self.joins: list[Join] = []
        self.calls: Counter[CodeType] | None = Counter()
        self.asked: set[str] = set()
        self.callers: Mapping[int, int] = {}
        self.given: Mapping[int, Any] = {}
        self.tells_apart = False
        self.touched: set[int | None] = set()
        self.touched_stores: set[Hashable] = set()
        self.journal: TraceJournal | None = None
        self.outside: frozenset[int] = frozenset()
        self.hold: Callable[[Sequence[Any], Sequence[Any]], None] = lambda variables, values: None
        self.born: dict[int, tuple[object, Builder]] = {}
        self.assigned: dict[tuple[CodeType, ...], dict[Hashable, object]] = {}
        self.resized: dict[Hashable, dict[str, Sequence[TensorSpec]]] = {}
        self.running: dict[Hashable, Builder] = {}
        self.results: dict[tuple[Any, ...], dict[Any, Any]] = {}
        self.made: dict[Join, list[object]] = {}
        self.traced: dict[Hashable, tuple[Graph, trees.Structure]] = {}
        self.rounds = 0
        self.originals: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()

    def keep(self, x: object, depth: int = 1) -> None:
        """Note that an object was there before an arm or body of a depth began."""
        self.lasting[id(x)] = Lasting(x, min(depth, self.lasting.get(id(x), (x, depth))[1]))

    def was_there(self, x: object, builder: Builder) -> bool:
        """Tell whether it is known that an object was there before what is built began."""
        return id(x) in self.lasting and self.lasting[id(x)].depth <= builder.depth

    @property
    def is_touched(self) -> bool:
        """Whether the objects of the caller may have been written."""
        return bool(self.touched or self.touched_stores)


class RegionContext(Context):
    """What is known in one region of a trace.

    Attributes:
        trace: what is known in all of them.
        journal: what the arm or body that is traced has written.
        catcher: the innermost `try` around what is traced.
        copies: the joins that copied containers.
        made: the containers that were made for a round of a loop, by id.
        born: the ids of what the arm or body that was traced has made.
        safepoint: the last safepoint in it, and what was written by then.
        exchanged: arguments that change places in the rounds of a loop around; see `Exchanged`.
    """

    def __init__(self, around: RegionContext | None = None) -> None:
        self.trace: TraceContext = TraceContext() if around is None else around.trace
        self.journal: Journal | None = None if around is None else around.journal
        self.catcher: Catcher | None = None if around is None else around.catcher
        self.copies: list[Copies] = []
        self.made: Mapping[int, Any] = {}
        self.born: Set[int] = frozenset()
        self.safepoint: Held | None = None
        self.exchanged: tuple[Exchanged, ...] = () if around is None else around.exchanged

    def inner(self) -> RegionContext:
        """Return that of a region that begins in this one."""
        return RegionContext(self)


def region_of(builder: Builder) -> RegionContext:
    """Return what is known in a graph or region that is being built."""
    return builder.context(RegionContext)


def trace_of(builder: Builder) -> TraceContext:
    """Return what is known in all regions of the graph that is being built."""
    return builder.context(RegionContext).trace


def region_now() -> RegionContext | None:
    """Return what is known in the region that this thread traces, if it traces one."""
    builder = default_graph.current()
    return None if builder is None else builder.context(RegionContext)


def trace_now() -> TraceContext | None:
    """Return what is known in all regions of the graph that this thread traces, if it does."""
    builder = default_graph.current()
    return None if builder is None else builder.context(RegionContext).trace


def journal_now() -> Journal | None:
    """Return the journal of the arm or body that this thread traces, if it traces one."""
    builder = default_graph.current()
    return None if builder is None else builder.context(RegionContext).journal


def innermost_journal_now() -> Journal | None:
    """Return the journal of what is written here: that of the trace outside of arms and bodies."""
    region = region_now()
    return None if region is None else region.journal or region.trace.journal


@contextmanager
def caught_by(builder: Builder, catcher: Catcher | None) -> Iterator[None]:
    """Let a `try`, or none, catch what may be raised by what is traced in a `with` block."""
    region = region_of(builder)
    before = region.catcher, builder.redirect
    region.catcher = catcher
    builder.redirect = None if catcher is None else catcher.redirect
    try:
        yield
    finally:
        region.catcher, builder.redirect = before
