"""Every text becomes a tree or one clean error; trees survive the way to gast and back."""

from __future__ import annotations

import ast
import codecs
import re

import pytest

from autograph.errors import InvalidSourceError, UnsupportedSyntaxError
from autograph.source import parse as parse_module
from autograph.source.parse import compile_tree, decode, parse, split_lines, to_ast, to_gast


@pytest.mark.parametrize(
    ("source", "text", "encoding"),
    [
        (b"x = 1\n", "x = 1\n", "utf-8"),
        ("é\n".encode(), "é\n", "utf-8"),
        (codecs.BOM_UTF8 + b"x\n", "x\n", "utf-8-sig"),
        (b"# coding: latin-1\n\xe9\n", "# coding: latin-1\né\n", "iso-8859-1"),
        (b"x\r\ny\r", "x\r\ny\r", "utf-8"),
    ],
)
def test_bytes_are_decoded_as_python_does(source: bytes, text: str, encoding: str) -> None:
    assert decode(source, "net.py") == (text, encoding)


@pytest.mark.parametrize(
    "name", ["utf-7", "unicode_escape", "raw_unicode_escape", "rot13", "punycode"]
)
def test_an_odd_codec_is_refused(name: str) -> None:
    with pytest.raises(InvalidSourceError, match="not a text that Python can read"):
        decode(f"# coding: {name}\nx = 1\n".encode(), "net.py")


def test_an_unknown_codec_is_refused() -> None:
    with pytest.raises(InvalidSourceError) as caught:
        decode(b"#!python\n# coding: klingon\n", "net.py")
    assert str(caught.value) == (
        "This is not a text that Python can read: unknown encoding: klingon.\n"
        '  File "net.py", line 2\n    # coding: klingon\n    ^^^^^^^^^^^^^^^^^\n'
        "Try: Save the file as UTF-8, or name its encoding in the first line: # coding: latin-1."
    )


def test_bytes_that_do_not_fit_the_encoding_are_refused_with_their_line() -> None:
    with pytest.raises(InvalidSourceError) as caught:
        decode(b"# one\n# two\n# th\xffee\n" * 200, "net.py")
    assert str(caught.value).startswith(
        "This is not text in utf-8: invalid start byte (byte 16).\n"
        '  File "net.py", line 3\n    # th\N{REPLACEMENT CHARACTER}ee\n        ^\n'
    )


def test_syntax_that_gast_does_not_know_is_refused_at_its_place(monkeypatch) -> None:
    monkeypatch.setattr(parse_module, "_UNKNOWN_TO_GAST", frozenset({"Await"}))
    with pytest.raises(UnsupportedSyntaxError) as caught:
        to_gast(ast.parse("async def f(x):\n    y = await x\n"))
    caught.value.locate("net.py", ["", "    y = await x\n"])
    assert str(caught.value) == (
        'gast has no class for Await.\n  File "net.py", line 2\n'
        "    y = await x\n        ^^^^^^^\nTry: Update gast."
    )


def test_a_syntax_error_shows_line_and_carets() -> None:
    with pytest.raises(InvalidSourceError) as caught:
        parse("x = 1\nif x\n    pass\n", "net.py")
    assert re.search(r'File "net.py", line 2\n    if x\n *\^', str(caught.value))


@pytest.mark.parametrize("text", ["x = 1\n\0", "x = '\ud800'", "(" * 100_000, "-" * 100_000 + "x"])
def test_a_hostile_text_is_one_clean_error(text: str) -> None:
    with pytest.raises(InvalidSourceError, match=r"net\.py"):
        parse(text, "net.py")


def test_a_lone_surrogate_is_shown_where_it_is() -> None:
    with pytest.raises(InvalidSourceError) as caught:
        parse("x = 1\ny = '\ud800'", "net.py")
    assert str(caught.value).endswith("line 2\n    y = '\N{REPLACEMENT CHARACTER}'\n         ^")


def test_warnings_of_the_source_are_not_ours() -> None:
    assert parse(r"x = '\d'", "net.py")


def test_the_same_text_is_parsed_once() -> None:
    assert parse("x = 12345", "net.py") is parse("x = 12345", "net.py")


@pytest.mark.parametrize("text", ["+".join("a" * 1000), "a" + ".b()" * 400, "[" * 90 + "]" * 90])
def test_long_chains_survive_the_way_to_gast_and_back(text: str) -> None:
    tree = parse(text, "net.py")
    back = to_ast(to_gast(tree))
    assert isinstance(back, ast.Module)
    assert compile_tree(back, "net.py").co_code == compile_tree(tree, "net.py").co_code


def test_the_way_to_gast_and_back_keeps_everything() -> None:
    with open(ast.__file__, encoding="utf-8") as file:
        tree = parse(file.read(), "ast.py")
    assert ast.dump(to_ast(to_gast(tree)), include_attributes=True) == ast.dump(
        tree, include_attributes=True
    )


def test_lines_end_where_the_tokenizer_ends_them() -> None:
    text = "a\x0cb\r\nc\u2028d\re\x85\n\nf"
    assert split_lines(text) == ["a\x0cb\r\n", "c\u2028d\r", "e\x85\n", "\n", "f"]
