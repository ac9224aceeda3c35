"""Explaining a function: by reading it, and by tracing it once.

In: a function with arguments, or the text of a file and a name. Out: an `Explanation`. A text is
never run, and a function without arguments is not called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import FunctionType
from typing import Any

import gast

from autograph.errors import ConversionError
from autograph.explaining.backward import kept_in
from autograph.explaining.instrument import Instrumented, instrument
from autograph.explaining.observer import Notes, Observer
from autograph.explaining.report import Explanation, Problem, Statement, Variable
from autograph.explaining.sites import OF_NUMPY, ROUNDS, Site, sites_of
from autograph.files.functions import chosen, functions_of, modules_of
from autograph.files.modules import read_module
from autograph.function.polymorphic import Function
from autograph.function.tracetype import source_of, trace_type
from autograph.lint import check_text
from autograph.source.build import compile_function, instantiate, mark_converted
from autograph.source.code_names import function_places
from autograph.source.deep_recursion import call_deep
from autograph.source.load import FunctionSource, load, unwrap
from autograph.source.names import Namer
from autograph.source.parse import parse, split_lines, to_gast
from runtime import trees
from runtime.graph.location import error_location
from runtime.graph.node import Graph
from runtime.graph.walk import walk
from runtime.spec import TensorSpec, spec_of

_CONVERTED = {
    "if": "staged when its test is",
    "case": "staged when its test is",
    "if expression": "staged when its test is",
    "assert": "checked when the graph runs when its test is staged",
    "while": "staged once its condition is",
    "for": "staged over arrays, unrolled over what Python knows",
    "call": "what it calls is converted, too, where that is Python code",
}
_LOGIC = "staged when an operand is"


@dataclass(frozen=True)
class _Read:
    """What is known of a function without running it."""

    source: FunctionSource
    sites: list[Site]
    instrumented: Instrumented
    operators: str

    @property
    def statements(self) -> list[Statement]:
        found = self.instrumented.sites
        return [_statement(site, found.get(k)) for k, site in enumerate(self.sites)]

    @property
    def lines(self) -> list[tuple[int, bool]]:
        """The line of each site, and whether its test is negated."""
        negated = {k for k, one in self.instrumented.sites.items() if one.is_negated}
        return [(site.node.lineno, k in negated) for k, site in enumerate(self.sites)]


def explain(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Explanation:
    """Explain what becomes of each statement of a function.

    Args:
        function: a Python function or a staged one, or a method.
        args, kwargs: what it is traced with, once; without any, nothing is run, unless it takes
            none. A `TensorSpec` stands for an array.

    Returns:
        the statements with decisions and reasons, and all problems; of a derivative also what it
        keeps of the rounds of loops, and computes again. `str()` gives a text.

    Raises:
        SourceNotFoundError: the function has no source, or its file was edited since.

    >>> import numpy as np
    >>> def halve(x):
    ...     while np.max(x) > 1.0:
    ...         x = x / 2
    ...     return x
    >>> explain(halve, np.array([3.0, 4.0])).statements[0].state
    (Variable(name='x', before='f64[2]', after='f64[2]'),)
    """
    python = function.python_function if isinstance(function, Function) else function
    inner = unwrap(python)
    read = call_deep(lambda: _read(load(inner)))
    if not (args or kwargs) and _takes_arguments(function):
        return _explanation(read, None, read.statements, [])
    assert isinstance(inner, FunctionType)
    observer = Observer(read.lines)
    staged = _observed(function, inner, read, observer)
    batch_of = getattr(python, "batch_of", None)
    stopped = _trace(staged if batch_of is None else batch_of(staged), args, kwargs)
    statements = [
        _observed_statement(statement, notes, bool(stopped))
        for statement, notes in zip(read.statements, observer.notes, strict=True)
    ]
    found = _explanation(read, _arguments(args, kwargs), statements, stopped)
    if stopped or not (isinstance(function, Function) and hasattr(python, "is_derivative")):
        return found
    concrete = function.get_concrete_function(*args, **kwargs)
    return replace(found, kept=kept_in(concrete.executable.plan.graph))


def explain_text(source: str | bytes, file: str, name: str) -> Explanation:
    """Explain a function of a file, by reading it.

    Args:
        source: the text of the file, or its bytes.
        file: its name.
        name: of the function: `f`, `Class.method` or `outer.inner`.

    Raises:
        InvalidSourceError: it is not valid Python.
        UnknownFunctionError: it has no function of that name.

    >>> print(explain_text("def f(x):\\n    if x > 0: return x\\n", "net.py", "f").statements[0])
    ... # doctest: +ELLIPSIS
    Statement(line=2, column=4, kind='if', text='if x > 0', decision='converted', ...
    """
    module = read_module(source, file)
    tree = parse(module.text, file)
    functions = functions_of(tree)
    wanted = name.replace(".<locals>", "")
    found = [function for function in functions if function.name == wanted]
    one = found[-1] if found else chosen(functions, name, file, module.text)[0]
    lines = split_lines(module.text)
    node = to_gast(one.node)
    read = FunctionSource(file, lines, node, one.name, one.class_name, modules_of(tree))
    return call_deep(lambda: _read_only(read))


def _read_only(source: FunctionSource) -> Explanation:
    read = _read(source)
    return _explanation(read, None, read.statements, [])


def _read(source: FunctionSource) -> _Read:
    node = source.node
    if not isinstance(node, gast.Lambda):
        node.decorator_list = []
    operators = Namer(node).fresh("ag")
    sites = sites_of(node, source.lines, source.modules)
    return _Read(source, sites, _instrumented(source, sites, operators), operators)


def _instrumented(source: FunctionSource, sites: Sequence[Site], operators: str) -> Instrumented:
    return instrument(
        source.node,
        sites,
        operators=operators,
        modules=source.modules,
        class_name=source.class_name,
    )


def _statement(site: Site, converted: Any) -> Statement:
    line, column = site.node.lineno, site.node.col_offset
    decision = "unrolled" if site.kept == ROUNDS else "as it is"
    made = Statement(line, column, site.kind, site.text, decision, site.kept)
    if converted is None or site.kept in OF_NUMPY:
        return made
    state = tuple(map(Variable, converted.state))
    made = made.decided("converted", _CONVERTED.get(site.kind, _LOGIC))
    return replace(made, state=state, discarded=converted.discarded)


def _observed_statement(statement: Statement, notes: Notes, is_stopped: bool) -> Statement:
    if statement.decision != "converted":
        return statement
    if not notes.decisions:
        why = "tracing stopped before its end" if is_stopped else "tracing did not come here"
        return replace(statement.decided("not reached", why), state=(), discarded=())
    decision = ", then ".join(dict.fromkeys(decision for decision, _ in notes.decisions))
    reason = "; ".join(dict.fromkeys(reason for _, reason in notes.decisions if reason))
    if notes.label is not None:
        reason += f"; its label is {notes.label!r}"
    is_staged = "staged" in decision
    state = tuple(one for one in notes.state if one.name in {x.name for x in statement.state})
    discarded = statement.discarded if is_staged else ()
    made = statement.decided(decision, reason)
    return replace(made, state=state if is_staged else (), discarded=discarded)


def _observed(
    function: Callable[..., Any], inner: FunctionType, read: _Read, observer: Observer
) -> Function:
    """Return a staged function that tells the observer what it does."""
    plain: Any = inner
    if isinstance(function, partial):
        plain = partial(inner, *function.args, **function.keywords)
    specs = function._signature.specs if isinstance(function, Function) else None
    staged: Any = Function(plain, input_signature=specs)
    staged._fallback.is_off = True

    made: Any = _compiled(read.instrumented, inner, read, observer)
    if isinstance(function, partial):
        made = partial(made, *function.args, **function.keywords)

    def converted() -> Any:
        observer.forget()  # once for each time that a trace begins
        return made

    staged.to_trace = converted
    receiver = getattr(function, "__self__", None)
    bound: Function = staged if receiver is None else staged.__get__(receiver)
    return bound


def _compiled(
    instrumented: Instrumented, inner: FunctionType, read: _Read, observer: Observer
) -> FunctionType:
    source = read.source
    places = function_places(source.node)
    code = compile_function(instrumented.tree, inner, read.operators, source.class_name, places)
    mark_converted(code)
    return instantiate(code, inner, observer, read.operators)


def _trace(staged: Function, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Problem]:
    """Trace once; what stops it, whatever that is, is part of the answer."""
    try:
        concrete = staged.get_concrete_function(*args, **kwargs)
    except Exception as error:
        place = error_location(error)
        line = place.line if place is not None else 0
        return [Problem(line, "", f"tracing stopped: {type(error).__name__}: {error}")]
    return list(_by_element(concrete.traced_graph))


def _by_element(graph: Graph) -> Iterator[Problem]:
    """Yield what a batch does for one element after the other, if that is not machine code."""
    for node in walk(graph):
        label = node.attrs.get("label") or ""
        is_of_arrays = any(x.spec.shape != () for region in node.regions for x in region.params)
        has_region = any(x.regions for region in node.regions for x in region.nodes)
        if label == "vmap" or (label.startswith("vmap of") and is_of_arrays and not has_region):
            line = node.location.line if node.location is not None else 0
            what = "the whole function" if label == "vmap" else label.removeprefix("vmap of ")
            yield Problem(line, "", f"{what} runs for one element of the batch after the other")


def _takes_arguments(function: Callable[..., Any]) -> bool:
    return bool(inspect.signature(function).parameters)


def _arguments(args: Sequence[Any], kwargs: dict[str, Any]) -> str:
    shown = [_shown(value) for value in args]
    shown += [f"{name}={_shown(value)}" for name, value in kwargs.items()]
    return ", ".join(shown) or "no arguments"


def _shown(value: Any) -> str:
    if isinstance(value, TensorSpec):
        return str(value)
    if source_of(value) is not None:
        return str(trace_type(value))
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return str(spec_of(value))
    leaves, _ = trees.flatten(value)
    return repr(value) if all(leaf is value for leaf in leaves) else type(value).__name__


def _explanation(
    read: _Read, arguments: str | None, statements: Sequence[Statement], stopped: list[Problem]
) -> Explanation:
    source = read.source
    node = source.node
    problems = [*stopped, *_hazards(source)]
    return Explanation(
        function=source.qualname,
        file=source.file,
        line=node.lineno,
        arguments=arguments,
        statements=tuple(statements),
        problems=tuple(sorted(problems, key=lambda problem: problem.line)),
    )


def _hazards(source: FunctionSource) -> list[Problem]:
    """Return what the checks find in a function, as if it were decorated."""
    first, last = source.node.lineno, source.node.end_lineno
    try:
        found = check_text(source.text, source.file, staged=first)
    except ConversionError:
        return []
    inside = [finding for finding in found if first <= finding.line <= last]
    return [Problem(x.line, x.code, x.message, x.fix) for x in inside]
