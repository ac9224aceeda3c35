"""Errors print place, source line, carets and hint, and are of the type a user would catch."""

from __future__ import annotations

import pickle

import gast
import pytest

from autograph.errors import (
    ConversionError,
    InvalidSourceError,
    Place,
    SourceNotFoundError,
    UnsupportedSyntaxError,
)

LINES = ["def f(x):\n", "\ty = é + await_(x)\n", "  return (x,\n", "    y)\n"]


def node(text: str, line: int) -> gast.AST:
    found = gast.parse(text, mode="eval").body
    return gast.increment_lineno(found, line - 1)


def test_an_error_shows_message_place_and_hint() -> None:
    place = Place("net.py", 3, 4, 9, "y = 1 + + 2")
    error = ConversionError("It was x, not y.", place=place, hint="Use x.")
    assert str(error) == (
        'It was x, not y.\n  File "net.py", line 3\n    y = 1 + + 2\n        ^^^^^\nTry: Use x.'
    )


def test_an_error_without_place_is_its_message() -> None:
    assert str(ConversionError("It was x.")) == "It was x."


def test_carets_stand_under_the_node_behind_letters_of_two_bytes() -> None:
    wanted = gast.parse("\n".join(["", "é + await_(x)"])).body[0].value.right
    place = Place.of(wanted, "net.py", ["", "é + await_(x)\n"])
    assert str(place).splitlines()[1:] == ["    é + await_(x)", "        ^^^^^^^^^"]


def test_a_node_of_several_lines_is_underlined_to_the_end_of_its_first() -> None:
    tree = gast.parse("def f(x):\n  y = é\n  return (x,\n    y)\n")
    place = Place.of(tree.body[0].body[1], "net.py", ["", "", "  return (x,\n", ""])
    assert str(place).splitlines()[1:] == ["    return (x,", "    ^^^^^^^^^^"]


@pytest.mark.parametrize(
    ("text", "carets"),
    [
        ("def f(x): pass", "^^^^^"),
        ("async  def  def_(x): pass", "^^^^^^^^^^^^^^^^"),
        ("def f\\\n(x): pass", "^^^^^"),
    ],
)
def test_carets_stand_under_the_head_of_a_definition(text: str, carets: str) -> None:
    place = Place.of_definition(gast.parse(text).body[0], "net.py", text.splitlines())
    assert str(place).splitlines()[2] == "    " + carets


def test_a_lambda_is_underlined_as_a_whole() -> None:
    tree = gast.parse("f = lambda x: x").body[0].value
    place = Place.of_definition(tree, "net.py", ["f = lambda x: x"])
    assert str(place).splitlines()[1:] == ["    f = lambda x: x", "        ^^^^^^^^^^^"]


def test_an_error_raised_at_a_node_is_located_later() -> None:
    error = UnsupportedSyntaxError("No.", at=node("x + y", 2))
    error.locate("net.py", ["", "x + y\n"])
    assert str(error) == 'No.\n  File "net.py", line 2\n    x + y\n    ^^^^^'


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (SourceNotFoundError, OSError),
        (InvalidSourceError, SyntaxError),
        (UnsupportedSyntaxError, NotImplementedError),
    ],
)
def test_every_error_is_also_of_a_built_in_type(kind: type, builtin: type) -> None:
    assert issubclass(kind, builtin)
    assert issubclass(kind, ConversionError)


def test_an_invalid_source_has_what_a_syntax_error_has() -> None:
    error = InvalidSourceError("No.", place=Place("net.py", 3, 4, 9, "y = 1 + + 2"))
    assert (error.filename, error.lineno, error.offset, error.text) == (
        "net.py",
        3,
        5,
        "y = 1 + + 2",
    )


def test_an_error_survives_pickling() -> None:
    error = ConversionError("No.", place=Place("net.py", 3), hint="Yes.")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
