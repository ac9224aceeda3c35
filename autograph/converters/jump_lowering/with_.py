"""Jumps out of `with`: its block is lowered in place, and becomes a function, or stays.

An error in an `__exit__` calls off the jump that led there.
"""

from __future__ import annotations

import gast

from autograph.analysis.jumps import NO_JUMPS, Kinds
from autograph.analysis.support import DEEPEST
from autograph.converters.jump_lowering.flags import flags_set, flags_set_before_cleanup
from autograph.converters.jump_lowering.routes import Pending, Routes
from autograph.converters.jump_lowering.try_ import may_fail
from autograph.converters.jump_lowering.walk import Block, JumpLowering, Lowered
from autograph.source.quote import make, quote


def lower_with(
    walk: JumpLowering, node: gast.AST, rest: Block, routes: Routes, tail: Kinds
) -> Lowered:
    """Lower the jumps out of a `with`, and the rest of its block."""
    inner, outer = NO_JUMPS if rest else tail, routes
    fresh: tuple[str, ...] = ()
    kinds = walk.jumps.out_of(node)
    is_staged = converts_with(walk, node)
    if is_staged:
        walk.lowered.staged.add(node)
        _split(node)
        inner = NO_JUMPS
        if kinds:
            routes, fresh = walk.flagged(routes, kinds)
    walk.depth += is_staged
    node.body, pending = walk.block(node.body, routes, inner)
    walk.depth -= is_staged
    node.body = node.body or [make(gast.Pass, at=node)]
    _reset_if_swallowed(walk, node)
    return walk.followed([node], pending | Pending({}, fresh), rest, outer, tail)


def converts_with(walk: JumpLowering, node: gast.AST) -> bool:
    """Whether a `with` will be converted: its body may fail in a graph, which `__exit__` sees."""
    if walk.depth >= DEEPEST or walk.leaves_finally([node]):
        return False
    if walk.finallies and walk.jumps.out_of(node):
        return False
    return may_fail(node.body)


def _split(node: gast.AST) -> None:
    """Write `with a, b` as two statements."""
    if len(node.items) > 1:
        inner = make(gast.With, at=node, items=node.items[1:], body=node.body)
        node.items, node.body = node.items[:1], [inner]


def _reset_if_swallowed(walk: JumpLowering, node: gast.AST) -> None:
    """An error on the way out of something inside calls off the jump, if it is swallowed.

    In `with a, b` that may be the way out of `b`.
    """
    if len(node.items) > 1 and flags_set(node.body, walk.flag_names()):
        _split(node)
        _reset_if_swallowed(walk, node.body[0])
    flags = flags_set_before_cleanup(node.body, walk.flag_names())
    if not flags:
        return
    resets = [walk.assign(flag, False, node) for flag in flags]
    template = "try:\n    BODY\nexcept BaseException:\n    RESETS\n    raise"
    node.body = quote(template, at=node, BODY=node.body, RESETS=resets)
