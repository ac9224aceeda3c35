"""What a function returns that is known only when the graph has run: choices and texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from runtime import trees
from runtime.opaque import Opaque
from runtime.ops.effects import fill_text
from runtime.spec import TensorSpec
from runtime.texts import StagedText
from runtime.tree_classes import register_tree
from runtime.union import Choice, Option


class Chosen:
    """Stands for `Choice` in the structure of a result: it is made as the option that it is."""


class Text:
    """Stands for `StagedText` in the structure of a result: it is made as a `str`."""


def _nothing_to_take(value: Any) -> Any:
    raise TypeError(f"{type(value).__name__} has no instances")


class Either(tuple[Any, ...]):
    """What a function may return, with specs in the place of values."""

    __slots__ = ()

    def __repr__(self) -> str:
        return " or ".join(map(repr, self))


def _choose(options: Sequence[Option], children: Sequence[Any]) -> Any:
    if isinstance(children[0], TensorSpec):
        return Either(_option(options, which, children) for which in range(len(options)))
    return _option(options, int(children[0]), children)


def _option(options: Sequence[Option], which: int, children: Sequence[Any]) -> Any:
    first = 1 + sum(len(x.ranks) for x in options[:which])
    return options[which].value(children[first : first + len(options[which].ranks)])


register_tree(Chosen, _nothing_to_take, _choose)
register_tree(Text, _nothing_to_take, lambda data, values: fill_text(data[0], tuple(values)))


def as_result(structure: trees.Structure) -> trees.Structure:
    """Return the structure of a result, in which everything is made as plain Python has it.

    Where an opaque value stands while tracing, there is the object itself: a leaf.
    """
    entries = (entry for entry in structure.entries if entry is None or entry[0] is not Opaque)
    return trees.Structure(tuple(map(_as_result, entries)))


def _as_result(entry: trees.Entry) -> trees.Entry:
    if entry is None or entry[0] not in (Choice, StagedText):
        return entry
    cls, data, count = entry
    if cls is StagedText:
        return Text, data, count
    options = [replace(option, structure=as_result(option.structure)) for option in data]
    return Chosen, tuple(options), count
