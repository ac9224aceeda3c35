"""Code that was made from parts of a function has the names of that function."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from types import CodeType
from typing import Any

import pytest

from autograph import operators
from autograph.conversion import convert
from autograph.source.locate import nested_codes
from tests.autograph import traceback_samples


def lambdas_of_both_kinds(x):
    first = x > 0 and (lambda: x)
    second = [f for f in (lambda: 1, lambda: x) if f and f() > 0]

    def inner():
        return x or (lambda: (lambda: x) if x else None)

    if x > 1:

        class Local:
            def method(self):
                return (lambda: x) if x else None

        first = Local().method()
    else:

        def named():
            return x

        second = named
    return first, second, inner()


def qualified_names(code: CodeType) -> Iterator[str]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield getattr(constant, "co_qualname", constant.co_name)
            yield from qualified_names(constant)


def test_functions_that_were_made_are_named_as_the_function_they_are_part_of() -> None:
    new = convert(lambdas_of_both_kinds, operators).__code__
    names = set(qualified_names(new))
    comprehension = {x for x in names if "<listcomp>" in x}
    assert names - comprehension - {new.co_name} == (
        set(qualified_names(lambdas_of_both_kinds.__code__)) - comprehension
    )


def test_objects_made_in_a_branch_have_the_qualified_names_of_the_user() -> None:
    def f(x):
        if x > 0:

            class Made:
                def method(self):
                    return lambda: x

            def function():
                return x

        else:
            Made = function = None
        return Made, function

    made, function = convert(f, operators)(1)
    plain, _ = f(1)
    assert made.__qualname__ == plain.__qualname__
    assert made.method.__qualname__ == plain.method.__qualname__
    assert made().method().__qualname__ == plain().method().__qualname__
    assert function.__qualname__ == f(1)[1].__qualname__


@pytest.mark.skipif(sys.version_info < (3, 11), reason="columns are known from 3.11")
@pytest.mark.parametrize("function", traceback_samples.FUNCTIONS, ids=lambda f: f.__name__)
def test_all_positions_of_converted_code_are_in_the_function(function: Any) -> None:
    lines, first = inspect.getsourcelines(function)
    code = convert(function, operators).__code__
    for part in (code, *nested_codes(code)):
        found = {line for place in part.co_positions() for line in place[:2]} - {None, 0}
        assert found <= set(range(first, first + len(lines)))
        assert part.co_firstlineno in found
