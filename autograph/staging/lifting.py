"""Values as choices between options: what each holds of an option that it is not is `ABSENT`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.staging.classed_number import ClassedNumber
from autograph.staging.region import UNDEFINED
from autograph.staging.text_join import renumbered
from runtime import trees
from runtime.graph.builder import Builder
from runtime.union import Choice, Option, is_numeric, option_of, with_kinds

ABSENT = UNDEFINED
"""A leaf of a value that has none there."""


def taken(value: Any) -> list[tuple[Option, Sequence[Any]]]:
    """Return what a value may be, taken apart; a number of several classes stays one."""
    if type(value) is Choice:
        return list(zip(value._options, value._leaves, strict=True))
    leaves, structure = trees.flatten_to(value, lambda x: type(x) is ClassedNumber)
    numbers = [x.number if type(x) is ClassedNumber else x for x in leaves]
    option, _ = option_of(trees.unflatten(structure, numbers))
    pairs = zip(leaves, numbers, strict=True)
    return [(option, tuple(leaf for leaf, number in pairs if is_numeric(number)))]


def options_of(value: Any, are_apart: bool) -> Sequence[Option]:
    """Return what a value may be, with dtypes where those are kept apart."""
    found = taken(value)
    return [with_kinds(*pair) if are_apart else pair[0] for pair in found]


def lifted(value: Any, options: dict[Option, int], builder: Builder, are_apart: bool) -> Choice:
    """Return a value as a choice between all options."""
    leaves: list[Sequence[Any]] = [[ABSENT] * len(option.ranks) for option in options]
    numbers = [options[option] for option in options_of(value, are_apart)]
    for number, (_, numeric) in zip(numbers, taken(value), strict=True):
        leaves[number] = numeric
    which = renumbered(value._which, numbers, builder) if type(value) is Choice else numbers[0]
    return Choice(which, list(options), leaves)
