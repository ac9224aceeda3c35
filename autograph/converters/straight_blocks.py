"""Straightening of `with`, which stays, and `try`: their blocks are straightened in place.

Flags say that a jump is under way; an error in a `finally` or an `__exit__` calls the jump off.
"""

from __future__ import annotations

import builtins
from collections import Counter

import gast

from autograph.analysis.jumps import NO_JUMPS, Kinds
from autograph.analysis.support import DEEPEST
from autograph.converters.straightener import Block, Straightened, Straightener
from autograph.converters.ways import Pending, Ways, joined
from autograph.source.quote import make, quote

# What no op of a graph raises; it is staged only where the body says `raise`.
_OF_FILES = {
    name for name, x in vars(builtins).items() if isinstance(x, type) and issubclass(x, OSError)
}
_NEVER_STAGED = _OF_FILES | {
    "EOFError",
    "GeneratorExit",
    "ImportError",
    "KeyboardInterrupt",
    "MemoryError",
    "ModuleNotFoundError",
    "RecursionError",
    "StopAsyncIteration",
    "StopIteration",
    "SystemExit",
}
# What may fail when a graph runs, and functions that may run later than they are made.
_FAILING = (gast.Raise, gast.Assert, gast.Call, gast.Subscript, gast.BinOp)
_DEFERRED = (gast.Lambda, gast.FunctionDef, gast.AsyncFunctionDef, gast.GeneratorExp, gast.ClassDef)


def straighten_with(
    s: Straightener, node: gast.AST, rest: Block, ways: Ways, tail: Kinds
) -> Straightened:
    """Straighten a `with` and the rest of its block."""
    inner = NO_JUMPS if rest else tail
    node.body, pending = s.block(node.body, ways, inner)
    node.body = node.body or [make(gast.Pass, at=node)]
    _reset_if_swallowed(s, node)
    return s.followed([node], pending, rest, ways, tail)


def _reset_if_swallowed(s: Straightener, node: gast.AST) -> None:
    """An error on the way out of something inside calls off the jump, if it is swallowed.

    In `with a, b` that may be the way out of `b`: it is written as two.
    """
    if len(node.items) > 1 and _flags_set(node.body, s.flag_names()):
        inner = make(gast.With, at=node, items=node.items[1:], body=node.body)
        node.items, node.body = node.items[:1], [inner]
        _reset_if_swallowed(s, inner)
    flags = _flags_set_before_cleanup(node.body, s.flag_names())
    if not flags:
        return
    resets = [s.assign(flag, False, node) for flag in flags]
    template = "try:\n    BODY\nexcept BaseException:\n    RESETS\n    raise"
    node.body = quote(template, at=node, BODY=node.body, RESETS=resets)


def straighten_try(
    s: Straightener, node: gast.AST, rest: Block, ways: Ways, tail: Kinds
) -> Straightened:
    """Straighten a `try` and the rest of its block."""
    inner = NO_JUMPS if rest else tail
    outer = ways
    fresh: tuple[str, ...] = ()
    is_staged = is_staged_try(s, node)
    if is_staged:
        s.straight.staged.add(node)
        inner = NO_JUMPS
        if s.jumps.out_of(node):
            ways, fresh = s.flagged(ways, s.jumps.out_of(node))
    s.depth += is_staged
    found = [_try_body(s, node, ways, inner)]
    for handler in node.handlers:
        body, pending = s.block(handler.body, ways, inner)
        handler.body = body or [make(gast.Pass, at=handler)]
        found.append(pending)
    _reset_flags(s, node)
    _finally(s, node, ways)
    s.depth -= is_staged
    return s.followed([node], joined([*found, Pending({}, fresh)]), rest, outer, tail)


def is_staged_try(s: Straightener, node: gast.AST) -> bool:
    """Whether a `try` will be converted: its body may fail in a graph, and its names allow it."""
    if not isinstance(node, gast.Try) or s.depth >= DEEPEST or s.jumps.out_of_block(node.finalbody):
        return False
    if s.leaves_finally([node]) or (s.finallies and s.jumps.out_of(node)):
        return False
    parts = [x for statement in node.body for x in gast.walk(statement)]
    if not any(isinstance(x, _FAILING) for x in parts):
        return False
    if not node.finalbody and not any(isinstance(x, gast.Raise) for x in parts):
        names = [x for handler in node.handlers for x in _names(handler.type)]
        if all(name in _NEVER_STAGED and not s.is_local(name) for name in names):
            return False
    types = [x for handler in node.handlers if handler.type for x in gast.walk(handler.type)]
    is_plain = not any(isinstance(x, gast.NamedExpr) for x in types)
    return is_plain and all(_is_own_name(s, handler) for handler in node.handlers)


