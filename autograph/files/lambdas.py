"""Lambdas outside of functions: the simple statements of a module and its classes that hold them.

In: a module's ast tree. Out: such statements, and their trees with the lambdas rewritten. The
lambdas in decorators and defaults of functions, and in headers of compound statements, are not
among them.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

from autograph.files.layout import blocks

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def statements_with_lambdas(tree: ast.Module) -> Iterator[tuple[ast.stmt, str | None]]:
    """Yield each simple statement with a lambda, and the innermost class around it.

    Example:
        >>> tree = ast.parse("f = lambda x: x\\nclass C:\\n    g = [lambda x: x]\\n    h = 1")
        >>> [(node.lineno, name) for node, name in statements_with_lambdas(tree)]
        [(1, None), (3, 'C')]
    """
    yield from _inside(tree, None)


def _inside(node: ast.AST, class_name: str | None) -> Iterator[tuple[ast.stmt, str | None]]:
    for _, block in blocks(node):
        for child in block:
            if isinstance(child, _FUNCTIONS):
                continue
            if any(blocks(child)):
                name = child.name if isinstance(child, ast.ClassDef) else class_name
                yield from _inside(child, name)
            elif isinstance(child, ast.stmt) and _has_lambda(child):
                yield child, class_name


def _has_lambda(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Lambda) for part in ast.walk(node))


def with_lambdas(node: ast.stmt, rewritten: Callable[[ast.Lambda], ast.AST]) -> ast.stmt:
    """Return a copy of a statement in which the outermost lambdas are rewritten."""
    statement = _Rewriting(rewritten).visit(copy.deepcopy(node))
    assert isinstance(statement, ast.stmt)
    return statement


class _Rewriting(ast.NodeTransformer):
    def __init__(self, rewritten: Callable[[ast.Lambda], ast.AST]) -> None:
        self._rewritten = rewritten

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._rewritten(node)
