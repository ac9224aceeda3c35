"""Machine code reads numbers of lists as NumPy would, or says that something else is there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from runtime.kernels import list_items

pytestmark = pytest.mark.skipif(not list_items.can_read(), reason="there is no machine code here")


class Sub(int):
    """An integer of another class."""


@pytest.mark.parametrize(
    ("items", "width", "classes"),
    [
        ([1, -2, 2**63 - 1, -(2**63), 0], 0, [int]),
        ([0.5, -0.0, float("inf"), 1e-320], 0, [float]),
        ([True, False, True], 0, [bool]),
        ([(1, 2.5, True), (-7, -0.0, False)], 3, [int, float, bool]),
        ([(1,), (2,)], 1, [int]),
        ([], 0, [int]),
    ],
)
def test_numbers_are_read(items: Any, width: int, classes: Any) -> None:
    found = list_items.reader(width, classes)(items)
    assert found is not None
    columns = list(zip(*items, strict=True)) if width else [items]
    for array, cls, column in zip(found, classes, columns, strict=True):
        assert array.dtype == np.dtype(cls)
        assert [(x, np.signbit(x)) for x in array.tolist()] == [(x, np.signbit(x)) for x in column]


@pytest.mark.parametrize(
    ("items", "width", "classes"),
    [
        ([1, 2**63], 0, [int]),
        ([1, -(2**63) - 1], 0, [int]),
        ([1, True], 0, [int]),
        ([1, Sub(2)], 0, [int]),
        ([1, 2.0], 0, [int]),
        ([1.0, float("nan")], 0, [float]),
        ([1.0, -float("nan")], 0, [float]),
        ([True, 1], 0, [bool]),
        ([1, None], 0, [int]),
        ([(1, 2), (1,)], 2, [int, int]),
        ([(1, 2), [1, 2]], 2, [int, int]),
        ([(1, 2), (1, 2.0)], 2, [int, int]),
    ],
)
def test_what_is_something_else_is_said(items: Any, width: int, classes: Any) -> None:
    assert list_items.reader(width, classes)(items) is None
    assert list_items.reader(width, classes, True)([items[:1], items]) is None


def _read_rows(rows: list[Any]) -> Any:
    return list_items.reader(0, [int], is_nested=True)(rows)


def test_lists_of_lists_are_read_one_behind_the_other() -> None:
    random = np.random.default_rng(1)
    rows = [random.integers(0, 99, n).tolist() for n in random.integers(0, 5, 300)]
    starts, lengths, items = _read_rows(rows) or [None] * 3
    np.testing.assert_array_equal(lengths, [len(x) for x in rows])
    np.testing.assert_array_equal(starts, np.cumsum(lengths) - lengths)
    np.testing.assert_array_equal(items, [y for x in rows for y in x])


def test_a_list_that_is_there_twice_is_none_of_these() -> None:
    rows = [[k] for k in range(200)]
    assert _read_rows(rows) is not None
    assert _read_rows([*rows, rows[17]]) is None
    assert _read_rows([*rows, (1,)]) is None
