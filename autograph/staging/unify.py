"""Giving the values that arms or rounds leave in a variable one structure.

Comes in: values that may differ in structure, in what is known of them, or in rank. Goes out:
values of one structure, in which a `Choice` stands wherever they differ. What another option of a
choice holds is `ABSENT`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from autograph.staging.births import check_options
from autograph.staging.context import trace_of
from autograph.staging.lifting import lifted, options_of, taken
from autograph.staging.number_join import are_classed, classed_alike
from autograph.staging.placeholders import by_reference
from autograph.staging.region import is_absent
from autograph.staging.strictness import is_strict
from autograph.staging.text_join import texts_alike
from runtime import trees
from runtime.dtypes import is_string
from runtime.errors import Noted
from runtime.graph.builder import Builder
from runtime.number_union import holds_numbers
from runtime.tree_nodes import children_of
from runtime.union import (
    Choice,
    Missing,
    Option,
    Reference,
    is_cell,
    is_numeric,
    leaf_spec,
    same_static,
)

MOST_OPTIONS = 16
"""So many things a variable may be."""

MOST_LEAVES = 64
"""So many numbers and arrays they may have in all: a tuple may grow in each round of a loop."""


class TooManyOptions(Noted, Exception):  # noqa: N818  (it is caught where it is made possible)
    """A variable may be more things than a choice holds."""


Alike = Callable[[Sequence[Any], Sequence[Builder]], Sequence[Any]]
ALIKE: dict[type, Alike] = {}
"""Classes of values that are no options, and what makes values alike of which one is of them.

