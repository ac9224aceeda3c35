"""What every step does with trees, made fast: to look at all nodes, and to make new ones.

In: nodes of ast or of gast. It knows nothing of what they mean.
"""

from __future__ import annotations

import ast
from typing import Any

# The values of fields of which most nodes have some: neither nodes nor lists.
ATOMS = frozenset({str, int, type(None)})


def nodes_in(tree: Any) -> list[Any]:
    """Return a node of ast or gast and all nodes below it, those nearer to it first.

    Example:
        >>> [type(node).__name__ for node in nodes_in(ast.parse("x = 1").body[0])]
        ['Assign', 'Name', 'Constant', 'Store']
    """
    found = [tree]
    for node in found:  # which grows
        values = vars(node)
        for name in node._fields:
            value = values.get(name)
            if isinstance(value, list):
                found += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return found


def blank(kind: Any) -> Any:
    """Return a node of a class that has no field yet; `vars` of it may be written.

    Example:
        >>> node = blank(ast.Name)
        >>> vars(node).update(id="x", ctx=ast.Load())
        >>> ast.unparse(node)
        'x'
    """
    return kind.__new__(kind)
