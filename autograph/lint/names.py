"""Names in a tree of ast: what they are bound to, and how they are written."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def imports_of(tree: ast.AST) -> dict[str, str]:
    """Return what names are imported as, by their full names.

    >>> imports_of(ast.parse("import numpy as np, os.path\\nfrom time import time as now"))
    {'np': 'numpy', 'os': 'os', 'now': 'time.time'}
    """
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                found[alias.asname or root] = alias.name if alias.asname else root
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def path_of(node: ast.AST) -> str:
    """Return a dotted name as it is written, or nothing for another expression."""
    if isinstance(node, ast.Attribute):
        root = path_of(node.value)
        return f"{root}.{node.attr}" if root else ""
    return node.id if isinstance(node, ast.Name) else ""


def root_of(node: ast.AST) -> str:
    """Return the variable that attributes and items are taken of: `x` for `x.y[0]`."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body, without the bodies of functions inside it.

    Those functions themselves are among them.
    """
    stack = list(reversed(body_of(function)))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            stack += reversed(list(ast.iter_child_nodes(node)))


def body_of(function: ast.AST) -> list[ast.AST]:
    """Return the statements of a function, or the expression of a lambda."""
    body = getattr(function, "body", [])
    return list(body) if isinstance(body, list) else [body]


def parameters_of(function: Definition) -> list[ast.arg]:
    """Return the parameters of a function, in order."""
    arguments = function.args
    found = [*arguments.posonlyargs, *arguments.args]
    found += [arguments.vararg] if arguments.vararg else []
    return [*found, *arguments.kwonlyargs, *([arguments.kwarg] if arguments.kwarg else [])]


def assigned_names(node: ast.AST) -> set[str]:
    """Return the names that a node binds, at any depth but not in functions inside it."""
    found = set()
    for part in own_nodes(ast.Module(body=[node], type_ignores=[])):  # type: ignore[list-item]
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            found.add(part.id)
        elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(part.name)
    return found
