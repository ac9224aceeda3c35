"""What a graph refers to that is no data: variables, Python functions, exceptions of the user's.

    reference = "@" kind "(" name ["," number "," process] ")"

In a graph such a thing stands as it is, and has a `Reference` that is printed. A function or a
class that stands under its own name in a module is called so, `module:qualified name`, in every
process; everything else has a number that holds in the process that traced the graph, and is
refused in another one, by its name.

A text imports nothing, as that runs code: names are looked up in modules that are imported. And it
chooses no function: those that it may call are given by who reads it.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from itertools import count
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")
PROCESS = secrets.token_hex(8)
"""What tells this process, and its children, from others."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What is printed for a thing.

    Args:
        kind: what it is: a `variable`, a `function`, an `exception`.
        name: for people, and for every process if there is no number.
        number: of the thing in the process; None for what every process finds by its name.
        process: where the number holds.
    """

    kind: str
    name: str
    number: int | None
    process: str = ""

    @property
    def is_portable(self) -> bool:
        """Whether other processes find it."""
        return self.number is None

    def text(self, elide: bool) -> str:
        """Return how it is printed; without what is different in each process if `elide`."""
        own = "" if elide or self.number is None else f", {self.number}, {self.process!r}"
        return f"@{self.kind}({self.name!r}{own})"


class Table(Generic[T]):
    """The things of one kind that graphs refer to, as long as they are there.

    Args:
        kind: what they are.
        hint: what to do where one of another process is needed.
    """

    def __init__(self, kind: str, hint: str) -> None:
        self.kind = kind
        self.hint = hint
        self._found: WeakValueDictionary[int, Any] = WeakValueDictionary()
        self._numbers = count()

    def add(self, thing: T, name: str) -> Reference:
        """Return the reference of a new thing."""
        reference = Reference(self.kind, name, next(self._numbers), PROCESS)
        self._found[reference.number] = thing  # type: ignore[index]
        return reference

    def get(self, reference: Reference) -> T | None:
        """Return what a reference stands for; None when it is gone.

        RuntimeError when it is of another process.
        """
        if reference.number is None or reference.process != PROCESS:
            raise RuntimeError(
                f"this graph refers to the {self.kind} {reference.name!r} of the process that "
                f"traced it, and this is another process; {self.hint}"
            )
        return self._found.get(reference.number)


def portable_name(function: Callable[..., Any]) -> str | None:
    """Return the name under which every process finds a function, or None.

    >>> portable_name(portable_name)
    'runtime.graph.reference:portable_name'
    """
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    if not module or module == "__main__" or "<" in name:
        return None
    try:
        found = named(f"{module}:{name}")
    except LookupError:
        return None
    return f"{module}:{name}" if found is function else None


def named(name: str) -> Any:
    """Return what stands under a name in a module that is imported, such as `math:sin`.

    LookupError when there is no such module, or nothing of that name in it.
    """
    module, _, path = name.partition(":")
    if module not in sys.modules:  # what is read from a file imports nothing: that runs code
        raise LookupError(f"{name!r} is of a module; import {module} before")
    try:
        return reduce(lambda owner, step: vars(owner)[step], path.split("."), sys.modules[module])
    except (KeyError, TypeError):
        raise LookupError(f"{name!r} is not found: {module} has none") from None
