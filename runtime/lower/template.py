"""Ops as Python text: which template says what an op does, and how tightly it binds.

Comes in: templates of op definitions, such as `{0} + {1}`. Goes out: where parentheses are needed.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from runtime.graph.node import Node
from runtime.lower.write_targets import has_plain_key

ATOM, NOT = 20, 4
PRECEDENCE: dict[type[ast.AST], int] = {
    ast.Compare: 5, ast.BitOr: 6, ast.BitXor: 7, ast.BitAnd: 8, ast.LShift: 9, ast.RShift: 9,
    ast.Add: 10, ast.Sub: 10, ast.Mult: 11, ast.Div: 11, ast.FloorDiv: 11, ast.Mod: 11,
    ast.MatMult: 11, ast.UnaryOp: 12, ast.Pow: 13,
}  # fmt: skip
"""How tightly operators bind, as in the language reference."""


def is_plain(node: Node, template: str) -> bool:
    """Tell whether a template means for these operands what the op's kernel does.

    Python's own `**` and `~` may give another type than the op for Python scalars. Python's complex
    numbers take a np.float64 for a float, and give a number of Python's.
    """
    if "{key}" in template:
        return has_plain_key(node, 1)
    first, result = node.inputs[0].spec, node.result.spec
    if first.weak and first.dtype.kind == "c" and result.rank == 0 and not result.weak:
        return False
    return ("**" not in template and "~" not in template) or not node.result.spec.weak


@lru_cache(maxsize=4096)
def precedences(template: str) -> tuple[int, tuple[int, ...]]:
    """Return how tightly a template binds, and how tightly each of its operands has to."""
    names = [f"_{k}" for k in range(len(re.findall(r"\{\d+\}", template)))]
    match ast.parse(template.format(*names, key="..."), mode="eval").body:
        case ast.BinOp(op=ast.Pow()):
            return 13, (14, 12)
        case ast.BinOp(op=op):
            return PRECEDENCE[type(op)], (PRECEDENCE[type(op)], PRECEDENCE[type(op)] + 1)
        case ast.Compare():
            return 5, (6, 6)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert()):
            return 12, (12,)
        case ast.Subscript():
            return ATOM, (ATOM,)
        case ast.Call():
            return ATOM, (0,) * len(names)
    return 0, (ATOM,) * len(names)
