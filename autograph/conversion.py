"""From a live Python function to its converted twin, or to the text of it.

In: a function and the namespace of operators. Out: a function that calls the operators where the
original branches, loops and calls. A code object is rewritten once, however many functions
(closures, methods) share it; it knows nothing of what the operators do.

What was compiled is stored on disk, where the next process finds it by the original code object.
The source is then not read until something else needs it.

Converted code that runs often in Python, with nothing staged, is compiled once more with operators
inlined: functions that are converted again and again (`convert`), and loops (`Loop.guarded`).
"""

from __future__ import annotations

import ast
import inspect
import math
import os
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from types import CellType, CodeType, FunctionType
from typing import Any

import gast

from autograph.converters.pipeline import rewrite
from autograph.errors import ConversionError
from autograph.inlining import guarded, loop_at, placed, with_fields
from autograph.logs import log
from autograph.source import stored
from autograph.source.build import (
    INNER,
    compile_definition,
    compile_function,
    definition_of,
    instantiate,
    is_converted,
    mark_converted,
    owner_of,
)
from autograph.source.code_names import function_places
from autograph.source.deep import call_deep
from autograph.source.digest import digest
from autograph.source.load import FunctionSource, load, modules_of, unwrap
from autograph.source.names import Namer
from autograph.source.printer import to_text

PLAIN, LISTS = "", " with lists"
EMITTING, STOPPING = " emitting", " emitting until it is stopped"
"""Forms of converted code: for lists with staged items, and for generators as functions."""

_NOT_CONVERTED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

OFTEN = 100
"""So many times a function is converted before its operators are inlined."""


@dataclass
class _Conversion:
    """What a code object became.

    Attributes:
        original: the code object.
        modules: the names of modules that it was rewritten for.
        operators: the name of the operators in the rewritten function.
        code: the rewritten function, compiled.
        source: of the function; its tree is not changed. None if it was not read yet.
        form: in which form it was rewritten.
        uses: how often it was asked for.
        guarded: the same with operators inlined, once that is worth while.
        loops: the loops in it that have run, by their lines.
    """

    original: weakref.ref[CodeType]
    modules: Mapping[str, str]
    operators: str
    code: CodeType
    source: FunctionSource | None
    form: str = PLAIN
    uses: int = 0
    guarded: CodeType | None = None
    loops: dict[int, Loop] = field(default_factory=dict)

    def source_in(self, scope: dict[str, Any]) -> FunctionSource | None:
        """Return the source, or None if it is not there any more.

        Args:
            scope: the globals of the function.
        """
        code = self.original()
        if self.source is None and code is not None:
            closure = tuple(CellType() for _ in code.co_freevars)
            with suppress(ConversionError):
                source = load(FunctionType(code, scope, None, None, closure))
                self.source = replace(source, modules=self.modules)
        return self.source


class Loop:
    """A loop of converted code.

    Args:
        conversion: of the function that it is part of; None if that is not known.
        line: where it stands.

    Attributes:
        rounds: how many rounds it has run in Python.
    """

    def __init__(self, conversion: Callable[[], _Conversion | None] | None, line: int) -> None:
        self._conversion = conversion
        self._line = line
        self._code: CodeType | None = None
        self.rounds: float = 0 if conversion is not None else -math.inf

    def guarded(
        self, closures: Sequence[Callable[..., Any] | None], operators: object
    ) -> FunctionType | None:
        """Return a function that runs the loop with operators inlined, or None if there is none.

        It takes what the loop goes over, or nothing if it is a `while`.

        Args:
            closures: the body of the loop, and what is asked for its end.
            operators: the namespace of operators.
        """
        conversion = self._conversion and self._conversion()
        if conversion is None:
            return None
        functions = [x for x in closures if isinstance(x, FunctionType)]
        cells = {conversion.operators: CellType(operators)}
        for function in functions:
            cells |= zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        body = functions[0]
        if self._code is None:
            build = partial(self._compiled, conversion, body, tuple(cells), operators)
            self._code = call_deep(build)
        if self._code is None or not set(self._code.co_freevars) <= cells.keys():
            self.rounds = -math.inf
            return None
        closure = tuple(cells[name] for name in self._code.co_freevars)
        return FunctionType(self._code, body.__globals__, body.__name__, None, closure)

    def _compiled(
        self, conversion: _Conversion, body: FunctionType, free: Sequence[str], operators: object
    ) -> CodeType | None:
        source, old = conversion.source_in(body.__globals__), body.__code__
        if source is None:
            return None
        function = definition_of(_rewritten(source)[0], old.co_firstlineno)
        found = loop_at(function, self._line, conversion.operators)
        if found is None:
            return None
        definition = with_fields(guarded(found, conversion.operators), name=INNER)
        ast.fix_missing_locations(definition)
        places = function_places(source.node)
        code = compile_definition(
            definition, old, free, body.__qualname__, source.class_name, places
        )
        code = placed(code, operators)
        mark_converted(code, conversion)
        return code


_cache: dict[tuple[int, str], _Conversion] = {}


def convert(
    function: FunctionType, operators: object, often: bool = False, lists: bool = False
) -> FunctionType:
    """Return the function with its control flow made calls of operators.

    Generators, async functions and functions that are converted already are returned as they are.

    Args:
        function: a plain Python function; see `unwrap` for methods and decorated ones.
        operators: the namespace that has `if_`, `while_`, `call` and so on.
        often: whether it is known that it will run often with nothing staged.
        lists: whether lists may have staged items; operators are then never inlined.

    Raises:
        SourceNotFoundError: the function has no source, or its file was edited since.
        UnsupportedSyntaxError: something in it has no staged meaning.
    """
    if is_converted(function) or function.__code__.co_flags & _NOT_CONVERTED:
        return function
    conversion = _cached(function, LISTS if lists else PLAIN)
    conversion.uses += 1
    code = conversion.code
    if lists:
        return instantiate(code, function, operators, conversion.operators)
    if often or conversion.uses > OFTEN:
        code = conversion.guarded or call_deep(lambda: _guarded(conversion, function, operators))
    return instantiate(code, function, operators, conversion.operators)


