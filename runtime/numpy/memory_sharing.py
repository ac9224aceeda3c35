"""`np.shares_memory` of staged arrays."""

from __future__ import annotations

from functools import partial
from typing import Any

from runtime.aliasing import UNKNOWN_MEMORY, AliasError, are_apart, is_joined
from runtime.errors import StagedValueError
from runtime.graph.builder import Builder
from runtime.tensor import Symbol
from runtime.union import Choice


def share_memory(builder: Builder, a: Any, b: Any, max_work: int | None = None) -> Any:
    """Return what NumPy's functions of this name do, where it is known while tracing.

    It is staged of an array that is one of several.
    """
    for one, other in ((a, b), (b, a)):
        if type(one) is Symbol and one.selected is not None and one is not other:
            return Choice.each(one.selected, partial(share_memory, builder, other))
    shape = a.spec.shape if a is b else None
    if shape is not None and all(isinstance(n, int) for n in shape):
        return 0 not in shape
    if are_apart(builder, a, b):
        return False
    kind = AliasError if is_joined(a) or is_joined(b) else StagedValueError
    raise kind(UNKNOWN_MEMORY)
