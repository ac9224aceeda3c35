"""The signs of Python's operators, by the classes of the nodes that stand for them.

The names of these classes are the same in ast and in gast.
"""

from __future__ import annotations

import ast
from typing import Any

BINARY = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**",
    "MatMult": "@", "LShift": "<<", "RShift": ">>", "BitAnd": "&", "BitOr": "|", "BitXor": "^",
}  # fmt: skip
COMPARISONS = {
    "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=",
    "Is": "is", "IsNot": "is not", "In": "in", "NotIn": "not in",
}  # fmt: skip
UNARY = {"USub": "-", "UAdd": "+", "Invert": "~"}
COMPARING: dict[str, type[ast.cmpop]] = {
    sign: getattr(ast, name) for name, sign in COMPARISONS.items()
}
"""The classes of nodes of comparisons, by sign."""


def sign_of(op: Any) -> str:
    """Return the sign of the operator of an operation or a comparison.

    >>> sign_of(ast.parse("x += 1").body[0].op), sign_of(ast.parse("x < 1").body[0].value.ops[0])
    ('+', '<')
    """
    kind = type(op).__name__
    return BINARY.get(kind) or UNARY.get(kind) or COMPARISONS[kind]
