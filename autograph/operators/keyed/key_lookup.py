"""Which key of a staged dict or set is equal to a value: found by a hash table beside the keys.

Keys without a table are compared with the value in one operation over arrays of them.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import partial, reduce
from typing import Any, NamedTuple

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.containers import item_loops
from autograph.operators.containers.code_equality import has_code, is_by_code
from autograph.operators.containers.equality import exact, findable, matching
from autograph.operators.containers.item_kinds import NOTHING
from autograph.operators.containers.staged_containers import Content, StagedList
from autograph.operators.containers.storage import fresh
from autograph.operators.control_flow.conditionals import if_exp
from autograph.operators.keyed.key_codes import (
    HASHED,
    KEYED,
    KEYS,
    Keyed,
    columns_of,
    part_of,
    run,
)
from autograph.staging.traced_once import traced_once
from runtime import default_graph, trees
from runtime.dispatch import apply, value_of
from runtime.graph.builder import Builder
from runtime.graph.opdef import REGISTRY
from runtime.tensor import is_staged
from runtime.union import is_numeric, leaf_spec


class Found(NamedTuple):
    """Where a key is.

    Args:
        is_there: whether it is.
        position: of the key, or the length where it is not there.
        slot: its own in the table, or the one that it would get; None without a table.
    """

    is_there: Any
    position: Any
    slot: Any = None


class _Last(NamedTuple):
    """The key that was looked for last.

    Args:
        builder: of the graph in which it was.
        rollbacks: how often nodes were dropped from that.
        table: in which it was.
        leaves: of the key.
        found: where it is.
    """

    builder: Builder
    rollbacks: int
    table: Any
    leaves: Sequence[Any]
    found: Found

    def holds(self, builder: Builder, table: Any, leaves: Sequence[Any]) -> bool:
        """Tell whether it is the one that is looked for now, and known here."""
        is_same = table is self.table and len(leaves) == len(self.leaves)
        if not is_same or not all(a is b for a, b in zip(leaves, self.leaves, strict=True)):
            return False
        is_kept = self.rollbacks == self.builder.rollbacks and self.builder.encloses(builder)
        return is_kept and self.builder.has(value_of(self.found.slot))


def find(staged: StagedList, key: Any) -> Found:
    """Return where a key of a dict, or an item of a set, is."""
    content = staged.content
    keys = part_of(content, KEYS) if isinstance(staged.python, dict) else content
    if keys.kind == NOTHING:
        return Found(False, 0)
    if is_by_code(keys.kind) or has_code(key):
        place = table.operators.call(item_loops.position, _listed(keys), key)
        is_there = place >= 0
        return Found(is_there, if_exp(is_there, lambda: place, lambda: keys.length))
    leaves = findable(staged, keys.kind, key) if content.table is not None else None
    columns = columns_of(keys)
    if leaves is None or not all(map(_is_hashed, leaves)):
        rows = [exact(buffer[: keys.length]) for buffer in keys.buffers]
        matches = matching(staged, keys.kind, rows, key)
        is_there = apply(REGISTRY["truth"], [rnp.any(matches)])
        first = lambda: apply(REGISTRY["to_int"], [rnp.argmax(matches)])  # noqa: E731
        return Found(is_there, if_exp(is_there, first, lambda: keys.length))

    builder = default_graph.current()
    assert builder is not None
    if staged.last is not None and staged.last.holds(builder, content.table, leaves):
        last: Found = staged.last.found
        return last

    slot, entry = traced_once(_LOOKED_UP[content.keyed], content.table, columns, leaves)
    is_there = entry >= 0
    found = Found(is_there, if_exp(is_there, lambda: entry, lambda: keys.length), slot)
    staged.last = None
    if is_staged(slot):
        staged.last = _Last(builder, builder.rollbacks, content.table, leaves, found)
    return found


def _is_hashed(leaf: Any) -> bool:
    return is_numeric(leaf) and leaf_spec(leaf).dtype.kind in HASHED


def _looked_up(keyed: Keyed, found: Any, columns: Any, leaves: Sequence[Any]) -> tuple[Any, Any]:
    """Return the slot of a key in a table, and what that holds."""

    def is_key(position: Any) -> Any:
        pairs = zip(trees.flatten(columns)[0], leaves, strict=True)
        return reduce(operator.and_, [exact(x[position]) == leaf for x, leaf in pairs])

    slot = table.operators.call(keyed.tables.slot_of, found, keyed.code_of(leaves, columns), is_key)
    return slot, apply(REGISTRY["item"], [found[slot]])


_LOOKED_UP = {key: partial(_looked_up, keyed) for key, keyed in KEYED.items()}


def _listed(keys: Content) -> Any:
    """Return a list of keys."""
    return fresh("keys", keys.kind, [x[: keys.length] for x in keys.buffers])


def enter(staged: StagedList, found: Found) -> None:
    """Put a key into the table, which is at its position already."""
    content = staged.content
    if found.slot is not None:
        changed = run("put", content, content.table, found.slot, found.position)
        staged.content = content._replace(table=changed)


def leave(staged: StagedList, found: Found) -> None:
    """Take a key out of the table, which is at its position still."""
    content = staged.content
    if content.table is not None and found.slot is not None:
        changed = run("removed", content, content.table, found.slot)
        staged.content = content._replace(table=changed)
