"""What a function reads outside of itself: globals, variables of functions around it, attributes.

Comes in: a function, and the objects that it is given. Goes out: places, each with a name, a way to
read it, and what it holds. They are found in the code of the function and of all that it can call:
every global that the code names, every cell, every attribute of a user's object whose name occurs
in the code. So there may be places that a call does not read; there is none that it reads and that
is missing here, up to a number of places, and but for what is reached by other ways than names
(`getattr` with a computed name, objects in large containers).
"""

from __future__ import annotations

import dis
import functools
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.asking import CALLED_LATER
from autograph.operators.rules import rules
from autograph.source.load import unwrap

MOST_PLACES = 256
MOST_ITEMS = 16
"""How many items of a list, tuple or dict are looked at one by one."""


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


MISSING = _Missing()
"""What a place holds that does not exist."""

LITERALS = (bool, int, float, complex, str, bytes, range, type(None), type(Ellipsis), np.generic)
ROWS = (list, tuple, dict)
LASTING = (ModuleType, type, BuiltinFunctionType, np.ufunc)


def same(a: Any, b: Any) -> bool:
    """Tell whether a place that holds one value may as well hold the other.

    >>> same(0.0, -0.0), same(1, True), same("a", "a")
    (False, False, True)
    """
    if a is b:
        return True
    return type(a) is type(b) and isinstance(a, LITERALS) and repr(a) == repr(b)


class Expected(NamedTuple):
    """What a place has to hold, without keeping alive what would be gone otherwise.

    Args:
        kind: `"literal"` (an equal one), `"row"` (a list, tuple or dict of a type and length),
            `"object"` (it itself), `"reference"` (what that returns), or `"type"`.
        value: the value, or the type and length, or a weak reference.
    """

    kind: str
    value: Any

    def holds(self, now: Any) -> bool:
        """Tell whether a value is what is expected."""
        if self.kind == "row":
            return type(now) is self.value[0] and len(now) == self.value[1]
        if self.kind == "type":
            return type(now) is self.value
        return same(now, self.value() if self.kind == "reference" else self.value)

    def __str__(self) -> str:
        if self.kind == "row":
            return f"a {self.value[0].__name__} of {self.value[1]}"
        if self.kind == "type":
            return f"a {self.value.__name__}"
        return short(self.value() if self.kind == "reference" else self.value)


def expected(value: Any) -> Expected:
    """Return what a place has to hold that holds a value."""
    if type(value) in ROWS:
        return Expected("row", (type(value), len(value)))
    if isinstance(value, LITERALS):
        return Expected("literal", value)
    if isinstance(value, LASTING) or (isinstance(value, FunctionType) and not value.__closure__):
        return Expected("object", value)
    try:
        return Expected("reference", weakref.ref(value))
    except TypeError:
        return Expected("type", type(value))


def short(value: Any) -> str:
    """Return a short text of a value for messages, without addresses."""
    if isinstance(value, LITERALS):
        return repr(value) if len(repr(value)) <= 40 else f"{repr(value)[:37]}..."
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    return name if isinstance(name, str) else f"a {type(value).__name__}"


_NOTHING = Expected("type", _Missing)


@dataclass(eq=False, repr=False)
class Place:
    """A place outside of a function.

    Args:
        kind: `"global"`, `"cell"`, `"free"` (a cell of another function), `"object"` (one that is
            given), `"attribute"` or `"item"`.
        owner: the namespace, the cell, what returns the function or object, or the owner's place.
        key: the name, or the key of an item.
        text: what messages call it.
        before: what it holds.
    """

    kind: str
    owner: Any
    key: Any
    text: str
    before: Expected = _NOTHING

    def read(self) -> Any:
        """Return what it holds now; MISSING when it does not exist."""
        try:
            return _READERS[self.kind](self.owner, self.key)
        except Exception:  # of a property of the user's, too
            return MISSING


