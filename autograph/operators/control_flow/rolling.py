"""Loops of Python's that become loops of the graph, as their rounds are alike.

A loop over Python's numbers is unrolled: each round adds its nodes to the graph. Where they become
many, the trace begins again, and the loop is *rolled*: a loop of the graph, whose round number is a
staged value. One of many rounds that sees arrays or containers of the graph is rolled at once. What
a rolled loop does must be what the unrolled one does, so it is given up where rounds turn out to
differ. A loop goes through these forms, each in a trace of its own:

    unrolled, while its nodes are few -> rolled -> rolled after its first round -> unrolled

It is given up where something in it or after it is refused (a round number that picks one of
several objects of Python's, say), where a variable changes its dtype or shape (often only in the
first round), and where tracing it has effects that the graph does not see: it would have them once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Number
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.containers.staged_containers import is_staged_list
from autograph.operators.iteration.protocol import StagedIterator
from autograph.operators.iteration.staged_iterables import part_of
from autograph.operators.mutation.reachable_objects import parts_of
from autograph.staging.context import TraceContext, trace_now
from autograph.staging.copies import TryAgain
from autograph.staging.strictness import keeping_specs
from runtime import default_graph
from runtime.array_context import OutsideArrays
from runtime.graph.node import Node
from runtime.graph.regions import has_loop
from runtime.spec import Shape
from runtime.tensor import Symbol, is_staged

FEW_ROUNDS = 8
"""A loop of so many rounds, those of loops in it included, is not rolled, if there is no loop of
the graph in it."""

FEW_NODES = 100
"""A loop that adds no more nodes than that is not rolled."""

FEW_UNLIKE = 500
"""The same where large arrays have other shapes in other rounds, which a loop of the graph does not
know, if the loop stands alone: of loops in one another all are compiled together, and where arrays
are small, calls cost more than the work."""

FEW_ELEMENTS = 1000
"""An array of more elements is large."""

MUCH_KNOWN = 3000
"""A loop that does more operations on known arrays while it is traced is rolled, if the function is
given nothing that is staged, and the loop has numbers and arrays only: each operation takes as long
as some hundred of plain Python's."""

PROBED = 2
"""After so many rounds it is asked whether a loop is rolled."""

UNROLLED = 2


Place = tuple[str, int] | tuple[str, int, str]
"""The file and the line of a loop's body, and what it is if it is a comprehension."""


class Rolled(NamedTuple):
    """How a loop is staged, as a key of what is known from one trace to the next.

    Args:
        place: where its body is.
        form: how many rounds are unrolled before the loop of the graph; `UNROLLED` for all.
        is_endless: whether only an exception ends it, so that it is never unrolled.
    """

    place: Place
    form: int
    is_endless: bool = False


_ACTIVE: ContextVar[tuple[Rolled, ...]] = ContextVar("active", default=())
_MANY: ContextVar[Growth | None] = ContextVar("many", default=None)
"""The loop whose rounds are so many that it is rolled if a loop of the graph is in it."""


def roll_around() -> None:
    """Begin the trace again with the loop around rolled, before one of the graph is traced in it.

    The trace of its rounds would say nothing else: each has an operation at least.
    """
    around = _MANY.get()
    if around is not None:
        raise LoopIsLong(around._rolled, 1)


Body = Callable[..., Any] | Place
"""The body of a loop, or the place of a comprehension."""


def _place_of(body: Any) -> Place:
    """Return where a loop stands; the code of its body is another one in other forms of it."""
    if isinstance(body, tuple):
        return body
    code = body.__code__
    return code.co_filename, code.co_firstlineno


def _form_of(body: Body) -> int | None:
    """Return how many rounds of a loop are unrolled before it is rolled; None if it is not yet."""
    trace, place = trace_now(), _place_of(body)
    tries = trace.tries if trace is not None else ()
    forms = [x for x in tries if type(x) is Rolled and place in (x.place, x.place[:2])]
    return max((x.form for x in forms), default=None)  # the loop of a comprehension is as that


