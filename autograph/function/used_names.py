"""The names that code uses, and how: of globals, of attributes, and how often each is loaded."""

from __future__ import annotations

import dis
import weakref
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from types import CodeType

_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR")
_GROWING = ("append", "extend", "insert", "appendleft", "add")
_OF_THE_TYPE = ("shape", "dtype", "ndim", "size")
"""Attributes of arrays that do not tell what is in them."""
_PASSED_ON = ("STORE_", "GET_ITER", "RETURN_", "YIELD_", "UNPACK_", "LIST_", "BUILD_")
MANY = 1 << 16


class Names:
    """The names that code uses, with those of the functions inside it.

    Attributes:
        globals: the names of globals.
        assigned: the names of globals that are assigned.
        attributes: the names of attributes.
        read: the names of what is not only grown, as by `log.append(x)`.
        loads: how often each name is loaded to see what is there; many times if it is passed on.
    """

    def __init__(self, code: CodeType) -> None:
        self.globals: set[str] = set()
        self.assigned: set[str] = set()
        self.attributes: set[str] = set()
        self.read: set[str] = set()
        self.loads: Counter[str] = Counter()
        instructions = list(dis.get_instructions(code))
        for instruction, following in pairwise((*instructions, instructions[-1])):
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                self.globals.add(instruction.argval)
            elif instruction.opname == "STORE_GLOBAL":
                self.assigned.add(instruction.argval)
            elif instruction.opname in _ATTRIBUTES:
                self.attributes.add(instruction.argval)
            grows = following.opname in _ATTRIBUTES and following.argval in _GROWING
            if instruction.opname.startswith("LOAD_") and not grows:
                self.read.add(instruction.argval)
        self._count_loads(instructions)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                inner = names_of(constant)
                self.globals |= inner.globals
                self.assigned |= inner.assigned
                self.attributes |= inner.attributes
                self.read |= inner.read
                self.loads += inner.loads

    def _count_loads(self, instructions: Sequence[dis.Instruction]) -> None:
        for place, instruction in enumerate(instructions):
            if instruction.opname.startswith("LOAD_") and type(instruction.argval) is str:
                following = _after(instructions, place + 1)
                if following.opname in _ATTRIBUTES and following.argval in _OF_THE_TYPE:
                    continue
                is_passed_on = following.opname.startswith(_PASSED_ON)
                self.loads[instruction.argval] += MANY if is_passed_on else 1


def _after(instructions: Sequence[dis.Instruction], place: int) -> dis.Instruction:
    """Return what is done with what was loaded, or with an item of it that has a constant key."""
    while place + 2 < len(instructions) and instructions[place + 1].opname == "BINARY_SUBSCR":
        if instructions[place].opname != "LOAD_CONST":
            break
        place += 2
    return instructions[min(place, len(instructions) - 1)]


_known: dict[int, tuple[weakref.ref[CodeType], Names]] = {}


def names_of(code: CodeType) -> Names:
    """Return the names in code; found again by its id, since to compare code is slow."""
    known = _known.get(id(code))
    if known is not None and known[0]() is code:
        return known[1]
    found, key, forget = Names(code), id(code), _known.pop
    _known[key] = weakref.ref(code, lambda _: forget(key, None)), found
    return found
