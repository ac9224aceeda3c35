"""Iterables, and the items that a loop finds in them.

A class of iterables that the graph can go over has the method `__staged_iteration__`, which returns
its `Items`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.builtins.texts import is_asked
from autograph.operators.builtins.type_queries import not_iterable
from autograph.operators.containers.access import items_over
from autograph.operators.containers.staged_containers import STAGED, staged_list
from autograph.operators.control_flow.active_mask import for_all
from autograph.operators.control_flow.hints import NO_OPTIONS, Options
from autograph.operators.iteration.iterator_adapters import Changed, Drawn
from autograph.operators.iteration.keyed_items import is_keyed, keyed_items
from autograph.operators.iteration.known_columns import indexable, iteration_over
from autograph.operators.iteration.protocol import Sequenced, StagedIterator
from autograph.operators.iteration.staged_range import ZERO_STEP, StagedRange
from autograph.operators.iteration.taken_items import Taken
from autograph.operators.objects.special_methods import has_methods
from autograph.staging.for_loop import Items, Iteration
from runtime import default_graph
from runtime.dispatch import apply
from runtime.errors import StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.tensor import Symbol, is_staged, value_now
from runtime.text_methods import as_text, is_text
from runtime.texts import StagedText


def staged_items(iterable: Any) -> Items | None:
    """Return what a loop of the graph goes over, or None when Python's own loop serves."""
    if default_graph.current() is None:
        return None
    if type(iterable) is not StagedText:
        iterable = value_now(iterable)
    if type(iterable) is Symbol:
        return _over_array(iterable) if is_staged(iterable) else None
    staged = staged_list(iterable)
    if staged is not None:
        return items_over(staged)
    method = getattr(type(iterable), "__staged_iteration__", None)
    return method(iterable) if method is not None else None


def iteration_of(iterable: Any) -> Iteration:
    """Return all items of an iterable that is staged, and use them up if that is an iterator."""
    if type(iterable) is StagedIterator:
        items = iterable.items.in_graph()
        found = None if items is None else iterable.rest(items)
        iterable.finish()
    else:
        items = staged_items(iterable)
        found = None if items is None else items.counted()
    if found is None:
        raise StagedValueError(
            "the number of elements of a dataset, or of an iterator over another one, is not "
            "known, and they are given one after the other, so only a `for` loop over it, or over "
            "enumerate, zip or map of it, can be part of the graph; for a sum or a maximum of a "
            "dataset write dataset.reduce(start, function)"
        )
    return found


_SEQUENCES = frozenset({list, tuple, range, str, bytes})
_COLLECTIONS = frozenset({frozenset, bytearray, np.ndarray})


def items_of(iterable: Any) -> Items:
    """Return the items of anything; those of an iterator are drawn from it."""
    if type(iterable) is StagedIterator:
        return Drawn(iterable)
    items = staged_items(iterable)
    if items is not None:
        return items
    if type(iterable) in _SEQUENCES:
        return Sequenced(iterable, part_of)
    if type(iterable) in (np.ndarray, Symbol) and iterable.shape:
        return Sequenced(iterable, part_of)
    if is_keyed(iterable):
        return keyed_items(iterable, part_of)
    return Taken(iter(iterable), part_of, [iterable])


def iterator_over(iterable: Any) -> Any:
    """Return what `iter` gives for an iterable while a function is traced."""
    if type(iterable) is StagedIterator:
        return iterable
    items = staged_items(iterable)
    kind = type(iterable)
    is_known = kind in _SEQUENCES or kind in _COLLECTIONS or is_keyed(iterable)
    if items is None and is_known:
        items = items_of(iterable)
    return iter(iterable) if items is None or items.is_in_order else StagedIterator("iter", items)


def loop_over(iterable: Any, options: Options) -> tuple[StagedIterator | None, Any]:
    """Return how a loop of which something is said goes over an iterable.

    Args:
        iterable: what it goes over.
        options: what is said of it.

    Returns:
        an iterator for a loop of the graph, or None and an iterable for a loop of Python.

    Raises:
        StagedValueError: it cannot go over it as it is told to.
    """
    if type(iterable) is StagedIterator:
        if is_staged_iterable(iterable) and not options.is_unrolled:
            return iterable, iterable
        if has_no_length(iterable):
            options.refuse_staging("loop", "an iterator")
        if options is NO_OPTIONS:
            return None, iterable
        return None, _limited(Taken(iterable, part_of, [iterable]), options)
    items = staged_items(iterable)
    if items is None and not options.is_forced:
        return None, iterable if options is NO_OPTIONS else _limited(items_of(iterable), options)
    if items is None:
        items = part_of(iterable)
        if items is None:
            raise StagedValueError(
                f"{options.what('loop')} is to be part of the graph, and it goes over a "
                f"{type(iterable).__name__}. The graph can go over arrays, ranges, and lists and "
                "tuples of numbers of one type; take the hint away to unroll it"
            )
    iteration = items.counted()
    length = None if iteration is None else iteration.length
    if length is None:
        spec = "a dataset" if iteration is None else iteration.count.spec
        options.refuse_staging("loop", spec)
    if iteration is None or length is None or options.is_forced or not options.is_unrolled:
        return StagedIterator("for", items, is_held=False), iterable
    return None, _limited(Taken(map(iteration.item, range(length)), part_of), options)


