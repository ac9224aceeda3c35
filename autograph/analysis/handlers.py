"""The names that handlers give exceptions: which of them belong to handlers alone.

In: a function. Out: such names. Python unbinds a handler's name where the handler ends; a name that
is read in its handlers only may as well be the parameter of a function made of each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import gast

_FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef)
_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
# Functions that may run later than they are made.
_DEFERRED = (gast.Lambda, gast.FunctionDef, gast.AsyncFunctionDef, gast.GeneratorExp, gast.ClassDef)


def own_names(function: gast.AST) -> frozenset[str]:
    """Return the names that are read in the handlers that bind them only, and bound nowhere else.

    A handler inside another one of the same name leaves both without it.

    Example:
        >>> text = "try: g()\\nexcept A as e: print(e)\\nexcept B as x: pass\\nx = 1"
        >>> own_names(gast.parse(text))
        frozenset({'e'})
    """
    handlers: dict[str, list[gast.AST]] = {}
    for node in _own_nodes(function):
        if isinstance(node, gast.ExceptHandler) and node.name is not None:
            handlers.setdefault(handler_name(node), []).append(node)
    return frozenset(name for name, found in handlers.items() if _is_own(name, found, function))


def _own_nodes(function: gast.AST) -> Iterator[gast.AST]:
    """Yield a function and the nodes in it that are not in functions or comprehensions inside."""
    todo = [function]
    while todo:
        node = todo.pop()
        yield node
        inner = gast.iter_child_nodes(node)
        todo += [x for x in inner if not isinstance(x, (*_FUNCTIONS, *_COMPREHENSIONS))]


def _binds(function: gast.AST, name: str) -> bool:
    """Tell whether a name is a variable of a function's own, by a handler or in another way."""
    scopes = (x for x in gast.walk(function) if isinstance(x, (gast.Global, gast.Nonlocal)))
    if any(name in x.names for x in scopes):
        return False
    return any(
        handler_name(x) == name
        if isinstance(x, gast.ExceptHandler)
        else isinstance(x, gast.Name) and x.id == name and not isinstance(x.ctx, gast.Load)
        for x in _own_nodes(function)
        if not isinstance(x, gast.ExceptHandler) or x.name is not None
    )


def _is_own(name: str, handlers: list[gast.AST], function: gast.AST) -> bool:
    inside = sum((_reads(handler.body, name) for handler in handlers), Counter[str]())
    everywhere = _reads(function.body, name)
    inner = (x for handler in handlers for part in handler.body for x in gast.walk(part))
    is_nested = any(x in handlers for x in inner)
    is_read = inside == everywhere and everywhere.keys() <= {"read"}
    return is_read and not is_nested and not name.startswith("__")


def _reads(block: list[gast.AST], name: str) -> Counter[str]:
    """Count how a name occurs, but for names of handlers: read here, or in any other way."""
    found = Counter[str]()
    todo = list(block)
    while todo:
        node = todo.pop()
        if isinstance(node, _FUNCTIONS) and node.name != name and _binds(node, name):
            todo += [
                *node.decorator_list,
                *node.args.defaults,
                *filter(None, node.args.kw_defaults),
            ]
            continue
        names = [getattr(node, x, None) for x in ("name", "id", "arg", "rest", "asname")]
        names += node.names if isinstance(node, (gast.Global, gast.Nonlocal)) else []
        if name in names and not isinstance(node, (gast.ExceptHandler, gast.Attribute)):
            is_read = isinstance(node, gast.Name) and isinstance(node.ctx, gast.Load)
            found["read" if is_read else "other"] += 1
        skipped = isinstance(node, gast.ExceptHandler) and not isinstance(node.name, str)
        todo += [x for x in gast.iter_child_nodes(node) if not (skipped and x is node.name)]
        if isinstance(node, _DEFERRED) and _reads_inside(node, name):
            found["other"] += 1
    return found


def _reads_inside(node: gast.AST, name: str) -> bool:
    parts = (x for x in gast.walk(node) if x is not node)
    return any(isinstance(x, gast.Name) and x.id == name for x in parts)


def handler_name(handler: gast.AST) -> str:
    """Return the name that a handler gives the exception, or nothing."""
    name = handler.name
    return name if isinstance(name, str) else getattr(name, "id", "")
