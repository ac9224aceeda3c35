"""The global names that the text of a driver uses, and what they stand for.

Comes in: what the text needs. Goes out: names that no slot has, and the bindings of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from runtime.graph.reference import Reference
from runtime.lower.driver import Binding, known
from runtime.lower.slots import unique
from runtime.trees import Structure


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
