"""Programs that went wrong once, and the tool that makes them small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.random_programs.families import check
from tests.random_programs.minimise import minimised, signature

TEXT = Path(__file__).with_name("corpus.txt").read_text("utf-8")
PROGRAMS = re.findall(r"^## (\w+): (.*)\n([^#]*)", TEXT, re.MULTILINE)


@pytest.mark.parametrize(("family", "title", "text"), PROGRAMS, ids=[x[1] for x in PROGRAMS])
def test_a_program_that_went_wrong_once(family: str, title: str, text: str) -> None:
    assert check(family, text, title) == "same", text


def test_a_program_is_made_small() -> None:
    text = """
def f(a, b):
    for x in range(3):
        try:
            if a > x:
                b = [a, 7 // b] + [3]
        finally:
            a = b
    return a
"""
    assert minimised(text, lambda x: "7 //" in x) == "7 // b"
    assert minimised(text, lambda x: "try" in x and "7" in x) == ("try:\n    7\nfinally:\n    b")


def test_findings_of_one_kind_have_one_signature() -> None:
    one = "raises: IndexError: index 3 is out of bounds"
    assert signature(one) == signature("raises: IndexError: index 4 is out of bounds")
    assert signature(one) != signature("raises: KeyError: 3")
