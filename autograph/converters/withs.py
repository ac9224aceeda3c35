"""`with` statements: the block becomes a function, the statement a call of `ag.with_`."""

from __future__ import annotations

import gast

from autograph.converters.base import Block, Frame, call_operator, convert_parts, statement
from autograph.converters.frames import (
    bound_parameter,
    declared,
    define,
    inner_frame,
    part_of,
    shared_names,
    state,
)
from autograph.source.quote import make


def convert_with(node: gast.AST, frame: Frame) -> Block:
    """Convert a `with`, which has one item then, unless it stays as it is."""
    if node not in frame.function.lowered.staged:
        return convert_parts(node, frame)
    item = node.items[0]
    part = part_of(node, "body", frame)
    inner = inner_frame(part, frame)
    manager = frame.expression(item.context_expr)
    name = frame.function.namer.fresh("body")
    parameters: list[str] = []
    start: Block = []
    if item.optional_vars is not None:
        parameter, start = bound_parameter(item.optional_vars, "entered", part, frame)
        parameters = [parameter]
    body = inner.block(start + node.body)
    definition = define(name, inner, body, at=node, parameters=parameters)
    shared = shared_names([inner], frame)
    variables, keywords = state(node, [part], shared, frame)
    arguments = [manager, make(gast.Name, at=node, id=name), *variables]
    call = call_operator("with_", frame, at=node, arguments=arguments, keywords=keywords)
    return [*declared(shared, frame, node), definition, statement(call)]
