"""Lowering of jumps out of loops: their body becomes a function that `continue` and `break` leave.

`break` and `return` set a flag that the loop asks after each round; `else` is guarded by it.
"""

from __future__ import annotations

import gast

from autograph.analysis.jumps import NO_JUMPS, Kinds
from autograph.analysis.support import DEEPEST, is_static_iterable, is_static_test
from autograph.converters.jump_lowering.routes import Exit, Pending, Route, Routes
from autograph.converters.jump_lowering.walk import Block, JumpLowering, Lowered
from autograph.source.quote import make


def lower_loop(
    walk: JumpLowering, node: gast.AST, rest: Block, routes: Routes, tail: Kinds
) -> Lowered:
    """Lower the jumps out of a loop, and the rest of its block."""
    if _is_staged_loop(walk, node, routes):
        return _staged_loop(walk, node, rest, routes, tail)
    inner = {**routes, "break": Route(Exit.JUMP), "continue": Route(Exit.JUMP)}
    body, _ = walk.block(node.body, inner, frozenset({"continue"}))
    node.body = body or [make(gast.Pass, at=node)]
    node.orelse, pending = walk.block(node.orelse, routes, NO_JUMPS if rest else tail)
    return walk.followed([node], pending, rest, routes, tail)


def _staged_loop(
    walk: JumpLowering, node: gast.AST, rest: Block, routes: Routes, tail: Kinds
) -> Lowered:
    kinds = walk.jumps.out_of_block(node.body)
    walk.loops += 1
    stop = (walk.flag("stop", walk.loops),) if "break" in kinds else ()
    outer, fresh = walk.flagged(routes, kinds & {"return"})
    returned = outer["return"].flags if "return" in kinds else ()
    inner = {
        "continue": Route(Exit.RETURN),
        "break": Route(Exit.RETURN, stop),
        "return": Route(Exit.RETURN, (*returned, *stop)),
    }
    _note_loop(walk, node, inner, kinds)
    pending = Pending()
    if "return" in kinds:
        certain = walk.jumps.is_endless(node)
        pending = Pending({"return": outer["return"]}, fresh, certain)
    rest = _orelse_taken(walk, node, stop) + rest
    _loop_body(walk, node, inner)
    walk.loops -= 1
    start = [walk.assign(flag, False, node) for flag in stop]
    return walk.followed([*start, node], pending, rest, routes, tail)


def _note_loop(walk: JumpLowering, node: gast.AST, routes: Routes, kinds: Kinds) -> None:
    walk.lowered.staged.add(node)
    for kind in ("break", "return"):
        if kind in kinds:
            walk.lowered.until.setdefault(node, routes[kind].flags[0])


def _loop_body(walk: JumpLowering, node: gast.AST, routes: Routes) -> None:
    walk.depth += 1
    body, _ = walk.block(node.body, routes, frozenset(routes))
    walk.depth -= 1
    node.body = body or [make(gast.Pass, at=node)]


def _orelse_taken(walk: JumpLowering, node: gast.AST, stop: tuple[str, ...]) -> Block:
    """The `else` of a loop becomes a statement after it, guarded if there is a `break`."""
    orelse, node.orelse = node.orelse, []
    if not orelse or not stop:
        return list(orelse)
    return [walk.unless(stop, orelse)]


def _is_staged_loop(walk: JumpLowering, node: gast.AST, routes: Routes) -> bool:
    kinds = walk.jumps.out_of(node)
    if any(routes[kind].exit is Exit.FALL for kind in kinds & {"return"}):
        return True
    if walk.finallies and kinds:
        return False
    return walk.depth < DEEPEST and converts_loop(walk, node)


def converts_loop(walk: JumpLowering, node: gast.AST) -> bool:
    """Whether its rounds may depend on a tensor, by its header or by a jump out of it.

    After `if c: continue` the rest of the round depends on `c`, and so do its jumps.
    """
    if isinstance(node, gast.While):
        if walk.jumps.is_endless(node) and not walk.jumps.out_of(node):
            return True  # an exception ends it, which may depend on a tensor
        is_static = is_static_test(node.test, walk.names)
    else:
        is_static = is_static_iterable(node.iter, walk.is_local)
    if not is_static or not walk.jumps_from_converted(node.body):
        return not is_static
    return bool(walk.jumps.out_of_block(node.body) & {"break", "return"})
