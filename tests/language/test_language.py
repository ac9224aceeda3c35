"""Each construct does in converted and in staged code what it does in Python, or is refused."""

from __future__ import annotations

import copy
import io
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import conversion, operators
from runtime.graph.printer import print_graph
from tests.language import page
from tests.language.rows import ROWS, Row

PAGE = Path(__file__).parents[2] / "docs" / "language.md"
SAMPLES = [row for row in ROWS if row.sample is not None]
STAGED = [row for row in SAMPLES if row.refused is None]
REFUSED = [row for row in SAMPLES if row.refused is not None]


def name(row: Row) -> str:
    return f"{row.section}: {row.construct}"


def arguments(call: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments of which floats, and lists of numbers, are of NumPy."""
    return tuple(map(_of_numpy, call))


def _of_numpy(value: Any) -> Any:
    if isinstance(value, list):
        return np.array(value)
    return np.float64(value) if isinstance(value, float) else value


def outcome(function: Callable[..., Any], call: tuple[Any, ...]) -> tuple[str, Any]:
    """Return how a call ends: the type of its error, or its result and arguments as plain data."""
    values, written = copy.deepcopy(arguments(call)), io.StringIO()
    try:
        with redirect_stdout(written):
            result = function(*values)
    except Exception as error:
        return "raised", (type(error), str(error) if not isinstance(error, NameError) else "")
    return "returned", (*plain((result, values)), written.getvalue())


def plain(value: Any) -> Any:
    """Return a result as tuples, dicts and Python's numbers, to compare it."""
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if is_dataclass(value):
        return tuple(plain(getattr(value, field.name)) for field in fields(value))
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def test_every_row_says_what_the_reference_does() -> None:
    assert [row.construct for row in ROWS if not row.reference] == []


@pytest.mark.parametrize("row", SAMPLES, ids=name)
def test_converted_it_does_the_same(row: Row) -> None:
    assert row.sample is not None
    assert row.calls
    other = conversion.convert(row.sample, operators)
    for call in row.calls:
        if not is_generator(row):
            assert outcome(other, call) == outcome(row.sample, call)


def is_generator(row: Row) -> bool:
    return conversion._NOT_CONVERTED & row.sample.__code__.co_flags != 0


@pytest.mark.parametrize("row", SAMPLES, ids=name)
def test_what_is_kept_has_no_operators(row: Row) -> None:
    assert row.sample is not None
    assert (re.search(r"\bag(_\d)?\.", ag.to_code(row.sample)) is None) is row.kept


@pytest.mark.parametrize("row", STAGED, ids=name)
def test_staged_it_does_the_same(row: Row) -> None:
    assert row.sample is not None
    staged = ag.function(row.sample)
    for call in row.calls:
        assert outcome(staged, call) == outcome(row.sample, call)
    text = print_graph(staged.get_concrete_function(*arguments(row.calls[0])).traced_graph)
    for op in re.findall(r"`(\w+)`", row.staged):
        assert re.search(rf"\b{op}\(", text), text


@pytest.mark.parametrize("row", REFUSED, ids=name)
def test_what_is_refused_says_why(row: Row) -> None:
    assert row.sample is not None
    assert row.refused is not None
    kind, part = row.refused
    with pytest.raises(kind, match=re.escape(part)):
        ag.function(row.sample)(*arguments(row.calls[0]))


def test_the_page_is_the_one_on_file(update_golden: bool) -> None:
    if update_golden:
        PAGE.write_text(page.text(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page.text()


def test_each_row_says_how_it_is_staged_or_refused() -> None:
    assert [row.construct for row in ROWS if bool(row.staged) == (row.refused is not None)] == []
    names = [name(row) for row in ROWS]
    assert len(set(names)) == len(names)
