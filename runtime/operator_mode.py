"""What operators of tensors do: what NumPy's do, unless tensors or a trace say otherwise.

Another library's names may come with other rules of promotion, and with tensors that `x += y` does
not write. A `Tensor` has its rule with it; symbols follow the rule of the trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

Operate = Callable[[Any, Any, Any], Any]
"""`(op, x, y)` to the result of an operator with two operands, written in place or not."""

_OPERATE: ContextVar[Operate | None] = ContextVar("operate", default=None)


def operate_now() -> Operate | None:
    """Return the rule of the trace; None for NumPy's."""
    return _OPERATE.get()


@contextmanager
def operating(operate: Operate | None) -> Iterator[None]:
    """Have symbols follow a rule in the `with` block."""
    token = _OPERATE.set(operate)
    try:
        yield
    finally:
        _OPERATE.reset(token)
