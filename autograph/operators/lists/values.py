"""Variables that hold staged lists, in the state of a branch or loop.

What a function returns may be another list on each way. A graph chooses between their contents, so
the variable holds a list of its own afterwards; since it is only returned, nobody can tell. Any
other variable must hold one list: which of two it is could be seen when one of them is changed.
"""

from __future__ import annotations

from typing import Any

from autograph.operators.lists.content import fresh, refused
from autograph.operators.lists.table import Content, ItemKind, StagedList, staged_list
from runtime.errors import MutationError
from runtime.trees import register_tree


class ListValue:
    """A staged list as a value: what its items are, and what it holds.

    Args:
        kind: of the items.
        content: what it holds.
        python: the list object that holds this, if there is one.
    """

    __slots__ = ("content", "kind", "python")

    def __init__(self, kind: ItemKind, content: Content, python: Any = None) -> None:
        self.kind = kind
        self.content = content
        self.python = python

    def __repr__(self) -> str:
        return f"a list of {self.kind}"

    def list(self, name: str) -> list[Any]:
        """Return a list object that holds it."""
        staged = staged_list(self.python)
        if staged is not None and staged.content is self.content:
            return staged.python
        return fresh(name, self.kind, self.content.buffers, self.content.length)


register_tree(
    ListValue,
    lambda value: ((value.content.length, *value.content.buffers), value.kind),
    lambda kind, children: ListValue(kind, Content(children[0], tuple(children[1:]))),
)


def value_of_list(value: Any) -> Any:
    """Return a staged list as a value; anything else as it is."""
    staged = staged_list(value)
    return value if staged is None else ListValue(staged.kind, staged.content, staged.python)


def list_of_value(value: Any) -> Any:
    """Return what a branch returned: a list for a list as a value."""
    return value.list("result") if type(value) is ListValue else value


def refuse_list(value: Any) -> Any:
    """Return what an operand of `a if c else b` is; MutationError for a staged list."""
    staged = staged_list(value)
    if staged is not None:
        raise refused(staged, "a choice", "choose by an `if` statement what is done with each list")
    return value


def refuse_other_list(name: str, before: Any, after: Any) -> None:
    """Raise MutationError when a variable is assigned another list, of which one is staged."""
    if before is after or type(before) is not list or type(after) is not list:
        return
    staged: StagedList | None = staged_list(after) or staged_list(before)
    if staged is not None:
        raise MutationError(
            f"the variable {name!r} is assigned another list in a staged branch or loop, and which "
            "list it holds is known only when the graph runs. Give the list other items: write "
            f"{name}[:] = ..., or {name}.clear()"
        )
