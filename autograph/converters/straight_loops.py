"""Straightening of loops: their body becomes a function that `continue` and `break` leave.

`break` and `return` set a flag that the loop asks after each round; `else` is guarded by it.
"""

from __future__ import annotations

import gast

from autograph.analysis.jumps import NO_JUMPS, Kinds, inner_blocks
from autograph.analysis.support import DEEPEST, is_static_iterable, is_static_test
from autograph.converters.straight_ifs import is_staged_if
from autograph.converters.straight_match import becomes_ifs
from autograph.converters.straightener import Block, Straightened, Straightener
from autograph.converters.ways import Leave, Pending, Way, Ways
from autograph.source.quote import make


def straighten_loop(
    s: Straightener, node: gast.AST, rest: Block, ways: Ways, tail: Kinds
) -> Straightened:
    """Straighten a loop and the rest of its block."""
    if _is_staged_loop(s, node, ways):
        return _staged_loop(s, node, rest, ways, tail)
    inner = {**ways, "break": Way(Leave.JUMP), "continue": Way(Leave.JUMP)}
    body, _ = s.block(node.body, inner, frozenset({"continue"}))
    node.body = body or [make(gast.Pass, at=node)]
    node.orelse, pending = s.block(node.orelse, ways, NO_JUMPS if rest else tail)
    return s.followed([node], pending, rest, ways, tail)


def _staged_loop(
    s: Straightener, node: gast.AST, rest: Block, ways: Ways, tail: Kinds
) -> Straightened:
    kinds = s.jumps.out_of_block(node.body)
    s.loops += 1
    stop = (s.flag("stop", s.loops),) if "break" in kinds else ()
    outer, fresh = s.flagged(ways, kinds & {"return"})
    returned = outer["return"].flags if "return" in kinds else ()
    inner = {
        "continue": Way(Leave.RETURN),
        "break": Way(Leave.RETURN, stop),
        "return": Way(Leave.RETURN, (*returned, *stop)),
    }
    _note_loop(s, node, inner, kinds)
    pending = Pending()
    if "return" in kinds:
        certain = s.jumps.is_endless(node)
        pending = Pending({"return": outer["return"]}, fresh, certain)
    rest = _orelse_taken(s, node, stop) + rest
    _loop_body(s, node, inner)
    s.loops -= 1
    start = [s.assign(flag, False, node) for flag in stop]
    return s.followed([*start, node], pending, rest, ways, tail)


def _note_loop(s: Straightener, node: gast.AST, ways: Ways, kinds: Kinds) -> None:
    s.straight.staged.add(node)
    for kind in ("break", "return"):
        if kind in kinds:
            s.straight.until.setdefault(node, ways[kind].flags[0])


def _loop_body(s: Straightener, node: gast.AST, ways: Ways) -> None:
    s.depth += 1
    body, _ = s.block(node.body, ways, frozenset(ways))
    s.depth -= 1
    node.body = body or [make(gast.Pass, at=node)]


def _orelse_taken(s: Straightener, node: gast.AST, stop: tuple[str, ...]) -> Block:
    """The `else` of a loop becomes a statement after it, guarded if there is a `break`."""
    orelse, node.orelse = node.orelse, []
    if not orelse or not stop:
        return list(orelse)
    return [s.unless(stop, orelse)]


def _is_staged_loop(s: Straightener, node: gast.AST, ways: Ways) -> bool:
    kinds = s.jumps.out_of(node)
    if any(ways[kind].leave is Leave.FALL for kind in kinds & {"return"}):
        return True
    if s.finallies and kinds:
        return False
    return s.depth < DEEPEST and _needs_staging(s, node)


def _needs_staging(s: Straightener, node: gast.AST) -> bool:
    """Whether its rounds may depend on a tensor, by its header or by a jump out of it.

    After `if c: continue` the rest of the round depends on `c`, and so do its jumps.
    """
    if isinstance(node, gast.While):
        is_static = is_static_test(node.test, s.names)
    else:
        is_static = is_static_iterable(node.iter, s.is_local)
    if not is_static or not _staged_jumps(s, node.body):
        return not is_static
    return bool(s.jumps.out_of_block(node.body) & {"break", "return"})


def _staged_jumps(s: Straightener, block: Block) -> Kinds:
    """Return the kinds of jumps that leave statements that will be converted."""
    return NO_JUMPS.union(*(_staged_jumps_of(s, node) for node in block))


def _staged_jumps_of(s: Straightener, node: gast.AST) -> Kinds:
    kinds = s.jumps.out_of(node)
    if not kinds:
        return NO_JUMPS
    if isinstance(node, (gast.For, gast.While)) and _needs_staging(s, node):
        return kinds
    if isinstance(node, gast.If) and is_staged_if(s, node):
        return kinds
    if isinstance(node, gast.Match) and becomes_ifs(s, node):
        return kinds
    return kinds & NO_JUMPS.union(*(_staged_jumps(s, block) for block in inner_blocks(node)))
