"""The last step before a tree is compiled: attributes are asked for, and writes record themselves.

In: a rewritten function, as a tree of `ast`, and the name of the operators. Out: the same function
in which what is about to be written is told to the operators first. The text that people read does
not have these calls, and means the same.

    o.a, o.__dict__         ->  ag.attribute(o, 'a'), ag.whole(o).__dict__
    o.a = v, del o.a        ->  ag.assigned(o, 'o').a = v, del ag.deleted(o, 'o', 'a').a
    x[i] = v, x[i] += v     ->  ag.written(x, 'x')[i] = v, ag.written(x, 'x')[i] += v
    x[i]                    ->  ag.looked_up(x)[i]      (a `defaultdict` gets a new item by it)
    x += v                  ->  ag.written(x, 'x'); x += v
    [a, b], {a: b}          ->  ag.new([a, b]), ag.new({a: b})
    a, b = x; [*x]          ->  a, b = ag.taken(x); [*ag.taken(x)]
    with x:                 ->  with ag.entered(x):
"""

from __future__ import annotations

import ast
from typing import Any

Display = (ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)


def recorded(node: ast.stmt, operators: str, class_name: str | None = None) -> ast.stmt:
    """Return a function whose writes record themselves; the tree is changed.

    Args:
        node: a definition, or a statement that is a lambda.
        operators: the name of the operators in it.
        class_name: the class whose name mangles private names.

    Example:
        >>> tree = ast.parse("def f(o): o.a = []")
        >>> print(ast.unparse(recorded(tree.body[0], "ag")))
        def f(o):
            ag.assigned(o, 'o').a = ag.new([])
    """
    found: ast.stmt = _Recorder(operators, node, class_name).visit(node)
    return found


class _Recorder(ast.NodeTransformer):
    """Leaves generators and coroutines inside of a function as they are, as converters do."""

    def __init__(self, operators: str, root: ast.stmt, class_name: str | None) -> None:
        self._operators = operators
        self._root = root
        self._class_name = class_name

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node if node is not self._root and _suspends(node) else self._inside(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        return self._inside(node) if node is self._root else node

    def _inside(self, node: ast.stmt) -> ast.stmt:
        self.generic_visit(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        around, self._class_name = self._class_name, node.name
        self.generic_visit(node)
        self._class_name = around
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if _is_operator(node, self._operators):
            return node
        called = _named(node.value, self._operators)
        self.generic_visit(node)
        name = ast.copy_location(ast.Constant(mangled(node.attr, self._class_name)), node)
        if isinstance(node.ctx, ast.Store):
            node.value = self._call("assigned", node.value, called)
        elif isinstance(node.ctx, ast.Del):
            node.value = self._call("deleted", node.value, called, name)
        elif node.attr == "__dict__":
            node.value = self._call("whole", node.value)
        else:
            return ast.copy_location(self._call("attribute", node.value, name), node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        called = _named(node.value, self._operators)
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = self._call("looked_up", node.value)
        else:
            node.value = self._call("written", node.value, called)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        held = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        told = ast.Expr(self._call("written", held, _named(held, self._operators)))
        return [ast.copy_location(told, node), node]

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        self.generic_visit(node)
        takes_apart = any(isinstance(x, (ast.Tuple, ast.List)) for x in node.targets)
        if takes_apart and not isinstance(node.value, ast.Tuple):
            node.value = self._call("taken", node.value)
        return node

    def visit_Starred(self, node: ast.Starred) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = self._call("taken", node.value)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.iter = self._call("taken", node.iter)
        return node

    def visit_withitem(self, node: ast.withitem) -> ast.withitem:
        self.generic_visit(node)
        node.context_expr = self._call("entered", node.context_expr)
        return node

    def visit(self, node: ast.AST) -> Any:
        found = super().visit(node)
        if isinstance(node, Display) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return self._call("new", found)
        return found

    def _call(self, name: str, *arguments: ast.expr) -> ast.expr:
        at = arguments[0]
        operators = ast.copy_location(ast.Name(self._operators, ast.Load()), at)
        operator = ast.copy_location(ast.Attribute(operators, name, ast.Load()), at)
        return ast.copy_location(ast.Call(operator, list(arguments), []), at)


def mangled(name: str, class_name: str | None) -> str:
    """Return the name that an attribute has in a class, as Python makes it of a private one.

    >>> mangled("__size", "_Box"), mangled("__size__", "_Box"), mangled("size", "_Box")
    ('_Box__size', '__size__', 'size')
    """
    hidden = (class_name or "").lstrip("_")
    is_private = name.startswith("__") and not name.endswith("__")
    return f"_{hidden}{name}" if is_private and hidden else name


def _suspends(node: ast.FunctionDef) -> bool:
    """Tell whether a function is a generator."""
    todo: list[ast.AST] = [*node.body]
    while todo:
        part = todo.pop()
        if isinstance(part, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            todo.extend(ast.iter_child_nodes(part))
    return False


def _is_operator(node: ast.expr, operators: str) -> bool:
    is_one = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return is_one and node.value.id == operators  # type: ignore[attr-defined]


def _named(node: ast.expr, operators: str) -> ast.expr:
    """Return what messages call what an expression holds."""
    text = _path(node, operators) or ""
    return ast.copy_location(ast.Constant(text), node)


def _path(node: ast.expr, operators: str) -> str | None:
    """Return the text of a variable, or of attributes and items of one; None of all else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        path = _path(node.value, operators)
        return path and f"{path}.{node.attr}"
    if isinstance(node, ast.Call) and ast.unparse(node.func) == f"{operators}.get_item":
        path = _path(node.args[0], operators)
        return path and f"{path}[{ast.unparse(node.args[1])}]"
    return None
