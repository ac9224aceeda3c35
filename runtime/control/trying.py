"""Staged `try`: the body is traced into a region, and so is a handler for each place that fails.

Comes in: closures, and which handler an exception has. Goes out: a `try_` node. A check in the body
whose exception is caught becomes a `fail`, which hands the handler all that the body changed so
far: the variables as they are there, and the arrays that were written.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime import mode, trees
from runtime.control.branch import join_regions
from runtime.control.copies import TryAgain, Values
from runtime.control.failing import emit_failure, fail_caught, is_of_the_program
from runtime.control.join import joined_symbol, mark_maybe
from runtime.control.region import NEVER, Region, State, trace_region
from runtime.control.risks import probe, risks, text_of
from runtime.dispatch import apply, value_of, write_back
from runtime.errors import StagedValueError
from runtime.graph.builder import Builder, Catcher
from runtime.graph.location import user_location
from runtime.graph.node import Graph, Value
from runtime.graph.opdef import REGISTRY, OpDef
from runtime.graph.walk import walk
from runtime.ops.control import try_
from runtime.ops.effects import exception_class, fail, fill_text
from runtime.tensor import Symbol
from runtime.texts import StagedText

Handler = Callable[[BaseException], Any]
Find = Callable[[BaseException], "Handler | None"]


@dataclass(frozen=True, slots=True, eq=False)
class _Point:
    """A place where the body may be left.

    Args:
        error: what is raised there.
        state: the values of the variables, with symbols as they were there.
        symbols: those that the handler gets anew.
        values: what these hold, then the flags of those that may be undefined, then what the
            arrays from outside hold that were written.
        written: these arrays.
    """

    error: BaseException
    state: Sequence[Any]
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
        is_staged: whether its body is traced into a region; if not, `TryAgain` asks for that.
    """

    def __init__(
        self, builder: Builder, key: Any, find: Find, state: State, is_staged: bool
    ) -> None:
        self.builder = builder
        self.key = key
        self.find = find
        self.state = state
        self.is_staged = is_staged
        self.outer: Catcher | None = builder.catcher
        self.points: dict[int, _Point] = {}

    def redirect(
        self, builder: Builder, op: OpDef, inputs: Sequence[Value], attrs: Mapping[str, Any]
    ) -> tuple[OpDef, Sequence[Value], Mapping[str, Any]]:
        """Return the `fail` that stands for a check, when its exception is caught."""
        if op is not REGISTRY["check"]:
            self._leave_before(builder, op, inputs, attrs)
            return op, inputs, attrs
        error = _error(builder, inputs, attrs)
        if not self.catches(error):
            return op, inputs, attrs
        operands, point = self.leave(builder, error, inputs[0])
        return fail, operands, point

    def _leave_before(
        self, builder: Builder, op: OpDef, inputs: Sequence[Value], attrs: Mapping[str, Any]
    ) -> None:
        """Leave the body before an op that would raise what is caught."""
        if op.effect is not None:
            return
        named = {name: _raised_by(op, name) for name in risks(builder, op, inputs, attrs)}
        caught = {name: error for name, error in named.items() if self.catches(error)}
        if not caught:
            return
        number = probe(builder, op, inputs, attrs, list(caught))
        for k, error in enumerate(caught.values(), 1):
            differs = apply(REGISTRY["not_equal"], [Symbol(builder, number), k])
            operands, point = self.leave(builder, error, value_of(differs))
            builder.emit(fail, operands, point)

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
        if not self.is_staged:
            raise TryAgain(self.key)
        point = self._point(builder, error)
        number = next(builder.points)
        self.points[number] = point
        return (test, *point.values), {"point": number}

    def _point(self, builder: Builder, error: BaseException) -> _Point:
        written = self._written(builder)
        state = self.state.read()
        leaves = [leaf for value in state for leaf in trees.flatten(value)[0]]
        outside = {id(symbol) for symbol in written}
        symbols = {id(x): x for x in leaves if self._is_made_inside(x) and id(x) not in outside}
        flags = [x.valid[1] for x in symbols.values() if x.valid is not None]
        held = [*symbols.values(), *flags, *written]
        values = [builder.resolve(value_of(x, checked=False)) for x in held]
        return _Point(error, _copied(state), list(symbols.values()), values, written)

    def _is_made_inside(self, leaf: Any) -> bool:
        """Tell whether a leaf of the state is a symbol of the body."""
        return type(leaf) is Symbol and not leaf.builder.encloses(self.builder)

    def _written(self, builder: Builder) -> list[Symbol]:
        """Return the arrays from outside of the body that were written in it so far."""
        found: dict[int, Symbol] = {}
        inner: Builder | None = builder
        while inner is not None and inner is not self.builder:
            found.update((key, symbol) for key, (symbol, _) in inner.mutations.items())
            inner = inner.parent
        return [x for x in found.values() if x.builder.encloses(self.builder)]


