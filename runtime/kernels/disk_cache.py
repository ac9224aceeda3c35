"""Where machine code is kept for the next process."""

from __future__ import annotations

from typing import Protocol


class Store(Protocol):
    """Where machine code is kept for the next process; keys have 32 bytes."""

    def read_bytes(self, key: bytes) -> bytes | None:
        """Return what is kept under a key, or None."""

    def write_bytes(self, key: bytes, payload: bytes) -> None:
        """Keep bytes under a key."""


STORES: list[Store] = []
"""At most one."""


def keep_objects(store: Store) -> None:
    """Keep machine code in a store from here on."""
    STORES[:] = [store]
