"""`while` and `for`: the body becomes a function, the statement a call of an operator."""

from __future__ import annotations

import gast

from autograph.analysis.uses import Names
from autograph.converters.base import Block, Frame, call_operator, convert_parts, statement, valued
from autograph.converters.frames import (
    Part,
    bound_parameter,
    declared,
    define,
    inner_frame,
    part_of,
    shared_names,
    state,
)
from autograph.converters.hints import with_hint
from autograph.converters.thunks import define_value
from autograph.source.quote import make, quote, quote_expression


def convert_while(node: gast.AST, frame: Frame) -> Block:
    """Convert a `while`, unless it stays as it is."""
    if node not in frame.function.lowered.staged:
        return convert_parts(node, frame)
    node.test = with_hint(node.test)
    parts = [part_of(node, name, frame) for name in ("test", "body")]
    inner = [inner_frame(part, frame) for part in parts]
    definitions, test = _test(inner[0], node, frame)
    name = frame.function.namer.fresh("body")
    body = inner[1].block(node.body)
    definitions.append(define(name, inner[1], body, at=node))
    shared = shared_names(inner, frame)
    arguments = [test, make(gast.Name, at=node, id=name)]
    loop = _loop("while_", arguments, parts, shared, node, frame)
    return [*declared(shared, frame, node), *definitions, loop]


def _test(inner: Frame, node: gast.AST, frame: Frame) -> tuple[Block, gast.AST]:
    """A test is a lambda, or a function if it binds names."""
    if frame.can_thunk(node.test):
        return [], frame.thunk(node.test, at=node)
    name = frame.function.namer.fresh("test")
    definition = define_value(name, inner, node.test)
    return [definition], make(gast.Name, at=node, id=name)


def convert_for(node: gast.AST, frame: Frame) -> Block:
    """Convert a `for`, unless it stays as it is."""
    if node not in frame.function.lowered.staged:
        return convert_parts(node, frame)
    part = part_of(node, "body", frame)
    inner = inner_frame(part, frame)
    iterable = valued(with_hint(node.iter), frame)
    name = frame.function.namer.fresh("body")
    item, start = bound_parameter(node.target, "item", part, frame)
    definition = define(name, inner, inner.block(start + node.body), at=node, parameters=[item])
    shared = shared_names([inner], frame)
    arguments = [iterable, make(gast.Name, at=node, id=name)]
    loop = _loop("for_", arguments, [part], shared, node, frame)
    return [*declared(shared, frame, node), definition, loop]


def _loop(
    operator: str,
    arguments: Block,
    parts: list[Part],
    shared: Names,
    node: gast.AST,
    frame: Frame,
) -> gast.AST:
    names, keywords = state(node, parts, shared, frame)
    flag = frame.function.lowered.until.get(node)
    if flag is not None:
        until = quote_expression("lambda: FLAG", at=node, FLAG=flag)
        keywords.append(make(gast.keyword, at=node, arg="until", value=until))
    arguments = [*arguments, *names]
    call = call_operator(operator, frame, at=node, arguments=arguments, keywords=keywords)
    return statement(call)


def convert_annotated(node: gast.AST, frame: Frame) -> Block:
    """Drop the annotation of a name that belongs to another function: Python forbids it."""
    if not (isinstance(node.target, gast.Name) and node.target.id in frame.outer):
        node.target = frame.expression(node.target)
        node.value = node.value and frame.expression(node.value)
        return [node]
    if node.value is None:
        return [make(gast.Pass, at=node)]
    value = frame.expression(node.value)
    return quote("NAME = VALUE", at=node, NAME=node.target.id, VALUE=value)
