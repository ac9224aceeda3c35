"""`assert`: the test is asked now, the message only when it is needed."""

from __future__ import annotations

import gast

from autograph.analysis.support import is_static_test
from autograph.converters.base import Block, Frame, call_operator, convert_parts, statement
from autograph.converters.thunks import can_thunk, thunk


def convert_assert(node: gast.AST, frame: Frame) -> Block:
    """`assert test, message` becomes `ag.assert_(test, lambda: message)`."""
    if not __debug__:  # under -O Python does not even ask the test
        return convert_parts(node, frame)
    messages = [node.msg] if node.msg is not None else []
    if is_static_test(node.test, frame.function.names) or not can_thunk(frame, *messages):
        return convert_parts(node, frame)
    arguments = [frame.expression(node.test)]
    arguments += [thunk(message, frame, at=node) for message in messages]
    return [statement(call_operator("assert_", frame, at=node, arguments=arguments))]
