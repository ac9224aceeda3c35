"""From a live Python function to its converted twin, or to the text of it.

In: a function and the namespace of operators. Out: a function that calls the operators where the
original branches, loops and calls. A code object is rewritten once, however many functions
(closures, methods) share it; it knows nothing of what the operators do.

What was compiled is stored on disk, where the next process finds it by the original code object.
The source is then not read until something else needs it.
"""

from __future__ import annotations

import inspect
import os
import sys
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

import gast

from autograph.converters.generators import Steps, may_catch
from autograph.converters.pipeline import rewrite
from autograph.errors import ConversionError
from autograph.logs import log
from autograph.source import code_cache
from autograph.source.build import (
    compile_function,
    instantiate,
    is_converted,
    mark_converted,
    owner_of,
)
from autograph.source.code_names import function_places
from autograph.source.deep_recursion import call_deep
from autograph.source.digest import digest
from autograph.source.load import FunctionSource, load, modules_of, unwrap
from autograph.source.names import Namer
from autograph.source.printer import to_text

_NOT_CONVERTED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


@dataclass
class _Conversion:
    """What a code object became.

    Attributes:
        original: the code object.
        modules: the names of modules that it was rewritten for.
        operators: the name of the operators in the rewritten function.
        code: the rewritten function, compiled.
    """

    original: weakref.ref[CodeType]
    modules: Mapping[str, str]
    operators: str
    code: CodeType


_cache: dict[tuple[int, Steps | None], _Conversion] = {}


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
    conversion = _cached(function, None)
    return instantiate(conversion.code, function, operators, conversion.operators)


def convert_generator(
    function: FunctionType, operators: object, steps: Steps
) -> tuple[FunctionType, str]:
    """Return a generator as a function that calls another one where it would yield.

    Args:
        function: a generator written in Python.
        operators: as for `convert`.
        steps: how often that is called, and what for.

    Returns:
        the function, and the name of its parameter that takes the other one.

    Raises:
        SourceNotFoundError: the function has no source, or its file was edited since.
        UnsupportedSyntaxError: it is a generator whose steps nothing else can take.
    """
    conversion = _cached(function, steps)
    made = instantiate(conversion.code, function, operators, conversion.operators)
    code = made.__code__
    return made, code.co_varnames[code.co_argcount + code.co_kwonlyargcount - 1]


def convert_kept(function: FunctionType, operators: object) -> FunctionType:
    """Return a generator that stays one, but calls operators where it calls, computes and writes.

    Raises:
        SourceNotFoundError: the function has no source, or its file was edited since.
        UnsupportedSyntaxError: it yields inside of a larger expression.
    """
    conversion = _cached(function, Steps.KEPT)
    return instantiate(conversion.code, function, operators, conversion.operators)


@lru_cache(maxsize=256)
def handles_errors(function: FunctionType) -> bool:
    """Tell whether a generator might catch an exception that is raised where it yields.

    Raises:
        SourceNotFoundError: the function has no source, or its file was edited since.
    """
    return may_catch(load(function).node)


def to_code(function: Callable[..., Any]) -> str:
    """Return the source of the converted function, in which the operators are named `ag`.

    Args:
        function: a function, method, partial or decorated function.

    Raises:
        SourceNotFoundError: the function has no source, or its file was edited since.
        UnsupportedSyntaxError: something in it has no staged meaning.
    """
    return call_deep(lambda: _code_of(unwrap(function)))


def is_whole(code: CodeType) -> bool:
    """Tell whether code is that of a converted function, and not of one inside of it."""
    conversion = owner_of(code)
    return isinstance(conversion, _Conversion) and conversion.code is code


def original_of(code: CodeType) -> CodeType | None:
    """Return the code of the user's function that converted code was made of, or None."""
    conversion = owner_of(code)
    return conversion.original() if isinstance(conversion, _Conversion) else None


def _code_of(function: object) -> str:
    source = load(function)
    assert isinstance(function, FunctionType)
    if function.__code__.co_flags & _NOT_CONVERTED:
        return to_text(_undecorated(source.node))
    return to_text(_rewritten(source, None, traced=False)[0])


def _cached(function: FunctionType, steps: Steps | None) -> _Conversion:
    """Two threads may both do the work, with equal results; no lock is there to be forked with."""
    code = function.__code__
    found = _cache.get((id(code), steps))
    if found is not None and found.original() is code and found.modules == modules_of(function):
        return found
    conversion = call_deep(lambda: _converted(function, steps))
    _cache[id(code), steps] = conversion
    return conversion


def _converted(function: FunctionType, steps: Steps | None) -> _Conversion:
    modules = modules_of(function)
    key = _key(function, modules, steps)
    found = key and code_cache.read(key)
    if found:
        operators, code = found
    else:
        operators, code = _compiled(load(function), function, steps)
        if key:
            code_cache.write(key, operators, code)
    number = id(function.__code__), steps
    forget = _cache.pop  # not by its name: a module's names are gone when Python ends
    original = weakref.ref(function.__code__, lambda _: forget(number, None))
    conversion = _Conversion(original, modules, operators, code)
    mark_converted(code, conversion)
    _tell(function, steps)
    return conversion


def _tell(function: FunctionType, steps: Steps | None) -> None:
    """Log that a function was converted, and at a higher verbosity what it became."""
    code = function.__code__
    place = f"{code.co_filename}, line {code.co_firstlineno}"
    log(1, lambda: f"{function.__qualname__} was converted ({place})")
    log(3, lambda: to_text(_rewritten(load(function), steps)[0]).rstrip())


def _key(function: FunctionType, modules: Mapping[str, str], steps: Steps | None) -> bytes | None:
    """Return what the code is stored under, if it is.

    Only functions of files are seen by two processes. Under -O the code lacks assertions, which are
    staged all the same.
    """
    code = function.__code__
    if sys.flags.optimize or not code_cache.is_on() or not os.path.isfile(code.co_filename):
        return None
    try:
        return digest(code, function.__qualname__ + (steps.value if steps else ""), modules)
    except OSError:
        return None


def _compiled(
    source: FunctionSource, function: FunctionType, steps: Steps | None
) -> tuple[str, CodeType]:
    """Return the name of the operators, and the rewritten code."""
    node, operators = _rewritten(source, steps)
    places = function_places(source.node)
    return operators, compile_function(node, function, operators, source.class_name, places)


def _rewritten(
    source: FunctionSource, steps: Steps | None, traced: bool = True
) -> tuple[gast.AST, str]:
    """Return the rewritten tree, without decorators, and the name of the operators in it."""
    node = _undecorated(source.node)
    operators = Namer(node).fresh("ag")
    try:
        rewritten = rewrite(
            node,
            operators=operators,
            modules=source.modules,
            class_name=source.class_name,
            traced=traced,
            steps=steps,
        )
    except ConversionError as error:
        error.locate(source.file, source.lines)
        raise
    return rewritten, operators


def _undecorated(node: gast.AST) -> gast.AST:
    if not isinstance(node, gast.Lambda):
        node.decorator_list = []
    return node
