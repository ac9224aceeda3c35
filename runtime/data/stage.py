"""What a dataset is made of: stages, each of which gives elements, drawn from other stages.

    stage.__iter__()    elements, anew each time it is asked
    stage.length()      how many there are: an int, INFINITE, or None when that is not known
    stage.rows()        the same elements by numbers, if they are rows of arrays; else None

A stage knows no specs: who makes it knows that its elements have one.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple, TypeAlias

INFINITE = math.inf
Length = int | float | None


Declaration: TypeAlias = tuple[Callable[..., Any], Sequence[Any], dict[str, Any]]


class Rows(NamedTuple):
    """Elements that are rows of arrays.

    Attributes:
        numbers: of the rows, in the order of the elements.
        taken: returns the rows of some numbers, stacked.
    """

    numbers: Iterator[int]
    taken: Callable[[Sequence[int]], Any]


class Stage(ABC):
    """One stage of a dataset. Its classes are final, and none of them is changed once it is made.

    Attributes:
        is_stateless: of a class: whether one that is made anew is the same dataset.
        declared: the class, the stages and numbers that it was made of, and the options by name,
            if somebody has said so.
    """

    __slots__ = ("__weakref__", "declared")
    is_stateless: ClassVar[bool] = False
    declared: Declaration

    def declaration(self) -> Declaration | None:
        """Return what it can be made anew of; None if that would be another dataset."""
        found: Declaration | None = getattr(self, "declared", None)
        if found is None or not self.is_stateless:
            return None
        parts = (x for x in found[1] if isinstance(x, Stage))
        return found if all(x.declaration() is not None for x in parts) else None

    @abstractmethod
    def __iter__(self) -> Iterator[Any]:
        """Give the elements from the first one on."""

    @abstractmethod
    def length(self) -> Length:
        """Return how many elements there are, as far as that is known."""

    def rows(self) -> Rows | None:
        """Return the elements from the first one on as rows of arrays, where they are some."""
        return None


class Begun(Stage):
    """The elements that are left of another stage: each is given once, to whoever asks first."""

    __slots__ = ("_items",)

    def __init__(self, source: Stage) -> None:
        self._items = iter(source)

    def __iter__(self) -> Iterator[Any]:
        return self._items

    def __next__(self) -> Any:
        return next(self._items)

    def length(self) -> Length:
        return None