def rolls(
    body: Callable[..., Any], place: Body, count: Callable[[], int], may_end: bool = False
) -> bool:
    """Tell whether a loop is rolled; one that would be found to be long is from now on.

    Args:
        body: of the loop, or what goes over the items of a comprehension.
        place: where it stands, or its body.
        count: tells how many rounds it has; 0 if they may not be rolled.
        may_end: whether it may end before.
    """
    trace, form = trace_now(), _form_of(place)
    if form is None and trace is not None and not may_end:
        few = [_few_nodes(x) for _, x in parts_of("", body)]
        if any(few) and count() > max(few):
            trace.tries.add(Rolled(_place_of(place), 0))
            return True
    return form in (0, 1) and count() > 0


def _few_nodes(x: Any) -> int:
    """Return how many nodes are few where something is used; 0 if that may add none.

    A number may be handed on as it is.
    """
    items = [x, *(x[:FEW_ROUNDS] if type(x) in (list, tuple) else ())]
    if any(is_staged(one) and one.spec.rank for one in items):
        return FEW_UNLIKE
    return FEW_NODES if is_staged_list(x) else 0


def rounds_of(iterable: Any) -> int:
    """Return how many rounds a loop has that may be rolled; 0 if it goes over anything else.

    Such are ranges, known arrays, long lists and tuples of items that are columns, and what
    `enumerate`, `zip` and the like make of them.
    """
    if type(iterable) is range:
        return len(iterable)
    if type(iterable) in _KNOWN:
        is_long = len(iterable) > PROBED and part_of(iterable) is not None
        return len(iterable) if is_long else 0
    if type(iterable) is not StagedIterator or not iterable.is_known:
        return 0
    items = iterable.items
    part = items.in_graph() if items.known() is not None else None
    return 0 if part is None else part.remaining(iterable.position) or 0


_PLAIN = Number, np.generic, np.ndarray, Symbol, ModuleType, FunctionType, BuiltinFunctionType
_KNOWN = frozenset({list, tuple, np.ndarray, Symbol})


def is_rolled(body: Body) -> bool:
    """Tell whether a loop is one of the graph, perhaps after some rounds of Python's."""
    return _form_of(body) in (0, 1)


def is_given_up(body: Callable[..., Any]) -> bool:
    """Tell whether a loop was to be one of the graph, and cannot be."""
    return _form_of(body) == UNROLLED


def rounds_before(body: Body) -> int:
    """Return how many rounds of a loop that is rolled stay Python's."""
    return _form_of(body) or 0


