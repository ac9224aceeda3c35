"""The methods of counters, on staged ones: those of dicts, and what orders or sums the counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.builtins import decompositions, reductions
from autograph.operators.containers.item_kinds import NOTHING, is_mixed
from autograph.operators.containers.staged_containers import StagedList
from autograph.operators.containers.storage import fresh, rows_of
from autograph.operators.keyed import dict_methods
from autograph.operators.keyed.key_codes import VALUES
from autograph.operators.keyed.views import view
from autograph.operators.lists.list_methods import sorted_rows
from runtime.dispatch import apply
from runtime.graph.opdef import REGISTRY


def _most_common(staged: StagedList, n: Any = None) -> Any:
    rows = sorted_rows(view(staged, None), lambda pair: pair[VALUES], True)
    found = fresh(f"{staged.name}.most_common()", staged.kind, rows)
    return found if n is None else table.operators.get_item(found, slice(n))


def _total(staged: StagedList) -> Any:
    if staged.kind == NOTHING:
        return 0
    values = view(staged, VALUES)
    if is_mixed(values.kind):
        return reductions.sum_(values.python)
    total = rnp.sum(rows_of(values)[0])
    return apply(REGISTRY["item"], [total]) if values.kind.specs[0].weak else total


def _subtract(staged: StagedList, others: Any = (), /, **named: Any) -> None:
    if not isinstance(others, Mapping):
        table.operators.call(decompositions.subtract_counter, staged.python, others)
        others = {}
    for given in (others, named):
        pairs = table.operators.call(given.items)
        table.operators.call(decompositions.subtract_counts, staged.python, pairs)


METHODS: dict[str, Callable[..., Any]] = {
    **dict_methods.METHODS,
    "most_common": _most_common,
    "subtract": _subtract,
    "total": _total,
}
