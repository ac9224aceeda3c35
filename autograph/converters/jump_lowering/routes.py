"""How a jump is made at a place: as it is written, by leaving a function, or by a flag.

A `Route` says what stands in the place of a `return`, `break` or `continue`; `Routes` has one for
each kind of jump that is possible at a place. `Pending` are jumps made by flags alone, that
whatever follows has to ask about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeAlias


class Exit(Enum):
    """What takes control away from the place of a jump, once its flags are set."""

    VALUE = "return x"  # the statement itself: its function's result is the result
    RETURN = "return"  # leave the generated function, which ends the round of the loop
    JUMP = "break, continue"  # the statement itself, in a loop that stays as it is
    FALL = ""  # nothing: the rest of the block is gone, what follows is guarded by a flag


@dataclass(frozen=True, slots=True)
class Route:
    """How one kind of jump is made: flags that become true, flags that become false, and how."""

    exit: Exit
    flags: tuple[str, ...] = ()
    resets: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """A jump that falls through without a flag would be lost."""
        assert self.flags or self.exit is not Exit.FALL

    def with_flags(self, *flags: str) -> Route:
        """Return the same route with more flags to set."""
        return replace(self, flags=(*self.flags, *flags))

    def calling_off(self, *flags: str) -> Route:
        """Return the same route in a `finally`, where it calls off the jumps of other flags."""
        others = (flag for flag in flags if flag not in self.flags)
        return replace(self, resets=tuple(dict.fromkeys((*self.resets, *others))))


Routes: TypeAlias = Mapping[str, Route]


@dataclass(frozen=True, slots=True)
class Pending:
    """Jumps made by flags that nothing has asked about yet.

    `fresh` are flags that must be false before the statement the jumps are in; `certain` says that
    the statement is only left by these jumps.
    """

    routes: dict[str, Route] = field(default_factory=dict)
    fresh: tuple[str, ...] = ()
    certain: bool = False

    def __bool__(self) -> bool:
        return bool(self.routes)

    def __or__(self, other: Pending) -> Pending:
        """Return both together, with the flags that each jump of a kind is sure to set."""
        fresh = dict.fromkeys((*self.fresh, *other.fresh))
        both = {**self.routes, **other.routes}
        for kind in self.routes.keys() & other.routes.keys():
            common = [flag for flag in self.routes[kind].flags if flag in other.routes[kind].flags]
            both[kind] = replace(both[kind], flags=tuple(common))
        return Pending(both, tuple(fresh))

    @property
    def flags(self) -> list[str]:
        """Flags of which every one of the jumps sets at least one: most often a single flag."""
        found: list[str] = []
        for kind in ("continue", "break", "return"):
            flags = self.routes[kind].flags if kind in self.routes else ()
            if flags and not set(found).intersection(flags):
                found.append(flags[0])
        return found


def joined(pending: Iterable[Pending]) -> Pending:
    """Return the jumps of several blocks together."""
    result = Pending()
    for one in pending:
        result = result | one
    return result
