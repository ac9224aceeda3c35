"""Objects that a function makes and returns: each call makes them anew, with what the graph gives.

Comes in: what a trace returns. Goes out: the same with such objects taken apart, as trees that make
an object when they are put together.
"""

from __future__ import annotations

import copyreg
from collections import deque
from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from inspect import CO_NESTED
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from autograph.conversion import original_of
from autograph.function.absence import Maybe, may_lack
from autograph.operators.containers.markers import Marker
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.heap.heap_objects import is_on_heap
from autograph.operators.iteration.generators import Generator
from autograph.operators.iteration.protocol import StagedIterator
from autograph.operators.mutation.reachable_objects import attributes_of, holds, is_open
from autograph.staging.context import trace_of
from autograph.staging.number_join import union_of
from autograph.staging.region import UNDEFINED
from autograph.staging.union_operators import check_present
from runtime import trees
from runtime.errors import MutationError
from runtime.graph.builder import Builder
from runtime.tensor import Symbol, is_staged
from runtime.texts import StagedText
from runtime.tree_classes import register_tree
from runtime.tree_nodes import is_mutable
from runtime.union import Choice, option_of, values_of

_VIEWS: tuple[type, ...] = type({}.values()), type({}.items())
_REDUCED = list, tuple, dict, set, frozenset, deque, slice, partial, BaseException
"""Classes with more in their instances, and those of classes made of them, than attributes."""


class NewObject(NamedTuple):
    """An object of the user's, taken apart.

    Args:
        cls: its class.
        names: of its attributes.
        values: what they hold.
    """

    cls: type
    names: tuple[str, ...]
    values: Sequence[Any]


def _make(data: tuple[type, tuple[str, ...]], values: Sequence[Any]) -> Any:
    cls, names = data
    found: Any = object.__new__(cls)
    for name, value in zip(names, values, strict=True):
        if value is not UNDEFINED:
            object.__setattr__(found, name, value)
    return found


register_tree(NewObject, lambda x: (x.values, (x.cls, x.names)), _make)


class Reduced(NamedTuple):
    """An object that is not made of attributes only, as its class says that it is copied.

    Args:
        make: called for a new one (see `object.__reduce__`).
        parts: what that is given, the state, the items, and the values by their keys.
    """

    make: Callable[..., Any]
    parts: tuple[Any, ...]

    @classmethod
    def of(cls, value: Any) -> Reduced:
        """Return an object taken apart."""
        make, args, state, items, pairs = (*value.__reduce_ex__(4), None, None, None)[:5]
        if isinstance(value, BaseException):  # its `__init__` may want other arguments
            make, args = copyreg.__newobj__, (type(value), *args)  # type: ignore[attr-defined]
        return cls(make, (args, state, list(items or ()), list(pairs or ())))


class _Copied:
    """What `copy.copy` makes an object of."""

    def __init__(self, make: Callable[..., Any], parts: Sequence[Any]) -> None:
        args, state, items, pairs = parts
        self._reduced = make, args, state, iter(items), iter(pairs)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return self._reduced


register_tree(Reduced, lambda x: (x.parts, x.make), lambda make, parts: copy(_Copied(make, parts)))


class OneOf(NamedTuple):
    """One of several values of which some hold staged lists.

    Args:
        which: the number of the one.
        values: all of them.
    """

    which: Any
    values: Sequence[Any]


def _one_of(_: Any, parts: Sequence[Any]) -> Any:
    which, *values = parts
    return OneOf(which, values) if is_staged(which) else values[int(which)]


register_tree(OneOf, lambda x: ((x.which, *x.values), None), _one_of)


def objects_apart(
    builder: Builder,
    value: Any,
    is_kept: Callable[[Any], bool],
    absent: list[Any],
) -> Any:
    """Return what a trace returns, with the objects taken apart that it made.

    Args:
        builder: the graph's.
        value: what is returned.
        is_kept: tells of a part that it is no tree, and is returned in a way of its own.
        absent: given what attributes hold that may be absent, where the result says that.

    Raises:
        MutationError: an object is part of it twice, is of a class that is not made of attributes
            only, or is an iterator.
    """
    seen: dict[int, Any] = {}

    def apart(leaf: Any) -> Any:
        if type(leaf) in (StagedIterator, Generator):
            raise MutationError(
                "an iterator is returned, whose place is known only when the graph runs. Return "
                "a list of what remains: list(iterator)"
            )
        check_function(leaf)
        if type(leaf) is Maybe:
            absent.append(leaf.value)
            return leaf._replace(value=parts_apart(leaf.value))
        if is_kept(leaf) or not (may_lack(leaf) or _is_new(builder, leaf)):
            return leaf
        if id(leaf) in seen:
            raise MutationError(
                f"{_what(leaf)} in two places, or is part of itself, and would become two objects. "
                "Return it once, or the arrays that it holds"
            )
        seen[id(leaf)] = leaf
        found = _opened(leaf)
        if type(found) is NewObject:
            values = map(Maybe.of, found.values)
            return found._replace(values=tuple(map(parts_apart, values)))
        return leaf if found is leaf else found._replace(parts=tuple(map(parts_apart, found.parts)))

    def parts_apart(part: Any) -> Any:
        return trees.map_tree(apart, _by_value(builder, part, is_leaf), is_leaf)

    def is_leaf(part: Any) -> bool:
        return type(part) is Maybe or is_kept(part) or may_lack(part)

    return parts_apart(value)


