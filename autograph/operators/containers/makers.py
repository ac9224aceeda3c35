"""What makes empty containers: the containers of one store are made alike.

A `defaultdict(int)` and a `defaultdict(list)` are of one class, and of two makers.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from autograph.operators.containers.staged_tuple import StagedTuple


@dataclass(frozen=True, slots=True, eq=False)
class Empty:
    """Makes empty containers of a class, with what else one was given."""

    cls: type
    given: tuple[Any, ...] = ()

    def __call__(self) -> Any:
        return self.cls(*self.given)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Empty) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> Any:
        return self.cls, *map(_meaning, self.given)

    def __repr__(self) -> str:
        return f"a {self.cls.__name__}"

    @property
    def label(self) -> str:
        """What the names of stores say of it, in each trace: its class and what it is given."""
        told = (str(_shown(x)) for x in self.given if x not in ((), None))
        return " ".join([self.cls.__name__, *told])


def _shown(given: Any) -> Any:
    if type(given) is FunctionType:
        return f"{given.__qualname__} ({given.__code__.co_firstlineno})"
    return given if type(given) is int else getattr(given, "__qualname__", type(given).__qualname__)


def _meaning(given: Any) -> Any:
    """Return what functions have in common that do the same: those of one lambda do, say."""
    if type(given) is not FunctionType:
        return given
    held = [*(given.__closure__ or ()), *(given.__defaults__ or ())]
    return given.__code__, tuple(map(id, held))


EMPTY_LIST = Empty(list)
EMPTY_TUPLE = Empty(StagedTuple)


def empty_like(python: Any) -> Empty:
    """Return what makes an empty container of the class of another, with what else it was given."""
    if type(python) is defaultdict:
        return Empty(defaultdict, (python.default_factory,))
    if type(python) is deque:
        return Empty(deque, ((), python.maxlen))
    return EMPTY_LIST if type(python) is list else Empty(type(python))


def maker(store: Any) -> Empty:
    """Return what makes an empty container of a store that is known, or is not known yet."""
    return store if type(store) is Empty else store.make
