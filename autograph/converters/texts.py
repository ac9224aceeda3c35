"""f-strings that `print` is given: `f"{x:.3f}"` becomes `ag.text(ag.field(x, ".3f"))`.

So print can write the values when the graph runs. Other f-strings stay as they are: what else is
done with a text, Python does while tracing.
"""

from __future__ import annotations

import gast

from autograph.converters.base import Frame, call_operator
from autograph.source.quote import constant


def is_print(call: gast.AST, frame: Frame) -> bool:
    """Whether a call is one of the builtin `print`."""
    function = call.func
    is_named = isinstance(function, gast.Name) and function.id == "print"
    return is_named and not frame.function.is_local("print")


def convert_printed(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert what `print` is given."""
    is_text = isinstance(node, gast.JoinedStr)
    if not is_text or all(isinstance(part, gast.Constant) for part in node.values):
        return frame.expression(node)
    parts = [_part(part, frame) for part in node.values]
    return call_operator("text", frame, at=node, arguments=parts)


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
    return convert_printed(form, frame)
