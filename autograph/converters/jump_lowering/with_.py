"""Jumps out of `with`, which stays: its block is lowered in place.

An error in an `__exit__` calls off the jump that led there.
"""

from __future__ import annotations

import gast

from autograph.analysis.jumps import NO_JUMPS, Kinds
from autograph.converters.jump_lowering.flags import flags_set, flags_set_before_cleanup
from autograph.converters.jump_lowering.routes import Routes
from autograph.converters.jump_lowering.walk import Block, JumpLowering, Lowered
from autograph.source.quote import make, quote


def lower_with(
    walk: JumpLowering, node: gast.AST, rest: Block, routes: Routes, tail: Kinds
) -> Lowered:
    """Lower the jumps out of a `with`, and the rest of its block."""
    inner = NO_JUMPS if rest else tail
    node.body, pending = walk.block(node.body, routes, inner)
    node.body = node.body or [make(gast.Pass, at=node)]
    _reset_if_swallowed(walk, node)
    return walk.followed([node], pending, rest, routes, tail)


def _reset_if_swallowed(walk: JumpLowering, node: gast.AST) -> None:
    """An error on the way out of something inside calls off the jump, if it is swallowed.

    In `with a, b` that may be the way out of `b`: it is written as two.
    """
    if len(node.items) > 1 and flags_set(node.body, walk.flag_names()):
        inner = make(gast.With, at=node, items=node.items[1:], body=node.body)
        node.items, node.body = node.items[:1], [inner]
        _reset_if_swallowed(walk, inner)
    flags = flags_set_before_cleanup(node.body, walk.flag_names())
    if not flags:
        return
    resets = [walk.assign(flag, False, node) for flag in flags]
    template = "try:\n    BODY\nexcept BaseException:\n    RESETS\n    raise"
    node.body = quote(template, at=node, BODY=node.body, RESETS=resets)
