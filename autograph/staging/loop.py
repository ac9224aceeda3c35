"""Staged loops: the body is traced into a region, and its variables become the loop's state.

A variable that the body assigns is *carried*: a parameter of the body. So is an array that the body
writes in place, whoever holds it. What the state is, is found by tracing: a variable whose dtype or
shape changes is widened where that loses nothing, and the body is traced again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from autograph.staging import deferred_errors
from autograph.staging.carried import (
    Carried,
    by_key,
    carry,
    choose,
    end_values,
    fit,
    is_of_every_round,
    known_classes,
    leaves_after,
    mismatch,
    outside_leaves,
    sources_by_key,
    split_leaves,
    uncarried,
)
from autograph.staging.context import trace_of
from autograph.staging.copies import Values, adopt_copies, copied
from autograph.staging.exchange import Exchanges
from autograph.staging.join import (
    can_carry,
    check_writable,
    flag_name,
    flag_of,
    is_defined,
    mark_maybe,
    may_be_missing,
    placeholder,
    was_written,
    widened,
)
from autograph.staging.loop_copies import LoopCopies
from autograph.staging.loop_sharing import LoopSharing
from autograph.staging.number_join import closed, opened
from autograph.staging.options import join_sets
from autograph.staging.references import referring
from autograph.staging.region import (
    NOTHING_WRITTEN,
    UNDEFINED,
    NeverReturns,
    Region,
    State,
    forget_written,
    trace_region,
)
from autograph.staging.selections import selecting
from autograph.staging.strictness import takes_keeping
from autograph.staging.unify import TooManyOptions, can_choose
from runtime import default_graph, trees
from runtime.aliasing import StaleError, commit_writes
from runtime.array_context import Written, arrays_of
from runtime.dispatch import apply, write_back
from runtime.errors import LoopStateError, MutationError
from runtime.graph.node import Value
from runtime.graph.opdef import REGISTRY
from runtime.spec import TensorSpec
from runtime.tensor import Symbol
from runtime.union import Missing, leaf_spec, same_static

MAX_ATTEMPTS = 16


class Loop:  # Long: the steps of one search, each of which may begin it anew.
    """A loop while its state is being found.

    Args:
        state: the variables that the body assigns.
        leading: specs of the parameters that the body's region has before the state.
        body: runs one round, given symbols for the leading parameters.
        certain: whether the body runs at least once.
    """

    def __init__(
        self,
        state: State,
        leading: Sequence[TensorSpec],
        body: Callable[..., Any],
        certain: bool = False,
    ) -> None:
        builder = default_graph.current()
        assert builder is not None
        self.builder = builder
        self.state = selecting(referring(state))
        self.leading, self.body, self.certain = tuple(leading), body, certain
        self.keeps_specs = takes_keeping()
        self.classes = not self.keeps_specs
        self.before = self.state.read()
        self.known = len(self.before)
        self.copies = LoopCopies(self.state, self.before)
        self.in_place, self.moving = set[int](), set[int]()
        self.sharing, self.exchanges = LoopSharing(builder), Exchanges(builder)
        self.bound: dict[Carried, Sequence[Any]] = {}
        self.always_fails = False
        self.raised: BaseException | None = None
        self.resized = trace_of(builder).resized.setdefault(self.copies.location, {})
        self.carried = [self._carry(k, x) for k, x in enumerate(self.before) if can_carry(x)]
        self.region = self._find_state()

    def _find_state(self) -> Region:
        for attempt in range(MAX_ATTEMPTS):
            self.state.grow(self.before)
            try:
                is_first, self.always_fails = attempt == 0 or self.always_fails, False
                run = self._run_first if is_first else self._run_body
                region = self._trace(run, self.leading)
            except StaleError as error:
                if not self._assume_in_place(error.writer):
                    raise
                continue
            if self.always_fails:
                written = [x for row in self.bound.values() for x in row if was_written(x)]
                if any(map(self._assume_in_place, written)):
                    continue
                return region
            changed = self._revise(region) | forget_written(region)
            self.known = len(self.before)
            changed |= self.sharing.learn(region, leaves_after(self.carried, region))
            if not changed and not self._exchange(region):
                return self._again(region)
        raise LoopStateError("the state of a loop keeps changing its dtypes or shapes")

    def _exchange(self, region: Region) -> bool:
        """See to arguments that rounds write; tell whether the loop has to be traced for that."""
        held = by_key(self.carried, region.symbols[len(self.leading) :])
        passing = {(x.position, k) for x in self.carried if self._is_fresh(x) for k in x.made_up}
        before = {key: x for key, row in sources_by_key(self.carried).items() for x in row}
        written = [key for key, symbol in held.items() if was_written(symbol)]
        check_writable(leaf for key, leaf in leaves_after(self.carried, region) if key in written)
        return self.exchanges.revise(self.sharing, written, passing, before)

    def _assume_in_place(self, written: Symbol) -> bool:
        """Take a variable that was written for one that holds one array in all rounds."""
        for variable in self.carried:
            leaves = self.bound.get(variable, ())
            if variable.position not in self.moving and any(x is written for x in leaves):
                self.carried.remove(variable)
                self.in_place.add(variable.position)
                return True
        return False

    def _again(self, region: Region) -> Region:
        """Trace the body as a later round, if what was written in it may change what it reads."""
        if not self.sharing.matters_later(region):
            return region
        later = self._trace(self._run_body, self.leading, arrays_of(region.builder).written)
        for variable, params, _ in split_leaves(self.carried, later.symbols[len(self.leading) :]):
            after = later.result[variable.position]
            if after is not UNDEFINED:
                fitted = fit(variable, params, after, later.builder, self.classes)
                later.result[variable.position] = fitted
        return later

    def _trace(
        self,
        run: Callable[..., Any],
        leading: Sequence[TensorSpec],
        written: Written = NOTHING_WRITTEN,
    ) -> Region:
        try:
            given = written, self.sharing.changing
            return trace_region(self.builder, run, [*leading, *self.specs()], *given)
        finally:
            self.state.grow(None)
            self.state.write(self.before)

    def _run_body(self, *symbols: Symbol) -> list[Any]:
        self._bind(symbols[len(self.leading) :])
        try:
            returned = self.body(*symbols[: len(self.leading)])
        except Exception as error:
            if deferred_errors.is_caught(self.builder, error):
                raise deferred_errors.error_of_every_round(error) from error
            raise
        after = Values([*self.state.read(), returned])
        self.copies.end_round(after)
        self.exchanges.end_round()
        pairs = zip(after, (*self.before, None), strict=True)
        return Values(x if x is before else copied(x) for x, before in pairs)

    def _run_first(self, *symbols: Symbol) -> list[Any]:
        """Run the first round; what it raises is raised in the graph, after what was written."""
        try:
            return self._run_body(*symbols)
        except NeverReturns:
            if self.certain:
                raise
        except BaseException as error:
            if not deferred_errors.is_of_the_program(self.builder, error):
                raise
            deferred_errors.emit_failure(error)
            self.raised = error if self.certain else None
        self.always_fails = True
        self._bind(symbols[len(self.leading) :])
        return Values([*map(opened, self.state.read()), None])

    def _bind(self, symbols: Sequence[Any]) -> None:
        """Give the carried variables the values of a round."""
        values = Values(self.before)
        bound: dict[int, Any] = {}
        self.sharing.begin(sources_by_key(self.carried))
        for variable, leaves, flag in split_leaves(self.carried, symbols):
            if self._is_fresh(variable):  # a flag that is false in the beginning of each round
                continue
            sources = variable.sources
            for k, (leaf, source) in enumerate(zip(leaves, sources, strict=True)):
                self.sharing.bind((variable.position, k), leaf, source)
                leaf.begins_round = True
                leaf.is_guarded = self.state.optional[variable.position]
            self.bound[variable] = leaves
            value = closed(trees.unflatten(variable.structure, list(leaves)))
            if flag is not None:
                mark_maybe(value, self.state.names[variable.position], flag)
            values[variable.position] = bound[variable.position] = value
        self.state.write(values)
        self.copies.begin_round(bound)
        self.exchanges.begin_round(by_key(self.carried, symbols))

    def _is_fresh(self, variable: Carried) -> bool:
        """Tell whether a variable has no value in the beginning of any round that reads it."""
        position = variable.position
        return self.state.optional[position] and self.before[position] is UNDEFINED

    def specs(self) -> list[TensorSpec]:
        """Return the specs of the carried leaves."""
        return [spec for variable in self.carried for spec in variable.all_specs]

    def _revise(self, region: Region) -> bool:
        """Bring the state into line with what a round left behind; tell whether it changed."""
        known = {variable.position: k for k, variable in enumerate(self.carried)}
        symbols = dict(enumerate(split_leaves(self.carried, region.symbols[len(self.leading) :])))
        changed = False
        for position, after in enumerate(region.result[:-1]):
            if position in known:
                variable, before, _ = symbols[known[position]]
                changed |= self._revise_carried(region, variable, before, after)
            else:
                changed |= self._revise_other(region, position, after)
        return changed

    def _revise_carried(
        self, region: Region, variable: Carried, before: Sequence[Any], after: Any
    ) -> bool:
        name = self.state.names[variable.position]
        if variable.flag is None and (after is UNDEFINED or flag_of(after) is not None):
            self.carried[self.carried.index(variable)] = replace(variable, flag=True)
            return True
        if after is UNDEFINED:
            return False
        fitted = fit(variable, before, after, region.builder, self.classes)
        if fitted is None or not variable.may_become(fitted):
            wider = self._choose(variable.position, variable.initial, after, region, variable)
            self.carried[self.carried.index(variable)] = wider
            self.sharing.forget(variable.position)  # its leaves are others now
            return True
        region.result[variable.position] = fitted
        leaves = trees.flatten(fitted)[0]
        fixed = variable.position not in self.moving
        if fixed and any(x is y and was_written(x) for x, y in zip(before, leaves, strict=True)):
            self.carried.remove(variable)
            self.in_place.add(variable.position)
            return True
        kept = self.keeps_specs and not variable.is_resized
        pairs = zip(trees.paths(variable.structure), variable.specs, leaves, strict=True)
        specs = tuple(widened(f"{name}{x}", spec, leaf, kept) for x, spec, leaf in pairs)
        if specs == variable.specs:
            return False
        self.carried[self.carried.index(variable)] = replace(variable, specs=specs)
        self.resized[name] = specs
        return True

    def _carry(self, position: int, value: Any) -> Carried:
        return carry(position, value, self.resized.get(self.state.names[position], ()))

    def _choose(
        self,
        position: int,
        initial: Any,
        after: Any,
        region: Region,
        known: Carried | None = None,
    ) -> Carried:
        """Return a variable that may be what it is before the loop, or what a round makes of it."""
        name = self.state.names[position]
        try:
            builders = self.builder, region.builder
            return choose(position, initial, after, builders, known, self.classes)
        except TooManyOptions:
            join_sets(self.copies.location, name, [self.before[position], after])
            raise LoopStateError(mismatch(name, self.before[position], after)) from None

    def _revise_other(self, region: Region, position: int, after: Any) -> bool:
        """Look at a variable that is not carried: undefined, known, or written in place."""
        before = self.before[position]
        if before is UNDEFINED:
            return self._revise_undefined(region, position, after)
        if position >= self.known:  # a round was found to assign it
            self.carried.append(found := self._carry(position, before))
            return self._revise_carried(region, found, found.leaves, after) or True
        if position in self.in_place:
            if after is before:
                return False
            self.in_place.remove(position)
            self.moving.add(position)
            if can_carry(before):
                self.carried.append(self._carry(position, before))
                return True
        if same_static([before, after]):
            return False
        self.carried.append(self._choose(position, before, after, region))
        return True

    def _revise_undefined(self, region: Region, position: int, after: Any) -> bool:
        is_guarded = self.state.optional[position]
        if not can_carry(after) or may_be_missing(after):
            is_left = is_guarded and is_of_every_round(after)
            if after is UNDEFINED or is_left or not can_choose(after):
                return False
            missing = Missing(self.state.names[position])
            self.carried.append(self._choose(position, missing, after, region))
            return True
        leaves, structure = trees.flatten(opened(after))
        initial = trees.unflatten(structure, [placeholder(leaf_spec(leaf)) for leaf in leaves])
        start = tuple(leaf_spec(leaf) for leaf in trees.flatten(initial)[0])
        flag = None if is_guarded else False
        made_up = frozenset(range(len(start)))
        self.carried.append(Carried(position, initial, structure, start, flag, made_up))
        return True

    def trace_test(self, test: Callable[[], Any]) -> Region:
        """Trace the loop's condition in terms of the state."""

        def run(*symbols: Symbol) -> Any:
            self._bind(symbols)
            return apply(REGISTRY["truth"], [test()])

        region = self._trace(run, (), arrays_of(self.region.builder).written)
        if region.writes or any(map(was_written, region.symbols)):
            raise MutationError("the condition of a staged loop writes an array; do it in the body")
        return region

    def finish(self, results: Sequence[Value], boxes: Sequence[Symbol]) -> None:
        """Assign the state after the loop, and write the arrays that the body wrote."""
        values = Values(self.before)
        carried = results[: len(self.specs())]
        commit_writes(self.builder, self.region.builder)
        for symbol, new in zip(boxes, results[len(carried) :], strict=False):
            write_back(symbol, new)
        self.exchanges.finish(by_key(self.carried, carried))
        for variable, leaves, flag in split_leaves(self.carried, carried):
            if not self._is_unchanged(variable):
                symbols = [Symbol(self.builder, leaf) for leaf in leaves]
                for symbol in symbols:
                    symbol.is_guarded = self.state.optional[variable.position]
                sources = variable.sources
                for k, (symbol, source) in enumerate(zip(symbols, sources, strict=True)):
                    self.sharing.bind((variable.position, k), symbol, source)
                if self._is_fresh(variable):
                    symbols = outside_leaves(self.region, variable, symbols)
                after = self.region.result[variable.position]
                known = known_classes(variable, after) if self.certain else {}
                symbols = [known.get(k, x) for k, x in enumerate(symbols)]
                value = closed(trees.unflatten(variable.structure, symbols))
                if flag is not None and not (self.certain and is_defined(after) is True):
                    name = flag_name(after, self.state.names[variable.position])
                    mark_maybe(value, name, Symbol(self.builder, flag))
                values[variable.position] = value
        for position, after in enumerate(self.region.result[:-1]):
            if values[position] is UNDEFINED and after is not UNDEFINED:
                values[position] = uncarried(self.state, position, after)
        self.state.write(values)
        adopt_copies(self.builder, self.region.builder)
        self.copies.finish(values)

    def _is_unchanged(self, variable: Carried) -> bool:
        """Tell whether a round leaves a variable as it found it, so that it keeps its value."""
        after = self.region.result[variable.position]
        if after is UNDEFINED:
            return False
        split = split_leaves(self.carried, self.region.symbols[len(self.leading) :])
        params = next(leaves for found, leaves, _ in split if found is variable)
        return all(x is y for x, y in zip(params, trees.flatten(after)[0], strict=True))

    def body_results(self) -> list[Value]:
        """Return the values of the carried leaves at the end of a round, in the body's region."""
        return end_values(self.carried, self.region, self.region.symbols[len(self.leading) :])
