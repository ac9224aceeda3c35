"""The one way to make new tree: fill a template, or make a single node with every field.

In: a template in Python's own syntax, values for its placeholders, and the node it stands for.
Out: gast nodes. New nodes carry the position of that node; nodes passed in keep their own.

Template grammar: any Python in which every name written in CAPITALS is a placeholder.
What a placeholder may stand for depends on where it is written:

    NAME, def NAME, x.NAME, f(NAME=1), nonlocal NAME     str: the name is renamed
    NAME in an expression                                expr node: takes its place
    NAME as an item of a list, call or tuple             list of expr nodes: spread in place
    NAME as a statement of its own                       statement, list of statements, or expr
    nonlocal NAMES                                       list of str; the statement goes if empty
    f(**NAMES)                                           list of keyword nodes
    def f(NAMES)                                         list of parameter nodes (gast.Name, Param)
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from functools import cache
from types import GenericAlias, UnionType
from typing import Any, TypeAlias

import gast

from autograph.source.walk import blank

Value: TypeAlias = "str | gast.AST | Sequence[Any]"
Position: TypeAlias = tuple[int, int, int, int]


def quote(template: str, *, at: gast.AST, **values: Value) -> list[gast.AST]:
    """Return the statements of a filled template.

    Args:
        template: the statements; common indentation is removed.
        at: the node that the new nodes stand for; they get its position.
        values: what each placeholder stands for, by its name.

    Raises:
        TypeError: the placeholders are not exactly the names of `values`.
        ValueError: a node would occur twice in the result.

    Example:
        >>> import gast
        >>> loop = gast.parse("while x < 3:\\n    x += 1").body[0]
        >>> statements = quote(
        ...     "def BODY():\\n    nonlocal NAMES\\n    STATEMENTS",
        ...     at=loop, BODY="body", NAMES=["x"], STATEMENTS=loop.body,
        ... )
        >>> print(gast.unparse(statements[0]).strip())
        def body():
            nonlocal x
            x += 1
    """
    tree, placeholders = _parsed(template)
    _check_values(template, placeholders, values)
    return _Filling(values, position(at)).items(tree.body)


def quote_expression(template: str, *, at: gast.AST, **values: Value) -> gast.AST:
    """Return the single expression of a filled template; otherwise as `quote`.

    Example:
        >>> import gast
        >>> test = gast.parse("not x", mode="eval").body
        >>> gast.unparse(quote_expression("OPS.not_(X)", at=test, OPS="ag", X=test.operand)).strip()
        'ag.not_(x)'
    """
    (statement,) = quote(template, at=at, **values)
    expression: gast.AST = statement.value
    return expression


def make(kind: type[gast.AST], *, at: gast.AST, **fields: Any) -> gast.AST:
    """Return a node of a gast class with every field: absent ones are None, [] or Load().

    Raises:
        TypeError: a field that has no such default is missing, or the class has no such field.

    Example:
        >>> import gast
        >>> old = gast.parse("pass").body[0]
        >>> gast.dump(make(gast.Return, at=old))
        'Return(value=None)'
    """
    complete = {
        name: fields.pop(name) if name in fields else _empty(kind, name) for name in kind._fields
    }
    if fields:
        raise TypeError(f"{kind.__name__} has no field {', '.join(sorted(fields))}.")
    return _placed(kind(**complete), position(at))


def name(identifier: str, *, at: gast.AST, ctx: gast.AST | None = None) -> gast.AST:
    """Return a Name node, read unless another context is given."""
    return make(gast.Name, at=at, id=identifier, ctx=ctx or gast.Load())


def parameter(identifier: str, *, at: gast.AST) -> gast.AST:
    """Return a parameter, which is a Name in gast."""
    return name(identifier, at=at, ctx=gast.Param())


def constant(value: object, *, at: gast.AST) -> gast.AST:
    """Return a Constant node, for instance the names of the state: `"y, z"`."""
    return make(gast.Constant, at=at, value=value)


def position(node: gast.AST) -> Position:
    """Return where a node stands: a compound statement by its header, the rest whole.

    The body of a loop is not part of it, so that a traceback does not show the whole loop.
    """
    end = node
    for field in _HEADER_END.get(type(node).__name__, ()):
        part = getattr(node, field)
        end = (part[-1] if part else end) if isinstance(part, list) else part or end
    end = getattr(end, "context_expr", end)
    return (node.lineno, node.col_offset, end.end_lineno, end.end_col_offset)


_HEADER_END: dict[str, tuple[str, ...]] = {
    "If": ("test",),
    "While": ("test",),
    "For": ("iter",),
    "AsyncFor": ("iter",),
    "With": ("items",),
    "AsyncWith": ("items",),
    "Match": ("subject",),
}


def _placed(node: gast.AST, place: Position) -> gast.AST:
    if "lineno" in node._attributes:
        node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = place
    return node


# Fields whose declared type in gast does not say that they may be absent.
_OPTIONAL = {("Name", "annotation"), ("match_case", "guard")}


def _empty(kind: type[gast.AST], field: str) -> object:
    declared = kind._field_types.get(field)
    if isinstance(declared, GenericAlias):
        return []
    if isinstance(declared, UnionType) or (kind.__name__, field) in _OPTIONAL:
        return None
    if field == "ctx":
        return gast.Load()
    raise TypeError(f"{kind.__name__} needs the field {field}.")


@cache
def _parsed(template: str) -> tuple[gast.AST, frozenset[str]]:
    tree = gast.parse(textwrap.dedent(template).strip())
    words = {word for node in gast.walk(tree) for word in _words(node) if word.isupper()}
    return tree, frozenset(words)


def _words(node: gast.AST) -> list[str]:
    """Every identifier of a template's node; the text of constants is none."""
    if isinstance(node, gast.Constant):
        return []
    values = [getattr(node, field) for field in node._fields]
    lists = [item for value in values if isinstance(value, list) for item in value]
    return [value for value in values + lists if isinstance(value, str)]


