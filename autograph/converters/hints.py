"""`ag.hint(...)` around the condition of a branch or loop, or around what a `for` goes over.

    while ag.hint(x > 1, label="outer"): ...

becomes

    ag_1.while_(lambda: ag_1.hinted(ag.hint, lambda: x > 1, label="outer"), ...)

Which function it is turns out when it is called: any other of these keywords is simply called.
"""

from __future__ import annotations

import gast

from autograph.analysis.support import is_hint
from autograph.converters.base import Frame, call_operator
from autograph.converters.thunks import can_thunk, thunk
from autograph.source.quote import make


class Hinted(gast.Call):
    """A call of `ag.hint` at a place where it says something of the statement around it."""


def with_hint(node: gast.AST) -> gast.AST:
    """Return a condition, or what a loop goes over, in which the hint around it is marked.

    It may be negated: arms of an `if` are exchanged.
    """
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
        return make(gast.UnaryOp, at=node, op=node.op, operand=with_hint(node.operand))
    if not is_hint(node):
        return node
    return gast.copy_location(Hinted(node.func, node.args, node.keywords), node)


def convert_hinted(node: Hinted, frame: Frame) -> gast.AST:
    """Return the call of the operator, or of the function where the value cannot wait."""
    (value,) = node.args
    if not can_thunk(frame, value):
        call = gast.Call(node.func, node.args, node.keywords)
        return frame.expression(gast.copy_location(call, node))
    function = frame.expression(node.func)
    for keyword in node.keywords:
        keyword.value = frame.expression(keyword.value)
    arguments = [function, thunk(value, frame, at=node)]
    return call_operator("hinted", frame, at=node, arguments=arguments, keywords=node.keywords)
