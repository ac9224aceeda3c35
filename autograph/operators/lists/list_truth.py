"""The truth of a staged list, as what `and` and `or` give in a test."""

from __future__ import annotations

from typing import Any, NoReturn

from autograph.operators.containers.staged_containers import STAGED
from runtime.errors import MutationError


class ListTruth:
    """What `and` and `or` give in a test where an operand is a staged list: its truth, no more.

    Args:
        truth: a staged truth value.
    """

    __slots__ = ("truth",)

    def __init__(self, truth: Any) -> None:
        self.truth = truth

    def __staged_truth__(self) -> Any:
        return self.truth

    def refuse(self, *args: Any) -> NoReturn:
        """Raise MutationError: the operand itself is wanted."""
        raise MutationError(
            "an operand of `and` or `or` is a list whose items are known only when the graph runs, "
            "and what the operator gives is used where it is written. Give it a name before"
        )

    __getattr__ = __getitem__ = __iter__ = __len__ = __contains__ = __eq__ = refuse
    __hash__ = object.__hash__


LISTS = STAGED | {ListTruth}
"""Classes whose truth may be staged though they are no symbols."""
