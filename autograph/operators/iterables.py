"""Iterables that a staged `for` can go over.

A class is one when it has the method `__staged_iteration__`, which returns an `Iteration`, or a
`Stream`, whose elements are only given one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph.operators.conditionals import if_exp
from autograph.operators.hints import Options
from autograph.operators.iterations import together, without_first
from autograph.operators.kinds import not_iterable
from autograph.operators.lists.reading import iteration_over
from autograph.operators.lists.table import STAGED, need_lists, staged_list
from autograph.operators.masks import for_all
from autograph.operators.streams import Stream, Together
from runtime import mode
from runtime.control.iteration import Iteration
from runtime.dispatch import apply, as_known
from runtime.dtypes import WEAK_DTYPES
from runtime.errors import StagedLengthError, StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.numpy import asarray
from runtime.tensor import Symbol, is_staged, value_now
from runtime.text_methods import as_text, is_text
from runtime.texts import StagedText


def iteration_of(iterable: Any) -> Any:
    """Return how a staged loop goes over an iterable, or None when Python's own loop serves."""
    if mode.current() is None:
        return None
    if type(iterable) is not StagedText:
        iterable = value_now(iterable)
    if type(iterable) is Symbol:
        return _over_array(iterable) if is_staged(iterable) else None
    staged = staged_list(iterable)
    if staged is not None:
        return iteration_over(staged)
    method = getattr(type(iterable), "__staged_iteration__", None)
    return method(iterable) if method is not None else None


def iteration_with(iterable: Any, options: Options) -> tuple[Iteration | Stream | None, Any]:
    """Return how a loop of which something is said goes over an iterable.

    Args:
        iterable: what it goes over.
        options: what is said of it.

    Returns:
        an iteration for a loop of the graph, or None and an iterable for a loop of Python.

    Raises:
        StagedValueError: it cannot go over it as it is told to.
    """
    iteration = iteration_of(iterable)
    if iteration is None and not options.is_forced:
        return None, options.limited(iterable)
    if iteration is None:
        iteration = _part(iterable)
        if iteration is None:
            raise StagedValueError(
                f"{options.what('loop')} is to be part of the graph, and it goes over a "
                f"{type(iterable).__name__}. The graph can go over arrays, ranges, and lists and "
                "tuples of numbers of one type; take the hint away to unroll it"
            )
    if iteration.length is None:
        is_stream = isinstance(iteration, Stream)
        options.refuse_staging("loop", "a dataset" if is_stream else iteration.count.spec)
    if iteration.length is None or options.is_forced or not options.is_unrolled:
        return iteration, iterable
    items = map(iteration.item, range(iteration.length))
    return None, options.limited(items)


def is_staged_iterable(iterable: Any) -> bool:
    """Tell whether there is an `Iteration` of an iterable, and use nothing up."""
    kind = type(iterable)
    if kind in STAGED:
        return staged_list(iterable) is not None
    if kind in _OF_PYTHON or mode.current() is None:
        return False
    return is_staged(iterable) if kind is Symbol else hasattr(kind, "__staged_iteration__")


_OF_PYTHON = frozenset({tuple, range, str, np.ndarray})


def has_no_length(iterable: Any) -> bool:
    """Tell whether the graph can go over something that Python cannot."""
    if not is_staged_iterable(iterable):
        return False
    if is_staged(iterable):
        shape = iterable.spec.shape
        return shape is None or (shape != () and not isinstance(shape[0], int))
    return type(iterable) is not StagedIterator or iterable.length is None


def is_plain_iterable(iterable: Any) -> bool:
    """Tell whether Python's own loop goes over something."""
    return not is_staged_iterable(iterable)


_COMPARED = frozenset({Symbol, StagedText, tuple})

ITERABLES = frozenset({list, tuple, range, dict, set, frozenset, str, bytes, enumerate, zip, map})
"""Classes of plain iterables."""


def is_plain_row(values: Any) -> bool:
    """Tell whether a value is a list or a tuple without staged items, and without tuples."""
    if type(values) is not list and type(values) is not tuple:
        return False
    return _COMPARED.isdisjoint(map(type, values)) and staged_list(values) is None


def _over_array(array: Any) -> Any:
    if is_text(array):
        return iteration_of(as_text(array))
    if array.spec.shape == ():
        error = not_iterable(array)
        raise type(error)(
            f"{error}: a `for` loop needs an array with at least one dimension, not {array.spec}; "
            "to count up to a staged number write range(n)"
        )
    return Iteration(array.shape[0], (array,), lambda index, elements: elements[0])


