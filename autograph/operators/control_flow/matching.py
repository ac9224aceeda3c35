"""`match` on values of which some may be staged.

Comes in: the subject, a pattern as text, and how to get the values and classes that it names, in
the order in which it names them. Goes out: whether the pattern fits, and what it captures.

While no graph is being built, Python's own `match` decides. Otherwise each level of a pattern is
taken apart by Python's `match`, and the values inside are compared one by one: what the structure
of the subject is (sequences, mappings, classes, lengths, keys) is decided while tracing, and a
comparison with a staged value is staged.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from autograph.lazy import lazy
from autograph.operators.builtins.type_queries import plain_type
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.containers.storage import refused
from autograph.operators.control_flow.conditionals import if_exp
from autograph.operators.control_flow.errors import located
from autograph.operators.control_flow.logic import and_, is_, or_
from autograph.operators.objects.union_values import each
from autograph.staging.region import UNDEFINED
from runtime import default_graph
from runtime.tensor import Symbol, is_staged
from runtime.union import Choice

Captured = tuple[Any, ...]
Found = tuple[Any, Captured]
NO_MATCH: Found = (False, ())
Result = tuple[Any, Mapping[str, Any]]
Parts = list[tuple[ast.pattern, Any]]


def match(subject: Any, pattern: str, *values: Callable[[], Any]) -> Found:
    """Return whether a pattern fits, staged or not, and the values of the names it captures.

    Args:
        subject: the value.
        pattern: the text of the pattern, without its guard: `"Point(x=0, y=y)"`.
        values: for each class and each dotted name of the pattern, in the order of the text, a
            function that returns it. It is called when the pattern comes to it.

    >>> match([1, 2, 3], "[1, *rest]")
    (True, ([2, 3],))
    """
    compiled = _compiled(pattern)
    names = _Names(values)
    if default_graph.current() is None:
        found: Found = compiled.whole(subject, names)
        return found
    with located():
        test, captured = _match(compiled.tree, subject, names)
    if not is_staged(test) and not test:
        return NO_MATCH
    return (test if is_staged(test) else True), tuple(captured[name] for name in compiled.captures)


def matches(subject: Any, pattern: str, *values: Callable[[], Any]) -> Any:
    """Return whether a pattern fits, for one that captures nothing; arguments as for `match`.

    >>> matches(3, "1 | 2")
    False
    """
    return match(subject, pattern, *values)[0]


class _Names:
    """The values and classes that a pattern names, as attributes `n0`, `n1`: each asked when used.

    Args:
        values: the functions that return them.
    """

    def __init__(self, values: tuple[Callable[[], Any], ...]) -> None:
        self._values = values

    def __getattr__(self, name: str) -> Any:
        return self._values[int(name[1:])]()


Shell = Callable[[Any, _Names], Any]


@dataclass(frozen=True)
class _Pattern:
    """A pattern that was read: dotted names in it stand for attributes of `_Names`."""

    tree: ast.pattern

    @lazy
    def captures(self) -> tuple[str, ...]:
        """The names that it binds, in the order of the text."""
        return tuple(dict.fromkeys(_captures(self.tree)))

    @lazy
    def whole(self) -> Callable[[Any, _Names], Found]:
        """Python's own match: `(True, captures)` or `NO_MATCH`."""
        found = ast.Tuple([ast.Name(name, ast.Load()) for name in self.captures], ast.Load())
        return _function(self.tree, ast.Tuple([ast.Constant(True), found], ast.Load()))


@cache
def _compiled(text: str) -> _Pattern:
    (statement,) = ast.parse(f"match _:\n case {text}: pass").body
    assert isinstance(statement, ast.Match)
    return _Pattern(_Numbered().visit(statement.cases[0].pattern))


class _Numbered(ast.NodeTransformer):
    """Replaces the names that a pattern reads by attributes of `names`, numbered in order."""

    def __init__(self) -> None:
        self._count = 0

    def _named(self, node: ast.expr) -> ast.expr:
        name = ast.Attribute(ast.Name("names", ast.Load()), f"n{self._count}", ast.Load())
        self._count += 1
        return ast.copy_location(name, node)

    visit_Name = visit_Attribute = _named


def _captures(node: ast.AST) -> Iterator[str]:
    """Yield the names that a pattern binds: those of the inner patterns first, as written."""
    for part in ast.iter_child_nodes(node):
        yield from _captures(part)
    name = getattr(node, "rest" if isinstance(node, ast.MatchMapping) else "name", None)
    if name is not None:
        yield name


