"""Giving the values that arms or rounds leave in a variable one structure.

Comes in: values that may differ in structure, in what is known of them, or in rank. Goes out:
values of one structure, in which a `Choice` stands wherever they differ. What another option of a
choice holds is `ABSENT`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from runtime import trees
from runtime.choice import (
    Choice,
    Missing,
    Option,
    Reference,
    is_numeric,
    leaf_spec,
    note_choice,
    option_of,
    same_static,
)
from runtime.control.region import NEVER, UNDEFINED
from runtime.control.textual import renumbered, texts_alike
from runtime.dtypes import is_string
from runtime.graph.builder import Builder

MOST_OPTIONS = 16
"""So many things a variable may be."""

MOST_LEAVES = 64
"""So many numbers and arrays they may have in all: a tuple may grow in each round of a loop."""

ABSENT = UNDEFINED
"""A leaf of a value that has none there."""


class TooManyOptions(Exception):  # noqa: N818  (it is caught where it is made possible)
    """A variable may be more things than a choice holds."""


Alike = Callable[[Sequence[Any], Sequence[Builder]], Sequence[Any]]
ALIKE: dict[type, Alike] = {}
"""Classes of values that are no options, and what makes values alike of which one is of them.

It is given the values of a variable, and for each the builder where it can be computed with.
"""


def _alike(values: Sequence[Any], builders: Sequence[Builder], one_text: bool) -> Sequence[Any]:
    """Return values that are present, made alike by their classes."""
    values = texts_alike(values, builders, one_text)
    for kind in ALIKE.keys() & set(map(type, values)):
        values = ALIKE[kind](values, builders)
    return values


def unify(
    values: Sequence[Any],
    builders: Sequence[Builder],
    may_choose: bool = True,
    one_text: bool = False,
) -> list[Any]:
    """Return values of one structure.

    Args:
        values: of one variable; those that are `NEVER` or `UNDEFINED` stay as they are.
        builders: where each was made and can still be computed with.
        may_choose: whether the result may be a choice.
        one_text: whether texts that are known become one text of the graph.

    Raises:
        TooManyOptions: they differ in too many ways.
    """
    present = [value for value in values if not _is_absent(value)]
    if not present or _is_uniform(present):
        return list(values)
    pairs = zip(values, builders, strict=True)
    theirs = [builder for value, builder in pairs if not _is_absent(value)]
    present = list(_alike(present, theirs, one_text))
    made = iter(present)
    values = [value if _is_absent(value) else next(made) for value in values]
    if _is_uniform(present):
        return values
    first, *others = map(trees.node_of, present)
    if first is not None and all(first.is_like(other) for other in others):
        columns = [
            [value if _is_absent(value) else _children(value)[k] for value in values]
            for k in range(len(first.children))
        ]
        unified = [unify(column, builders, may_choose, one_text) for column in columns]
        rows = zip(*unified, strict=True) if unified else [()] * len(values)
        return [
            value if _is_absent(value) else first.holding(row)
            for value, row in zip(values, rows, strict=True)
        ]
    if may_choose:
        try:
            return _chosen(values, builders)
        except TooManyOptions:
            pass
    if one_text:
        raise TooManyOptions
    return unify(values, builders, may_choose, True)


def _is_uniform(values: Sequence[Any]) -> bool:
    """Tell whether values have one structure, and a graph can hold their leaves or need not."""
    rows, structures = zip(*map(trees.flatten, values), strict=True)
    if any(structure != structures[0] for structure in structures[1:]):
        return False
    return all(map(_are_alike, zip(*rows, strict=True)))


def _are_alike(leaves: Sequence[Any]) -> bool:
    if all(map(is_numeric, leaves)):
        specs = list(map(leaf_spec, leaves))
        ranks = {spec.rank for spec in specs}
        is_one_kind = len({is_string(spec.dtype) for spec in specs}) == 1
        return is_one_kind and (len(ranks) == 1 or None in ranks)
    return same_static(leaves)


def _is_absent(value: Any) -> bool:
    return value is UNDEFINED or value is NEVER


def _children(value: Any) -> Sequence[Any]:
    node = trees.node_of(value)
    assert node is not None
    return node.children


def _chosen(values: Sequence[Any], builders: Sequence[Builder]) -> list[Any]:
    options: dict[Option, int] = {}
    for value in values:
        if not _is_absent(value):
            for option in _options(value):
                options.setdefault(option, len(options))
    leaves = sum(len(option.ranks) for option in options)
    if len(options) > MOST_OPTIONS or leaves > MOST_LEAVES:
        raise TooManyOptions
    note_choice(builders[0], tuple(options))
    return [
        value if _is_absent(value) else _lifted(value, options, builder)
        for value, builder in zip(values, builders, strict=True)
    ]


def _options(value: Any) -> Sequence[Option]:
    return value._options if type(value) is Choice else (option_of(value)[0],)


def _lifted(value: Any, options: dict[Option, int], builder: Builder) -> Choice:
    """Return a value as a choice between all options."""
    leaves: list[Sequence[Any]] = [[ABSENT] * len(option.ranks) for option in options]
    if type(value) is not Choice:
        option, numeric = option_of(value)
        leaves[options[option]] = numeric
        return Choice(options[option], list(options), leaves)
    numbers = [options[option] for option in value._options]
    for number, numeric in zip(numbers, value._leaves, strict=True):
        leaves[number] = numeric
    return Choice(renumbered(value._which, numbers, builder), list(options), leaves)


def can_choose(value: Any) -> bool:
    """Tell whether a variable may also have no value, where it may hold this one."""
    leaves = trees.flatten(value)[0]
    return all(is_numeric(leaf) or isinstance(leaf, _LASTING) for leaf in leaves)


_LASTING = (Reference, str, bytes, Missing, type, FunctionType, BuiltinFunctionType, ModuleType)
"""Classes of leaves that are what they were when a region is traced again."""
