"""`any` and `all`: the items are asked in turn, up to the first that decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import GeneratorType
from typing import Any

import runtime.numpy as rnp
from autograph.operators.builtins.number_builtins import bool_
from autograph.operators.builtins.ordering import AMBIGUOUS
from autograph.operators.builtins.overloads import MISSING, given
from autograph.operators.control_flow.errors import located
from autograph.operators.iteration.generators import need_loop
from autograph.operators.iteration.staged_iterables import (
    is_plain_row,
    is_staged_iterable,
    iteration_of,
)
from autograph.staging.cond import stage_cond
from autograph.staging.for_loop import stage_for
from runtime import default_graph
from runtime.tensor import Symbol, is_staged

FEW_ITEMS = 16
"""So many items of a generator are asked one by one whether they end `any` or `all`."""


def _quantifier(builtin: Callable[..., Any], end: bool) -> Any:
    """Return the overload of `any` or `all`, which ends at the first item whose truth is `end`."""

    def overload(iterable: Any = MISSING, /, *rest: Any) -> Any:
        if is_plain_row(iterable) and not rest:
            return builtin(iterable)
        if iterable is MISSING or rest or default_graph.current() is None:
            return builtin(*given(iterable), *rest)
        if is_staged_iterable(iterable):
            return _of_array(builtin.__name__, iterable)
        items = iter(iterable)
        for item in items:
            if is_staged(item):
                return _of_items(item, items, end)
            if bool(item) is end:
                return end
        return not end

    return overload


def _of_array(name: str, values: Any) -> Any:
    iteration = iteration_of(values)
    if type(values) is not Symbol:
        (values,) = [stage_for(iteration, bool_)]
    elif values.spec.rank is not None and values.spec.rank > 1:
        raise ValueError(
            f"{AMBIGUOUS}: {name}() asks for the truth of each row ({values.spec}); write "
            f"np.{name}(x)"
        )
    return bool_(getattr(rnp, name)(values))


def _of_items(first: Any, others: Iterator[Any], end: bool) -> Any:
    """Ask the items one after the other; each is computed only if the ones before it go on."""
    if isinstance(others, GeneratorType):
        return _of_generator(first, others, end)
    return _in_turn(first, others, end)


def _of_generator(first: Any, others: GeneratorType[Any, Any, Any], end: bool) -> Any:
    """Ask each item in the branch of the one before it: a generator holds values from there."""
    counted = enumerate(others)

    def ask(item: Any) -> Any:
        found = bool_(item)
        if not is_staged(found):
            return end if bool(found) is end else ask_next()
        arms = (stop, ask_next) if end else (ask_next, stop)
        with located():
            return stage_cond(found, *arms)

    def ask_next() -> Any:
        number, item = next(counted, (0, MISSING))
        if number == FEW_ITEMS:
            need_loop(others)
        return (not end) if item is MISSING else ask(item)

    def stop() -> Any:
        return end

    return ask(first)


def _in_turn(first: Any, others: Iterator[Any], end: bool) -> Any:
    """Ask the items in branches that follow each other."""
    found = bool_(first)
    is_over = False

    def ask_next() -> Any:
        nonlocal is_over
        item = next(others, MISSING)
        is_over = item is MISSING
        return (not end) if is_over else bool_(item)

    def stop() -> Any:
        return end

    while not is_over:
        if not is_staged(found):
            if bool(found) is end:
                return end
            found = ask_next()
            continue
        arms = (stop, ask_next) if end else (ask_next, stop)
        with located():
            found = stage_cond(found, *arms)
    return found


any_: Callable[..., Any] = _quantifier(any, True)
all_: Callable[..., Any] = _quantifier(all, False)
