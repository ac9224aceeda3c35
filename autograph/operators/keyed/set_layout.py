"""The table of one of Python's own sets, read from its memory: no method of a set tells it.

Two sets that give the same items in the same order may give them in another one after the same
change, as what was taken out leaves its slots taken, and room for more is made in advance.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence, Set
from typing import Any

import numpy as np

from autograph.operators.keyed.set_tables import FILL, FINGER, FREE, LAST, TAKEN, slots_of
from runtime import default_graph
from runtime.dispatch import as_known


class _Set(ctypes.Structure):
    """The fields of `PySetObject` behind those of all objects, in CPython 3.10 to 3.14."""

    _fields_ = (
        ("fill", ctypes.c_ssize_t),
        ("used", ctypes.c_ssize_t),
        ("mask", ctypes.c_ssize_t),
        ("table", ctypes.c_void_p),
        ("hash", ctypes.c_ssize_t),
        ("finger", ctypes.c_ssize_t),
    )


def _set_at(items: Set[Any]) -> _Set:
    return _Set.from_address(id(items) + object.__basicsize__)


def _keys(at: _Set) -> Any:
    """Return the addresses of the keys in the slots of a table, which are beside their hashes."""
    entries = (ctypes.c_ssize_t * (2 * at.mask + 2)).from_address(at.table)
    return np.frombuffer(entries, np.intp)[::2]


def table_of(items: Set[Any]) -> Any:
    """Return the table of a set or frozenset, with positions in the order of its items.

    Example:
        >>> table_of({1, 8}).tolist()
        [2, 0, 7, 0, 1, -1, -1, -1, -1, -1, -1]
    """
    at = _set_at(items)
    assert at.used == len(items), "this interpreter has sets of another layout"
    keys = _keys(at)
    is_item = np.isin(keys, np.fromiter(map(id, items), np.intp, len(items)))
    slots = np.where(is_item, np.cumsum(is_item) - 1, np.where(keys == 0, FREE, TAKEN))
    return np.concatenate([[at.fill, at.finger, at.mask], slots])


def known_slots(container: Any) -> Any:
    """Return the table of a set as a known array of the graph; None of other containers."""
    builder = default_graph.current()
    assert builder is not None
    return as_known(builder, table_of(container)) if type(container) is set else None


def _has_table(made: set[Any], items: Sequence[Any], table: Any) -> bool:
    """Tell whether a set of these items has a table."""
    at = _set_at(made)
    if at.mask != table[LAST] or at.fill != table[FILL]:
        return False
    ids = np.fromiter(map(id, items), np.intp, len(items))
    positions, keys = slots_of(table), _keys(at)
    return bool(
        np.array_equal(keys[positions >= 0], ids[positions[positions >= 0]])
        and np.array_equal(keys == 0, positions == FREE)
    )


class KeptSet(set[Any]):
    """What a set held, and the table that it had.

    Attributes:
        items: the same in order.
        table: with positions among these.
    """

    def __init__(self, held: Set[Any]) -> None:
        super().__init__(held)
        self.items = list(held)
        self.table = table_of(held)


class _Filler:
    """Has a slot taken that is its hash."""

    def __init__(self, slot: int) -> None:
        self.slot = slot

    def __hash__(self) -> int:
        return self.slot


def restore(made: set[Any], items: Sequence[Any], table: Any) -> None:
    """Have a set hold items, and have the table that another set had.

    All slots that are not free are taken by fillers first, each of which is where its hash says.
    Then an item comes in the place of each: there is no other that it could be put into, as what is
    in front of it is taken. A table that no history of a set explains is left as Python makes it.

    Args:
        made: the set; what it held is gone.
        items: different ones, in the order in which they probably came.
        table: with positions among these.

    Example:
        >>> made = set()
        >>> restore(made, [0, 8], np.array([2, 0, 7, 1, 0, -1, -1, -1, -1, -1, -1]))
        >>> made, table_of(made).tolist()
        ({8, 0}, [2, 0, 7, 0, 1, -1, -1, -1, -1, -1, -1])
    """
    made.clear()
    _set_at(made).finger = int(table[FINGER])  # Python's own methods leave it where it was
    made.update(items)
    if _has_table(made, items, table):
        return
    slots = slots_of(table)
    fillers = {k: _Filler(k) for k, position in enumerate(slots) if position != FREE}
    made.clear()
    _take(made, list(fillers.values()), len(slots))
    for k in sorted(fillers, key=lambda k: slots[k] < 0):
        made.discard(fillers[k])
        if slots[k] >= 0:
            made.add(items[slots[k]])


def _take(made: set[Any], fillers: Sequence[_Filler], slots: int) -> None:
    """Have a set hold fillers, and have so many slots."""
    most = slots // 2 - 1
    made.update(set(fillers[:most]))  # so many at once have twice the slots
    if _slots(made) < slots:
        made.update(set(fillers[: max(most - len(made), 0)]))  # nothing new, but room for it
    if _slots(made) < slots <= 8 * len(fillers):
        room = 1 << (8 * len(fillers)).bit_length()
        others = {_Filler(k) for k in range(room // 2 - 1 - len(fillers))}
        made.update(others)
        made.difference_update(others)  # where many are taken out, others have four times the slots
    made.update(fillers)


def _slots(made: set[Any]) -> int:
    mask: int = _set_at(made).mask
    return mask + 1