def _of_parent(get: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def read(parent: Place, key: Any) -> Any:
        owner = parent.read()
        return MISSING if owner is MISSING else get(owner, key)

    return read


def position(function: Callable[[], Any], name: str) -> int:
    """Return which of its cells has a name, of the function that a reference returns."""
    return int(function().__code__.co_freevars.index(name))


_READERS: dict[str, Callable[[Any, Any], Any]] = {
    "global": lambda namespace, name: namespace[name],
    "cell": lambda cell, name: cell.cell_contents,
    "free": lambda function, name: function().__closure__[position(function, name)].cell_contents,
    "object": lambda reference, name: reference(),
    "attribute": _of_parent(getattr),
    "item": _of_parent(lambda owner, key: owner[key]),
}


_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR")
_GROWING = ("append", "extend", "insert", "appendleft", "add")


class _Names:
    """The names that code uses, with those of the functions inside it.

    Attributes:
        globals: the names of globals.
        attributes: the names of attributes.
        read: the names of what is not only grown, as by `log.append(x)`.
    """

    def __init__(self, code: CodeType) -> None:
        self.globals: set[str] = set()
        self.attributes: set[str] = set()
        self.read: set[str] = set()
        instructions = list(dis.get_instructions(code))
        for instruction, following in pairwise((*instructions, instructions[-1])):
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                self.globals.add(instruction.argval)
            elif instruction.opname in _ATTRIBUTES:
                self.attributes.add(instruction.argval)
            grows = following.opname in _ATTRIBUTES and following.argval in _GROWING
            if instruction.opname.startswith("LOAD_") and not grows:
                self.read.add(instruction.argval)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                inner = _names_of(constant)
                self.globals |= inner.globals
                self.attributes |= inner.attributes
                self.read |= inner.read


_known_names: dict[int, tuple[weakref.ref[CodeType], _Names]] = {}


def _names_of(code: CodeType) -> _Names:
    """Return the names in code; found again by its id, since to compare code is slow."""
    known = _known_names.get(id(code))
    if known is not None and known[0]() is code:
        return known[1]
    found, key = _Names(code), id(code)
    _known_names[key] = weakref.ref(code, lambda _: _known_names.pop(key, None)), found
    return found


def still_read(places: Sequence[Place], again: Sequence[Place]) -> list[Place]:
    """Return those of some places that were found again when the function had been traced."""
    found = {place.text for place in again}
    return [place for place in places if place.text in found]


def reads_of(function: Any, given: Iterable[tuple[str, Callable[[], Any]]] = ()) -> list[Place]:
    """Return the places that a function may read, an owner before what it owns.

    Args:
        function: of Python.
        given: objects that it is given, by name, each behind what returns it.
    """
    search = _Search()
    for name, reference in given:
        search.look_into(Place("object", reference, name, name), reference())
    search.callable(None, function, is_first=True)
    search.run()
    return [search.settled(place) for place in search.places]


class _Search:
    """The places that were found so far.

    Attributes:
        places: what was found.
    """

    def __init__(self) -> None:
        self.places: list[Place] = []
        self._keys: set[tuple[Any, ...]] = set()
        self._seen: dict[int, Any] = {}  # it keeps them, so that their ids stay theirs
        self._names: set[str] = set(_DUNDERS)
        self._open: list[tuple[Place, Any]] = []
        self._rows: list[tuple[Place, Any]] = []
        self._read: set[str] = set()

    def run(self) -> None:
        """Look up all names in all objects, until nothing new is found."""
        before = -1
        while before != (size := len(self._names) + len(self.places) + len(self._open)):
            before = size
            for place, owner in list(self._open):
                self._members(place, owner)
            for place, row in list(self._rows):
                if self._is_read(place):
                    keys = row if isinstance(row, dict) else range(len(row))
                    for key in keys:
                        self._add(Place("item", place, key, f"{_name(place)}[{key!r}]"))

    def _is_read(self, place: Place) -> bool:
        """Tell whether anything is done with a list, tuple or dict but to add to it."""
        return place.kind == "item" or place.key in self._read

    def settled(self, place: Place) -> Place:
        """Return a place as it is guarded: of lists that only grow only that they are there."""
        if place.before.kind != "row" or self._is_read(place):
            return place
        place.before = Expected("type", place.before.value[0])
        return place

    def callable(self, place: Place | None, value: Any, is_first: bool = False) -> None:
        """Look into what is called: a function, a method, a partial, what a decorator returned."""
        if place is not None and hasattr(value, "__self__"):
            self._add(_attribute(place, "__self__"))
        if place is not None and isinstance(value, functools.partial):
            for name in ("func", "args", "keywords"):
                self._add(_attribute(place, name))
        inner = _inner(value)
        if isinstance(inner, FunctionType) and self._is_new(inner) and not _is_left(inner):
            self._function(inner, is_first)

    def _function(self, function: FunctionType, is_first: bool) -> None:
        names = _names_of(function.__code__)
        self._names |= names.attributes
        self._read |= names.read
        for name in sorted(filter(str.isidentifier, names.globals)):
            if name in function.__globals__:
                self._add(Place("global", function.__globals__, name, f"the global {name!r}"))
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        for name, cell in cells:
            kind, owner = ("cell", cell) if is_first else ("free", weakref.ref(function))
            if name != "__class__":
                self._add(Place(kind, owner, name, f"the variable {name!r} around a function"))

    def _add(self, place: Place) -> None:
        key = (place.kind, id(place.owner), place.key)
        if key in self._keys or len(self.places) >= MOST_PLACES:
            return
        self._keys.add(key)
        value = place.read()
        if value is not MISSING:
            place = replace(place, before=expected(value))
            self.places.append(place)
            self.look_into(place, value)

    def look_into(self, place: Place, value: Any) -> None:
        """Look into what is at a place."""
        if type(value) in ROWS:
            if len(value) <= MOST_ITEMS:
                self._rows.append((place, value))
        elif isinstance(value, ModuleType):
            if not rules.are_left(value.__name__) and self._is_new(value):
                self._open.append((place, value))
        elif isinstance(value, _CALLED) or _is_wrapper(value):
            self.callable(place, value)
        elif self._is_new(value) and not rules.are_left(_class(value).__module__ or ""):
            self._open.append((place, value))

    def _is_new(self, value: Any) -> bool:
        is_new = id(value) not in self._seen
        self._seen[id(value)] = value
        return is_new

    def _members(self, place: Place, owner: Any) -> None:
        """Look up the names in one object, and in its class."""
        own = getattr(owner, "__dict__", {})
        if not isinstance(owner, ModuleType):
            for name, value in _class_members(_class(owner), self._names):
                self.callable(None, value.fget if isinstance(value, property) else value)
                if isinstance(value, MemberDescriptorType) or (
                    name not in own and not _is_code(value)
                ):
                    self._add(_attribute(place, name))
        for name in sorted(self._names.intersection(own)):
            if not hasattr(getattr(_class(owner), name, None), "__set__"):
                self._add(_attribute(place, name))


_DUNDERS = ("__init__", "__call__", "__enter__", "__exit__", "__getitem__", "__len__", "__iter__")


_CALLED = (FunctionType, MethodType, functools.partial)


def _is_wrapper(value: Any) -> bool:
    """Tell whether a value is what a decorator made of a function: a staged function, say."""
    own = getattr(value, "__dict__", None)  # not by hasattr: objects may answer to any name
    return isinstance(own, dict) and "__wrapped__" in own


def _class(value: Any) -> type:
    return value if isinstance(value, type) else type(value)


def _class_members(cls: type, names: set[str]) -> Iterator[tuple[str, Any]]:
    """Yield the members of a user's class that have one of some names."""
    for kind in cls.__mro__:
        if kind is not object and not rules.are_left(kind.__module__ or ""):
            for name in sorted(names.intersection(vars(kind))):
                yield name, vars(kind)[name]


def _is_code(value: Any) -> bool:
    return callable(value) or hasattr(value, "__get__")


def _inner(value: Any) -> Any:
    """Return the function that runs: the user's own decorators are functions, too."""
    space = value.__globals__ if isinstance(value, FunctionType) else {}
    is_ours = rules.are_left(space.get("__name__") or "")
    return value if space and not is_ours else unwrap(value)


def _is_left(function: FunctionType) -> bool:
    return rules.are_left(function.__module__ or "") or id(function.__code__) in CALLED_LATER


def _name(place: Place) -> str:
    return place.key if place.kind in ("global", "cell", "free", "object") else place.text


def _attribute(owner: Place, name: str) -> Place:
    return Place("attribute", owner, name, f"{_name(owner)}.{name}")
