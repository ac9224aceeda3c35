"""Numbers of Python's lists as arrays: of lists of numbers, of tuples of them, and of such lists.

Comes in: a list, and what its items are. Goes out: an array for each place of an item, in front of
these where each list begins and how long it is. Python takes 30 to 100 ns for a number, machine
code some 10.

    words  = for each place of an item: class, `Kind`, array
"""

from __future__ import annotations

import ctypes
import struct
import sysconfig
from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import cache, lru_cache
from typing import Any

import numpy as np

from runtime.kernels.entry import Text
from runtime.kernels.jit import address_of, is_available, link
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
def rows(table: ptr, lists: ptr, heads: ptr, counts: ptr, places: ptr, room: i64) -> i64:
    items, total = (lists + List.ITEMS).ptr[0], 0
    starts, lengths = (heads + Array.DATA).ptr[0], (counts + Array.DATA).ptr[0]
    seen = (places + Array.DATA).ptr[0]
    for k in range(0, (lists + List.LENGTH).i64[0]):
        row = items.ptr[k]
        if (row + Object.TYPE).ptr[0] != outside("object:list"):
            return -1
        place = ((i64(row) >> 4) * SPREAD >> 20) & room - 1
        while seen.ptr[place] != null:
            if seen.ptr[place] == row:
                return -1
            place = place + 1 & room - 1
        seen.ptr[place] = row
        count = (row + List.LENGTH).i64[0]
        starts.i64[k] = total
        lengths.i64[k] = count
        total += count
    return total

def fill(table: ptr, items: ptr, first: i64, width: i64, fields: i64, words: ptr) -> i1:
    given, beyond = (items + List.ITEMS).ptr[0], space(i32, 1)
    for k in range(0, (items + List.LENGTH).i64[0]):
        item = given.ptr[k]
        places = given + 8 * k
        if width != 0:
            if (item + Object.TYPE).ptr[0] != outside("object:tuple"):
                return false
            if (item + Object.CONTENT).i64[0] != width:
                return false
            places = item + Object.CONTENT + 8
        for j in range(0, fields):
            x, word = places.ptr[j], words + 24 * j
            if (x + Object.TYPE).ptr[0] != word.ptr[0]:
                return false
            kind, found = word.i64[1], (word.ptr[2] + Array.DATA).ptr[0]
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

def fill_rows(table: ptr, lists: ptr, heads: ptr, width: i64, fields: i64, words: ptr) -> i1:
    items, starts = (lists + List.ITEMS).ptr[0], (heads + Array.DATA).ptr[0]
    for k in range(0, (lists + List.LENGTH).i64[0]):
        is_well = fill(table, items.ptr[k], starts.i64[k], width, fields, words)
        if not is_well:
            return false
    return true
"""
_NAMES = ("rows", "fill", "fill_rows")


@cache
def can_read() -> bool:
    """Tell whether machine code reads lists here: in Pythons with one lock."""
    return is_available() and not sysconfig.get_config_var("Py_GIL_DISABLED")


def _text() -> Text:
    """Return the module, with what its table holds."""
    table: dict[str, int] = {}
    w = Writer(table, host_target())
    known = {"Kind": Kind, "SPREAD": 0x9E3779B1, "SIZE": 2**63 - 1, "INFINITE": 0x7FF << 52}
    routines(w, _SOURCE, "define", "", **known)
    return Text("\n".join([*w.lines, *w.declarations, "!1 = !{}"]) + "\n", tuple(table), w.target)


@cache
def _functions() -> tuple[Callable[..., Any], ...]:
    """Return the functions; they are given the table by themselves."""
    text, pointer, number = _text(), ctypes.c_void_p, ctypes.c_int64
    engine, places = link(text.text, _NAMES, text.target)
    table = (ctypes.c_uint64 * len(text.table))(*(address_of(x, text.target) for x in text.table))
    own = ctypes.py_object
    filling = (pointer, own, number, number, number, pointer)
    kinds: Any = (
        (number, pointer, own, own, own, own, number),
        (ctypes.c_bool, *filling),
        (ctypes.c_bool, *filling[:2], own, *filling[3:]),
    )
    found = [ctypes.PYFUNCTYPE(*types)(place) for types, place in zip(kinds, places, strict=True)]
    _KEPT[:] = engine, table
    return tuple(found)


_KEPT: list[Any] = []
"""What holds the code, and its table."""


def arrays(items: list[Any], width: int, classes: Sequence[type]) -> list[Any] | None:
    """Return the numbers of a list, an array for each place of an item.

    Args:
        items: are numbers, or tuples of as many as `width` says.
        width: 0 for numbers.
        classes: the classes of the numbers, from `KINDS`.

    Returns: arrays; None if an item is something else, NaN, or an integer beyond 64 bits.
    """
    found, words = _room(len(items), classes)
    fill = _functions()[1]
    return found if fill(_KEPT[1], items, 0, width, len(classes), words) else None


def arrays_of_rows(lists: list[Any], width: int, classes: Sequence[type]) -> list[Any] | None:
    """Return where each list of a list begins, how long it is, and the numbers of all of them.

    Args:
        lists: holds lists, each of them once.
        width, classes: as for `arrays`.

    Returns: arrays; None if something else is there, or a list twice.
    """
    rows, _, fill_rows = _functions()
    starts, lengths = np.empty((2, len(lists)), np.int64)
    room = 2 << len(lists).bit_length()
    seen = np.zeros(room, np.int64)
    count = rows(_KEPT[1], lists, starts, lengths, seen, room)
    if count < 0:
        return None
    found, words = _room(count, classes)
    is_well = fill_rows(_KEPT[1], lists, starts, width, len(classes), words)
    return [starts, lengths, *found] if is_well else None


def _room(count: int, classes: Sequence[type]) -> tuple[list[Any], bytes]:
    """Return arrays for numbers of some classes, and what says where they are."""
    known = _words(tuple(classes))
    found: list[Any] = [np.empty(count, dtype) for dtype, _, _ in known]
    words = [n for x, (_, *own) in zip(found, known, strict=True) for n in (*own, id(x))]
    return found, struct.pack(f"{len(words)}Q", *words)


@lru_cache(maxsize=256)
def _words(classes: tuple[type, ...]) -> list[tuple[np.dtype[Any], int, int]]:
    """Return the dtype of the arrays for numbers of some classes, and what words say of these."""
    return [(np.dtype(_DTYPES[x]), id(x), int(KINDS[x])) for x in classes]
