"""The entry of calls of objects, as a routine; `calls` has the grammar of what it reads.

Comes in: where an object has the list of its records. Goes out: text, and the table of what it
needs from outside. Nothing runs here.
"""

from __future__ import annotations

from enum import IntEnum

from runtime.kernels.entry import Text
from runtime.kernels.llvm import Writer
from runtime.kernels.routine_values import pointer
from runtime.kernels.routines import routines
from runtime.kernels.target import Target

MOST = 32
"""How many parameters a record has at most."""
DEAREST, COST = 1024, 64
"""At how many misses a target is not tried any more; how many calls with a result undo one."""


class Kind(IntEnum):
    """How an argument is compared."""

    IS = 0
    TYPE = 1
    ARRAY = 2
    EQUAL = 3
    REFERENCE = 4


class Word(IntEnum):
    """The words of a record before its parameters."""

    COUNT = 0
    TARGET = 1
    CHECK = 2
    GIVES_UP = 3
    GIVEN = 4
    OFFSET = 5
    MISSES = 6


class Of(IntEnum):
    """The words of a parameter; an array has its extents from `EXTENTS` on."""

    BYTES = 0
    DEFAULT = 1
    KIND = 2
    TYPE = 3
    VALUE = 4
    RANK = 5
    EXTENTS = 6


def call_text(slot: int, target: Target) -> Text:
    """Return the module, for instances that hold the list of their records at a place."""
    table: dict[str, int] = {}
    w = Writer(table, target)
    known = {"SLOT": slot, "MOST": MOST, "DEAREST": DEAREST, "COST": COST}
    known["WORDS"] = 8 * len(Word)
    own = {"Kind": Kind, "Word": Word, "Of": Of, "outside_at": pointer("@outside"), "line": w.line}
    routines(w, _CALL, "define", "", **known, **own)
    text = ["@outside = internal global ptr null", *w.lines, *w.declarations, "!1 = !{}"]
    return Text("\n".join(text) + "\n", tuple(table), target)


_CALL = """
def begin(table: ptr):
    outside_at.ptr[0] = table

def call(self: ptr, args: ptr, count: i64, names: ptr) -> ptr:
    line("%table = load ptr, ptr @outside")
    found, given = space(ptr, MOST), space(ptr, MOST)
    records = (self + SLOT).ptr[0]
    if not (outside("paused").i64[0] != 0 or names != null or records == null):
        k = 0
        while k < (records + List.LENGTH).i64[0]:
            item = (records + List.ITEMS).ptr[0].ptr[k]
            py.Py_IncRef(item)
            record = item + Object.ITEMS
            is_valid = record.i64[Word.MISSES] <= DEAREST
            if is_valid:
                is_valid = _fits(table, record, args, count, found)
            check = record.ptr[Word.CHECK]
            if is_valid and check != null:
                answer = py.PyObject_CallNoArgs(check)
                if answer == null:
                    py.Py_DecRef(item)
                    return null
                is_valid = answer == outside("object:True")
                py.Py_DecRef(answer)
            if is_valid:
                size, words = record.i64[Word.GIVEN], record + record.i64[Word.OFFSET]
                for j in range(0, size):
                    word = words.i64[j]
                    if word < MOST:
                        word = found.i64[word]
                    given.i64[j] = word
                    if word & 1 != 0:  # no object's address is odd
                        given.ptr[j] = py.PyObject_CallNoArgs(given.ptr[j] + -1)
                target = record.ptr[Word.TARGET]
                result = py.PyObject_VectorcallDict(target, given, size, null)
                for j in range(0, size):
                    if words.i64[j] >= MOST and words.i64[j] & 1 != 0:
                        py.Py_DecRef(given.ptr[j])
                gives_up, misses = record.i64[Word.GIVES_UP], record.i64[Word.MISSES]
                if gives_up != 0 and result == outside("object:None"):
                    record.i64[Word.MISSES] = misses + COST
                    py.Py_DecRef(result)
                    py.Py_DecRef(item)
                    break
                if misses != 0:
                    record.i64[Word.MISSES] = misses - 1
                py.Py_DecRef(item)
                if gives_up == 2 and result != null:
                    py.Py_DecRef(result)
                    py.Py_IncRef(outside("object:None"))
                    return outside("object:None")
                return result
            py.Py_DecRef(item)
            k += 1
    total = count
    if names != null:
        total += py.PyTuple_Size(names)
    all = reserve(ptr, total + 1)
    all.ptr[0] = self
    memcpy(all + 8, args, total * 8)
    otherwise = function(ptr, outside("vectorcall"))
    return otherwise(outside("otherwise"), all, count + 1, names)

def _fits(table: ptr, record: ptr, args: ptr, count: i64, found: ptr) -> i1:
    wanted, parameter = record.i64[Word.COUNT], record + WORDS
    if count > wanted:
        return false
    for k in range(0, wanted):
        place = args + k * 8 if k < count else parameter + 8 * Of.DEFAULT
        object = place.ptr[0]
        if object == null:
            return false
        found.ptr[k] = object
        kind, value = parameter.i64[Of.KIND], parameter.ptr[Of.VALUE]
        if kind == Kind.IS:
            if object != value:
                return false
        elif kind == Kind.REFERENCE:
            held = py.PyObject_CallNoArgs(value)
            py.Py_DecRef(held)
            if object == outside("object:None") or held != object:
                return false
        else:
            if (object + Object.TYPE).ptr[0] != parameter.ptr[Of.TYPE]:
                return false
            if kind == Kind.EQUAL:
                if py.PyObject_RichCompareBool(object, value, i32(2)) != 1:
                    return false
            elif kind == Kind.ARRAY:
                dtype, own = (object + Array.DTYPE).ptr[0], (object + Array.RANK).i32[0]
                rank, sizes = parameter.i64[Of.RANK], (object + Array.SIZES).ptr[0]
                if dtype != value or own != i32(rank):
                    return false
                for j in range(0, rank):
                    extent = parameter.i64[j + Of.EXTENTS]
                    if not below(extent, 0) and sizes.i64[j] != extent:
                        return false
        parameter += parameter.i64[Of.BYTES]
    return true
"""
