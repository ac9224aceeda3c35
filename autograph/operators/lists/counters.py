"""The methods of counters, on staged ones: those of dicts, and what orders or sums the counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import autograph.operators as operators
import runtime.numpy as rnp
from autograph.operators.lists import dicts
from autograph.operators.lists.content import fresh, rows_of
from autograph.operators.lists.methods import sorted_rows
from autograph.operators.lists.table import NOTHING, StagedList
from autograph.operators.lists.views import VALUES, view
from runtime.dispatch import apply
from runtime.graph.opdef import REGISTRY


def _most_common(staged: StagedList, n: Any = None) -> Any:
    rows = sorted_rows(view(staged, None), lambda pair: pair[VALUES], True)
    found = fresh(f"{staged.name}.most_common()", staged.kind, rows)
    return found if n is None else operators.get_item(found, slice(n))


def _total(staged: StagedList) -> Any:
    if staged.kind == NOTHING:
        return 0
    values = view(staged, VALUES)
    total = rnp.sum(rows_of(values)[0])
    return apply(REGISTRY["item"], [total]) if values.kind.specs[0].weak else total


METHODS: dict[str, Callable[..., Any]] = {
    **dicts.METHODS,
    "most_common": _most_common,
    "total": _total,
}
