"""Builtins of values that no spec describes: calls in the graph, or what trials tell of a class."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from autograph.operators import table
from autograph.staging.for_loop import Iteration
from runtime.errors import StagedValueError
from runtime.numpy.staged_call import stage_call
from runtime.opaque import Opaque, samples_of
from runtime.tensor import Symbol

_AT_RUN = (
    abs, ascii, bool, bytes, complex, divmod, float, format, int, len, list, max, min, repr, round,
    sorted, str, sum, tuple,
)  # fmt: skip


def builtin_of_objects(function: Any) -> Callable[..., Any] | None:
    """Return what does a builtin where a value that no spec describes is among the arguments.

    None where it is no builtin, or needs nothing else.
    """
    return _BUILTINS.get(id(function))


def _call(function: Any, *args: Any, **kwargs: Any) -> Any:
    return stage_call(function, args, kwargs)


def _print(*args: Any, **kwargs: Any) -> Any:
    return table.operators.call(print, *map(_text, args), **kwargs)


def _text(value: Any) -> Any:
    return stage_call(str, (value,), {}) if type(value) is Opaque else value


def _classes(value: Any) -> set[type]:
    return set(map(type, samples_of(value).values)) if type(value) is Opaque else {type(value)}


def _type(value: Any) -> Any:
    return _agreed({cls: cls for cls in _classes(value)}, value)


def _is_instance(value: Any, classes: Any) -> bool:
    found = {issubclass(cls, classes) for cls in _classes(value)}
    return bool(_agreed(dict.fromkeys(found), value))


def _agreed(found: Any, value: Any) -> Any:
    if len(found) > 1:
        raise StagedValueError(
            f"the class of {value!r} was asked for, which is known only when the graph runs"
        )
    return next(iter(found))


def is_object(value: Any, other: Any) -> Any:
    """Return `value is other`, of which one is an object that is known when the graph runs."""
    if value is other:
        return True
    are_staged = type(value) is Symbol or type(other) is Symbol
    if are_staged or not _classes(value) & _classes(other):
        return False
    return stage_call(operator.is_, (value, other), {})


_BUILTINS: dict[int, Callable[..., Any]] = {
    **{id(function): partial(_call, function) for function in _AT_RUN},
    id(print): _print,
    id(type): _type,
    id(isinstance): _is_instance,
}


def _over_items(value: Opaque) -> Iteration:
    """Return how a loop goes over the items of an object."""
    if not all(hasattr(type(x), "__getitem__") for x in samples_of(value).values):
        value = stage_call(list, (value,), {}, is_whole=True)
    return Iteration(_call(len, value), (), lambda index, _: _call(operator.getitem, value, index))


Opaque.__staged_iteration__ = _over_items  # type: ignore[attr-defined]
