"""The items of an iterator of Python's, kept from when they are taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from autograph.lazy import lazy
from autograph.operators.containers.generator_restarts import GeneratorsNeeded
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.iteration.known_columns import is_plain
from autograph.operators.iteration.protocol import (
    END,
    MOST_ROUNDS,
    Sequenced,
    StagedIterator,
    is_one_pass,
    only_in_order,
    same,
)
from autograph.operators.mutation.journal import taken
from autograph.staging.context import trace_now
from autograph.staging.for_loop import Items, Iteration
from runtime import default_graph
from runtime.errors import StagedValueError
from runtime.graph.walk import effects
from runtime.tensor import Symbol, is_staged


class Taken(Items):
    """The items of an iterator of Python's, which are kept from when they are taken.

    Args:
        python: the iterator.
        in_graph: returns a sequence as a part of the graph, or None.
        given: what it was made of: those of it that are iterators are drawn from.
        function: what made it, if that can be staged; else None.

    Attributes:
        others: what identifies the forms of it that can be left and gone on with.
    """

    is_staged = False
    others: frozenset[Any] = frozenset()

    def __init__(
        self,
        python: Any,
        in_graph: Callable[[Any], Items | None],
        given: Sequence[Any] = (),
        function: Any = None,
    ) -> None:
        self._python = python
        self._in_graph = in_graph
        self._lists = _lists(given)
        self._before = [[*x] for x in self._lists]
        self._changes = 0
        self._given = given
        self._builder = default_graph.current()
        self._taken: list[_Item] = []
        self._at_end: _Item | None = None
        self.drawn = tuple(x for x in given if type(x) is StagedIterator)
        self.outside = tuple(x for x in given if type(x) is not StagedIterator and is_one_pass(x))
        self.is_in_order = bool(self.drawn or self.outside)
        self.is_endless = function is not None and any(x.items.is_endless for x in self.drawn)
        if self.is_endless:
            self.outside += (function,)

    @lazy
    def _is_pure(self) -> bool:
        return bool(self._given) and all(map(is_plain, self._given))

    @property
    def may_change(self) -> bool:  # type: ignore[override]
        return bool(self._lists) and self._is_pure

    def has(self, index: Any) -> Any:
        """Tell whether there is an item, which is drawn by that even if nobody uses it."""
        if is_staged(index):
            return self._all().has(index)
        while self._at_end is None and len(self._taken) <= index:
            self._take()
        found = self._taken[index] if index < len(self._taken) else self._at_end
        assert found is not None
        self._draw(found)
        return found is not self._at_end

    def item(self, index: Any) -> Any:
        if is_staged(index):
            return self._all().item(index)
        self._draw(self._taken[index])
        return self._taken[index].value

    def counted(self) -> Iteration | None:
        return self._all().counted() if self._is_alone() else None

    def in_graph(self) -> Items | None:
        return self._all().in_graph() if self._is_alone() else None

    def known(self) -> list[Any] | None:
        """The items, and the lists that they come from; None where taking them may do something."""
        is_alone = self._is_pure and self._is_alone()
        return [[x.value for x in self._taken], *self._lists] if is_alone else None

    def _is_alone(self) -> bool:
        """Tell whether all items may be taken at once: nothing else sees that."""
        if self.drawn or self.outside or any(map(_may_be_written, self._given)):
            return False
        while self._at_end is None and len(self._taken) < MOST_ROUNDS:
            self._take()
        return self._at_end is not None and not any(x.builder for x in self._taken)

    def _all(self) -> Sequenced:
        if not self._is_alone():
            raise self._refused()
        if {x.version for x in self._taken} - {self._version()}:
            raise only_in_order()
        return Sequenced([x.value for x in self._taken], self._in_graph)

    def _take(self) -> None:
        """Take one more item; those that it is drawn from stay where they are until it is used."""
        builder = default_graph.current()
        if any(staged_list(x) is not None for x in self._lists):
            raise StagedValueError(
                "a staged branch or loop has changed a list since this iterator over it was made. "
                "Make a list of the items before: items = list(...)"
            )
        if self.outside and builder is not self._builder:  # an arm or round that is not this one
            raise self._refused()
        mark, version = builder.mark() if builder is not None else 0, self._version()
        for x in self.outside:
            taken(x)
        places = self._places()
        before = [x.position for x in places]
        value = next(self._python, END)
        after = [x.position for x in places]
        for one, position in zip(places, before, strict=True):
            one.position = position
        new = builder.nodes[mark:] if builder is not None else []
        found = _Item(
            value, before, after, builder if new else None, any(map(effects, new)), version
        )
        if value is END:
            self._at_end = found
        else:
            self._taken.append(found)

    def _draw(self, item: _Item) -> None:
        """Have those that an item is drawn from go on, as far as they did when it was taken."""
        builder = default_graph.current()
        is_gone = item.builder is not None and builder and not item.builder.encloses(builder)
        is_gone = is_gone or item.version != self._version()
        places = self._places()
        if is_gone or [x.position for x in places] not in (item.before, item.after):
            raise self._refused()
        for one, position in zip(places, item.after, strict=True):
            one.position = position

    def _version(self) -> int:
        """Return how often lists that items come from have been found changed."""
        if not all(map(same, self._lists, self._before)):
            self._before = [[*x] for x in self._lists]
            self._changes += 1
        return self._changes

    def _refused(self) -> BaseException:
        """Return what is raised where it cannot tell an item: another form of it may."""
        trace = trace_now()
        if trace is not None and self.others and not self.others <= trace.generators:
            return GeneratorsNeeded(self.others)
        return only_in_order()

    def _places(self) -> list[StagedIterator]:
        """Return the iterators that it is drawn from, and those that they are drawn from."""
        return list({id(one): one for x in self.drawn for one in x.places()}.values())

    def check_ahead(self, index: int) -> None:
        """Raise StagedValueError if to take an item did more than to compute: it may not be due."""
        if index < len(self._taken) and self._taken[index].has_effects:
            raise StagedValueError(
                "a staged condition ends a loop over an iterator whose items do something when "
                "they are made (print, write, check), and which of them are made is known only "
                "when the graph runs. Do that in the body of the loop"
            )


def _may_be_written(value: Any) -> bool:
    """Tell whether the body of a loop may write into what an iterator reads, while it is staged."""
    return type(value) is Symbol or staged_list(value) is not None


def _lists(given: Sequence[Any]) -> list[list[Any]]:
    """Return the lists among some values, and inside them."""
    inner = [x for one in given if type(one) in (list, tuple) for x in _lists(one)]
    return [*(x for x in given if type(x) is list), *inner]


class _Item(NamedTuple):
    """An item: the places of what it is drawn from before and after, and where it was computed.

    Lists that it comes from had changed so often.
    """

    value: Any
    before: list[int]
    after: list[int]
    builder: Any
    has_effects: bool
    version: int
