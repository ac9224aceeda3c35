"""Tensors: `Tensor` holds an array, `Symbol` stands for a value of the graph that is being built.

Both are `TensorLike`, and get their operators and methods from one place (`runtime.methods`). Both
behave as NumPy arrays do, mutation and views included: a symbol is a box whose value is replaced
when it is written, and a view knows its base.

A symbol may be *known*: its array was made while tracing from nothing but known values, such as
`np.zeros(3)`. Python can decide on it as usual. It becomes staged when a staged value is written
into it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from runtime import default_graph
from runtime.backends import on_host
from runtime.dtypes import STRING, is_string
from runtime.errors import (
    LeakedSymbolError,
    MutationError,
    StagedBoolError,
    StagedIndexError,
    StagedLengthError,
    StagedValueError,
    exact,
)
from runtime.graph.builder import Builder
from runtime.graph.location import Location
from runtime.graph.node import Value
from runtime.graph.opdef import OpDef
from runtime.graph.reference import Reference
from runtime.operator_mode import Operate
from runtime.ops.effects import GIVEN
from runtime.spec import TensorSpec, spec_of


class TensorLike:
    """What `Tensor` and `Symbol` share; see `runtime.methods` for operators and methods."""

    __slots__ = ()


class Tensor(TensorLike):
    """An array as a value of its own: results of functions that are given tensors are tensors.

    Args:
        array: a NumPy or CuPy array; it is not copied.
        operate: what its operators do; None for what NumPy's do.

    Attributes:
        assign: of a part of a variable that gives tensors: assigns to that part.
    """

    __slots__ = ("__weakref__", "array", "assign", "operate")

    def __init__(self, array: Any, operate: Operate | None = None) -> None:
        if isinstance(array, str):
            array = np.array(array, STRING)
        self.array = np.asarray(array) if isinstance(array, np.generic) else array
        self.operate = operate

    @property
    def spec(self) -> TensorSpec:
        """Its dtype and shape."""
        return spec_of(self.array)

    def numpy(self) -> Any:
        """Return a NumPy copy of the value; of texts, as the reference does, bytes of UTF-8."""
        if is_string(self.spec.dtype):
            return _encoded(self.array.astype(object))
        return np.array(on_host(self.array))[()]

    def __repr__(self) -> str:
        return f"Tensor({self.array!r})"


UNUSUAL: set[type] = {list, tuple, deque}
"""Classes of operands that are no arrays, but stand for some."""


class Readable:
    """An object that stands for an array which changes: what uses it reads it first.

    Attributes:
        is_used: whether there ever was one.
    """

    __slots__ = ()
    is_used: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        UNUSUAL.add(cls)

    def read(self) -> Any:
        """Return what it holds now: an array, a `Tensor`, or a symbol."""
        raise NotImplementedError


def value_now(value: Any) -> Any:
    """Return what an object holds that stands for an array; anything else as it is.

    >>> value_now(3)
    3
    """
    return value.read() if isinstance(value, Readable) else value


_encoded = np.frompyfunc(str.encode, 1, 1)


def values_now(index: Any) -> Any:
    """Return an index, or nested lists, with what the objects in it hold that stand for arrays."""
    if isinstance(index, tuple | list):
        return type(index)(map(values_now, index))
    if isinstance(index, slice):
        return slice(value_now(index.start), value_now(index.stop), value_now(index.step))
    return value_now(index)


class Place:
    """The memory of one array that a trace made or was given.

    Args:
        owner: the symbol of the array.
    """

    __slots__ = ("builder", "is_exposed", "owner")

    def __init__(self, builder: Builder, owner: Symbol | None = None) -> None:
        self.builder = builder
        self.owner = owner
        self.is_exposed = owner is not None and owner.is_param


Places = frozenset[Any]
NO_PLACES: Places = frozenset()


class View(NamedTuple):
    """How a symbol was taken from another one as a view of it."""

    base: Symbol
    op: OpDef
    others: tuple[Any, ...]
    attrs: Mapping[str, Any]
    writable: bool


class Symbol(TensorLike):
    """A value of the graph that is being built, as user code sees it.

    Args:
        builder: the graph, or region, in which it was made.
        value: the graph value that it holds; None for a known or not yet computed one.
        known: the array that it holds, for a known one.
        view: for a view, what it was taken from.

    `unreadable` and `unwritable` say why NumPy's own result of reading or writing it cannot be told
    while tracing, for the error that doing so raises. `joined_places` is set for what was joined:
    where it may be; `born` is when. `is_guarded` is true for a variable whose reads are all guarded
    by a flag, `begins_round` for what a round of a loop begins with, `is_cell` for an array without
    dimensions that the caller can see, `is_varying` for what holds one number for each element of
    an elementwise statement, and is never written in place, as numbers are not. `valid` is set for
    the value of a variable that may be undefined when the graph runs: its name, and the truth value
    that says that it is not. `union` is set for a number that plain Python has as one of several
    classes: which, and that number of each. `variable` is set for what a variable holds, `family`
    for an object: what shares memory with it when the graph runs has the same one. `selected` is
    set for what is one of several arrays: a choice between those; see `runtime.selected`.
    `has_views` tells whether a view was ever taken of it. `assign` is set for a part of a variable
    that gives tensors, and assigns to that part.
    """

    __slots__ = (
        "__weakref__",
        "_first",
        "_known",
        "_lost",
        "_seen",
        "_value",
        "assign",
        "begins_round",
        "born",
        "builder",
        "family",
        "has_views",
        "is_cell",
        "is_guarded",
        "is_param",
        "is_varying",
        "joined_places",
        "own_place",
        "selected",
        "union",
        "unreadable",
        "unwritable",
        "valid",
        "variable",
        "view_of",
    )

    def __init__(
        self,
        builder: Builder,
        value: Value | None,
        known: Any = None,
        view: View | None = None,
    ) -> None:
        self.builder = builder
        self.view_of = view
        self.has_views = False
        if view is not None:
            view.base.has_views = True
        self.is_param = False
        self.unreadable: str | None = None
        self.unwritable: str | None = None
        self.valid: tuple[str, Symbol] | None = None
        self.own_place: Place | None = None
        self.joined_places: Places | None = None
        self.union: Any = None
        self.variable: Reference | None = None
        self.born = 0
        self.is_guarded = False
        self.begins_round = False
        self.is_cell = isinstance(known, np.ndarray) and not known.ndim
        self.is_varying = False
        self.family: Any = None
        self.selected: Any = None
        self._first = value
        self._value = value
        self._known = known
        self._lost: TensorSpec | None = None
        self._seen: tuple[Builder, Value] | None = None

    def __repr__(self) -> str:
        """Return what it prints as while tracing: its name, where it has one, and its spec."""
        if self.known is not None:
            return f"<known {self.known!r}>"
        name = self._value.name if self._value is not None and self._value.name else ""
        return f"<staged {name}{': ' if name else ''}{self.spec}>"

    @property
    def spec(self) -> TensorSpec:
        """Its dtype and shape."""
        known = self.known
        if known is not None:
            return spec_of(known)
        if self._value is None:  # a view of an array that became staged, not computed yet
            assert self._lost is not None
            return self._lost
        return self._value.spec

    @property
    def known(self) -> Any:
        """The array that it is known to be, or None when it is staged."""
        if self._known is not None and self.view_of is not None and self.view_of.base.known is None:
            self._lost = spec_of(self._known)
            self._known = None
        return self._known

    @property
    def first(self) -> Value:
        """The value that it was made with."""
        assert self._first is not None
        return self._first

    @property
    def was_written(self) -> bool:
        """Whether it no longer holds the value that it was made with."""
        return self._value is not self._first

    @property
    def places(self) -> Places:
        """Where it may be; see `runtime.aliasing`. Not for views, which are where their base is."""
        if self.joined_places is not None:
            return self.joined_places
        if self.own_place is None:
            self.own_place = Place(self.builder, self)
        return frozenset([self.own_place])

    def held(self) -> tuple[Value | None, Any]:
        """Return what `restore` takes back."""
        return self._value, self._known

    def restore(self, held: tuple[Value | None, Any]) -> None:
        """Hold again what `held` returned."""
        self._value, self._known = held

    def builder_now(self) -> Builder:
        """Return the current builder; LeakedSymbolError when the symbol is not usable there."""
        builder = default_graph.current()
        if builder is self.builder:
            return builder
        if builder is None or not self.builder.is_open or not self.builder.encloses(builder):
            raise LeakedSymbolError(_leak_message(self))
        return builder


def _origin(symbol: Symbol) -> Location | None:
    """Return where in the user's program a symbol was made."""
    nodes = symbol.builder.nodes
    made = (node.location for node in nodes if symbol._first in node.results)
    return next(made, symbol.builder.location)


