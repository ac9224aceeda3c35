"""Which node of a module is the source of a live function, and whether it really is.

In: a module's tree and a code object. Out: the node, only if compiling it again gives that code
object: a file that was edited after its import has other functions at the same lines.
"""

from __future__ import annotations
import __future__

import ast
import copy
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import TypeAlias

from autograph.source.code_names import codes
from autograph.source.deep_recursion import call_deep
from autograph.source.parse import compile_tree

FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"

FUTURE_FLAGS = 0
for _name in __future__.all_feature_names:
    FUTURE_FLAGS |= getattr(__future__, _name).compiler_flag

_KIND_FLAGS = (
    inspect.CO_VARARGS
    | inspect.CO_VARKEYWORDS
    | inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
)


@dataclass(frozen=True)
class Located:
    """A function's node, and the innermost class whose name mangles its private names."""

    node: FunctionNode
    class_name: str | None


def locate(tree: ast.Module, code: CodeType) -> Located | None:
    """Return where a function stands in a module, or None if its source is not there.

    Example:
        >>> tree = ast.parse("def f(x):\\n    return x\\ng = lambda: 1")
        >>> scope = {}
        >>> exec(compile(tree, "net.py", "exec"), scope)
        >>> locate(tree, scope["f"].__code__).node is tree.body[0]
        True
        >>> changed = ast.parse("def f(x):\\n    return x + 1\\ng = lambda: 1")
        >>> locate(changed, scope["f"].__code__)
    """
    line = code.co_firstlineno
    statements = tuple(statement for statement in tree.body if _covers(statement, line))
    candidates = [found for statement in statements for found in _candidates(statement, code)]
    if len(candidates) > 1:
        return _closest(tree, statements, candidates, code)
    flags = code.co_flags & FUTURE_FLAGS
    for part in (statements, ()) if candidates else ():
        for other in _compiled(tree, part, flags):
            if other.co_firstlineno == line and is_same_code(other, code):
                return candidates[0]
    return None


def first_line(node: ast.AST) -> int:
    """Return the line that a code object calls its first: the first decorator's, if any."""
    decorators = getattr(node, "decorator_list", None)
    line: int = getattr(decorators[0] if decorators else node, "lineno", 0)
    return line


def _covers(node: ast.AST, line: int) -> bool:
    """Nodes without a position, such as arguments, may cover any line."""
    end = getattr(node, "end_lineno", None)
    return end is None or first_line(node) <= line <= end


def _candidates(statement: ast.stmt, code: CodeType) -> Iterator[Located]:
    """Yield the functions of that name on that line, in a fixed order."""
    stack: list[tuple[ast.AST, str | None]] = [(statement, None)]
    while stack:
        node, class_name = stack.pop()
        if _has_name(node, code.co_name) and first_line(node) == code.co_firstlineno:
            assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield Located(node, class_name)
        inner = node.name if isinstance(node, ast.ClassDef) else class_name
        children = reversed(list(ast.iter_child_nodes(node)))
        stack += [(child, inner) for child in children if _covers(child, code.co_firstlineno)]


def _has_name(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Lambda):
        return name == "<lambda>"
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name


