"""Leaving the graph that is being built, for what happens once and stays: making variables, say."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from runtime import mode

F = TypeVar("F", bound=Callable[..., Any])


def outside(function: F) -> F:
    """Return a function that runs outside of graphs: at once, even in a staged loop or branch.

    What it writes is not undone when the loop or branch has been traced, and what it computes is
    known: it is given no staged values but to ask for their dtypes and shapes.

    >>> outside(len)([1, 2])
    2
    """

    @wraps(function)
    def leaving(*args: Any, **kwargs: Any) -> Any:
        with mode.building(None):
            return function(*args, **kwargs)

    leaving.__module__ = __name__  # a module whose writes no journal records
    made: Any = leaving
    return made  # type: ignore[no-any-return]
