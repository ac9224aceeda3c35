"""Which variables are a function's own: what its code binds and does not declare otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, TypeAlias

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def own_names(function: Function) -> set[str]:
    """Return the local variables of a function, its parameters among them.

    >>> text = "def f(a): global x; x = [(c := d) for d in a]; b = lambda z=(e := 1): 1"
    >>> tree = ast.parse(text)
    >>> sorted(own_names(tree.body[0]))
    ['a', 'b', 'c', 'e']
    """
    arguments = function.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    parameters += [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    bound = {parameter.arg for parameter in parameters}
    declared: set[str] = set()
    for node, binds in own_nodes(function.body):
        if isinstance(node, (ast.Nonlocal, ast.Global)):
            declared.update(node.names)
        elif isinstance(node, ast.NamedExpr):
            bound.add(node.target.id)
        elif binds:
            bound.update(_names(node))
    return bound - declared


def free_names(function: Function) -> set[str]:
    """Return what a function, or one inside it, reads that is no variable of its own.

    >>> text = "def f(a): b = [x for x in a if x > c]; return lambda d: b + d + e"
    >>> tree = ast.parse(text)
    >>> sorted(free_names(tree.body[0]))
    ['c', 'e']
    """
    return set().union(*map(_reads, function.body)) - own_names(function)


def _reads(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        around = [node.args, *node.decorator_list]
        return free_names(node).union(*map(_reads, around))
    found = set().union(*map(_reads, ast.iter_child_nodes(node)))
    if isinstance(node, ast.Lambda):
        return found - {x.arg for x in ast.walk(node.args) if isinstance(x, ast.arg)}
    if isinstance(node, _COMPREHENSIONS):
        targets = (x for part in node.generators for x in ast.walk(part.target))
        return found.difference(*map(_names, targets)) | _reads(node.generators[0].iter)
    return found


def own_nodes(block: list[ast.stmt]) -> Iterator[tuple[ast.AST, bool]]:
    """Yield a function's own nodes; those of comprehensions bind nothing of it, except by `:=`."""
    todo: list[tuple[ast.AST, bool]] = [(node, True) for node in block]
    while todo:
        node, binds = todo.pop()
        yield node, binds
        if isinstance(node, (*_DEFINITIONS, ast.Lambda)):
            todo += ((part, binds) for part in _evaluated_around(node))
            continue
        inside = binds and not isinstance(node, _COMPREHENSIONS)
        todo += ((part, inside) for part in ast.iter_child_nodes(node))


def _evaluated_around(node: Any) -> Iterator[ast.AST]:
    """Yield the parts of a definition that are evaluated in the function around it."""
    yield from getattr(node, "decorator_list", ())
    yield from getattr(node, "bases", ())
    yield from getattr(node, "keywords", ())
    if isinstance(node, ast.ClassDef):
        return
    yield from node.args.defaults
    yield from filter(None, node.args.kw_defaults)


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, ast.MatchMapping):
        yield from filter(None, [node.rest])
    elif isinstance(node, (*_DEFINITIONS, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        yield from filter(None, [node.name])
