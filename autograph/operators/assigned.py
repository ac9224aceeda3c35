"""Variables that an arm or a body assigns through what it calls.

Converted code names the variables that it assigns itself. A method that it calls may assign
attributes of its object, and an inner function variables of the function around it: these are
found by looking before and after, and become part of the state.

Comes in: closures. Goes out: what can be reached from their variables, as slots that can be read
and written. Objects of NumPy and of the runtime are not looked into.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from dis import opmap
from functools import cached_property, partial
from itertools import islice, starmap
from types import BuiltinMethodType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from autograph.operators.lists.content import promote
from autograph.operators.lists.names import variable_of
from autograph.operators.lists.table import STAGED, ItemKind, lists_of, staged_list
from autograph.operators.state import Attribute, CellVariable, GlobalVariable, Held, State
from runtime import mode
from runtime.choice import Choice, objects_of
from runtime.control.copies import holds_for_tracing
from runtime.control.options import Named
from runtime.control.region import UNDEFINED
from runtime.errors import MutationError
from runtime.tensor import TensorLike

T = TypeVar("T")
MOST_OBJECTS = 2000
"""So many objects are looked at, and so many items of each; numbers and texts do not count."""
MOST_ATTEMPTS = 16
ENDS = (type, ModuleType, TensorLike, np.ndarray, np.generic, int, float, complex, str, bytes)
"""Classes of values that hold no variables."""
CLOSED = (
    "numpy",
    "runtime",
    "autograph.function",
    "autograph.operators",
    "autograph.source",
    "builtins",
)
"""Modules whose objects are not looked into."""


@holds_for_tracing
class Slot(NamedTuple):
    """A variable, what messages call it, and what it held."""

    name: str
    variable: Any
    before: Any


@holds_for_tracing
class Reached(NamedTuple):
    """An object that can be reached, and the way there, as messages call it."""

    path: str
    value: Any


@holds_for_tracing
class Grown(NamedTuple):
    """A list whose length was changed, what messages call it, and the kinds of its new items."""

    name: str
    python: Any
    kinds: Sequence[ItemKind]


class AssignedElsewhere(Exception):  # noqa: N818  (it is caught where it is made possible)
    """Variables were assigned, or lists changed, that are not part of the state."""

    def __init__(self, slots: Sequence[Slot], grown: Sequence[Grown] = ()) -> None:
        self.slots = slots
        self.grown = grown


def with_assigned(state: State, stage: Callable[[], T], attempts: int = MOST_ATTEMPTS) -> T:
    """Stage a statement; again with more state, as long as what it calls assigns more variables."""
    try:
        return stage()
    except AssignedElsewhere as found:
        if not attempts:
            name, *_ = found.slots[0] if found.slots else found.grown[0]
            raise MutationError(
                f"{name!r} is changed in a staged branch or loop that also makes the object "
                "anew: which object has it is known only when the graph runs. Make the object "
                "before, and assign its attributes"
            ) from None
        state.add([(slot.name, slot.variable) for slot in found.slots])
        lists = lists_of(mode.current())
        for one in found.grown:
            assert lists is not None
            state.remove_items(one.python)
            promote(lists, one.python, one.name, one.kinds)
    return with_assigned(state, stage, attempts - 1)


def changed_slots(slots: Sequence[Slot], objects: Sequence[Reached], state: State) -> list[Slot]:
    """Return the slots that hold something else now, and those that are new."""
    known = {slot.variable.key for slot in slots}
    new = (slot for slot in slots_of(objects) if slot.variable.key not in known)
    changed = [slot for slot in slots if slot.variable.read() is not slot.before]
    found = {slot.variable.key: slot for slot in changed}
    found.update((slot.variable.key, slot._replace(before=UNDEFINED)) for slot in new)
    return [slot for key, slot in found.items() if key not in state.keys]


def slots_of(objects: Sequence[Reached]) -> list[Slot]:
    """Return the variables that objects hold: attributes, cells of functions, globals they name."""
    return [slot for path, x in objects for slot in _slots(path, x)]


def _slots(path: str, x: Any) -> Iterator[Slot]:
    if isinstance(x, FunctionType):
        for name, cell in _cells(x):
            variable: Any = CellVariable(cell)
            yield Slot(name, variable, variable.read())
        for name in _global_names(x):
            variable = GlobalVariable(x.__globals__, name)
            yield Slot(name, variable, variable.read())
    elif _is_open(x):
        for name, value in _attributes(x):
            if not isinstance(getattr(type(x), name, None), cached_property):
                yield Slot(f"{path}.{name}", Attribute(Held(x), name), value)


def reachable(places: Sequence[Any], others: Sequence[tuple[str, Any]] = ()) -> list[Reached]:
    """Return what can be reached from closures' variables and other objects, with the way there."""
    found: dict[int, Reached] = {}
    functions = [place for place in places if isinstance(place, FunctionType)]
    todo = [
        *starmap(Reached, others),
        *(pair for function in functions for pair in _parts("", function)),
    ]
    while todo and len(found) < MOST_OBJECTS:
        one = todo.pop(0)
        if id(one.value) not in found and not isinstance(one.value, ENDS):
            found[id(one.value)] = one
            todo += islice(_parts(*one), MOST_OBJECTS)
    return list(found.values())