def convert_generator(
    function: FunctionType, operators: object, stops: bool
) -> tuple[FunctionType, str]:
    """Return a generator as a function that calls another one where it would yield.

    Args:
        function: a generator written in Python.
        operators: as for `convert`.
        stops: whether what is called tells when the generator is to end.

    Returns:
        the function, and the name of its parameter that takes the other one.

    Raises:
        SourceNotFoundError: the function has no source, or its file was edited since.
        UnsupportedSyntaxError: it is a generator whose steps nothing else can take.
    """
    conversion = _cached(function, STOPPING if stops else EMITTING)
    made = instantiate(conversion.code, function, operators, conversion.operators)
    code = made.__code__
    return made, code.co_varnames[code.co_argcount + code.co_kwonlyargcount - 1]


def to_code(function: Callable[..., Any]) -> str:
    """Return the source of the converted function, in which the operators are named `ag`.

    Args:
        function: a function, method, partial or decorated function.

    Raises:
        SourceNotFoundError: the function has no source, or its file was edited since.
        UnsupportedSyntaxError: something in it has no staged meaning.
    """
    return call_deep(lambda: _code_of(unwrap(function)))


def loop_of(body: Callable[..., Any]) -> Loop:
    """Return the loop of converted code that a closure is the body of."""
    code = getattr(body, "__code__", None)
    conversion = owner_of(code) if isinstance(code, CodeType) else None
    if code is None or not isinstance(conversion, _Conversion) or conversion.form:
        return Loop(None, 0)
    line = code.co_firstlineno
    if line not in conversion.loops:
        conversion.loops[line] = Loop(weakref.ref(conversion), line)
    return conversion.loops[line]


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
    return to_text(_rewritten(source)[0])


def _cached(function: FunctionType, form: str) -> _Conversion:
    """Two threads may both do the work, with equal results; no lock is there to be forked with."""
    code = function.__code__
    found = _cache.get((id(code), form))
    if found is not None and found.original() is code and found.modules == modules_of(function):
        return found
    conversion = call_deep(lambda: _converted(function, form))
    _cache[id(code), form] = conversion
    return conversion


def _converted(function: FunctionType, form: str) -> _Conversion:
    modules = modules_of(function)
    key = _key(function, modules, form)
    found = key and stored.read(key)
    source = None if found else load(function)
    if found:
        operators, code = found
    else:
        assert source is not None
        operators, code = _compiled(source, function, form)
        if key:
            stored.write(key, operators, code)
    number = id(function.__code__), form
    forget = _cache.pop  # not by its name: a module's names are gone when Python ends
    original = weakref.ref(function.__code__, lambda _: forget(number, None))
    conversion = _Conversion(original, modules, operators, code, source, form)
    mark_converted(code, conversion)
    _tell(function, form)
    return conversion


def _tell(function: FunctionType, form: str) -> None:
    """Log that a function was converted, and at a higher verbosity what it became."""
    code = function.__code__
    place = f"{code.co_filename}, line {code.co_firstlineno}"
    log(1, lambda: f"{function.__qualname__} was converted ({place})")
    log(3, lambda: to_text(_rewritten(load(function), form)[0]).rstrip())


def _key(function: FunctionType, modules: Mapping[str, str], form: str) -> bytes | None:
    """Return what the code is stored under, if it is.

    Only functions of files are seen by two processes. Under -O the code lacks assertions, which are
    staged all the same.
    """
    code = function.__code__
    if sys.flags.optimize or not stored.is_on() or not os.path.isfile(code.co_filename):
        return None
    try:
        return digest(code, function.__qualname__ + form, modules)
    except OSError:
        return None


def _compiled(source: FunctionSource, function: FunctionType, form: str) -> tuple[str, CodeType]:
    """Return the name of the operators, and the rewritten code."""
    node, operators = _rewritten(source, form)
    places = function_places(source.node)
    return operators, compile_function(node, function, operators, source.class_name, places)


def _guarded(conversion: _Conversion, function: FunctionType, operators: object) -> CodeType:
    """Return the code of a conversion with operators inlined, or as it is without a source."""
    source = conversion.source_in(function.__globals__)
    if source is None:
        conversion.guarded = conversion.code
        return conversion.code
    node, name = _rewritten(source)
    improve = partial(guarded, operators=name)
    places = function_places(source.node)
    code = compile_function(node, function, name, source.class_name, places, improve)
    conversion.guarded = placed(code, operators)
    mark_converted(conversion.guarded, conversion)
    return conversion.guarded


def _rewritten(source: FunctionSource, form: str = PLAIN) -> tuple[gast.AST, str]:
    """Return the rewritten tree, without decorators, and the name of the operators in it."""
    node = _undecorated(source.node)
    operators = Namer(node).fresh("ag")
    try:
        rewritten = rewrite(
            node,
            operators=operators,
            modules=source.modules,
            class_name=source.class_name,
            lists=bool(form),
            stops=form == STOPPING if form in (EMITTING, STOPPING) else None,
        )
    except ConversionError as error:
        error.locate(source.file, source.lines)
        raise
    return rewritten, operators


def _undecorated(node: gast.AST) -> gast.AST:
    if not isinstance(node, gast.Lambda):
        node.decorator_list = []
    return node
