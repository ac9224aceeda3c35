"""Losses that layers add while they are called, kept until the outermost of them is called again.

Comes in: values that `layer.add_loss` is given. Goes out: those of the last call. A call of a layer
that no other layer makes is one `Calls`, which all layers that it calls know.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from autograph.nn.variables import walk
from autograph.operators.calls.converting import do_not_convert
from runtime import default_graph
from runtime.tensor import Symbol


class Calls:
    """The call of a layer, and those that it makes; `losses` are pairs of a layer and a value."""

    __slots__ = ("losses",)

    def __init__(self) -> None:
        self.losses: list[tuple[Any, Any]] = []


_NOW: ContextVar[Calls | None] = ContextVar("calls", default=None)


@do_not_convert
def calls_now() -> Calls | None:
    """Return the call that is made, or None outside of all layers."""
    return _NOW.get()


@contextmanager
def outermost() -> Iterator[None]:
    """Let the calls in a `with` block be those of one."""
    token = _NOW.set(Calls())
    try:
        yield
    finally:
        _NOW.reset(token)


@do_not_convert
def added_losses(layer: Any) -> list[Any]:
    """Return what a layer, and layers in it, added in the last call that it knows.

    What was added to a graph that is not being built any more is left out.
    """
    calls = layer.__calls__
    if calls is None or not calls.losses:
        return []
    own = {id(x) for _, x in walk(layer)}
    is_eager = default_graph.current() is None
    values = [x for owner, x in calls.losses if id(owner) in own]
    return [x for x in values if not (is_eager and isinstance(x, Symbol))]
