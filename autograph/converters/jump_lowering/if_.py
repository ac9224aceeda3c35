"""Lowering of jumps out of `if`: the rest of its block moves into the arm that reaches it.

Where both arms reach it, it stands after the `if` under a guard, and jumps become flags.
"""

from __future__ import annotations

import gast

from autograph.analysis.jumps import NO_JUMPS, Kinds
from autograph.analysis.support import DEEPEST, is_static_test
from autograph.converters.jump_lowering.routes import Exit, Pending, Route, Routes
from autograph.converters.jump_lowering.walk import LOOP_JUMPS, Block, JumpLowering, Lowered
from autograph.source.quote import constant, make


def lower_if(
    walk: JumpLowering, node: gast.AST, rest: Block, routes: Routes, tail: Kinds
) -> Lowered:
    """Lower the jumps out of an `if`, and the rest of its block."""
    kinds = walk.jumps.out_of(node)
    is_staged = converts_if(walk, node) and not (kinds and walk.leaves_finally(rest))
    if is_staged:
        walk.lowered.staged.add(node)
    if not kinds:
        _arms(walk, node, routes, NO_JUMPS, is_staged)
        return walk.followed([node], Pending(), rest, routes, tail)
    if not is_staged and all(routes[kind].exit is not Exit.FALL for kind in kinds):
        pending = _arms(walk, node, routes, NO_JUMPS if rest else tail, False)
        return walk.followed([node], pending, rest, routes, tail)
    rest = _merged(walk, node, rest, routes)
    if not rest and is_staged:
        return _last_if(walk, node, routes, tail)
    return _flagged_if(walk, node, rest, routes, tail, is_staged)


def _merged(walk: JumpLowering, node: gast.AST, rest: Block, routes: Routes) -> Block:
    """Move the rest into the arm that reaches it; return what cannot be moved."""
    body_ends, orelse_ends = walk.jumps.ends(node.body), walk.jumps.ends(node.orelse)
    if body_ends and orelse_ends:
        return []
    if body_ends:
        node.orelse = [*node.orelse, *rest]
        return []
    if orelse_ends:
        node.body = [*node.body, *rest]
        return []
    if rest and _is_trivial_return(rest[0]) and routes["return"].exit is Exit.VALUE:
        node.body = [*node.body, rest[0]]
        node.orelse = [*node.orelse, _copy_return(rest[0])]
        return []
    return rest


def _last_if(walk: JumpLowering, node: gast.AST, routes: Routes, tail: Kinds) -> Lowered:
    """An `if` that nothing follows in its block: its arms are left by leaving a function."""
    kinds = walk.jumps.out_of_block(node.body) | walk.jumps.out_of_block(node.orelse)
    closed = walk.jumps.ends(node.body) and walk.jumps.ends(node.orelse)
    is_value = "return" in kinds and routes["return"].exit is Exit.VALUE
    if not (closed or kinds <= tail) or any(routes[k].exit is Exit.FALL for k in kinds):
        return _flagged_if(walk, node, [], routes, tail, True)
    if is_value:
        return _tail_if(walk, node, routes)
    inner = {kind: Route(Exit.RETURN, route.flags, route.resets) for kind, route in routes.items()}
    _arms(walk, node, inner, kinds, True)
    if kinds <= tail:
        return [node], Pending(), []
    kind = next(iter(kinds))
    leave = gast.Return if routes[kind].exit is Exit.RETURN else LOOP_JUMPS[kind]
    return [node, make(leave, at=node)], Pending(), []


def _tail_if(walk: JumpLowering, node: gast.AST, routes: Routes) -> Lowered:
    _arms(walk, node, routes, frozenset({"return"}), True)
    for arm in (node.body, node.orelse):
        if not _returns(walk, arm):
            nothing = constant(None, at=node)
            arm.append(make(gast.Return, at=nothing, value=nothing))
    walk.lowered.tails.add(node)
    return [node], Pending(), []


def _returns(walk: JumpLowering, arm: Block) -> bool:
    return bool(arm) and (arm[-1] in walk.lowered.tails or walk.jumps.ends(arm[-1:]))


def _flagged_if(
    walk: JumpLowering, node: gast.AST, rest: Block, routes: Routes, tail: Kinds, is_staged: bool
) -> Lowered:
    kinds = walk.jumps.out_of_block(node.body) | walk.jumps.out_of_block(node.orelse)
    inner, fresh = walk.flagged(routes, kinds) if is_staged else (dict(routes), ())
    pending = _arms(walk, node, inner, NO_JUMPS, is_staged)
    pending = pending | Pending({}, fresh)
    return walk.followed([node], pending, rest, routes, tail)


def _arms(
    walk: JumpLowering, node: gast.AST, routes: Routes, tail: Kinds, is_staged: bool
) -> Pending:
    walk.depth += is_staged
    node.body, first = walk.block(node.body, routes, tail)
    node.orelse, second = walk.block(node.orelse, routes, tail)
    walk.depth -= is_staged
    if is_staged and node.orelse and not node.body:
        _turn_round(node)
    node.body = node.body or [make(gast.Pass, at=node)]
    return first | second


def converts_if(walk: JumpLowering, node: gast.AST) -> bool:
    """Whether an `if` will be converted, as far as it does not depend on what follows it."""
    if walk.depth >= DEEPEST or is_static_test(node.test, walk.names):
        return False
    if walk.finallies and walk.jumps.out_of(node):
        return False
    return not walk.leaves_finally([node])


def _turn_round(node: gast.AST) -> None:
    """Write `if c: pass else: rest` as `if not c: rest`."""
    node.body, node.orelse = node.orelse, []
    if isinstance(node.test, gast.UnaryOp) and isinstance(node.test.op, gast.Not):
        node.test = node.test.operand
    else:
        node.test = make(gast.UnaryOp, at=node.test, op=gast.Not(), operand=node.test)


def _is_trivial_return(node: gast.AST) -> bool:
    """Whether a statement may as well stand twice: `return`, `return x`, `return 0`."""
    if not isinstance(node, gast.Return):
        return False
    return node.value is None or isinstance(node.value, (gast.Name, gast.Constant))


def _copy_return(node: gast.AST) -> gast.AST:
    value = node.value
    if isinstance(value, gast.Name):
        value = make(gast.Name, at=value, id=value.id)
    elif isinstance(value, gast.Constant):
        value = constant(value.value, at=value)
    return make(gast.Return, at=node, value=value)
