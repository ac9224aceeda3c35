"""What a function can reach before it is traced, and what of that holds something else afterwards.

Converted code records what it writes. Other code cannot: generators, and methods that Python's own
code or a library calls. So a trace looks at what there is before and after it.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Container, Iterator, Sequence
from functools import partial
from types import FrameType, FunctionType
from typing import Any, NamedTuple

from autograph.operators.calls.conversion_rules import module_of
from autograph.operators.containers.staged_containers import fill, staged_list
from autograph.operators.keyed.set_layout import KeptSet
from autograph.operators.mutation.callees import (
    MISSING,
    cells_in,
    functions_of,
    is_users,
    read_cell,
)
from autograph.operators.mutation.journal import is_same
from autograph.operators.mutation.reachable_objects import (
    ENDS,
    Reached,
    attributes_of,
    base_of_c,
    global_names,
    is_open,
    reachable,
)

CHANGING = (list, dict, set, deque)
"""Classes of containers that can be changed."""


class Namespace(NamedTuple):
    """Variables by name: globals, attributes of an object, a class or a function, a dict's items.

    Args:
        form: what messages call one of them, to be formatted with its name.
        owner: whose attributes they are; None of others.
        held: the dictionary that they are in, or a view of it; None if they are in slots.
        before: a copy of it.
    """

    form: str
    owner: Any
    held: Any
    before: dict[Any, Any]

    @classmethod
    def of(cls, path: str, owner: Any) -> Namespace:
        """Return the attributes of an object."""
        held = None if type(owner) is partial else getattr(owner, "__dict__", None)
        is_whole = held is not None and not hasattr(type(owner), "__slots__")
        before = dict(held or {}) if is_whole else dict(attributes_of(owner))
        return cls(f"{path}.{{}}", owner, held if is_whole else None, before)

    def changed(self) -> Iterator[tuple[Any, Any]]:
        """Yield the names that hold something else than before, and that; MISSING if it is gone."""
        held = dict(attributes_of(self.owner)) if self.held is None else self.held
        for name, value in list(held.items()):
            if value is not self.before.get(name, MISSING):
                yield name, value
        if len(held) < len(self.before) or any(name not in held for name in self.before):
            yield from ((name, MISSING) for name in self.before if name not in held)

    def put_back(self, name: Any) -> None:
        """Give a variable back what it held."""
        is_new = name not in self.before
        if self.owner is None and is_new:
            del self.held[name]
        elif self.owner is None:
            self.held[name] = self.before[name]
        elif is_new:
            _set(self.owner).__delattr__(self.owner, name)
        else:
            _set(self.owner).__setattr__(self.owner, name, self.before[name])


def _set(owner: Any) -> Any:
    """Return the class by which attributes are set, whatever the user's class does then."""
    return base_of_c(owner)


