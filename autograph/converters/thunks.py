"""Thunks: operands that are evaluated when an operator asks, lambdas or functions that bind names.

    a and b                   ->  ag.and_(a, lambda: b)

    a and (y := b)            ->  y: ...
                                  def operand():
                                      nonlocal y
                                      return (y := b)
                                  ag.and_(a, operand)

The function stands before the statement; in a comprehension it gets the items as arguments.
A lambda of the user's has no such place: there an expression stays as it is if an operand that
waits binds a name.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from autograph.analysis.writes import Writes
from autograph.converters.base import Frame
from autograph.converters.frames import Part, declared_again, define, inner_frame, shared_names
from autograph.source.quote import make, name, quote_expression


def can_thunk(frame: Frame, *nodes: gast.AST) -> bool:
    """Whether operands may become thunks."""
    return frame.can_thunk(*nodes) or all(_can_move(node, frame) for node in nodes)


def _can_move(node: gast.AST, frame: Frame) -> bool:
    """A function in an operand would keep the item of its round, and not see later ones."""
    if isinstance(frame.function.node, gast.Lambda):
        return False
    return not (frame.items and frame.function.unit.facts.uses(node).nested)


def thunk(node: gast.AST, frame: Frame, *, at: gast.AST) -> gast.AST:
    """Return a function that evaluates an operand when it is called."""
    if frame.can_thunk(node):
        return frame.thunk(node, at=at)
    uses = frame.function.unit.facts.uses(node)
    writes = Writes()
    writes.add(uses)
    inner = inner_frame(Part(writes, frozenset(writes.deep)), frame)
    operand = frame.function.namer.fresh("operand")
    items = [item for item in frame.items if item in uses.reads]
    definition = define_value(operand, inner, node, items)
    shared = shared_names([inner], frame)
    frame.before += [*declared_again(shared, frame, at), definition]
    if not items:
        return name(operand, at=at)
    arguments = [name(item, at=at) for item in items]
    return quote_expression("lambda: OPERAND(ITEMS)", at=at, OPERAND=operand, ITEMS=arguments)


def define_value(
    name: str, inner: Frame, node: gast.AST, parameters: Sequence[str] = ()
) -> gast.AST:
    """Return the function that evaluates an expression."""
    value = inner.expression(node)
    returns = make(gast.Return, at=node, value=value)
    return define(name, inner, [*inner.before, returns], at=node, parameters=parameters)
