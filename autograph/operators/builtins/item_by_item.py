"""The user's functions, called for each item: in one operation, or item by item.

`sorted`, `max` and `min` ask what all items are compared by in one operation, and `map` gives items
that any round may ask for, again, too. Where what they call writes something, or gives what no
column holds, items are asked for once each, in a loop in Python, which is converted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators import table
from autograph.operators.mutation.journal import journaling
from autograph.staging.context import region_of, trace_now
from autograph.staging.copies import Join, TryAgain, join_of
from runtime import default_graph
from runtime.graph.builder import Builder
from runtime.graph.location import user_location


class ForEach:
    """A function of the user's that a builtin at this line calls for each item.

    Args:
        function: that, or None.
    """

    def __init__(self, function: Callable[..., Any] | None) -> None:
        self.function = function
        self._join: Join = join_of(user_location(), "the items", "they are asked for one by one")

    @property
    def is_one_by_one(self) -> bool:
        """Whether a trace before found that items are asked for once each."""
        trace = trace_now()
        return trace is not None and self._join in trace.tries

    def __call__(self, *args: Any) -> Any:
        """Return what it gives; TryAgain where it writes, and nobody would know of it."""
        builder = default_graph.current()
        if builder is None or builder.parent is None or _is_followed(builder):
            return table.operators.call(self.function, *args)
        with journaling(builder) as journal:
            found = table.operators.call(self.function, *args)
            if journal.entries or journal.slots:
                self.need_one_by_one()
        return found

    def need_one_by_one(self) -> None:
        """Give up this trace: the next one asks for items once each."""
        raise TryAgain(self._join)


def _is_followed(builder: Builder) -> bool:
    """Tell whether what is written in a region becomes part of its state."""
    assert builder.parent is not None
    return region_of(builder).journal is not region_of(builder.parent).journal