def _limited(items: Items, options: Options) -> StagedIterator:
    """Return an iterator for a loop of Python's; RuntimeError when there are too many rounds."""

    def checked(index: Any, item: Any) -> Any:
        options.check_round(index)
        return item

    return StagedIterator("for", Changed(items, checked), is_held=False)


def is_staged_iterable(iterable: Any) -> bool:
    """Tell whether a loop over an iterable is one of the graph, and use nothing up."""
    kind = type(iterable)
    if kind in STAGED:
        return staged_list(iterable) is not None
    if kind in _OF_PYTHON or default_graph.current() is None:
        return False
    if kind is StagedIterator:
        return bool(iterable.items.is_staged)
    return is_staged(iterable) if kind is Symbol else hasattr(kind, "__staged_iteration__")


_OF_PYTHON = frozenset({tuple, range, str, np.ndarray})


def has_no_length(iterable: Any) -> bool:
    """Tell whether the graph can go over something that Python cannot."""
    if type(iterable) is StagedIterator:
        return is_left(iterable) or _length_of(iterable.items) is None
    if not is_staged_iterable(iterable):
        return False
    if is_staged(iterable):
        shape = iterable.spec.shape
        return shape is None or (shape != () and not isinstance(shape[0], int))
    return True


def _length_of(items: Items) -> int | None:
    if not items.is_staged:
        return 0
    found = items.counted()
    return None if found is None else found.length


def is_left(value: Any) -> bool:
    """Tell whether only the graph knows how far an iterator has come."""
    return type(value) is StagedIterator and not value.is_known


_COMPARED = frozenset({Symbol, StagedText, tuple})


def is_plain_row(values: Any) -> bool:
    """Tell whether a value is a list or a tuple of items that Python compares and adds itself."""
    if type(values) is not list and type(values) is not tuple:
        return False
    kinds = set(map(type, values))
    is_plain = kinds.isdisjoint(_COMPARED) and staged_list(values) is None
    if is_plain and not kinds.isdisjoint(STAGED):
        is_plain = not any(map(is_asked, values))
    return is_plain and not any(map(has_methods, kinds))


def _over_array(array: Any) -> Any:
    if is_text(array):
        return staged_items(as_text(array))
    if array.spec.shape == ():
        error = not_iterable(array)
        raise type(error)(
            f"{error}: a `for` loop needs an array with at least one dimension, not {array.spec}; "
            "to count up to a staged number write range(n)"
        )
    return Iteration(array.shape[0], (array,), lambda index, elements: elements[0])


def rounds_of(iterable: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Return what tells by the number of a round whether there is one, and its item.

    Args:
        iterable: one that is staged; a range may have bounds that differ from element to element.
    """
    if type(iterable) is not StagedRange:
        iteration = iteration_of(iterable)
        return iteration.has, iteration.item
    step, stop = iterable.step, iterable.stop

    def goes_on(number: Any) -> Any:
        reached = iterable.element(number, ())
        if not is_staged(step):
            return reached < stop if step > 0 else reached > stop
        apply(REGISTRY["check"], [for_all(step != 0)], **ZERO_STEP)
        return ((step > 0) & (reached < stop)) | ((step < 0) & (reached > stop))

    return goes_on, lambda number: iterable.element(number, ())


def part_of(iterable: Any) -> Items | None:
    """Return the items of a sequence as a part of the graph; None where that cannot hold them."""
    items = staged_items(iterable)
    if items is not None:
        return items
    if isinstance(iterable, range):
        return Iteration(
            len(iterable), (), StagedRange(iterable.start, iterable.stop, iterable.step).element
        )
    shape: Any = getattr(iterable, "shape", ())
    if isinstance(iterable, Symbol | np.ndarray) and shape != ():
        values = indexable(iterable)
        return Iteration(values.shape[0], (values,), lambda index, elements: elements[0])
    return iteration_over(iterable) if type(iterable) in (list, tuple) else None
