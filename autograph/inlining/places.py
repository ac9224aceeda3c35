"""Objects that inlined code has at hand as constants.

The tree names them by string constants that no user writes; in the compiled code the objects take
the place of the strings. A constant is found faster than a variable, and needs no name.
"""

from __future__ import annotations

import ast
import builtins
from types import CodeType

_MARK = "autograph object: "
_SITE = _MARK + "call "


def constant(name: str) -> ast.Constant:
    """Return the placeholder of a builtin, or of something among the operators."""
    return ast.Constant(value=_MARK + name)


def call_site(number: int) -> ast.Constant:
    """Return the placeholder of the cache of one call."""
    return ast.Constant(value=f"{_SITE}{number}")


def placed(code: CodeType, operators: object) -> CodeType:
    """Return code in which objects have taken the place of the placeholders.

    Args:
        code: compiled from an inlined tree.
        operators: the namespace of operators, with `STAGED` and `CallSite`.
    """
    known = {_MARK + name: value for name, value in vars(builtins).items()}
    return _placed(code, known, operators)


def _placed(code: CodeType, known: dict[str, object], operators: object) -> CodeType:
    constants = tuple(_object(value, known, operators) for value in code.co_consts)
    if all(a is b for a, b in zip(constants, code.co_consts, strict=True)):
        return code
    return code.replace(co_consts=constants)


def _object(value: object, known: dict[str, object], operators: object) -> object:
    if isinstance(value, CodeType):
        return _placed(value, known, operators)
    if not isinstance(value, str) or not value.startswith(_MARK):
        return value
    if value not in known:
        is_site = value.startswith(_SITE)
        name = "CallSite" if is_site else value.removeprefix(_MARK)
        found = getattr(operators, name)
        known[value] = found() if is_site else found
    return known[value]
