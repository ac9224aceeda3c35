"""Whether two trees mean the same to the compiler, positions aside.

In: two ast trees. Out: the first difference, in words. Neighbouring constant parts of f-strings
are one part, and numbers are compared as they print, so that 0.0 is not -0.0 and nan is nan.
"""

from __future__ import annotations

import ast


def difference(left: object, right: object, path: str = "") -> str:
    """Return where and how two trees differ, or nothing if they do not.

    Example:
        >>> difference(ast.parse("x = 1"), ast.parse("x  =  2"))
        '.body[0].value.value is 1 against 2'
    """
    if type(left) is not type(right):
        return f"{path} is {type(left).__name__} against {type(right).__name__}"
    if isinstance(left, ast.AST) and isinstance(right, ast.AST):
        return _between_nodes(left, right, path)
    if isinstance(left, list) and isinstance(right, list):
        return _between_lists(left, right, path)
    return "" if _is_same_value(left, right) else f"{path} is {left!r} against {right!r}"


def _is_same_value(left: object, right: object) -> bool:
    if isinstance(left, (float, complex, tuple, frozenset)):
        return repr(left) == repr(right)
    return left == right


def _between_nodes(left: ast.AST, right: ast.AST, path: str) -> str:
    if type(left).__name__ in ("JoinedStr", "TemplateStr"):
        return _between_lists(_merged(left), _merged(right), f"{path}.values")
    for field in left._fields:
        mine, other = getattr(left, field, None), getattr(right, field, None)
        if mine is not other:
            found = difference(mine, other, f"{path}.{field}")
            if found:
                return found
    return ""


def _between_lists(left: list[object], right: list[object], path: str) -> str:
    if len(left) != len(right):
        return f"{path} has {len(left)} items against {len(right)}"
    for index, (mine, other) in enumerate(zip(left, right, strict=True)):
        found = difference(mine, other, f"{path}[{index}]")
        if found:
            return found
    return ""


def _merged(node: ast.AST) -> list[object]:
    """The parts of an f-string: a str for each run of constants, nodes for the rest."""
    parts: list[object] = []
    for value in getattr(node, "values", ()):
        part = value.value if isinstance(value, ast.Constant) else value
        if isinstance(part, str) and parts and isinstance(parts[-1], str):
            parts[-1] += part
        elif part != "":
            parts.append(part)
    return parts
