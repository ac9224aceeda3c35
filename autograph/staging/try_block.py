"""Staged `try`: the body is traced into a region, and so is a handler for each place that fails.

Comes in: closures, and which handler an exception has. Goes out: a `try_` node. A check in the body
whose exception is caught becomes a `fail`, which hands the handler all that the body changed so
far: the variables as they are there, and the arrays that were written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograph.staging.cond import join_regions
from autograph.staging.context import Catcher, caught_by, region_of, trace_of
from autograph.staging.copies import TryAgain, Values
from autograph.staging.deferred_errors import (
    emit_failure,
    fail_caught,
    is_of_the_program,
    placed,
    unreached,
)
from autograph.staging.join import joined_symbol, mark_maybe
from autograph.staging.may_raise import probe, risks, text_of
from autograph.staging.number_join import closed, opened
from autograph.staging.region import NEVER, Midway, Region, State, trace_region
from autograph.staging.selections import selecting
from runtime import default_graph, trees
from runtime.array_context import arrays_of
from runtime.dispatch import apply, value_of, write_back
from runtime.graph.builder import Builder
from runtime.graph.location import error_location
from runtime.graph.node import Graph, Value
from runtime.graph.opdef import REGISTRY, OpDef
from runtime.graph.traits import Error
from runtime.graph.walk import walk
from runtime.ops.control import try_
from runtime.ops.effects import fail, fill_text
from runtime.ops.exceptions import Parts, exception_class, exception_form, parts_of
from runtime.tensor import Symbol
from runtime.text_methods import ONE
from runtime.texts import StagedText

Handler = Callable[[BaseException], Any]
Find = Callable[[BaseException], "Handler | None"]


@dataclass(frozen=True, slots=True, eq=False)
class _Point:
    """A place where the body may be left.

    Args:
        error: what is raised there.
        parts: the same taken apart, when something in it was made in the body.
        state: the values of the variables, with symbols as they were there; containers that were
            made in the body are copied, as it goes on with them.
        first: for each of these, the number of the first one that is the same.
        outside: the ids of containers in them that were not made in the body.
        symbols: those that the handler gets anew.
        values: what these hold, then the flags of those that may be undefined, then what the
            arrays from outside hold that were written.
        written: these arrays.
    """

    error: BaseException
    parts: Parts | None
    state: Sequence[Any]
    first: Sequence[int]
    outside: frozenset[int]
    symbols: Sequence[Symbol]
    values: Sequence[Value]
    written: Sequence[Symbol]


class Attempt:
    """A `try` while its body is being traced.

    Args:
        builder: the graph that it stands in.
        key: identifies it from one trace to the next.
        find: returns the handler of an exception, or None.
        state: the variables that its parts assign.
        leaving: what is asked where its body is left; None if that is not traced into a region,
            for which `TryAgain` asks then.
    """

    def __init__(
        self,
        builder: Builder,
        key: Any,
        find: Find,
        state: State,
        leaving: Midway | None = None,
    ) -> None:
        self.builder = builder
        self.key = key
        self.find = find
        self.state = state
        self._leaving = leaving
        self.outer: Catcher | None = region_of(builder).catcher
        self.points: dict[int, _Point] = {}

    def redirect(
        self, builder: Builder, op: OpDef, inputs: Sequence[Value], attrs: Mapping[str, Any]
    ) -> tuple[OpDef, Sequence[Value], Mapping[str, Any]] | list[Value]:
        """Return the `fail` that stands for a check, when its exception is caught.

        What has other effects is attempted; the results of that are returned.
        """
        if op is not REGISTRY["check"]:
            found = self._leave_where_raised(builder, op, inputs, attrs)
            return (op, inputs, attrs) if found is None else found
        error = _error(builder, inputs, attrs)
        if not self.catches(error):
            return op, inputs, attrs
        operands, point = self.leave(builder, error, inputs[0])
        return fail, operands, point

    def _leave_where_raised(
        self, builder: Builder, op: OpDef, inputs: Sequence[Value], attrs: Mapping[str, Any]
    ) -> list[Value] | None:
        """Leave the body where an op raises what is caught: before it, or after its attempt.

        Returns the results of that.
        """
        if op.effect not in (None, "output"):
            return None
        reported = self._reported(builder, op, inputs)
        named = {x.name: x for x in (*risks(builder, op, inputs, attrs), *reported)}
        caught = [x for x in named if self.catches(_raised_by(op, named[x], None))]
        if not caught:
            return None
        asked, said, *results = probe(builder, op, inputs, attrs, caught)
        number, text = Symbol(builder, asked), Symbol(builder, said)
        for k, name in enumerate(caught, 1):
            differs = apply(REGISTRY["not_equal"], [number, k])
            operands, point = self.leave(
                builder, _raised_by(op, named[name], text), value_of(differs)
            )
            builder.emit(fail, operands, point)
        return results if op.effect is not None else None

    def _reported(self, builder: Builder, op: OpDef, inputs: Sequence[Value]) -> Sequence[Error]:
        """Return what an op raises instead of a warning, the way that it reports errors now."""
        if not op.warns or all(x.spec.weak for x in inputs):
            return ()
        if any(map(self.catches, (FloatingPointError(), RuntimeWarning()))):
            builder.reports.is_relied_on = True
        return [Error(name) for name in builder.reports.errors()]

    def catches(self, error: BaseException) -> bool:
        """Tell whether this `try`, or one around it, catches an error."""
        if self.find(error) is not None:
            return True
        return self.outer is not None and self.outer.catches(error)

    def leave(
        self, builder: Builder, error: BaseException, test: Value
    ) -> tuple[Sequence[Value], dict[str, Any]]:
        """Return operands and attributes of the `fail` that raises an error that is caught."""
        if self.find(error) is None:
            assert self.outer is not None
            return self.outer.leave(builder, error, test)
        if self._leaving is None:
            raise TryAgain(self.key)
        self._leaving.look()
        point = self._point(builder, error)
        number = next(trace_of(builder).points)
        self.points[number] = point
        return (test, *point.values), {"point": number}

    def _point(self, builder: Builder, error: BaseException) -> _Point:
        written = self._written(builder)
        assert self._leaving is not None
        is_leaf = self._leaving.is_from_outside
        read = self.state.read()
        ids = list(map(id, read))
        flat = [trees.flatten_to(opened(x, is_leaf), is_leaf) for x in read]
        parts: Any = parts_of(error, error_location(error), trace_of(builder).handled)
        parts = opened(parts)
        if not any(map(self._is_made_inside, trees.flatten(parts)[0])):
            parts = None
        leaves = [leaf for inside, _ in (*flat, trees.flatten(parts)) for leaf in inside]
        known = {id(symbol) for symbol in written}
        symbols = {id(x): x for x in leaves if self._is_made_inside(x) and id(x) not in known}
        flags = [x.valid[1] for x in symbols.values() if x.valid is not None]
        held = [*symbols.values(), *flags, *written]
        values = [builder.resolve(value_of(x, checked=False)) for x in held]
        state = [trees.unflatten(structure, inside) for inside, structure in flat]
        first = list(map(ids.index, ids))
        outside = frozenset(id(x) for inside, _ in flat for x in inside if is_leaf(x))
        return _Point(error, parts, state, first, outside, list(symbols.values()), values, written)

    def _is_made_inside(self, leaf: Any) -> bool:
        """Tell whether a leaf of the state is a symbol of the body."""
        return type(leaf) is Symbol and not leaf.builder.encloses(self.builder)

    def _written(self, builder: Builder) -> list[Symbol]:
        """Return the arrays from outside of the body that were written in it so far."""
        found: dict[int, Symbol] = {}
        inner: Builder | None = builder
        while inner is not None and inner is not self.builder:
            arrays = arrays_of(inner)
            found.update(arrays.changing)
            found.update((key, symbol) for key, (symbol, _) in arrays.mutations.items())
            inner = inner.parent
        return [x for x in found.values() if x.builder.encloses(self.builder)]


def _raised_by(op: OpDef, error: Error, found: Symbol | None) -> BaseException:
    """Return an exception that stands for the one that an op raises; `found` is its text."""
    text: Any = text_of(op, error)
    if text is None and found is not None:
        text = StagedText(ONE, (found,))
    return placed(exception_class(error.name)(text))


def _error(builder: Builder, inputs: Sequence[Value], attrs: Mapping[str, Any]) -> BaseException:
    """Return the exception that a check raises."""
    symbols = tuple(Symbol(builder, value) for value in inputs[1:])
    if not isinstance(attrs["error"], str):
        return placed(exception_form(attrs["error"]).staged(symbols))
    kind, message = exception_class(attrs["error"]), attrs["message"]
    text: Any = StagedText(message, symbols) if symbols else fill_text(message, ())
    return placed(kind(text) if message else kind())


def stage_try(
    key: Any,
    body: Callable[[], Any],
    find: Find,
    else_: Callable[[], Any],
    everything: State,
    state: State,
    leaving: Midway,
) -> None:
    """Stage a `try` with handlers.

    Args:
        key: identifies it from one trace to the next.
        body: runs the body.
        find: returns the handler of an exception, or None.
        else_: runs what follows the body, where exceptions are not caught.
        everything: the variables that any part assigns.
        state: those that are live afterwards.
        leaving: asked where the body is left by an exception that has a handler.

    Raises:
        Exception: all ways through it raise; this is what the last of them raises.
    """
    builder = default_graph.current()
    assert builder is not None
    state = selecting(state)
    stage = _Stage(builder, Attempt(builder, key, find, everything, leaving), state)
    region = stage.trace_body(body, else_)
    points = _points(region.builder.nodes, stage.attempt.points)
    regions = [region, *(stage.trace_handler(stage.attempt.points[k]) for k in points)]
    leaving.check()
    join_regions(builder, try_, (), {"points": points}, regions, state)
    if len(stage.raised) == len(regions):
        raise unreached(builder, stage.raised[-1])


def _points(nodes: Sequence[Any], known: Mapping[int, _Point]) -> tuple[int, ...]:
    """Return the points that are left in a region: loops may have been traced several times."""
    found = (x.attrs["point"] for x in walk(Graph((), tuple(nodes), ())) if x.op is fail)
    return tuple(number for number in found if number in known)


class _Stage:
    """The tracing of the regions of one `try`."""

    def __init__(self, builder: Builder, attempt: Attempt, state: State) -> None:
        self.builder = builder
        self.attempt = attempt
        self.state = state
        self.before = attempt.state.read()
        self.raised: list[BaseException] = []

    def trace_body(self, body: Callable[[], Any], else_: Callable[[], Any]) -> Region:
        """Trace the body into a region, and what follows it."""

        def run() -> None:
            inner = default_graph.current()
            assert inner is not None
            with caught_by(inner, self.attempt):
                self._fail_late(body)
            else_()

        return self._trace(lambda: self._run(run), ())

    def trace_handler(self, point: _Point) -> Region:
        """Trace the handler of a point into a region."""
        handler = self.attempt.find(point.error)
        assert handler is not None

        def run(*symbols: Symbol) -> list[Any]:
            error = self._restore(point, symbols)
            return self._run(lambda: handle(handler, error))

        return self._trace(run, [value.spec for value in point.values])

    def _trace(self, run: Callable[..., list[Any]], specs: Sequence[Any]) -> Region:
        try:
            return trace_region(self.builder, run, specs)
        finally:
            self.attempt.state.write(self.before)

    def _fail_late(self, body: Callable[[], Any]) -> None:
        """Run the body; what it raises in any case is raised when the graph runs."""
        try:
            body()
        except BaseException as error:
            if not fail_caught(error):
                raise
            raise _Left(error) from None

    def _run(self, function: Callable[[], Any]) -> list[Any]:
        """Run a function, and return the values of the state after it."""
        never = [NEVER] * (len(self.state.names) + 1)
        try:
            function()
        except _Left as left:
            self.raised.append(left.error)
            return never
        except BaseException as error:
            if not fail_caught(error):
                if not is_of_the_program(self.builder, error):
                    raise
                emit_failure(error)
            self.raised.append(error)
            return never
        return Values([*self.state.read(), None])

    def _restore(self, point: _Point, params: Sequence[Symbol]) -> BaseException:
        """Make variables and arrays hold what they held where the body was left.

        Returns the exception, with what it holds.
        """
        count = len(point.symbols)
        made = {}
        flags = iter(params[count:])
        for symbol, param in zip(point.symbols, params, strict=False):
            new = joined_symbol(param.builder, param.first, [symbol])
            made[id(symbol)] = new
            if symbol.valid is not None:
                mark_maybe(new, symbol.valid[0], next(flags))
        for symbol, param in zip(point.written, flags, strict=True):
            write_back(symbol, param.first)

        def is_leaf(x: Any) -> bool:
            return id(x) in point.outside

        flat = [trees.flatten_to(value, is_leaf) for value in (*point.state, point.parts)]
        *state, parts = [
            closed(trees.unflatten(s, [made.get(id(x), x) for x in leaves]), is_leaf)
            for leaves, s in flat
        ]
        self.attempt.state.write([state[k] for k in point.first])
        return point.error if parts is None else parts.made()


class _Left(Exception):  # noqa: N818  (it never leaves the stage)
    """The body was left, at a point that was added."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


def handle(handler: Handler, error: BaseException) -> None:
    """Run a handler where Python would: while the exception is being handled."""
    try:
        raise error
    except BaseException:
        handler(error)
