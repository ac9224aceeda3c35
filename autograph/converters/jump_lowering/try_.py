"""Jumps out of `try`: its blocks are lowered in place, and it becomes functions, or stays.

Flags say that a jump is under way; an error in a `finally` calls the jump off.
"""

from __future__ import annotations

import builtins

import gast

from autograph.analysis.handlers import handler_name
from autograph.analysis.jumps import NO_JUMPS, Kinds
from autograph.analysis.support import DEEPEST
from autograph.converters.generators import Emit
from autograph.converters.jump_lowering.flags import flags_set, flags_set_before_cleanup
from autograph.converters.jump_lowering.routes import Pending, Routes, joined
from autograph.converters.jump_lowering.walk import Block, JumpLowering, Lowered
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
}
# What catches the error of a name that may be unbound.
_OF_NAMES = {"BaseException", "Exception", "NameError"}
# What may fail when a graph runs.
_FAILING = (
    Emit, gast.Assert, gast.Attribute, gast.AugAssign, gast.BinOp, gast.Call, gast.Compare,
    gast.For, gast.Raise, gast.Subscript, gast.UnaryOp,
)  # fmt: skip


def lower_try(
    walk: JumpLowering, node: gast.AST, rest: Block, routes: Routes, tail: Kinds
) -> Lowered:
    """Lower the jumps out of a `try`, and the rest of its block."""
    inner = NO_JUMPS if rest else tail
    outer = routes
    fresh: tuple[str, ...] = ()
    is_staged = converts_try(walk, node)
    if is_staged:
        walk.lowered.staged.add(node)
        for handler in node.handlers:
            _bind_in_body(walk, handler)
        inner = NO_JUMPS
        if walk.jumps.out_of(node):
            routes, fresh = walk.flagged(routes, walk.jumps.out_of(node))
    walk.depth += is_staged
    found = [_try_body(walk, node, routes, inner)]
    for handler in node.handlers:
        body, pending = walk.block(handler.body, routes, inner)
        handler.body = body or [make(gast.Pass, at=handler)]
        found.append(pending)
    _reset_flags(walk, node)
    _finally(walk, node, routes)
    walk.depth -= is_staged
    pending = joined([*found, Pending({}, fresh)])
    if walk.jumps.ends(node.finalbody):
        return [*walk.cleared(pending, node), node], Pending(), rest
    return walk.followed([node], pending, rest, outer, tail)


def converts_try(walk: JumpLowering, node: gast.AST) -> bool:
    """Whether a `try` will be converted: its body may fail in a graph, and its names allow it."""
    if (
        not isinstance(node, gast.Try | gast.TryStar)
        or walk.depth >= DEEPEST
        or walk.jumps.out_of_block(node.finalbody)
    ):
        return False
    if walk.leaves_finally([node]) or (walk.finallies and walk.jumps.out_of(node)):
        return False
    if not (may_fail([*node.body, *(node.orelse if node.finalbody else ())]) or _asks_names(node)):
        return False
    parts = [x for statement in node.body for x in gast.walk(statement)]
    if not node.finalbody and not any(isinstance(x, gast.Raise) for x in parts):
        names = [x for handler in node.handlers for x in _names(handler.type)]
        if all(name in _NEVER_STAGED and not walk.is_local(name) for name in names):
            return False
    types = [x for handler in node.handlers if handler.type for x in gast.walk(handler.type)]
    return not any(isinstance(x, gast.NamedExpr) for x in types)


def may_fail(block: Block) -> bool:
    """Whether anything in a block may raise when a graph runs."""
    return any(isinstance(x, _FAILING) for statement in block for x in gast.walk(statement))


def _asks_names(node: gast.AST) -> bool:
    """Whether a `try` catches that names which its body reads are unbound."""
    caught = {name for x in node.handlers for name in _names(x.type)}
    catches = not _OF_NAMES.isdisjoint(caught) or any(x.type is None for x in node.handlers)
    parts = (x for statement in node.body for x in gast.walk(statement))
    reads = any(isinstance(x, gast.Name) and isinstance(x.ctx, gast.Load) for x in parts)
    return catches and reads


def _bind_in_body(walk: JumpLowering, handler: gast.AST) -> None:
    """Assign the exception to a variable that has other uses, and unbind that, as Python does.

    However the handler is left. A name that only its handlers read is the parameter of the
    functions made of them.
    """
    name = handler_name(handler)
    if not name or name in walk.own_names:
        return
    own = walk.fresh(name)
    begin = quote("NAME = OWN", at=handler.body[0], NAME=name, OWN=own)
    body, end = handler.body, quote("NAME = None\ndel NAME", at=handler.body[-1], NAME=name)
    if walk.jumps.out_of_block(body) or may_fail(body):
        block = quote("try:\n    pass\nfinally:\n    pass", at=body[0])
        block[0].body, block[0].finalbody = body, end
        handler.body = [*begin, *block]
    else:
        handler.body = [*begin, *body, *end]
    if isinstance(handler.name, str):
        handler.name = own
    else:
        handler.name.id = own


def _names(classes: gast.AST | None) -> list[str]:
    """Return the names of the classes that a handler catches; for others a text that is no name."""
    if isinstance(classes, gast.Tuple):
        return [name for item in classes.elts for name in _names(item)]
    return [classes.id if isinstance(classes, gast.Name) else ""]


def _try_body(walk: JumpLowering, node: gast.AST, routes: Routes, tail: Kinds) -> Pending:
    node.body, pending = walk.block(node.body, routes, NO_JUMPS if node.orelse else tail)
    node.body = node.body or [make(gast.Pass, at=node)]
    if not pending:
        node.orelse, after = walk.block(node.orelse, routes, tail)
        return after
    if walk.leaves_finally(node.orelse):
        orelse = [*walk.leaving(pending, routes, node), *node.orelse]
        node.orelse, after = walk.block(orelse, routes, tail)
        return pending | after
    guarded = {**routes, **pending.routes}
    node.orelse, after = walk.guarded(node.orelse, pending, guarded, tail)
    return pending | after


def _finally(walk: JumpLowering, node: gast.AST, routes: Routes) -> None:
    """A jump in `finally` calls off the jump that led there, and swallows exceptions.

    No flag can do that, so statements with such jumps are never converted.
    """
    if not node.finalbody:
        return
    called_off = flags_set([*node.body, *node.handlers, *node.orelse], walk.flag_names())
    inner = {kind: route.calling_off(*called_off) for kind, route in routes.items()}
    walk.finallies += 1
    body, _ = walk.block(node.finalbody, inner, NO_JUMPS)
    walk.finallies -= 1
    node.finalbody = body or [make(gast.Pass, at=node)]


def _reset_flags(walk: JumpLowering, node: gast.AST) -> None:
    """An error on the way out, in a `finally` or `__exit__`, calls off the jump, too."""
    flags = flags_set_before_cleanup(node.body, walk.flag_names())
    for handler in node.handlers:
        resets = [walk.assign(flag, False, handler.body[0]) for flag in flags]
        handler.body = resets + handler.body
