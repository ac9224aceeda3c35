"""Live functions are converted once per code object, and shown as text."""

from __future__ import annotations

import gc
import weakref
from types import FunctionType
from typing import Any

import gast
import pytest

from autograph import conversion
from autograph.conversion import convert, to_code
from autograph.errors import SourceNotFoundError, UnsupportedSyntaxError
from autograph.source.quote import quote


class Operators:
    """A namespace that notes what is called."""

    def __init__(self) -> None:
        self.seen: list[object] = []

    def note(self, value: object) -> None:
        self.seen.append(value)


calls: list[str] = []


def noting(
    node: gast.AST, *, operators: str, modules: Any, class_name: str | None, **form: Any
) -> gast.AST:
    """Stand in for the pipeline: the function notes its own name first."""
    calls.append(operators)
    if isinstance(node, gast.Lambda):
        return node
    name = gast.copy_location(gast.Constant(node.name, None), node)
    node.body[:0] = quote("OPS.note(NAME)", at=node, OPS=operators, NAME=name)
    return node


@pytest.fixture(autouse=True)
def _pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    calls.clear()
    monkeypatch.setattr(conversion, "rewrite", noting)
    monkeypatch.setattr(conversion, "_cache", {})


def make(offset: int) -> Any:
    def add(x: int) -> int:
        return x + offset

    return add


def uses_ag(ag: int) -> int:
    return ag


def test_the_operators_are_called() -> None:
    operators = Operators()
    assert convert(make(1), operators)(2) == 3
    assert operators.seen == ["add"]


def test_closures_of_one_code_are_rewritten_once() -> None:
    one, two = make(1), make(2)
    assert [convert(f, Operators())(10) for f in (one, two)] == [11, 12]
    assert len(calls) == 1


def test_each_function_gets_its_own_operators() -> None:
    first, second = Operators(), Operators()
    convert(uses_ag, first)(1)
    convert(uses_ag, second)(1)
    assert (first.seen, second.seen) == (["uses_ag"], ["uses_ag"])


def test_the_operators_get_a_name_that_the_function_does_not_use() -> None:
    assert convert(uses_ag, Operators())(1) == 1
    assert calls == ["ag_2"]


def test_a_converted_function_is_not_converted_again() -> None:
    converted = convert(make(1), Operators())
    assert convert(converted, Operators()) is converted


def test_generators_and_coroutines_stay_as_they_are() -> None:
    def generator() -> Any:
        yield 1

    async def coroutine() -> None: ...

    for function in (generator, coroutine):
        assert isinstance(function, FunctionType)
        assert convert(function, Operators()) is function
    assert to_code(generator) == "def generator() -> Any:\n    yield 1\n"


def test_a_function_is_rewritten_again_when_its_modules_changed() -> None:
    function = FunctionType(uses_module.__code__, {"module": gast})
    convert(function, Operators())
    function.__globals__["module"] = gc
    convert(function, Operators())
    assert len(calls) == 2


def uses_module() -> object:
    return module  # type: ignore[name-defined]  # noqa: F821  # a global of the function made above


def test_nothing_is_kept_of_a_function_that_is_gone(tmp_path: Any) -> None:
    path = tmp_path / "gone.py"
    path.write_text("def f():\n    return 1\n")
    scope: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    convert(scope["f"], Operators())
    code = weakref.ref(scope.pop("f").__code__)
    gc.collect()
    assert code() is None
    assert not conversion._cache


def test_to_code_shows_the_operators_as_ag() -> None:
    assert to_code(make(1)) == (
        "def add(x: int) -> int:\n    ag.note('add')\n    return x + offset\n"
    )


def test_to_code_shows_a_lambda_as_an_expression() -> None:
    assert to_code(lambda x: x + 1) == "lambda x: x + 1"


def test_to_code_looks_through_methods() -> None:
    assert to_code(Operators().note).startswith("def note(self, value: object) -> None:\n")


def test_to_code_of_a_built_in_is_refused() -> None:
    with pytest.raises(SourceNotFoundError, match="len has no Python source"):
        to_code(len)


def test_an_unsupported_construct_is_shown_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(node: gast.AST, **_: object) -> gast.AST:
        raise UnsupportedSyntaxError("No return.", at=node.body[0])

    monkeypatch.setattr(conversion, "rewrite", refuse)
    with pytest.raises(UnsupportedSyntaxError) as caught:
        convert(uses_ag, Operators())
    lines = str(caught.value).splitlines()
    assert lines[0] == "No return."
    assert lines[1].startswith(f'  File "{__file__}", line ')
    assert lines[2:] == ["    return ag", "    ^^^^^^^^^"]
