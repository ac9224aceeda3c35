"""Straightening of `if`: the rest of its block moves into the arm that reaches it.

Where both arms reach it, it stands after the `if` under a guard, and jumps become flags.
"""

from __future__ import annotations

import gast

from autograph.analysis.jumps import NO_JUMPS, Kinds
from autograph.analysis.support import DEEPEST, is_static_test
from autograph.converters.straightener import LOOP_JUMPS, Block, Straightened, Straightener
from autograph.converters.ways import Leave, Pending, Way, Ways
from autograph.source.quote import constant, make


def straighten_if(
    s: Straightener, node: gast.AST, rest: Block, ways: Ways, tail: Kinds
) -> Straightened:
    """Straighten an `if` and the rest of its block."""
    kinds = s.jumps.out_of(node)
    is_staged = is_staged_if(s, node) and not (kinds and s.leaves_finally(rest))
    if is_staged:
        s.straight.staged.add(node)
    if not kinds:
        _arms(s, node, ways, NO_JUMPS, is_staged)
        return s.followed([node], Pending(), rest, ways, tail)
    if not is_staged and all(ways[kind].leave is not Leave.FALL for kind in kinds):
        pending = _arms(s, node, ways, NO_JUMPS if rest else tail, False)
        return s.followed([node], pending, rest, ways, tail)
    rest = _merged(s, node, rest, ways)
    if not rest and is_staged:
        return _last_if(s, node, ways, tail)
    return _flagged_if(s, node, rest, ways, tail, is_staged)


def _merged(s: Straightener, node: gast.AST, rest: Block, ways: Ways) -> Block:
    """Move the rest into the arm that reaches it; return what cannot be moved."""
    body_ends, orelse_ends = s.jumps.ends(node.body), s.jumps.ends(node.orelse)
    if body_ends and orelse_ends:
        return []
    if body_ends:
        node.orelse = [*node.orelse, *rest]
        return []
    if orelse_ends:
        node.body = [*node.body, *rest]
        return []
    if rest and _is_trivial_return(rest[0]) and ways["return"].leave is Leave.VALUE:
        node.body = [*node.body, rest[0]]
        node.orelse = [*node.orelse, _copy_return(rest[0])]
        return []
    return rest


def _last_if(s: Straightener, node: gast.AST, ways: Ways, tail: Kinds) -> Straightened:
    """An `if` that nothing follows in its block: its arms are left by leaving a function."""
    kinds = s.jumps.out_of_block(node.body) | s.jumps.out_of_block(node.orelse)
    closed = s.jumps.ends(node.body) and s.jumps.ends(node.orelse)
    is_value = "return" in kinds and ways["return"].leave is Leave.VALUE
    if not (closed or kinds <= tail) or any(ways[k].leave is Leave.FALL for k in kinds):
        return _flagged_if(s, node, [], ways, tail, True)
    if is_value:
        return _tail_if(s, node, ways)
    inner = {kind: Way(Leave.RETURN, way.flags, way.resets) for kind, way in ways.items()}
    _arms(s, node, inner, kinds, True)
    if kinds <= tail:
        return [node], Pending(), []
    kind = next(iter(kinds))
    leave = gast.Return if ways[kind].leave is Leave.RETURN else LOOP_JUMPS[kind]
    return [node, make(leave, at=node)], Pending(), []


def _tail_if(s: Straightener, node: gast.AST, ways: Ways) -> Straightened:
    _arms(s, node, ways, frozenset({"return"}), True)
    for arm in (node.body, node.orelse):
        if not _returns(s, arm):
            nothing = constant(None, at=node)
            arm.append(make(gast.Return, at=nothing, value=nothing))
    s.straight.tails.add(node)
    return [node], Pending(), []


def _returns(s: Straightener, arm: Block) -> bool:
    return bool(arm) and (arm[-1] in s.straight.tails or s.jumps.ends(arm[-1:]))


def _flagged_if(
    s: Straightener, node: gast.AST, rest: Block, ways: Ways, tail: Kinds, is_staged: bool
) -> Straightened:
    kinds = s.jumps.out_of_block(node.body) | s.jumps.out_of_block(node.orelse)
    inner, fresh = s.flagged(ways, kinds) if is_staged else (dict(ways), ())
    pending = _arms(s, node, inner, NO_JUMPS, is_staged)
    pending = pending | Pending({}, fresh)
    return s.followed([node], pending, rest, ways, tail)


def _arms(s: Straightener, node: gast.AST, ways: Ways, tail: Kinds, is_staged: bool) -> Pending:
    s.depth += is_staged
    node.body, first = s.block(node.body, ways, tail)
    node.orelse, second = s.block(node.orelse, ways, tail)
    s.depth -= is_staged
    if is_staged and node.orelse and not node.body:
        _turn_round(node)
    node.body = node.body or [make(gast.Pass, at=node)]
    return first | second


def is_staged_if(s: Straightener, node: gast.AST) -> bool:
    """Whether an `if` will be converted, as far as it does not depend on what follows it."""
    if s.depth >= DEEPEST or is_static_test(node.test, s.names):
        return False
    if s.finallies and s.jumps.out_of(node):
        return False
    return not s.leaves_finally([node])


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
