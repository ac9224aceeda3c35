"""Objects of the user's that arms and rounds make, and leave to others.

Comes in: what a region leaves. Goes out: `TryAgain`, where an object that it made is among that: in
the next trace the objects of that class are on the heap (see `operators.containers.heap`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from typing import Any, NamedTuple

from autograph.staging.context import trace_now, trace_of
from autograph.staging.copies import TryAgain
from runtime import default_graph, trees
from runtime.errors import StagedValueError
from runtime.graph.builder import Builder
from runtime.tensor import Symbol, is_staged
from runtime.tree_nodes import is_mutable
from runtime.union import Choice, choices_in, objects_of


class OnHeap(NamedTuple):
    """The objects of a class are on the heap of the trace.

    Args:
        module, name: of the class, which may be made anew in each trace.
    """

    module: str
    name: str

    @classmethod
    def of(cls, kind: type) -> OnHeap:
        """Return what says so of a class."""
        return cls(kind.__module__, kind.__qualname__)


MOST_OPTIONS = 2
"""Of so many objects of a class that a trace has made one is chosen; of more on the heap."""


def check_identity(value: Any, other: Any, is_followed: bool = False) -> None:
    """Refuse to tell whether two instances of a dataclass are one where one of them is a copy.

    What arms and rounds leave is made of its fields anew: only what its class made is itself.

    Args:
        value, other: they.
        is_followed: whether those that somebody else holds stand for themselves.
    """
    if value is other or type(value) is not type(other):
        return
    _ask(value, other)
    if not is_dataclass(value):
        return
    if not (any if is_followed else all)(map(_is_itself, (value, other))):
        name = type(value).__name__
        raise StagedValueError(
            f"whether two instances of the dataclass {name} are one is asked, and a staged branch "
            "or loop left one of them, which is known by its fields only. Compare them with ==, "
            "or give them a number that tells them apart"
        )


def _ask(value: Any, other: Any) -> None:
    """Note that the trace relies on which of two objects that it is given are one.

    Of tuples it does not know that: many are one by chance.
    """
    trace = trace_now()
    held = [] if trace is None else [trace.given.get(id(x)) is x for x in (value, other)]
    if trace is None or not any(held):
        return
    if is_mutable(value):
        trace.tells_apart = True
    elif _may_be_one(value, other):
        raise StagedValueError(
            "whether a tuple that is given is another one is asked, which is not known while "
            "tracing. Compare them with =="
        )


def _may_be_one(value: Any, other: Any) -> bool:
    """Tell whether two tuples hold what may be the same."""
    (mine, structure), (theirs, another) = trees.flatten(value), trees.flatten(other)
    pairs = zip(mine, theirs, strict=False)
    return structure == another and all(x is y or is_staged(x) or x == y for x, y in pairs)


def _is_itself(instance: Any) -> bool:
    trace = trace_now()
    if trace is None or id(instance) in trace.callers:
        return True
    if trace.originals.get(id(instance)) is instance:
        return True
    return not any(type(x) in (Symbol, Choice) for x in trees.flatten(instance)[0])


def check_births(builder: Builder, value: Any) -> None:
    """Raise TryAgain where an object that a region has made is part of what it leaves."""
    if not trace_of(builder).born:
        return
    leaves = trees.flatten(value)[0]  # first: what contains itself is a leaf after that
    chosen = [x for choice in choices_in(value) for x in objects_of(choice)]
    for instance, where in _born(builder, [*leaves, *chosen]):
        if builder.encloses(where):
            raise TryAgain(OnHeap.of(type(instance)))


def check_item(leaf: Any) -> None:
    """Raise TryAgain where an object that the trace has made becomes a part of the graph."""
    builder = default_graph.current()
    for instance, _ in () if builder is None else _born(builder, [leaf]):
        raise TryAgain(OnHeap.of(type(instance)))


def check_options(builder: Builder, leaves: Iterable[Any]) -> None:
    """Raise TryAgain where a variable may be one of many objects that the trace has made."""
    classes = Counter(type(instance) for instance, _ in _born(builder, leaves))
    for cls, count in classes.items():
        if count > MOST_OPTIONS:
            raise TryAgain(OnHeap.of(cls))


def _born(builder: Builder, leaves: Iterable[Any]) -> Iterator[tuple[object, Builder]]:
    """Yield those of some leaves that the trace has made, and where."""
    born = trace_of(builder).born
    for leaf in leaves if born else ():
        if type(leaf) is not Symbol and id(leaf) in born and born[id(leaf)][0] is leaf:
            yield born[id(leaf)]
