"""What the parameters and results of a graph are to the function that it was made of.

Comes in: which parameter is an argument, a variable, an array from outside; what the function
returns, and what it writes. Goes out: that, and what a call returns, made of the graph's results.

The parameters of a graph are the arrays among the arguments, then the variables that it reads, then
arrays from outside. Its results are the leaves of what is returned, then what is written into
arguments, then what variables hold at the end.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runtime import trees
from runtime.errors import MutationError, OverlapError
from runtime.graph.reference import Reference
from runtime.result_memory import InMemory, OneInMemory
from runtime.tensor import Tensor


@dataclass(frozen=True, slots=True)
class Output:
    """Where one leaf of a function's result comes from.

    Args:
        kind: `"result"` of the graph, `"argument"` (the array that was passed), `"object"` (a list,
            dict or dataclass that was passed), `"static"`, `"variable"`, or `"list"`, made of
            several results.
        position: which result (the first one, for a list), tensor argument or object.
        value: the Python object, for a static one; a reference to a variable; how it is made, for a
            list.
        memory: for a result that may be in memory of the caller's: where (`runtime.result_memory`).
    """

    kind: str
    position: int = 0
    value: Any = None
    memory: InMemory | OneInMemory | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it is what the graph returns, or is given, as it is."""
        return self.kind in ("result", "argument") and self.memory is None

    def leaf(
        self,
        results: Sequence[Any],
        arrays: Sequence[Any],
        objects: Sequence[Any],
        tensors: bool,
        found: Any = None,
    ) -> Any:
        """Return the leaf, made of what a call gives and gets; `tensors`: of `Tensor`s.

        What a list is made with, for all of those of one call, is `found`.
        """
        if self.kind == "object":
            return objects[self.position]
        if self.kind == "static":
            return self.value
        if self.kind == "variable":
            return self.value()
        if self.kind == "argument":
            return arrays[self.position]
        if self.kind == "list":
            return self.value.make(results, self.position, found)
        if tensors:
            return Tensor(results[self.position])
        if self.memory is not None:
            return self.memory.array(results, arrays)
        return results[self.position]


@dataclass(frozen=True, slots=True)
class Slot:
    """A variable or an array from outside that a graph uses.

    Args:
        name: what it is bound by in another process; no two slots of a signature share one.
        thing: returns it; None when it is gone.
        reference: what nodes of the graph call a variable; None for an array.
    """

    name: str
    thing: weakref.ref[Any]
    reference: Reference | None = None


