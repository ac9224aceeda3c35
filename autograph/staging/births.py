"""Objects of the user's that arms and rounds make, and leave to others.

Comes in: what a region leaves. Goes out: `TryAgain`, where an object that it made is among that: in
the next trace the objects of that class are on the heap (see `operators.containers.heap`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from autograph.staging.context import trace_of
from autograph.staging.copies import TryAgain
from runtime import default_graph, trees
from runtime.graph.builder import Builder
from runtime.tensor import Symbol
from runtime.union import choices_in, objects_of


class OnHeap(NamedTuple):
    """The objects of a class are on the heap of the trace."""

    cls: type


MOST_OPTIONS = 2
"""Of so many objects of a class that a trace has made one is chosen; of more on the heap."""


def check_births(builder: Builder, value: Any) -> None:
    """Raise TryAgain where an object that a region has made is part of what it leaves."""
    if not trace_of(builder).born:
        return
    chosen = [x for choice in choices_in(value) for x in objects_of(choice)]
    for instance, where in _born(builder, [*trees.flatten(value)[0], *chosen]):
        if builder.encloses(where):
            raise TryAgain(OnHeap(type(instance)))


def check_item(leaf: Any) -> None:
    """Raise TryAgain where an object that the trace has made becomes a part of the graph."""
    builder = default_graph.current()
    for instance, _ in () if builder is None else _born(builder, [leaf]):
        raise TryAgain(OnHeap(type(instance)))


def check_options(builder: Builder, leaves: Iterable[Any]) -> None:
    """Raise TryAgain where a variable may be one of many objects that the trace has made."""
    classes = Counter(type(instance) for instance, _ in _born(builder, leaves))
    for cls, count in classes.items():
        if count > MOST_OPTIONS:
            raise TryAgain(OnHeap(cls))


def _born(builder: Builder, leaves: Iterable[Any]) -> Iterator[tuple[object, Builder]]:
    """Yield those of some leaves that the trace has made, and where."""
    born = trace_of(builder).born
    for leaf in leaves if born else ():
        if type(leaf) is not Symbol and id(leaf) in born and born[id(leaf)][0] is leaf:
            yield born[id(leaf)]
