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
from itertools import repeat
from typing import Any, NamedTuple, TypeVar

from runtime.errors import StructureError
from runtime.tree_classes import (
    CLASSES,
    ENTRIES_BEFORE_CYCLE_CHECK,
    LEAVES,
    find_kind,
    kind_of,
    open_cycles,
)
from runtime.tree_kinds import Kind, indices

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


class Same:
    """In an entry, as its class: a part that stands elsewhere, too, at the entry of its data."""


class SharedStructure(Structure):
    """The structure of a value of which a part stands in several places, as one object.

    >>> one = [1]
    >>> print(flatten_shared((one, one), lambda x: type(x) is list)[1])
    ([*], <the same as another>)
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return SharedStructure, (self.entries,)


def is_shared(structure: Structure) -> bool:
    """Tell whether a structure says that some parts are one."""
    return type(structure) is SharedStructure


LEAF = Structure((None,))
"""The structure of a value that is a leaf."""

_FLAT_TUPLES: dict[int, Structure] = {}


def flatten(value: Any) -> tuple[tuple[Any, ...], Structure]:
    """Return the leaves of a value, in order, and its structure.

    Raises StructureError when a container contains itself.

    >>> flatten({"a": 1, "b": (2, 3)})[0]
    (1, 2, 3)
    """
    leaf_types = LEAVES
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
        kind = None if cls in LEAVES else CLASSES.get(cls) or find_kind(cls)
        if kind is None or (is_leaf is not None and is_leaf(item)):
            leaves.append(item)
            entries.append(None)
            continue
        children, data = kind.flatten(item)
        entries.append((cls, data, len(children)))
        todo.extend(reversed(children))
        if unchecked and len(entries) > ENTRIES_BEFORE_CYCLE_CHECK:
            if open_cycles(value):
                return flatten_to(value, is_leaf)
            unchecked = False
    return tuple(leaves), Structure(tuple(entries))


def flatten_shared(
    value: Any, is_object: Callable[[Any], bool]
) -> tuple[tuple[Any, ...], Structure]:
    """Return the leaves of a value, and its structure, which says which objects in it are one.

    Args:
        value: it contains no containers that contain themselves.
        is_object: tells of a part, be it a container or a leaf, whether that matters.

    >>> one, other = [1], [1]
    >>> flatten_shared([one, other, one], lambda x: x is one)[0]
    (1, 1)
    """
    leaves: list[Any] = []
    entries: list[Entry] = []
    known: dict[int, int] = {}
    todo = [value]
    while todo:
        item = todo.pop()
        is_one = is_object(item)
        if is_one and id(item) in known:
            entries.append((Same, known[id(item)], 0))
            continue
        if is_one:
            known[id(item)] = len(entries)
        node = node_of(item)
        entries.append(None if node is None else (node.cls, node.data, len(node.children)))
        if node is None:
            leaves.append(item)
        else:
            todo.extend(reversed(node.children))
    is_shared = any(entry is not None and entry[0] is Same for entry in entries)
    return tuple(leaves), (SharedStructure if is_shared else Structure)(tuple(entries))


def _unflatten_shared(structure: Structure, leaves: Iterator[Any]) -> Any:
    """Make a value of which some parts are one, the first part first."""
    made: dict[int, Any] = {}
    open_: list[tuple[int, type, Any, int, list[Any]]] = []
    for number, entry in enumerate(structure.entries):
        if entry is not None and entry[0] is not Same:
            open_.append((number, *entry, []))
        else:
            made[number] = next(leaves) if entry is None else made[entry[1]]
            open_[-1][-1].append(made[number])
        while len(open_[-1][-1]) == open_[-1][3]:
            number, cls, data, _, children = open_.pop()
            made[number] = kind_of(cls).unflatten(cls, data, children)
            if not open_:
                return made[number]
            open_[-1][-1].append(made[number])
    raise StructureError(f"{structure} has no end")


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
    if is_shared(structure):
        return _unflatten_shared(structure, iter(given))
    root = structure.entries[0]
    if root is not None and len(given) + 1 == len(structure.entries):  # a container of leaves
        cls, data, _ = root
        return kind_of(cls).unflatten(cls, data, given)
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
        made.append(join(CLASSES.get(cls) or kind_of(cls))(cls, data, children))
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
    return kind_of(cls).show(cls, data, texts)


def map_tree(
    fn: Callable[[Any], Any], value: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """Return a value of the same structure with `fn` applied to each leaf.

    >>> map_tree(lambda x: x + 1, [1, (2,)])
    [2, (3,)]
    """
    leaves, structure = flatten_to(value, is_leaf)
    return unflatten(structure, map(fn, leaves))


CLASSES[Same] = Kind(
    lambda value: ((), None), lambda *_: Same(), indices, lambda *_: "<the same as another>"
)


class Node(NamedTuple):
    """A value that is a node, taken apart once: its class, its data, and its children."""

    cls: type
    data: Any
    children: Sequence[Any]

    def holding(self, children: Sequence[Any]) -> Any:
        """Return a value of the same class and data that has other children."""
        return kind_of(self.cls).unflatten(self.cls, self.data, children)

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
            labels = list(kind_of(cls).labels(cls, data, count))
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
    text = kind_of(cls).show(cls, data, ["*"] * count)
    return text if len(text) <= 72 else f"a {cls.__name__} of {count}"
