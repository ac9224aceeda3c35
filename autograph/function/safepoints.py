"""What a function has done to its arguments by the time that it raises.

While tracing, a safepoint is put in front of each op that may raise or warn, once something was
written since the last one. It says what the arguments hold there. The graph that runs has none of
them (`without_safepoints`); if it raises, it runs once more with them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from autograph.function.argument_mutation import Assigned, Callers, Change
from autograph.function.outputs import Results
from autograph.operators.containers.item_kinds import holds_handles
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.heap.stored_objects import home_of
from autograph.operators.mutation.region_changes import stores_now
from autograph.staging.context import Held, region_of, trace_of
from runtime import lower, passes, trees
from runtime.backends.backend import Backend
from runtime.dispatch import value_of
from runtime.errors import RuntimeGraphError
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.graph.walk import walk
from runtime.ops.effects import keep, print_
from runtime.ops.safepoints import Passed, is_safepoint, passed, safepoint
from runtime.passes.rewriter import changed, with_nodes
from runtime.tensor import Symbol

REPEATABLE = (None, "check")
"""Effects of what may run twice."""
Told: TypeAlias = tuple[Change | Assigned, ...] | None
"""What was changed of the objects among the arguments; None if that has no form."""


class Safepoints:
    """Puts safepoints into the graph of a trace.

    Args:
        builder: of the whole graph.
        symbols: the tensors among the arguments.
        callers: the objects among them.

    Attributes:
        points: what is changed of the objects at each safepoint, by number.
    """

    def __init__(self, builder: Builder, symbols: Sequence[Symbol], callers: Callers) -> None:
        self.points: list[Told] = []
        self._progress = builder.progress
        self._symbols = symbols
        self._callers = callers
        self._is_busy = False
        self._trace = trace_of(builder)
        self._trace.callers, self._trace.given = callers.numbers, callers.given
        builder.watcher = self

    def before(
        self, builder: Builder, op: OpDef, inputs: Sequence[Value], attrs: Mapping[str, Any]
    ) -> None:
        """Emit a safepoint, if an op that is about to be emitted may raise or warn."""
        if self._is_busy or not may_stop(op, inputs, attrs):
            return
        is_touched = self._trace.is_touched
        if self._progress.writes or is_touched or self._callers.outside.may_be_assigned():
            self.at_end(builder)

    def at_end(self, builder: Builder) -> None:
        """Emit a safepoint, if something was written since the last one of a region.

        What tells of an array that is one of several has regions of its own, which have none.
        """
        if self._is_busy:
            return
        region, leaves = region_of(builder), self._leaves()
        now = Held(self._progress.writes, leaves)
        if region.safepoint is None:
            is_known = not self._trace.is_touched and not self._callers.outside.may_be_assigned()
            region.safepoint = Held(builder.writes_before, [] if is_known else None)
        if _is_passed(builder, region.safepoint, now):
            return
        self._is_busy = True
        try:
            self._emit(builder)
        finally:
            self._is_busy = False
        is_there = bool(builder.nodes) and is_safepoint(builder.nodes[-1])
        node = builder.nodes[-1] if is_there else None
        region.safepoint = now._replace(node=node, place=len(builder.nodes))

    def _leaves(self) -> list[Any] | None:
        """Return what the objects hold that may have been written; None if that is much."""
        if self._callers.outside.is_much:
            return None
        held = [self._callers.objects[k] for k in self._touched()]
        held += [slot.variable.read() for slot in self._callers.outside.assigned()]
        found = [leaf for x in held for leaf in _parts(x)]
        return [x.held()[0] if type(x) is Symbol else x for x in found]

    def _touched(self) -> list[int]:
        """Return the numbers of the objects that may have been written."""
        found = {k for k in self._trace.touched if k is not None}
        homes = map(home_of, self._callers.objects if self._trace.touched_stores else ())
        stores = self._trace.touched_stores
        found |= {k for k, home in enumerate(homes) if home is not None and home.store in stores}
        return sorted(found)

    def _emit(self, builder: Builder) -> None:
        mark, results = builder.mark(), Results(builder, self._symbols, self._callers)
        touched = self._touched()
        changes, is_much = None, self._callers.outside.is_much
        with suppress(RuntimeGraphError):
            changes = None if is_much else results.changes(self._callers.changed(touched))[1]
        if changes is None or any(node.op.effect is not None for node in builder.nodes[mark:]):
            changes, results.values = None, []  # something may be undefined there
            builder.rollback(mark)
        written = [(k, x.held()[0]) for k, x in enumerate(self._symbols) if x.was_written]
        own = [(k, value) for k, value in written if value is not None and builder.has(value)]
        numbers = {id(symbol): k for k, symbol in enumerate(self._symbols)}
        exchanged = [x for x in region_of(builder).exchanged if id(x.argument) in numbers]
        if not (own or changes or touched or exchanged or is_much):
            return
        values = [*results.values, *(value for _, value in own)]
        for _, rounds, options in exchanged:
            values += map(value_of, (rounds, *options))
        attrs = {
            "point": len(self.points),
            "writes": tuple(k for k, _ in own),
            "exchanged": tuple((numbers[id(x.argument)], len(x.options)) for x in exchanged),
        }
        self.points.append(changes)
        builder.emit(safepoint, values, attrs)


def _parts(value: Any) -> Iterator[Any]:
    """Yield the leaves of a value, and what the staged lists in it are made of."""
    for leaf in trees.flatten_to(value, lambda x: staged_list(x) is not None)[0]:
        staged = staged_list(leaf)
        if staged is None:
            yield leaf
        else:
            yield from trees.flatten(staged.kept)[0]
            if staged.home is not None or holds_handles(staged.held.kind):
                yield from trees.flatten([store.stored for store in stores_now()])[0]


def _is_passed(builder: Builder, last: Held, now: Held) -> bool:
    """Tell whether nothing was written since a safepoint, which is still there."""
    if last.node is not None and builder.nodes[last.place - 1 : last.place] != [last.node]:
        return False
    if last.writes != now.writes or last.leaves is None or now.leaves is None:
        return False
    same = len(last.leaves) == len(now.leaves)
    return same and all(a is b for a, b in zip(last.leaves, now.leaves, strict=True))


@dataclass(frozen=True, slots=True)
class Watched:
    """A graph with safepoints.

    Args:
        graph: takes and returns what the graph without them does.
        points: what is changed of the objects at each of its safepoints.
    """

    graph: Graph
    points: Sequence[Told]

    @property
    def may_repeat(self) -> bool:
        """Whether it may run once more, without what it prints, to see how far it comes."""
        others = (node.op for node in walk(self.graph) if not is_safepoint(node))
        return all(op.effect in REPEATABLE or op is print_ for op in others)

    @property
    def silent(self) -> Graph:
        """The graph without what it prints."""
        return _without(self.graph, lambda node: node.op is print_)


def is_repeatable(graph: Graph) -> bool:
    """Tell whether nobody sees that a graph has run, other than by its results."""
    return all(node.op.effect in REPEATABLE for node in walk(graph))


def apart(graph: Graph, points: Sequence[Told]) -> tuple[Graph, Watched | None]:
    """Return a graph without its safepoints, and with them; None if it has none."""
    if not any(map(is_safepoint, walk(graph))):
        return graph, None
    return passes.dce.remove_unused(_without(graph, is_safepoint)), Watched(graph, tuple(points))


def _without(graph: Graph, is_dropped: Callable[[Node], bool]) -> Graph:
    """Return a graph without some nodes that have no results."""
    nodes = [
        changed(node, regions=[_without(region, is_dropped) for region in node.regions])
        for node in graph.nodes
        if not is_dropped(node)
    ]
    return with_nodes(graph, nodes)


def may_stop(op: OpDef, inputs: Sequence[Value], attrs: Mapping[str, Any]) -> bool:
    """Tell whether an op may raise, or warn, which may be an error, too."""
    if op.form is not None or op.effect is not None or op.warns:
        return op is not keep
    specs = [value.spec for value in inputs]
    return bool(op.raises(specs, attrs)) or not all(spec.is_static for spec in specs)


def passed_again(
    watched: Watched, arrays: Sequence[Any], backend: Backend, kind: type[Exception]
) -> Passed | None:
    """Run a function that has raised once more, and return what it tells before it raises.

    Args:
        watched: its graph.
        arrays: what it was given, which it did not change.
        backend: where it ran.
        kind: what it raised.
    """
    target = "numpy" if backend.xp is np else backend
    program = lower.compile.compile_graph(watched.silent, backend=target, optimised=False)
    with warnings.catch_warnings(record=True):  # they were shown already
        try:
            program.function(*arrays)
        except kind as error:
            return passed(error)
    return None


def own(values: Iterable[Any]) -> list[Any]:
    """Return values with arrays of their own, which nothing that is written then changes."""
    return [x.copy() if getattr(x, "shape", ()) else x for x in values]


UNTOLD = (
    "%s() raised %s after it had changed its arguments, which are as they were before the call: "
    "what they would hold then depends on a staged condition, and has no array"
)
