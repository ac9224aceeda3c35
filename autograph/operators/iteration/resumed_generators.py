"""Generators of the user's that are left in staged branches and loops, and gone on with.

Their frames are variables of a function, `step`, which goes on to the next item; see
`converters.resumed`. So how far one has come is a part of the state of branches and loops.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from autograph import conversion
from autograph.converters.generators import Steps
from autograph.operators import table
from autograph.operators.control_flow.variables import CellVariable
from autograph.operators.iteration.protocol import StagedIterator, is_one_pass
from autograph.operators.iteration.staged_range import StagedRange
from autograph.operators.mutation.journal import Slot, made
from autograph.staging.context import journal_now
from autograph.staging.for_loop import Items
from runtime import default_graph
from runtime.errors import StagedValueError
from runtime.tensor import is_staged


def resumed_generator(function: FunctionType) -> Callable[..., StagedIterator]:
    """Return what is called in the place of a generator that is left and gone on with."""
    body, name = conversion.convert_generator(function, table.operators, Steps.RESUMED)

    def make(*args: Any, **kwargs: Any) -> StagedIterator:
        begin = _Begin(function.__name__)
        step, value = body(*args, **kwargs, **{name: begin})
        begin.is_made = True
        return StagedIterator(function.__name__, Resumed(step, value, begin))

    return make


class _Begin:
    """Begins the loops of a generator, of which the first begins where it is made.

    Args:
        name: of the generator.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._builder = default_graph.current()
        self.is_made = False
        self.iterators: list[Any] = []

    def __call__(self, make: Callable[[], Any]) -> Any:
        """Return an iterator over what a function makes; nothing tells when it was made."""
        try:
            return self._begun(make())
        except TypeError as error:
            if self.is_made:
                raise
            raise StagedValueError(
                f"the generator {self._name}() raises where its loop begins ({error}), and how far "
                "it has come is known only when the graph runs"
            ) from error

    def _begun(self, iterable: Any) -> Any:
        if default_graph.current() is not self._builder:
            raise StagedValueError(
                f"the generator {self._name}() begins a loop in a staged branch or loop, and "
                "whether it has begun is known only when the graph runs. Make a list of its items "
                f"before: items = list({self._name}(...))"
            )
        if type(iterable) not in _BEGUN and not is_staged(iterable) and not is_one_pass(iterable):
            raise StagedValueError(
                f"the generator {self._name}() goes over a {type(iterable).__name__}, and how far "
                "it has come is known only when the graph runs. Give it a list of the items"
            )
        self.iterators.append(table.operators.call(iter, iterable))
        return self.iterators[-1]


_BEGUN = frozenset({list, tuple, range, str, bytes, np.ndarray, StagedRange})


class Resumed(Items):
    """The items of a generator that is left and gone on with.

    Args:
        step: goes on to the next item, and tells whether there is one.
        value: returns the item.
        begin: begins its loops.
    """

    is_staged = False
    is_in_order = True

    def __init__(self, step: FunctionType, value: Callable[[], Any], begin: _Begin) -> None:
        self._step = step
        self._value = value
        self._begin = begin
        cells = zip(step.__code__.co_freevars, step.__closure__ or (), strict=True)
        assigned = _assigned(step.__code__)
        self.variables = tuple((x, CellVariable(made(cell))) for x, cell in cells if x in assigned)

    @property
    def drawn(self) -> tuple[StagedIterator, ...]:  # type: ignore[override]
        held = (*self._begin.iterators, *(x.read() for _, x in self.variables))
        return tuple(x for x in held if type(x) is StagedIterator)

    def has(self, index: Any) -> Any:
        journal = journal_now()
        while journal is not None:
            slots = [Slot(name, one, one.read()) for name, one in self.variables]
            journal.record_variables(x for x in slots if not journal.is_born(x.variable.cell))
            journal = journal.around
        return self._step()

    def item(self, index: Any) -> Any:
        return self._value()

    def in_graph(self) -> Items:
        return self


@lru_cache(maxsize=256)
def _assigned(code: CodeType) -> frozenset[str]:
    """Return the names of the variables around a function that it assigns, or functions in it."""
    own = (x.argval for x in dis.get_instructions(code) if x.opname in _ASSIGN)
    inner = (_assigned(x) for x in code.co_consts if isinstance(x, CodeType))
    return frozenset(own).union(*inner)


_ASSIGN = ("STORE_DEREF", "DELETE_DEREF")
