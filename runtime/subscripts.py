"""Reading and writing parts of arrays: what `x[i]`, `x[i] = v` and `x += v` mean for symbols.

Comes in: an array-like and what stands between the brackets, staged values anywhere in it. Goes
out: the op that selects (a view or a copy, as in NumPy), or a symbol that holds its new value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from runtime import default_graph
from runtime.active_tapes import RECORDERS
from runtime.aliasing import note_write
from runtime.dispatch import apply, as_known, as_value, lift, value_of, write
from runtime.errors import DtypeError, MutationError, not_an_operand
from runtime.graph.opdef import OpDef
from runtime.numpy.staged_call import stage_call
from runtime.opaque import Opaque, holds_opaque
from runtime.ops.applied import applied
from runtime.ops.elementwise import cast
from runtime.ops.indexing import gather, index, scatter, update
from runtime.ops.keys import NOT_AN_INDEX, SLOT, read_key, write_key
from runtime.ops.movement import copy
from runtime.ops.strides import in_order_of
from runtime.rows import lies_as, needed_for_rows
from runtime.spec import TensorSpec, spec_of
from runtime.tensor import (
    Symbol,
    Tensor,
    TensorLike,
    is_staged,
    root_of,
    value_now,
)
from runtime.union import Choice

NOT_A_BOUND = "slice indices must be integers or None or have an __index__ method"


class Key(NamedTuple):
    """An index: the text of it, what fills its places, and whether it is an advanced one."""

    text: str
    parts: tuple[Any, ...]
    advanced: bool


def read_index(given: Any) -> Key:
    """Return an index as a key and its parts; IndexError when it is none."""
    items: list[Any] = []
    parts: list[Any] = []
    kinds = [_add_item(item, items, parts) for item in _as_tuple(given)]
    return Key(write_key(items), tuple(parts), any(kinds))


def _as_tuple(given: Any) -> tuple[Any, ...]:
    return given if type(given) is tuple else (given,)


def _add_item(item: Any, items: list[Any], parts: list[Any]) -> bool:
    """Add one item of an index; tell whether it is an advanced one."""
    if item is None or item is ... or type(item) is int:
        items.append(item)
    elif isinstance(item, bool | np.bool_):
        items.append(bool(item))
        return True
    elif isinstance(item, slice):
        items.append(slice(*(_add_bound(bound, parts) for bound in _bounds(item))))
    elif isinstance(item, np.integer | int):
        items.append(int(item))
    else:
        items.append(SLOT)
        return _add_part(item, parts)
    return False


def _add_bound(bound: Any, parts: list[Any]) -> Any:
    bound = value_now(bound)
    if not is_staged(bound):
        if not (bound is None or hasattr(bound, "__index__")):
            raise TypeError(NOT_A_BOUND)
        return None if bound is None else operator.index(bound)
    parts.append(bound)
    return SLOT


def _add_part(item: Any, parts: list[Any]) -> bool:
    """Add an array, a symbol or a list as a part; tell whether it selects element by element."""
    part = lift(item)
    if isinstance(part, list | tuple | range):
        part = np.asarray(part) if len(part) else np.asarray(part, np.intp)
    try:
        spec = describe(part)
    except DtypeError:
        raise IndexError(f"{NOT_AN_INDEX}, not {item!r}") from None
    if spec.dtype.kind not in "biu":
        raise IndexError(f"{NOT_AN_INDEX}, not {spec}")
    parts.append(part)
    return spec.dtype.kind == "b" or spec.shape != () or isinstance(part, np.ndarray)


def describe(value: Any) -> TensorSpec:
    """Return the spec of an operand of any kind; DtypeError when it is no array and no number."""
    value = value_now(value)
    if isinstance(value, Symbol | Tensor):
        return value.spec
    try:
        return spec_of(value)
    except AttributeError:
        raise not_an_operand(value) from None


def get_item(x: Any, given: Any) -> Any:
    """Return `x[given]`: a view for integers and slices, a copy for arrays of indices."""
    if Opaque.is_used and holds_opaque(given):
        return stage_call(operator.getitem, (x, given), {})
    if (found := choice_in(given)) is not None:
        choice, filled = found
        return Choice.each(choice, lambda option: get_item(x, filled(option)))
    key = read_index(given)
    return apply(gather if key.advanced else index, (x, *key.parts), key=key.text)


def choice_in(index: Any) -> tuple[Choice, Callable[[Any], Any]] | None:
    """Return the first choice in an index, and what gives the index with an option in its place.

    A number that may be an integer or a float is such a choice: a float is no index.
    """
    if type(index) is Symbol:
        return None if index.spec.dtype.kind != "f" else _as_choice(index.union)
    if not isinstance(index, slice | tuple | list):
        return _as_choice(index)
    parts: list[Any] = [*index] if not isinstance(index, slice) else _bounds(index)
    found = next(((k, *x) for k, part in enumerate(parts) if (x := choice_in(part))), None)
    return None if found is None else (found[1], partial(_with_part, index, parts, *found[::2]))


def _bounds(index: slice) -> list[Any]:
    return [index.start, index.stop, index.step]


def _with_part(
    index: Any, parts: list[Any], k: int, filled: Callable[[Any], Any], option: Any
) -> Any:
    """Return an index with an option in its k-th part."""
    found = [*parts[:k], filled(option), *parts[k + 1 :]]
    return slice(*found) if isinstance(index, slice) else type(index)(found)


def _as_choice(value: Any) -> tuple[Choice, Callable[[Any], Any]] | None:
    return (value, lambda option: option) if type(value) is Choice else None


def _is_whole(given: Any) -> bool:
    """Tell whether an index is `...` or `()`, which select all of any array."""
    return given is ... or (type(given) is tuple and all(item is ... for item in given))


def set_item(x: Any, given: Any, value: Any) -> None:
    """Do `x[given] = value` to a symbol or a tensor."""
    if Opaque.is_used and holds_opaque((given, value)):
        stage_call(operator.setitem, (x, given, value), {})
        return
    if (found := choice_in(given)) is not None:
        choice, filled = found
        Choice.each(choice, lambda option: set_item(x, filled(option), value))
        return
    value = value_now(value)
    if isinstance(x, Tensor):
        _set_concrete(x.array, given, value)
        return
    if _stays_known(x, given, value):
        note_write(x.builder, root_of(x))
        operator.setitem(x.known, _concrete_index(given), concrete(value))
        return
    if x.is_cell and _is_whole(given) and describe(lift(value)).shape == ():
        write(x, apply(cast, (lift(value),), dtype=x.spec.dtype.name))
        return
    if x.spec.shape == () and not x.is_cell:
        raise DtypeError(f"'numpy.{x.spec.dtype}' object does not support item assignment")
    key = read_index(given)
    op = scatter if key.advanced else update
    if x.spec.dtype == bool and isinstance(value, list | tuple) and _selects_one(x.spec, key):
        value = bool(value)  # NumPy asks for the truth of what becomes one element
    if _is_converted(value):
        _try_conversion(x.spec, given, key, value)
    write(x, _updated(op, (x, value, *key.parts), key=key.text))


def _selects_one(spec: TensorSpec, key: Key) -> bool:
    """Tell whether an index is a number for each axis."""
    items = read_key(key.text)
    are_numbers = all(type(x) is int or x is SLOT for x in items)
    return are_numbers and not key.advanced and len(items) == spec.rank


def _is_converted(value: Any) -> bool:
    """Tell whether NumPy converts a value item by item, and may find that an item is none."""
    if type(value) is Symbol:
        return value.spec.weak and value.spec.dtype.kind == "c"
    return isinstance(value, list | tuple) or type(value) is complex


def _try_conversion(spec: TensorSpec, given: Any, key: Key, value: Any) -> None:
    """Raise what NumPy raises for what does not become elements of what it is assigned to.

    Items are converted as Python converts them, which tells classes of numbers apart.
    """
    like, sample = example(value), tuple(map(_example_item, _as_tuple(given)))
    shape: Any = spec.shape
    if spec.is_static and not any(map(_is_open, _as_tuple(given))):
        shape = spec.shape
    else:  # how much is selected is not known, only how deep it is
        like = np.array(like, spec.dtype)
        if key.advanced or spec.rank is None:
            return
        like, shape = np.zeros((1,) * like.ndim).tolist(), (1,) * spec.rank
        sample = tuple(0 if isinstance(x, int) else x for x in sample)
    room: Any = np.lib.stride_tricks.as_strided(np.zeros(1, spec.dtype), shape, (0,) * len(shape))
    operator.setitem(room, sample if type(given) is tuple else sample[0], like)


def _example_item(item: Any) -> Any:
    return slice(None) if isinstance(item, slice) and _has_staged(item) else example(item)


def _is_open(item: Any) -> bool:
    """Tell whether how much an item of an index selects is known only when the graph runs."""
    if isinstance(item, slice):
        return _has_staged(item)
    return is_staged(item) and item.spec.dtype.kind == "b"


def example(value: Any) -> Any:
    """Return a value, or nested lists, with zeros of their classes in the place of staged ones."""
    if isinstance(value, list | tuple):
        return type(value)(map(example, value))
    value = value_now(value)
    if not is_staged(value) or not value.spec.is_static:
        return concrete(value) if isinstance(value, TensorLike) else value
    zeros = np.zeros(value.spec.shape, value.spec.dtype)
    if value.spec.weak:
        return zeros.item()
    return zeros if value.spec.rank or value.is_cell else zeros[()]


def _updated(op: OpDef, inputs: Sequence[Any], **attrs: Any) -> Any:
    """Apply an op that gives the new value of its first input, which is staged by that."""
    x, value, *parts = inputs
    return apply(op, (x, lift(value), *parts), **attrs)


def _stays_known(x: Any, *others: Any) -> bool:
    """Tell whether a symbol can be written in place: all is known, and the array was made here."""
    return (
        x.known is not None
        and root_of(x).builder is default_graph.current()
        and not any(_has_staged(other) for other in others)
    )


def _has_staged(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_has_staged, value))
    if isinstance(value, slice):
        return any(map(is_staged, _bounds(value)))
    return is_staged(value_now(value))


def _set_concrete(array: Any, given: Any, value: Any) -> None:
    """Write into the array of a tensor."""
    if _has_staged(given) or _has_staged(value):
        raise MutationError(
            "a staged value was written into a Tensor that was made outside of the graph; "
            "return the new value from the function, or write into an array made inside of it"
        )
    operator.setitem(writable(array), _concrete_index(given), concrete(value))


def writable(array: Any) -> Any:
    """Return the array of a tensor, which is to be written; MutationError if it is recorded."""
    for recorder in RECORDERS.active:
        recorder.writes(array)
    return array


def _concrete_index(given: Any) -> Any:
    if type(given) is tuple:
        return tuple(map(concrete, given))
    return concrete(given)


def concrete(value: Any) -> Any:
    """Return an operand with the arrays of tensors and known symbols in the place of them."""
    if isinstance(value, Tensor):
        return value.array
    if isinstance(value, Symbol):
        return value.known
    if isinstance(value, list | tuple) and any(
        isinstance(x, TensorLike | list | tuple) for x in value
    ):
        return type(value)(map(concrete, value))
    return value


def update_in_place(x: Any, new: Any, what: str) -> Any:
    """Make an array hold a result, as `x += y` and `out=x` do, and return it.

    DtypeError when NumPy would not cast the result to the dtype of the array (`same_kind`).
    """
    if type(new) is Choice:
        Choice.each(new, lambda option: update_in_place(x, option, what) is None)
        return x
    spec, found = x.spec, describe(new)
    if not found.weak and not np.can_cast(found.dtype, spec.dtype, "same_kind"):
        raise DtypeError(
            f"Cannot cast {what} output from {found.dtype!r} to {spec.dtype!r} with casting rule "
            "'same_kind'"
        )
    if spec.shape is not None and found.shape is not None and len(found.shape) > len(spec.shape):
        raise ValueError(_no_fit(spec, found))
    if _stays_known(x, new):
        note_write(x.builder, root_of(x))
        x.known[...] = concrete(new)
    else:
        write(x, _fitted(x, new, spec, found))
    return x


def _no_fit(spec: TensorSpec, found: TensorSpec) -> str:
    return f"non-broadcastable output operand {spec} doesn't match the broadcast shape of {found}"


def _fitted(x: Any, new: Any, spec: TensorSpec, found: TensorSpec) -> Any:
    """Return the new value in the shape, dtype and order of the array that is written."""
    if spec.shape is None or found.shape != spec.shape:
        return apply(update, (x, new), key="...")
    fitted = new if found.dtype == spec.dtype else apply(cast, (new,), dtype=spec.dtype.name)
    if len(spec.shape) < 2 or lies_as(as_value(x.builder_now(), fitted), x):
        return fitted
    builder, needed = x.builder_now(), needed_for_rows(x)
    like = [] if needed == frozenset() else [value_of(x)]
    if needed is not None and len(needed) == 1:
        (only,) = needed  # of which it has the order: what is overwritten need not be there
        like = [only] if only.spec.shape == spec.shape else like
    (value,) = builder.emit(in_order_of, [as_value(builder, fitted), *like], {})
    return Symbol(builder, value)


def add_at(x: Any, given: Any, value: Any, ufunc: np.ufunc) -> None:
    """Do `ufunc.at(x, given, value)`, where an index may occur more than once."""
    write(x, with_items(x, given, value, ufunc))


def with_items(x: Any, given: Any, value: Any, ufunc: np.ufunc | None = None) -> Any:
    """Return a copy of an array after `x[given] = value`, or after `ufunc.at(x, given, value)`."""
    key = read_index(given)
    kind = (scatter if key.advanced else update) if ufunc is None else applied(ufunc, "at")
    return apply(kind, (x, lift(value), *key.parts), key=key.text)


def copied(x: Any, order: Any = "K") -> Any:
    """Return an array of its own that holds the same elements."""
    if isinstance(x, Tensor):
        tensor = Tensor(x.array.copy(order), x.operate)
        for recorder in RECORDERS.active:
            recorder.called([x.array], [tensor.array], lambda cotangents, _: cotangents)
        return tensor
    builder = default_graph.current()
    if builder is not None and x.known is not None:
        return as_known(builder, x.known.copy(order))
    if x.spec.shape != ():
        return apply(copy, (x,), order="K" if x.spec.rank == 1 else order)
    found = Symbol(x.builder_now(), value_of(x))
    found.is_cell = x.is_cell
    return found
