"""One variable of a loop's state, and how it comes to hold all that a round may leave in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.staging.classed_number import ClassedNumber, is_classed
from autograph.staging.copies import holds_for_tracing
from autograph.staging.join import (
    can_carry,
    convert,
    converted,
    describe,
    flag_of,
    is_defined,
    placeholder,
    refuse_lost,
)
from autograph.staging.lifting import ABSENT
from autograph.staging.number_join import opened
from autograph.staging.region import UNDEFINED, Region, State
from autograph.staging.text_join import grow
from autograph.staging.unify import TooManyOptions, unify
from runtime import trees
from runtime.errors import LoopStateError
from runtime.graph.builder import Builder
from runtime.graph.node import Value
from runtime.number_union import holds_numbers
from runtime.spec import UNKNOWN, WEAK_SPECS, TensorSpec, make_spec
from runtime.tensor import Symbol, is_staged
from runtime.union import is_cell, is_numeric, leaf_spec

RESIZED: set[type] = set()
"""Classes of what containers hold."""


@holds_for_tracing
@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """One variable of a loop's state: its position among the names, and what it holds.

    Args:
        position: which of the state's variables it is.
        initial: its value before the loop.
        structure: the tree that its values are.
        specs: of each leaf of the tree.
        flag: None for a variable that always has a value; else whether it has one before the loop,
            and a flag is carried beside it.
        made_up: which leaves hold nothing before the loop.
    """

    position: int
    initial: Any
    structure: Any
    specs: tuple[TensorSpec, ...]
    flag: Any = None
    made_up: frozenset[int] = frozenset()

    @property
    def all_specs(self) -> tuple[TensorSpec, ...]:
        """The specs of the leaves, and of the flag if there is one."""
        return self.specs if self.flag is None else (*self.specs, WEAK_SPECS[bool])

    @property
    def is_resized(self) -> bool:
        """Whether its arrays have room for more, which is no shape of the program."""
        return type(self.initial) in RESIZED

    @property
    def leaves(self) -> list[Any]:
        """The leaves of the value before the loop."""
        return list(trees.flatten(self.initial)[0])

    @property
    def sources(self) -> Sequence[Sequence[Any]]:
        """For each leaf what it holds before the loop, if anything."""
        return [() if k in self.made_up else (leaf,) for k, leaf in enumerate(self.leaves)]

    def may_become(self, after: Any) -> bool:
        """Tell whether a dtype that also holds what a round leaves holds what is known before."""
        pairs = zip(self.leaves, trees.flatten(after)[0], strict=True)
        return all(map(holds_numbers, pairs))


def split_leaves(
    carried: Iterable[Carried], flat: Sequence[Any]
) -> Iterator[tuple[Carried, Sequence[Any], Any]]:
    """Yield each carried variable with its leaves, and its flag or None."""
    start = 0
    for variable in carried:
        stop = start + len(variable.specs)
        yield variable, flat[start:stop], None if variable.flag is None else flat[stop]
        start += len(variable.all_specs)


def by_key(carried: Iterable[Carried], flat: Sequence[Any]) -> dict[tuple[int, int], Any]:
    """Return the leaves of the carried variables by the positions of these, and in these."""
    split = split_leaves(carried, flat)
    return {(x.position, k): leaf for x, leaves, _ in split for k, leaf in enumerate(leaves)}


def sources_by_key(carried: Iterable[Carried]) -> dict[tuple[int, int], Sequence[Any]]:
    """Return for each leaf of the carried variables what it holds before the loop, if anything."""
    return {(x.position, k): held for x in carried for k, held in enumerate(x.sources)}


def initial_values(carried: Iterable[Carried], builder: Builder) -> list[Value]:
    """Return the values of the carried leaves before a loop, in the graph around it."""
    values: list[Value] = []
    for variable in carried:
        flags = [] if variable.flag is None else [variable.flag]
        checked = variable.flag is None
        pairs = zip((*variable.leaves, *flags), variable.all_specs, strict=True)
        values += [convert(builder, x, spec, None, checked) for x, spec in pairs]
    return values


def carry(position: int, value: Any, found: Sequence[TensorSpec] = ()) -> Carried:
    """Return a variable that consists of numbers and arrays.

    Args:
        position: which of the state's variables it is.
        value: what it holds before the loop.
        found: what its leaves became when the loop was traced before: their sizes stay open.
    """
    value = opened(value)
    leaves, structure = trees.flatten(value)
    specs = tuple(map(leaf_spec, leaves))
    if [x.rank for x in found] == [x.rank for x in specs]:
        specs = tuple(map(_sized_as, specs, found))
    if type(value) in RESIZED:
        specs = tuple(map(_with_room, specs))
    return Carried(position, value, structure, specs, flag_of(value))


def end_values(
    carried: Iterable[Carried], region: Region, symbols: Sequence[Symbol]
) -> list[Value]:
    """Return the values of the carried leaves at the end of a round, in the body's region.

    Args:
        carried: the variables.
        region: of the body.
        symbols: what their leaves are in the beginning of the round.
    """
    values: list[Value] = []
    for variable, params, _ in split_leaves(carried, symbols):
        after = region.result[variable.position]
        leaves = params if after is UNDEFINED else trees.flatten(after)[0]
        flags = [] if variable.flag is None else [is_defined(after)]
        checked = variable.flag is None
        pairs = zip((*leaves, *flags), variable.all_specs, strict=True)
        values += [converted(region, x, spec, checked) for x, spec in pairs]
    return values


def leaves_after(
    carried: Iterable[Carried], region: Region
) -> Iterator[tuple[tuple[int, int], Any]]:
    """Yield the leaves of the carried variables after a round, by their keys."""
    for variable in carried:
        leaves, structure = trees.flatten(region.result[variable.position])
        if structure == variable.structure:
            yield from (((variable.position, k), leaf) for k, leaf in enumerate(leaves))


def _with_room(spec: TensorSpec) -> TensorSpec:
    """Return the spec of an array that may get room for more."""
    return make_spec(spec.dtype, (UNKNOWN, *spec.shape[1:]), spec.weak) if spec.shape else spec


def _sized_as(spec: TensorSpec, other: TensorSpec) -> TensorSpec:
    if not spec.shape or not other.shape:
        return spec
    pairs = zip(spec.shape, other.shape, strict=True)
    return make_spec(spec.dtype, tuple(m if m == UNKNOWN else n for n, m in pairs), spec.weak)


def choose(
    position: int,
    initial: Any,
    after: Any,
    builders: Sequence[Builder],
    known: Carried | None = None,
    classes: bool = True,
) -> Carried:
    """Return a variable that is a choice between two values, or has one in it.

    Args:
        position: which of the state's variables it is.
        initial: its value before the loop.
        after: its value after a round.
        builders: around the loop, and of the round.
        known: the variable as it was before, whose value before the loop may be made up in part.
        classes: whether it may be a number of several classes.
    """
    one_text = known is not None and grow(known.initial, after)
    pair = [opened(initial), opened(after)]
    start, found = _alike_where_absent(unify(pair, builders, True, one_text, classes))
    leaves, structure = trees.flatten(start)
    old = {id(known.leaves[k]) for k in known.made_up} if known is not None else set()
    made_up = frozenset(k for k, leaf in enumerate(leaves) if leaf is ABSENT or id(leaf) in old)
    filled = [
        _placeholder_like(other) if leaf is ABSENT else leaf
        for leaf, other in zip(leaves, trees.flatten(found)[0], strict=True)
    ]
    value = trees.unflatten(structure, filled)
    flag = known.flag if known is not None else None
    return Carried(position, value, structure, tuple(map(leaf_spec, filled)), flag, made_up)


def _placeholder_like(leaf: Any) -> Any:
    found = placeholder(leaf_spec(leaf))
    return np.asarray(found) if is_cell(leaf) else found


def fit(
    variable: Carried, params: Sequence[Any], after: Any, builder: Builder, classes: bool = True
) -> Any:
    """Return the value of a variable after a round in its structure, or None when it has another.

    Args:
        variable: of a loop.
        params: its leaves in the beginning of the round, for what is not there after it.
        after: its value after the round.
        builder: of the round.
        classes: whether it may be a number of several classes.
    """
    before = trees.unflatten(variable.structure, list(params))
    try:
        pair = [before, opened(after)]
        held, found = _alike_where_absent(unify(pair, (builder, builder), classes=classes))
    except TooManyOptions:
        return None
    if trees.flatten(held)[1] != variable.structure:
        return None
    pairs = zip(params, trees.flatten(found)[0], strict=True)
    leaves = [param if leaf is ABSENT else leaf for param, leaf in pairs]
    return trees.unflatten(variable.structure, leaves)


def _alike_where_absent(values: Sequence[Any]) -> list[Any]:
    """Return two values with as many leaves where one is absent and the other one is classed."""
    rows, structures = zip(*(trees.flatten_to(x, is_classed) for x in values), strict=True)
    if structures[0] != structures[1]:
        return list(values)
    pairs = [(_absent_like(x, y), _absent_like(y, x)) for x, y in zip(*rows, strict=True)]
    columns = zip(*pairs, strict=True) if pairs else ((), ())
    return [trees.unflatten(structures[0], column) for column in columns]


def _absent_like(leaf: Any, other: Any) -> Any:
    if leaf is not ABSENT or not is_classed(other):
        return leaf
    return ClassedNumber(other.kind, ABSENT, ABSENT, [ABSENT] * len(other.beside))


def known_classes(variable: Carried, after: Any) -> dict[int, Any]:
    """Return by their places the leaves that say of which class numbers are after each round."""
    entries = variable.structure.entries
    if after is UNDEFINED or not any(entry and entry[0] is ClassedNumber for entry in entries):
        return {}
    places = trees.unflatten(variable.structure, list(range(len(variable.specs))))
    classed = (x.which for x in trees.flatten_to(places, is_classed)[0] if is_classed(x))
    leaves = trees.flatten(after)[0]
    return {k: leaves[k] for k in classed if not is_staged(leaves[k])}


def mismatch(name: str, before: Any, after: Any) -> str:
    """Say that a variable does not keep its structure."""
    values = f"{describe(before)} before a staged loop and {describe(after)} after one round"
    text = f"{name} is {values}"
    if not can_carry(before):
        return (
            f"{text}. A staged loop can change numbers and arrays only; "
            "give it a value of the same kind before the loop"
        )
    difference = trees.difference(before, after)
    return f"{text}{f': {difference}' if difference else ''}. Give it one structure throughout"


def is_of_every_round(value: Any) -> bool:
    """Tell whether a value holds nothing of the round that gives it."""
    return not any(map(is_numeric, trees.flatten(value)[0]))


def uncarried(state: State, position: int, after: Any) -> Any:
    """Return what a variable holds after a loop that gives it what no graph holds.

    Raises:
        LoopStateError: it is another one after each round.
    """
    name = state.names[position]
    if not state.optional[position]:
        refuse_lost(name, [after])
        state.explain(name, f"{name!r} is assigned in a loop that may have no rounds")
        return UNDEFINED
    if is_of_every_round(after):
        return after  # who reads it has asked whether a round gave it
    raise LoopStateError(
        f"a staged loop gives {name!r} the value {describe(after)}, which is made of numbers or "
        "arrays of a round and of what no graph holds; keep the numbers, and put them together "
        "after the loop"
    )


def outside_leaves(region: Region, variable: Carried, symbols: Sequence[Symbol]) -> list[Any]:
    """Return the leaves of a guarded variable after a loop: arrays from outside are these."""
    after = trees.flatten(region.result[variable.position])[0]
    outside = [type(x) is Symbol and not region.builder.encloses(x.builder) for x in after]
    return [x if is_out else y for x, y, is_out in zip(after, symbols, outside, strict=True)]