class StagedIterator:
    """What `enumerate`, `zip`, `map` and `reversed` give for something staged: good for one use.

    Args:
        name: the builtin that made it, for messages.
        over: how a loop goes over it.
    """

    def __init__(self, name: str, over: Iteration | Stream) -> None:
        self._name = name
        self._over = over
        self._taken = 0
        self._builder = mode.current()
        self._is_used = False

    @property
    def length(self) -> int | None:
        """How many items there are; None where only the graph knows."""
        return self._over.length

    def __staged_iteration__(self) -> Iteration | Stream:
        if self._is_used or mode.current() is not self._builder:
            raise StagedValueError(
                f"{self._name}(...) gives its items once, in order, and a loop over it was staged "
                f"before, or stands in another loop or branch than the call. Call {self._name}() "
                "where the loop is"
            )
        self._is_used = True
        if self._taken and isinstance(self._over, Iteration):
            return without_first(self._over, self._taken)
        return self._over

    def __iter__(self) -> StagedIterator:
        return self

    def __next__(self) -> Any:
        if self._over.length is None:
            raise StagedLengthError(
                f"the items of {self._name}(...) were asked for one by one, and how many there are "
                "is known only when the graph runs; write a `for` loop over it"
            )
        if self._is_used or self._taken >= self._over.length:
            self._is_used = True
            raise StopIteration
        self._taken += 1
        return self._over.item(self._taken - 1)


class StagedRange:
    """`range` with staged bounds.

    Args:
        start: the first element.
        stop: where it ends, exclusively.
        step: the distance of two elements; not 0.
    """

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.start = start
        self.stop = stop
        self.step = step

    def __len__(self) -> int:
        raise TypeError("the length of range() with staged bounds is staged; compute it from them")

    def __iter__(self) -> Iterator[Any]:
        need_lists()
        raise TypeError(
            "range() with staged bounds has no items while tracing; write a `for` loop over it, or "
            "np.arange() for an array of them"
        )

    def count(self) -> Any:
        """Return the number of elements, as a staged integer."""
        if is_staged(self.step):
            apply(REGISTRY["check"], [self.step != 0], **_ZERO_STEP)
        if is_staged(self.step):
            rounding = self.step - (self.step > 0) + (self.step < 0)
        else:
            rounding = self.step - (1 if self.step > 0 else -1)
        count = apply(REGISTRY["to_int"], [(self.stop - self.start + rounding) // self.step])
        return if_exp(count > 0, lambda: count, lambda: 0)

    def __staged_iteration__(self) -> Iteration:
        return Iteration(self.count(), (), self.element)

    def element(self, index: Any, elements: Sequence[Any]) -> Any:
        """Return the element of a round."""
        scaled = index if type(self.step) is int and self.step == 1 else index * self.step
        return scaled if type(self.start) is int and self.start == 0 else scaled + self.start


def rounds_of(iterable: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Return what tells by the number of a round whether there is one, and its item.

    Args:
        iterable: one that is staged; a range may have bounds that differ from element to element.
    """
    if type(iterable) is not StagedRange:
        iteration = iteration_of(iterable)
        assert iteration is not None
        return lambda number: number < iteration.count, iteration.item
    step, stop = iterable.step, iterable.stop

    def goes_on(number: Any) -> Any:
        reached = iterable.element(number, ())
        if not is_staged(step):
            return reached < stop if step > 0 else reached > stop
        apply(REGISTRY["check"], [for_all(step != 0)], **_ZERO_STEP)
        return ((step > 0) & (reached < stop)) | ((step < 0) & (reached > stop))

    return goes_on, lambda number: iterable.element(number, ())


_ZERO_STEP = {"error": "ValueError", "message": "range() arg 3 must not be zero"}


def zipped(iterables: Sequence[Any], strict: bool = False) -> Iteration | Stream | None:
    """Return how a loop goes over `zip`, or None when only Python can go over one of them.

    Args:
        iterables: arrays, ranges and sequences of numbers; the shortest ends the loop.
        strict: whether a ValueError is raised, before the first round, unless all end together.
    """
    found = [_part(x) for x in iterables]
    parts = [part for part in found if part is not None]
    if len(parts) < len(found):
        return None
    if any(isinstance(part, Stream) for part in parts):
        if strict:
            raise StagedValueError(
                "zip(strict=True) of a dataset: which is longer is known only at its end; write "
                "zip() and compare what you count in the loop"
            )
        return Together(parts)
    return together(parts, strict)


def _part(iterable: Any) -> Any:
    iteration = iteration_of(iterable)
    if iteration is not None:
        return iteration
    if isinstance(iterable, range):
        return Iteration(len(iterable), (), StagedRange(*_bounds(iterable)).element)
    shape: Any = getattr(iterable, "shape", ())
    if isinstance(iterable, Symbol | np.ndarray) and shape != ():
        values = _indexable(iterable)
        return Iteration(values.shape[0], (values,), lambda index, elements: elements[0])
    return _over_numbers(iterable) if type(iterable) in (list, tuple) else None


def _indexable(array: Any) -> Any:
    """Return an array that a staged number may index."""
    builder = mode.current()
    return as_known(builder, array) if builder is not None else array


def _bounds(numbers: range) -> tuple[int, int, int]:
    return numbers.start, numbers.stop, numbers.step


def _over_numbers(items: Sequence[Any]) -> Iteration | None:
    """Return how a loop goes over a list of Python's numbers of one kind, which they stay."""
    kinds = {type(x) for x in items}
    if len(kinds) != 1 or not kinds <= WEAK_DTYPES.keys():
        return None
    values = asarray(items)
    if values.dtype.kind not in "bifc":  # integers that are too large for an array
        return None
    values = _indexable(values)
    item = REGISTRY["item"]
    return Iteration(len(items), (values,), lambda index, elements: apply(item, elements))
