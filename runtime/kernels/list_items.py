"""Numbers of Python's lists as arrays: of lists of numbers, of tuples of them, and of such lists.

Comes in: what the items of lists are. Goes out: a function that gives the arrays of a list, one for
each place of an item, in front of these where each list in it begins and how long it is. Python
takes 30 to 100 ns for a number, machine code some 10; a call takes as long as one of Python's own
built-in functions, as short lists are read in each call of what they are given to.

    words = width fields heads (class `Kind` dtype)*

The width of an item is 0 where that is a number, and as many arrays as `heads` stand in front.
"""

from __future__ import annotations

import struct
import sysconfig
from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import cache, partial
from typing import Any

import numpy as np

from runtime.kernels.entry import Text
from runtime.kernels.jit import address_of, built_in, is_available, link
from runtime.kernels.llvm import Writer
from runtime.kernels.routines import routines
from runtime.kernels.target import host_target


class Kind(IntEnum):
    """What numbers are."""

    INT = 0
    FLOAT = 1
    BOOL = 2


KINDS = {int: Kind.INT, float: Kind.FLOAT, bool: Kind.BOOL}
_DTYPES = {int: np.int64, float: np.float64, bool: np.bool_}
_SOURCE = """
def read(self: ptr, args: ptr, count: i64) -> ptr:
    return _read(self + Object.ITEMS, args.ptr[0] + Object.ITEMS, args.ptr[1])

def _read(table: ptr, words: ptr, items: ptr) -> ptr:
    fields, heads, count = words.i64[1], words.i64[2], (items + List.LENGTH).i64[0]
    made, is_well, total = py.PyTuple_New(heads + fields), true, count
    if made == null:
        return null
    if heads != 0:
        room = 4
        while room <= count * 2:
            room *= 2
        seen = py.PyMem_RawCalloc(room, 8)
        if seen == null:
            py.Py_DecRef(made)
            return py.PyErr_NoMemory()
        is_new = _new(table, made, 0, count, outside("dtype:int64"))
        if is_new:
            is_new = _new(table, made, 1, count, outside("dtype:int64"))
        if is_new:
            total = _rows(table, items, _data(made, 0), _data(made, 1), seen, room)
            is_well = total != LOST
        py.PyMem_RawFree(seen)
        if not is_new:
            py.Py_DecRef(made)
            return null
    if is_well:
        for j in range(0, fields):
            is_made = _new(table, made, heads + j, total, words.ptr[5 + 3 * j])
            if not is_made:
                py.Py_DecRef(made)
                return null
        if heads == 0:
            is_well = _fill(table, items, 0, words, made)
        else:
            lists, starts, k = (items + List.ITEMS).ptr[0], _data(made, 0), 0
            while k < count:
                is_well = _fill(table, lists.ptr[k], starts.i64[k], words, made)
                k = k + 1 if is_well else LOST
    if is_well:
        return made
    py.Py_DecRef(made)
    py.Py_IncRef(outside("object:None"))
    return outside("object:None")

def _new(table: ptr, made: ptr, place: i64, count: i64, dtype: ptr) -> i1:
    size = space(i64, 1)
    size.i64[0] = count
    py.Py_IncRef(dtype)
    found = numpy.PyArray_Empty(i32(1), size, dtype, i32(0))
    if found == null:
        return false
    (made + TUPLE).ptr[place] = found
    return true

def _data(made: ptr, place: i64) -> ptr:
    return ((made + TUPLE).ptr[place] + Array.DATA).ptr[0]

def _rows(table: ptr, lists: ptr, starts: ptr, lengths: ptr, seen: ptr, room: i64) -> i64:
    items, total = (lists + List.ITEMS).ptr[0], 0
    for k in range(0, (lists + List.LENGTH).i64[0]):
        row = items.ptr[k]
        if (row + Object.TYPE).ptr[0] != outside("object:list"):
            return LOST
        place = ((i64(row) >> 4) * SPREAD >> 20) & room - 1
        while seen.ptr[place] != null:
            if seen.ptr[place] == row:
                return LOST
            place = place + 1 & room - 1
        seen.ptr[place] = row
        count = (row + List.LENGTH).i64[0]
        starts.i64[k] = total
        lengths.i64[k] = count
        total += count
    return total

def _fill(table: ptr, items: ptr, first: i64, words: ptr, made: ptr) -> i1:
    given, beyond = (items + List.ITEMS).ptr[0], space(i32, 1)
    width, fields, heads = words.i64[0], words.i64[1], words.i64[2]
    for k in range(0, (items + List.LENGTH).i64[0]):
        item = given.ptr[k]
        places = given + 8 * k
        if width != 0:
            if (item + Object.TYPE).ptr[0] != outside("object:tuple"):
                return false
            if (item + Object.CONTENT).i64[0] != width:
                return false
            places = item + TUPLE
        for j in range(0, fields):
            x, word = places.ptr[j], words + 24 * (j + 1)
            if (x + Object.TYPE).ptr[0] != word.ptr[0]:
                return false
            kind, found = word.i64[1], _data(made, heads + j)
            if kind == Kind.INT:
                found.i64[first + k] = py.PyLong_AsLongLongAndOverflow(x, beyond)
                if beyond.i32[0] != 0:
                    return false
            elif kind == Kind.FLOAT:
                bits = (x + Object.CONTENT).i64[0]
                if bits & SIZE > INFINITE:
                    return false
                found.i64[first + k] = bits
            else:
                found.i8[first + k] = i8(x == outside("object:True"))
    return true
"""
_KNOWN = {
    "Kind": Kind, "SPREAD": 0x9E3779B1, "SIZE": 2**63 - 1, "INFINITE": 0x7FF << 52,
    "LOST": 2**62, "TUPLE": tuple.__basicsize__,
}  # fmt: skip


@cache
def can_read() -> bool:
    """Tell whether machine code reads lists here: in Pythons with one lock."""
    return is_available() and not sysconfig.get_config_var("Py_GIL_DISABLED")


@cache
def _read() -> Callable[..., Any]:
    """Return the function, which is given words and a list."""
    table: dict[str, int] = {}
    w = Writer(table, host_target())
    routines(w, _SOURCE, "define", "", **_KNOWN)
    lines = [*w.lines, *w.declarations, "!1 = !{}"]
    text = Text("\n".join(lines) + "\n", tuple(table), w.target)
    engine, (place,) = link(text.text, ["read"], text.target)
    return built_in("read", place, [address_of(x, text.target) for x in text.table], engine)


def reader(
    width: int, classes: Sequence[type], is_nested: bool = False
) -> Callable[[list[Any]], tuple[Any, ...] | None]:
    """Return what gives the numbers of a list, an array for each place of an item.

    It gives None if an item is something else, NaN, an integer beyond 64 bits, or a list that is
    there twice.

    Args:
        width: how many numbers the tuples have that are items; 0 for numbers.
        classes: the classes of the numbers, from `KINDS`.
        is_nested: whether such lists are items of the list; where each of them begins, and how long
            it is, are the first arrays then.
    """
    fields = [x for cls in classes for x in (id(cls), KINDS[cls], id(np.dtype(_DTYPES[cls])))]
    words = [width, len(classes), 2 * is_nested, *fields]
    return partial(_read(), struct.pack(f"{len(words)}Q", *words))
