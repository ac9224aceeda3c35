"""What Python asks of a value: `float(x)`, `bool(x)`, `operator.index(x)`.

A tensor or a known symbol answers as its array does. A staged value refuses, except where NumPy has
no answer either: then it raises what NumPy raises, which is no refusal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from runtime.active_tapes import RECORDERS
from runtime.errors import MutationError
from runtime.graph.location import Location, user_location
from runtime.subscripts import concrete
from runtime.tensor import value_error

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Departure:
    """A tensor was given, as plain numbers, to what no tape records.

    Args:
        place: where.
        is_number: whether as one number of Python's.
        function: the name of NumPy's function that it was given to, if it was.
    """

    place: Location | None
    is_number: bool
    function: str = ""


def array_of(self: Any, what: str) -> Any:
    """Return the array of a tensor or a known symbol; StagedValueError for a staged one."""
    array = concrete(self)
    if array is None:
        raise value_error(self, what)
    return array


def leaving(self: Any, what: str, is_number: bool = False) -> Any:
    """Return the array of a value, for what no tape records."""
    array = array_of(self, what)
    note_leaving([array], is_number)
    return array


def note_leaving(arrays: Sequence[Any], is_number: bool = False, function: str = "") -> None:
    """Note those of some arrays that tapes follow, which leave them."""
    for recorder in RECORDERS.active:
        for array in filter(recorder.follows, arrays):
            recorder.called([array], (), Departure(user_location(), is_number, function))


INEXACT = (float, complex)


def answer(self: Any, question: Callable[[Any], T], what: str) -> T:
    """Return what a number of Python's is made of a value; StagedValueError for a staged one."""
    if concrete(self) is None:
        raise_as_numpy(self, question)
    array = leaving(self, what, is_number=True) if question in INEXACT else array_of(self, what)
    return question(array)


def raise_as_numpy(self: Any, question: Callable[[Any], Any]) -> None:
    """Raise what NumPy raises whatever the elements are: that is no refusal."""
    spec = self.spec
    if spec.is_static and spec.dtype.kind in "biufc":
        array = np.broadcast_to(np.ones((), spec.dtype), spec.shape)
        question(array if array.ndim or self.is_cell else array.item() if spec.weak else array[()])


def refuse_cell(self: Any) -> None:
    """Raise MutationError for what NumPy may write in place or may not."""
    if self.spec.shape is None:
        reason = "with x += y NumPy writes an array, and replaces a number. Write x = x + y"
        raise MutationError(f"the number of dimensions ({self.spec}) is not known: {reason}")