class Snapshot:
    """What functions and objects can reach, and what that holds.

    Args:
        functions: a function, and those of the user's that it may call.
        around: objects that it can reach, by the names that the user gives them.

    Attributes:
        namespaces: the variables that have names there.
        dicts: the same of the dicts among the containers.
        cells: the variables around functions, with their names and what they hold.
        containers: the containers, with their names and what they hold.
        owners: the objects, classes and containers, by id.
    """

    def __init__(
        self, functions: Sequence[FunctionType], around: Sequence[tuple[str, Any]]
    ) -> None:
        functions, found, classes = _reach(functions, around)
        cells = {id(pair[1]): pair for x in functions for pair in cells_in(x)}
        self.cells = [(*pair, read_cell(pair[1])) for pair in cells.values()]
        spaces = {id(x.__globals__): x.__globals__ for x in functions}
        self.namespaces = [Namespace("{}", None, x, dict(x)) for x in spaces.values()]
        self.namespaces += [Namespace.of(x.value.__name__, x.value) for x in classes]
        self.namespaces += [Namespace.of(x.__name__, x) for x in functions if x.__dict__]
        self.namespaces += [Namespace.of(*x) for x in found if is_open(x.value)]
        dicts = [x for x in found if isinstance(x.value, dict)]
        self.dicts = [Namespace(f"{name}[{{!r}}]", None, x, dict(x)) for name, x in dicts]
        changing = [x for x in found if isinstance(x.value, CHANGING)]
        self.containers = [(*x, _items(x.value)) for x in changing]
        self.owners = {id(x.value): x for x in (*found, *classes)}
        self._left: dict[int, Any] = {}

    def forget(self, values: Container[int]) -> None:
        """Look no more at some containers, by id."""
        self.owners = {key: x for key, x in self.owners.items() if key not in values}
        self.containers = [x for x in self.containers if id(x[1]) not in values]

    def leave(self, values: Sequence[Any]) -> None:
        """Do not tell of what can be reached from some values."""
        self._left |= {id(x): x for x in values if not isinstance(x, ENDS)}

    @property
    def is_left(self) -> bool:
        """Whether there is anything of which is not told."""
        return bool(self._left)

    def changed(self, but: Container[int] = ()) -> Iterator[str]:
        """Yield the names of what holds something else, but for some containers, by id."""
        staged = {id(x) for _, x, _ in self.containers if staged_list(x) is not None}
        return (name for name, _ in self._changes(but, staged))

    def put_back(self) -> bool:
        """Give everything back what it held; tell whether that is so.

        Where another thread runs the same program, nobody knows whose change it is.
        """
        changes = list(self._changes())
        is_known = not changes or not self._is_shared()
        for _, put_back in changes if is_known else ():
            put_back()
        return is_known

    def _is_shared(self) -> bool:
        """Tell whether another thread runs code of the modules of the functions."""
        spaces = {id(x.held) for x in self.namespaces}
        here = threading.get_ident()
        others = (x for thread, x in sys._current_frames().items() if thread != here)
        return any(id(x.f_globals) in spaces for frame in others for x in _frames(frame))

    def _changes(self, *but: Container[int]) -> Iterator[tuple[str, Callable[[], object]]]:
        """Yield the names of what holds something else, each with what gives that back."""
        functions, left = self._reached_from_left()
        names = {name for x in functions for name in global_names(x)}
        for name, x, before in self.containers:
            if not any(id(x) in ids for ids in (left, *but)) and not is_same(x, before):
                yield name, partial(fill, x, before)
        for space in self.namespaces:
            not_own = names if space.owner is None else ()
            for name, _ in () if id(space.owner) in left else space.changed():
                if _is_own(name) and name not in not_own:
                    yield space.form.format(name), partial(space.put_back, name)
        for name, cell, before in self.cells:
            if read_cell(cell) is not before and id(cell) not in left:
                yield name, partial(put_back_cell, cell, before)

    def _reached_from_left(self) -> tuple[list[FunctionType], set[int]]:
        if not self._left:
            return [], set()
        functions, _ = functions_of(*self._left.values())
        functions, found, classes = _reach(functions, [("", x) for x in self._left.values()])
        cells = (id(cell) for x in functions for _, cell in cells_in(x))
        return functions, {*cells, *map(id, functions), *(id(x.value) for x in (*found, *classes))}


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def put_back_cell(cell: Any, before: Any) -> None:
    """Give a variable around a function back what it held."""
    now = read_cell(cell)
    if before is not MISSING:
        cell.cell_contents = before
    elif now is not MISSING:
        del cell.cell_contents


def _is_own(name: Any) -> bool:
    """Tell whether a name is one of the program's: Python itself sets some with underscores."""
    return not (isinstance(name, str) and name.startswith("__"))


def _reach(
    functions: Sequence[FunctionType], around: Sequence[tuple[str, Any]]
) -> tuple[list[FunctionType], list[Reached], list[Reached]]:
    """Return functions that may run, the objects that they can reach, and the classes of these."""
    classes: dict[int, Reached] = {}
    callees: dict[int, Any] = {}
    while True:
        held, _ = functions_of(*functions, *callees.values())
        found = reachable(held, around)
        named = [x for f in held for x in _named_classes(f)]
        named += [Reached(base.__name__, base) for x in found for base in type(x.value).__mro__]
        named += [Reached(base.__name__, base) for x in named for base in type(x.value).__mro__]
        new = [x for x in named if id(x.value) not in classes and _is_of_the_program(x.value)]
        called = [y for x in new for y in vars(x.value).values()]
        called += [x.value for x in found if isinstance(x.value, FunctionType)]
        called = [x for x in called if id(x) not in callees]
        if not new and not called:
            return held, found, list(classes.values())
        classes |= {id(x.value): x for x in new}
        callees |= {id(x): x for x in called}


def _is_of_the_program(x: Any) -> bool:
    """Tell whether something is a class of the user's, and no layer of ours."""
    return is_users(x) and not module_of(x).startswith("autograph.")


def _named_classes(function: FunctionType) -> Iterator[Reached]:
    for name, cell in cells_in(function):
        yield Reached(name, read_cell(cell))
    for name in global_names(function):
        yield Reached(name, function.__globals__[name])


def _items(x: Any) -> Any:
    """Return what a container holds, without what its class may do on a copy."""
    if isinstance(x, set):
        return KeptSet(x)
    return dict(x) if isinstance(x, dict) else list(x)
