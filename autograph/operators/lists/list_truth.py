"""The truth of values that may be staged lists, also as what `and` and `or` give in a test."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from autograph.operators import table
from autograph.operators.containers.staged_containers import STAGED, staged_list
from autograph.operators.objects.special_methods import special
from runtime import default_graph
from runtime.errors import MutationError
from runtime.tensor import Symbol, value_now


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


KNOWN = frozenset({bool, Symbol, int, float, str, np.bool_, type(None)})
"""Classes whose truth is what it is; that of an object that holds a list may be staged, too."""


def truth_of(value: Any) -> Any:
    """Return the truth of a value, which may be staged; others, and what variables hold, as is."""
    if hasattr(type(value), "__staged_truth__"):
        return value.__staged_truth__()
    value = value_now(value)
    if type(value) in KNOWN or default_graph.current() is None:
        return value
    staged = staged_list(value)
    if staged is not None:
        return staged.content.length > 0
    is_asked = special(value, "__bool__") or special(value, "__len__")
    return table.operators.call(bool, value) if is_asked else value