@dataclass(frozen=True, slots=True)
class Signature:
    """What the parameters and results of one graph are.

    Args:
        arguments: the names of the arrays among the arguments.
        reads: the variables that are parameters after those.
        arrays: the arrays from outside that are parameters after these.
        structure: the tree that is returned.
        outputs: the leaves of that tree.
        writes: the numbers of the arguments that are written in place.
        stores: the variables that are assigned.
        are_apart: whether the graph relies on arguments that share no memory.
        in_rows: the numbers of the arguments of which it relies on that they lie in rows.
    """

    arguments: tuple[str, ...]
    reads: tuple[Slot, ...]
    arrays: tuple[Slot, ...]
    structure: trees.Structure
    outputs: tuple[Output, ...]
    writes: tuple[int, ...]
    stores: tuple[Slot, ...]
    are_apart: bool = False
    in_rows: tuple[int, ...] = ()

    @property
    def alone(self) -> Sequence[int]:
        """The numbers of the arguments that share no memory with others."""
        return range(len(self.arguments)) if self.are_apart else self.writes

    @property
    def is_alive(self) -> bool:
        """Whether all variables and arrays from outside are still there."""
        return all(x.thing() is not None for x in (*self.reads, *self.arrays, *self.stores))

    def given(self, arguments: Sequence[Any]) -> list[Any]:
        """Return what the graph is given, for the arrays among the arguments."""
        held = [variable._value for variable in there(self.reads)]
        return [*arguments, *held, *there(self.arrays)]

    def check(self, arguments: Sequence[Any], outside: Sequence[Any] = ()) -> None:
        """Raise MutationError when an array that is written shares memory with another one.

        Args:
            arguments: the arrays among the arguments.
            outside: others that were read while tracing.

        So it is where one does not lie in rows and is written through what `reshape` gives.
        """
        for k in self.in_rows:
            if not arguments[k].flags.c_contiguous:
                raise MutationError(
                    f"{self.arguments[k]} does not lie in rows, so that NumPy's reshape or ravel "
                    "copies it, and the function was traced for an array of which they give views. "
                    "Pass np.ascontiguousarray of it"
                )
        if self.alone:
            arrays = [*arguments, *there(self.arrays), *outside]
            check_overlap(arrays, self.writes, self.arguments)
            check_apart(arrays, self.alone, "asks whether others are", self.arguments)

    def is_locked(self, arguments: Sequence[Any]) -> bool:
        """Tell whether one of the arguments that are written is read-only."""
        return any(map(is_read_only, (arguments[k] for k in self.writes)))

    def store(self, results: Sequence[Any], arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Write the last results of the graph into arguments and variables; return all of them.

        What is a view of one that was written is one of the argument then.
        """
        first_store = len(results) - len(self.stores)
        first_write = first_store - len(self.writes)
        found = [*results[:first_write]]
        for position, new in zip(self.writes, results[first_write:first_store], strict=True):
            arguments[position][...] = new
            found = [moved(x, new, arguments[position]) for x in found]
        for variable, new in zip(there(self.stores), results[first_store:], strict=True):
            variable.store(new)
        return *found, *results[first_write:]


def moved(view: Any, old: Any, new: Any) -> Any:
    """Return the view of an array that another value is of one which lies alike, if it is."""
    are_arrays = all(type(x) is np.ndarray for x in (view, old, new))
    if not are_arrays or old is new or not np.may_share_memory(view, old):
        return view
    if not (old.flags.c_contiguous and new.flags.c_contiguous):
        return view
    first, start = (x.__array_interface__["data"][0] for x in (old, view))
    found = np.ndarray(view.shape, view.dtype, new, start - first, view.strides)
    found.flags.writeable = view.flags.writeable
    return found


def there(slots: Iterable[Slot]) -> list[Any]:
    """Return the variables or arrays that are still there."""
    found = (slot.thing() for slot in slots)
    return [x for x in found if x is not None]


def is_read_only(array: Any) -> bool:
    """Tell whether NumPy refuses to write an array; those of other libraries can be written."""
    return type(array) is np.ndarray and not array.flags.writeable


def overlaps(arrays: Sequence[Any], written: Sequence[int]) -> bool:
    """Tell whether an array that is written shares memory with another one, or with itself."""
    return any(
        _repeats(arrays[k]) or any(_is_shared(arrays, k, j) for j in range(len(arrays)))
        for k in written
    )


def check_overlap(arrays: Sequence[Any], written: Sequence[int], names: Sequence[str] = ()) -> None:
    """Raise MutationError if an array that is written shares memory; OverlapError if with others.

    Args:
        arrays: the arguments, and the arrays from outside that the function uses.
        written: the numbers of those that it writes.
        names: of the arguments.
    """
    for k in written:
        if _repeats(arrays[k]):
            raise MutationError(
                f"{_named(k, names)} repeats its elements (an axis has the stride 0), and the "
                "staged function writes it; pass a copy"
            )
    check_apart(arrays, written, "writes", names)


def check_apart(
    arrays: Sequence[Any], alone: Sequence[int], why: str, names: Sequence[str]
) -> None:
    """Raise OverlapError if some of the arrays, for which there is a reason, share memory."""
    for k in alone:
        for j in range(len(arrays)):
            if _is_shared(arrays, k, j):
                raise OverlapError(
                    f"two arguments share memory: the staged function {why} {_named(k, names)}, "
                    f"and {_named(j, names)} is given, too; pass a copy of the other"
                )


def _is_shared(arrays: Sequence[Any], k: int, j: int) -> bool:
    other = arrays[j]
    return j != k and isinstance(other, np.ndarray) and np.may_share_memory(arrays[k], other)


def _repeats(array: Any) -> bool:
    """Tell whether one place of an array is several of its elements."""
    strides = getattr(array, "strides", ())
    if 0 not in strides or not array.size:
        return False
    pairs = zip(array.shape, strides, strict=True)
    return bool(array.flags.writeable and any(n > 1 and not step for n, step in pairs))


def _named(number: int, names: Sequence[str]) -> str:
    """Return what an argument is called, or an array from outside, in an error."""
    return repr(names[number]) if number < len(names) else "an array from outside"
