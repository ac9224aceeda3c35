"""Which elements take part in what is being traced.

Inside a statement with `hint(mode="elementwise")`, conditions that are arrays are decided for each
element. What only some elements do, all compute: the mask says whose results count. What such a
statement leaves in a variable is *varying* (ispc's term): one number for each element, which
nothing writes in place, and whose truth each element decides for itself after the statement, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

from runtime import default_graph, trees
from runtime.dispatch import apply
from runtime.graph.opdef import REGISTRY, OpDef
from runtime.operator_mode import operate_now, operating
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
        with operating(operate_now() or _OUT_OF_PLACE):
            yield
    finally:
        _MASK.reset(token)


class _OutOfPlace:
    """NumPy's rules but for `x += y`, which makes another array, as of numbers."""

    def __call__(self, op: OpDef, x: Any, y: Any) -> Any:
        return apply(op, (x, y))

    def returned(self, value: Any) -> Any:
        return value


_OUT_OF_PLACE = _OutOfPlace()


def for_each(wanted: bool = True) -> AbstractContextManager[None]:
    """Return a context in which each element decides for itself, if that is wanted."""
    if not wanted or default_graph.current() is None or current() is not None:
        return nullcontext()
    return masked(True)


def is_split(value: Any) -> bool:
    """Tell whether each element decides by a condition of its own.

    What an elementwise statement left is decided so after it, too: elements may have left a loop,
    or returned.

    >>> is_split(3)
    False
    """
    if type(value) is not Symbol or value.spec.shape == ():
        return False
    return current() is not None or value.is_varying


def vary(value: Any) -> Any:
    """Mark what an elementwise statement leaves in a variable, and return it."""
    for leaf in trees.flatten(value)[0]:
        if type(leaf) is Symbol and leaf.spec.shape != ():
            leaf.is_varying = True
    return value


def truth_of_each(value: Any) -> Any:
    """Return the truth of each element; of one value its truth, staged or not."""
    if type(value) is not Symbol:
        return bool(value)
    if value.spec.dtype.kind == "b":
        return value
    return apply(REGISTRY["not_equal"], [value, 0])


def negated(value: Any) -> Any:
    """Return the opposite of each truth value."""
    return vary(apply(REGISTRY["logical_not"], [value])) if type(value) is Symbol else not value


def both(first: Any, second: Any) -> Any:
    """Return for each element whether both truth values are true."""
    if first is True:
        return second
    return first if second is True else vary(apply(REGISTRY["logical_and"], [first, second]))


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
