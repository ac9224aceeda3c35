"""Names of local variables, and which of them are free.

Comes in: hints from the user's program. Goes out: valid names that collide with nothing. It knows
nothing of graphs.
"""

from __future__ import annotations

import builtins
import keyword
import re

RESERVED = frozenset({*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "failure", "run", "xp"})
_TEMPORARY = re.compile(r"[tc]\d+")


class Slots:
    """Slots of one plan. Temporaries (`t1`, `t2` ...) are given again when they are free."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._free: list[str] = []
        self._free_by_hint: dict[str, list[str]] = {}
        self._hints: dict[str, str] = {}
        self._count = 0
        self._constants = 0

    def take(self, hint: str | None = None) -> str:
        """Return a free slot, named after the hint where there is one."""
        if hint is not None and hint.isidentifier() and hint.isascii():
            return self._named(hint)
        if self._free:
            return self._free.pop()
        self._count += 1
        return f"t{self._count}"

    def give(self, slot: str) -> None:
        """Take back a slot whose value is dead."""
        hint = self._hints.get(slot)
        if hint is None:
            self._free.append(slot)
        else:
            self._free_by_hint.setdefault(hint, []).append(slot)

    def constant(self) -> str:
        """Return a name for a constant."""
        self._constants += 1
        return f"c{self._constants}"

    def _named(self, hint: str) -> str:
        free = self._free_by_hint.get(hint)
        if free:
            return free.pop()
        plain = f"{hint}_" if hint in RESERVED or _TEMPORARY.fullmatch(hint) else hint
        name, number = plain, 1
        while name in self._used:
            number += 1
            name = f"{plain}_{number}"
        self._used.add(name)
        self._hints[name] = hint
        return name


def unique(name: str, taken: set[str]) -> str:
    """Return a name like the given one that is not taken."""
    plain = f"{name}_" if name in RESERVED and name != "xp" else name
    found, number = plain, 1
    while found in taken:
        number += 1
        found = f"{plain}_{number}"
    return found
