"""`any` and `all`: arrays are asked as a whole, other items in turn, up to the one that decides.

A loop of converted code asks the items, so that what they do happens up to that one. Only the items
of generators that were not converted, of which nobody can tell what they do, are asked here.
"""

from __future__ import annotations

from collections.abc import Callable
from types import GeneratorType
from typing import Any

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.builtins import decompositions
from autograph.operators.builtins.number_builtins import bool_
from autograph.operators.builtins.ordering import AMBIGUOUS
from autograph.operators.builtins.overloads import MISSING, given
from autograph.operators.builtins.type_queries import not_iterable
from autograph.operators.control_flow.errors import located
from autograph.operators.iteration.generators import cannot_be_staged
from autograph.operators.iteration.staged_iterables import is_plain_row
from autograph.staging.cond import stage_cond
from runtime import default_graph
from runtime.tensor import Symbol, is_staged


def _quantifier(builtin: Callable[..., Any], in_turn: Callable[..., Any]) -> Any:
    """Return the overload of `any` or `all`, and how items are asked in turn."""

    def overload(iterable: Any = MISSING, /, *rest: Any) -> Any:
        if is_plain_row(iterable) and not rest:
            return builtin(iterable)
        if iterable is MISSING or rest or default_graph.current() is None:
            return builtin(*given(iterable), *rest)
        if type(iterable) is Symbol:
            return _of_array(builtin.__name__, iterable)
        if type(iterable) is GeneratorType and cannot_be_staged(iterable):
            return _of_generator(iterable, builtin is any)
        return table.operators.call(in_turn, iterable)

    return overload


def _of_generator(items: GeneratorType[Any, Any, Any], end: bool) -> Any:
    """Ask each item in the branch of the one before it: a generator holds values from there."""

    def ask_next() -> Any:
        item = next(items, MISSING)
        found = (not end) if item is MISSING else bool_(item)
        if not is_staged(found):
            return found if found is end or item is MISSING else ask_next()
        arms = (stop, ask_next) if end else (ask_next, stop)
        with located():
            return stage_cond(found, *arms)

    def stop() -> Any:
        return end

    return ask_next()


def _of_array(name: str, values: Any) -> Any:
    if values.spec.rank == 0:
        raise not_iterable(values)
    if values.spec.rank is not None and values.spec.rank > 1:
        raise ValueError(
            f"{AMBIGUOUS}: {name}() asks for the truth of each row ({values.spec}); write "
            f"np.{name}(x)"
        )
    return bool_(getattr(rnp, name)(values))


any_: Callable[..., Any] = _quantifier(any, decompositions.any_)
all_: Callable[..., Any] = _quantifier(all, decompositions.all_)
