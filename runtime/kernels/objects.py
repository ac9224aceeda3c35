"""Where the fields of Python's and NumPy's objects are, in bytes.

Comes in: nothing. Goes out: numbers, which routines know by these names.
"""

from __future__ import annotations

from enum import IntEnum

HEADER = object.__basicsize__
"""The size of what every object begins with; its last word is the type."""
ALIGNED, WRITEABLE = 0x0100, 0x0400
"""Flags of arrays: aligned elements; elements that may be written."""
DENSE, BY_COLUMNS = 0x0001, 0x0002
"""Flags of arrays whose elements have no gaps, in C order or in column order."""


class Object(IntEnum):
    """Fields of any object; items are those of bytes."""

    TYPE = HEADER - 8
    CONTENT = HEADER
    ITEMS = bytes.__basicsize__ - 1


class List(IntEnum):
    """Fields of a list."""

    LENGTH = HEADER
    ITEMS = HEADER + 8


class Array(IntEnum):
    """Fields of an array."""

    DATA = HEADER
    RANK = HEADER + 8
    SIZES = HEADER + 16
    STRIDES = HEADER + 24
    DTYPE = HEADER + 40
    FLAGS = HEADER + 48
