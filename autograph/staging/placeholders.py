"""What stands in Python's object of a container whose items only the graph knows.

An option of a choice refers to such a container: it is not taken apart.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from typing import Any

from runtime import trees
from runtime.errors import StagedValueError
from runtime.graph.builder import Builder
from runtime.union import Reference


class Placeholder(ABC):
    """An item of such a container."""

    __slots__ = ()

    @abstractmethod
    def is_known(self, container: Any, builder: Builder) -> bool:
        """Tell whether a graph can refer to what a container holds, in which it stands."""


def by_reference(value: Any, builder: Builder) -> Any:
    """Return a value with references in the places of containers that hold placeholders.

    Raises:
        StagedValueError: one of them was made in a branch or a loop that has ended.
    """
    leaves, structure = trees.flatten_to(value, lambda x: _placeholder(x) is not None)
    found = [_placeholder(x) for x in leaves]
    for x, placeholder in zip(leaves, found, strict=True):
        if placeholder is not None and not placeholder.is_known(x, builder):
            raise StagedValueError(
                f"a {type(x).__name__} whose items are known only when the graph runs is made in "
                "one way through a branch, a loop or a try, and something else is left by another. "
                "Return it, or give the variable a value of one class on every way"
            )
    pairs = zip(leaves, found, strict=True)
    return trees.unflatten(structure, [x if y is None else Reference(x) for x, y in pairs])


def _placeholder(x: Any) -> Placeholder | None:
    found = next(iter(x), None) if isinstance(x, list | dict | deque) else None
    return found if isinstance(found, Placeholder) else None
