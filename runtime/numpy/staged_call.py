"""Calls of NumPy that become nodes of the graph: what has no op of its own is called as it is.

Comes in: a function of NumPy's and its arguments, some of which are staged. Goes out: what it
returns, with symbols for its arrays, and the arguments that it writes in place hold what it wrote.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from runtime import mode
from runtime.dispatch import as_array, emit, write
from runtime.errors import StagedValueError
from runtime.graph.builder import Builder
from runtime.graph.location import user_location
from runtime.numpy.call_text import CallText, path_of
from runtime.numpy.trials import Outcome, UnforeseenError, foresee
from runtime.ops.effects import Called
from runtime.ops.numpy_calls import FILES, compile_call, numpy_call
from runtime.sharing import places_of, share
from runtime.spec import TensorSpec, spec_of
from runtime.tensor import Symbol, is_staged, value_now


def stage_call(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call a function of NumPy when the graph runs.

    Args:
        function: it is called once or more now, on arrays of the same types, for what it gives.
        args: its arguments, staged ones anywhere in them.
        kwargs: those by keyword.

    Raises:
        TypeError: what it gives cannot be held by a graph, or depends on the values.
        Whatever NumPy raises for arguments of these types.
    """
    builder = mode.current()
    assert builder is not None
    if getattr(function, "__name__", "") in FILES:
        raise refused(function, "does more than to compute")
    call = CallText(function, args, kwargs)
    _check_objects(function, call)
    operands = [*map(value_now, call.operands)]
    try:
        outcome = foresee(_tried(call), *_described(operands))
    except UnforeseenError as error:
        raise refused(function, str(error)) from None
    _check_writes(function, operands, outcome)
    is_named = not call.objects
    found = emit(
        builder,
        numpy_call,
        operands,
        {
            "call": call.text if is_named else Called(compile_call(call.text, call.objects)),
            "form": outcome.form,
            "results": tuple(map(str, outcome.specs)),
            "writes": outcome.writes,
        },
    )
    for k, new in zip(outcome.writes, found, strict=False):
        write(operands[k], new)
    rest = iter(found[len(outcome.writes) :])
    return _result(builder, operands, outcome, outcome.sample, rest)


def _described(operands: Sequence[Any]) -> tuple[list[Any], list[TensorSpec]]:
    """Return the arrays that are known, None for the others, and the specs."""
    known = [None if is_staged(x) else as_array(x) for x in operands]
    pairs = zip(known, operands, strict=True)
    return known, [x.spec if type(x) is Symbol else spec_of(array) for array, x in pairs]


def _tried(call: CallText) -> Callable[..., Any]:
    """Return what is called in trials: objects are copied, so that they keep their state."""
    if not call.objects:
        return compile_call(call.text, {})

    def tried(*operands: Any) -> Any:
        return compile_call(call.text, copy.deepcopy(call.objects))(*operands)

    return tried


def _check_objects(function: Any, call: CallText) -> None:
    """Refuse what may do anything when it is tried: the user's own functions."""
    for value in call.objects.values():
        inner = value.__func__ if isinstance(value, MethodType) else value
        if isinstance(inner, FunctionType) and path_of(value) is None:
            raise refused(
                function, f"is given {value.__qualname__}, which it would call when the graph runs"
            )


def _check_writes(function: Any, operands: Sequence[Any], outcome: Outcome) -> None:
    for k in outcome.writes:
        if type(operands[k]) is not Symbol:
            raise refused(function, "writes an array that was made outside of the staged function")


class RefusedCallError(StagedValueError):
    """A call of NumPy that cannot be a part of a graph."""


def refused(function: Any, why: str) -> RefusedCallError:
    """Return the error for a call that cannot be a part of a graph."""
    name = path_of(function) or getattr(function, "__qualname__", repr(function))
    place = user_location()
    where = f"\n{place.describe()}" if place is not None else ""
    return RefusedCallError(
        f"{name} of a staged value {why}. Call it outside of the staged function, or by "
        f"ag.numpy_function(function, arguments, what it gives){where}"
    )


def _result(
    builder: Builder, operands: Sequence[Any], outcome: Outcome, sample: Any, found: Iterator[Any]
) -> Any:
    """Return the result of a trial with the symbols of the graph in the place of its arrays."""
    for operand, given in zip(operands, outcome.operands, strict=True):
        if sample is given and isinstance(sample, np.ndarray):
            return operand
    if isinstance(sample, tuple | list):
        items = [_result(builder, operands, outcome, x, found) for x in sample]
        return type(sample)(*items) if hasattr(sample, "_fields") else type(sample)(items)
    if isinstance(sample, np.ndarray | np.generic | bool | int | float | complex):
        symbol = next(found)
        symbol.is_cell = isinstance(sample, np.ndarray) and not sample.ndim
        bases = [operands[k] for k in outcome.shared]
        if bases and symbol.spec.shape != ():
            share(symbol, map(places_of, bases), symbol.places)
        return symbol
    return sample


def as_cell(symbol: Symbol) -> Symbol:
    """Return a number as an array without axes, which is what a graph then returns."""
    attrs = {"call": "numpy.array(_0)", "form": "@", "results": (str(symbol.spec),), "writes": ()}
    builder = symbol.builder_now()
    (found,) = emit(builder, numpy_call, [symbol], attrs)
    found.is_cell = True
    return found  # type: ignore[no-any-return]


def or_call(
    function: Any, ours: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """Do what our function of a name does; where it cannot, call NumPy's when the graph runs.

    Raises what ours raises where NumPy cannot be called, either; of another class, if plain NumPy
    raises another one.
    """
    try:
        return ours(*args, **kwargs)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        if mode.current() is None or not holds_staged((args, kwargs)):
            raise
        try:
            return stage_call(function, args, kwargs)
        except Exception as other:
            if isinstance(other, StagedValueError) or _is_kind_of(error, other):
                raise error from None
            raise other from error


def _is_kind_of(error: Exception, other: Exception) -> bool:
    """Tell whether what catches one exception of Python's own catches another one, too."""
    kinds = (kind for kind in type(other).__mro__[:-3] if kind.__module__ == "builtins")
    return any(isinstance(error, kind) for kind in kinds)


def holds_staged(value: Any) -> bool:
    """Tell whether anything in nested lists, tuples, dicts and slices is staged.

    >>> holds_staged([1, (2, {"k": slice(3)})])
    False
    """
    if isinstance(value, list | tuple | set | frozenset):
        return any(map(holds_staged, value))
    if isinstance(value, Mapping):
        return any(map(holds_staged, value.values()))
    if isinstance(value, slice):
        return any(map(is_staged, (value.start, value.stop, value.step)))
    return is_staged(value_now(value))
