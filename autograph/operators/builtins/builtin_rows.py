"""Rows of the table of builtins: what a row says, and how those of one kind are made."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

from autograph.operators.builtins.iterable_builtins import iterators, looped
from autograph.operators.builtins.overloads import of_values, refusal
from autograph.operators.builtins.sequences import listed
from autograph.operators.iteration.iterator_state import generators_now
from autograph.operators.iteration.staged_iterables import has_no_length


@dataclass(frozen=True, slots=True)
class Rule:
    """What a builtin is on staged values.

    Args:
        name: the builtin's name, with its module if it has one.
        kind: `"staged"`, `"static"` or `"refused"`.
        gives: what it gives; for a refused one, what to write instead.
        overload: what is called in its place; None where the builtin itself does it, by a method
            of the staged value.
        loop: what it is over a generator that is staged, as a loop of `decompositions`.
        container: what it is on a staged list or the like; True where the overload knows them.
        draws: whether the overload goes on with an iterator of which only the graph knows how far
            it has come.
        methods: the methods that it asks an object of the user's for, the first that there is.
        of_objects: whether it asks for an object, and not for a value that this may hold.
        of_choices: whether it is called once for all that a branch may have chosen.
    """

    name: str
    kind: str
    gives: str
    overload: Callable[..., Any] | None = None
    loop: Callable[..., Any] | None = None
    container: Callable[..., Any] | bool = False
    draws: bool = False
    methods: tuple[str, ...] = ()
    of_objects: bool = False
    of_choices: bool = False

    @property
    def function(self) -> Any:
        """The function of the running Python, or None when it has none of this name."""
        return function_of(self.name)


def function_of(name: str) -> Any:
    """Return the function of the running Python that has a name, or None."""
    is_builtin = hasattr(builtins, name.partition(".")[0])
    try:
        return resolve_name(f"builtins:{name}" if is_builtin else name.replace(".", ":", 1))
    except AttributeError:
        return None


LOOP = "items for a loop, for `list`, `sum` and the like"


def iterator_row(name: str, loop: Callable[..., Any], gives: str = LOOP) -> Rule:
    """Return the row of what gives an iterator, or goes over one.

    Args:
        name: of the builtin.
        loop: what it does.
        gives: as of a row.
    """
    overload = iterators(function_of(name), loop)
    return Rule(name, "staged", gives, overload, loop, container=True)


TUPLES = f"{LOOP}: tuples of a known number of items, of which there may be any number"


def tuples_row(name: str, loop: Callable[..., Any]) -> Rule:
    """Return the row of what gives tuples of items: a list of them where their number is known."""
    function = function_of(name)
    known, looped_over = listed(function), iterators(function, loop)

    def overload(*args: Any, **kwargs: Any) -> Any:
        is_looped = function in generators_now() or any(map(has_no_length, args))
        return (looped_over if is_looped else known)(*args, **kwargs)

    overload.__qualname__ = function.__qualname__
    return Rule(name, "staged", TUPLES, overload, loop, container=True)


def refused_row(name: str, hint: str) -> Rule:
    """Return the row of a builtin that is refused, with what to write instead."""
    message = f"{name}() of a staged array: its items are known only when the graph runs; {hint}"
    return Rule(name, "refused", hint, of_values(function_of(name), refusal(message)))


def order_row(name: str, loop: Callable[..., Any], gives: str) -> Rule:
    """Return the row of what keeps a list in order."""
    return Rule(name, "staged", gives, looped(function_of(name), loop), container=True)