def _names(classes: gast.AST | None) -> list[str]:
    """Return the names of the classes that a handler catches; for others a text that is no name."""
    if isinstance(classes, gast.Tuple):
        return [name for item in classes.elts for name in _names(item)]
    return [classes.id if isinstance(classes, gast.Name) else ""]


def _is_own_name(s: Straightener, handler: gast.AST) -> bool:
    """Whether the name of a handler is read in such handlers only, and bound nowhere else."""
    if handler.name is None:
        return True
    name = handler_name(handler)
    if name.startswith("__"):
        return False
    inside = Counter[str]()
    for node in gast.walk(s.function):
        if isinstance(node, gast.ExceptHandler) and handler_name(node) == name:
            inside += _reads(node.body, name)
    everywhere = _reads(s.function.body, name)
    return inside == everywhere and everywhere.keys() <= {"read"}


def _reads(block: Block, name: str) -> Counter[str]:
    """Count how a name occurs, but for names of handlers: read here, or in any other way."""
    found = Counter[str]()
    todo = list(block)
    while todo:
        node = todo.pop()
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


def _try_body(s: Straightener, node: gast.AST, ways: Ways, tail: Kinds) -> Pending:
    node.body, pending = s.block(node.body, ways, NO_JUMPS if node.orelse else tail)
    node.body = node.body or [make(gast.Pass, at=node)]
    if not pending:
        node.orelse, after = s.block(node.orelse, ways, tail)
        return after
    if s.leaves_finally(node.orelse):
        orelse = [*s.leaving(pending, ways, node), *node.orelse]
        node.orelse, after = s.block(orelse, ways, tail)
        return pending | after
    guarded = {**ways, **pending.ways}
    node.orelse, after = s.guarded(node.orelse, pending, guarded, tail)
    return pending | after


def _finally(s: Straightener, node: gast.AST, ways: Ways) -> None:
    """A jump in `finally` calls off the jump that led there, and swallows exceptions.

    No flag can do that, so statements with such jumps are never converted.
    """
    if not node.finalbody:
        return
    called_off = _flags_set([*node.body, *node.handlers, *node.orelse], s.flag_names())
    inner = {kind: way.calling_off(*called_off) for kind, way in ways.items()}
    s.finallies += 1
    body, _ = s.block(node.finalbody, inner, NO_JUMPS)
    s.finallies -= 1
    node.finalbody = body or [make(gast.Pass, at=node)]


def _reset_flags(s: Straightener, node: gast.AST) -> None:
    """An error on the way out, in a `finally` or `__exit__`, calls off the jump, too."""
    flags = _flags_set_before_cleanup(node.body, s.flag_names())
    for handler in node.handlers:
        resets = [s.assign(flag, False, handler.body[0]) for flag in flags]
        handler.body = resets + handler.body


def _flags_set(block: Block, flags: set[str]) -> list[str]:
    """Return the flags that become true somewhere in a block, in order."""
    if not flags:
        return []
    nodes = [node for statement in block for node in gast.walk(statement)]
    assigns = [node for node in nodes if isinstance(node, gast.Assign)]
    names = [
        node.targets[0].id
        for node in assigns
        if isinstance(node.targets[0], gast.Name) and getattr(node.value, "value", None) is True
    ]
    return [name for name in dict.fromkeys(names) if name in flags]


def _flags_set_before_cleanup(block: Block, flags: set[str]) -> list[str]:
    """Return the flags set inside a `with` or `try ... finally` of a block."""
    if not flags:
        return []
    nodes = [node for statement in block for node in gast.walk(statement)]
    cleanups = [node for node in nodes if isinstance(node, gast.With) or _has_finally(node)]
    return _flags_set(cleanups, flags)


def _has_finally(node: gast.AST) -> bool:
    return isinstance(node, (gast.Try, gast.TryStar)) and bool(node.finalbody)
