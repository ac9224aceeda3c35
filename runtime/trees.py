"""Structures as trees: tuples, lists, dicts and their like around the values that matter.

Comes in: any Python value. Goes out: its *leaves* in order, and its *structure*, which is all but
the leaves; `unflatten` makes the value again. It knows nothing of arrays: what is not one of the
containers below is a leaf.

    node = tuple | list | deque | dict (keys in order of insertion) | named tuple
         | dataclass instance | None (without children)
         | instance of a class given to `register_tree`

Classes are matched exactly: a subclass of `list` is a leaf unless it is registered.

A structure is a flat tuple of entries in preorder, so that comparing and hashing it is fast and
no depth of nesting is too much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import is_dataclass
from itertools import islice, repeat
from typing import Any, NamedTuple, TypeVar

from runtime.errors import StructureError
from runtime.tree_kinds import DATACLASS, KINDS, NAMED_TUPLE, Kind, indices

T = TypeVar("T")
Entry = tuple[type, Any, int] | None
"""One place of a structure: None for a leaf, else a class, its data, and how many children."""


class Structure:
    """All of a value but its leaves; hashable, and equal for equal structures.

    >>> print(flatten((1, [2, None], {"k": 3}))[1])
    (*, [*, None], {'k': *})
    """

    __slots__ = ("_hash", "count", "entries")

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        self.entries = entries
        self.count = entries.count(None)
        self._hash: int | None = None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Structure) and self.entries == other.entries

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.entries)
        return self._hash

    def __repr__(self) -> str:
        (text,) = _fold(self.entries, repeat("*"), lambda kind: kind.show)
        return str(text)

    def __reduce__(self) -> tuple[Any, ...]:
        return Structure, (self.entries,)


LEAF = Structure((None,))
"""The structure of a value that is a leaf."""

_KINDS: dict[type, Kind] = dict(KINDS)
_NEVER_NODES: set[type] = set()
_REFERENCES: set[type] = set()
_LEAVES: set[type] = {bool, int, float, complex, str, bytes}
_FLAT_TUPLES: dict[int, Structure] = {}
_REMEMBERED_CLASSES = 10_000
_ENTRIES_BEFORE_CYCLE_CHECK = 10_000


def flatten(value: Any) -> tuple[tuple[Any, ...], Structure]:
    """Return the leaves of a value, in order, and its structure.

    Raises StructureError when a container contains itself.

    >>> flatten({"a": 1, "b": (2, 3)})[0]
    (1, 2, 3)
    """
    leaf_types = _LEAVES
    if type(value) is tuple:
        for item in value:
            if type(item) not in leaf_types:
                return flatten_to(value)
        return value, _flat_tuple(len(value))
    return ((value,), LEAF) if type(value) in leaf_types else flatten_to(value)


def _flat_tuple(length: int) -> Structure:
    structure = _FLAT_TUPLES.get(length)
    if structure is None:
        structure = Structure(((tuple, None, length), *repeat(None, length)))
        if length < 64:
            _FLAT_TUPLES[length] = structure
    return structure


def flatten_to(
    value: Any, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[tuple[Any, ...], Structure]:
    """Return what `flatten` does, with more leaves than usual."""
    leaves: list[Any] = []
    entries: list[Entry] = []
    todo = [value]
    unchecked = True
    while todo:
        item = todo.pop()
        cls = type(item)
        kind = None if cls in _LEAVES else _KINDS.get(cls) or _classify(cls)
        if kind is None or (is_leaf is not None and is_leaf(item)):
            leaves.append(item)
            entries.append(None)
            continue
        children, data = kind.flatten(item)
        entries.append((cls, data, len(children)))
        todo.extend(reversed(children))
        if unchecked and len(entries) > _ENTRIES_BEFORE_CYCLE_CHECK:
            if _open_cycles(value):
                return flatten_to(value, is_leaf)
            unchecked = False
    return tuple(leaves), Structure(tuple(entries))


def unflatten(structure: Structure, leaves: Iterable[Any]) -> Any:
    """Return the value that has a structure and leaves; StructureError when their number is wrong.

    >>> unflatten(flatten({"a": 1, "b": (2, 3)})[1], "xyz")
    {'a': 'x', 'b': ('y', 'z')}
    """
    given = tuple(leaves)
    if len(given) != structure.count:
        raise StructureError(
            f"{structure} has {structure.count} leaves, and {len(given)} are given"
        )
    root = structure.entries[0]
    if root is not None and len(given) + 1 == len(structure.entries):  # a container of leaves
        cls, data, _ = root
        return _kind(cls).unflatten(cls, data, given)
    (value,) = _fold(structure.entries, reversed(given), lambda kind: kind.unflatten)
    return value


def unflatten_rows(structure: Structure, columns: Sequence[Sequence[Any]], count: int) -> list[Any]:
    """Return as many values of a structure as there are rows, of a column for each leaf.

    >>> unflatten_rows(flatten(("a", ("b",)))[1], ["xy", [1, 2]], 2)
    [('x', (1,)), ('y', (2,))]
    """

    def join(kind: Kind) -> Callable[..., list[Any]]:
        def rows(cls: type, data: Any, children: Sequence[Sequence[Any]]) -> list[Any]:
            parts = zip(*children, strict=True) if children else repeat((), count)
            return list(parts) if cls is tuple else [kind.unflatten(cls, data, x) for x in parts]

        return rows

    (found,) = _fold(structure.entries, reversed(columns), join)
    return list(found)


def _fold(
    entries: Sequence[Entry], leaves: Iterator[Any], join: Callable[[Kind], Callable[..., Any]]
) -> list[Any]:
    """Join the entries from the last to the first; `leaves` come in that order, too."""
    made: list[Any] = []
    for entry in reversed(entries):
        if entry is None:
            made.append(next(leaves))
            continue
        cls, data, count = entry
        children = made[len(made) - count :][::-1]
        del made[len(made) - count :]
        made.append(join(_KINDS.get(cls) or _kind(cls))(cls, data, children))
    return made


def fold(structure: Structure, leaves: Sequence[T], join: Callable[[type, Any, list[T]], T]) -> T:
    """Return what a structure becomes whose leaves are given, where `join` makes each container.

    >>> fold(flatten([1, (2, 3)])[1], ["a", "b", "c"], lambda cls, data, parts: "".join(parts))
    'abc'
    """
    (found,) = _fold(structure.entries, reversed(leaves), lambda kind: join)
    return found  # type: ignore[no-any-return]


def show_node(cls: type, data: Any, texts: Sequence[str]) -> str:
    """Return the text of a container whose children have these.

    >>> show_node(list, None, ["1", "x"])
    '[1, x]'
    """
    return _kind(cls).show(cls, data, texts)


def map_tree(
    fn: Callable[[Any], Any], value: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """Return a value of the same structure with `fn` applied to each leaf.

    >>> map_tree(lambda x: x + 1, [1, (2,)])
    [2, (3,)]
    """
    leaves, structure = flatten_to(value, is_leaf)
    return unflatten(structure, map(fn, leaves))


class Node(NamedTuple):
    """A value that is a node, taken apart once: its class, its data, and its children."""

    cls: type
    data: Any
    children: Sequence[Any]

    def holding(self, children: Sequence[Any]) -> Any:
        """Return a value of the same class and data that has other children."""
        return _kind(self.cls).unflatten(self.cls, self.data, children)

    def is_like(self, other: Node | None) -> bool:
        """Tell whether two nodes differ in their children only."""
        mine = (self.cls, self.data, len(self.children))
        return other is not None and mine == (other.cls, other.data, len(other.children))


def node_of(value: Any) -> Node | None:
    """Return a value taken apart, or None for a leaf.

    >>> node_of({"a": 1}).children
    (1,)
    """
    kind = find_kind(type(value))
    if kind is None:
        return None
    children, data = kind.flatten(value)
    return Node(type(value), data, children)


def paths(structure: Structure, root: str = "") -> list[str]:
    """Return what each leaf is called in messages, starting with the name `root`.

    >>> paths(flatten((1, {"k": 2}))[1], "x")
    ['x[0]', "x[1]['k']"]
    """
    places = zip(structure.entries, _places(structure.entries, root), strict=True)
    return [place for entry, place in places if entry is None]


def _places(entries: Iterable[Entry], root: str) -> Iterator[str]:
    """Yield the path of each entry."""
    todo = [root]
    for entry in entries:
        place = todo.pop()
        yield place
        if entry is not None:
            cls, data, count = entry
            labels = list(_kind(cls).labels(cls, data, count))
            todo += [place + label for label in reversed(labels)]


def difference(a: Any, b: Any, root: str = "the value") -> str | None:
    """Say where two structures first differ; None when they are equal.

    Args:
        a: a `Structure`, or a value, whose structure is meant.
        b: the other one.
        root: what the whole is called.

    >>> difference([1, (2, 3)], [1, 2], "x")
    'x[1] is (*, *) in one and a leaf in the other'
    """
    lefts, rights = _structure(a).entries, _structure(b).entries
    for left, right, place in zip(lefts, rights, _places(lefts, root), strict=False):
        if left != right:
            return f"{place} is {_describe(left)} in one and {_describe(right)} in the other"
    return None


def _structure(value: Any) -> Structure:
    return value if isinstance(value, Structure) else flatten(value)[1]


def _describe(entry: Entry) -> str:
    if entry is None:
        return "a leaf"
    cls, data, count = entry
    text = _kind(cls).show(cls, data, ["*"] * count)
    return text if len(text) <= 72 else f"a {cls.__name__} of {count}"


def _open_cycles(value: Any) -> bool:
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
            return True
        open_[id(item)] = item
        todo.append((item, True))
        todo += [(child, False) for child in kind.flatten(item)[0]]
    return False


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
    if _KINDS.get(cls) not in (None, NAMED_TUPLE, DATACLASS):
        raise TypeError(f"{cls.__name__} is a tree already")
    _LEAVES.discard(cls)
    _KINDS[cls] = Kind(
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
    _KINDS.pop(cls, None)
    _NEVER_NODES.add(cls)
    return cls


def _kind(cls: type) -> Kind:
    kind = find_kind(cls)
    if kind is None:
        raise StructureError(f"{cls.__name__} was a tree when it was taken apart, and is none now")
    return kind


def find_kind(cls: type) -> Kind | None:
    """Return how instances of a class are taken apart; None when they are leaves."""
    return None if cls in _LEAVES else _KINDS.get(cls) or _classify(cls)


def _classify(cls: type) -> Kind | None:
    """Find out what a class is that was not met before, and remember it."""
    kind = None
    if cls not in _NEVER_NODES and cls.__module__ != "builtins":
        if _is_named_tuple(cls):
            kind = NAMED_TUPLE
        elif is_dataclass(cls) and cls.__new__ is object.__new__:
            kind = DATACLASS
    if kind is not None:
        _KINDS[cls] = kind
        return kind
    if len(_LEAVES) > _REMEMBERED_CLASSES:
        _LEAVES.clear()
    _LEAVES.add(cls)
    return None


def _is_named_tuple(cls: type) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields") and hasattr(cls, "_make")