def _leak_message(symbol: Symbol) -> str:
    origin = _origin(symbol)
    place = f" made here:\n{origin.describe()}\n" if origin else " "
    return (
        f"a staged value ({symbol.spec}){place}was used after the staged function or region "
        "that made it had ended. It was probably stored in a global, an attribute or a list. "
        "Return it from the function instead"
    )


def is_staged(value: Any) -> bool:
    """Tell whether a value is only known when the graph runs.

    >>> is_staged(3)
    False
    """
    return type(value) is Symbol and value.known is None


def bool_error(symbol: Symbol, what: str = "truth") -> StagedBoolError:
    """Return the error for a staged value where Python asks for its truth."""
    error = StagedBoolError(
        f"the {what} of a staged value ({symbol.spec}) was asked for in code that was not "
        "converted. Inside a function under @autograph.function, `if`, `while`, `and`, `or` and "
        "`not` are staged; in a lambda of a library, a comprehension's `if`, or a function without "
        "source they are not. Write it as a statement of the function, or use np.where"
    )
    if symbol.builder.refused is not None:
        symbol.builder.refused(error)
    return error


INTEGER = "an integer"
"""What an index needs."""

ROWS = "the number of rows to iterate over"
"""What a loop of Python's needs."""

_INSTEAD = "write a `for` loop over it, or give the argument a signature with the length"

