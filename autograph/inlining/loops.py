"""One loop of a function that is made of operator calls, as a function of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from autograph.inlining.template import statements, with_fields
from autograph.inlining.walk import operator_of

_ITERABLE = ".iterable"


def loop_at(root: ast.stmt, line: int, operators: str) -> ast.FunctionDef | None:
    """Return a function that runs the loop on a line; None if there is none.

    It takes what a `for` goes over, and a `while` nothing. Its free variables are those of the
    loop's closures.

    Args:
        root: the function that the loop is part of; it is not changed.
        line: where the loop's head stands.
        operators: the name of the operators.
    """
    for block in _blocks(root):
        for index, node in enumerate(block):
            operator = operator_of(getattr(node, "value", None), operators)
            if operator in ("while_", "for_") and node.lineno == line:
                return _function(block[:index], node, operator == "for_")
    return None


def _blocks(root: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(root):
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield value


def _function(before: Sequence[ast.stmt], loop: ast.stmt, is_for: bool) -> ast.FunctionDef:
    assert isinstance(loop, ast.Expr)
    call = loop.value
    assert isinstance(call, ast.Call)
    names = {part.id for part in call.args if isinstance(part, ast.Name)}
    body = [x for x in before if isinstance(x, ast.FunctionDef) and x.name in names]
    if is_for:
        iterable = ast.copy_location(ast.Name(_ITERABLE, ast.Load()), call)
        loop = with_fields(loop, value=with_fields(call, args=[iterable, *call.args[1:]]))
    head = "def loop(ITERABLE): BODY" if is_for else "def loop(): BODY"
    values = {"ITERABLE": _ITERABLE} if is_for else {}
    function = statements(head, loop, BODY=[*body, loop], **values)[0]
    assert isinstance(function, ast.FunctionDef)
    return function
