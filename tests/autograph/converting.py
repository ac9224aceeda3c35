"""Help for tests of the converters: convert live functions, compare them with plain Python."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from types import FunctionType
from typing import Any

import gast

from autograph.converters.pipeline import rewrite
from autograph.inlining import plain
from autograph.source.build import compile_definition, definition_of, instantiate
from autograph.source.code_names import function_places
from autograph.source.load import FunctionSource, load
from autograph.source.names import Namer
from autograph.source.printer import to_text
from tests.autograph import plain_operators

Outcome = tuple[str, Any]
Form = Callable[[ast.stmt, str], ast.stmt]


FORMS: dict[str, tuple[object, Form | None]] = {
    "operators": (plain_operators, None),
    "plain": (plain_operators, plain),
}
"""The forms of converted code: the operators, and how they are inlined."""


def converted(function: Callable[..., Any]) -> FunctionType:
    """Return a function rewritten and compiled with plain operators."""
    return converted_by(function, plain_operators, None)


def all_converted(function: Callable[..., Any]) -> list[FunctionType]:
    """Return a function rewritten in every form: of operators, and without operators."""
    return [converted_by(function, operators, form) for operators, form in FORMS.values()]


def converted_by(
    function: Callable[..., Any], operators: object, form: Form | None
) -> FunctionType:
    """Return a function rewritten and compiled in one form."""
    assert isinstance(function, FunctionType)
    source, tree, name = rewritten(function)
    old = function.__code__
    body = definition_of(tree, old.co_firstlineno)
    if form is not None:
        body = ast.fix_missing_locations(form(body, name))
    free, places = (*old.co_freevars, name), function_places(tree)
    code = compile_definition(body, old, free, function.__qualname__, source.class_name, places)
    return instantiate(code, function, operators, name)


def code_of(function: Callable[..., Any]) -> str:
    """Return the rewritten text of a live function."""
    return to_text(rewritten(function)[1])


def rewritten(function: Callable[..., Any]) -> tuple[FunctionSource, gast.AST, str]:
    """Return source and rewritten tree of a live function, and the name of the operators in it."""
    source = load(function)
    name = Namer(source.node).fresh("ag")
    modules, class_name = source.modules, source.class_name
    tree = rewrite(source.node, operators=name, modules=modules, class_name=class_name)
    return source, tree, name


def outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Outcome:
    """Return how a call ends: its result and what it did to its arguments, or its error."""
    arguments = copy.deepcopy(arguments)
    try:
        result = function(*arguments)
    except NameError as error:
        return type(error).__name__, arguments  # the texts speak of free or of local variables
    except Exception as error:
        return type(error).__name__, (str(error), arguments)
    return "returned", (result, arguments)


def assert_same(function: Callable[..., Any], *calls: tuple[Any, ...]) -> None:
    """Check that a function and its rewritten form do the same for each tuple of arguments."""
    for other in all_converted(function):
        for arguments in calls:
            assert outcome(other, arguments) == outcome(function, arguments), code_of(function)
