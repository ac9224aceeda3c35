"""Which elements take part in what is being traced.

Inside a statement with `hint(mode="elementwise")`, conditions that are arrays are decided for each
element. What only some elements do, all compute: the mask says whose results count.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any
from weakref import WeakSet

from runtime import mode
from runtime.dispatch import apply
from runtime.graph.builder import Builder
from runtime.graph.opdef import REGISTRY
from runtime.tensor import Symbol

_MASK: ContextVar[Any] = ContextVar("mask", default=None)


def current() -> Any:
    """Return the mask, an array of truth values; True for all elements, None outside."""
    return _MASK.get()


@contextmanager
def masked(mask: Any) -> Iterator[None]:
    """Let some elements take part in what is traced in the `with` block."""
    token = _MASK.set(mask)
    try:
        yield
    finally:
        _MASK.reset(token)


_MET: WeakSet[Builder] = WeakSet()
"""The graphs in which an elementwise statement was met."""


def for_each(wanted: bool = True) -> AbstractContextManager[None]:
    """Return a context in which each element decides for itself, if that is wanted."""
    builder = mode.current()
    if not wanted or builder is None:
        return nullcontext()
    _MET.add(_whole(builder))
    return masked(True) if current() is None else nullcontext()


def _whole(builder: Builder) -> Builder:
    while builder.parent is not None:
        builder = builder.parent
    return builder


def is_split(value: Any) -> bool:
    """Tell whether each element decides by a condition of its own.

    What follows an elementwise statement does, too: elements may have left a loop, or returned.

    >>> is_split(3)
    False
    """
    if type(value) is not Symbol or value.spec.shape == ():
        return False
    builder = mode.current()
    return current() is not None or (builder is not None and _whole(builder) in _MET)


def truth_of_each(value: Any) -> Any:
    """Return the truth of each element; of one value its truth, staged or not."""
    if type(value) is not Symbol:
        return bool(value)
    if value.spec.dtype.kind == "b":
        return value
    return apply(REGISTRY["not_equal"], [value, 0])


def negated(value: Any) -> Any:
    """Return the opposite of each truth value."""
    return apply(REGISTRY["logical_not"], [value]) if type(value) is Symbol else not value


def both(first: Any, second: Any) -> Any:
    """Return for each element whether both truth values are true."""
    if first is True:
        return second
    return first if second is True else apply(REGISTRY["logical_and"], [first, second])


def chosen(mask: Any, new: Any, old: Any) -> Any:
    """Return elements of `new` where the mask is true, of `old` elsewhere."""
    if new is old or mask is True:
        return new
    return apply(REGISTRY["where"], [mask, new, old])


def for_all(test: Any) -> Any:
    """Return whether a condition holds for all elements that take part."""
    if not is_split(test):
        return test
    mask = True if current() is None else current()
    holds = truth_of_each(test)
    if mask is not True:
        holds = apply(REGISTRY["logical_or"], [holds, negated(mask)])
    return apply(REGISTRY["all"], [holds])
