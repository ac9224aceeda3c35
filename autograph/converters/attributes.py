"""Attributes of arrays that numbers have not: `x.shape` -> `ag.attribute(x, "shape")`.

A staged number of Python's is a symbol, as an array is, and has these attributes for our own code.
"""

from __future__ import annotations

import gast

from autograph.converters.base import Frame, call_operator
from autograph.source.quote import constant

OF_ARRAYS = frozenset(
    {"T", "dtype", "flags", "flat", "itemsize", "mT", "nbytes", "ndim", "shape", "size", "strides"}
)


def convert_attribute(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert an attribute that is read, but that of a module."""
    owner = node.value
    node.value = frame.expression(owner)
    if node.attr not in OF_ARRAYS or not isinstance(node.ctx, gast.Load):
        return node
    function = frame.function
    if isinstance(owner, gast.Name) and owner.id in function.unit.modules:
        return node
    arguments = [node.value, constant(node.attr, at=node)]
    return call_operator("attribute", frame, at=node, arguments=arguments)
