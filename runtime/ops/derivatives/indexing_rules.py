"""Rules of reading and writing parts of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from runtime.graph.opdef import OpDef, find_op
from runtime.graph.traits import Addend, Application, Derivative
from runtime.ops.derivatives.constructors import NoDerivativeError
from runtime.ops.keys import read_key


def op_of(name: str) -> OpDef:
    """Return the op of a name, which is defined later than its rule."""
    found = find_op(name)
    assert found is not None
    return found


def numbers(apply: Any, count: Any) -> Any:
    """Return the numbers from 0 up to a count, which may be known only when the graph runs."""
    return np.arange(count) if isinstance(count, int) else apply(op_of("arange"), (0, count, 1))


def read_back(apply: Any, g: Any, x: Any, *parts: Any, key: str) -> Any:
    """Return what was read of an array, to be added where it was read."""
    sizes, items = np.shape(x), read_key(key)
    if all(map(_is_all, items)):
        return np.reshape(g, sizes)
    places = _places(sizes, key)
    if places is not None and all(len(own) == n for own, n in zip(places, sizes, strict=False)):
        turned = tuple(k for k, item in enumerate(items) if _is_backward(sizes[k], item))
        found = np.reshape(g, sizes)
        return np.flip(found, turned) if turned else found

    def into(whole: Any, part: Any = g) -> Any:
        return apply(op_of("update"), (whole, part, *parts), key=key)

    def onto(whole: Any) -> Any:
        before = apply(op_of("index"), (whole, *parts), key=key)
        return into(whole, before + g)

    def of(part: Any) -> Any:
        return read_back(apply, part, x, *parts, key=key)

    alone = lambda: into(np.zeros_like(x))  # noqa: E731
    return Addend(alone, onto, into, places, _at(sizes, key), g, of)


def _is_all(item: Any) -> bool:
    """Tell whether an item of a key reads all of an axis, in its order, or makes one of size 1."""
    return item is None or item is Ellipsis or item == slice(None)


def _places(shape: tuple[Any, ...], key: str) -> tuple[range, ...] | None:
    """Return what known indices and slices read of an array, along its first axes; else None."""
    found = _at(shape, key)
    return None if found is None else tuple(map(_place, found))


def _at(shape: tuple[Any, ...], key: str) -> tuple[range | int, ...] | None:
    """Return the same in the order in which it is read; a number for an axis that is left out."""
    items = read_key(key)
    if len(items) > len(shape) or not all(map(_is_known, shape, items)):
        return None
    pairs = zip(shape, items, strict=False)
    return tuple(range(n)[x] if isinstance(x, slice) else x % n for n, x in pairs)


def _is_known(size: Any, item: Any) -> bool:
    if not isinstance(item, slice):
        return isinstance(size, int) and type(item) is int
    parts = item.start, item.stop, item.step
    return isinstance(size, int) and all(n is None or isinstance(n, int) for n in parts)


def _place(item: range | int) -> range:
    found = range(item, item + 1) if isinstance(item, int) else item
    return found if found.step > 0 else found[::-1]


def _is_backward(size: int, item: Any) -> bool:
    return isinstance(item, slice) and range(size)[item].step < 0


def gathered_back(apply: Any, g: Any, x: Any, *parts: Any, key: str) -> Addend:
    """Return what was gathered from an array, to be added where it was, each time."""

    def onto(whole: Any) -> Any:
        return apply(op_of("add_at"), (whole, g, *parts), key=key)

    return Addend(lambda: onto(np.zeros_like(x)), onto)


def _written_jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
    (x, _, *parts), (s, t, *_) = call.operands, tangents
    if s is None and t is None:
        return [None]
    whole = np.zeros_like(x) if s is None else s
    return [call.apply(call.op, (whole, 0 if t is None else t, *parts), **call.attrs)]


def _written_vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
    """Take the cotangent of what was written from that of the whole, where it is then zero."""
    return _taken_out(call, cotangents[0], op_of("index"))


def _scattered_vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
    """Do the same; of what is written several times, the last counts."""
    found = _taken_out(call, cotangents[0], op_of("gather"))
    (x, _, *parts), key = call.operands, call.attrs["key"]
    if found[1] is not None and any(np.shape(p) and p.dtype.kind != "b" for p in parts):
        shape = np.shape(found[1])
        order = np.reshape(numbers(call.apply, prod(shape)), shape)
        places = call.apply(op_of("scatter"), (np.zeros_like(x, dtype=int), order, *parts), key=key)
        is_last = call.apply(op_of("gather"), (places, *parts), key=key) == order
        found[1] = np.where(is_last, found[1], 0)
    return found


def _taken_out(call: Application, g: Any, read: OpDef) -> list[Any]:
    parts = call.operands[2:]
    # It is read first, so that the other one may be written where it is.
    part = call.apply(read, (g, *parts), **call.attrs) if call.wanted[1] else None

    def filled(found: Any) -> Any:
        return call.apply(call.op, (g, found, *parts), **call.attrs)

    # It has the shape of the array already; what was written may have been broadcast.
    whole = Addend(
        lambda: filled(0),
        lambda total: total + filled(0),
        at=_at(np.shape(g), call.attrs["key"]),
        filled=filled,
    )
    return [whole if call.wanted[0] else None, part, *(None for _ in parts)]


def taken_back(apply: Any, g: Any, x: Any, indices: Any, *, axis: int | None, mode: str) -> Any:
    """Return the cotangent of an array from which elements or slices were taken."""
    sizes = np.shape(x)
    count = sizes[axis] if axis is not None else prod(sizes)
    if mode == "wrap":
        indices = indices % count
    elif mode == "clip":
        indices = np.clip(indices, 0, count - 1)
    if axis is None:
        flat = np.zeros_like(np.reshape(x, (-1,)))
        return np.reshape(apply(op_of("add_at"), (flat, g, indices), key="?"), sizes)
    key = ", ".join([*(":" for _ in range(axis % len(sizes))), "?"])
    return apply(op_of("add_at"), (np.zeros_like(x), g, indices), key=key)


def taken_along_back(apply: Any, g: Any, x: Any, indices: Any, axis: int | None) -> Any:
    """Return the cotangent of an array from which elements along an axis were taken."""
    if axis is None:
        return taken_back(apply, g, x, indices, axis=None, mode="raise")
    sizes, shape = np.shape(x), np.shape(indices)
    is_known = all(isinstance(n, int) for n in (*sizes, *shape))
    if is_known and shape[axis] == 1 and np.shape(g) == shape:
        number = along_axis(apply, sizes, axis)
        return np.where(number == np.where(indices < 0, indices + sizes[axis], indices), g, 0)
    return put_along(apply, "add_at", g, x, indices, axis)


def put_along(apply: Any, name: str, g: Any, x: Any, indices: Any, axis: int) -> Any:
    """Return zeros like an array into which something is put, or added, at places along an axis."""
    sizes = np.shape(x)
    grid = [along_axis(apply, sizes, k) for k in range(len(sizes))]
    grid[axis] = indices
    key = ", ".join("?" for _ in sizes)
    return apply(op_of(name), (np.zeros_like(x), g, *grid), key=key)


def along_axis(apply: Any, sizes: Sequence[Any], axis: int) -> Any:
    """Return the numbers of the places along an axis, in as many axes as an array has."""
    axis %= len(sizes)
    return np.reshape(
        numbers(apply, sizes[axis]), [-1 if k == axis else 1 for k in range(len(sizes))]
    )


def zeros_as(apply: Any, x: Any) -> Any:
    """Return zeros of the shape and dtype of an array, of which nothing else is asked for."""
    sizes = np.shape(x)
    if all(isinstance(n, int) for n in sizes):
        return apply(op_of("filled"), (), value=x.dtype.type(0), shape=sizes)
    return np.zeros_like(x)


def diagonal_back(
    apply: Any, g: Any, x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Any:
    """Return the cotangent of an array of which a diagonal was read."""
    sizes, count = np.shape(x), np.shape(g)[-1]
    if (len(sizes), axis1 % 2, axis2 % 2) == (2, 0, 1) and all(
        isinstance(n, int) for n in (*sizes, count)
    ):
        row = apply(op_of("filled"), (), value=x.dtype.type(0), shape=(sizes[0] * sizes[1],))
        first, step = max(offset, 0) + max(-offset, 0) * sizes[1], sizes[1] + 1
        key = f"{first}:{first + max(count - 1, 0) * step + (count > 0)}:{step}"
        return np.reshape(apply(op_of("update"), (row, g), key=key), sizes)
    moved = np.moveaxis(zeros_as(apply, x), (axis1, axis2), (-2, -1))
    number = numbers(apply, np.shape(g)[-1])
    places = (number + max(-offset, 0), number + max(offset, 0))
    found = apply(op_of("scatter"), (moved, g, *places), key="..., ?, ?")
    return np.moveaxis(found, (-2, -1), (axis1, axis2))


def diag_back(apply: Any, g: Any, x: Any, k: int) -> Any:
    """Return the cotangent of a vector on a diagonal, or of a matrix whose diagonal was read."""
    return np.diag(g, k) if len(np.shape(x)) == 1 else diagonal_back(apply, g, x, k)


def tiled_back(apply: Any, g: Any, x: Any, reps: tuple[int, ...]) -> Any:
    """Return the cotangent of an array that was repeated as a whole."""
    sizes = np.shape(x)
    rank = max(len(sizes), len(reps))
    sizes = (*(1 for _ in range(rank - len(sizes))), *sizes)
    times = (*(1 for _ in range(rank - len(reps))), *reps)
    each = [n for pair in zip(times, sizes, strict=True) for n in pair]
    found = np.sum(np.reshape(g, each), axis=tuple(range(0, 2 * rank, 2)))
    return np.reshape(found, np.shape(x))


def repeated_back(
    apply: Any, g: Any, x: Any, *counts: Any, times: int | None, axis: int | None
) -> Any:
    """Return the cotangent of an array whose elements were each repeated."""
    sizes = np.shape(x)
    place = 0 if axis is None else axis % len(sizes)
    sizes = (prod(sizes),) if axis is None else sizes
    if not counts:
        each = (*sizes[: place + 1], times, *sizes[place + 1 :])
        return np.reshape(np.sum(np.reshape(g, each), axis=place + 1), np.shape(x))
    rows = apply(op_of("repeat"), (numbers(apply, sizes[place]), *counts), times=None, axis=0)
    return taken_back(apply, g, x, rows, axis=axis, mode="raise")


def _padded_jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
    mode = call.attrs["mode"]
    if mode not in _PLACES:
        raise NoDerivativeError(
            f"it is not written for mode={mode!r}, only for {', '.join(_PLACES)}"
        )
    x = call.operands[0]
    t, *of_fill = tangents
    given = [np.zeros_like(x) if t is None else t, *(0 if t is None else t for t in of_fill)]
    return [call.apply(call.op, given, **call.attrs)]


def _padded_vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
    (x, *fill), (g,), widths = call.operands, cotangents, call.attrs["widths"]
    mode = call.attrs["mode"]
    if mode not in _PLACES:
        raise NoDerivativeError(
            f"it is not written for mode={mode!r}, only for {', '.join(_PLACES)}"
        )
    if mode == "constant":
        inner = g[tuple(slice(before, -after or None) for before, after in widths)]
        return [inner, *(np.sum(g) - np.sum(inner) for _ in fill)]
    sizes = np.shape(x)
    places = np.pad(np.reshape(numbers(call.apply, prod(sizes)), sizes), widths, mode)
    return [taken_back(call.apply, g, x, places, axis=None, mode="raise")]


_PLACES = ("constant", "edge", "reflect", "symmetric", "wrap")
"""Modes of padding where each new element is a number, or one of the array."""


def _counted_jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
    _, t = tangents
    return [call.apply(call.op, (call.operands[0], t), **call.attrs)]


def _counted_vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
    return [None, np.take(cotangents[0], call.operands[0])]


def _applied_at_jvp(sign: int) -> Any:
    def jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
        (x, _, *parts), (s, t, *_) = call.operands, tangents
        whole = np.zeros_like(x) if s is None else s
        if t is None:
            return [s]
        return [call.apply(op_of("add_at"), (whole, sign * t, *parts), **call.attrs)]

    return jvp


def _applied_at_vjp(sign: int) -> Any:
    def vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
        (_, _, *parts), (g,) = call.operands, cotangents
        read = None
        if call.wanted[1]:
            read = sign * call.apply(op_of("gather"), (g, *parts), **call.attrs)
        return [g, read, *(None for _ in parts)]

    return vjp


def added_at(sign: int) -> Derivative:
    """Return the derivative of `np.add.at`, or of `np.subtract.at` for the sign -1."""
    return Derivative(_applied_at_jvp(sign), _applied_at_vjp(sign))


PADDED = Derivative(_padded_jvp, _padded_vjp)
COUNTED = Derivative(_counted_jvp, _counted_vjp)
WRITTEN = Derivative(_written_jvp, _written_vjp)
SCATTERED = Derivative(_written_jvp, _scattered_vjp)


ASSIGNED = Derivative(
    lambda call, tangents: [tangents[1 if call.attrs["ends"] else 0]],
    lambda call, cotangents: [None, cotangents[0]] if call.attrs["ends"] else [cotangents[0], None],
)
"""The derivative of what a variable is assigned."""
