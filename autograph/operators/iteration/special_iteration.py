"""Iteration over objects of the user's classes: by `__iter__`, `__next__`, `__getitem__`.

What `__iter__` gives is gone over in the place of the object; where it is a generator, it takes
the path of generators. A `__next__` is Python's own, and runs while tracing, until it asks for the
truth of a staged value, or the loop is ended by one: then it is a loop over calls of it, converted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph.operators import table
from autograph.operators.builtins import decompositions
from autograph.operators.containers.generator_restarts import GeneratorsNeeded
from autograph.operators.iteration.generators import Generator, staged_generator
from autograph.operators.iteration.iterator_state import generators_now
from autograph.operators.iteration.protocol import StagedIterator
from autograph.operators.iteration.staged_iterables import part_of
from autograph.operators.iteration.taken_items import Taken
from autograph.operators.mutation.journal import taken
from autograph.operators.mutation.recorded_calls import record_given
from autograph.operators.objects.special_methods import method_of, special
from autograph.staging.context import journal_now
from runtime import default_graph
from runtime.errors import StagedBoolError
from runtime.tensor import Symbol

_PLAIN = frozenset({list, tuple, dict, set, range, str, np.ndarray, Symbol, Generator})
"""Classes of most iterables, which are none of the user's."""


def is_gone_over(value: Any) -> bool:
    """Tell whether a value is an iterator, or is gone over by methods of the user's."""
    kind = type(value)
    name = "__iter__" if hasattr(kind, "__iter__") else "__getitem__"
    return hasattr(kind, "__next__") or method_of(kind, name) is not None


def iterated(value: Any) -> Any:
    """Return what is gone over in the place of an object of the user's; else the value."""
    kind = type(value)
    if kind in _PLAIN or default_graph.current() is None:
        return value
    taken(value)
    method = special(value, "__iter__")
    if method is not None:
        found = table.operators.call(method)
        if not hasattr(type(found), "__next__"):
            raise TypeError(f"iter() returned non-iterator of type {type(found).__name__!r}")
        is_code = special(found, "__next__") or special(found, "__iter__")
        return _steps_of(found, decompositions.steps) if is_code else found
    if method_of(kind, "__getitem__") is None or hasattr(kind, "__iter__"):
        return value
    return _steps_of(value, decompositions.items_by_index)


def _steps_of(source: Any, recipe: Callable[..., Iterator[Any]]) -> Any:
    """Return the items that an object of the user's gives one after the other."""
    kind = type(source)
    if kind in generators_now():
        found = staged_generator(recipe)(source)  # type: ignore[arg-type]
        assert isinstance(found, Generator)
        return found.named(kind.__name__, lambda: recipe(source))
    journal = journal_now()
    if journal is not None:
        record_given(journal, (source,))
    items = Taken(_plain_steps(source, recipe), part_of)
    items.outside, items.others, items.is_in_order = (kind,), frozenset({kind}), True
    return StagedIterator(kind.__name__, items)


def _plain_steps(source: Any, recipe: Callable[..., Iterator[Any]]) -> Iterator[Any]:
    """Yield the items by Python's own calls, which may ask for no staged truth."""
    try:
        yield from recipe(source)
    except StagedBoolError:
        raise GeneratorsNeeded([type(source)]) from None
