"""Which classes are nodes of trees, and how their instances are taken apart.

Comes in: any class, when it is met first. Goes out: its `Kind`, or that its instances are leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import is_dataclass
from itertools import islice
from typing import Any

from runtime.errors import StructureChangedError, StructureError
from runtime.tree_kinds import DATACLASS, KINDS, NAMED_TUPLE, Kind, indices

CLASSES: dict[type, Kind] = dict(KINDS)
"""How the instances of classes that were met are taken apart."""
LEAVES: set[type] = {bool, int, float, complex, str, bytes}
"""Classes that were met whose instances are leaves."""
_NEVER_NODES: set[type] = set()
_ON_CYCLES: set[type] = set()
_REFERENCES: set[type] = set()
_REMEMBERED_CLASSES = 10_000
ENTRIES_BEFORE_CYCLE_CHECK = 10_000
"""A tree of more parts is looked through for one that contains itself."""


def open_cycles(value: Any) -> bool:
    """Make leaves of the dataclasses by which a container contains itself; tell whether it does.

    What points at what points back is a graph of objects, such as nodes that know their parents.
    Raises StructureError when a container contains itself without them.
    """
    open_: dict[int, Any] = {}
    finished: dict[int, Any] = {}
    todo = [(value, False)]
    while todo:
        item, is_done = todo.pop()
        if is_done:
            finished[id(item)] = open_.pop(id(item))
            continue
        kind = find_kind(type(item))
        if kind is None or id(item) in finished:
            continue
        if id(item) in open_:
            on_cycle = islice(open_.values(), list(open_).index(id(item)), None)
            classes = {type(x) for x in on_cycle if find_kind(type(x)) is DATACLASS}
            if not classes:
                raise StructureError(
                    f"a {type(item).__name__} contains itself, and what contains itself has no "
                    "end; pass its items one by one, or keep it out of the staged function"
                )
            for cls in classes:
                register_leaf(cls)
            _ON_CYCLES.update(classes)
            return True
        open_[id(item)] = item
        todo.append((item, True))
        todo += [(child, False) for child in kind.flatten(item)[0]]
    return False


@contextmanager
def unchanging_classes() -> Iterator[None]:
    """Raise StructureChangedError after a `with` block that found trees which contain themselves.

    What was taken apart before is to be taken apart anew: it holds objects now, not their parts.
    """
    known = len(_ON_CYCLES)
    try:
        yield
    finally:
        if len(_ON_CYCLES) > known:
            raise StructureChangedError("an object was made part of itself")


def register_tree(
    cls: type,
    flatten: Callable[[Any], tuple[Sequence[Any], Any]],
    unflatten: Callable[[Any, Sequence[Any]], Any],
    labels: Callable[[Any], Iterable[str]] | None = None,
    is_reference: bool = False,
) -> None:
    """Make the instances of a class nodes.

    Args:
        cls: the class itself; its subclasses are not meant.
        flatten: `(value) -> (children, data)`; data are hashable and say all that is not a child.
        unflatten: `(data, children) -> value`.
        labels: `(data) -> ` what is appended to a path for each child; else `[0]` and so on.
        is_reference: whether an instance stands for something that its leaves tell: one that is
            made of the same leaves stands for the same, and may be written in its place.
    """
    if is_reference:
        _REFERENCES.add(cls)
    if CLASSES.get(cls) not in (None, NAMED_TUPLE, DATACLASS):
        raise TypeError(f"{cls.__name__} is a tree already")
    LEAVES.discard(cls)
    CLASSES[cls] = Kind(
        flatten,
        lambda cls, data, children: unflatten(data, children),
        indices if labels is None else lambda cls, data, count: labels(data),
        lambda cls, data, texts: f"{cls.__name__}({', '.join(texts)})",
    )


def is_reference(cls: type) -> bool:
    """Tell whether the instances of a class stand for something else."""
    return cls in _REFERENCES


def register_leaf(cls: type) -> type:
    """Make the instances of a class leaves, though it is a dataclass or a named tuple."""
    CLASSES.pop(cls, None)
    _NEVER_NODES.add(cls)
    return cls


def kind_of(cls: type) -> Kind:
    """Return how instances of a class are taken apart, which were before.

    Raises StructureChangedError when they are leaves now.
    """
    kind = find_kind(cls)
    if kind is None:
        raise StructureChangedError(
            f"{cls.__name__} was a tree when it was taken apart, and is none now"
        )
    return kind


def find_kind(cls: type) -> Kind | None:
    """Return how instances of a class are taken apart; None when they are leaves."""
    return None if cls in LEAVES else CLASSES.get(cls) or _classify(cls)


def _classify(cls: type) -> Kind | None:
    """Find out what a class is that was not met before, and remember it."""
    kind = None
    if cls not in _NEVER_NODES and cls.__module__ != "builtins":
        if _is_named_tuple(cls):
            kind = NAMED_TUPLE
        elif is_dataclass(cls) and cls.__new__ is object.__new__:
            kind = DATACLASS
    if kind is not None:
        CLASSES[cls] = kind
        return kind
    if len(LEAVES) > _REMEMBERED_CLASSES:
        LEAVES.clear()
    LEAVES.add(cls)
    return None


def _is_named_tuple(cls: type) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields") and hasattr(cls, "_make")
