"""The user's functions, lambdas and classes: each body is rewritten with the names of its own.

Decorators, defaults and annotations stay as they are, and so does what else a class body does.
"""

from __future__ import annotations

import gast

from autograph.analysis.support import is_left_alone, is_static_test
from autograph.analysis.uses import blocks, uses_of
from autograph.analysis.writes import WritesOf
from autograph.converters.base import Block, Frame, Function, call_operator
from autograph.converters.frames import declaration
from autograph.converters.jump_lowering.lower import lower_jumps


def convert_body(function: Function) -> None:
    """Rewrite the body of a function or lambda in place."""
    node, scope = function.node, function.scope
    is_kept = gast.While not in function.unit.statements  # a generator that stays one
    if scope.sees_frame if is_kept else is_left_alone(node, scope):
        return
    if isinstance(node, gast.Lambda):
        frame = Frame(function, None, frozenset(), set(scope.bound), set())
        node.body = frame.expression(node.body)
        return
    facts = function.unit.facts
    if not is_kept:
        function.lowered = lower_jumps(node, function.names, function.namer)
    lowered = (function.lowered.staged, function.lowered.until)
    function.liveness = function.passing = facts.liveness(node, *lowered)
    if any(isinstance(x, gast.With) for x in function.lowered.staged):
        function.passing = facts.liveness(node, *lowered, swallows=False)
    function.writes = WritesOf(function.lowered.staged, facts.uses)
    bound = scope.bound | {function.lowered.result or ""}
    unsure = function.unsure = function.liveness.at_start & bound - set(scope.parameters)
    function.forced = frozenset(scope.outward | unsure)
    writes = function.writes.block(node.body)
    direct = {*writes.direct, *scope.parameters}
    frame = Frame(function, None, frozenset(), direct, {*writes.assigned, *scope.parameters})
    body = frame.block(node.body)
    unbound = (unsure | scope.captured & scope.bound) - direct - frame.declared
    node.body = _with_declarations(body, function, sorted(unbound))


def _with_declarations(body: Block, function: Function, unbound: list[str]) -> Block:
    """Put what a function declares before its first statement, but after its docstring."""
    declarations = list(function.lowered.declarations)
    declarations += [declaration(name, body[0]) for name in unbound]
    start = int(_is_docstring(body[0]))
    return [*body[:start], *declarations, *body[start:]]


def _is_docstring(node: gast.AST) -> bool:
    return (
        isinstance(node, gast.Expr)
        and isinstance(node.value, gast.Constant)
        and isinstance(node.value.value, str)
    )


def convert_function(node: gast.AST, frame: Frame) -> Block:
    """Rewrite a function inside a function."""
    outer = frame.function
    convert_body(Function(outer.unit, node, outer, outer.class_name))
    return [node]


def convert_lambda(node: gast.AST, frame: Frame) -> gast.AST:
    """Rewrite a lambda."""
    convert_function(node, frame)
    return node


def convert_class(node: gast.AST, frame: Frame) -> Block:
    """Rewrite the methods of a class inside a function."""
    _convert_methods(node.body, node.name, frame.function)
    return [node]


def _convert_methods(block: Block, class_name: str, outer: Function) -> None:
    for node in block:
        if isinstance(node, gast.FunctionDef):
            convert_body(Function(outer.unit, node, outer, class_name))
        elif isinstance(node, gast.ClassDef):
            _convert_methods(node.body, node.name, outer)
        for inner in blocks(node):
            _convert_methods(inner, class_name, outer)


def keep_statement(node: gast.AST, frame: Frame) -> Block:
    """Leave a statement as it is: coroutines, and aliases of types."""
    return [node]


def convert_comprehension(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert a comprehension: each of its conditions becomes `ag.keep(condition)`.

    The first iterable is evaluated outside of it.
    """
    first = node.generators[0]
    first.iter = frame.expression(first.iter)
    outer = frame.items
    targets = [name for part in node.generators for name in uses_of(part.target).writes]
    frame.items = (*outer, *targets)
    for part in node.generators:
        if part is not first:
            part.iter = frame.expression(part.iter)
        part.target = frame.expression(part.target)
        part.ifs = [_condition(test, frame) for test in part.ifs]
    for name in ("elt", "key", "value"):
        if name in node._fields:
            setattr(node, name, frame.expression(getattr(node, name)))
    frame.items = outer
    return node


def _condition(test: gast.AST, frame: Frame) -> gast.AST:
    converted = frame.expression(test)
    if is_static_test(test, frame.function.names):
        return converted
    return call_operator("keep", frame, at=test, arguments=[converted])
