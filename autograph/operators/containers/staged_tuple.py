"""What stands for a tuple of which only the graph knows how many items it has."""

from __future__ import annotations

from typing import Any

from autograph.operators import table
from autograph.operators.containers.markers import Marker, refuse_question


class StagedTuple:
    """A tuple of a trace: it says nothing to code that was not converted.

    Attributes:
        marker: what it holds instead of its items.
    """

    __slots__ = ("marker",)
    marker: Marker

    def __copy__(self) -> StagedTuple:
        return self

    def count(self, item: Any, /) -> Any:
        """As `tuple.count`."""
        return table.operators.call(self.count, item)

    def index(self, item: Any, /) -> Any:
        """As `tuple.index`."""
        return table.operators.call(self.index, item)


def _refuse(value: StagedTuple, *args: Any, **kwargs: Any) -> Any:
    refuse_question(value.marker)


_QUESTIONS = """
    add bool contains deepcopy eq format ge getitem gt hash iter le len lt mod mul ne radd
    reduce_ex repr reversed rmul str
"""
for _question in _QUESTIONS.split():
    setattr(StagedTuple, f"__{_question}__", _refuse)
StagedTuple.__name__ = StagedTuple.__qualname__ = "tuple"  # as Python's messages write it