It is given the values of a variable, and for each the builder where it can be computed with.
"""


def _alike(
    values: Sequence[Any], builders: Sequence[Builder], one_text: bool, classes: bool
) -> Sequence[Any]:
    """Return values that are present, made alike by their classes."""
    values = texts_alike(values, builders, one_text)
    values = classed_alike(values, builders, classes)
    for kind in ALIKE.keys() & set(map(type, values)):
        values = ALIKE[kind](values, builders)
    return values


def unify(
    values: Sequence[Any],
    builders: Sequence[Builder],
    may_choose: bool = True,
    one_text: bool = False,
    classes: bool = False,
) -> list[Any]:
    """Return values of one structure.

    Args:
        values: of one variable; those that are `NEVER` or `UNDEFINED` stay as they are.
        builders: where each was made and can still be computed with.
        may_choose: whether the result may be a choice.
        one_text: whether texts that are known become one text of the graph.
        classes: whether numbers of several classes become parts of a loop's state that tell which.

    Raises:
        TooManyOptions: they differ in too many ways.
    """
    present = [value for value in values if not is_absent(value)]
    if not present or _is_uniform(present, classes):
        return list(values)
    pairs = zip(values, builders, strict=True)
    theirs = [builder for value, builder in pairs if not is_absent(value)]
    present = list(_alike(present, theirs, one_text, classes))
    made = iter(present)
    values = [value if is_absent(value) else next(made) for value in values]
    if _is_uniform(present, classes):
        return values
    by_parts = partial(_unified_parts, builders=builders, classes=classes)
    first, *others = map(trees.node_of, present)
    if first is not None and all(first.is_like(other) for other in others):
        is_choice = first.cls is Choice  # what an option holds is no choice of its own
        try:
            return by_parts(
                values, first, may_choose=may_choose and not is_choice, one_text=one_text
            )
        except TooManyOptions:
            if not is_choice:
                raise
    if may_choose:
        try:
            found = _chosen(values, builders)
            return by_parts(found, _first_node(found), may_choose=False) if classes else found
        except TooManyOptions:
            pass
    if one_text:
        raise TooManyOptions
    return unify(values, builders, may_choose, True, classes)


def _first_node(values: Sequence[Any]) -> trees.Node:
    node = trees.node_of(next(value for value in values if not is_absent(value)))
    assert node is not None
    return node


def _unified_parts(
    values: Sequence[Any], node: trees.Node, builders: Sequence[Builder], **how: bool
) -> list[Any]:
    """Return values that are nodes like one, with their children unified."""
    columns = [
        [value if is_absent(value) else children_of(value)[k] for value in values]
        for k in range(len(node.children))
    ]
    unified = [_absent_alike(unify(column, builders, **how)) for column in columns]
    rows = zip(*unified, strict=True) if unified else [()] * len(values)
    return [
        value if is_absent(value) else node.holding(row)
        for value, row in zip(values, rows, strict=True)
    ]


def _absent_alike(values: Sequence[Any]) -> Sequence[Any]:
    """Return parts of which some are absent, these of the structure that the others have."""
    like = next((x for x in values if not is_absent(x)), None)
    if not any(map(is_absent, values)) or trees.node_of(like) is None:
        return values
    leaves, structure = trees.flatten_to(like, lambda x: type(x) is Choice)
    return [trees.unflatten(structure, [x] * len(leaves)) if is_absent(x) else x for x in values]


def _is_uniform(values: Sequence[Any], classes: bool) -> bool:
    """Tell whether values have one structure, and a graph can hold their leaves or need not."""
    rows, structures = zip(*map(trees.flatten, values), strict=True)
    if any(structure != structures[0] for structure in structures[1:]):
        return False
    columns = list(zip(*rows, strict=True))
    return all(map(_are_alike, columns)) and not (classes and any(map(are_classed, columns)))


def _are_alike(leaves: Sequence[Any]) -> bool:
    if not all(map(is_numeric, leaves)):
        return same_static(leaves)
    specs = list(map(leaf_spec, leaves))
    ranks = {spec.rank for spec in specs}
    is_one_kind = len({is_string(spec.dtype) for spec in specs}) == 1
    if not is_one_kind or not (len(ranks) == 1 or None in ranks):
        return False
    if is_strict():
        return holds_numbers(leaves)
    cells = set(map(is_cell, leaves))
    is_one_dtype = len({spec.dtype for spec in specs}) == 1
    are_numbers = ranks == {0} and cells == {False}
    return len(cells) == 1 and (are_numbers or is_one_dtype) and holds_numbers(leaves)


def _chosen(values: Sequence[Any], builders: Sequence[Builder]) -> list[Any]:
    around = builders[0].parent or builders[0]
    values = [value if is_absent(value) else by_reference(value, around) for value in values]
    present = [value for value in values if not is_absent(value)]
    are_apart = _differ_in_dtypes(present)
    options: dict[Option, int] = {}
    for value in present:
        for option in options_of(value, are_apart):
            options.setdefault(option, len(options))
    check_options(builders[0], (x.value for option in options for _, x in option.known))
    leaves = sum(len(option.ranks) for option in options)
    if len(options) > MOST_OPTIONS or leaves > MOST_LEAVES:
        raise TooManyOptions
    trace_of(builders[0]).choices.append(tuple(options))
    return [
        value if is_absent(value) else lifted(value, options, builder, are_apart)
        for value, builder in zip(values, builders, strict=True)
    ]


def _differ_in_dtypes(values: Sequence[Any]) -> bool:
    """Tell whether some differ in nothing but dtypes that one dtype does not stand for."""
    alike: dict[Option, list[Sequence[Any]]] = {}
    for option, leaves in (pair for value in values for pair in taken(value)):
        if option.kinds:
            return True
        if all(map(is_numeric, leaves)):
            alike.setdefault(option, []).append(leaves)
    columns = [column for rows in alike.values() for column in zip(*rows, strict=True)]
    return not all(map(_are_alike, columns))


def can_choose(value: Any) -> bool:
    """Tell whether a variable may also have no value, where it may hold this one."""
    leaves = trees.flatten(value)[0]
    return all(x is None or is_numeric(x) or _is_lasting(x) for x in leaves)


_LASTING = (
    Reference,
    str,
    bytes,
    range,
    frozenset,
    Missing,
    type,
    FunctionType,
    BuiltinFunctionType,
    ModuleType,
)


def _is_lasting(leaf: Any) -> bool:
    """Tell whether a leaf is what it was when a region is traced again, as users' objects are."""
    module = type(leaf).__module__
    is_users = module != "builtins" and not module.startswith(("autograph.", "runtime."))
    return isinstance(leaf, _LASTING) or (is_users and not isinstance(leaf, Iterator))
