"""The places of a function at which converted code may differ from the source.

In: a function as a gast node, and its lines. Out: its branches, loops, conditional expressions,
operators of logic and calls, in the order of the source, each with the reason for which it would
stay as it is. Whether it does stay is for the converters to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import gast

from autograph.analysis.facts import Facts
from autograph.analysis.may_vary import AROUND, Names, names_of
from autograph.analysis.support import (
    is_exempt_call,
    is_hint,
    is_left_alone,
    is_static_iterable,
    is_static_test,
    is_truth,
)
from autograph.analysis.uses import dotted
from autograph.source.quote import Position, position
from runtime.numpy.face import stands_for_one

OPERATORS = {
    "if": {"if_"},
    "case": {"if_"},
    "while": {"while_"},
    "for": {"for_"},
    "if expression": {"if_exp"},
    "and": {"and_"},
    "or": {"or_"},
    "not": {"not_"},
    "in": {"in_", "not_in"},
    "is": {"is_", "is_not"},
    "comparison": {"compare"},
    "assert": {"assert_"},
    "call": {"call"},
}
"""The operators that each kind of site becomes."""


@dataclass(frozen=True)
class Site:
    """A place of a function.

    Attributes:
        node: what stands there.
        kind: a key of `OPERATORS`.
        text: its source, up to the colon of a statement.
        kept: why it stays as it is, if it does.
    """

    node: gast.AST
    kind: str
    text: str
    kept: str

    @property
    def positions(self) -> tuple[Position, ...]:
        """Where its operator may be said to stand."""
        found = position(self.node)
        method = getattr(self.node, "func", None)
        if isinstance(method, gast.Attribute):
            start = method.end_lineno, method.end_col_offset - len(method.attr)
            return found, (*start, *found[2:])
        if self.negated is not None:
            return found, (*found[:2], *position(self.negated)[2:])
        return (found,)

    @property
    def negated(self) -> gast.AST | None:
        """The `x` of an `if not x`."""
        if not isinstance(self.node, gast.If):
            return None
        test = self.node.test
        is_not = isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not)
        return test.operand if is_not else None


@dataclass(frozen=True)
class _Around:
    """What surrounds a node: the names of functions, and why all that is in it stays."""

    lines: Sequence[str]
    modules: Mapping[str, str]
    names: Names
    kept: str = ""
    exchanged: gast.AST | None = None  # the test of an `if`, where that is a `not`


def sites_of(function: gast.AST, lines: Sequence[str], modules: Mapping[str, str]) -> list[Site]:
    """Return the sites of a function and of the functions inside it, in the order of the source."""
    around = _Around(lines, modules, AROUND)
    found = _in_function(function, around, Facts())
    return sorted(found, key=lambda site: (site.node.lineno, site.node.col_offset))


def _in_function(function: gast.AST, around: _Around, facts: Facts) -> Iterator[Site]:
    names = names_of(function, facts.scope(function), around.names)
    scope, around = facts.scope(function), replace(around, names=names)
    if is_left_alone(function, scope):
        around = replace(around, kept=around.kept or left_alone(function))
    body = function.body if isinstance(function.body, list) else [function.body]
    for part in body:
        yield from _in(part, around, facts)


def _in(node: gast.AST, around: _Around, facts: Facts) -> Iterator[Site]:
    kind = _kind(node)
    if kind:
        yield Site(node, kind, segment(around.lines, position(node)), _kept(node, around))
    if isinstance(node, gast.Match):
        yield from (_case(case.pattern, around) for case in node.cases)
    if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)):
        yield from _in_function(node, around, facts)
        return
    if isinstance(node, gast.JoinedStr):
        around = replace(around, kept=around.kept or "it is part of an f-string")
    if isinstance(node, gast.If):
        around = replace(around, exchanged=node.test)
    for part in gast.iter_child_nodes(node):
        yield from _in(part, around, facts)


def _case(pattern: gast.AST, around: _Around) -> Site:
    kept = around.kept or "it always fits, or what it compares with is never staged"
    return Site(pattern, "case", f"case {segment(around.lines, position(pattern))}", kept)


_STATEMENTS: dict[type[gast.AST], str] = {
    gast.If: "if",
    gast.While: "while",
    gast.For: "for",
    gast.IfExp: "if expression",
    gast.Assert: "assert",
    gast.Call: "call",
}


def _kind(node: gast.AST) -> str:
    if isinstance(node, gast.BoolOp):
        return "and" if isinstance(node.op, gast.And) else "or"
    if isinstance(node, gast.UnaryOp):
        return "not" if isinstance(node.op, gast.Not) else ""
    if isinstance(node, gast.Compare):
        return _comparison(node)
    return _STATEMENTS.get(type(node), "")


def _comparison(node: gast.AST) -> str:
    if len(node.ops) > 1:
        return "comparison"
    if isinstance(node.ops[0], (gast.In, gast.NotIn)):
        return "in"
    is_identity = isinstance(node.ops[0], (gast.Is, gast.IsNot))
    return "is" if is_identity and is_truth(node.comparators[0]) else ""


def _kept(node: gast.AST, around: _Around) -> str:
    if around.kept:
        return around.kept
    test = getattr(node, "test", node)
    if isinstance(node, gast.Call):
        return _kept_call(node, around)
    if isinstance(node, gast.For):
        known = is_static_iterable(node.iter, around.names.is_local)
        return ROUNDS if known else _MOVED
    if around.exchanged is node:
        return "the arms of the `if` change places instead"
    if is_static_test(test, around.names):
        return f"`{segment(around.lines, position(test))}` is never staged"
    return _MOVED


ROUNDS = "how many rounds it has is known where it is written"
_MOVED = (
    "it is nested too deep, a jump leaves a `finally` in it, or it binds a name by := that would "
    "be another variable"
)


def _kept_call(node: gast.AST, around: _Around) -> str:
    if is_hint(node):
        return "it says how the statement around it is staged"
    name = dotted(node.func) or ""
    root, _, rest = name.partition(".")
    if not is_exempt_call(node, around.modules, around.names.is_local):
        return "it needs no help"
    if around.modules.get(root) == "numpy":
        is_op = stands_for_one(f"numpy.{rest}")
        return OF_NUMPY[0] if is_op else OF_NUMPY[1]
    return "it asks about Python objects only"


OF_NUMPY = (
    "NumPy's functions take staged values",
    "of staged values it is a call of NumPy when the graph runs",
)
"""Why calls of NumPy's functions are made as they are written."""


def left_alone(function: gast.AST) -> str:
    """Return why a function keeps its body."""
    name = getattr(function, "name", "the lambda")
    if isinstance(function, gast.AsyncFunctionDef):
        return f"{name} is left as Python: it is an async function"
    for part in gast.walk(function):
        found = _frame_call(part)
        if found:
            return f"{name} is left as Python because of {found} in line {part.lineno}"
    return f"{name} is left as Python: it is a generator"


def _frame_call(node: gast.AST) -> str:
    if isinstance(node, gast.Name) and node.id == "UnboundLocalError":
        return "`except UnboundLocalError`"
    name = node.func.id if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) else ""
    return f"`{name}()`" if name in ("locals", "vars", "dir", "eval", "exec") else ""


def segment(lines: Sequence[str], place: Position) -> str:
    """Return a part of a source on one line; columns count UTF-8 bytes."""
    line, column, end_line, end_column = place
    parts = [text.encode("utf-8", "surrogatepass") for text in lines[line - 1 : end_line]]
    if not parts:
        return ""
    parts[-1] = parts[-1][:end_column]
    parts[0] = parts[0][column:]
    return " ".join(b" ".join(parts).decode("utf-8", "replace").split())
