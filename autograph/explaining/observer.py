"""What happens at each site while a function is traced.

In: calls of operators from instrumented code, `ag[3].if_(...)`. Out: the same results as the
operators give, and notes of what was staged, what was not, and why. Only code that was compiled for
an explanation knows of it; all other code runs as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

import autograph.operators as operators
from autograph.explaining.report import Variable
from autograph.operators.builtins.builtin_table import OVERLOADS
from autograph.operators.calls.call import UNCONVERTED, target, why_left
from autograph.operators.calls.recursion import is_in_graph
from autograph.operators.control_flow.hints import options_of, unhinted
from autograph.operators.control_flow.rolling import is_given_up, is_rolled, rounds_of
from autograph.operators.control_flow.state import State
from autograph.operators.iteration.protocol import StagedIterator
from autograph.operators.iteration.staged_iterables import is_staged_iterable
from autograph.operators.lists.list_truth import truth_of
from autograph.source.load import unwrap
from autograph.staging.region import UNDEFINED
from runtime import default_graph
from runtime.spec import spec_of
from runtime.tensor import Symbol, is_staged


@dataclass
class Notes:
    """What was seen at one site.

    Attributes:
        decisions: pairs of a decision and its reason, the first time that each was made.
        state: the variables before and after, from the first time that it was staged.
        rounds: of a loop, in Python, of its last run.
        asked: whether the condition of a loop was staged, and how.
        label: the user's name of the statement.
    """

    decisions: dict[tuple[str, str], None] = field(default_factory=dict)
    state: tuple[Variable, ...] = ()
    rounds: int = 0
    asked: str = ""
    label: str | None = None

    def note(self, decision: str, reason: str) -> None:
        self.decisions.setdefault((decision, reason))


class Observer(ModuleType):
    """The operators, for a function that is observed; `observer[3]` those of the site 3.

    It is a module, as the operators are, so that no one looks for variables of the user's in it.

    Args:
        sites: the line of each, and whether its test is the opposite of what is written.
    """

    def __init__(self, sites: Sequence[tuple[int, bool]]) -> None:
        super().__init__(operators.__name__)
        self.notes = [Notes() for _ in sites]
        self._sites = [Site(x, *about) for x, about in zip(self.notes, sites, strict=True)]

    def __getitem__(self, index: int) -> Site:
        return self._sites[index]

    def forget(self) -> None:
        """Forget what was seen, since the function is traced again in another form."""
        for notes in self.notes:
            vars(notes).update(vars(Notes()))

    def __getattr__(self, name: str) -> Any:
        return getattr(operators, name)


class Site:
    """The operators at one site, which write down what they do."""

    def __init__(self, notes: Notes, line: int, is_negated: bool) -> None:
        self._notes = notes
        self._is_negated = is_negated
        self._line = line
        self._builder: Any = None

    def __getattr__(self, name: str) -> Any:
        """An operator of logic: staged if its first operand or its result is."""

        def observed(*args: Any, **kwargs: Any) -> Any:
            if default_graph.current() is None:
                return getattr(operators, name)(*args, **kwargs)
            if args and is_staged(unhinted(args[0])):
                origin = self._origin(unhinted(args[0]))
                self._notes.note("staged", f"its first operand is {origin}")
                return getattr(operators, name)(*args, **kwargs)
            result = getattr(operators, name)(*args, **kwargs)
            value = unhinted(result)
            if is_staged(value):
                self._notes.note("staged", f"its value is {self._origin(value)}")
            else:
                self._notes.note("Python", f"its value was {_shown(value)} while tracing")
            return result

        return observed

    def if_(self, test: Any, then: Any, else_: Any, state: str = "", **options: Any) -> Any:
        places = options.get("places") or (then, else_)
        with _Changes(self, state, places, self._asked("the test", test)):
            return operators.if_(test, then, else_, state, **options)

    def if_exp(self, test: Any, then: Any, else_: Any) -> Any:
        self._asked("the test", test)
        return operators.if_exp(test, then, else_)

    def assert_(self, test: Any, message: Any = None) -> None:
        self._asked("the test", test)
        check = operators.assert_
        check(test, message)

    def while_(self, test: Any, body: Any, state: str = "", **options: Any) -> None:
        self._begin()
        try:
            with _Changes(self, state, (test, body, options.get("until")), True):
                operators.while_(test, body, state, **options)
        finally:  # what stops tracing leaves what was seen until then
            self._note_while()

    def _note_while(self) -> None:
        rounds = f"{_times(self._notes.rounds, 'round')} in Python"
        if self._notes.asked:
            after = f", after {rounds}" if self._notes.rounds else ""
            self._notes.note("staged", f"its condition is {self._notes.asked}{after}")
        else:
            self._notes.note("unrolled", f"{rounds}: its condition was known while tracing")

    def for_(self, iterable: Any, body: Any, state: str = "", **options: Any) -> None:
        self._begin()
        self._notes.label = options_of(iterable).label
        told, over = options_of(iterable), unhinted(iterable)
        if told.is_forced or (is_staged_iterable(over) and not told.is_unrolled):
            self._notes.note("staged", f"it goes over {self._origin(over)}")
            with _Changes(self, state, (body, options.get("until")), True):
                operators.for_(iterable, body, state, **options)
            return
        if is_rolled(body) and (count := rounds_of(over)):
            kind = over.name if isinstance(over, StagedIterator) else type(over).__name__
            rounds = _times(count, "round")
            self._notes.note("rolled", f"{rounds} over {_with_article(kind)} are alike")
            with _Changes(self, state, (body, options.get("until")), True):
                operators.for_(iterable, body, state, **options)
            return
        try:
            operators.for_(iterable, body, state, **options)
        finally:
            rounds = _times(self._notes.rounds, "round")
            is_symbol = type(over) is Symbol
            kind = _type(over) if is_symbol else _with_article(type(over).__name__)
            more = ", the others under a staged condition" if self._notes.asked else ""
            if is_given_up(body):
                more += "; as a loop of the graph it was refused"
            self._notes.note("unrolled", f"{rounds} over {kind}{more}")

    def tested(self, value: Any) -> Any:
        """Note what the condition of a `while` is."""
        asked, self._notes.label = truth_of(unhinted(value)), options_of(value).label
        is_first = default_graph.current() is self._builder and not self._notes.asked
        if is_first and (is_staged(asked) or options_of(value).is_forced):
            self._notes.asked = self._origin(asked)
        return value

    def round(self) -> None:
        """Note that a round begins."""
        if default_graph.current() is self._builder:
            self._notes.rounds += 1
        elif not self._notes.asked:
            self._notes.asked = "known only when the graph runs"

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        if default_graph.current() is None:
            return function(*args, **kwargs)
        found = target(function)
        if is_in_graph(found):  # that it is has been found by an earlier trace
            self._notes.decisions.clear()
        self._notes.note(*_fate(function, found))
        return operators.call(function, *args, **kwargs)

    def keep_state(self, variables: tuple[Variable, ...]) -> None:
        """Keep the variables of the first time."""
        self._notes.state = self._notes.state or variables

    def _begin(self) -> None:
        self._builder, self._notes.rounds = default_graph.current(), 0

    def _asked(self, what: str, test: Any) -> bool:
        self._notes.label = options_of(test).label
        is_forced, test = options_of(test).is_forced, truth_of(unhinted(test))
        if is_staged(test) or is_forced:
            self._notes.note(
                "staged", f"{what} {'negates' if self._is_negated else 'is'} {self._origin(test)}"
            )
        elif default_graph.current() is not None:
            truth = not test if self._is_negated else _truth(test)
            self._notes.note("Python", f"{what} was {truth} while tracing")
        return is_staged(test) or is_forced

    def _origin(self, value: Any) -> str:
        """Return what a staged value is, and the line that made it if that is another."""
        line = _line_of(value)
        return f"{_type(value)} from line {line}" if line not in (0, self._line) else _type(value)


class _Changes:
    """Notes the variables before and after a staged statement, for a `with` block.

    They are read where they are: what is staged writes them there.
    """

    def __init__(
        self, site: Site, names: str, places: Sequence[Callable[..., Any] | None], wanted: bool
    ) -> None:
        self._site = site
        self._state = State(names, "", places) if wanted else None

    def __enter__(self) -> None:
        self._before = self._read()

    def __exit__(self, *_: object) -> None:
        if self._state is not None:
            after = self._read()
            rows = zip(self._state.names, self._before, after, strict=True)
            self._site.keep_state(tuple(Variable(*row) for row in rows))

    def _read(self) -> list[str]:
        return [_type(value) for value in self._state.read()] if self._state else []


def _type(value: Any) -> str:
    """Return the type of a value as graphs write it."""
    if value is UNDEFINED:
        return "undefined"
    if type(value) is Symbol:
        return str(value.spec)
    if isinstance(value, np.ndarray | np.generic | bool | int | float | complex):
        return str(spec_of(value))
    return type(value).__name__


def _line_of(value: Any) -> int:
    """Return the line of the user's that made a staged value; 0 if that is not known."""
    if type(value) is not Symbol:
        return 0
    found, _ = value.held()
    for node in reversed(value.builder.nodes):
        if any(result is found for result in node.results):
            return node.location.line if node.location is not None else 0
    return 0


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 30 and "\n" not in text else _with_article(type(value).__name__)


