"""Comparing a function with its staged form, statement by statement.

In: a function and arguments. Out: a `Comparison`. Three runs are made, each in a world of its own:
the function as it is written, which tells what its variables are after each statement; the staged
one, whose graph tells the same and is stopped where it differs; and the staged one as it is, since
a graph that is looked at may hide what is wrong with one that is not.
"""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from functools import partial
from types import FunctionType, MethodType
from typing import Any

import gast

from autograph.comparing.judging import Ended, Judge
from autograph.comparing.marks import Marked
from autograph.comparing.report import Comparison, Difference
from autograph.comparing.sides import Differs, PlainSide, Seen, StagedSide
from autograph.comparing.values import Tolerance, copied
from autograph.comparing.world import Outside, World
from autograph.errors import FrozenRandomWarning
from autograph.function.decorator import function as staged_function
from autograph.function.parameters import Parameters
from autograph.function.polymorphic import Function
from autograph.source.build import compile_function, instantiate, mark_converted
from autograph.source.code_names import function_places
from autograph.source.deep_recursion import call_deep
from autograph.source.load import FunctionSource, load, unwrap
from autograph.source.names import Namer
from runtime import default_graph
from runtime.errors import StagedValueError


def compare(
    function: Callable[..., Any],
    /,
    *args: Any,
    rtol: float = 0.0,
    atol: float = 0.0,
    dtypes: bool = True,
    ignore: Sequence[str] = (),
    calls: int = 2,
    backend: str | None = None,
    **kwargs: Any,
) -> Comparison:
    """Run a function plain and staged, and find the first statement after which they differ.

    Each runs on copies of the arguments, and of the globals that it uses. Compared are the
    variables that each statement assigns or hands to a call, which way branches and loops go, what
    is raised, returned, printed, and written into arguments and globals. Looked at are the
    statements of the function itself and of functions inside it, not of those that it calls.

    Args:
        function: a Python function, a staged one, or a method.
        args, kwargs: its arguments. One that has the name of an option here goes into a
            `functools.partial`.
        rtol, atol: how much numbers may differ, as in `np.isclose`; by default not at all.
        dtypes: whether dtypes must be the same.
        ignore: variables that are not compared; `"print"` stands for what is printed.
        calls: how often each is called. What happens while tracing only, such as a random number
            that Python draws, differs in the second call.
        backend: `"numpy"` or `"cupy"`, as for `function`.

    Returns:
        what was found: true when there is no difference; `str()` tells file, line, round, and both
        values. `compare(f, x).raise_if_different()` raises it.

    Raises:
        SourceNotFoundError: the function has no source, or its file was edited since.

    >>> import numpy as np
    >>> def halve(x):
    ...     rounds = 0
    ...     while np.max(x) > 1.0:
    ...         x = x / 2
    ...         rounds += 1
    ...     return x, rounds
    >>> compare(halve, np.array([3.0, 4.0]))
    halve: no difference in 2 calls, after 20 statements
    """
    if default_graph.current() is not None:
        raise StagedValueError("autograph.compare runs functions; it is not for staged ones")
    tolerance = Tolerance(rtol, atol, dtypes)
    comparing = _Comparing(function, tolerance, frozenset(ignore), calls, backend)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FrozenRandomWarning)  # it is what the comparison finds
        return comparing.run(args, kwargs)


