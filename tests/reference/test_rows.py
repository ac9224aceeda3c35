"""Every row of the list of behaviours (A.1 to A.7) has a test, or a reason why it has none here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

GROUPS = {
    "A.1 systems": range(1, 22),
    "A.2 functions as ops": range(30, 42),
    "A.3 tracing, polymorphism, cache": range(50, 79),
    "A.4 effects": range(90, 101),
    "A.5 variables and order": range(110, 117),
    "A.6 control flow": range(130, 152),
    "A.7 graphs as data": range(160, 175),
}
GRADIENTS, LAYERS, SAVED = "gradients", "layers and models", "saved graphs"
TIMES = "times are measured by tools/bench, and never asserted"
ELSEWHERE = {
    6: GRADIENTS,
    15: LAYERS,
    19: TIMES,
    31: GRADIENTS,
    160: SAVED,
    164: TIMES,
    168: LAYERS,
    170: LAYERS,
    172: TIMES,
}
"""Rows that other parts of the project are to have, or that no test can have."""


def rows_in(text: str) -> Iterator[int]:
    """Yield the rows that a text names: `A-030`, `a077`, and all of `a001_to_a005`."""
    for first, last in re.findall(r"a(\d{3})_to_a(\d{3})", text):
        yield from range(int(first), int(last) + 1)
    for upper, lower in re.findall(r"A-(\d{3})|(?<=_)a(\d{3})(?![0-9])", text):
        yield int(upper or lower)


TESTS = re.compile(r'def (test\w*)\([^)]*\)[^:]*:\n(?: *"""([^"]*)""")?')
"""Names of tests, and their docstrings."""


@pytest.fixture(scope="module")
def tested() -> set[int]:
    files = Path(__file__).parents[1].rglob("test_*.py")
    texts = [file.read_text(encoding="utf-8") for file in files]
    named = [" ".join(found) for text in texts for found in TESTS.findall(text)]
    return {row for name in named for row in rows_in(name)}


def test_rows_are_read_from_names_and_docstrings() -> None:
    assert set(rows_in("test_a001_to_a003_and_a077_x A-140, A-141")) == {1, 2, 3, 77, 140, 141}


@pytest.mark.parametrize("group", GROUPS)
def test_each_row_has_a_test(group: str, tested: set[int]) -> None:
    missing = [row for row in GROUPS[group] if row not in tested and row not in ELSEWHERE]
    assert missing == []


def test_reasons_are_for_rows_without_a_test(tested: set[int]) -> None:
    assert tested.isdisjoint(ELSEWHERE)
