"""Calls: `f(x)` becomes `ag.call(f, x)`, unless it needs no help."""

from __future__ import annotations

from collections.abc import Mapping

import gast

from autograph.analysis.support import is_exempt_call
from autograph.converters.base import Frame, call_operator, handed_on
from autograph.source.quote import name, quote_expression


def convert_call(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert a call and its arguments."""
    if _is_super(node):
        return _super(node, frame)
    function = frame.expression(node.func)
    arguments = [handed_on(argument, frame) for argument in node.args]
    for keyword in node.keywords:
        keyword.value = handed_on(keyword.value, frame)
    if is_exempt_call(node, _exempt_modules(frame), frame.function.is_local):
        node.func, node.args = function, arguments
        return node
    place = _place(node)
    arguments = [function, *arguments]
    return call_operator("call", frame, at=place, arguments=arguments, keywords=node.keywords)


def _exempt_modules(frame: Frame) -> Mapping[str, str]:
    """Return the modules that may have functions that are called as it is written."""
    unit = frame.function.unit
    if not unit.traced:
        return unit.modules
    return {name: module for name, module in unit.modules.items() if module != "numpy"}


def _place(node: gast.AST) -> gast.AST:
    """Return something that stands where Python says that a call is.

    A method that is called on another line than its object is called where its name is written.
    """
    method = node.func
    is_spread = any(isinstance(argument, gast.Starred) for argument in node.args)
    is_spread = is_spread or any(keyword.arg is None for keyword in node.keywords)
    if not isinstance(method, gast.Attribute) or method.lineno == method.end_lineno or is_spread:
        return node
    place = gast.copy_location(gast.Pass(), node)
    place.lineno, place.col_offset = method.end_lineno, method.end_col_offset - len(method.attr)
    return place


def _is_super(node: gast.AST) -> bool:
    if not isinstance(node.func, gast.Name) or node.func.id != "super":
        return False
    return not (node.args or node.keywords)


def _super(node: gast.AST, frame: Frame) -> gast.AST:
    """Inside a generated function Python cannot tell class and object: write them out."""
    receiver = frame.function.first_parameter
    if receiver is None or not frame.is_moved:
        return node
    return quote_expression("super(__class__, RECEIVER)", at=node, RECEIVER=receiver)


def keep_text(node: gast.AST, frame: Frame) -> gast.AST:
    """Leave an f-string as it is, but for `super()` in it where that has lost its meaning."""
    receiver = frame.function.first_parameter
    if receiver is None or not frame.is_moved:
        return node
    for part in gast.walk(node):
        if isinstance(part, gast.Call) and _is_super(part):
            part.args = [name("__class__", at=part), name(receiver, at=part)]
    return node
