"""`x[i]` where it is read and the index is not a constant: `ag.get_item(x, i)`."""

from __future__ import annotations

import gast

from autograph.analysis.support import is_constant
from autograph.converters.base import Frame, call_operator, convert_parts
from autograph.source.quote import constant, quote_expression


def convert_subscript(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert a subscript that is read; one that is assigned or deleted stays."""
    if not isinstance(node.ctx, gast.Load) or is_constant(node.slice):
        convert_parts(node, frame)
        return node
    value = frame.expression(node.value)
    arguments = [value, index_of(node.slice, frame)]
    return call_operator("get_item", frame, at=node, arguments=arguments)


def index_of(node: gast.AST, frame: Frame) -> gast.AST:
    """Return an index as an expression: `1:n` is `slice(1, n)`, or `ag.slice(1, n)`.

    The latter where `slice` is a name of the user's.
    """
    if isinstance(node, gast.Tuple):
        node.elts = [index_of(item, frame) for item in node.elts]
        return node
    if not isinstance(node, gast.Slice):
        return frame.expression(node)
    parts = [node.lower, node.upper] + ([node.step] if node.step is not None else [])
    arguments = [
        constant(None, at=node) if part is None else frame.expression(part) for part in parts
    ]
    if frame.function.is_local("slice") or "slice" in frame.function.unit.modules:
        return call_operator("slice", frame, at=node, arguments=arguments)
    return quote_expression("slice(ARGUMENTS)", at=node, ARGUMENTS=arguments)
