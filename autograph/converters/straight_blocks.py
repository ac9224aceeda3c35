"""Straightening of `with` and `try`, which stay: their blocks are straightened in place.

Flags say that a jump is under way; an error in a `finally` or an `__exit__` calls the jump off.
"""

from __future__ import annotations

import gast

from autograph.analysis.jumps import NO_JUMPS, Kinds
from autograph.converters.straightener import Block, Straightened, Straightener
from autograph.converters.ways import Pending, Ways, joined
from autograph.source.quote import make, quote


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
    found = [_try_body(s, node, ways, inner)]
    for handler in node.handlers:
        body, pending = s.block(handler.body, ways, inner)
        handler.body = body or [make(gast.Pass, at=handler)]
        found.append(pending)
    _reset_flags(s, node)
    _finally(s, node, ways)
    return s.followed([node], joined(found), rest, ways, tail)


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
