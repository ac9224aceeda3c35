"""What `zip` makes of other items: they go on together, up to the end of the shortest."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import islice
from typing import Any

from autograph.operators.control_flow.conditionals import if_exp
from autograph.operators.control_flow.logic import and_, not_
from autograph.operators.iteration.iterator_adapters import Drawn
from autograph.operators.iteration.protocol import only_in_order, same
from autograph.staging.for_loop import Items, Iteration
from runtime.dispatch import apply
from runtime.errors import StagedValueError, exact
from runtime.graph.opdef import REGISTRY
from runtime.tensor import is_staged


class Zipped(Items):
    """Items side by side, up to the end of the shortest.

    Args:
        parts: what `zip` was given.
        strict: whether it is an error unless all end together.
    """

    def __init__(self, parts: Sequence[Items], strict: bool = False) -> None:
        self._parts = parts
        self._counts = self._counted() if strict else None
        self.drawn = tuple(x for part in parts for x in part.drawn)
        self.sources = tuple(x for part in parts for x in part.sources)
        self.outside = tuple(x for part in parts for x in part.outside)
        self.only_draws = all(part.only_draws for part in parts)
        self.is_in_order = any(part.is_in_order for part in parts)
        self.is_streamed = any(part.is_streamed for part in parts)
        self.is_endless = all(part.is_endless for part in parts)
        self.may_change = any(part.may_change for part in parts)
        self._is_shared = self._share()
        self._taken: list[Any] = []

    def _share(self) -> bool:
        """Tell whether parts draw from one iterator so that only Python can tell who gets what."""
        direct = [part for part in self._parts if isinstance(part, Drawn)]
        for k, part in enumerate(direct):
            part.behind = sum(other.drawn == part.drawn for other in direct[k + 1 :])
        places = [one for part in self._parts for x in part.drawn for one in x.places()]
        if len(set(map(id, places))) < len(places) and any(x.items.variables for x in places):
            raise only_in_order()
        are_direct = len(direct) == len(self._parts) and not any(map(_is_behind_others, direct))
        return len(set(map(id, places))) < len(places) and not are_direct

    @property
    def is_staged(self) -> bool:  # type: ignore[override]
        """Whether a part is, and each other is of numbers: such as pairs may have to stay known."""
        others = [x for x in self._parts if not x.is_staged]
        is_part = len(others) < len(self._parts) and all(map(_is_of_numbers, others))
        return is_part and self.in_graph() is not None

    def has(self, index: Any) -> Any:
        """The parts are asked in order, up to the first that has none."""
        if not self._parts:
            return False
        if self._counts is not None and any(map(operator.is_not, self._counts, self._counted())):
            raise StagedValueError(
                "zip(strict=True) of a list that the loop over it changes: which is longer is "
                "known only at its end; write zip() and compare what you count in the loop"
            )
        rounds = None if self._counts is None else self.counted()
        if rounds is not None:
            return rounds.has(index)
        if self._is_shared:
            return self._take(index)
        if not self.is_in_order:
            return reduce(operator.and_, [part.has(index) for part in self._parts])
        first, *others = self._parts
        if self._counts is not None:
            found = first.has(index)
            for position, part in enumerate(others, 2):
                has = part.has(index)
                _need_no(found & not_(has), position, "shorter")
                _need_no(has & not_(found), position, "longer")
            return found
        return and_(first.has(index), *(_asked(part, index) for part in others))

    def _take(self, index: Any) -> bool:
        """Take the items of parts that draw from one iterator in turn, as Python does."""
        self._taken = []
        for part in self._parts:
            found = part.has(index)
            if is_staged(found):
                raise only_in_order()
            if not found:
                return False
            self._taken.append(part.item(index))
        return True

    def _counted(self) -> list[Any]:
        found = (part.whole().counted() for part in self._parts)
        return [None if part is None else part.count for part in found]

    def item(self, index: Any) -> Any:
        rounds = None if self._counts is None else self.counted()
        if rounds is not None:
            return rounds.item(index)
        if self._is_shared:
            return tuple(self._taken)
        return tuple(part.item(index) for part in self._parts)

    def counted(self) -> Iteration | None:
        found = [part.counted() for part in self._parts]
        parts = [x for x in found if x is not None]
        if len(parts) < len(found) or self.drawn:
            return None
        rounds = together(parts)
        return rounds if self._counts is None else _strictly(rounds, [x.count for x in parts])

    def remaining(self, position: int) -> int | None:
        found = [part.remaining(position) for part in self._parts]
        known = [n for n in found if n is not None]
        return min(known) if known and len(known) == len(found) and not self._is_shared else None

    def in_graph(self) -> Items | None:
        found = [part.in_graph() for part in self._parts]
        parts = [x for x in found if x is not None]
        return Zipped(parts, self._counts is not None) if len(parts) == len(found) else None

    def known(self) -> list[Any] | None:
        found = [part.known() for part in self._parts]
        are_all = all(x is not None for x in found)
        return [one for some in found if some for one in some] if are_all else None

    def opened(self) -> Items:
        return Zipped([part.opened() for part in self._parts], self._counts is not None)

    def check_ahead(self, index: int) -> None:
        for part in self._parts:
            part.check_ahead(index)


class Rows:
    """Items by number, which are parts of the graph from the start unless lists are changed.

    Args:
        items: of sequences.
    """

    def __init__(self, items: Items) -> None:
        self._items, self._counted = items, None if items.sources else items.counted()
        self._lists = [x for x in items.known() or () if type(x) is list]
        self._before = [[*x] for x in self._lists]

    def _now(self) -> Items:
        is_changed = not all(map(same, self._lists, self._before))
        return self._items if self._counted is None or is_changed else self._counted

    def has(self, number: Any) -> Any:
        """Tell whether there is an item of a number."""
        return self._now().has(number)

    def item(self, number: Any) -> Any:
        """Return the item of a number, which exists."""
        return self._now().item(number)


def _is_behind_others(part: Drawn) -> bool:
    """Tell whether an iterator that is drawn from again draws itself: its items are gone."""
    return bool(part.behind) and any(x.items.drawn for x in part.drawn)


def _is_of_numbers(part: Items) -> bool:
    known = part.known()
    return known is None or not any(isinstance(x[0], tuple) for x in known if len(x))


def _asked(part: Items, index: Any) -> Callable[[], Any]:
    return lambda: part.has(index)


def together(parts: Sequence[Iteration]) -> Iteration:
    """Return the rounds of parts side by side, of which the shortest ends the loop."""
    counts = [part.count for part in parts]
    count = counts[0] if all(x is counts[0] for x in counts) else reduce(_smaller, counts)

    def element(index: Any, elements: Sequence[Any]) -> Any:
        rest = iter(elements)
        return tuple(part.element(index, list(islice(rest, len(part.sequences)))) for part in parts)

    same_length = all(part.length == parts[0].length for part in parts)
    if count is not counts[0] and not (same_length and parts[0].length is not None):
        return Iteration(count, (), lambda i, _: tuple(part.item(i) for part in parts))
    return Iteration(count, tuple(x for part in parts for x in part.sequences), element)


def _smaller(a: Any, b: Any) -> Any:
    return if_exp(a < b, lambda: a, lambda: b)


def check_strict(items: Items, parts: Sequence[Items]) -> None:
    """Raise the ValueError of `zip(strict=True)` at once where there is no round before it.

    Raises:
        StagedValueError: which part is longer is known only at the end.
    """
    rounds = filter(None, (part.counted() for part in parts))
    counts = [found.count for found in rounds]
    is_shared = len({*map(id, items.drawn)}) < len(items.drawn)
    if items.stream is not None or items.is_streamed or (items.is_in_order and is_shared):
        raise StagedValueError(
            "zip(strict=True) of a dataset or of an iterator: which is longer is known only at its "
            "end; write zip() and compare what you count in the loop"
        )
    if not items.is_in_order and any(not is_staged(count) and count == 0 for count in counts):
        _need_all(reduce(_smaller, counts), counts)


def _may_differ(count: Any, other: Any) -> bool:
    differs = count is not other and count != other
    return is_staged(differs) or bool(differs)


def _strictly(found: Iteration, counts: Sequence[Any]) -> Iteration:
    """Return the rounds of parts, and one that raises the ValueError of `zip(strict=True)`.

    That is the one after the last, if one of the parts has no item then, and another one has.
    """
    if found.length == 0 or not any(_may_differ(count, counts[0]) for count in counts):
        return found

    def element(index: Any, _: Sequence[Any]) -> Any:
        _need_all(index, counts)
        return found.item(index)

    differs = reduce(operator.or_, [count != counts[0] for count in counts[1:]])
    return Iteration(found.count + differs, (), element)


def _need_all(index: Any, counts: Sequence[Any]) -> None:
    """Raise ValueError, now or when the graph runs, where only some parts have an item."""
    first = counts[0]
    for position, count in enumerate(counts[1:], 2):
        for less, more, word in ((count, first, "shorter"), (first, count, "longer")):
            _need_no((index >= less) & (index < more), position, word)


def _need_no(is_wrong: Any, position: int, word: str) -> None:
    before = "argument 1" if position == 2 else f"arguments 1-{position - 1}"
    message = f"zip() argument {position} is {word} than {before}"
    if is_staged(is_wrong):
        apply(REGISTRY["check"], [not_(is_wrong)], error="ValueError", message=message)
    elif is_wrong:
        raise exact(ValueError(message))
