"""Arguments that are one object, or share memory.

A list, dict, object or array that is given in two places is one in the structure of the arguments,
and so in the trace. Of arrays that share memory the graph is given the memory, and makes views:

    f(a[1:], a[:-1], 2)   is   g(memory, None, 2), which calls   f(view of memory, another view, 2)

In a graph all views of an array are written together, so what is written through one argument is
read through the others. Where the views lie is part of the function `g`, and so of its traces.
What neither serves runs as plain Python.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from inspect import Signature
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from autograph.function.fallback import NotRun
from runtime import trees
from runtime.dispatch import apply
from runtime.errors import OverlapError
from runtime.ops.strides import strided
from runtime.tree_nodes import is_mutable, mutable_nodes
from runtime.trees import is_shared

if TYPE_CHECKING:
    from autograph.function.concrete import ConcreteFunction

Key: TypeAlias = int | str
"""Where an argument stands: its position, or its name."""


class Layout(NamedTuple):
    """Where the elements of a view are, in elements of the memory."""

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


MOST_LAYOUTS = 64
"""How many ways in which arguments share memory a function knows."""


@dataclass(frozen=True, slots=True)
class View:
    """An array in the memory that it shares with others.

    Args:
        keys: the places where it is given.
        memory: where the memory is given instead.
        layout: where it lies in that.
    """

    keys: tuple[Key, ...]
    memory: Key
    layout: Layout


Flatten: TypeAlias = Callable[[Any], tuple[tuple[Any, ...], trees.Structure]]


def as_objects(bound: Any) -> tuple[tuple[Any, ...], trees.Structure]:
    """Return the leaves of arguments, and their structure, which tells which objects are one."""
    return trees.flatten_shared(bound, lambda x: is_mutable(x) or isinstance(x, np.ndarray))


def are_shared(bound: Any) -> bool:
    """Tell whether a list, dict or object stands in several places of arguments."""
    found = mutable_nodes(bound)
    return len({id(x) for x in found}) < len(found)


class OnMemory:
    """Calls with arguments that are one, or share memory.

    Args:
        make: returns the function of the memory, given where the views lie; None where such calls
            are refused.
        find: returns the trace for arguments of which some are one object, and its tensors.
    """

    def __init__(
        self,
        make: Callable[[Sequence[View]], Callable[..., Any]] | None,
        find: Callable[[Any, Any], tuple[ConcreteFunction, Sequence[Any]]],
    ) -> None:
        self._make, self._find = make, find
        self._made: dict[tuple[View, ...], Callable[..., Any]] = {}

    def run(
        self,
        concrete: ConcreteFunction,
        arrays: Sequence[Any],
        args: Sequence[Any],
        kwargs: dict[str, Any],
    ) -> Any:
        """Run a trace; one for objects that are one, or on views, if it does not serve these.

        Args:
            concrete: the trace.
            arrays: the tensors among the arguments.
            args, kwargs: all arguments.

        Raises:
            NotRun: the memory is not one row of elements.
        """
        try:
            return concrete.run(arrays, (args, kwargs))
        except OverlapError as error:
            concrete.trace.undo()
            views, instead = shared_views(args, kwargs)
            are_one = not concrete.serves_shared and is_shared(as_objects((args, kwargs))[1])
            if self._make is None or not (views or are_one):
                raise NotRun from error
        if not views:
            return self.run(*self._find(args, kwargs), args, kwargs)
        if len(self._made) == MOST_LAYOUTS and views not in self._made:
            self._made.clear()
        function = self._made[views] = self._made.get(views) or self._make(views)
        positional, named = _replaced(args, kwargs, instead)
        places = _by_place(args, kwargs)
        result = function(*positional, **named)
        return _mapped(result, lambda x: places[x.keys[0]] if type(x) is View else x)


def shared_views(
    args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[tuple[View, ...], dict[Key, Any]]:
    """Return the arguments that share memory, and what is given in their places instead.

    Arrays inside of structures are left as they are, and so are those that are one array, or no
    views of one row of elements: of several dtypes, unaligned, or not to be written.
    """
    views: list[View] = []
    instead: dict[Key, Any] = {}
    for group in _overlapping(_by_place(args, kwargs)):
        arrays = {id(x): x for x in group.values()}
        first = next(iter(group))
        memory = _row(list(arrays.values())) if len(arrays) > 1 else None
        if memory is None:
            continue
        instead |= dict.fromkeys(group) | {first: memory}
        for array in arrays.values():
            keys = tuple(key for key, x in group.items() if x is array)
            views.append(View(keys, first, _layout(array, memory)))
    return tuple(views), instead


def _replaced(
    args: Sequence[Any], kwargs: dict[str, Any], instead: dict[Key, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return arguments with others in some places."""
    positional = tuple(instead.get(k, x) for k, x in enumerate(args))
    return positional, {name: instead.get(name, x) for name, x in kwargs.items()}