class UnknownText:
    """The text of an exception that only the run of a graph can tell."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        raise StagedValueError(
            f"what this {self.name} says is known only when the graph runs. Leave its text out, or "
            "check before and raise an error with a text of your own"
        )

    __repr__ = __str__


def _raised_by(op: OpDef, name: str) -> BaseException:
    """Return an exception that stands for the one that an op raises."""
    text = text_of(op, name)
    return _placed(exception_class(name)(UnknownText(name) if text is None else text))


def _copied(state: Sequence[Any]) -> list[Any]:
    """Return values with containers of their own, which do not change when the body goes on."""
    flat = [trees.flatten(value) for value in state]
    return [trees.unflatten(structure, leaves) for leaves, structure in flat]


def _error(builder: Builder, inputs: Sequence[Value], attrs: Mapping[str, Any]) -> BaseException:
    """Return the exception that a check raises."""
    kind = getattr(builtins, attrs["error"])
    message, values = attrs["message"], inputs[1:]
    symbols = tuple(Symbol(builder, value) for value in values)
    text: Any = StagedText(message, symbols) if symbols else fill_text(message, ())
    return _placed(kind(text) if message else kind())


def _placed(error: BaseException) -> BaseException:
    """Return an exception that is raised nowhere while tracing, with the line that it is of."""
    error.staged_at = user_location()  # type: ignore[attr-defined]
    return error


def stage_try(
    key: Any,
    body: Callable[[], Any],
    find: Find,
    else_: Callable[[], Any],
    everything: State,
    state: State,
) -> None:
    """Stage a `try` with handlers.

    Args:
        key: identifies it from one trace to the next.
        body: runs the body.
        find: returns the handler of an exception, or None.
        else_: runs what follows the body, where exceptions are not caught.
        everything: the variables that any part assigns.
        state: those that are live afterwards.

    Raises:
        Exception: all ways through it raise; this is what the last of them raises.
    """
    builder = mode.current()
    assert builder is not None
    stage = _Stage(builder, Attempt(builder, key, find, everything, True), state)
    region = stage.trace_body(body, else_)
    points = _points(region.builder.nodes, stage.attempt.points)
    regions = [region, *(stage.trace_handler(stage.attempt.points[k]) for k in points)]
    join_regions(builder, try_, (), {"points": points}, regions, state)
    if len(stage.raised) == len(regions):
        raise stage.raised[-1]


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
        self.raised: list[Exception] = []

    def trace_body(self, body: Callable[[], Any], else_: Callable[[], Any]) -> Region:
        """Trace the body into a region, and what follows it."""

        def run() -> None:
            inner = mode.current()
            assert inner is not None
            inner.catcher = self.attempt
            try:
                self._fail_late(body)
            finally:
                inner.catcher = self.attempt.outer
            else_()

        return self._trace(lambda: self._run(run), ())

    def trace_handler(self, point: _Point) -> Region:
        """Trace the handler of a point into a region."""
        handler = self.attempt.find(point.error)
        assert handler is not None

        def run(*symbols: Symbol) -> list[Any]:
            self._restore(point, symbols)
            return self._run(lambda: _handle(handler, point.error))

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
        except Exception as error:
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
        except Exception as error:
            if not fail_caught(error):
                if not is_of_the_program(self.builder, error):
                    raise
                emit_failure(error)
            self.raised.append(error)
            return never
        return Values([*self.state.read(), None])

    def _restore(self, point: _Point, params: Sequence[Symbol]) -> None:
        """Make variables and arrays hold what they held where the body was left."""
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
        flat = [trees.flatten(value) for value in point.state]
        self.attempt.state.write(
            [trees.unflatten(s, [made.get(id(x), x) for x in leaves]) for leaves, s in flat]
        )


class _Left(Exception):  # noqa: N818  (it never leaves the stage)
    """The body was left, at a point that was added."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


def _handle(handler: Handler, error: BaseException) -> None:
    """Run a handler where Python would: while the exception is being handled."""
    try:
        raise error
    except BaseException:
        handler(error)
