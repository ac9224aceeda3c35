"""Which lists the arms of an operand have made, where others may give lists that were there before.

What a list holds that was made in an arm is joined; one that was there before stays itself. Beside
each other both are containers of a store, known by their numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.operators.containers.staged_containers import STAGED, Content
from autograph.operators.containers.stored_joins import join_now
from autograph.staging.context import trace_now, trace_of
from autograph.staging.copies import RETURNED, STORED, TryAgain
from runtime.errors import MutationError
from runtime.graph.builder import Builder
from runtime.union import Reference


def note_made(made: Sequence[Any]) -> None:
    """Note the containers that an arm has made, at the line that is run now."""
    trace = trace_now()
    assert trace is not None
    trace.made.setdefault(join_now(RETURNED, STORED), []).extend(made)


def check_outer(values: Sequence[Any], builder: Builder) -> None:
    """Have containers that one arm makes and another one knows from outside joined by numbers."""
    join, trace = join_now(RETURNED, STORED), trace_of(builder)
    made = trace.made.get(join, ())
    if not made or not any(_is_outer(x, made) for x in values):
        return
    if join not in trace.tries:
        raise TryAgain(join)
    raise MutationError(
        "one of the values that are joined here is a list (a dict, a set) that was made before, "
        "another one is made here, and its items are known only when the graph runs. Make a copy "
        "of the first one, or write an `if` statement"
    )


def check_kept(values: Sequence[Any]) -> None:
    """Raise MutationError where a list holds its items itself on some ways only."""
    if 0 < sum(type(x) is Content for x in values) < len(values):
        raise MutationError(
            "a list (a dict, a set) becomes an item of another container, or is chosen among "
            "others, in one branch or round only. Do that in each, or with a copy of it"
        )


def _is_outer(value: Any, made: Sequence[Any]) -> bool:
    if type(value) is Reference:
        return type(value.target) in STAGED
    return type(value) in STAGED and not any(value is x for x in made)
