"""Names of a driver: its local variables, which of them are free, and what is global.

Comes in: hints from the user's program, and what the text needs. Goes out: valid names that collide
with nothing, and the bindings of the global ones. It knows nothing of graphs.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from runtime.graph.reference import Reference
from runtime.lower.driver import Binding, known
from runtime.trees import Structure

RESERVED = frozenset({*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "failure", "run", "xp"})
_TEMPORARY = re.compile(r"[tc]\d+")


class Slots:
    """Slots of one plan. Temporaries (`t1`, `t2` ...) are given again when they are free."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._free: list[str] = []
        self._free_by_hint: dict[str, list[str]] = {}
        self._hints: dict[str, str] = {}
        self._count = 0
        self._constants = 0

    def take(self, hint: str | None = None) -> str:
        """Return a free slot, named after the hint where there is one."""
        if hint is not None and hint.isidentifier() and hint.isascii():
            return self._named(hint)
        return self._free.pop() if self._free else self.new()

    def new(self) -> str:
        """Return a slot that nothing else ever has."""
        self._count += 1
        return f"t{self._count}"

    def give(self, slot: str) -> None:
        """Take back a slot whose value is dead."""
        hint = self._hints.get(slot)
        if hint is None:
            self._free.append(slot)
        else:
            self._free_by_hint.setdefault(hint, []).append(slot)

    def constant(self) -> str:
        """Return a name for a constant."""
        self._constants += 1
        return f"c{self._constants}"

    def _named(self, hint: str) -> str:
        free = self._free_by_hint.get(hint)
        if free:
            return free.pop()
        plain = f"{hint}_" if hint in RESERVED or _TEMPORARY.fullmatch(hint) else hint
        name, number = plain, 1
        while name in self._used:
            number += 1
            name = f"{plain}_{number}"
        self._used.add(name)
        self._hints[name] = hint
        return name


def unique(name: str, taken: set[str]) -> str:
    """Return a name like the given one that is not taken."""
    plain = f"{name}_" if name in RESERVED and name != "xp" else name
    found, number = plain, 1
    while found in taken:
        number += 1
        found = f"{plain}_{number}"
    return found


class Names:
    """The global names of one driver.

    Args:
        taken: names that stand for something else; those that are given are added.
        constants: of the plan, by name.

    Attributes:
        bindings: what the names stand for, for each array module.
        calls: the names that stand for functions that call themselves, and what these are called.
    """

    def __init__(self, taken: set[str], constants: Mapping[str, Any]) -> None:
        self.taken = taken
        self.constants = constants
        self.bindings: dict[str, Binding] = {}
        self.calls: dict[str, str] = {}
        self._names: dict[Any, str] = {}

    def bind(self, name: str, binding: Binding, key: Any = None) -> str:
        """Return a global name for something, the same one for the same `key`."""
        key = name if key is None else key
        found = self._names.get(key)
        if found is None:
            found = unique(name, self.taken)
            self.taken.add(found)
            self._names[key] = found
            self.bindings[found] = binding
        return found

    def function(self, name: str) -> str:
        """Return the global name of a function that calls itself."""
        key = ("function of the graph", name)
        if key not in self._names:
            found = self._names[key] = unique(name, self.taken)
            self.taken.add(found)
            self.calls[found] = name
        return self._names[key]

    def literal(self, value: Any) -> str:
        """Return the text of an attribute; what has no literal, such as infinity, gets a name."""
        if type(value) is tuple:
            items = ", ".join(map(self.literal, value))
            return f"({items},)" if len(value) == 1 else f"({items})"
        if callable(value) or isinstance(getattr(value, "reference", value), Reference | Structure):
            return self.bind("function", known(value), key=("function", id(value)))
        text = repr(value)
        has_literal = not isinstance(value, np.generic) and "inf" not in text and "nan" not in text
        if has_literal or isinstance(value, str):
            return text
        return self.bind("number", known(value), key=("number", text))

    def constant(self, name: str) -> str:
        """Return the name of a constant."""
        value = self.constants[name]
        if name not in self.bindings:
            is_array = isinstance(value, np.ndarray)
            self.bindings[name] = lambda xp: xp.asarray(value) if is_array else value
        return name

    def xp(self) -> str:
        """Return the name of the array module."""
        return self.bind("xp", lambda xp: xp)