class Growth:
    """How many nodes the rounds of a loop add to the graph.

    Args:
        body: of the loop.
        count: how many rounds it has at most; None if that is not known.
        is_endless: whether only an exception ends it.
        may_end: whether it may end before.
    """

    def __init__(
        self, body: Body, count: int | None, is_endless: bool = False, may_end: bool = False
    ) -> None:
        self._may_be_early = not may_end
        is_one = count is not None and count <= 1
        self._builder = default_graph.current() if not is_one and _form_of(body) is None else None
        trace = trace_now()
        self._before = 0 if trace is None else trace.rounds
        self._body = body
        self._rolled = Rolled(_place_of(body), 0, is_endless)
        self._count = count
        self._seen = 0 if self._builder is None else len(self._builder.nodes)
        self._known = self._known_so_far()
        self._rounds = self._size = 0
        self._has_loop = False
        self._shapes: list[Any] = []
        self._is_alike = True
        self._has_large = False

    def add_round(self, is_last: bool = False) -> None:
        """Begin the trace again with the loop rolled, if its rounds add many nodes.

        Args:
            is_last: whether no other round is known to come.
        """
        trace = trace_now()
        if trace is None:
            return
        trace.rounds += 1
        if self._builder is None:
            return
        self._rounds += 1
        new = self._builder.nodes[self._seen :]
        self._size += sum(map(_size, new))
        self._has_loop = self._has_loop or any(map(has_loop, new))
        self._seen = len(self._builder.nodes)
        shapes = [x.spec.shape for node in new for x in node.results if x.spec.rank]
        self._is_alike = self._rounds == 1 or (self._is_alike and shapes == self._shapes)
        self._has_large = self._has_large or any(map(_is_large, shapes))
        self._shapes = shapes
        if self._is_much(trace.rounds - self._before, is_last) or self._is_much_known():
            raise LoopIsLong(self._rolled, self._size // self._rounds)

    def _known_so_far(self) -> int:
        """Return how many operations the trace has done on what is known, if all there is is."""
        if self._builder is None or self._builder.root.context(OutsideArrays).arguments:
            return 0
        return self._builder.progress.known

    def _is_much_known(self) -> bool:
        """Tell whether rounds do many operations on known arrays, and on numbers."""
        is_much = self._known_so_far() - self._known > MUCH_KNOWN and callable(self._body)
        return is_much and all(isinstance(x, _PLAIN) for _, x in parts_of("", self._body))

    @contextmanager
    def around(self) -> Iterator[None]:
        """Have the loop rolled, too, when one in it is: it has a loop of the graph in it then."""
        is_many = self._builder is not None and (self._count or 0) > FEW_NODES
        token = _MANY.set(self if is_many and self._may_be_early else _MANY.get())
        try:
            yield
        except LoopIsLong as error:
            count = 0 if self._builder is None else self._count or 0
            if error.size * count > FEW_NODES:
                error.keys.add(self._rolled)
            raise
        finally:
            _MANY.reset(token)

    def _is_much(self, inside: int, is_last: bool) -> bool:
        """Tell whether there are many nodes, and many rounds, those of loops in it included."""
        stands_alone = not _ACTIVE.get() and not self._has_loop
        few = FEW_UNLIKE if stands_alone and self._is_left() else FEW_NODES
        if self._count is None:
            return inside > FEW_ROUNDS and self._size > few
        is_known = is_last or self._rounds >= PROBED
        is_long = inside * self._count > FEW_ROUNDS * self._rounds or self._has_loop
        return is_known and is_long and self._size * self._count > few * self._rounds

    def _is_left(self) -> bool:
        """Tell whether rounds are unlike in shapes, and of large arrays or lists of them."""
        return not self._is_alike and (self._has_large or _fills_ragged_list(self._body))


class LoopIsLong(TryAgain):
    """A loop is to be rolled.

    Args:
        key: how.
        size: how many nodes a round of it has.
    """

    def __init__(self, key: Rolled, size: int) -> None:
        super().__init__(key)
        self.size = size


def _size(node: Node) -> int:
    return 1 + sum(_size(inner) for region in node.regions for inner in region.nodes)


def _is_large(shape: Shape | None) -> bool:
    """Tell whether an array has many elements, or nobody knows how many."""
    sizes = [n if isinstance(n, int) else FEW_ELEMENTS + 1 for n in shape or (None,)]
    return math.prod(sizes) > FEW_ELEMENTS


def _fills_ragged_list(body: Body) -> bool:
    """Tell whether a list has arrays of several shapes, or may have, as it is a comprehension's."""
    if isinstance(body, tuple):
        return True
    lists = (x for _, x in parts_of("", body) if type(x) is list)
    return any(len({one.spec.shape for one in x if is_staged(one)}) > 1 for x in lists)


@contextmanager
def rolled(body: Body, is_endless: bool = False) -> Iterator[None]:
    """Roll a loop in the `with` block, or begin the trace again with the loop in its next form."""
    trace = trace_now()
    assert trace is not None
    this = Rolled(_place_of(body), rounds_before(body), is_endless)
    choices = _objects(trace)
    token = _ACTIVE.set((*_ACTIVE.get(), this))
    try:
        with keeping_specs():
            yield
    except Exception:
        if is_endless and this.form + 1 == UNROLLED:
            raise
        raise TryAgain(this._replace(form=this.form + 1)) from None
    finally:
        _ACTIVE.reset(token)
    are_several = _objects(trace) > choices  # rounds differ in which object of Python's they use
    if are_several and not is_endless:
        raise TryAgain(this._replace(form=this.form + 1))


def _objects(trace: TraceContext) -> int:
    """Return how many joins were made that keep more apart than the classes of numbers."""
    return sum(not all(option.is_number for option in options) for options in trace.choices)


def unroll(body: Callable[..., Any] | None = None) -> None:
    """Give up a loop, or the innermost that is being rolled, as tracing it once is not the same."""
    if body is not None:
        raise TryAgain(Rolled(_place_of(body), UNROLLED))
    if _ACTIVE.get():
        raise TryAgain(Rolled(_ACTIVE.get()[-1].place, UNROLLED))


def unroll_all(tries: set[Any]) -> bool:
    """Have all loops unrolled that were rolled; tell whether there were any."""
    places = {key.place for key in tries if type(key) is Rolled and not key.is_endless}
    before = len(tries)
    tries.update(Rolled(place, UNROLLED) for place in places)
    return len(tries) > before
