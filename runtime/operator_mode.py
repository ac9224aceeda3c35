"""What operators of tensors do: what NumPy's do, unless tensors or a trace say otherwise.

Another library's names may come with other rules of promotion, and with tensors that `x += y` does
not write. A `Tensor` has its rule with it; symbols follow the rule of the trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol


class Operate(Protocol):
    """Other rules than NumPy's."""

    def __call__(self, op: Any, x: Any, y: Any) -> Any:
        """Return the result of an operator with two operands, written in place or not."""

    def returned(self, value: Any) -> Any:
        """Return what a graph gives for what its function returns."""


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
