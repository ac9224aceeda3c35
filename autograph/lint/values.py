"""Rules on what asks a staged value for what is known only when the graph runs."""

from __future__ import annotations

import ast

from autograph.lint.names import path_of
from autograph.lint.rule import Found
from autograph.lint.staged import Staged

_WHILE_TRACING = frozenset(
    {"AttributeError", "ImportError", "ModuleNotFoundError", "NameError", "NotImplementedError"}
    | {"TypeError"}
)
"""Errors that do not depend on the values of arrays."""


def identities(function: Staged) -> Found:
    """`is` between values that may be arrays, and `id` and `hash` of one."""
    for node in function.nodes:
        if isinstance(node, ast.Call) and path_of(node.func) in ("id", "hash"):
            operands, asks = node.args[:1], "for what it has not while tracing"
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
            operands, asks = [node.left, *node.comparators], "which object it is"
        else:
            continue
        if operands and all(map(function.may_be_staged, operands)):
            yield node, f"`{ast.unparse(node)}` asks an array {asks}"


def python_lists(function: Staged) -> Found:
    """`x.tolist()` of an array."""
    for node in function.nodes:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "tolist" and function.may_be_staged(node.func.value):
            yield node, f"`{ast.unparse(node)}` asks an array for its elements"


def conditions_of_comprehensions(function: Staged) -> Found:
    """A staged `if` in a comprehension."""
    for node in function.nodes:
        if isinstance(node, ast.comprehension):
            for test in node.ifs:
                if function.may_be_staged(test):
                    yield test, f"`if {ast.unparse(test)}` decides how many items there are"


def handlers(function: Staged) -> Found:
    """`except` around staged code, in a `try` that stays Python because its `finally` jumps."""
    for node in function.nodes:
        if not isinstance(node, ast.Try) or not any(map(function.may_be_staged, node.body)):
            continue
        last = [x for statement in node.finalbody for x in ast.walk(statement)]
        if not any(isinstance(x, ast.Return | ast.Break | ast.Continue) for x in last):
            continue
        for handler in node.handlers:
            if not _caught(handler) or not _caught(handler) <= _WHILE_TRACING:
                yield handler, "this does not catch what staged code raises"


def _caught(handler: ast.ExceptHandler) -> set[str]:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {path_of(kind) for kind in kinds if kind is not None}


def recursions(function: Staged) -> Found:
    """A call of the function itself under a staged condition, in a `try` that has handlers."""
    name = function.node.name
    if function.module.functions.get(name) is not function.node:
        return
    tries = [x for x in ast.walk(function.node) if isinstance(x, ast.Try) and x.handlers]
    tried = {id(x) for one in tries for part in one.body for x in ast.walk(part)}
    for block in function.staged_blocks():
        for node in ast.walk(block):
            is_own = isinstance(node, ast.Call) and path_of(node.func) == name
            if is_own and id(node) in tried:
                yield node, f"`{name}` calls itself under a staged condition, in a `try`"
