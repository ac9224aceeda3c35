"""Tree from text: a template in Python's syntax whose names in CAPITALS are filled in.

In: the text, what its placeholders stand for, and the node whose place the new nodes take. Nodes
that are passed in are shared, not copied: the tree is compiled, and changed by nobody.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias

Value: TypeAlias = "str | ast.AST | Sequence[ast.AST]"


def statements(text: str, at: ast.expr | ast.stmt, **values: Value) -> list[ast.stmt]:
    """Return the statements of a template.

    A string renames; an expression takes the place of a name; a list of statements that of a name
    that is a statement, a list of expressions that of an argument.
    """
    return _Filling(at, values).block(_parsed(text))


def expression(text: str, at: ast.expr | ast.stmt, **values: Value) -> ast.expr:
    """Return the expression of a template."""
    (statement,) = _parsed(text)
    assert isinstance(statement, ast.Expr)
    filled: ast.expr = _Filling(at, values).node(statement.value)
    return filled


def with_fields(node: Any, **fields: Any) -> Any:
    """Return a copy of a node with other fields; the node itself is not changed."""
    copied = copy.copy(node)
    for name, value in fields.items():
        setattr(copied, name, value)
    return copied


@cache
def _parsed(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


class _Filling:
    """One walk over a template.

    Args:
        at: the node whose place new nodes take.
        values: what the placeholders stand for.
    """

    def __init__(self, at: ast.expr | ast.stmt, values: dict[str, Value]) -> None:
        self._values = values
        self._at = at

    def block(self, template: list[ast.stmt]) -> list[ast.stmt]:
        filled: list[ast.stmt] = []
        for statement in template:
            value = self._whole(statement)
            filled += value if isinstance(value, list) else [self.node(statement)]
        return filled

    def _whole(self, item: Any) -> Any:
        """What a name that is a whole statement, or an argument, stands for."""
        name = item.value if isinstance(item, (ast.Expr, ast.Starred)) else None
        return self._values.get(name.id) if isinstance(name, ast.Name) else None

    def node(self, template: Any) -> Any:
        if isinstance(template, ast.Name):
            value = self._values.get(template.id, template.id)
            if not isinstance(value, str):
                return value
            return ast.copy_location(ast.Name(id=value, ctx=template.ctx), self._at)
        fields = {name: self._field(value) for name, value in ast.iter_fields(template)}
        return ast.copy_location(type(template)(**fields), self._at)

    def _field(self, value: Any) -> Any:
        if isinstance(value, list):
            if value and isinstance(value[0], ast.stmt):
                return self.block(value)
            return [filled for item in value for filled in self._spread(item)]
        if isinstance(value, ast.AST):
            return self.node(value)
        if isinstance(value, str):
            found = self._values.get(value, value)
            assert isinstance(found, str)
            return found
        return value

    def _spread(self, item: Any) -> list[Any]:
        value = self._whole(item)
        return value if isinstance(value, list) else [self._field(item)]
