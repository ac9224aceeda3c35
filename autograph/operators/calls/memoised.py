"""Functions of `functools.cache` and `lru_cache` that are given staged values, or use them.

What they gave is kept in a dict of the trace, which is staged like any other. A function that was
made inside of the staged function has a new cache in each call, and so has the graph a new dict in
each run. One that lasts must be a function of its arguments and of what does not change: else it
would give again what it gave before something else changed, and is refused.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from autograph import conversion
from autograph.operators import table
from autograph.operators.calls.endless_calls import CallsNeeded, InGraph
from autograph.operators.mutation.reachable_objects import parts_of, uncached
from autograph.source.build import is_converted
from autograph.staging.context import journal_now, trace_now
from runtime import default_graph, trees
from runtime.errors import StagedValueError
from runtime.tensor import is_staged
from runtime.texts import StagedText
from runtime.union import is_numeric

_FIXED = (int, float, complex, str, bytes, type(None), type, ModuleType, np.generic, np.ufunc)
_TELLING = (print, input, open)


def memoised(cached: Any) -> Callable[..., Any]:
    """Return what is called in the place of a function that keeps what it gave."""
    return functools.partial(_call, cached)


def _call(cached: Any, /, *args: Any, **kwargs: Any) -> Any:
    function = uncached(cached)
    if not is_converted(function):
        leaves = trees.flatten((args, kwargs))[0]
        if not any(is_staged(x) or type(x) is StagedText for x in leaves):
            return cached(*args, **kwargs)
        _check_lasting(function)
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    _check_hashable((*bound.args, *bound.kwargs.values()))
    leaves, structure = trees.flatten((bound.args, bound.kwargs))
    keys = [x for x in leaves if _is_key(x)]
    if cached.cache_parameters()["typed"]:
        raise StagedValueError(
            f"{function.__qualname__} is cached with typed=True and is given staged values, whose "
            "classes do not tell keys apart. Cache it without"
        )
    known = tuple(None if _is_key(x) else x for x in leaves)
    key = keys[0] if len(keys) == 1 else tuple(keys)
    recalled: Any = _recalled
    recall = conversion.convert(recalled, table.operators)
    with _running(cached, conversion.convert(function, table.operators).__code__):
        return recall(_results(cached, structure, known), key, function, bound.args, bound.kwargs)


def _info(cached: Any) -> None:
    raise StagedValueError(
        f"{uncached(cached).__qualname__}.cache_info(): what the cache holds, and how often it was "
        "asked, changes with each run of the graph, which has a cache of its own"
    )


def _clear(cached: Any) -> None:
    """Have a function forget what it gave, as its `cache_clear` does."""
    if journal_now() is not None:
        raise StagedValueError(
            f"{uncached(cached).__qualname__}.cache_clear() in a staged branch or loop: whether "
            "the cache is empty is known only when the graph runs. Define the function there anew"
        )
    cached.cache_clear()
    trace = trace_now()
    assert trace is not None
    for place in [place for place in trace.results if place[0] is cached]:
        del trace.results[place]


CACHE_METHODS: dict[str, Callable[[Any], None]] = {"cache_clear": _clear, "cache_info": _info}


def _check_hashable(value: Any) -> None:
    """Raise Python's TypeError for an argument that no cache takes, such as a list."""
    if isinstance(value, tuple):
        for part in value:
            _check_hashable(part)
    elif type(value).__hash__ is None and not _is_key(value):
        raise TypeError(f"unhashable type: {type(value).__name__!r}")


@contextmanager
def _running(cached: Any, code: CodeType) -> Iterator[None]:
    """Have a function that calls itself under a staged condition called in the graph.

    Traced call by call, as others are at first, it would be so for each way to its arguments.
    """
    builder, trace = default_graph.current(), trace_now()
    assert builder is not None
    assert trace is not None
    outer = trace.running.get(cached)
    is_in_graph = trace.recursions is not None and id(code) in trace.recursions.codes
    if outer is not None and outer is not builder and not is_in_graph:
        raise CallsNeeded(InGraph(code, if_known=True))
    trace.running[cached] = builder
    try:
        yield
    finally:
        if outer is None:
            del trace.running[cached]
        else:
            trace.running[cached] = outer


def _is_key(leaf: Any) -> bool:
    return is_numeric(leaf) or type(leaf) is StagedText


def _recalled(results: Any, key: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Return what a function gave, or what it gives."""
    if key in results:
        return results[key]
    result = function(*args, **kwargs)
    results[key] = result
    return result


def _results(cached: Any, structure: Any, known: Any) -> dict[Any, Any]:
    """Return what a function gave to arguments that differ in numbers: in all of the trace."""
    trace = trace_now()
    assert trace is not None
    place = cached, structure, known
    if place not in trace.results:
        found: dict[Any, Any] = {}
        trace.results[place] = found
        trace.keep(found)
    return trace.results[place]


def _check_lasting(function: Any) -> None:
    """Raise StagedValueError for a function that uses what may change from call to call."""
    for name, value in _used(function, set()):
        if isinstance(value, _FIXED) or (callable(value) and value not in _TELLING):
            continue
        raise StagedValueError(
            f"{function.__qualname__} is cached, lasts longer than a call, and uses {name!r}: what "
            "it gives to a staged value depends on when it was first given that. Pass "
            f"{name!r} as an argument, or define the function inside of the staged one"
        )


def _used(function: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Yield what a function, and those of the user that it calls, use from outside."""
    function = uncached(function)
    if isinstance(function, FunctionType) and id(function) not in seen:
        seen.add(id(function))
        for name, value in parts_of("", function):
            yield name, value
            yield from _used(value, seen)
