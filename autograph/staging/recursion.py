"""Functions that call themselves under a staged condition: a body becomes a region of the graph.

Tracing such a function would never end. So its body is traced on parameters, and a call of it in
there is an op of its own, `call_again`. What it takes and returns is found by tracing, as the state
of a loop is. In the first round nothing is known of what a call gives, so that an arm with one
counts as one that never returns, and the other arms tell. Types that do not hold all values are
widened, and the body is traced again, until nothing changes. What the body uses from outside, and
what it assigns or writes there, goes in and out with each call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from autograph.staging.call_arguments import (
    Given,
    alike,
    check_defined,
    check_written,
    given,
    places_given,
    widened_params,
)
from autograph.staging.call_specs import Outputs, expected_param, holds, result_of, told
from autograph.staging.constants import constant_in, define_constants
from autograph.staging.context import region_of
from autograph.staging.copies import Values, adopt_copies
from autograph.staging.join import convert, converted, placeholder
from autograph.staging.lifting import ABSENT
from autograph.staging.number_join import closed, opened
from autograph.staging.region import (
    Midway,
    NeverReturns,
    Region,
    State,
    forget_written,
    trace_region,
    union_of_captures,
)
from autograph.staging.unify import TooManyOptions, unify
from runtime import default_graph, trees
from runtime.aliasing import commit_writes, places_of, share
from runtime.dispatch import as_value, value_of, write
from runtime.errors import CallMismatchError, Noted
from runtime.graph.builder import Builder
from runtime.graph.node import Value
from runtime.ops.recursion import call, call_again, open_dims
from runtime.spec import TensorSpec, accepts, join_specs
from runtime.tensor import NO_PLACES, Place, Symbol, is_staged
from runtime.union import Reference, is_numeric, leaf_spec, same_static

MOST_ROUNDS = 32  # classes of numbers, sizes and the state are found one after another


class Widened(Noted):
    """What was assumed of a function does not hold for one of its calls."""


class Recursion:  # Long: the steps of one search, each of which may begin it anew.
    """A function that calls itself, while its body is traced.

    Args:
        name: in the graph, of no other function around it.
        body: runs it, given the values of its parameters.
        names: of its parameters.
        arguments: the values that they have in the call from outside.
        state: the variables that it assigns.
        midway: asked where it calls itself.
    """

    def __init__(
        self,
        name: str,
        body: Callable[[Sequence[Any]], Any],
        names: Sequence[str],
        arguments: Sequence[Any],
        state: State,
        midway: Midway,
    ) -> None:
        builder = default_graph.current()
        assert builder is not None
        self.name = name
        self.builder = builder
        self.inside = builder
        self._catcher = region_of(builder).catcher
        self._body = body
        self._names = (*state.names, *names)
        self._state = state
        self._midway = midway
        self._before = state.read()
        self.arguments = arguments
        self._given = given(self._before, arguments)
        carried = self._given.state.count
        self._params = [
            leaf_spec(leaf) if is_staged(leaf) or (k < carried and is_numeric(leaf)) else None
            for k, leaf in enumerate(self._given.leaves)
        ]
        self._begun = list(self._params)
        self._captures: list[Value] = []
        self._initial: dict[int, Value] = {}
        self._outputs: Outputs | None = None
        self._ends: Sequence[Any] = ()
        self._is_called = False

    def expect(self, earlier: Recursion) -> None:
        """Begin with what was found of an earlier call of the function, with the same containers.

        Whatever of it does not hold is found out again.
        """
        assert earlier._outputs is not None
        if earlier._names != self._names or not earlier.builder.encloses(self.builder):
            return
        first, _ = alike([self._given, earlier._given], (self.builder, earlier.builder))
        if first.structure != earlier._given.structure:
            return
        self._widen(first)
        known = zip(self._given.leaves, self._params, earlier._begun, earlier._params, strict=True)
        self._params = [expected_param(*x) for x in known]
        if self._params != earlier._params:
            return
        self._outputs = earlier._outputs
        boxes = self._outputs.boxes
        self._initial = {id(x): self.builder.resolve(value_of(x)) for x in boxes}
        now = {earlier._initial[id(x)]: self._initial[id(x)] for x in boxes}
        self._captures = list(dict.fromkeys(now.get(x, x) for x in earlier._captures))

    def stage(self) -> Any:
        """Append the call from outside to the graph; return what the function returns.

        Raises:
            CallMismatchError: its arguments or results change in a way that no type holds.
            RecursionError: it calls itself whatever happens.
        """
        for _ in range(MOST_ROUNDS):
            specs = [spec for spec in self._params if spec is not None]
            try:
                region = trace_region(self.builder, self._run, specs)
            except Widened as found:
                if found.args[0] is not self:
                    raise
                continue
            except NeverReturns as found:
                if others := found.functions - {self}:
                    raise NeverReturns(others) from None
                raise RecursionError(
                    f"{self.name} calls itself, whatever its arguments are: no way through it "
                    "returns before. Return something under a condition, before the call"
                ) from None
            finally:
                self._state.write(self._before)
            self._midway.check()
            if not self._learn(region):
                return self._finish(region)
        raise CallMismatchError(
            f"what {self.name} takes or returns keeps changing its dtype or shape from call to call"
        )

    def again(self, arguments: Sequence[Any]) -> Any:
        """Append a call of the function by itself; return what it returns.

        Raises:
            NeverReturns: what it returns is not known yet.
            Widened: it takes arguments of another type, and the body has to be traced again.
        """
        builder = default_graph.current()
        assert builder is not None
        self._is_called = True
        self._midway.look()
        if region_of(builder).catcher is not self._catcher:
            raise CallMismatchError(
                f"{self.name} calls itself under a staged condition, inside a `try` statement. "
                f"Put the `try` around the call of {self.name} from outside, or write a loop"
            )
        leaves = self._fitted(arguments)
        if self._outputs is None:
            raise NeverReturns(frozenset([self]))
        now = {self._initial[id(box)]: value_of(box) for box in self._outputs.boxes}
        captures = [now.get(value, value) for value in self._captures]
        operands = [*self._operands(builder, leaves), *captures]
        attrs = {"function": self.name, "results": tuple(map(str, self._result_specs()))}
        return self._deliver(builder.emit(call_again, operands, attrs), leaves)

    def repeats(self, arguments: Sequence[Any]) -> bool:
        """Tell whether a call with arguments is traced as the one from outside is."""
        call, first = given(self._state.read(), arguments), self._given
        return call.structure == first.structure and all(map(self._is_like, call.leaves, count()))

    def _is_like(self, leaf: Any, k: int) -> bool:
        spec = self._params[k]
        if spec is None:
            return same_static([self._given.leaves[k], leaf])
        return is_numeric(leaf) and holds(spec, leaf_spec(leaf))

    def _run(self, *symbols: Symbol) -> Values:
        builder = default_graph.current()
        assert builder is not None
        self.inside, self._catcher = builder, region_of(builder).catcher
        made = iter(symbols)
        pairs = zip(self._given.leaves, self._params, strict=True)
        leaves = [x if spec is None else next(made) for x, spec in pairs]
        state, arguments = self._given.values(leaves)
        self._state.write(state)
        returned = self._body(arguments)
        return Values([*self._state.read(), returned])

    def _fitted(self, arguments: Sequence[Any]) -> list[Any]:
        """Return the leaves of arguments, when the parameters hold them; else widen these."""
        builder = default_graph.current()
        assert builder is not None
        first, call = alike(
            [self._given, given(self._state.read(), arguments)], (self.builder, builder)
        )
        if first.structure != call.structure:
            pairs = zip(first.structure, call.structure, strict=True)
            found = next(x for a, b in pairs if (x := trees.difference(a, b, "it")) is not None)
            raise CallMismatchError(
                f"{self.name} calls itself under a staged condition, with arguments or variables "
                f"of another structure than it was called with: {found}. Give them one structure"
            )
        if self._widen(first):
            self._outputs = None
            raise Widened(self)
        before, self._params = self._params, [*map(self._wider, count(), call.leaves)]
        if before != self._params:
            raise Widened(self)
        return list(call.leaves)

    def _widen(self, first: Given) -> bool:
        """Let numbers be of several classes in the call from outside; tell whether that is new."""
        before = self._given
        if first.structure == before.structure:
            return False
        self._params = widened_params(self._params, before, first)
        self._begun, self._given = widened_params(self._begun, before, first), first
        return True

    def _path(self, k: int) -> str:
        """Return what messages call a leaf of the state or the arguments."""
        return self._given.path(self._names, len(self._state.names), k)

    def _wider(self, k: int, leaf: Any) -> TensorSpec | None:
        first, spec = self._given.leaves[k], self._params[k]
        if spec is None and same_static([first, leaf]):
            return None
        if not (is_numeric(first) and is_numeric(leaf)):
            raise CallMismatchError(
                f"{self.name} calls itself under a staged condition, and {self._path(k)} is "
                f"{told(first)} in one call and {told(leaf)} in another. What changes must be "
                "numbers and arrays: write an array for a list, and a number for a text"
            )
        spec, now = spec or leaf_spec(first), leaf_spec(leaf)
        return spec if holds(spec, now) else self._joined(self._path(k), spec, now)

    def _joined(self, what: str, a: TensorSpec, b: TensorSpec) -> TensorSpec:
        found = join_specs(open_dims(a), open_dims(b))
        if found is None:
            raise CallMismatchError(
                f"{self.name} calls itself under a staged condition, and {what} is {a} in one call "
                f"and {b} in another: no dtype and rank holds both without loss. Give it one dtype "
                "and rank, for example with .astype() or .reshape()"
            )
        return found

    def _learn(self, region: Region) -> bool:
        """Learn from a trace of the body what a call gives; tell whether that is new."""
        if forget_written(region):
            return True
        outputs = self._found(region)
        values = {id(box): self.builder.resolve(value_of(box)) for box in outputs.boxes}
        self._initial.update(values)
        captures = union_of_captures([region])
        captures = [x for x in captures if constant_in(self.builder, x) is None]
        new = [x for x in dict.fromkeys([*captures, *values.values()]) if x not in self._captures]
        self._captures += new
        is_new = bool(new) or outputs != self._outputs
        self._outputs = outputs
        return is_new and self._is_called

    def _found(self, region: Region) -> Outputs:
        ends = Values(map(region.at_end, region.result))
        check_defined(self.name, self._state.names, self._before, ends)
        ends = opened(ends)
        self._ends, structure = trees.flatten(ends)
        known = self._outputs
        if known is not None and not known.are_like(self._ends, structure):
            known, structure = self._unified(known, ends, region.builder)
        before = [None] * len(self._ends) if known is None else known.leaves
        leaves = tuple(map(self._result, before, self._ends))
        written = {k for k, symbol in self._numbered(region) if symbol.was_written}
        boxes = [symbol for symbol, _ in region.writes]
        owners = {id(symbol): k for k, symbol in self._numbered(region)}
        places = [places_given(region.builder, owners, leaf) for leaf in self._ends]
        if known is not None:
            written.update(known.written)
            boxes = [*known.boxes, *(x for x in boxes if not any(x is y for y in known.boxes))]
            places = [a | b for a, b in zip(known.places, places, strict=True)]
        return Outputs(structure, leaves, tuple(sorted(written)), tuple(boxes), tuple(places))

    def _unified(self, known: Outputs, ends: Values, builder: Builder) -> tuple[Outputs, Any]:
        """Give what was known of the results, and what they are now, one structure."""
        leaves = [
            Symbol(builder, as_value(builder, placeholder(x))) if isinstance(x, TensorSpec) else x
            for x in known.leaves
        ]
        made = Values(trees.unflatten(known.structure, leaves))
        try:
            first, second = unify([made, ends], (builder, builder), classes=True)
        except TooManyOptions:
            raise CallMismatchError(
                f"what {self.name} returns has not one structure, but too many: "
                f"{trees.difference(known.structure, trees.flatten(ends)[1], 'it')}"
            ) from None
        old, structure = trees.flatten(first)
        specs = {id(x): spec for x, spec in zip(leaves, known.leaves, strict=True)}
        own = {id(x): places for x, places in zip(leaves, known.places, strict=True)}
        before = tuple(None if x is ABSENT else specs.get(id(x), result_of(x)) for x in old)
        pairs = zip(trees.flatten(second)[0], old, strict=True)
        self._ends = [placeholder(leaf_spec(b)) if a is ABSENT else a for a, b in pairs]
        every = NO_PLACES.union(*known.places)
        others = (every if isinstance(x, TensorSpec) and x.shape else NO_PLACES for x in before)
        places = tuple(own.get(id(x), y) for x, y in zip(old, others, strict=True))
        return replace(known, leaves=before, places=places), structure

    def forget(self) -> None:
        """Forget what a call gives, since the body is about to give something else."""
        self._outputs = None
        raise Widened(self)

    def _numbered(self, region: Region) -> Iterator[tuple[int, Symbol]]:
        """Yield the parameters of the body with the numbers of the leaves that they stand for."""
        numbers = (k for k, spec in enumerate(self._params) if spec is not None)
        return zip(numbers, region.symbols, strict=True)

    def _result(self, known: Any, leaf: Any) -> Any:
        """Return what is known of a part of the result: its spec, or what it always is."""
        if not is_numeric(leaf):
            is_object = type(leaf) is Reference and leaf == known
            if known is not None and not (is_object or same_static([known, leaf])):
                raise CallMismatchError(
                    f"{self.name} returns {told(known)} or {told(leaf)}, depending on a "
                    "staged condition. Return numbers and arrays, in one structure"
                )
            return leaf
        spec = open_dims(leaf_spec(leaf))
        if not isinstance(known, TensorSpec):
            return spec
        return known if accepts(known, spec) else self._joined("what it returns", known, spec)

    def _result_specs(self) -> list[TensorSpec]:
        """Return the specs of all that a call gives."""
        assert self._outputs is not None
        params = [self._params[k] for k in self._outputs.written]
        specs = [x for x in (*self._outputs.leaves, *params) if isinstance(x, TensorSpec)]
        return [open_dims(x) for x in (*specs, *(box.spec for box in self._outputs.boxes))]

    def _operands(self, builder: Builder, leaves: Sequence[Any]) -> list[Value]:
        pairs = zip(leaves, self._params, strict=True)
        return [convert(builder, leaf, spec) for leaf, spec in pairs if spec is not None]

    def _finish(self, region: Region) -> Any:
        """Close the body, append the call from outside, and return what that gives."""
        assert self._outputs is not None
        pairs = zip(self._ends, self._outputs.leaves, strict=True)
        results = [converted(region, x, spec) for x, spec in pairs if isinstance(spec, TensorSpec)]
        params = dict(self._numbered(region))
        new = {id(symbol): value for symbol, value in region.writes}
        with default_graph.building(region.builder):
            results += [value_of(params[k]) for k in self._outputs.written]
            results += [new.get(id(x)) or value_of(x) for x in self._outputs.boxes]
        define_constants(region.builder, self._captures)
        graph = region.builder.seal(region.params, results, self._captures)
        operands = [*self._operands(self.builder, self._given.leaves), *self._captures]
        commit_writes(self.builder, region.builder)
        found = self.builder.emit(call, operands, {"function": self.name}, (graph,))
        adopt_copies(self.builder, region.builder)
        return self._deliver(found, self._given.leaves)

    def _deliver(self, results: Sequence[Value], arguments: Sequence[Any]) -> Any:
        """Write what a call wrote, assign the state, and return what the call returned."""
        builder, outputs = default_graph.current(), self._outputs
        assert builder is not None
        assert outputs is not None
        made = iter([Symbol(builder, value) for value in results])
        leaves = [next(made) if isinstance(x, TensorSpec) else x for x in outputs.leaves]
        for leaf, places in zip(leaves, outputs.places, strict=True):
            if places and type(leaf) is Symbol:
                known = [places_of(arguments[x]) if type(x) is int else {x} for x in places]
                share(leaf, map(frozenset, known), frozenset([Place(builder, leaf)]))
        is_captured = lambda x: value_of(x) in self._captures  # noqa: E731
        check_written(self.name, outputs, arguments, is_captured, self._path)
        for k in outputs.written:
            write(arguments[k], next(made))
        for box in outputs.boxes:
            write(box, next(made))
        *values, returned = closed(trees.unflatten(outputs.structure, leaves))
        self._state.write(values)
        return returned
