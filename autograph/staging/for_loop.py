"""Staged `for` loops: a body over a known number of rounds.

What the loop goes over is an `Iteration`: how many rounds there are, and what each receives. The
loop becomes a `reduce`; what its rounds return is stacked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from autograph.staging.carried import initial_values
from autograph.staging.deferred_errors import never_failing
from autograph.staging.join import converted, was_written
from autograph.staging.loop import Loop
from autograph.staging.region import NoState, State, union_of_captures
from autograph.staging.selections import is_selecting
from runtime import trees
from runtime.aliasing import StaleError, meet, places_of, share
from runtime.array_context import arrays_of
from runtime.dispatch import as_value, value_of
from runtime.ops import control as ops
from runtime.spec import WEAK_SPECS, row_spec
from runtime.tensor import Symbol, is_staged
from runtime.union import leaf_spec

NOTHING = NoState()


class Items(ABC):
    """What a loop goes over: whether there is an item of a number, and what it is.

    Attributes:
        is_staged: whether a loop over them is one of the graph.
        is_in_order: whether they must be asked for one after the other, each once.
        sources: staged containers that hold them, which a loop's body may change.
        drawn: iterators that they are drawn from, which go on with them.
        only_draws: whether these alone say what comes next.
        outside: iterators that the tracer cannot set back, which they are drawn from.
        stream: what goes to the next item in each round of a `reduce`, if there is such a thing.
        is_streamed: whether a dataset gives them, to one loop.
        is_endless: whether there is always one more.
        may_change: whether what is taken before it is due may be another item than Python takes.
        variables: names and variables that say how far they have come, beside the place.
    """

    is_staged: bool = True
    is_in_order: bool = False
    sources: tuple[Any, ...] = ()
    drawn: tuple[Any, ...] = ()
    only_draws: bool = False
    outside: tuple[Any, ...] = ()
    stream: Any = None
    is_streamed: bool = False
    is_endless: bool = False
    may_change: bool = False
    variables: tuple[Any, ...] = ()

    @abstractmethod
    def has(self, index: Any) -> Any:
        """Tell whether there is an item of a number."""

    @abstractmethod
    def item(self, index: Any) -> Any:
        """Return the item of a number, which exists."""

    def counted(self) -> Iteration | None:
        """Return them as rounds of which it is known before the first how many there are."""
        return None

    def whole(self) -> Items:
        """Return what they come from, whose number changes only where a list is changed."""
        return self

    def in_graph(self) -> Items | None:
        """Return the same as a part of the graph; None where they are objects of Python."""
        return self if self.is_staged else None

    def known(self) -> list[Any] | None:
        """Return the sequences of Python's that all items are of; None where others are, too."""
        return None

    def remaining(self, position: int) -> int | None:
        """Return how many there are from a place on; None if that is not known while tracing."""
        found = self.counted()
        return None if found is None or found.length is None else max(found.length - position, 0)

    def opened(self) -> Items:
        """Return them where a loop over them begins."""
        return self

    def check_ahead(self, index: int) -> None:
        """Raise StagedValueError if an item may not be made before it is known to be due."""
        return


class Iteration(Items):
    """What a `for` loop goes over: how many rounds, and what each receives.

    Args:
        count: the number of rounds: an int, or a staged integer; or a stream over a dataset.
        sequences: arrays whose elements along the first axis the body receives.
        element: `(number of the round, elements) -> item`.
    """

    def __init__(
        self,
        count: Any,
        sequences: tuple[Any, ...],
        element: Callable[[Any, Sequence[Any]], Any],
    ) -> None:
        self.count = count
        self.sequences = sequences
        self.element = element

    @property
    def length(self) -> int | None:
        """The number of rounds, when it is known while tracing."""
        return None if is_staged(self.count) else int(self.count)

    def has(self, index: Any) -> Any:
        return index < self.count

    def item(self, index: Any) -> Any:
        """Return the item of one round, its elements being views of the sequences."""
        with never_failing():
            elements = [sequence[index] for sequence in self.sequences]
        return self.element(index, elements)

    def counted(self) -> Iteration:
        return self

    def after(self, skipped: Any) -> Iteration:
        """Return the same without its first rounds, of which there are enough."""
        return Iteration(
            self.count - skipped,
            tuple(sequence[skipped:] for sequence in self.sequences),
            lambda index, elements: self.element(index + skipped, elements),
        )


