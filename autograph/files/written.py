"""Functions of files that `autograph convert` wrote.

Their text calls the operators. Outside of tracing nothing can be staged, and operators only take
time: the decorator of such functions, `converted`, gives them back the plain statements that their
text stands for, compiled with the file's lines. For whoever asks for their source from then on, to
convert them while tracing, it is these statements.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from autograph.errors import InvalidSourceError
from autograph.files.modules import MARK, with_statements
from autograph.inlining import plain
from autograph.source.build import instantiate
from autograph.source.deep_recursion import call_deep
from autograph.source.load import compiled_from
from autograph.source.locate import is_same_code, nested_codes
from autograph.source.parse import compile_tree, parse

Key = tuple[int, str]
Codes = dict[Key, CodeType]
_written: WeakKeyDictionary[CodeType, CodeType] = WeakKeyDictionary()


def converted(function: Any) -> Any:
    """Return a function with the plain statements that the operator calls of its text stand for.

    The function itself is returned where its file cannot be read or is another one by now.
    """
    if not isinstance(function, FunctionType):
        return function
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    try:
        written, plain_codes = _forms(text, code.co_filename)
    except InvalidSourceError:
        return function
    key = code.co_firstlineno, code.co_name
    own = written.get(key)
    # Python's own comparison takes twice as long for each closure that is in another one.
    found = plain_codes.get(key) if own is not None and is_same_code(own, code) else None
    if found is None or not set(found.co_freevars) <= set(code.co_freevars):
        return function
    if set(found.co_freevars) == set(code.co_freevars):
        _written[found] = code
    return instantiate(found, function)


def as_written(function: Any) -> Any:
    """Return a function as its file has it, made of operator calls, if `converted` changed it."""
    found = _written.get(function.__code__) if isinstance(function, FunctionType) else None
    return function if found is None else instantiate(found, function)


@lru_cache(maxsize=8)
def _forms(text: str, file: str) -> tuple[Codes, Codes]:
    """Return the functions of a file, compiled as they are written, and plain."""
    tree = parse(text, file)
    return call_deep(lambda: _compiled(tree, file))


def _compiled(tree: ast.Module, file: str) -> tuple[Codes, Codes]:
    new: dict[ast.AST, ast.stmt] = {node: plain(node, name) for node, name in _marked(tree)}
    plain_tree = with_statements(tree, new)
    compiled_from(file, plain_tree)
    return _codes(compile_tree(tree, file)), _codes(compile_tree(plain_tree, file))


def _codes(module: CodeType) -> Codes:
    """Return the code objects of a module, without those that share a line and a name."""
    found: Codes = {}
    twice = set()
    for code in nested_codes(module):
        key = code.co_firstlineno, code.co_name
        if key in found:
            twice.add(key)
        found[key] = code
    return {key: code for key, code in found.items() if key not in twice}


def _marked(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, str]]:
    """Yield the decorated functions, with the name of the operators."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            match node.decorator_list[-1]:
                case ast.Attribute(value=ast.Name(id=operators), attr=str(attr)) if attr == MARK:
                    yield node, operators
