"""Adding the user's line to errors of staged control flow."""

from __future__ import annotations

from runtime.errors import (
    BranchMismatchError,
    CallMismatchError,
    LoopStateError,
    MutationError,
)
from runtime.graph.location import Location, user_location

_LOCATED = (BranchMismatchError, CallMismatchError, LoopStateError, MutationError)


class located:  # noqa: N801  (it reads as a statement: `with located():`)
    """Add the statement's file and line to errors that tell of its variables."""

    def __enter__(self) -> None:
        self.place = user_location()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, _LOCATED):
            add_place(error, self.place)


def add_place(error: BaseException, place: Location | None) -> None:
    """Add the user's line to the message of a refusal that does not name it yet."""
    if place is not None and getattr(error, "is_located", None) is False:
        vars(error)["is_located"] = True
        error.args = (f"{error}\n{place.describe()}", *error.args[1:])
