"""Leaving the graph that is being built, for what happens once and stays: making variables, say."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from autograph.operators.mutation.reachable_objects import attributes_of
from autograph.operators.mutation.recorded_calls import leave
from autograph.staging.context import journal_now
from runtime import default_graph

F = TypeVar("F", bound=Callable[..., Any])


def outside(function: F) -> F:
    """Return a function that runs outside of graphs: at once, even in a staged loop or branch.

    What it writes into its first argument, the object of a method, is not undone when the loop or
    branch has been traced, and what it computes is known: it is given no staged values but to ask
    for their dtypes and shapes.

    >>> class Once:
    ...     @outside
    ...     def make(self):
    ...         self.made = True
    >>> once = Once()
    >>> once.make()
    >>> once.made
    True
    """

    @wraps(function)
    def leaving(*args: Any, **kwargs: Any) -> Any:
        leave(*args[:1])
        journal = journal_now()
        owners = args[:1] if journal is not None else ()
        before = {name: x for owner in owners for name, x in attributes_of(owner)}
        with default_graph.building(None):
            found = function(*args, **kwargs)
        for owner in owners:
            after = attributes_of(owner)
            assert journal is not None
            journal.settle(owner, {k: x for k, x in after if before.get(k, before) is not x})
        return found

    leaving.__module__ = __name__  # a module whose writes no journal records
    made: Any = leaving
    return made  # type: ignore[no-any-return]
