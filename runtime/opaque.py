"""Values of a graph that no spec describes: masked arrays, dates, arrays whose dtype values decide.

Such a value is an object of Python's when the graph runs. While tracing it stands for itself only:
whatever is done with it is a call in the graph (`runtime.numpy.opaque_calls`), in order, so that
what is written in place is written as in plain Python. Of its class is known what trials gave.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from runtime.dtypes import OBJECT
from runtime.spec import make_spec
from runtime.tensor import Places, Symbol
from runtime.tree_classes import register_tree

OPAQUE = make_spec(OBJECT, ())
"""The spec of what no spec describes."""

SOURCES = (np.random.RandomState, np.random.Generator, np.random.BitGenerator, random.Random)
"""Classes whose objects have a state that changes when they draw."""


class Samples:
    """Objects that an opaque value may be, one for each trial; equal for equal classes.

    Args:
        values: the objects; what is done with the value is tried with them.
        is_open: whether the trials had other sizes than the program.
        sizes: those of each trial; () for the program's own.
    """

    __slots__ = ("is_open", "kinds", "sizes", "values")

    def __init__(
        self, values: Sequence[Any], is_open: bool, sizes: Sequence[tuple[int, ...]] = ()
    ) -> None:
        self.is_open = is_open
        self.take(values, sizes)
        self.kinds = frozenset(map(type, values))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Samples) and self.kinds == other.kinds

    def __hash__(self) -> int:
        return hash(self.kinds)

    def take(self, values: Sequence[Any], sizes: Sequence[tuple[int, ...]] = ()) -> None:
        """Have these objects from now on."""
        self.values = list(values)
        self.sizes = list(sizes) or [()] * len(self.values)

    def of(self, sizes: tuple[int, ...]) -> Sequence[Any]:
        """Return those of the trials with some sizes; all, if there are none."""
        pairs = zip(self.values, self.sizes, strict=True)
        return [x for x, own in pairs if own == sizes] or self.values

    def __repr__(self) -> str:
        return " or ".join(sorted(kind.__name__ for kind in self.kinds))


class Opaque:
    """An object that is there when the graph runs.

    Args:
        symbol: it in the graph.
        samples: what it may be.
        of_mask: where the mask of a masked array may be; None where that is not known.
    """

    __slots__ = ("__weakref__", "_of_mask", "_samples", "_symbol")
    is_used: ClassVar[bool] = False

    def __init__(self, symbol: Symbol, samples: Samples, of_mask: Places | None = None) -> None:
        Opaque.is_used = True
        object.__setattr__(self, "_symbol", symbol)
        object.__setattr__(self, "_samples", samples)
        object.__setattr__(self, "_of_mask", of_mask)

    def __repr__(self) -> str:
        return f"<staged {self._samples!r}>"  # type: ignore[attr-defined]

    __hash__ = object.__hash__


def symbol_of(value: Opaque) -> Symbol:
    """Return the symbol of an opaque value."""
    return value._symbol  # type: ignore[attr-defined,no-any-return]


def samples_of(value: Opaque) -> Samples:
    """Return what an opaque value may be."""
    return value._samples  # type: ignore[attr-defined,no-any-return]


def places_of_mask(value: Opaque) -> Places | None:
    """Return where the mask of a masked array may be; None where that is not known."""
    return value._of_mask  # type: ignore[attr-defined,no-any-return]


def holds_opaque(value: Any) -> bool:
    """Tell whether anything in nested lists, tuples, dicts and slices is opaque.

    >>> holds_opaque([1, (2, {"k": slice(3)})])
    False
    """
    if type(value) is Opaque:
        return True
    if isinstance(value, list | tuple):
        return any(map(holds_opaque, value))
    if isinstance(value, Mapping):
        return any(map(holds_opaque, value.values()))
    if isinstance(value, slice):
        return any(map(holds_opaque, (value.start, value.stop, value.step)))
    return False


def _make(samples: Samples, children: Sequence[Any]) -> Any:
    """Return the value; when the graph has run, the object itself."""
    (held,) = children
    return Opaque(held, samples) if type(held) is Symbol else held


register_tree(Opaque, lambda x: ((x._symbol,), x._samples), _make)
