"""The tables of CPython's sets as loops in Python: they are converted where staged sets are used.

    table = [how many slots are not FREE, where pop() goes on, the last slot]
            + [position | FREE | TAKEN] * slots + room

What a set gives in which order follows from its table alone: from the codes of the items, the order
in which they came, and what was there before. So a staged set has the table that a set of Python's
would have (Objects/setobject.c, CPython 3.10 to 3.14): as many slots, the same probes, the same
growth. Items are in it by their positions among the rows of the set. Tables are written in place,
as they are nobody else's, and grow in their own memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

FILL, FINGER, LAST, HEAD = range(4)
"""Where the numbers in front of the slots are, and how many there are."""

FREE, TAKEN = -1, -2
"""A slot that never had an item, and one whose item was taken out."""

SLOTS = 8
NEAR = 9
"""So many slots behind another one are looked at before a farther one is."""

LARGE = 50000
"""Tables of more items than this grow by two, others by four."""

Code = Callable[[Any], Any]
"""Returns Python's `hash` of the item at a position."""


def empty(slots: int) -> Any:
    """Return a table without items."""
    table = np.zeros(HEAD + slots, np.int64)
    table[HEAD:] = FREE
    table[LAST] = slots - 1
    return table


def slots_of(table: Any) -> Any:
    """Return what is in the slots of a table."""
    return table[HEAD : HEAD + table[LAST] + 1]


def made(count: Any, code: Code) -> Any:
    """Return the table of a set that so many items were put in, one by one, which all differ."""
    table = empty(SLOTS)
    for position in range(count):
        table = put(table, _free(table, code(position)), position, code)
    return table


def slot_of(table: Any, code: Any, is_item: Callable[[Any], Any]) -> Any:
    """Return where a table has an item, or where it would be put in.

    Args:
        table: where it is looked for.
        code: of the item.
        is_item: tells whether it is at a position.
    """
    last = table[LAST]
    home = slot = code & last
    left = NEAR if home + NEAR <= last else 0
    far, taken = code, FREE
    while table[HEAD + slot] != FREE and not (
        table[HEAD + slot] >= 0 and is_item(table[HEAD + slot])
    ):
        if table[HEAD + slot] == TAKEN:
            taken = slot
        home, slot, left, far = _next(home, slot, left, far, last)
    return HEAD + (taken if table[HEAD + slot] == FREE and taken != FREE else slot)


def _free(table: Any, code: Any) -> Any:
    """Return where an item is put into a table that has neither it nor slots of what was taken."""
    last = table[LAST]
    home = slot = code & last
    left = NEAR if home + NEAR <= last else 0
    far = code
    while table[HEAD + slot] != FREE:
        home, slot, left, far = _next(home, slot, left, far, last)
    return HEAD + slot


def _next(home: Any, slot: Any, left: Any, far: Any, last: Any) -> Any:
    """Return the next slot that is looked at, from where, how many more near it, and what is far.

    Python goes on by `left` slots, and then to one that all bits of the code `far` decide about.
    """
    if left > 0:
        slot += 1
        left -= 1
    else:
        far = far >> 5 & 0x7FFFFFFFFFFFFFF
        home = slot = home * 5 + 1 + far & last
        left = NEAR if home + NEAR <= last else 0
    return home, slot, left, far


def put(table: Any, place: Any, position: Any, code: Code) -> Any:
    """Return a table with an item at a place, which grows when three fifths of it are not free."""
    is_new = table[place] == FREE
    table[FILL] += is_new
    table[place] = position
    if is_new and table[FILL] * 5 >= table[LAST] * 3:
        table = _grown(table, position + 1, code)
    return table


def _grown(table: Any, used: Any, code: Code) -> Any:
    return resized(table, used * 2 if used > LARGE else used * 4, used, code)


def resized(table: Any, least: Any, used: Any, code: Code) -> Any:
    """Return a table of more than so many slots, without those whose items were taken out."""
    slots = SLOTS
    while slots <= least:
        slots *= 2
    is_same = slots == SLOTS == table[LAST] + 1 and table[FILL] == used
    if not is_same:  # where it is, Python leaves so few as they are
        before = table.copy()
        if len(table) < HEAD + slots:
            table = np.concatenate([table, np.zeros(HEAD + slots - len(table), np.int64)])
        table[HEAD:] = FREE
        table[LAST] = slots - 1
        table = _refilled(table, before, used, code)
    return table


def reserved(table: Any, count: Any, used: Any, code: Code) -> Any:
    """Return a table with room for so many further items, as before another set is put in."""
    if count > 0 and (table[FILL] + count) * 5 >= table[LAST] * 3:
        table = resized(table, (used + count) * 2, used, code)
    return table


def filled(table: Any, other: Any, used: Any, code: Code) -> Any:
    """Return a table without items with those of another one, of which there are so many."""
    if table[LAST] == other[LAST] and other[FILL] == used:
        slots_of(table)[:] = slots_of(other)
        table[FILL] = used
    else:
        table = _refilled(table, other, used, code)
    return table


def _refilled(table: Any, other: Any, used: Any, code: Code) -> Any:
    for position in slots_of(other):
        if position >= 0:
            table[_free(table, code(position))] = position
    table[FILL] = used
    return table


def copied(table: Any, used: Any, code: Code) -> Any:
    """Return the table of a copy of a set."""
    slots = SLOTS
    while used * 5 >= (SLOTS - 1) * 3 and slots <= used * 2:
        slots *= 2
    return filled(empty(slots), table, used, code)


def cleared(table: Any) -> Any:
    """Return the table of a set that was emptied."""
    table[HEAD:] = FREE
    table[FILL] = 0
    table[LAST] = SLOTS - 1
    return table


def resumed(table: Any, before: Any) -> Any:
    """Return a table with which `pop` goes on where it does in another one."""
    table[FINGER] = before[FINGER]
    return table


def cleaned(table: Any, used: Any, code: Code) -> Any:
    """Return a table without slots whose items were taken out, if these are a quarter or more."""
    if table[FILL] - used > table[LAST] // 4:
        table = _grown(table, used, code)
    return table


def removed(table: Any, place: Any, code: Code) -> Any:
    """Return a table without the item at a place; the positions behind its own are one less."""
    position = table[place]
    if position >= 0:
        table[place] = TAKEN
        slots = slots_of(table)
        slots -= slots > position
    return table


def next_popped(table: Any) -> Any:
    """Return a table, and the place of the item that `pop` takes out, of a set that has items."""
    slot = table[FINGER] & table[LAST]
    while table[HEAD + slot] < 0:
        slot = slot + 1 & table[LAST]
    table[FINGER] = slot + 1
    return table, HEAD + slot
