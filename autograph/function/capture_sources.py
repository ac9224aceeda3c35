"""Places outside of a function, and what they have to hold so that a trace still holds."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from autograph.function.used_names import MANY
from autograph.function.value_snapshots import contents, part_of
from runtime.active_tapes import is_recording
from runtime.floating_errors import held_now
from runtime.tree_nodes import is_mutable


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
        kind: `"literal"` (an equal one), `"equal"` (what compares equal, of contents), `"row"` (a
            list, tuple or dict of a type and length), `"object"` (it itself), `"reference"` (what
            that returns), `"type"`, or `"absent"`.
        value: the value, or the type and length, or a weak reference.
    """

    kind: str
    value: Any

    def held(self) -> Any:
        """Return the object that is meant, if it is one."""
        return self.value() if self.kind == "reference" else None

    def holds(self, now: Any) -> bool:
        """Tell whether a value is what is expected."""
        if self.kind == "row":
            return type(now) is self.value[0] and len(now) == self.value[1]
        if self.kind == "type":
            return type(now) is self.value
        if self.kind == "absent":
            return now is MISSING
        if self.kind == "equal":
            return bool(now == self.value)
        return same(now, self.value() if self.kind == "reference" else self.value)

    @property
    def may_be_mutable(self) -> bool:
        """Whether it may be a list, dict or object that is taken apart where it is an argument."""
        if self.kind == "row":
            return self.value[0] is not tuple
        return self.kind == "type" or (self.kind == "reference" and is_mutable(self.value()))

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
    if value is MISSING:
        return "not there"
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
            given), `"default"` of a parameter, `"attribute"`, `"item"`, `"part"` (an item of
            items), or `"contents"` of a container or array, or `"reports"` for how NumPy reports
            floating point errors, or `"tapes"` for whether one looks on.
        owner: the namespace, the cell, what returns the function or object, or the owner's place.
        key: the name, or the key of an item.
        text: what messages call it.
        before: what it holds.
        loads: how often the code looks at it; for items, at what holds them.
    """

    kind: str
    owner: Any
    key: Any
    text: str
    before: Expected = _NOTHING
    loads: int = MANY

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


def default_of(function: Any, key: int | str) -> Any:
    """Return the default of a parameter, by position among them or by keyword."""
    held = function.__defaults__ if type(key) is int else function.__kwdefaults__
    return held[key]


_READERS: dict[str, Callable[[Any, Any], Any]] = {
    "global": lambda namespace, name: namespace[name],
    "cell": lambda cell, name: cell.cell_contents,
    "free": lambda function, name: function().__closure__[position(function, name)].cell_contents,
    "object": lambda reference, name: reference(),
    "attribute": _of_parent(getattr),
    "item": _of_parent(lambda owner, key: owner[key]),
    "part": _of_parent(part_of),
    "contents": _of_parent(lambda owner, key: contents(owner)),
    "default": lambda function, key: default_of(function(), key),
    "reports": lambda owner, key: held_now(),
    "tapes": lambda owner, key: is_recording(),
}


def reports_place(held: Any) -> Place:
    """Return the place of how NumPy reports floating point errors, with what it has to hold."""
    return Place(
        "reports", None, None, "np.geterr(), or warnings.filters,", Expected("equal", held)
    )


def recording_place() -> Place:
    """Return the place of whether a tape looks on, where none does."""
    return Place("tapes", None, None, "whether a GradientTape looks on", Expected("equal", False))


def path_of(place: Place) -> tuple[Any, ...]:
    """Return what tells a place from all others."""
    inside = isinstance(place.owner, Place)
    return place.kind, path_of(place.owner) if inside else id(place.owner), repr(place.key)
