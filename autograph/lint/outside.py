"""Rules on what a staged function reads and writes outside of itself, and how it is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograph.lint.names import own_nodes, parameters_of, path_of, root_of
from autograph.lint.rule import Found
from autograph.lint.staged import Staged


def stale_globals(function: Staged) -> Found:
    """A variable of the module that is assigned again elsewhere."""
    seen: set[str] = set()
    for node in function.nodes:
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            continue
        line = function.module.rebound.get(node.id)
        if line and node.id not in function.names | function.outer | seen:
            seen.add(node.id)
            yield node, f"`{node.id}` is read while tracing, and assigned again in line {line}"


def stale_attributes(function: Staged) -> Found:
    """An attribute of self that other methods assign."""
    owner = function.module.classes.get(function.node)
    parameters = parameters_of(function.node)
    if owner is None or not parameters:
        return
    assigned = _assigned_attributes(owner, function)
    own = {x.attr for x in _attributes(function.node, parameters[0].arg) if _is_stored(x)}
    for node in _attributes(function.node, parameters[0].arg):
        if node.attr in assigned and node.attr not in own and not _is_stored(node):
            method, line = assigned[node.attr]
            yield (
                node,
                (
                    f"`{ast.unparse(node)}` is read while tracing, and {method} assigns it in "
                    f"line {line}"
                ),
            )


def assigned_outside(function: Staged) -> Found:
    """A global or nonlocal variable that is assigned, unless an `ag.Variable` is created for it."""
    made: set[ast.AST] = set()
    for node in function.nodes:
        if isinstance(node, ast.Assign) and any(map(function.makes_variable, ast.walk(node.value))):
            made.update(node.targets)
    for node in function.nodes:
        if node in made:
            continue
        if not isinstance(node, ast.Name | ast.Attribute) or isinstance(node.ctx, ast.Load):
            continue
        if isinstance(node, ast.Name) and node.id in function.outer:
            yield node, f"`{node.id}` is assigned, which belongs to what is outside"
        elif isinstance(node, ast.Attribute) and root_of(node) in _made_outside(function):
            yield node, f"`{ast.unparse(node)}` is assigned, whose object was made outside"


def _made_outside(function: Staged) -> frozenset[str]:
    """The parameters, except for the object that `__init__` is about to make."""
    names = [parameter.arg for parameter in parameters_of(function.node)]
    return frozenset(names[function.node.name == "__init__" :])


def varying_scalars(function: Staged) -> Found:
    """A decorated function that is called with different Python numbers."""
    name = function.node.name
    if not function.is_decorated or function.module.functions.get(name) is not function.node:
        return
    seen: dict[object, ast.Constant] = {}
    for call, numbers in _calls_of(name, function.module.tree):
        for key, value in _arguments(call):
            if isinstance(value, ast.Name) and value.id in numbers:
                yield value, f"`{value.id}` is another Python number in each round"
            elif isinstance(value, ast.Constant) and _is_number(value.value):
                first = seen.setdefault(key, value)
                if first.value != value.value:
                    what = f"`{ast.unparse(value)}` is another Python number than"
                    yield value, f"{what} `{ast.unparse(first)}` in line {first.lineno}"


def mutable_defaults(function: Staged) -> Found:
    """A default that is a list, dict or set."""
    arguments = function.node.args
    for default in filter(None, (*arguments.defaults, *arguments.kw_defaults)):
        made = path_of(default.func) if isinstance(default, ast.Call) else ""
        if isinstance(default, ast.List | ast.Dict | ast.Set) or made in ("list", "dict", "set"):
            yield default, f"the default `{ast.unparse(default)}` is one object for all calls"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | complex) and not isinstance(value, bool)


def _arguments(call: ast.Call) -> Iterator[tuple[object, ast.expr]]:
    yield from enumerate(call.args)
    yield from ((word.arg, word.value) for word in call.keywords if word.arg)


def _calls_of(name: str, tree: ast.AST) -> Iterator[tuple[ast.Call, frozenset[str]]]:
    """Yield the calls of a function, with the variables of loops over ranges around them."""
    stack: list[tuple[ast.AST, frozenset[str]]] = [(tree, frozenset())]
    while stack:
        node, numbers = stack.pop()
        if isinstance(node, ast.Call) and path_of(node.func) == name:
            yield node, numbers
        if isinstance(node, ast.For):
            numbers |= _numbers(node)
        stack += [(part, numbers) for part in reversed(list(ast.iter_child_nodes(node)))]


def _numbers(loop: ast.For) -> frozenset[str]:
    called = path_of(loop.iter.func) if isinstance(loop.iter, ast.Call) else ""
    target = loop.target
    if called == "enumerate" and isinstance(target, ast.Tuple):
        target = target.elts[0]
    found = called in ("range", "enumerate") and isinstance(target, ast.Name)
    return frozenset({target.id}) if found and isinstance(target, ast.Name) else frozenset()


def _assigned_attributes(owner: ast.ClassDef, function: Staged) -> dict[str, tuple[str, int]]:
    """Return which attributes other methods than `__init__` assign, and where."""
    found: dict[str, tuple[str, int]] = {}
    for method in owner.body:
        if not isinstance(method, ast.FunctionDef) or method is function.node:
            continue
        parameters = parameters_of(method)
        if method.name == "__init__" or not parameters:
            continue
        for node in _attributes(method, parameters[0].arg):
            if _is_stored(node):
                found.setdefault(node.attr, (method.name, node.lineno))
    return found


def _attributes(method: ast.AST, receiver: str) -> Iterator[ast.Attribute]:
    for node in own_nodes(method):
        if isinstance(node, ast.Attribute) and path_of(node.value) == receiver:
            yield node


def _is_stored(node: ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)
