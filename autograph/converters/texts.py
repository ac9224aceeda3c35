"""Texts with values in them: `f"{x:.3f}"` becomes `ag.text(ag.field(x, ".3f"))`.

So a text may be made when the graph runs, to be printed, returned, or the message of an error.
"""

from __future__ import annotations

import gast

from autograph.converters.base import Frame, call_operator, convert_parts
from autograph.source.quote import constant


def convert_text(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert an f-string."""
    if all(isinstance(part, gast.Constant) for part in node.values):
        return node
    # Python 3.12 puts an empty text at the end of what stands after a colon.
    values = [x for x in node.values if not (isinstance(x, gast.Constant) and x.value == "")]
    parts = [_part(part, frame) for part in values]
    return call_operator("text", frame, at=node, arguments=parts)


def convert_percent(node: gast.AST, frame: Frame) -> gast.AST:
    """`"%s" % x` becomes `ag.percent("%s", x)`."""
    if not is_format(node):
        convert_parts(node, frame)
        return node
    arguments = [node.left, frame.expression(node.right)]
    return call_operator("percent", frame, at=node, arguments=arguments)


def is_format(node: gast.AST) -> bool:
    """Tell whether an expression is `"..." % values`."""
    is_text = isinstance(node.left, gast.Constant) and isinstance(node.left.value, str)
    return is_text and isinstance(node.op, gast.Mod)


def _part(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert a part of an f-string; the fields are evaluated and formatted one after the other."""
    if not isinstance(node, gast.FormattedValue):
        return node
    arguments = [frame.expression(node.value)]
    if node.format_spec is not None or node.conversion != -1:
        arguments.append(_form(node, frame))
    if node.conversion != -1:
        arguments.append(constant(chr(node.conversion), at=node))
    return call_operator("field", frame, at=node.value, arguments=arguments)


def _form(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert what stands after the colon: a text, which may have fields itself."""
    form = node.format_spec
    if form is None:
        return constant("", at=node)
    if all(isinstance(part, gast.Constant) for part in form.values):
        return constant("".join(part.value for part in form.values), at=node)
    return convert_text(form, frame)
