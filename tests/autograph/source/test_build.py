"""A function that is taken apart and built again is the same function."""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable
from types import FunctionType
from typing import Any

import gast
import pytest

from autograph.source.build import (
    compile_function,
    instantiate,
    is_converted,
    mark_converted,
)
from autograph.source.load import load, unwrap
from autograph.source.quote import quote
from tests.autograph.source import build_samples as samples


def rebuilt(function: Any, operators: object = None, name: str = "ag") -> Any:
    original = unwrap(function)
    assert isinstance(original, FunctionType)
    source = load(original)
    code = compile_function(source.node, original, name, source.class_name, records=False)
    mark_converted(code)
    return instantiate(code, original, operators, name)


def test_arguments_and_defaults_are_kept() -> None:
    assert rebuilt(samples.plain)(1, d=5, f=6) == samples.plain(1, d=5, f=6)


@pytest.mark.parametrize(
    "function",
    [samples.plain, samples.annotated, samples.decorated, samples.Thing.secret, samples.two[1]],
)
def test_what_describes_a_function_is_kept(function: Callable[..., Any]) -> None:
    function = unwrap(function)  # type: ignore[assignment]  # it is one
    new = rebuilt(function)
    for field in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__"):
        assert getattr(new, field) == getattr(function, field)
    assert inspect.signature(new) == inspect.signature(function)
    for field in ("co_name", "co_filename", "co_firstlineno", "co_qualname", "co_varnames"):
        assert getattr(new.__code__, field, 0) == getattr(function.__code__, field, 0)


def test_attributes_are_kept() -> None:
    def f() -> None: ...

    f.mark = 1  # type: ignore[attr-defined]  # on purpose
    assert rebuilt(f).mark == 1


def test_cells_are_shared_with_the_original() -> None:
    counter = samples.make_counter(10)
    assert (rebuilt(counter)(1), counter(1), rebuilt(counter)(1)) == (11, 12, 13)


def test_a_global_name_is_not_taken_for_the_function_around() -> None:
    assert rebuilt(samples.recursive)(3) == 6
    assert rebuilt(samples.recursive).__code__.co_freevars == ()


def test_a_nested_recursive_function_finds_itself_in_its_cell() -> None:
    assert rebuilt(samples.make_recursive())(3) == 6


def test_super_finds_the_class() -> None:
    assert rebuilt(samples.Thing.name)(samples.Thing()) == "thing of base"


def test_private_names_are_mangled() -> None:
    thing = samples.Thing()
    private, attributes, inner, cls = rebuilt(samples.Thing.secret)(thing)
    assert (private, inner(), cls) == ("private", "private", samples.Thing)
    assert attributes == {"_Thing__hidden": 1}


def test_private_names_of_a_lambda_are_mangled() -> None:
    assert rebuilt(samples.Thing.pick)(samples.Thing()) == "privateThing"


def test_a_method_named_as_its_class_is_told_from_it() -> None:
    assert rebuilt(samples.secret.secret)(samples.secret()) == (samples.secret, "secret")


def test_nested_functions_keep_their_qualified_names() -> None:
    inner = rebuilt(samples.Thing.Inner.deep)(samples.Thing.Inner())
    assert inner.__qualname__ == samples.Thing.Inner().deep().__qualname__
    assert rebuilt(samples.long_lambda)(1)[1].__qualname__ == "<lambda>.<locals>.<lambda>"


def test_generators_and_coroutines_are_built_too() -> None:
    assert list(rebuilt(samples.generator)(1)) == [1]
    assert inspect.iscoroutinefunction(rebuilt(samples.coroutine))


def test_operators_are_a_free_variable() -> None:
    source = load(samples.plain)
    source.node.body = quote("return AG, ag_2", at=source.node, AG="ag")
    code = compile_function(source.node, samples.plain, "ag")
    assert code.co_freevars == ("ag",)
    with pytest.raises(NameError, match="ag_2"):
        instantiate(code, samples.plain, "operators", "ag")(1)


def test_everything_made_is_known_as_converted() -> None:
    new = rebuilt(samples.make_counter)
    assert is_converted(new)
    assert is_converted(new(1))
    assert not is_converted(samples.make_counter)
    assert not is_converted(len)


def test_a_traceback_shows_the_line_of_the_user() -> None:
    def f(x: int) -> float:
        y = 1
        return y / x

    try:
        rebuilt(f)(0)
    except ZeroDivisionError as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
    assert (frame.filename, frame.line, frame.name) == (__file__, "return y / x", "f")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="columns are known from 3.11")
def test_code_has_the_columns_of_the_user() -> None:
    new = rebuilt(samples.plain).__code__
    assert list(new.co_positions()) == list(samples.plain.__code__.co_positions())


def test_code_that_was_not_rewritten_is_the_same() -> None:
    assert rebuilt(samples.plain).__code__.co_code == samples.plain.__code__.co_code


def test_annotations_and_defaults_are_not_evaluated_again() -> None:
    before = list(samples.calls)
    assert rebuilt(samples.with_costly_defaults)() == "default"
    assert samples.calls == before


def test_an_unchanged_gast_tree_is_not_changed_by_compiling_it() -> None:
    source = load(samples.annotated)
    before = gast.dump(source.node)
    compile_function(source.node, samples.annotated, "ag")
    assert gast.dump(source.node) == before
