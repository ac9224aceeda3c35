"""What can be reached from closures and objects: the one walk over Python's objects.

Comes in: functions and other objects, with the names that messages give them. Goes out: what they
hold, and the way there. Objects of NumPy and of the runtime are not looked into.
"""

from __future__ import annotations

import weakref
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from functools import cache, partial
from itertools import islice
from math import inf
from types import (
    BuiltinMethodType,
    CellType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.calls.conversion_rules import module_of
from autograph.operators.containers.staged_containers import STAGED, staged_list
from autograph.operators.containers.variable_names import variable_of
from autograph.staging.copies import holds_for_tracing
from autograph.staging.options import Named
from runtime.tensor import TensorLike
from runtime.union import Choice, objects_of

ENDS = (type, ModuleType, TensorLike, np.ndarray, np.generic, int, float, complex, str, bytes)
"""Classes of values that hold no variables."""
CLOSED = (
    "numpy",
    "runtime",
    "autograph.function",
    "autograph.operators",
    "autograph.staging",
    "autograph.source",
    "autograph.nn.added_losses",
    "builtins",
)
"""Modules whose objects are not looked into."""
_SEQUENCES = list | tuple | deque | set | frozenset | type({}.values()) | type({}.items())
CACHED = type(cache(id))
"""The class of what `functools.cache` and `lru_cache` make of functions."""


@holds_for_tracing
class Reached(NamedTuple):
    """An object that can be reached, and the way there, as messages call it."""

    path: str
    value: Any


def reachable(
    places: Sequence[Any], others: Sequence[tuple[str, Any]] = (), most: float = inf
) -> list[Reached]:
    """Return what can be reached from closures' variables and other objects, with the way there.

    Args:
        places: closures.
        others: objects, with their names.
        most: so many objects are looked at, the nearest ones.
    """
    found: dict[int, Reached] = {}
    functions = [place for place in places if isinstance(place, FunctionType)]
    todo = deque(others)
    todo.extend(pair for function in functions for pair in parts_of("", function))
    while todo and len(found) < most:
        path, value = todo.popleft()
        if id(value) not in found and not isinstance(value, ENDS):
            found[id(value)] = Reached(path, value)
            parts = parts_of(path, value)
            todo.extend(parts if most == inf else islice(parts, max(int(most) - len(todo), 0)))
    return list(found.values())


def holds(value: Any, is_one: Callable[[Any], bool]) -> bool:
    """Tell whether something is among what a value is made of; functions are not looked into."""
    seen: set[int] = set()
    todo = [value]
    while todo:
        x = todo.pop()
        if is_one(x):
            return True
        if id(x) not in seen and not isinstance(x, (*ENDS, FunctionType)):
            seen.add(id(x))
            todo += (part for _, part in parts_of("", x))
    return False


def parts_of(path: str, x: Any) -> Iterator[tuple[str, Any]]:
    """Yield what an object holds, with the way there."""
    if isinstance(x, MethodType):
        yield path.rpartition(".")[0] or path, x.__self__
    elif isinstance(x, FunctionType):
        yield from ((name, value) for name, value in _values_in_cells(x))
        yield from ((name, x.__globals__[name]) for name in global_names(x))
        yield from _defaults(x)
    elif type(x) is CACHED:
        yield path, uncached(x)
    elif isinstance(x, BuiltinMethodType):  # of a list, say
        yield path, x.__self__
    elif isinstance(x, partial):
        yield from ((path, value) for value in (x.func, *x.args, *x.keywords.values()))
    elif staged_list(x) is not None:
        return
    elif isinstance(x, _SEQUENCES):
        yield from ((f"{path}[{k}]", value) for k, value in enumerate(x))
    elif isinstance(x, dict):
        yield from ((f"{path}[{key!r}]", value) for key, value in x.items())
        if isinstance(x, defaultdict):
            yield f"{path}.default_factory", x.default_factory
    elif isinstance(x, slice):
        yield from ((path, value) for value in (x.start, x.stop, x.step))
    elif type(x) is Choice:
        yield from ((path, value) for value in objects_of(x))
    elif type(x) is Named:
        yield x.name, x.value
    elif isinstance(x, BaseException):
        yield from ((f"{path}.args[{k}]", value) for k, value in enumerate(x.args))
    if is_open(x):
        yield from ((f"{path}.{name}", value) for name, value in attributes_of(x))


def uncached(x: Any) -> Any:
    """Return the function that keeps what it gave without its cache; other values as they are."""
    return x.__wrapped__ if type(x) is CACHED else x


def global_names(function: FunctionType) -> list[str]:
    """Return the globals that a function names, unless it is one of ours."""
    if (function.__module__ or "").startswith(CLOSED):
        return []
    return [name for name in _names(function.__code__) if name in function.__globals__]


def _names(code: CodeType) -> tuple[str, ...]:
    """Return the names of globals and attributes in code, and in the functions inside it.

    Code is found again by its id: to compare two that are equal takes twice as long for each level
    of functions in functions.
    """
    known = _known_names.get(id(code))
    if known is not None and known[0]() is code:
        return known[1]
    inner = (value for value in code.co_consts if isinstance(value, CodeType))
    found = tuple(dict.fromkeys((*code.co_names, *(name for x in inner for name in _names(x)))))
    key = id(code)
    _known_names[key] = weakref.ref(code, lambda _: _known_names.pop(key, None)), found
    return found


_known_names: dict[int, tuple[weakref.ref[CodeType], tuple[str, ...]]] = {}


def is_open(x: Any) -> bool:
    """Tell whether the attributes of an object may be looked at."""
    closed = isinstance(x, type | ModuleType | TensorLike | FunctionType)
    return not closed and not module_of(type(x)).startswith(CLOSED)


def is_users_class(x: Any) -> bool:
    """Tell whether something is a class of the user's, which has attributes of its own."""
    return isinstance(x, type) and not module_of(x).startswith(CLOSED)


def hides_items(x: Any) -> bool:
    """Tell whether an object has items that may be written, and that only code of C can look at."""
    return hasattr(base_of_c(x), "__setitem__") and not isinstance(x, _SEEN)


def base_of_c(x: Any) -> type:
    """Return what the class of an object is made of that no class statement made."""
    return next(kind for kind in type(x).__mro__ if kind.__flags__ & _OF_C)


_OF_C = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE, which no class statement sets
_SEEN = (list, dict, set, deque, bytearray, np.ndarray, np.flatiter, np.generic)


def own_dict(x: Any) -> Mapping[str, Any]:
    """Return the dictionary of an object or class; an empty one if it has none.

    A partial has none until it is asked for, and `partial` of one that has one is another object.
    """
    if type(x) is partial and x.__reduce__()[2][3] is None:
        return {}
    found = getattr(x, "__dict__", None)  # objects may answer to any name
    return found if isinstance(found, dict | MappingProxyType) else {}


def attributes_of(x: Any) -> list[tuple[str, Any]]:
    """Return the attributes that an object has of its own, in its dictionary or in slots.

    What `enum` keeps in a member, such as the inverse of a flag, says nothing new of it.
    """
    found = dict(own_dict(x))
    for kind in type(x).__mro__ if hasattr(type(x), "__slots__") else ():
        for name, slot in vars(kind).items():
            if isinstance(slot, MemberDescriptorType):
                with suppress(AttributeError):  # it holds nothing
                    found[name] = slot.__get__(x)
    if isinstance(x, Enum):
        found = {name: value for name, value in found.items() if not name.endswith("_")}
    return [item for item in found.items() if not item[0].startswith("__")]


def cells_of(function: FunctionType) -> list[tuple[str, CellType]]:
    """Return the variables around a function that it uses, with their names."""
    return list(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def _values_in_cells(function: FunctionType) -> Iterator[tuple[str, Any]]:
    is_ours = (function.__module__ or "").startswith(CLOSED)
    for name, cell in cells_of(function):
        try:
            value = cell.cell_contents
        except ValueError:  # an empty cell
            continue
        yield variable_of(value, name) if is_ours and type(value) in STAGED else name, value


def _defaults(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the defaults of a function's parameters, which are made once."""
    held, count = function.__defaults__ or (), function.__code__.co_argcount
    first = max(count - len(held), 0)
    yield from zip(function.__code__.co_varnames[first:count], held, strict=False)
    yield from (function.__kwdefaults__ or {}).items()


def class_attribute(kind: type, name: str) -> Any:
    """Return what a class has under a name that describes its instances' attribute, or None."""
    held = next((vars(x)[name] for x in kind.__mro__ if name in vars(x)), None)
    return held if hasattr(type(held), "__set__") else None
