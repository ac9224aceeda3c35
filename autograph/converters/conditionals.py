"""`if` statements: each arm becomes a function, the statement a call of `ag.if_`."""

from __future__ import annotations

import gast

from autograph.converters.base import Block, Frame, call_operator, convert_parts, statement
from autograph.converters.frames import declared, define, inner_frame, part_of, shared_names, state
from autograph.converters.hints import with_hint
from autograph.source.quote import constant, make

# The widest result of an arm that is written as a lambda.
_SHORT = 40


def convert_if(node: gast.AST, frame: Frame) -> Block:
    """Convert an `if`, unless it stays as it is.

    The arms of a tail return the function's result, all others nothing.
    """
    lowered = frame.function.lowered
    if node not in lowered.staged:
        return convert_parts(node, frame)
    parts = [part_of(node, name, frame) for name in ("body", "orelse")]
    names = frame.function.arm_names(not all(_fits_lambda(arm, frame) for arm in _arms(node)))
    inner = [inner_frame(part, frame) for part in parts]
    definitions: Block = []
    arms: Block = []
    for name, arm_frame, block in zip(names, inner, _arms(node), strict=True):
        definition, argument = _arm(name, arm_frame, block, node)
        definitions += definition
        arms.append(argument)
    shared = shared_names(inner, frame)
    statements = declared(shared, frame, node) + definitions
    variables, keywords = state(node, parts, shared, frame)
    arguments = [frame.expression(with_hint(node.test)), *arms, *variables]
    call = call_operator("if_", frame, at=node, arguments=arguments, keywords=keywords)
    is_tail = node in lowered.tails
    end = make(gast.Return, at=node, value=call) if is_tail else statement(call)
    return [*statements, end]


def _arms(node: gast.AST) -> tuple[Block, Block]:
    return node.body, node.orelse


def _arm(name: str, inner: Frame, block: Block, node: gast.AST) -> tuple[Block, gast.AST]:
    """Return the definition of an arm's function and the argument that stands for it."""
    if not block:
        return [], constant(None, at=node)
    if _fits_lambda(block, inner):
        return [], inner.thunk(block[0].value, at=node)
    definition = define(name, inner, inner.block(block), at=node)
    return [definition], make(gast.Name, at=node, id=name)


def _fits_lambda(block: Block, frame: Frame) -> bool:
    """Whether an arm is nothing, or a single `return` of a short expression."""
    if len(block) != 1 or not isinstance(block[0], gast.Return) or block[0].value is None:
        return not block
    value = block[0].value
    if isinstance(value, (gast.Name, gast.Constant)):
        return True
    width = value.end_col_offset - value.col_offset
    is_short = value.lineno == value.end_lineno and width <= _SHORT
    return bool(is_short and frame.can_thunk(value))