def _truth(value: Any) -> str:
    return str(value) if isinstance(value, bool) else _shown(value)


def _times(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _with_article(word: str) -> str:
    return f"{'an' if word[:1].lower() in 'aeiou' else 'a'} {word}"


def _fate(function: Any, called: Any) -> tuple[str, str]:
    """Return what becomes of what is called, and why."""
    if is_in_graph(called):
        return "staged", "it calls itself: a call of a function of the graph"
    if called is not function and not _is_same_method(called, function):
        is_overload = _hashable(function) and function in OVERLOADS
        return "converted", f"the operator for {_name(function)} takes its place" * is_overload
    inner = unwrap(function)
    if isinstance(inner, FunctionType):
        return "as it is", _why_left(inner)
    if isinstance(inner, BuiltinFunctionType | np.ufunc):
        return "as it is", f"{_name(inner)} is not written in Python"
    return "as it is", f"{_name(inner)} has no Python code of its own to convert"


def _is_same_method(called: Any, function: Any) -> bool:
    both = isinstance(called, MethodType) and isinstance(function, MethodType)
    return both and called.__func__ is function.__func__


def _hashable(value: Any) -> bool:
    return type(value).__hash__ is not None


def _why_left(function: FunctionType) -> str:
    if function.__code__ in UNCONVERTED:
        return f"it could not be converted: {UNCONVERTED[function.__code__].splitlines()[0]}"
    return why_left(function)


def _name(value: Any) -> str:
    return str(getattr(value, "__qualname__", None) or getattr(value, "__name__", type(value)))
