"""`try` statements: each block becomes a function, the statement a call of `ag.try_`."""

from __future__ import annotations

from collections.abc import Iterator

import gast

from autograph.converters.base import Block, Frame, call_operator, convert_parts, statement
from autograph.converters.frames import (
    Part,
    declared,
    define,
    inner_frame,
    shared_names,
    state,
)
from autograph.source.quote import constant, make


def convert_try(node: gast.AST, frame: Frame) -> Block:
    """Convert a `try`, unless it stays as it is."""
    if node not in frame.function.lowered.staged:
        return convert_parts(node, frame)
    owners = list(_blocks(node))
    parts = _parts(node, owners, frame)
    inner = [inner_frame(part, frame) for part in parts]
    names = [frame.function.namer.fresh(_wish(owner, name)) for owner, name in owners]
    definitions = []
    for (owner, block), name, part_frame in zip(owners, names, inner, strict=True):
        parameters = [_parameter(owner, frame)] if isinstance(owner, gast.ExceptHandler) else []
        statements = part_frame.block(getattr(owner, block))
        definitions.append(define(name, part_frame, statements, at=owner, parameters=parameters))
    shared = shared_names(inner, frame)
    start = declared(shared, frame, node)
    read = frozenset().union(*(frame.function.liveness.on_entry(*one) for one in owners[1:]))
    variables, keywords = state(node, parts, shared, frame, read)
    by_block = {
        (owner, block): make(gast.Name, at=node, id=name)
        for (owner, block), name in zip(owners, names, strict=True)
    }
    handlers = [_handler(x, by_block[x, "body"], frame) for x in node.handlers]
    arguments = [by_block[node, "body"], make(gast.List, at=node, elts=handlers, ctx=gast.Load())]
    last = [by_block.get((node, name)) for name in ("orelse", "finalbody")]
    if variables or any(last):
        arguments += [x or constant(None, at=node) for x in last]
    arguments += variables
    operator = "try_star" if isinstance(node, gast.TryStar) else "try_"
    call = call_operator(operator, frame, at=node, arguments=arguments, keywords=keywords)
    return [*start, *definitions, statement(call)]


def _blocks(node: gast.AST) -> Iterator[tuple[gast.AST, str]]:
    """Yield the blocks of a `try`: what they are part of, and the name of the field."""
    yield node, "body"
    for handler in node.handlers:
        yield handler, "body"
    for name in ("orelse", "finalbody"):
        if getattr(node, name):
            yield node, name


def _wish(owner: gast.AST, block: str) -> str:
    if isinstance(owner, gast.ExceptHandler):
        return "handler"
    return {"body": "body", "orelse": "else_", "finalbody": "final"}[block]


def _parts(node: gast.AST, owners: list[tuple[gast.AST, str]], frame: Frame) -> list[Part]:
    """Return the blocks with the names they share: with what follows, and with one another."""
    function = frame.function
    needed = function.liveness.after(node) | function.forced
    needed = needed.union(*(function.liveness.on_entry(*block) for block in owners))
    writes = [function.writes.part(*block) for block in owners]
    return [Part(x, needed.intersection(x.deep)) for x in writes]


def _parameter(handler: gast.AST, frame: Frame) -> str:
    if handler.name is None:
        return frame.function.namer.fresh("error")
    name = handler.name
    return name if isinstance(name, str) else str(name.id)


def _handler(handler: gast.AST, function: gast.AST, frame: Frame) -> gast.AST:
    """Return the pair of what returns the classes of a handler, and its function."""
    classes = constant(None, at=handler)
    if handler.type is not None:
        classes = frame.thunk(handler.type, at=handler)
    return make(gast.Tuple, at=handler, elts=[classes, function], ctx=gast.Load())
