"""Adding the user's line to errors of staged control flow."""

from __future__ import annotations

from types import TracebackType

from runtime.errors import (
    BranchMismatchError,
    CallMismatchError,
    LoopStateError,
    MutationError,
)
from runtime.graph.location import user_location

_LOCATED = (BranchMismatchError, CallMismatchError, LoopStateError, MutationError)


class located:  # noqa: N801  (it reads as a statement: `with located():`)
    """Add the statement's file and line to errors that tell of its variables."""

    def __enter__(self) -> None:
        self.place = user_location()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not isinstance(error, _LOCATED):
            return
        if self.place is not None and not error.is_located:
            error.is_located = True
            error.args = (f"{error}\n{self.place.describe()}",)
