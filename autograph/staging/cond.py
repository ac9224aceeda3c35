"""Staged branches: every arm is traced into a region, and what they leave behind is joined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from autograph.staging.copies import RETURNED, Values, adopt_copies, note_copies, snapshot
from autograph.staging.deferred_errors import emit_failure, fail_caught, is_of_the_program
from autograph.staging.join import (
    can_carry,
    converted,
    describe,
    flag_name,
    flag_of,
    is_defined,
    joined_symbol,
    keep_places_apart,
    mark_maybe,
    may_be_missing,
    placeholder,
    refuse_lost,
)
from autograph.staging.number_join import number_unions
from autograph.staging.options import join_sets, tell_joins
from autograph.staging.references import referring
from autograph.staging.region import (
    NEVER,
    UNDEFINED,
    NeverReturns,
    NoState,
    Region,
    State,
    is_absent,
    trace_region,
    union_of_captures,
)
from autograph.staging.selections import received, referred, selecting
from autograph.staging.strictness import refuse_arms
from autograph.staging.unify import TooManyOptions, can_choose, unify
from runtime import default_graph, trees
from runtime.aliasing import commit_writes, is_joined, places_of
from runtime.cast import cast
from runtime.dispatch import as_value, value_of, write_back
from runtime.errors import BranchMismatchError
from runtime.graph.builder import Builder
from runtime.graph.node import Value
from runtime.graph.opdef import OpDef
from runtime.number_union import spec_of_option
from runtime.ops import control as ops
from runtime.spec import WEAK_SPECS, TensorSpec, join_specs
from runtime.tensor import Places, Symbol, is_staged
from runtime.union import Choice, Missing, is_numeric, leaf_spec, same_static

Arm = Callable[[], Any]
NOTHING = NoState()


def stage_cond(
    test: Any,
    then: Arm,
    else_: Arm,
    state: State = NOTHING,
    label: str | None = None,
    quiet: bool = False,
) -> Any:
    """Stage an `if`: return what the arms return, joined, and assign the joined state.

    Args:
        test: a staged truth value.
        then: runs the first arm.
        else_: runs the second arm.
        state: the variables that the arms assign.
        label: the user's name of the branch.
        quiet: whether NumPy does not warn in it.

    Raises:
        BranchMismatchError: the arms leave values that cannot be joined.
    """
    return stage_branches(ops.cond, test, (then, else_), state, label=label, quiet=quiet)


def stage_branches(
    op: OpDef, selector: Any, arms: Sequence[Arm], state: State, **attrs: Any
) -> Any:
    """Stage a branch of any number of arms; see `stage_cond`."""
    builder = _now()
    state = selecting(referring(state))
    before = state.read()
    unknown: set[Any] = set()
    regions: list[Region] = []
    for arm in arms:
        # what an array that was written in place held at the end of an arm is not known any more
        state.grow(None if any(x.writes for x in regions) else before)
        regions.append(_trace_arm(builder, arm, state, before, unknown))
    state.grow(None)
    for region in regions:
        added = before[len(region.result) - 1 :]
        is_left = region.result[-1] is NEVER
        region.result[-1:-1] = [NEVER] * len(added) if is_left else added
    if unknown and all(region.result[-1] is NEVER for region in regions):
        raise NeverReturns(frozenset(unknown))
    return join_regions(builder, op, (as_value(builder, selector),), attrs, regions, state)


def join_regions(
    builder: Builder,
    op: OpDef,
    operands: Sequence[Value],
    attrs: Mapping[str, Any],
    regions: Sequence[Region],
    state: State,
) -> Any:
    """Close regions of which one will run, append the node, and assign the joined state.

    Args:
        builder: the graph that the regions stand in.
        op: the op of the node.
        operands: its operands, before what the regions use.
        attrs: its attributes.
        regions: each with a result that has the values of the state, and what it returned.
        state: the variables that the regions assign.
    """
    branches = _Branches(regions)
    names = [*state.names, RETURNED]
    optional = [*state.optional, False]
    plans = [
        branches.join(name, [region.result[k] for region in regions], skippable)
        for k, (name, skippable) in enumerate(zip(names, optional, strict=True))
    ]
    boxes = branches.join_writes()
    results = branches.emit(builder, op, operands, op.attributes(attrs))
    for region in regions:
        commit_writes(builder, region.builder)
    for symbol, position in boxes:
        write_back(symbol, results[position])
    *values, returned = Values(plan(results) for plan in plans)
    keep_places_apart(branches.joined)
    for name, value, arm_values in zip(state.names, values, _columns(regions), strict=False):
        if value is UNDEFINED and not all(map(is_absent, arm_values)):
            state.explain(name, f"only one branch of the `if` assigns {name!r}")
    state.write(values)
    _note_copies(names, [*values, returned], regions)
    return received(state, returned)


def _note_copies(names: Sequence[str], values: Sequence[Any], regions: Sequence[Region]) -> None:
    for region in regions:
        adopt_copies(_now(), region.builder)
    for name, value, arm_values in zip(names, values, _columns(regions), strict=False):
        sources = snapshot(*(x for x in arm_values if not is_absent(x)))
        note_copies(regions[0].builder.location, name, snapshot(value), sources)
        tell_joins(regions[0].builder.location, name, value)


def _columns(regions: Sequence[Region]) -> Sequence[Sequence[Any]]:
    return list(zip(*(region.result for region in regions), strict=True))


def _trace_arm(
    builder: Builder, arm: Arm, state: State, before: Sequence[Any], unknown: set[Any]
) -> Region:
    """Trace an arm; `unknown` gets functions of whose calls in it nothing is known yet."""

    def run() -> Values:
        try:
            returned = arm()
        except NeverReturns as found:
            unknown.update(found.functions)
            return Values([NEVER] * (len(before) + 1))
        except BaseException as error:
            if not fail_caught(error):
                if not is_of_the_program(builder, error):
                    raise
                emit_failure(error)
            return Values([NEVER] * (len(before) + 1))
        return Values([*state.read(), referred(state, returned)])

    try:
        return trace_region(builder, run, ())
    finally:
        state.write(before)


Plan = Callable[[Sequence[Value]], Any]


class _Branches:
    """The results that the regions of one branch have been given so far."""

    def __init__(self, regions: Sequence[Region]) -> None:
        self.regions = regions
        self.results: list[list[Value]] = [[] for _ in regions]
        self.plans: dict[Any, tuple[Any, Plan]] = {}
        self.joined: list[tuple[Symbol, list[Places]]] = []

    def join(self, name: str, values: list[Any], optional: bool) -> Plan:
        """Join the values of one variable; returns how to make it from the branch's results."""
        first = values[0]
        is_one = first is not NEVER and all(value is first for value in values)
        if is_one and self._is_outside(first):
            return lambda results: first
        values = [region.at_end(x) for region, x in zip(self.regions, values, strict=True)]
        reached = [value for value in values if value is not NEVER]
        defined = [value for value in reached if value is not UNDEFINED]
        partly = len(defined) < len(reached) and not optional
        is_option = not all(map(can_carry, defined)) or any(map(may_be_missing, defined))
        if partly and defined and is_option and all(map(can_choose, defined)):
            return self._join_tree(name, [Missing(name) if v is UNDEFINED else v for v in values])
        if not defined or (partly and not all(map(can_carry, defined))):
            refuse_lost(name, defined)
            return lambda results: UNDEFINED
        if len(defined) == len(reached) and same_static(defined) and self._is_outside(defined[0]):
            return lambda results: defined[0]
        if partly or any(flag_of(value) is not None for value in defined):
            return self._join_maybe(name, values)
        return self._join_tree(name, values, optional=optional)

    def _join_tree(
        self, name: str, values: list[Any], flagged: bool = False, optional: bool = False
    ) -> Plan:
        """Join values leaf by leaf; those of arms without a value are made up."""
        values = self._unified(name, values)
        structure = trees.flatten(next(v for v in values if not is_absent(v)))[1]
        paths = [f"{name}{path}" for path in trees.paths(structure)]
        absent = [UNDEFINED] * len(paths)
        leaves = [absent if is_absent(v) else trees.flatten(v)[0] for v in values]
        plans = [
            self._join_leaf(path, list(row), flagged, optional)
            for path, row in zip(paths, zip(*leaves, strict=True), strict=True)
        ]
        return lambda results: trees.unflatten(structure, [plan(results) for plan in plans])

    def _join_maybe(self, name: str, values: list[Any]) -> Plan:
        """Join values of a variable that some arms leave undefined, with a flag beside them."""
        joined = self._join_tree(name, values, flagged=True)
        defined = self._add([is_defined(value) for value in values], WEAK_SPECS[bool])
        about = flag_name([v for v in values if not is_absent(v)], name)
        return lambda results: mark_maybe(joined(results), about, defined(results))

    def _is_outside(self, value: Any) -> bool:
        """Tell whether a value holds nothing that an arm made."""
        made = {id(region.builder) for region in self.regions}
        leaves = trees.flatten(value)[0]
        return not any(isinstance(x, Symbol) and id(x.builder) in made for x in leaves)

    def _unified(self, name: str, values: list[Any]) -> list[Any]:
        try:
            return unify(values, [region.builder for region in self.regions])
        except TooManyOptions:
            present = [value for value in values if not is_absent(value)]
        join_sets(self.regions[0].builder.location, name, present)
        _check_structures(name, present)
        return values

    def _join_leaf(self, name: str, values: list[Any], flagged: bool, guarded: bool) -> Plan:
        defined = [value for value in values if value is not UNDEFINED]
        if not defined:
            return lambda results: UNDEFINED
        same = not flagged and same_static(defined) and self._is_outside(defined[0])
        if same and not (guarded and is_joined(defined[0])):
            return lambda results: defined[0]
        if not all(map(is_numeric, defined)):
            raise BranchMismatchError(
                f"{name} is {' in one branch and '.join(map(describe, defined))} in the other. "
                "A staged `if` can choose between numbers and arrays only"
            )
        specs = list(map(leaf_spec, defined))
        refuse_arms(name, specs)
        spec = _join_all(name, specs)
        joined = self._add(
            [placeholder(spec) if value is UNDEFINED else value for value in values],
            spec,
            defined,
            checked=not flagged,
            guarded=guarded,
        )
        return self._keep_apart(values, spec, joined, flagged)

    def _keep_apart(self, values: list[Any], spec: TensorSpec, joined: Plan, flagged: bool) -> Plan:
        """Keep beside a joined number which class it has, where plain Python has several."""
        unions = number_unions(values, [region.builder for region in self.regions])
        if unions is None:
            return joined
        options = next(x for x in unions if x is not UNDEFINED)._options
        numbers = [0 if x is UNDEFINED else x._which for x in unions]
        which = self._add(numbers, WEAK_SPECS[int], checked=not flagged)
        rows = [x._leaves if x is not UNDEFINED else [(x,)] * len(options) for x in unions]
        parts = [
            self._join_part([leaf for (leaf,) in column], spec_of_option(option), spec, flagged)
            for option, column in zip(options, zip(*rows, strict=True), strict=True)
        ]

        def plan(results: Sequence[Value]) -> Symbol:
            symbol: Symbol = joined(results)
            if symbol.union is None:
                leaves = [(part(results, symbol),) for part in parts]
                symbol.union = Choice(which(results), options, leaves)
            return symbol

        return plan

    def _join_part(
        self, values: list[Any], spec: TensorSpec, joined: TensorSpec, flagged: bool
    ) -> Callable[[Sequence[Value], Symbol], Any]:
        """Return how to make the number of one class: it is known, or of the joined, or beside."""
        present = [x for x in values if x is not UNDEFINED]
        if same_static(present) and not is_staged(present[0]):
            return lambda results, symbol: present[0]
        if spec.dtype == joined.dtype:
            return lambda results, symbol: Symbol(_now(), cast(_now(), symbol, spec))
        filled = [placeholder(spec) if x is UNDEFINED else x for x in values]
        beside = self._add(filled, spec, checked=not flagged)
        return lambda results, symbol: beside(results)

    def _add(
        self,
        values: list[Any],
        spec: TensorSpec,
        sources: Sequence[Any] = (),
        checked: bool = True,
        guarded: bool = False,
    ) -> Plan:
        """Add a result; names of one array in every arm get one plan, and stay one array."""
        key = (checked, guarded, *map(id, values))
        if checked and key in self.plans:
            return self.plans[key][1]
        position = len(self.results[0])
        for region, results, value in zip(self.regions, self.results, values, strict=True):
            results.append(converted(region, value, spec, checked))
        made: list[Symbol] = []

        def plan(results: Sequence[Value]) -> Symbol:
            if not made:
                made.append(joined_symbol(_now(), results[position], sources))
                made[0].is_guarded = guarded
                if made[0].joined_places:
                    self.joined.append((made[0], list(map(places_of, values))))
            return made[0]

        self.plans[key] = (values, plan)  # The values are kept, so that their ids stay theirs.
        return plan

    def join_writes(self) -> list[tuple[Symbol, int]]:
        """Add a result for every array from outside that an arm wrote."""
        written = {id(symbol): symbol for region in self.regions for symbol, _ in region.writes}
        boxes = []
        for symbol in written.values():
            boxes.append((symbol, len(self.results[0])))
            for region, results in zip(self.regions, self.results, strict=True):
                new = next((value for x, value in region.writes if x is symbol), None)
                results.append(region.builder.resolve(value_of(symbol)) if new is None else new)
        return boxes

    def emit(
        self, builder: Builder, op: OpDef, operands: Sequence[Value], attrs: Mapping[str, Any]
    ) -> Sequence[Value]:
        """Close the regions and append the node; returns its results."""
        captures = union_of_captures(self.regions)
        graphs = [
            region.builder.seal(region.params, results, captures)
            for region, results in zip(self.regions, self.results, strict=True)
        ]
        return builder.emit(op, (*operands, *captures), attrs, graphs)


def _check_structures(name: str, values: Sequence[Any]) -> None:
    """Raise BranchMismatchError when values differ in structure."""
    first, *others = values
    for value in others:
        difference = trees.difference(first, value)
        if difference is not None:
            both = f"{describe(first)} in one branch and {describe(value)} in the other"
            raise BranchMismatchError(
                f"{name} is {both}: {difference}. "
                "The branches of a staged `if` must give values of one structure"
            )


def _now() -> Builder:
    builder = default_graph.current()
    assert builder is not None
    return builder


def _join_all(name: str, specs: Sequence[TensorSpec]) -> TensorSpec:
    def join(a: TensorSpec, b: TensorSpec) -> TensorSpec:
        joined = join_specs(a, b)
        if joined is None:
            raise BranchMismatchError(
                f"{name} is {a} in one branch and {b} in the other, and no dtype and rank holds "
                "both without loss. Convert one of them, for example with .astype() or .reshape()"
            )
        return joined

    return reduce(join, specs)
