"""What a function reads outside of itself: globals, variables of functions around it, attributes.

Comes in: a function, and the objects that it is given. Goes out: places, each with a name, a way to
read it, and what it holds. They are found in the code of the function and of all that it can call:
every global that the code names, every cell, every attribute of a user's object whose name occurs
in the code. So there may be places that a call does not read; there is none that it reads and that
is missing here, up to a number of places, of which a warning tells. Names that are computed, for
`getattr`, are known when the function has been traced.
"""

from __future__ import annotations

import functools
import inspect
import operator
import sys
import weakref
from abc import ABCMeta
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from types import (
    FunctionType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from autograph.function.capture_sources import (
    LITERALS,
    MISSING,
    ROWS,
    Expected,
    Place,
    expected,
    path_of,
)
from autograph.function.used_names import MANY, names_of
from autograph.function.value_snapshots import has_contents, objects_in
from autograph.logs import LOGGER
from autograph.operators.calls.conversion_rules import module_of, rules
from autograph.operators.calls.host_callback import CALLED_LATER
from autograph.operators.mutation.reachable_objects import own_dict
from autograph.source.load import unwrap
from runtime.backends import is_foreign
from runtime.operator_methods import BINARY, COMPARISONS, UNARY

MOST_PLACES = 4096
MOST_ITEMS = 16
"""How many items of a list, tuple or dict are looked at one by one."""


def still_read(places: Sequence[Place], again: Sequence[Place]) -> list[Place]:
    """Return those of some places that were found again when the function had been traced."""
    found = {place.text for place in again}
    return [place for place in places if place.text in found]


def with_before(places: Sequence[Place], earlier: Sequence[Place]) -> list[Place]:
    """Return places with what those of them held that had been found earlier."""
    known = {path_of(place): place.before for place in earlier}
    for place in places:
        place.before = known.get(path_of(place), place.before)
    return list(places)


def reads_of(
    function: Any,
    given: Iterable[tuple[str, Callable[[], Any]]] = (),
    asked: Iterable[str] = (),
) -> list[Place]:
    """Return the places that a function may read, an owner before what it owns.

    Args:
        function: of Python.
        given: objects that it is given, by name, each behind what returns it.
        asked: names of attributes that the code computes.
    """
    if getattr(function, "__autograph_traced_once__", False):  # for what it returns, and never run
        return []
    search = _Search(asked)
    for name, reference in given:
        search.look_into(Place("object", reference, name, name), reference())
    search.callable(None, function, is_first=True)
    called = getattr(unwrap(function), "__call__", None)  # noqa: B004  (of an object that is called)
    if isinstance(called, MethodType):
        search.callable(None, called)
    search.run()
    if search.left_out:
        LOGGER.warning(
            "%s may read more than %d places outside of itself. If %s or what follows changes, it "
            "is not traced again. Pass what changes as an argument.",
            *(getattr(function, "__qualname__", "a function"), MOST_PLACES, search.left_out),
        )
    return [search.settled(place) for place in search.places]


class _Search:
    """The places that were found so far.

    Attributes:
        places: what was found and may change: what this library's own modules hold does not.
        left_out: the first place for which there was no room.
    """

    def __init__(self, asked: Iterable[str]) -> None:
        self.places: list[Place] = []
        self.left_out = ""
        self._fixed: set[Place] = set()
        self._keys: set[tuple[Any, ...]] = set()
        self._seen: dict[int, Any] = {}  # it keeps them, so that their ids stay theirs
        self._asked = set(asked)
        self._names: set[str] = {*_DUNDERS, *self._asked}
        self._loads: Counter[str] = Counter()
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
                    self._items(place, row)

    def _items(self, place: Place, row: Any) -> None:
        """Look at the items of a list, tuple or dict; of a long one only at what holds others."""
        is_long = len(row) > MOST_ITEMS
        if is_long:
            self._contents(place)
        for key, item in [*row.items()] if isinstance(row, dict) else [*enumerate(row)]:
            if not (is_long and isinstance(item, LITERALS)):
                self._add(Place("item", place, key, f"{_name(place)}[{key!r}]"))

    def _contents(self, place: Place) -> None:
        self._add(Place("contents", place, None, f"what is in {_name(place)}"))

    def _parts(self, place: Place, container: Any) -> None:
        """Look at the objects in a container that is no list, tuple or dict of Python's own."""
        for path, item in objects_in(container):
            if not isinstance(item, LITERALS):
                keys = "".join(f"[{key!r}]" for key in path)
                self._add(Place("part", place, path, f"{_name(place)}{keys}"))

    def _is_read(self, place: Place) -> bool:
        """Tell whether anything is done with a list, tuple or dict but to add to it."""
        return place.kind in ("item", "part") or place.key in self._read

    def settled(self, place: Place) -> Place:
        """Return a place as it is guarded: of lists that only grow only that they are there."""
        named = place
        while named.kind in ("item", "part", "contents"):
            named = named.owner
        place.loads = self._loads[named.key] or MANY
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
        if place is None and isinstance(value, functools.partial):
            given = Place("object", lambda: value.args, "args", "what a partial gives")
            named = Place("object", lambda: value.keywords, "keywords", "what a partial gives")
            self._items(given, value.args)
            self._items(named, value.keywords)
        owner = None if place is not None and hasattr(value, "__self__") else _owner(value)
        if owner is not None:
            self.look_into(Place("object", lambda: owner, "self", "self"), owner)
        inner = _inner(value)
        if isinstance(inner, FunctionType) and self._is_new(inner) and not _is_left(inner):
            self._function(inner, is_first)

    def _function(self, function: FunctionType, is_first: bool) -> None:
        names = names_of(function.__code__)
        self._names |= names.attributes
        self._read |= names.read
        self._loads += names.loads
        assigned = names.assigned & self._asked  # under a condition, perhaps: what it held is kept
        for name in sorted(filter(str.isidentifier, names.globals | assigned)):
            if name in function.__globals__:
                self._add(Place("global", function.__globals__, name, f"the global {name!r}"))
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        for name, cell in cells:
            kind, owner = ("cell", cell) if is_first else ("free", weakref.ref(function))
            if name != "__class__":
                self._add(Place(kind, owner, name, f"the variable {name!r} around a function"))
        for key in () if is_first else _defaults(function):
            text = f"a default of {function.__name__}()"
            self._add(Place("default", weakref.ref(function), key, text))

    def _add(self, place: Place, is_fixed: bool = False) -> None:
        key = (place.kind, id(place.owner), place.key)
        if key in self._keys:
            return
        inside = isinstance(place.owner, Place)
        is_fixed |= place.owner in self._fixed if inside else _is_ours(_namespace(place))
        is_fixed |= place.kind == "free" and _is_our_wrapper(place)
        if len(self.places) >= MOST_PLACES and not is_fixed:
            self.left_out = self.left_out or place.text
            return
        self._keys.add(key)
        value = place.read()
        if value is MISSING and place.key in self._asked and not is_fixed:
            self.places.append(replace(place, before=Expected("absent", None)))
        if value is not MISSING:
            is_inside = place.kind == "contents"
            found = Expected("equal", value) if is_inside else expected(value)
            place = replace(place, before=found)
            if is_fixed:
                self._fixed.add(place)
            else:
                self.places.append(place)
            if not is_inside:
                self.look_into(place, value)

    def look_into(self, place: Place, value: Any) -> None:
        """Look into what is at a place."""
        if isinstance(value, operator.attrgetter | operator.methodcaller):
            self._names.update(name for text in _texts(value) for name in text.split("."))
        elif type(value) in ROWS:
            self._rows.append((place, value))
        elif isinstance(value, ModuleType):
            if not rules.are_left(value.__name__) and self._is_new(value):
                self._open.append((place, value))
        elif isinstance(value, _CALLED) or _is_wrapper(value):
            self.callable(place, value)
            if type(value) is FunctionType and value.__dict__:
                self._open.append((place, value))
        elif self._is_new(value) and not is_foreign(value):
            is_ours = _is_ours(_class(value).__module__)
            if has_contents(value) and not is_ours and not isinstance(value, np.ndarray):
                self._contents(place)
                self._parts(place, value)
            if not rules.are_left(_class(value).__module__ or "") or _has_own(value):
                self._open.append((place, value))

    def _is_new(self, value: Any) -> bool:
        is_new = id(value) not in self._seen
        self._seen[id(value)] = value
        return is_new

    def _members(self, place: Place, owner: Any) -> None:
        """Look up the names in one object, and in its class."""
        own = own_dict(owner)
        is_ours = isinstance(owner, ModuleType) and _is_ours(owner.__name__)
        if not isinstance(owner, ModuleType):
            for name, value in _class_members(_class(owner), self._names):
                self.callable(None, value.fget if isinstance(value, property) else value)
                if isinstance(value, MemberDescriptorType) or (
                    name not in own and not _is_code(value) and not _is_kept_by_us(owner, name)
                ):
                    self._add(_attribute(place, name))
        is_whole = "__dict__" in self._names or self._loads["vars"] or _is_of_python(owner)
        is_whole = is_whole and not isinstance(owner, ModuleType)
        self._read |= set(own) if is_whole else set()
        names = set(own) if is_whole else self._names
        for name in sorted(self._asked):
            is_held = (
                inspect.getattr_static(owner, name, MISSING) is not MISSING
            )  # no property is asked
            if not is_held and not hasattr(owner, name):
                self._add(_attribute(place, name))
        for name in sorted(names.intersection(own)):
            has_setter = hasattr(getattr(_class(owner), name, None), "__set__")
            if not has_setter and not _is_kept_by_us(owner, name):
                self._add(_attribute(place, name), is_ours)


_OPERATORS = [*BINARY.values(), *COMPARISONS.values(), *UNARY.values()]
_DUNDERS = (
    *(f"__{how}{name}__" for name in _OPERATORS for how in ("", "r", "i")),
    *(
        f"__{name}__"
        for name in (
            "init", "call", "enter", "exit", "getitem", "len", "iter", "next", "contains", "bool",
            "int", "float", "index", "getattr", "getattribute", "missing", "get", "array",
            "array_ufunc", "array_function",
        )
    ),
)  # fmt: skip
"""What Python itself asks objects for."""


_CALLED = (FunctionType, MethodType, functools.partial)


def _is_wrapper(value: Any) -> bool:
    """Tell whether a value is what a decorator made of a function: a staged function, say."""
    return "__wrapped__" in own_dict(value)


def _has_own(value: Any) -> bool:
    """Tell whether an object of a library's class has attributes of its own."""
    return bool(own_dict(value)) and not isinstance(value, type)


def _is_of_python(owner: Any) -> bool:
    """Tell whether an object is of a class of Python's library, whose code is not looked at.

    A class is asked for names only, and by the code that is looked at; an enum for its members.
    """
    if type(owner) in (type, ABCMeta):
        return False
    return module_of(type(owner)).partition(".")[0] in sys.stdlib_module_names - {"__main__"}


def _namespace(place: Place) -> Any:
    return place.owner.get("__name__") if place.kind == "global" else None


def _is_ours(module: Any) -> bool:
    """Tell whether a module, by its name, is this library's own."""
    return isinstance(module, str) and module.partition(".")[0] == "autograph"


def _is_our_wrapper(place: Place) -> bool:
    """Tell whether a place is a function in a cell of one of this library's own functions."""
    return _is_ours(place.owner().__module__) and isinstance(place.read(), FunctionType)


def _is_kept_by_us(owner: Any, name: str) -> bool:
    """Tell whether our classes keep an attribute for themselves, which says nothing of calls."""
    return name.startswith("__") and any(
        name in vars(kind) and _is_ours(kind.__module__) for kind in _class(owner).__mro__
    )


def _texts(getter: Any) -> Iterator[str]:
    """Yield the texts that an `operator.attrgetter` or `methodcaller` was made of."""
    return (x for x in getter.__reduce__()[1] if isinstance(x, str))


def _defaults(function: FunctionType) -> list[int | str]:
    """Return which parameters have defaults that may change in place."""
    pairs: list[tuple[int | str, Any]] = list(enumerate(function.__defaults__ or ()))
    pairs += (function.__kwdefaults__ or {}).items()
    return [key for key, value in pairs if not isinstance(value, LITERALS)]


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


def _owner(value: Any) -> Any:
    """Return what a method is bound to that is called, through partials and decorators."""
    while not isinstance(value, MethodType):
        inner = value.func if isinstance(value, functools.partial) else None
        value = inner or own_dict(value).get("__wrapped__")
        if value is None:
            return None
    return value.__self__


def _is_left(function: FunctionType) -> bool:
    return rules.are_left(function.__module__ or "") or id(function.__code__) in CALLED_LATER


def _name(place: Place) -> str:
    return place.key if place.kind in ("global", "cell", "free", "object") else place.text


def _attribute(owner: Place, name: str) -> Place:
    return Place("attribute", owner, name, f"{_name(owner)}.{name}")
