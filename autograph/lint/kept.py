"""Rules on what is left as Python, so that its control flow is not staged."""

from __future__ import annotations

import ast

from autograph.lint.names import own_nodes, path_of
from autograph.lint.rule import Found
from autograph.lint.staged import Staged

_FRAME_CALLS = {"locals": 0, "vars": 0, "dir": 0, "eval": 1, "exec": 1}
"""What sees the variables around it, if it is called with so many arguments or fewer."""


def suspended(function: Staged) -> Found:
    """A generator or an async function."""
    yields = (ast.Yield, ast.YieldFrom)
    if isinstance(function.node, ast.AsyncFunctionDef):
        yield function.node, f"{function.node.name} is an async function"
    elif any(isinstance(node, yields) for node in function.nodes):
        yield function.node, f"{function.node.name} is a generator"


def binding_lambdas(function: Staged) -> Found:
    """A lambda that binds a name by `:=`."""
    for node in function.nodes:
        if not isinstance(node, ast.Lambda):
            continue
        if any(isinstance(part, ast.NamedExpr) for part in own_nodes(node)):
            yield node, "this lambda binds a name by `:=`"


def frame_calls(function: Staged) -> Found:
    """`locals()`, `eval(text)` and `except UnboundLocalError`."""
    for node in function.nodes:
        name = path_of(node.func) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and len(node.args) <= _FRAME_CALLS.get(name, -1):
            yield node, f"`{name}` would see other variables in converted code"
        elif isinstance(node, ast.ExceptHandler) and _catches_unbound(node):
            yield node, "`except UnboundLocalError` would meet another error in converted code"


def _catches_unbound(node: ast.ExceptHandler) -> bool:
    parts = ast.walk(node.type) if node.type is not None else iter(())
    return any(path_of(part) == "UnboundLocalError" for part in parts)
