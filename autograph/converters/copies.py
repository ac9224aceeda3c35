"""A private copy of a tree, so that whoever handed it in keeps theirs."""

from __future__ import annotations

import gast

from autograph.source.walk import ATOMS, blank


def copied(node: gast.AST) -> gast.AST:
    """Return a deep copy of a node: about ten times as fast as `copy.deepcopy`.

    Nodes without fields, such as `Load()`, are shared: nobody changes them.

    Example:
        >>> import gast
        >>> tree = gast.parse("x = 1")
        >>> copied(tree).body[0].targets is tree.body[0].targets
        False
    """
    if not node._fields and not node._attributes:
        return node
    copy = blank(type(node))
    fields = vars(copy)
    for name, value in vars(node).items():
        if value.__class__ in ATOMS:
            fields[name] = value
        elif isinstance(value, list):
            fields[name] = [copied(x) if isinstance(x, gast.AST) else x for x in value]
        else:
            fields[name] = copied(value) if isinstance(value, gast.AST) else value
    return copy
