"""Findings: where they are, what they say, what excuses them."""

from __future__ import annotations

import pytest

from autograph.errors import InvalidSourceError
from autograph.lint import as_json, as_text, check_text
from tests.autograph.lint.examples import as_module

SETS = as_module(
    "def f(x):\n    é, rows = 1, 0\n    rows = set()\n    for y in x: é = 2; rows.pop()\n"
)


def test_a_finding_shows_place_line_reason_and_fix() -> None:
    (found,) = check_text(SETS, "net.py")
    assert str(found) == (
        "net.py:8:24: AG101 `rows.pop` takes any item of `rows` in a staged loop: which item it "
        "is says CPython's table alone, and of texts nobody (in f).\n"
        "    for y in x: é = 2; rows.pop()\n"
        "                       ^\n"
        "    Try: Take sorted(s)[0] of a set."
    )


def test_findings_are_counted() -> None:
    found = check_text(SETS, "net.py")
    assert as_text(found).endswith("\n\n1 finding")
    assert as_text(found * 2).endswith("\n\n2 findings")
    assert as_text([]) == ""


def test_json_has_all_fields() -> None:
    (found,) = as_json(check_text(SETS, "net.py"))
    assert list(found) == ["file", "line", "column", "code", "message", "fix", "text"]
    assert (found["line"], found["column"], found["code"]) == (8, 24, "AG101")


@pytest.mark.parametrize(
    ("comment", "count"),
    [
        ("# noqa", 0),
        ("# noqa: AG101", 0),
        ("# noqa:E501,ag101", 0),
        ("# noqa: AG102", 1),
        ("# no", 1),
    ],
)
def test_a_comment_excuses_its_line(comment: str, count: int) -> None:
    text = SETS.replace("rows.pop()", f"rows.pop()  {comment}")
    assert len(check_text(text, "net.py")) == count


def test_a_text_that_looks_like_a_comment_excuses_nothing() -> None:
    assert len(check_text(SETS.replace("é = 2", "é = '# noqa'"), "net.py")) == 1


def test_functions_that_are_not_staged_are_not_checked() -> None:
    assert check_text(SETS.replace("@ag.function\n", ""), "net.py") == []
    assert check_text(SETS.replace("ag.function", "other.function"), "net.py") == []


@pytest.mark.parametrize(
    ("import_", "decorator"),
    [
        ("import autograph", "autograph.function"),
        ("import autograph as a", "a.function(backend='numpy')"),
        ("from autograph import function as staged", "staged"),
    ],
)
def test_the_decorator_is_known_by_what_is_imported(import_: str, decorator: str) -> None:
    text = f"{import_}\nimport time\n@{decorator}\ndef f(x):\n    return x + time.time()\n"
    assert [found.code for found in check_text(text, "net.py")] == ["AG104"]


def test_a_function_can_be_named_by_its_line() -> None:
    text = "import time\ndef f(x):\n    return time.time()\n"
    assert [found.line for found in check_text(text, "net.py", staged=2)] == [3]


def test_a_file_is_never_run() -> None:
    assert check_text("raise SystemExit(3)\n", "net.py") == []


def test_what_is_not_python_is_an_error() -> None:
    with pytest.raises(InvalidSourceError, match="This is not valid Python"):
        check_text("def f(:\n", "net.py")
