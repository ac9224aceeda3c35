"""`and`, `or`, `not`, `in`, chains of comparisons, `x if c else y`: operands wait in functions.

Whatever must be evaluated now stays where it is.
"""

from __future__ import annotations

import gast

from autograph.analysis.support import is_constant, is_static_test, is_truth
from autograph.converters.base import Frame, call_operator, convert_parts
from autograph.converters.hints import with_hint
from autograph.converters.thunks import can_thunk, thunk
from autograph.source.quote import constant
from autograph.source.signs import sign_of

_OPERATORS: dict[type[gast.AST], str] = {
    gast.In: "in_",
    gast.NotIn: "not_in",
    gast.Is: "is_",
    gast.IsNot: "is_not",
}


def convert_bool_op(node: gast.AST, frame: Frame) -> gast.AST:
    """`a and b` becomes `ag.and_(a, lambda: b)`."""
    if is_static_test(node, frame.function.names) or not can_thunk(frame, *node.values[1:]):
        return _kept(node, frame)
    name = "and_" if isinstance(node.op, gast.And) else "or_"
    first, *rest = node.values
    arguments = [frame.expression(first), *(thunk(operand, frame, at=node) for operand in rest)]
    return call_operator(name, frame, at=node, arguments=arguments)


def convert_unary_op(node: gast.AST, frame: Frame) -> gast.AST:
    """`not a` becomes `ag.not_(a)`, and in code that is traced `-a` becomes `ag.unary("-", a)`."""
    if not isinstance(node.op, gast.Not):
        return _convert_sign(node, frame)
    if is_static_test(node, frame.function.names):
        return _kept(node, frame)
    return call_operator("not_", frame, at=node, arguments=[frame.expression(node.operand)])


def _convert_sign(node: gast.AST, frame: Frame) -> gast.AST:
    if not frame.function.unit.traced or is_constant(node.operand):
        return _kept(node, frame)
    arguments = [constant(sign_of(node.op), at=node), frame.expression(node.operand)]
    return call_operator("unary", frame, at=node, arguments=arguments)


def convert_compare(node: gast.AST, frame: Frame) -> gast.AST:
    """`a in b` becomes `ag.in_(a, b)`, `a < b <= c` `ag.compare(a, "<", lambda: b, ...)`.

    `a is b` becomes `ag.is_(a, b)` where it may be known only later which object `a` is.
    """
    if len(node.ops) == 1:
        return _single(node, frame)
    is_identity = all(isinstance(op, (gast.Is, gast.IsNot)) for op in node.ops)
    if (is_identity and _is_known(node, frame)) or not can_thunk(frame, *node.comparators):
        return _kept(node, frame)
    return _chain(node, frame)


def _chain(node: gast.AST, frame: Frame) -> gast.AST:
    arguments = [frame.expression(node.left)]
    for op, operand in zip(node.ops, node.comparators, strict=True):
        arguments.append(constant(sign_of(op), at=node))
        arguments.append(thunk(operand, frame, at=node))
    return call_operator("compare", frame, at=node, arguments=arguments)


def _single(node: gast.AST, frame: Frame) -> gast.AST:
    name = _OPERATORS.get(type(node.ops[0]))
    if name is None or (name in ("is_", "is_not") and _is_known(node, frame)):
        return _kept(node, frame)
    arguments = [frame.expression(node.left), frame.expression(node.comparators[0])]
    return call_operator(name, frame, at=node, arguments=arguments)


def _is_known(node: gast.AST, frame: Frame) -> bool:
    """Whether an `is` asks about things of which each is known to be one object.

    An argument may be the array that another name stands for in some calls, and not in others.
    """
    names, operands = frame.function.names, [node.left, *node.comparators]
    called = [operand.id for operand in operands if isinstance(operand, gast.Name)]
    if len(called) > 1 and any(map(names.is_local, called)):
        return False
    return all(map(names.is_fixed, operands)) and not any(map(is_truth, operands))


def convert_if_exp(node: gast.AST, frame: Frame) -> gast.AST:
    """`a if c else b` becomes `ag.if_exp(c, lambda: a, lambda: b)`."""
    if is_static_test(node.test, frame.function.names):
        return _kept(node, frame)
    if not can_thunk(frame, node.body, node.orelse):
        return _kept(node, frame)
    test = frame.expression(with_hint(node.test))
    arguments = [test, *(thunk(value, frame, at=node) for value in (node.body, node.orelse))]
    return call_operator("if_exp", frame, at=node, arguments=arguments)


def _kept(node: gast.AST, frame: Frame) -> gast.AST:
    convert_parts(node, frame)
    return node