_KINDS = {INTEGER: StagedIndexError, ROWS: StagedLengthError}


def value_error(symbol: Symbol, what: str) -> StagedValueError:
    """Return the error for a staged value where Python needs `what`, a number that is known now."""
    instead = _INSTEAD if what == ROWS else "or pass the number to the function as a Python number"
    return _KINDS.get(what, StagedValueError)(
        f"{what} was needed while tracing, and this is a staged value ({symbol.spec}), known only "
        f"when the graph runs. Keep computing with arrays (np.where, x[i], astype), {instead}"
    )


def root_of(symbol: Symbol) -> Symbol:
    """Return the array that a symbol is a view of, or the symbol itself."""
    while symbol.view_of is not None:
        symbol = symbol.view_of.base
    return symbol


def view_of_result(
    op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], spec: TensorSpec
) -> View | None:
    """Return how the result of an op is a view of its first operand; None if it is none.

    A view without axes of an array is an array, too, but `x[0]` is a number.
    """
    base = inputs[0] if op.view else None
    if type(base) is not Symbol:
        return None
    is_array = base.spec.shape != () or base.is_cell
    if not is_array or (spec.shape == () and "..." not in attrs.get("key", "...")):
        return None
    is_single = spec.is_static and prod(n for n in spec.shape or () if isinstance(n, int)) < 2
    return View(base, op, tuple(inputs[1:]), attrs, op.view == "always" or is_single)


LOCKED = "assignment destination is read-only"
"""What NumPy raises a ValueError of where a view cannot be written: the reason `unwritable`."""


def unwritable_error(reason: str) -> Exception:
    """Return the error for a write of what is not written: NumPy's own, or one of ours."""
    return exact(ValueError(LOCKED)) if reason is LOCKED else MutationError(reason)


GIVEN["tensors"] = Tensor