def _function(pattern: ast.pattern, result: ast.expr) -> Callable[[Any, _Names], Any]:
    """Return `def matched(subject, names): match subject: case PATTERN: return RESULT`."""
    text = "def matched(subject, names):\n match subject:\n  case _: return ...\n return missing"
    module = ast.parse(text)
    function = module.body[0]
    assert isinstance(function, ast.FunctionDef)
    statement = function.body[0]
    assert isinstance(statement, ast.Match)
    statement.cases[0].pattern = pattern
    statement.cases[0].body = [ast.Return(result)]
    namespace: dict[str, Any] = {"missing": NO_MATCH}
    exec(compile(ast.fix_missing_locations(module), __file__, "exec"), namespace)
    made: Callable[[Any, _Names], Any] = namespace["matched"]
    return made


# Patterns, one level at a time


def _match(node: ast.pattern, subject: Any, names: _Names) -> Result:
    choice = getattr(subject, "union", None) if type(subject) is Symbol else subject
    if type(choice) is Choice and (choice is subject or isinstance(node, ast.MatchClass)):
        return _match_each(node, choice, names)
    if isinstance(node, ast.MatchValue):
        return subject == _value(node)(names), {}
    if isinstance(node, ast.MatchSingleton):
        return is_(subject, node.value), {}
    if isinstance(node, ast.MatchOr):
        return _match_any(node.patterns, subject, names)
    if isinstance(node, ast.MatchAs):
        return _match_as(node, subject, names)
    parts = _parts(node, subject, names)
    return (False, {}) if parts is None else _match_all(parts, names)


def _match_each(node: ast.pattern, choice: Choice, names: _Names) -> Result:
    """Return how a pattern fits what a choice is; what it does not capture is never read."""
    bound = tuple(dict.fromkeys(_captures(node)))

    def use(option: Any) -> Found:
        test, captured = _match(node, option, names)
        return test, tuple(captured.get(name, UNDEFINED) for name in bound)

    test, values = each(choice, use)
    return test, dict(zip(bound, values, strict=True))


def _match_as(node: ast.MatchAs, subject: Any, names: _Names) -> Result:
    test, captured = (True, {}) if node.pattern is None else _match(node.pattern, subject, names)
    return test, captured if node.name is None else {**captured, node.name: subject}


def _match_all(parts: list[tuple[ast.pattern, Any]], names: _Names) -> Result:
    """Match parts of a subject from the left, as long as they may fit."""
    test: Any = True
    captured: dict[str, Any] = {}
    for pattern, subject in parts:
        found, more = _match(pattern, subject, names)
        if not is_staged(found) and not found:
            return False, {}
        captured.update(more)
        test = found if not is_staged(test) else _both(test, found)
    return test, captured


def _both(first: Any, second: Any) -> Any:
    return and_(first, lambda: second) if is_staged(second) else first


def _match_any(patterns: list[ast.pattern], subject: Any, names: _Names) -> Result:
    """Match the first of several patterns that fits; they all capture the same names."""
    first, *others = patterns
    test, captured = _match(first, subject, names)
    if not others or (not is_staged(test) and test):
        return test, captured
    if not is_staged(test):
        return _match_any(others, subject, names)
    other, more = _match_any(others, subject, names)
    if not is_staged(other) and not other:
        return test, captured
    chosen = {
        name: captured[name]
        if captured[name] is more[name]
        else _chosen(test, captured, more, name)
        for name in captured
    }
    return or_(test, lambda: other), chosen


def _chosen(test: Any, first: Mapping[str, Any], second: Mapping[str, Any], name: str) -> Any:
    return if_exp(test, lambda: first[name], lambda: second[name])


def _parts(node: ast.pattern, subject: Any, names: _Names) -> Parts | None:
    """Return the patterns inside of a pattern with what each has to fit, or None for no match."""
    staged = staged_list(subject)
    if staged is not None and isinstance(node, ast.MatchSequence | ast.MatchMapping):
        raise refused(staged, "a pattern", "test its length and its items by `if` statements")
    shell, inner = _opened(node)
    if type(subject) is StagedTuple:
        values = shell((), names)
        values = values if values is NO_MATCH else [subject] * len(values)
    elif type(subject) is not Symbol:
        values = shell(subject, names)
    elif isinstance(node, ast.MatchClass):
        values = _parts_by_class(node, shell, subject, names)
    elif isinstance(node, ast.MatchSequence) and _is_sequence(plain_type(subject)):
        values = shell(_items(subject), names) if _may_fit(node, subject) else NO_MATCH
    else:
        values = NO_MATCH
    return None if values is NO_MATCH else list(zip(inner, values, strict=True))


