"""Hash tables as loops in Python: they are converted where staged containers look for keys.

    table = [position | FREE]     as many slots as a power of two, at least half of them free

A key is in the first slot from its home on that is not another one's, and its home is its code in
as many bits as there are slots for (Knuth, The Art of Computer Programming, volume 3, section 6.4,
algorithms L and R). Which keys there are, a table does not know: it is asked with functions of
their positions. Tables are written in place: they are nobody else's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

FREE = -1
SLOTS = 16
"""How many slots the table of an empty container has."""

Code = Callable[[Any], Any]
"""Returns the code of the key at a position."""


def made(count: Any, code: Code) -> Any:
    """Return the table of so many keys, which all differ."""
    slots = SLOTS
    while slots < 2 * count:
        slots *= 2
    return filled(np.full(slots, FREE), count, code)


def filled(table: Any, count: Any, code: Code) -> Any:
    """Return an empty table with so many keys in it."""
    last = len(table) - 1
    for position in range(count):
        slot = code(position) & last
        while table[slot] != FREE:
            slot = (slot + 1) & last
        table[slot] = position
    return table


def slot_of(table: Any, code: Any, is_key: Callable[[Any], Any]) -> Any:
    """Return the slot of a key, or the free one that it would get.

    Args:
        table: where it is looked for.
        code: of the key.
        is_key: tells whether it is at a position.
    """
    last = len(table) - 1
    slot = code & last
    while table[slot] != FREE and not is_key(table[slot]):
        slot = (slot + 1) & last
    return slot


def put(table: Any, slot: Any, position: Any, code: Code) -> Any:
    """Return a table with a key in a slot, and with twice the slots if half of them are taken."""
    table[slot] = position
    if 2 * position + 2 > len(table):
        table = np.concatenate([table, table])
        table[:] = FREE
        table = filled(table, position + 1, code)
    return table


def removed(table: Any, slot: Any, code: Code) -> Any:
    """Return a table without the key in a slot; the positions behind its own are one less."""
    last = len(table) - 1
    position = table[slot]
    if position != FREE:
        hole = slot
        slot = (slot + 1) & last
        while table[slot] != FREE:
            home = code(table[slot]) & last
            if (slot - home) & last >= (slot - hole) & last:
                table[hole] = table[slot]
                hole = slot
            slot = (slot + 1) & last
        table[hole] = FREE
        table -= table > position
    return table