def stage_for(
    iteration: Iteration,
    body: Callable[[Any], Any],
    state: State = NOTHING,
    label: str | None = None,
    until: int | None = None,
) -> tuple[Any, ...]:
    """Stage a `for` loop, and return what its rounds returned, each leaf stacked.

    Args:
        iteration: what the loop goes over.
        body: one round, given the item.
        state: the variables that the body assigns.
        label: the user's name of the loop.
        until: the number of a variable that ends the loop once it is true after a round.

    Raises:
        LoopStateError: a variable changes in a way that one state cannot hold.
    """
    loop, sequences = _trace_for(iteration, body, state)
    region, builder = loop.region, loop.builder
    results = loop.body_results()
    leaves, structure = trees.flatten(region.result[-1])
    outputs = [converted(region, leaf, leaf_spec(leaf)) for leaf in leaves]
    boxes = [symbol for symbol, _ in region.writes]
    outer = [builder.resolve(value_of(symbol)) for symbol in boxes]
    carry = [*initial_values(loop.carried, builder), *outer]
    stacked = [as_value(builder, x) for x in sequences]
    captures = union_of_captures([region], but=outer)
    index, *inner = region.params
    elements, carried = inner[: len(sequences)], inner[len(sequences) :]
    params = [index, *carried, *map(region.builder.resolve, outer), *elements]
    written = [new for _, new in region.writes]
    graph = region.builder.seal(params, [*results, *written, *outputs], captures)
    attrs = {
        "carry": len(carry),
        "sequences": len(sequences),
        "length": iteration.length,
        "label": label,
        "until": None if until is None else _place(loop, until),
    }
    inputs = (as_value(builder, iteration.count), *carry, *stacked, *captures)
    found = builder.emit(ops.reduce, inputs, ops.reduce.attributes(attrs), (graph,))
    loop.finish(found[: len(carry)], boxes)
    if loop.raised is not None:
        raise loop.raised
    rows = [Symbol(builder, value) for value in found[len(carry) :]]
    return trees.unflatten(structure, rows)  # type: ignore[no-any-return]


def _place(loop: Loop, position: int) -> int | None:
    """Return where a variable of one leaf is in the carry; None when no round changes it."""
    positions = [x.position for x in loop.carried for _ in x.all_specs]
    return positions.index(position) if position in positions else None


def _trace_for(
    iteration: Iteration, body: Callable[[Any], Any], state: State
) -> tuple[Loop, tuple[Any, ...]]:
    """Trace the body, with elements as parameters, or as views when the body writes into them."""
    index = WEAK_SPECS[int]
    certain = bool(iteration.length)
    specs = [row_spec(leaf_spec(x)) for x in iteration.sequences]
    sources = [places_of(x) for x in iteration.sequences]

    def run(index: Any, *elements: Any) -> Any:
        for element, places in zip(elements, sources, strict=True):
            if element.spec.shape != ():
                share(element, [places])
                element.begins_round = True
        return body(iteration.element(index, elements))

    if not (is_selecting() and any(spec.shape != () for spec in specs)):  # rows are views
        with suppress(StaleError):
            loop = Loop(state, (index, *specs), run, certain)
            elements = loop.region.symbols[1 : 1 + len(specs)]
            written = arrays_of(loop.region.builder).written
            if not any(map(was_written, elements)) and not meet(chain(*sources), written):
                return loop, iteration.sequences
    return Loop(state, (index,), lambda index: body(iteration.item(index)), certain), ()
