"""From a live Python function to its converted twin, or to the text of it.

In: a function and the namespace of operators. Out: a function that calls the operators where the
original branches, loops and calls. A code object is rewritten once, however many functions
(closures, methods) share it; it knows nothing of what the operators do.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

import gast

from autograph.converters.pipeline import rewrite
from autograph.errors import ConversionError
from autograph.source.build import compile_function, instantiate, is_converted
from autograph.source.code_names import function_places
from autograph.source.deep import call_deep
from autograph.source.load import FunctionSource, load, modules_of, unwrap
from autograph.source.names import Namer
from autograph.source.printer import to_text

_NOT_CONVERTED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


@dataclass(frozen=True)
class _Converted:
    """What a code object became: for which modules, with which name for the operators."""

    original: weakref.ref[CodeType]
    modules: Mapping[str, str]
    operators: str
    code: CodeType


_cache: dict[int, _Converted] = {}


def convert(function: FunctionType, operators: object) -> FunctionType:
    """Return the function with its control flow made calls of operators.

    Generators, async functions and functions that are converted already are returned as they are.

    Args:
        function: a plain Python function; see `unwrap` for methods and decorated ones.
        operators: the namespace that has `if_`, `while_`, `call` and so on.

    Raises:
        SourceNotFoundError: the function has no source, or its file was edited since.
        UnsupportedSyntaxError: something in it has no staged meaning.
    """
    if is_converted(function) or function.__code__.co_flags & _NOT_CONVERTED:
        return function
    converted = _cached(function)
    return instantiate(converted.code, function, operators, converted.operators)


def to_code(function: Callable[..., Any]) -> str:
    """Return the source of the converted function, in which the operators are named `ag`.

    Args:
        function: a function, method, partial or decorated function.

    Raises:
        SourceNotFoundError: the function has no source, or its file was edited since.
        UnsupportedSyntaxError: something in it has no staged meaning.
    """
    return call_deep(lambda: _code_of(unwrap(function)))


def _code_of(function: object) -> str:
    source = load(function)
    assert isinstance(function, FunctionType)
    if function.__code__.co_flags & _NOT_CONVERTED:
        return to_text(_undecorated(source.node))
    return to_text(_rewritten(source)[0])


def _cached(function: FunctionType) -> _Converted:
    """Two threads may both do the work, with equal results; no lock is there to be forked with."""
    code = function.__code__
    found = _cache.get(id(code))
    if found is not None and found.original() is code and found.modules == modules_of(function):
        return found
    converted = call_deep(lambda: _converted(function))
    _cache[id(code)] = converted
    return converted


def _converted(function: FunctionType) -> _Converted:
    source = load(function)
    node, operators = _rewritten(source)
    written = function_places(source.node)
    code = compile_function(node, function, operators, source.class_name, written)
    key = id(function.__code__)
    original = weakref.ref(function.__code__, lambda _: _cache.pop(key, None))
    return _Converted(original, source.modules, operators, code)


def _rewritten(source: FunctionSource) -> tuple[gast.AST, str]:
    """Return the rewritten tree, without decorators, and the name of the operators in it."""
    node = _undecorated(source.node)
    operators = Namer(node).fresh("ag")
    try:
        rewritten = rewrite(
            node, operators=operators, modules=source.modules, class_name=source.class_name
        )
    except ConversionError as error:
        error.locate(source.file, source.lines)
        raise
    return rewritten, operators


def _undecorated(node: gast.AST) -> gast.AST:
    if not isinstance(node, gast.Lambda):
        node.decorator_list = []
    return node
