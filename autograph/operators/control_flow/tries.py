"""`try` with handlers, `else` and `finally`; with `except*`.

`with` has the same parts: the block, what `__exit__` does with an error, and without one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from autograph.operators.control_flow.errors import located
from autograph.operators.control_flow.handlers import Handler, Handlers, find_star, is_ours, matches
from autograph.operators.control_flow.state import State
from autograph.operators.control_flow.undefined import evaluate
from autograph.operators.mutation.callee_writes import with_assigned
from autograph.operators.mutation.mutation_guard import ChangesMidway, guard
from autograph.staging.context import caught_by, trace_of
from autograph.staging.copies import Values
from autograph.staging.deferred_errors import as_plain
from autograph.staging.inexact_errors import need_exact
from autograph.staging.try_block import Attempt, handle, stage_try
from runtime import default_graph
from runtime.lower.tracebacks import prune

Part = Callable[[], Any]
Find = Callable[[BaseException], "Handler | None"]


def try_(
    body: Part,
    handlers: Handlers = (),
    else_: Part | None = None,
    final: Part | None = None,
    state: str = "",
    *,
    discard: str = "",
) -> None:
    """Run `body`, and a handler for what it raises; in a graph, what it raises when that runs.

    Args:
        body: the block that is tried.
        handlers: for each `except` what returns its classes (None: it catches all), and its block,
            which receives the exception.
        else_: the block that runs when the body raises nothing, or None.
        final: the block that runs in any case, or None.
        state: the variables that these blocks assign and that are live afterwards.
        discard: further variables that they assign.
    """
    blocks = _Blocks(body, [x for _, x in handlers], else_, final)
    _try(blocks, partial(_find, handlers), state, discard)


def try_star(
    body: Part,
    handlers: Handlers = (),
    else_: Part | None = None,
    final: Part | None = None,
    state: str = "",
    *,
    discard: str = "",
) -> None:
    """Run `body` as `try_` does, with handlers that are `except*`: each receives a group.

    Args:
        body, handlers, else_, final, state, discard: as for `try_`.
    """
    blocks = _Blocks(body, [x for _, x in handlers], else_, final)
    _try(blocks, partial(find_star, handlers), state, discard)


class _Blocks(NamedTuple):
    """The blocks of a `try`."""

    body: Part
    handlers: Sequence[Handler]
    else_: Part | None
    final: Part | None


def _try(blocks: _Blocks, find: Find, state: str, discard: str) -> None:
    if default_graph.current() is None:
        _run_plain(blocks, find)
        return
    places = (blocks.body, *blocks.handlers, blocks.else_, blocks.final)
    parts = _Parts(blocks, find, state, discard, places)
    if blocks.final is None:
        parts.run()
    else:
        parts.run_finally()


def stage_with(
    enclosed: Part,
    raised: Handler,
    left: Part,
    state: str,
    discard: str,
    body: Callable[..., Any],
) -> None:
    """Run a block, and after it what `__exit__` does, while a graph is being built.

    Args:
        enclosed: runs the block.
        raised: what is done with any exception of it.
        left: what is done when it raises nothing.
        state, discard: as for `try_`.
        body: the block, the closure that assigns these.
    """
    blocks = _Blocks(enclosed, [raised], left, None)

    def find(error: BaseException) -> Handler:
        need_exact(error, raised)
        return raised

    _Parts(blocks, find, state, discard, (body,)).run()


def _nothing() -> None:
    pass


def _run_plain(blocks: _Blocks, find: Find) -> None:
    body, _, else_, final = blocks
    try:
        try:
            evaluate(body)
        except BaseException as error:
            handler = find(error)
            if handler is None:
                raise
            prune(error)
            evaluate(handler, error)
        else:
            if else_ is not None:
                evaluate(else_)
    finally:
        if final is not None:
            evaluate(final)


def _find(handlers: Handlers, error: BaseException) -> Handler | None:
    """Return the handler of an exception; classes are evaluated in order, up to the first match."""
    for classes, handler in handlers:
        if matches(error, BaseException if classes is None else classes()):
            if default_graph.current() is not None:
                need_exact(error, handler)
            return handler
    return None


class _Parts:
    """A `try` while a graph is being built."""

    def __init__(
        self, blocks: _Blocks, find: Find, state: str, discard: str, places: Sequence[Any]
    ) -> None:
        self.body = blocks.body
        self.has_handlers = bool(blocks.handlers)
        self.find = find
        self.else_ = blocks.else_ or _nothing
        self.final = blocks.final
        self.state = state
        self.discard = discard
        self.places = places

    def run(self) -> None:
        """Run the body with its handlers."""
        if not self.has_handlers:
            evaluate(self.body)
            evaluate(self.else_)
            return
        self._attempt(self.places[0].__code__, self.body, self.find, self.else_)

    def run_finally(self) -> None:
        """Run all that, and then what runs in any case."""
        final = self.final
        assert final is not None

        def find(error: BaseException) -> Handler:
            return last

        def last(error: BaseException) -> None:
            evaluate(final)
            raise error

        self._attempt(final.__code__, self.run, find, _nothing)
        evaluate(final)

    def _attempt(self, key: Any, body: Part, find: Find, else_: Part) -> None:
        builder = default_graph.current()
        assert builder is not None

        def find_handler(error: BaseException) -> Handler | None:
            return None if is_ours(builder, error) else find(error)

        if key in trace_of(builder).tries:
            with located():
                self._stage(key, body, find_handler, else_)
            return
        everything = State(
            _joined(self.state, self.discard), "", self.places, repeats=True, is_left=True
        )
        attempt = Attempt(builder, key, find_handler, everything)
        try:
            with caught_by(builder, attempt):
                evaluate(body)
        except BaseException as error:
            if is_ours(builder, error):
                raise
            handler = find(error)
            if handler is None:
                raise
            prune(error)
            plain = as_plain(error)
            if plain is error:
                evaluate(handler, error)
            else:
                handle(partial(evaluate, handler), plain)
        else:
            evaluate(else_)

    def _stage(self, key: Any, body: Part, find: Find, else_: Part) -> None:
        live = State(self.state, self.discard, self.places, repeats=True, is_left=True)
        everything = State(
            _joined(self.state, self.discard), "", self.places, repeats=True, is_left=True
        )
        both = _Both(live, everything)

        def guarded(error: BaseException) -> Handler | None:
            handler = find(error)
            return None if handler is None else guard(handler, self.places, everything)

        def stage() -> None:
            leaving = ChangesMidway(everything, self.places)
            parts = [guard(part, self.places, everything) for part in (body, else_)]
            stage_try(key, parts[0], guarded, parts[1], everything, live, leaving)

        with_assigned(both, stage)


class _Both(State):
    """The state of a statement, once with what is live afterwards, once with everything."""

    def __init__(self, live: State, everything: State) -> None:
        self.live = live
        self.everything = everything
        for state in (self, live):  # what is found out of objects holds for all of them
            state.doubts, state.inner = everything.doubts, everything.inner
            state.asked = everything.asked
        self.site = everything.site

    @property
    def keys(self) -> set[tuple[Any, ...]]:
        """The keys of all variables that may be assigned."""
        return self.everything.keys

    def expect(self, variables: Sequence[tuple[str, Any]]) -> None:
        """Note variables that were found to be assigned in it."""
        self.everything.expect(variables)

    def expected(self) -> list[tuple[str, Any]]:
        """Return the variables of both and those that were noted, with what messages call them."""
        return self.everything.expected()

    def grow(self, before: Values | None) -> None:
        """Let neither be added to while a part is traced."""
        self.live.grow(None)
        self.everything.grow(None)

    def owners(self) -> list[Any]:
        """Return the objects whose attributes either may assign."""
        return [*self.live.owners(), *self.everything.owners()]

    def add(self, variables: Sequence[tuple[str, Any]]) -> None:
        """Add variables to both."""
        self.live.add(variables)
        self.everything.add(variables)

    def remove_items(self, container: Any) -> None:
        """Remove the items of a list from both."""
        self.live.remove_items(container)
        self.everything.remove_items(container)

    def remove_gone(self) -> None:
        """Remove what lists hold that have become items of others."""
        self.live.remove_gone()
        self.everything.remove_gone()


def _joined(state: str, discard: str) -> str:
    return ", ".join(filter(None, (state, discard)))