def _parts(path: str, x: Any) -> Iterator[Reached]:
    return starmap(Reached, _pairs(path, x))


def _pairs(path: str, x: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(x, MethodType):
        yield path.rpartition(".")[0] or path, x.__self__
    elif isinstance(x, FunctionType):
        yield from ((name, value) for name, value in _values_of_cells(x))
        yield from ((name, x.__globals__[name]) for name in _global_names(x))
    elif isinstance(x, BuiltinMethodType):  # of a list, say
        yield path, x.__self__
    elif isinstance(x, partial):
        yield from ((path, value) for value in (x.func, *x.args, *x.keywords.values()))
    elif staged_list(x) is not None:
        return
    elif isinstance(x, list | tuple):
        yield from ((f"{path}[{k}]", value) for k, value in enumerate(x))
    elif isinstance(x, dict):
        yield from ((f"{path}[{key!r}]", value) for key, value in x.items())
    elif type(x) is Choice:
        yield from ((path, value) for value in objects_of(x))
    elif type(x) is Named:
        yield x.name, x.value
    elif _is_open(x):
        yield from ((f"{path}.{name}", value) for name, value in _attributes(x))


def _global_names(function: FunctionType) -> list[str]:
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


def _is_open(x: Any) -> bool:
    closed = isinstance(x, type | ModuleType | TensorLike | FunctionType)
    return not closed and not type(x).__module__.startswith(CLOSED)


def _attributes(x: Any) -> list[tuple[str, Any]]:
    """Return the attributes that an object has of its own, in its dictionary or in slots."""
    found = dict(getattr(x, "__dict__", {}))
    slots = [name for kind in type(x).__mro__ for name in getattr(kind, "__slots__", ())]
    found.update((name, getattr(x, name)) for name in slots if hasattr(x, name))
    return [item for item in found.items() if not item[0].startswith("__")]


def _cells(function: FunctionType) -> list[tuple[str, CellType]]:
    return list(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def _values_of_cells(function: FunctionType) -> Iterator[tuple[str, Any]]:
    is_ours = (function.__module__ or "").startswith(CLOSED)
    for name, cell in _cells(function):
        value = CellVariable(cell).read()
        if value is not UNDEFINED:
            yield variable_of(value, name) if is_ours and type(value) in STAGED else name, value


_STORES = frozenset({opmap["STORE_DEREF"], opmap["STORE_GLOBAL"]})


def assigns(test: Callable[[], Any]) -> bool:
    """Tell whether a condition assigns variables around it, by `:=`, perhaps in an operand."""
    return isinstance(test, FunctionType) and _stores(test.__code__)


def _stores(code: CodeType) -> bool:
    inner = (value for value in code.co_consts if isinstance(value, CodeType))
    return not _STORES.isdisjoint(code.co_code[::2]) or any(map(_stores, inner))