def _is_sequence(kind: type) -> bool:
    """Whether sequence patterns match a class: arrays are sequences from NumPy 2.5 on."""
    return bool(kind.__flags__ & 1 << 5)


def _items(array: Any) -> list[Any]:
    return list(array)


def _may_fit(node: ast.MatchSequence, array: Symbol) -> bool:
    """Whether an array has as many items as a pattern; yes, if that is not known."""
    length = array.spec.shape[0] if array.spec.shape else None
    single = [part for part in node.patterns if not isinstance(part, ast.MatchStar)]
    if not isinstance(length, int):
        return True
    return length >= len(single) if len(single) < len(node.patterns) else length == len(single)


def _parts_by_class(node: ast.MatchClass, shell: Shell, subject: Symbol, names: _Names) -> Captured:
    """Take a staged value apart by its class: an example of the class tells whether it fits."""
    kind = plain_type(subject)
    example = kind(()) if kind is np.ndarray else kind()
    values: Captured = shell(example, names)
    if values is NO_MATCH:
        return NO_MATCH
    found = [subject if value is example else value for value in values]
    keywords = [
        name
        for name, pattern in zip(node.kwd_attrs, node.kwd_patterns, strict=True)
        if not _is_wildcard(pattern)
    ]
    for position, name in enumerate(keywords, len(found) - len(keywords)):
        if not hasattr(subject, name):
            return NO_MATCH
        found[position] = getattr(subject, name)
    return tuple(found)


@cache
def _opened(node: ast.pattern) -> tuple[Shell, list[ast.pattern]]:
    """Return a pattern with nothing but captures in it as a function, and what was in it."""
    opening = _Opening()
    shell = opening.shell(node)
    return _function(shell, ast.Tuple(opening.results, ast.Load())), opening.inner


class _Opening:
    """Takes the outermost level off a pattern."""

    def __init__(self) -> None:
        self.inner: list[ast.pattern] = []
        self.results: list[ast.expr] = []

    def shell(self, node: ast.pattern) -> ast.pattern:
        """Return the level alone; what was inside is in `inner`, and captured as `results`."""
        if isinstance(node, ast.MatchSequence):
            return ast.MatchSequence(patterns=self._captures(node.patterns))
        if isinstance(node, ast.MatchMapping):
            inner = self._captures(node.patterns)
            rest = node.rest and self._name(ast.MatchAs(name=node.rest))
            return ast.MatchMapping(keys=node.keys, patterns=inner, rest=rest)
        assert isinstance(node, ast.MatchClass)
        inner, keywords = self._captures(node.patterns), self._captures(node.kwd_patterns)
        return ast.MatchClass(
            cls=node.cls, patterns=inner, kwd_attrs=node.kwd_attrs, kwd_patterns=keywords
        )

    def _captures(self, patterns: list[ast.pattern]) -> list[ast.pattern]:
        return [self._capture(pattern) for pattern in patterns]

    def _capture(self, pattern: ast.pattern) -> ast.pattern:
        if _is_wildcard(pattern):
            return pattern
        if isinstance(pattern, ast.MatchStar):
            return ast.MatchStar(name=self._name(ast.MatchAs(name=pattern.name)))
        return ast.MatchAs(name=self._name(pattern))

    def _name(self, pattern: ast.pattern) -> str:
        name = f"part{len(self.inner)}"
        self.inner.append(pattern)
        self.results.append(ast.Name(name, ast.Load()))
        return name


def _is_wildcard(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchStar):
        return pattern.name is None
    return isinstance(pattern, ast.MatchAs) and pattern.name is None and pattern.pattern is None


@cache
def _value(node: ast.MatchValue) -> Callable[[_Names], Any]:
    """Return the value that a pattern compares with, as a function of the names."""
    function = ast.parse("lambda names: ...", mode="eval")
    assert isinstance(function.body, ast.Lambda)
    function.body.body = node.value
    made: Callable[[_Names], Any] = eval(
        compile(ast.fix_missing_locations(function), __file__, "eval")
    )
    return made
