"""Tests of patterns: what a `match` that became an `if` chain asks.

A `PatternTest` stands in the tree between jump lowering and rewriting. It becomes

    ag.matches(shape, 'Square(0)', lambda: Square)            for a pattern that captures nothing
    ag.match(shape, 'Circle(r)', lambda: Circle)              returns (truth, captured values)
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from autograph.converters.base import Frame, call_operator
from autograph.source.printer import pattern_text
from autograph.source.quote import constant


class PatternTest(gast.expr):
    """Whether a subject fits a pattern, and what the pattern captures if `has_captures`.

    `values` are the classes and dotted names in the pattern, in the order of the text.
    """

    _fields = ("subject", "values")

    def __init__(self, subject: gast.AST, pattern: gast.AST, has_captures: bool) -> None:
        super().__init__()
        self.subject = subject
        self.values = list(_named(pattern))
        self.text = pattern_text(pattern)
        self.has_captures = has_captures
        gast.copy_location(self, pattern)


def _named(node: gast.AST) -> Iterator[gast.AST]:
    for part in gast.iter_child_nodes(node):
        if isinstance(part, (gast.Name, gast.Attribute)):
            yield part
        else:
            yield from _named(part)


def convert_pattern_test(node: PatternTest, frame: Frame) -> gast.AST:
    """Return the call of the operator."""
    arguments = [frame.expression(node.subject), constant(node.text, at=node)]
    arguments += [frame.thunk(value, at=node) for value in node.values]
    name = "match" if node.has_captures else "matches"
    return call_operator(name, frame, at=node, arguments=arguments)
