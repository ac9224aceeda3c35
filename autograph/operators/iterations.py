"""How staged loops go over `enumerate`, `reversed`, `map` and `zip` of something."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import islice
from typing import Any

from autograph.operators.conditionals import if_exp
from autograph.operators.logic import not_
from autograph.operators.streams import Changed, Stream
from runtime.control.iteration import Iteration, Live
from runtime.dispatch import apply
from runtime.errors import StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.tensor import is_staged


def without_first(iteration: Iteration, skipped: int) -> Iteration:
    """Return an iteration without its first rounds, of which there are enough."""
    return Iteration(
        iteration.count - skipped,
        tuple(sequence[skipped:] for sequence in iteration.sequences),
        lambda index, elements: iteration.element(index + skipped, elements),
        _numbered(iteration.live, lambda index: index + skipped),
    )


def _numbered(live: Live | None, number: Callable[[Any], Any]) -> Live | None:
    """Return what gives in each round the item of another number."""
    if live is None:
        return None
    goes_on, item = live.goes_on, live.item
    return Live(live.sources, lambda index: goes_on(number(index)), lambda k: item(number(k)))


def _changed(live: Live | None, change: Callable[[Any, Any], Any]) -> Live | None:
    """Return what gives in each round what `(number, item) -> item` makes of the item."""
    if live is None:
        return None
    item = live.item
    return live._replace(item=lambda index: change(index, item(index)))


def enumerated(inner: Iteration | Stream, start: Any) -> Iteration | Stream:
    """Return how a loop goes over `enumerate`."""

    def number(index: Any) -> Any:
        return index if type(start) is int and start == 0 else index + start

    if isinstance(inner, Stream):
        return Changed(inner, lambda index, item: (number(index), item))

    def element(index: Any, elements: Sequence[Any]) -> Any:
        return number(index), inner.element(index, elements)

    live = _changed(inner.live, lambda index, item: (number(index), item))
    return Iteration(inner.count, inner.sequences, element, live)


def backwards(inner: Iteration) -> Iteration:
    """Return how a loop goes over `reversed`."""

    def number(index: Any) -> Any:
        return inner.count - 1 - index

    live = _numbered(inner.live, number)
    if live is not None:
        goes_on = live.goes_on
        live = live._replace(goes_on=lambda index: (index < inner.count) & goes_on(index))
    return Iteration(inner.count, (), lambda index, _: inner.item(number(index)), live)


def mapped(function: Callable[..., Any], inner: Iteration | Stream) -> Iteration | Stream:
    """Return how a loop goes over `map`, given how it goes over `zip` of the iterables."""
    if isinstance(inner, Stream):
        return Changed(inner, lambda index, item: function(*item))

    def element(index: Any, elements: Sequence[Any]) -> Any:
        return function(*inner.element(index, elements))

    live = _changed(inner.live, lambda _, item: function(*item))
    return Iteration(inner.count, inner.sequences, element, live)


def _smaller(a: Any, b: Any) -> Any:
    return if_exp(a < b, lambda: a, lambda: b)


def together(parts: Sequence[Iteration], strict: bool) -> Iteration:
    """Return how a loop goes over `zip`, given how it goes over what that is given.

    Args:
        parts: of which the shortest ends the loop.
        strict: whether a ValueError is raised, before the first round, unless all end together.
    """
    counts = [part.count for part in parts]
    if strict:
        _need_same(counts)
    count = counts[0] if all(x is counts[0] for x in counts) else reduce(_smaller, counts)

    def element(index: Any, elements: Sequence[Any]) -> Any:
        rest = iter(elements)
        return tuple(part.element(index, list(islice(rest, len(part.sequences)))) for part in parts)

    live = _side_by_side(parts, strict)
    same_length = all(part.length == parts[0].length for part in parts)
    if count is not counts[0] and not (same_length and parts[0].length is not None):
        return Iteration(count, (), lambda i, _: tuple(part.item(i) for part in parts), live)
    return Iteration(count, tuple(x for part in parts for x in part.sequences), element, live)


def _side_by_side(parts: Sequence[Iteration], strict: bool) -> Live | None:
    """Return what goes over parts of which some may be changed by the loop; None if none can."""
    sources = tuple(x for part in parts if part.live for x in part.live.sources)
    if not sources:
        return None

    def goes_on(index: Any) -> Any:
        if strict:
            raise StagedValueError(
                "zip(strict=True) of a list that the loop over it changes: which is longer is "
                "known only at its end; write zip() and compare what you count in the loop"
            )
        found = [p.live.goes_on(index) if p.live else index < p.count for p in parts]
        return reduce(operator.and_, found)

    def item(index: Any) -> Any:
        return tuple((part.live or part).item(index) for part in parts)

    return Live(sources, goes_on, item)


def _need_same(counts: Sequence[Any]) -> None:
    """Raise the ValueError of `zip(strict=True)`, now or when the graph runs."""
    for position, count in enumerate(counts[1:], 2):
        before = "argument 1" if position == 2 else f"arguments 1-{position - 1}"
        for differs, word in ((count < counts[0], "shorter"), (count > counts[0], "longer")):
            message = f"zip() argument {position} is {word} than {before}"
            if is_staged(differs):
                apply(REGISTRY["check"], [not_(differs)], error="ValueError", message=message)
            elif differs:
                raise ValueError(message)