@lru_cache(maxsize=256)
def _compiled(
    tree: ast.Module, statements: tuple[ast.stmt, ...], flags: int
) -> tuple[CodeType, ...]:
    """Return the code objects inside of some statements of a module; inside of all if of none.

    Nodes are their own keys. The compiler treats methods of imported modules in a way of its own,
    so that a statement alone needs the module's imports.
    """
    module = ast.Module([*_imports(tree), *statements], []) if statements else tree
    try:
        return tuple(nested_codes(compile_tree(module, "<source>", flags)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


@lru_cache(maxsize=64)
def _imports(tree: ast.Module) -> list[ast.stmt]:
    """Return one statement that imports all that the module level imports, if there is any."""
    stack: list[ast.AST] = list(tree.body)
    names: dict[str, None] = {}
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(
                (alias.asname or alias.name.partition(".")[0], None) for alias in node.names
            )
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            stack += ast.iter_child_nodes(node)
    names.pop("*", None)
    statement = ast.Import(names=[ast.alias(name=name, asname=None) for name in names])
    return [_at_the_top(statement)] if names else []


def _at_the_top(statement: ast.stmt) -> ast.stmt:
    statement.lineno = statement.end_lineno = 1
    statement.col_offset = statement.end_col_offset = 0
    return ast.fix_missing_locations(statement)


def nested_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code objects among the constants of a code object, at any depth."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from nested_codes(constant)


def _closest(
    tree: ast.Module, statements: Sequence[ast.stmt], candidates: list[Located], code: CodeType
) -> Located | None:
    """Choose among lambdas of one line: by code, then by columns where Python keeps them.

    Each one is compiled on lines of its own, which tells the code objects apart. Lambdas with
    equal code do the same, so that any of them will do.
    """
    marked = call_deep(lambda: tuple(map(copy.deepcopy, statements)))
    twins = [twin for statement in marked for twin in _candidates(statement, code)]
    length = 1 + (statements[-1].end_lineno or 0)
    places: dict[int, Located] = {}
    for candidate, twin in zip(candidates, twins, strict=True):
        line = (len(places) + 1) * length + code.co_firstlineno
        ast.increment_lineno(twin.node, line - first_line(twin.node))
        places[line] = candidate
    compiled = _compiled.__wrapped__(tree, marked, code.co_flags & FUTURE_FLAGS)
    same = [x for x in compiled if x.co_firstlineno in places and is_same_code(x, code)]
    if not same:
        return None
    best = max(same, key=lambda other: len(_positions(other) & _positions(code)))
    return places[best.co_firstlineno]


def _positions(code: CodeType) -> frozenset[object]:
    """Where the instructions stand, with lines counted from the first one."""
    found = code.co_positions() if hasattr(code, "co_positions") else ()
    first = code.co_firstlineno
    return frozenset((line and line - first, end and end - first, *at) for line, end, *at in found)


def is_same_code(found: CodeType, live: CodeType) -> bool:
    """Whether two code objects do the same, wherever they stand.

    Code in which pytest rewrote the assert statements is compared by its names only.
    """
    if not _has_same_signature(found, live):
        return False
    if any(name.startswith("@py") for name in live.co_names + live.co_varnames):
        return _is_same_but_for_asserts(found, live)
    return (
        found.co_code == live.co_code
        and found.co_names == live.co_names
        and found.co_varnames == live.co_varnames
        and found.co_cellvars == live.co_cellvars
        and getattr(found, "co_exceptiontable", b"") == getattr(live, "co_exceptiontable", b"")
        and _is_same_constant(found.co_consts, live.co_consts)
    )


def _has_same_signature(found: CodeType, live: CodeType) -> bool:
    return (
        found.co_name == live.co_name
        and found.co_freevars == live.co_freevars
        and found.co_argcount == live.co_argcount
        and found.co_posonlyargcount == live.co_posonlyargcount
        and found.co_kwonlyargcount == live.co_kwonlyargcount
        and (found.co_flags ^ live.co_flags) & _KIND_FLAGS == 0
    )


def _is_same_constant(found: object, live: object) -> bool:
    if type(found) is not type(live):
        return False
    if isinstance(found, CodeType) and isinstance(live, CodeType):
        return is_same_code(found, live)
    if isinstance(found, tuple) and isinstance(live, tuple):
        return len(found) == len(live) and all(map(_is_same_constant, found, live))
    if isinstance(found, (float, complex)):
        return repr(found) == repr(live)
    return found == live


def _is_same_but_for_asserts(found: CodeType, live: CodeType) -> bool:
    names = {name for name in live.co_varnames if not name.startswith("@py")}
    inner, live_inner = list(codes(found)), list(codes(live))
    return (
        set(found.co_varnames) == names
        and set(found.co_names) <= set(live.co_names)
        and len(inner) == len(live_inner)
        and all(map(is_same_code, inner, live_inner))
    )