def check_function(leaf: Any) -> None:
    """Raise MutationError for a function that is made here, and has variables around it.

    Each call would return the one that was made while tracing, with what these held then.
    """
    if type(leaf) is not FunctionType or original_of(leaf.__code__) is None:
        return
    names = (x for x in leaf.__code__.co_freevars if x != "ag")
    held = [*names, *(leaf.__defaults__ or ()), *(leaf.__kwdefaults__ or ())]
    if held and leaf.__code__.co_flags & CO_NESTED:
        raise MutationError(
            f"the function {leaf.__name__}, which is made here, is returned or kept, and it has "
            "what it finds around it from one call. Return what it needs, or functools.partial of "
            "a function that is defined outside"
        )


def _opened(leaf: Any) -> Any:
    """Return an object that is made here with its parts; itself if it has none."""
    if isinstance(leaf, _REDUCED):
        return Reduced.of(leaf) if _holds_staged(leaf) else leaf
    attributes, constructor = attributes_of(leaf), getattr(type(leaf), "__new__", None)
    if constructor is object.__new__ and attributes:
        names, values = zip(*attributes, strict=True)
        return NewObject(type(leaf), names, values)
    if _holds_staged(leaf):
        raise MutationError(
            f"{_what(leaf)}, and how to make another one is not known: it is not made of "
            "attributes only. Return the arrays that it holds"
        )
    return leaf


def _what(leaf: Any) -> str:
    return f"an object of the class {type(leaf).__name__} that is made here is returned"


def opened_node(leaf: Any) -> trees.Node:
    """Return a container or an object that is made here as a node, with its parts as they are."""
    node = trees.node_of(leaf) or trees.node_of(_opened(leaf))
    assert node is not None
    return node


def shared_in(
    builder: Builder, values: Sequence[Any], is_kept: Callable[[Any], bool]
) -> dict[int, Any]:
    """Return the containers and objects that are made here and are in values twice, by id.

    Args:
        builder: the graph's.
        values: what is returned and assigned.
        is_kept: tells of a part that it is returned in a way of its own.
    """
    seen: dict[int, Any] = {}
    shared: dict[int, Any] = {}
    todo = list(values)
    while todo:
        x = todo.pop()
        staged = staged_list(x)
        node = None if staged is not None else trees.node_of(x)
        is_object = node is None and staged is None and _is_new(builder, x)
        if (is_kept(x) and staged is None) or (staged is not None and staged.home is not None):
            continue
        is_one_of = type(x) is Choice and any(map(is_mutable, values_of(x)))
        if staged is not None or is_object or is_one_of or is_mutable(x):
            if id(x) in seen:
                shared[id(x)] = x
                continue
            seen[id(x)] = x
        if is_object:
            node = trees.node_of(_opened(x))
        todo += () if node is None or type(x) is Choice else node.children
    return shared


def _by_value(builder: Builder, value: Any, is_kept: Callable[[Any], bool]) -> Any:
    """Return a value with what its unions hold in the place of what they refer to."""
    if not trace_of(builder).choices:
        return value

    def found(leaf: Any) -> Any:
        if is_kept(leaf):
            return leaf
        check_present(leaf)
        return _without_references(builder, leaf)

    return trees.map_tree(found, value, lambda x: type(x) is Choice or is_kept(x))


def _without_references(builder: Builder, leaf: Any) -> Any:
    if _is_list(leaf):
        return leaf
    if type(leaf) is not Choice:
        return union_of(leaf)
    inner = lambda x: type(x) is Choice or _is_list(x)  # noqa: E731
    by_value = partial(_without_references, builder)
    values = [trees.map_tree(by_value, x, inner) for x in values_of(leaf)]
    leaves = [part for x in values for part in trees.flatten_to(x, _is_list)[0]]
    for part in leaves:
        check_function(part)
    if any(isinstance(part, Marker) for part in leaves):
        raise MutationError(
            "one of several values that are returned has a list (a dict, a set) in it whose items "
            "are known only when the graph runs. Return it itself in each branch, or np.array of it"
        )
    if any(map(_holds_list, values)) or any(_is_new(builder, part) for part in leaves):
        return OneOf(leaf._which, tuple(values))
    return Choice(leaf._which, *zip(*map(option_of, values), strict=True))


def _is_list(x: Any) -> bool:
    return staged_list(x) is not None or is_on_heap(x)


def _holds_list(x: Any) -> bool:
    found = lambda part: type(part) is OneOf or _is_list(part)  # noqa: E731
    return any(map(found, trees.flatten_to(x, found)[0]))


def _is_new(builder: Builder, leaf: Any) -> bool:
    """Tell whether a leaf is an object that the trace made, or has given what only it knows."""
    is_ours = type(leaf).__module__.startswith("autograph.")
    is_one = is_open(leaf) or isinstance(leaf, (*_REDUCED, *_VIEWS))
    if is_ours or not is_one or isinstance(leaf, np.ndarray):
        return False
    return id(leaf) in trace_of(builder).lasting or _holds_staged(leaf)


def _holds_staged(x: Any) -> bool:
    return holds(x, lambda part: type(part) in (Symbol, Choice, StagedText))
