"""Warnings of what is computed while tracing, as parts of the graph (decision 74).

Comes in: a warning that is about to be shown while a graph is built. Goes out: a node that shows it
when the graph runs, where the filters of `warnings` are asked.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from runtime import default_graph
from runtime.graph.location import is_ours
from runtime.graph.reference import portable_name
from runtime.operator_mode import operate_now
from runtime.ops.effects import warn


class _WhileTracing:
    """What a filter of `warnings` asks about a text: whether this thread is tracing a program."""

    def match(self, text: str) -> bool:
        return default_graph.current() is not None and operate_now() is None


_FILTER: Any = ("always", _WhileTracing(), Warning, None, 0)


@contextmanager
def staged_warnings() -> Iterator[None]:
    """Have all warnings of what this thread traces shown, whatever the filters say.

    They become parts of the graph; the filters are asked when it runs.
    """
    warnings.filters.insert(0, _FILTER)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        if _FILTER in warnings.filters:
            warnings.filters.remove(_FILTER)  # type: ignore[attr-defined]


def is_staged(message: warnings.WarningMessage) -> bool:
    """Make a warning part of the graph that is being built, if there is one; tell whether it is."""
    builder, category = default_graph.current(), message.category
    if builder is None or operate_now() is not None or builder.reports.is_recorded:
        return False
    name = portable_name(category)
    own = getattr(sys.modules.get(category.__module__), "__file__", None)
    place = {"file": message.filename, "line": message.lineno}
    if name is None or is_ours(own or ""):  # what this library warns of, it says of the tracing
        with default_graph.building(None):
            warnings.warn_explicit(message.message, category, message.filename, message.lineno)
    else:
        builder.emit(warn, (), {"text": str(message.message), "category": name, **place})
    return True