def on_views(
    python: Callable[..., Any],
    function: Callable[..., Any],
    signature: Signature,
    views: Sequence[View],
) -> Callable[..., Any]:
    """Return the function of the memory. It returns a `View` where it returns an argument.

    Args:
        python: the function of the user's.
        function: what runs it while a function is traced.
        signature: its parameters.
        views: the arguments that are views.
    """

    @functools.wraps(python)
    def called(*args: Any, **kwargs: Any) -> Any:
        given = _by_place(args, kwargs)
        arrays = [apply(strided, [given[x.memory]], **x.layout._asdict()) for x in views]
        pairs = list(zip(views, arrays, strict=True))
        made = {key: array for view, array in pairs for key in view.keys}
        positional, named = _replaced(args, kwargs, made)
        result = function(*positional, **named)
        return _mapped(result, lambda x: next((v for v, array in pairs if array is x), x))

    vars(called)["__signature__"] = signature
    return called


def _mapped(result: Any, function: Callable[[Any], Any]) -> Any:
    """Return a result, or a tuple of several, each given to a function."""
    if type(result) is tuple:
        return tuple(_mapped(x, function) for x in result)
    return function(result)


def _by_place(args: Sequence[Any], kwargs: dict[str, Any]) -> dict[Key, Any]:
    places: dict[Key, Any] = dict(enumerate(args))
    places.update(kwargs.items())
    return places


def _overlapping(given: dict[Key, Any]) -> Iterator[dict[Key, Any]]:
    """Yield groups of arrays that share memory, each with all that share it with one of them."""
    arrays = [(key, x) for key, x in given.items() if type(x) is np.ndarray and x.size]
    bounds = sorted((*np.lib.array_utils.byte_bounds(x), k) for k, (_, x) in enumerate(arrays))
    group: list[int] = []
    end = 0
    for low, high, k in [*bounds, (None, 0, 0)]:
        if low is None or low >= end:
            if len(group) > 1:
                yield dict(arrays[j] for j in sorted(group))
            group = []
        group.append(k)
        end = max(end, high)


def _row(arrays: Sequence[Any]) -> Any:
    """Return all memory from the first to the last byte of arrays as one row; None if it is none.

    Their ranges of memory overlap one another, so all of it belongs to the array that they are of.
    """
    ends = [np.lib.array_utils.byte_bounds(x) for x in arrays]
    low, high = min(a for a, _ in ends), max(b for _, b in ends)
    dtype = arrays[0].dtype
    steps = [step for x in arrays for step in x.strides] + [a - low for a, _ in ends]
    is_row = all(x.dtype == dtype and x.flags.writeable for x in arrays)
    if not is_row or any(step % dtype.itemsize for step in steps):
        return None
    first = next(x for x, (a, _) in zip(arrays, ends, strict=True) if a == low)
    corner = first[tuple(slice(None, None, -1 if n < 0 else 1) for n in first.strides)]
    shape = ((high - low) // dtype.itemsize,)
    return np.lib.stride_tricks.as_strided(corner, shape, (dtype.itemsize,))


def _layout(array: Any, memory: Any) -> Layout:
    size = array.itemsize
    offset = (array.ctypes.data - memory.ctypes.data) // size
    return Layout(offset, array.shape, tuple(step // size for step in array.strides))
