"""The source of a live function is found, and it is refused when it is not the function's."""

from __future__ import annotations

import argparse
import functools
import importlib.util
import inspect
import linecache
import os
import sys
from pathlib import Path
from types import ModuleType

import gast
import pytest

from autograph.errors import (
    InvalidSourceError,
    Place,
    SourceNotFoundError,
    UnsupportedSyntaxError,
)
from autograph.source import parse as parse_module
from autograph.source.load import load, place_of, unwrap
from autograph.source.printer import to_text
from tests.autograph.source import build_samples as samples
from tests.autograph.source import lambda_samples as lambdas


def imported(path: Path, text: str) -> ModuleType:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_function_is_found_with_its_lines() -> None:
    source = load(samples.plain)
    assert source.file == samples.__file__
    assert source.lines[source.node.lineno - 1].startswith("def plain")
    assert source.qualname == "plain"
    assert source.text == Path(samples.__file__).read_text()
    assert not source.is_lambda


def test_a_decorated_function_is_found_behind_its_decorators() -> None:
    source = load(unwrap(samples.decorated))
    assert (source.node.name, len(source.node.decorator_list)) == ("decorated", 2)


def test_the_tree_is_private() -> None:
    assert load(samples.plain).node is not load(samples.plain).node


def test_a_method_knows_the_class_that_mangles_its_names() -> None:
    assert load(samples.Thing.secret).class_name == "Thing"
    assert load(samples.Thing.Inner.deep).class_name == "Inner"
    assert load(samples.Thing.Inner().deep()).class_name == "Inner"
    assert load(samples.plain).class_name is None


def test_modules_are_known_by_their_names() -> None:
    assert load(samples.with_module).modules == {"mathematics": "math"}


def test_modules_in_free_variables_are_known() -> None:
    import math as local_name

    assert load(lambda: local_name.pi).modules == {"local_name": "math"}


def test_lambdas_on_one_line_are_told_apart_by_their_code() -> None:
    assert [to_text(load(f).node) for f in samples.two] == ["lambda x: x + 1", "lambda x: x + 2"]


@pytest.mark.parametrize(
    ("function", "text"), lambdas.CASES, ids=[text for _, text in lambdas.CASES]
)
def test_a_lambda_is_found_wherever_it_stands(function: object, text: str) -> None:
    assert to_text(load(function).node) == text


@pytest.mark.skipif(sys.version_info < (3, 11), reason="columns are known from 3.11")
def test_lambdas_with_the_same_code_are_told_apart_by_their_columns() -> None:
    first, second = (load(f).node.col_offset for f in samples.twins)
    assert first < second


def test_lambdas_with_the_same_code_are_found() -> None:
    assert [to_text(load(f).node) for f in samples.twins] == ["lambda x: x * 1"] * 2


def test_a_lambda_inside_a_lambda_of_several_lines_is_found() -> None:
    assert to_text(load(samples.long_lambda(1)[1]).node) == "lambda y: (x, y)"


def test_a_function_of_a_test_with_asserts_is_found() -> None:
    def f(x: int) -> int:
        assert x > 0, "text"
        return x

    assert isinstance(load(f).node.body[0], gast.Assert)


def test_a_file_that_was_edited_before_its_source_was_read_is_refused(tmp_path: Path) -> None:
    module = imported(tmp_path / "edited.py", "def f(x):\n    return x + 1\n")
    (tmp_path / "edited.py").write_text("def f(x):\n    return x - 1\n")
    with pytest.raises(SourceNotFoundError) as caught:
        load(module.f)
    file = tmp_path / "edited.py"
    assert str(caught.value) == (
        f"The source of f was expected at line 1 of {file}, but what stands there is not the "
        "function that is running: the file was edited after it was imported, or the function was "
        f'changed by another tool.\n  File "{file}", line 1\n    def f(x):\n    ^^^^^^^^^\n'
        "Try: Reload the module or start Python again."
    )


def test_a_file_that_was_moved_down_is_refused(tmp_path: Path) -> None:
    module = imported(tmp_path / "moved.py", "def f(x):\n    return x + 1\n")
    (tmp_path / "moved.py").write_text("def g(x):\n    return 2\ndef f(x):\n    return x + 1\n")
    with pytest.raises(SourceNotFoundError, match="Reload the module"):
        load(module.f)


def test_a_function_that_was_moved_below_another_of_its_name_is_refused(tmp_path: Path) -> None:
    module = imported(tmp_path / "below.py", "def f(x):\n    return x + 1\n")
    text = "def f(x):\n    return 2\nold = f\ndef f(x):\n    return x + 1\n"
    (tmp_path / "below.py").write_text(text)
    with pytest.raises(SourceNotFoundError, match="Reload the module"):
        load(module.f)


def test_a_module_that_was_reloaded_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "again.py"
    load(imported(path, "def f(x):\n    return x + 1\n").f)
    module = imported(path, "# longer\ndef f(x):\n    return x - 1\n")
    os.utime(path, (1, 1))
    assert "x - 1" in to_text(load(module.f).node)


def test_an_edit_within_the_resolution_of_the_clock_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "quick.py"
    path.write_text("def f(x):\n    return x + 1\n")
    os.utime(path, (1, 1))
    linecache.getlines(str(path))
    module = imported(path, "def f(x):\n    return x - 1\n")
    os.utime(path, (1, 1))
    linecache.checkcache(str(path))
    assert "x + 1" in linecache.getline(str(path), 2)
    assert "x - 1" in to_text(load(module.f).node)


