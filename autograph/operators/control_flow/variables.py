"""Where the variables of a state live: a cell, a module, an object or a container."""

from __future__ import annotations

from types import CellType
from typing import Any

from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.mutation.reachable_objects import class_attribute, is_open
from autograph.operators.objects.special_methods import accessors_of, described
from autograph.staging.copies import holds_for_tracing
from autograph.staging.region import UNDEFINED
from runtime.errors import AttributeName


class CellVariable:
    """A local variable of the function around the closures."""

    __slots__ = ("cell",)

    def __init__(self, cell: CellType) -> None:
        self.cell = cell

    @property
    def key(self) -> tuple[Any, ...]:
        """What variables that are the same have in common."""
        return "cell", id(self.cell)

    def read(self) -> Any:
        try:
            return self.cell.cell_contents
        except ValueError:  # an empty cell: the variable has no value
            return UNDEFINED

    def write(self, value: Any) -> None:
        if value is not UNDEFINED:
            self.cell.cell_contents = value
        elif self.read() is not UNDEFINED:
            del self.cell.cell_contents


class GlobalVariable:
    """A variable of a module."""

    __slots__ = ("name", "namespace")

    def __init__(self, namespace: dict[str, Any], name: str) -> None:
        self.namespace = namespace
        self.name = name

    @property
    def key(self) -> tuple[Any, ...]:
        """What variables that are the same have in common."""
        return "global", id(self.namespace), self.name

    def read(self) -> Any:
        return self.namespace.get(self.name, UNDEFINED)

    def write(self, value: Any) -> None:
        if value is not UNDEFINED:
            self.namespace[self.name] = value
        else:
            self.namespace.pop(self.name, None)


class Attribute:
    """An attribute of an object that a variable holds."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: Any, name: str) -> None:
        self.owner = owner
        self.name = name

    @property
    def key(self) -> tuple[Any, ...]:
        """What variables that are the same have in common."""
        return "attribute", id(self.owner.read()), self.name

    def read(self) -> Any:
        owner = self.owner.read()
        if owner is UNDEFINED:
            return UNDEFINED
        held = getattr(owner, "__dict__", {})
        if self.name in held:
            return held[self.name]
        reading = accessors_of(type(owner)).reading
        is_by_code = self.name in reading or (
            "__getattr__" in reading and described(type(owner).__mro__, self.name) is None
        )
        return UNDEFINED if is_by_code else getattr(owner, self.name, UNDEFINED)

    def write(self, value: Any) -> None:
        owner = self.owner.read()
        if value is not UNDEFINED:
            if self.read() is not value:
                _store(owner, self.name, value)
        elif self.name in (held := getattr(owner, "__dict__", {})) and is_open(owner):
            del held[self.name]
        elif self.read() is not UNDEFINED:
            delattr(owner, self.name)


def _store(owner: Any, name: str, value: Any) -> None:
    """Give an object an attribute, where that is stored: no code of its class runs."""
    if is_open(owner) and class_attribute(type(owner), name) is None and hasattr(owner, "__dict__"):
        owner.__dict__[name] = value
    else:
        object.__setattr__(owner, name, value) if is_open(owner) else setattr(owner, name, value)


@holds_for_tracing
class Item:
    """An item of a list or dict."""

    __slots__ = ("container", "index")

    def __init__(self, container: Any, index: Any) -> None:
        self.container = container
        self.index = index

    @property
    def key(self) -> tuple[Any, ...]:
        """What variables that are the same have in common."""
        return "item", id(self.container), self.index

    def read(self) -> Any:
        """What it holds; nothing where the container was staged as a whole, which holds it then."""
        return UNDEFINED if staged_list(self.container) is not None else self.container[self.index]

    def write(self, value: Any) -> None:
        if self.container[self.index] is not value:
            self.container[self.index] = value


@holds_for_tracing
class Held:
    """An object in the place of a variable that holds it."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def read(self) -> Any:
        return self.value


def called(name: str, variable: Any) -> str:
    """Return what messages call a variable; for an attribute, with what it is of."""
    if not isinstance(variable, Attribute):
        return name
    return AttributeName(name, type(variable.owner.read()).__name__, variable.name)
