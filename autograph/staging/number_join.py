"""Numbers of several classes that the arms of a branch, or rounds of a loop, leave in a variable.

One dtype holds them, but Python goes on with the one that it is: `10 // y` raises for an `int` and
warns for an `np.int64`. So the joined number has its class beside it; see `runtime.number_union`.

In the state of a loop such a number is a `ClassedNumber`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from autograph.staging.classed_number import ClassedNumber, NumberKind, cast_number, is_classed
from autograph.staging.context import trace_of
from autograph.staging.lifting import ABSENT, lifted, options_of
from autograph.staging.region import UNDEFINED
from autograph.staging.strictness import is_strict
from runtime import trees
from runtime.dtypes import dtype_name, is_string
from runtime.graph.builder import Builder
from runtime.number_union import holds_numbers, spec_of_option
from runtime.opaque import OPAQUE
from runtime.spec import TensorSpec, join_specs
from runtime.tensor import Symbol, is_staged
from runtime.union import Known, Option, is_numeric, leaf_spec, same_static


def number_unions(values: Sequence[Any], builders: Sequence[Builder]) -> list[Any] | None:
    """Return numbers as unions of their classes; None where they are of one class.

    Args:
        values: what each arm leaves, `UNDEFINED` for nothing.
        builders: where each was made.
    """
    present = [value for value in values if value is not UNDEFINED]
    if is_strict() or not all(map(_has_a_class, present)):
        return None
    found = [value if value is UNDEFINED else union_of(value) for value in values]
    options = _classes([value for value in found if value is not UNDEFINED])
    if len(options) < 2:
        return None
    trace_of(builders[0]).choices.append(tuple(options))
    return [
        value if value is UNDEFINED else lifted(value, options, builder, True)
        for value, builder in zip(found, builders, strict=True)
    ]


def _classes(values: Sequence[Any]) -> dict[Option, int]:
    """Return the classes that numbers and unions may have, numbered in one order everywhere."""
    found = {option for value in values for option in options_of(value, True)}
    return {option: k for k, option in enumerate(sorted(found, key=_order))}


def _order(option: Option) -> tuple[bool, int]:
    spec = spec_of_option(option)
    return not spec.weak, spec.dtype.num


def union_of(value: Any) -> Any:
    """Return a number of several classes as a choice between them; anything else as it is."""
    union = value.union if type(value) is Symbol else None
    return value if union is None else union


def _has_a_class(value: Any) -> bool:
    """Tell whether a value is a number that stays what it is, not an array of no dimensions."""
    if not is_numeric(value) or isinstance(value, np.ndarray):
        return False
    if type(value) is Symbol and (value.is_cell or value.is_varying):
        return False
    spec = leaf_spec(value)
    return spec.shape == () and not is_string(spec.dtype) and spec != OPAQUE


IsLeaf = Callable[[Any], bool]


def opened(value: Any, is_leaf: IsLeaf = is_classed) -> Any:
    """Return a value with its numbers of several classes as parts of a loop's state.

    Args:
        value: a structure.
        is_leaf: tells of what else is not looked into.
    """
    leaves, structure = trees.flatten_to(value, lambda x: is_classed(x) or is_leaf(x))
    if not any(type(x) is Symbol and x.union is not None for x in leaves):
        return value
    return trees.unflatten(structure, map(_opened, leaves))


def _opened(leaf: Any) -> Any:
    union = leaf.union if type(leaf) is Symbol else None
    if union is None or not _has_a_class(leaf):
        return leaf
    spec = leaf.spec
    known = [None if is_staged(x) else Known(x) for (x,) in union._leaves]
    kind = NumberKind(dtype_name(spec.dtype), spec.weak, union._options, tuple(known))
    return ClassedNumber(kind, leaf, union._which, kind.beside(union))


def closed(value: Any, is_leaf: IsLeaf = is_classed) -> Any:
    """Return a value of a loop's state as the program sees it; see `opened`."""
    return trees.map_tree(
        lambda x: x.symbol() if type(x) is ClassedNumber else x,
        value,
        lambda x: is_classed(x) or is_leaf(x),
    )


def classed_alike(values: Sequence[Any], builders: Sequence[Builder], all_: bool) -> Sequence[Any]:
    """Return numbers that differ in class as `ClassedNumber`s that are alike, where a loop has any.

    Args:
        values: of one variable.
        builders: where each can be computed with.
        all_: whether numbers that are none yet become one, too.
    """
    if not any(type(x) is ClassedNumber for x in values) and not (all_ and are_classed(values)):
        return values
    numbers = [x.number if type(x) is ClassedNumber else x for x in values]
    unions = [
        x.union(builder) if type(x) is ClassedNumber else x
        for x, builder in zip(values, builders, strict=True)
    ]
    if not all(map(_has_a_class, numbers)) or not holds_numbers(numbers):
        return unions
    options = _classes(unions)
    spec = reduce(_joined, map(spec_of_option, options))
    trace_of(builders[0]).choices.append(tuple(options))
    rows = [lifted(x, options, b, True) for x, b in zip(unions, builders, strict=True)]
    columns = [[x._leaves[k][0] for x in rows] for k in range(len(options))]
    varying = _varying(values)
    known = [
        None if option in varying else _known([x for x in column if x is not ABSENT])
        for option, column in zip(options, columns, strict=True)
    ]
    kind = NumberKind(dtype_name(spec.dtype), spec.weak, tuple(options), tuple(known))
    return [
        ClassedNumber(kind, cast_number(builder, number, spec), row._which, kind.beside(row))
        for row, number, builder in zip(rows, numbers, builders, strict=True)
    ]


def are_classed(values: Sequence[Any]) -> bool:
    """Tell whether values are numbers of several classes, which a loop keeps apart."""
    if is_strict() or not all(map(_has_a_class, values)):
        return False
    return len({(spec.dtype, spec.weak) for spec in map(leaf_spec, values)}) > 1


def _joined(a: TensorSpec, b: TensorSpec) -> TensorSpec:
    found = join_specs(a, b)
    assert found is not None
    return found


def _varying(values: Sequence[Any]) -> set[Option]:
    """Return the classes whose numbers were found to be several: they stay that."""
    kinds = [x.kind for x in values if type(x) is ClassedNumber]
    pairs = (pair for kind in kinds for pair in zip(kind.options, kind.known, strict=True))
    return {option for option, known in pairs if known is None}


def _known(numbers: Sequence[Any]) -> Known | None:
    """Return the number that is always the one of a class, if there is such."""
    is_one = not any(map(is_staged, numbers)) and same_static(numbers)
    return Known(numbers[0]) if is_one else None