def test_a_text_that_was_read_in_the_middle_of_an_edit_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "middle.py"
    path.write_text("def f(x:\n")
    linecache.getlines(str(path))
    module = imported(path, "def f(x):\n    return x - 1\n")
    assert "x - 1" in to_text(load(module.f).node)


def test_a_file_that_is_no_python_any_more_is_refused_in_its_line(tmp_path: Path) -> None:
    module = imported(tmp_path / "broken.py", "def f(x):\n    return x\n")
    (tmp_path / "broken.py").write_text("def f(x):\n    return x +\n")
    with pytest.raises(InvalidSourceError, match=r"broken\.py\", line 2\n    return x \+\n"):
        load(module.f)


def test_what_was_read_before_the_edit_is_still_good(tmp_path: Path) -> None:
    path = tmp_path / "kept.py"
    module = imported(path, "def f(x):\n    return x + 1\n")
    linecache.getlines(str(path))
    path.write_text("def f(x):\n    return x - 1\n")
    assert "x + 1" in to_text(load(module.f).node)


def test_text_registered_with_linecache_is_a_source() -> None:
    text = "def f(x):\n    return x\n"
    linecache.cache["<notebook 1>"] = (len(text), None, text.splitlines(True), "<notebook 1>")
    scope: dict[str, object] = {}
    exec(compile(text, "<notebook 1>", "exec"), scope)
    assert load(scope["f"]).node.name == "f"


def test_exec_without_text_is_refused_with_a_hint() -> None:
    scope: dict[str, object] = {}
    exec("def f(x):\n    return x\n", scope)
    with pytest.raises(SourceNotFoundError) as caught:
        load(scope["f"])
    assert str(caught.value) == (
        "The source of f is not available: it was made by exec (<string>), which keeps no text.\n"
        "Try: Write the function to a file and import it, or hand the text to linecache: "
        "linecache.cache[name] = (len(text), None, text.splitlines(True), name)."
    )


def test_a_frozen_function_is_refused() -> None:
    with pytest.raises(SourceNotFoundError, match="is part of the interpreter itself") as caught:
        load(importlib.util.module_from_spec)
    assert str(caught.value).endswith("Try: Leave it as it is: @autograph.do_not_convert.")


def test_a_name_under_which_nobody_kept_a_text_is_refused() -> None:
    scope: dict[str, object] = {}
    exec(compile("def f(x):\n    return x\n", "<lost cell>", "exec"), scope)
    with pytest.raises(SourceNotFoundError, match="nobody kept the text of <lost cell>") as caught:
        load(scope["f"])
    assert "hand the text to linecache" in str(caught.value)


def test_a_text_that_was_kept_for_another_function_is_refused() -> None:
    linecache.cache["<cell 8>"] = (1, None, ["def f(x):\n", "    return 2\n"], "<cell 8>")
    scope: dict[str, object] = {}
    exec(compile("def f(x):\n    return x\n", "<cell 8>", "exec"), scope)
    with pytest.raises(SourceNotFoundError, match="expected at line 1 of <cell 8>, but what stand"):
        load(scope["f"])


def test_a_file_that_is_gone_is_refused(tmp_path: Path) -> None:
    module = imported(tmp_path / "gone.py", "def f(x):\n    return x + 1\n")
    (tmp_path / "gone.py").unlink()
    with pytest.raises(SourceNotFoundError, match=r"its file .*gone\.py cannot be read") as caught:
        load(module.f)
    assert str(caught.value).endswith("Try: Put the .py file there: a .pyc is not enough.")


def test_a_built_in_function_is_refused() -> None:
    with pytest.raises(SourceNotFoundError, match=r"len has no Python source.*built into Python"):
        load(len)


def test_unwrap_looks_through_methods_partials_and_decorators() -> None:
    thing = samples.Thing()
    assert unwrap(thing.name) is samples.Thing.name
    assert unwrap(functools.partial(functools.partial(samples.plain, 1), 2)) is samples.plain
    assert unwrap(staticmethod(samples.plain)) is samples.plain
    assert unwrap(samples.decorated).__name__ == "decorated"  # type: ignore[attr-defined]  # has


def test_unwrap_survives_a_circle() -> None:
    def f() -> None: ...

    f.__wrapped__ = f  # type: ignore[attr-defined]  # on purpose
    assert unwrap(f) is f


@pytest.mark.parametrize("module", [functools, linecache, inspect, argparse, gast.ast3])
def test_every_function_of_a_module_is_found(module: ModuleType) -> None:
    classes = [value for value in vars(module).values() if isinstance(value, type)]
    values = [value for scope in (module, *classes) for value in vars(scope).values()]
    own = [value for value in values if getattr(value, "__module__", "") == module.__name__]
    functions = [value for value in own if inspect.isfunction(value)]
    assert all(load(function).node is not None for function in functions)


def test_unknown_syntax_is_shown_in_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse_module, "_UNKNOWN_TO_GAST", frozenset({"Mult"}))
    assert load(samples.plain).node is not None
    monkeypatch.setattr(parse_module, "_UNKNOWN_TO_GAST", frozenset({"Lambda"}))
    with pytest.raises(UnsupportedSyntaxError, match=r"line \d+\n.*lambda(.|\n)*\^\^\^"):
        load(samples.long_lambda)


def test_the_place_of_a_function_is_its_head_as_far_as_it_is_known() -> None:
    place = place_of(samples.plain)
    assert place is not None
    assert place.text[place.column : place.end_column] == "def plain"
    scope: dict[str, object] = {}
    exec("\ndef f(x): pass", scope)
    assert place_of(scope["f"]) == Place("<string>", 2)
    assert place_of(len) is None