def _check_values(template: str, placeholders: frozenset[str], values: Mapping[str, Value]) -> None:
    if placeholders != values.keys():
        different = ", ".join(sorted(placeholders ^ values.keys()))
        raise TypeError(f"Template and values disagree about {different}:\n{template}")
    nodes = [node for value in values.values() for node in _nodes_in(value)]
    if len({id(node) for node in nodes}) != len(nodes):
        raise ValueError(f"A node is passed for two placeholders of the template:\n{template}")


def _nodes_in(value: Value) -> list[gast.AST]:
    items = value if isinstance(value, (list, tuple)) else [value]
    return [item for item in items if isinstance(item, gast.AST)]


class _Filling:
    """One walk over a template that copies it, puts values in and places the new nodes."""

    def __init__(self, values: Mapping[str, Value], place: Position) -> None:
        self._values = values
        self._place = place
        self._used: set[str] = set()

    def items(self, template: list[Any]) -> list[Any]:
        return [filled for item in template for filled in self._spread(item)]

    def _spread(self, item: Any) -> list[Any]:
        """An item of a list is none, one or several items of the filled list."""
        if isinstance(item, gast.AST):
            filled = self._node(item)
        else:
            filled = self._values.get(item, item) if isinstance(item, str) else item
        return list(filled) if isinstance(filled, (list, tuple)) else [filled]

    def _node(self, template: gast.AST) -> Any:
        if isinstance(template, gast.Name) and template.id in self._values:
            return self._name(template)
        if isinstance(template, gast.Expr):
            return self._statement(template)
        if isinstance(template, gast.keyword) and template.arg is None:
            return self._keywords(template)
        return self._dropped_if_empty(self._copy(template))

    def _copy(self, template: gast.AST) -> gast.AST:
        if not template._fields:
            return template  # `Load()` and its like are shared: nobody changes them
        made = blank(type(template))
        vars(made).update((field, self._field(template, field)) for field in template._fields)
        return _placed(made, self._place)

    def _field(self, template: gast.AST, field: str) -> Any:
        value = getattr(template, field)
        if isinstance(value, str):
            is_text = isinstance(template, gast.Constant)
            return value if is_text else self._values.get(value, value)
        if isinstance(value, list):
            return self.items(value)
        return self._node(value) if isinstance(value, gast.AST) else value

    def _name(self, template: gast.AST) -> Any:
        value = self._values[template.id]
        if isinstance(value, str):
            renamed = gast.Name(value, template.ctx, None, None)
            return _placed(renamed, self._place)
        self._use_once(template.id)
        return value

    def _statement(self, template: gast.AST) -> Any:
        """A placeholder that is a whole statement may be a statement, or several."""
        value = self._node(template.value)
        if isinstance(value, (list, tuple, gast.stmt)):
            return value
        return _placed(gast.Expr(value), self._place)

    def _keywords(self, template: gast.AST) -> Any:
        value = self._node(template.value)
        if isinstance(value, (list, tuple)):
            return value
        return _placed(gast.keyword(None, value), self._place)

    def _dropped_if_empty(self, node: gast.AST) -> Any:
        is_declaration = isinstance(node, (gast.Nonlocal, gast.Global))
        return [] if is_declaration and not node.names else node

    def _use_once(self, placeholder: str) -> None:
        if placeholder in self._used:
            raise ValueError(f"{placeholder} stands for a node and occurs twice in its template.")
        self._used.add(placeholder)
