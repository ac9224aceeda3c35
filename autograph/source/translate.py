"""Between the two kinds of tree, ast and gast, by gast's own rules and a faster walk.

In: a node of one kind. Out: a new node of the other, with all positions. gast's translators have a
method for each class of nodes that differs; all other nodes keep their fields, and what their class
is called on the other side is looked up once here, and not once for each node.
"""

from __future__ import annotations

import ast
from typing import Any, ClassVar

import gast
from gast.ast3 import Ast3ToGAst, GAstToAst3

from autograph.source.walk import ATOMS, blank


class _Quick:
    """The walk, put before a translator of gast: its rules call `_visit` and `generic_visit`."""

    to: ClassVar[Any]
    rules: ClassVar[dict[type[ast.AST], Any]]
    twins: ClassVar[dict[type[ast.AST], tuple[Any, frozenset[str]]]]

    def visit(self, node: ast.AST) -> Any:
        kind = type(node)
        rule: Any = self.rules.get(kind)
        if rule is None:
            own = type(self)
            rule = getattr(own, f"visit_{kind.__name__}", own.generic_visit)
            self.rules[kind] = rule
        return rule(self, node)

    def _visit(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.visit(x) if isinstance(x, ast.AST) else x for x in value]
        return self.visit(value) if isinstance(value, ast.AST) else value

    def generic_visit(self, node: ast.AST) -> Any:
        kind = type(node)
        if kind not in self.twins:
            self.twins[kind] = self._twin(kind)
        twin, names = self.twins[kind]
        if not names:
            return twin
        made = blank(twin)
        fields = vars(made)
        for name, value in vars(node).items():
            if name in names:
                fields[name] = value if value.__class__ in ATOMS else self._visit(value)
        return made

    def _twin(self, kind: type[ast.AST]) -> tuple[Any, frozenset[str]]:
        """Return the class on the other side and what its nodes have, or the one node without."""
        twin = getattr(self.to, kind.__name__, None)
        if twin is None:
            return None, frozenset()  # as gast does with what it does not know
        names = frozenset((*twin._fields, *twin._attributes))
        return twin if names else twin(), names


class _ToGast(_Quick, Ast3ToGAst):
    to: ClassVar = gast
    rules: ClassVar = {}
    twins: ClassVar = {}


class _ToAst(_Quick, GAstToAst3):
    to: ClassVar = ast
    rules: ClassVar = {}
    twins: ClassVar = {}

    def visit_Name(self, node: ast.AST) -> Any:
        """There is nothing to do but to leave out the two fields that ast's class lacks."""
        return self.generic_visit(node)


def ast_to_gast(node: ast.AST) -> gast.AST:
    """Return a new gast tree; nodes without fields, such as `Load()`, are shared.

    Example:
        >>> gast.dump(ast_to_gast(ast.parse("x", mode="eval").body))
        "Name(id='x', ctx=Load(), annotation=None, type_comment=None)"
    """
    return _ToGast().visit(node)


def gast_to_ast(node: gast.AST) -> ast.AST:
    """Return a new ast tree; nodes without fields, such as `Load()`, are shared.

    Example:
        >>> ast.dump(gast_to_ast(gast.parse("x", mode="eval").body))
        "Name(id='x', ctx=Load())"
    """
    return _ToAst().visit(node)  # type: ignore[no-any-return]