class _Comparing:
    """One comparison."""

    def __init__(
        self,
        function: Callable[..., Any],
        tolerance: Tolerance,
        ignored: frozenset[str],
        calls: int,
        backend: str | None,
    ) -> None:
        self._function = function
        python = function.python_function if isinstance(function, Function) else function
        inner: Any = unwrap(python)
        staged_function(inner)  # what cannot be staged is refused
        self._source, self._marked, self._operators = call_deep(lambda: _read(inner))
        assert isinstance(inner, FunctionType)
        self._inner = inner
        self._tolerance = tolerance
        self._ignored = ignored
        self._judge = Judge(self._source, self._marked.sites, tolerance, ignored)
        self._calls = calls
        self._specs = function._signature.specs if isinstance(function, Function) else None
        self._backend = backend or getattr(function, "_backend", None)
        self._output = Output()

    def run(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Comparison:
        """Make the three runs."""
        outside = Outside(self._inner)
        receiver = getattr(self._function, "__self__", None)
        worlds = [outside.world(receiver, args, kwargs) for _ in range(3)]
        side = PlainSide(self._output.since)
        plain = self._compiled(self._marked.plain, side)
        staged = StagedSide(self._marked.sites, self._tolerance, self._ignored, self._output.since)
        runs: list[tuple[list[Seen], Ended]] = []
        with self._output.shown(), outside.inhabited(worlds[0]):
            call = self._bound(plain, worlds[0])
            for _ in range(self._calls):
                side.events = []
                ended = _ended(call, worlds[0])
                runs.append((side.events, replace(ended, result=copied(ended.result))))
        try:
            found, compared = self._staged_run(staged, runs, worlds, outside)
            found = found or self._bare_run(runs, worlds, outside)
        finally:
            staged.forget()
        return Comparison(self._source.qualname, self._source.file, self._calls, compared, found)

    def _staged_run(
        self,
        side: StagedSide,
        runs: Sequence[tuple[list[Seen], Ended]],
        worlds: Sequence[World],
        outside: Outside,
    ) -> tuple[Difference | None, int]:
        """Run the graph that is looked at; returns a difference, and how many events there were."""
        telling = side.operators

        code = self._compiled(self._marked.converted(), telling)
        mark_converted(code.__code__)
        world, found, compared = worlds[1], None, 0
        with self._output.hidden(), outside.inhabited(world):
            made = self._staged(code, world)
            for number, (events, plain) in enumerate(runs):
                self._output.since()
                side.expected, side.count, side.compares_output = events, 0, number > 0
                try:
                    ended = _ended_staged(made, world)
                except Differs as differs:
                    found = self._judge.placed(differs, events, plain, number + 1)
                else:
                    found = self._judge.at_end(events, side.count, plain, ended, number + 1)
                compared += side.count
                if found is not None:
                    return found, compared
        return self._written(worlds[0], world, outside, self._calls), compared

    def _bare_run(
        self,
        runs: Sequence[tuple[list[Seen], Ended]],
        worlds: Sequence[World],
        outside: Outside,
    ) -> Difference | None:
        """Run the staged function as it is."""
        world, found = worlds[2], None
        with self._output.hidden(), outside.inhabited(world):
            made = self._staged(None, world)
            for number, (events, plain) in enumerate(runs):
                ended = _ended_staged(made, world)
                found = self._judge.at_end(events, len(events), plain, ended, number + 1)
                if found is not None:
                    break
        found = found or self._written(worlds[0], world, outside, self._calls)
        why = "; this is so only when its statements are not looked at, so it comes of a pass"
        return None if found is None else replace(found, how=found.how + why)

    def _compiled(self, tree: Any, operators: Any) -> FunctionType:
        source = self._source
        code = compile_function(
            tree,
            self._inner,
            self._operators,
            source.class_name,
            function_places(source.node),
            records=not isinstance(operators, PlainSide),
        )
        return instantiate(code, self._inner, operators, self._operators)

    def _with_given(self, made: FunctionType) -> Any:
        """Return a function with the arguments that a partial has."""
        function = self._function
        if not isinstance(function, partial):
            return made
        return partial(made, *function.args, **function.keywords)

    def _bound(self, made: FunctionType, world: World) -> Callable[..., Any]:
        given = self._with_given(made)
        return given if world.receiver is None else MethodType(given, world.receiver)

    def _staged(self, converted: FunctionType | None, world: World) -> Function:
        """Return the staged function, which is converted in another way if that is given."""
        staged: Any = Function(
            self._with_given(self._inner), input_signature=self._specs, backend=self._backend
        )
        staged._fallback.is_off = True
        if converted is not None:
            staged.to_trace = lambda: self._with_given(converted)
        bound: Function = staged if world.receiver is None else staged.__get__(world.receiver)
        return bound

    def _written(
        self, plain: World, staged: World, outside: Outside, call: int
    ) -> Difference | None:
        """Return how what the calls wrote into arguments and globals differs."""
        pairs = [*self._arguments(plain, staged)]
        pairs += zip(outside.names, plain.outside, staged.outside, strict=True)
        found = (self._judge.at_last(*pair, call) for pair in pairs)
        return next((one for one in found if one is not None), None)

    def _arguments(self, plain: World, staged: World) -> Iterator[tuple[str, Any, Any]]:
        """Yield the arguments, and the attributes of those that are objects, of both sides."""
        signature = Parameters(self._bound(self._inner, plain)).python
        a = signature.bind(*plain.args, **plain.kwargs).arguments
        b = signature.bind(*staged.args, **staged.kwargs).arguments
        named = [("self", plain.receiver, staged.receiver), *((x, a[x], b[x]) for x in a)]
        for name, x, y in named:
            yield name, x, y
            for attribute, value in getattr(x, "__dict__", {}).items():
                yield f"{name}.{attribute}", value, getattr(y, "__dict__", {}).get(attribute)


def _read(function: object) -> tuple[FunctionSource, Marked, str]:
    source = load(function)
    node = source.node
    if not isinstance(node, gast.Lambda):
        node.decorator_list = []
    operators = Namer(node).fresh("ag")
    found = Marked(node, operators=operators, modules=source.modules, class_name=source.class_name)
    return source, found, operators


def _ended(call: Callable[..., Any], world: World) -> Ended:
    try:
        return Ended(call(*world.args, **world.kwargs))
    except Exception as error:
        return Ended(error=error)


def _ended_staged(staged: Function, world: World) -> Ended:
    try:
        staged.get_concrete_function(*world.args, **world.kwargs)
    except Exception as error:
        return Ended(error=error, is_tracing=True)
    return _ended(staged, world)


class Output:
    """What is printed: that of the plain function is shown, that of the others is not."""

    def __init__(self) -> None:
        self._written = io.StringIO()
        self._told = 0

    def since(self) -> str:
        """Return what was printed since this was asked last."""
        text = self._written.getvalue()[self._told :]
        self._told += len(text)
        return text

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Keep what is printed in a `with` block, and print it."""
        with self.hidden():
            try:
                yield
            finally:
                text = self._written.getvalue()
        sys.stdout.write(text)

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Keep what is printed in a `with` block."""
        self._written, self._told = io.StringIO(), 0
        with redirect_stdout(self._written):
            yield
