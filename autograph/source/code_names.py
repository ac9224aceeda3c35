"""The names that compiled functions show: in tracebacks, in debuggers, in their `__qualname__`.

In: the tree of a function that was rewritten, and where the user's own functions stand. Out: its
code object, in which every function that was made from a branch, a loop or an operand has the name
of the user's function that it is part of, and nothing of where it was compiled.

A code object does not say from which node it was made. The tree is therefore compiled a second
time, with the functions of our making on lines that do not exist: the two code objects have the
same shape, and the lines of the second tell which parts were made.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from types import CodeType
from typing import TypeAlias

import gast

from autograph.source.walk import nodes_in

Place: TypeAlias = tuple[int, int, int, int]
Rules: TypeAlias = tuple[tuple[str, str], ...]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_GAST_FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)


def function_places(node: gast.AST) -> frozenset[Place]:
    """Return where a function and those inside it stand, to tell them from those made later.

    Example:
        >>> import gast
        >>> function_places(gast.parse("def f():\\n  return lambda: 1").body[0]) == {
        ...     (1, 0, 2, 18), (2, 9, 2, 18)
        ... }
        True
    """
    return frozenset(_place(part) for part in nodes_in(node) if isinstance(part, _GAST_FUNCTIONS))


def compile_named(
    definition: ast.stmt, written: frozenset[Place], compiled: Callable[[], CodeType]
) -> tuple[CodeType, CodeType]:
    """Return a function's code, and the same with the functions of our making on false lines.

    Args:
        definition: a statement of the tree that `compiled` compiles.
        written: where the user's functions stand.
        compiled: compiles the whole tree as it is when it is called.
    """
    code = compiled()
    made = _made(definition, written)
    if not made:
        return code, code
    beyond = definition.end_lineno or 0
    for node in made:
        node.lineno += beyond
        node.end_lineno = (node.end_lineno or 0) + beyond
    return code, compiled()


def _made(node: ast.AST, written: frozenset[Place]) -> list[ast.stmt | ast.expr]:
    """Return the functions in a tree that are not the user's, once each; the definition is."""
    found = {
        id(part): part
        for part in nodes_in(node)
        if isinstance(part, _FUNCTIONS) and part is not node and _place(part) not in written
    }
    return list(found.values())


def _place(node: gast.AST) -> Place:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


class Renaming:
    """Gives the functions inside a code object their names.

    Args:
        last_line: of the definition; beyond it are the functions of our making.
    """

    def __init__(self, last_line: int) -> None:
        self._last_line = last_line

    def root(self, code: CodeType, twin: CodeType, prefix: str, name: str, new: str) -> CodeType:
        """Return the code of the function itself.

        Args:
            code: as it was compiled.
            twin: the same, with the functions of our making on false lines.
            prefix: the qualified name under which it was compiled.
            name: its true name.
            new: its true qualified name.
        """
        return self._renamed(code, twin, name, ((prefix, new),))

    def _renamed(self, code: CodeType, twin: CodeType, name: str, rules: Rules) -> CodeType:
        old, new = rules[0]
        inner = dict(zip(codes(code), _twins(code, twin), strict=True))
        made = {part for part in inner if inner[part].co_firstlineno > self._last_line}
        texts = (*((_qualname(part, old, code), new) for part in made if _is_def(part)), *rules)
        constants = []
        for value in code.co_consts:
            if isinstance(value, CodeType):
                place = _qualname(value, old, code)
                if value in made:
                    value = self._renamed(value, inner[value], name, ((place, new), *rules))
                else:
                    own = ((place, _replaced(place, rules)), *rules)
                    value = self._renamed(value, inner[value], value.co_name, own)
            elif isinstance(value, str):
                value = _replaced(value, texts)
            constants.append(value)
        code = code.replace(co_name=name, co_consts=tuple(constants))
        return code.replace(co_qualname=new) if hasattr(code, "co_qualname") else code


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code objects directly inside a code object."""
    return (value for value in code.co_consts if isinstance(value, CodeType))


def _twins(code: CodeType, twin: CodeType) -> list[CodeType]:
    """Equal functions are compiled into one; if that parts the twins, no name is changed."""
    own, others = list(codes(code)), list(codes(twin))
    return others if len(own) == len(others) else own


def _is_def(code: CodeType) -> bool:
    return not code.co_name.startswith("<")


def _qualname(code: CodeType, outer: str, parent: CodeType) -> str:
    """Return the qualified name under which a part was compiled; before 3.11 none is kept."""
    is_function = parent.co_flags & inspect.CO_NEWLOCALS
    found: str = getattr(code, "co_qualname", "")
    return found or f"{outer}{'.<locals>' if is_function else ''}.{code.co_name}"


def _replaced(text: str, rules: Rules) -> str:
    """Apply the first rule that fits: qualified names are constants of classes and functions."""
    for old, new in rules:
        if text == old or text.startswith(f"{old}."):
            return new + text[len(old) :]
    return text
