from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels import load
from tests.runtime.lower.same import same

RNG = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile kernels for the first call."""
    monkeypatch.setattr(load, "PATIENCE", 0.0)
    monkeypatch.setattr(load, "LONG", 0)


def numbers(kind: str, *shape: int) -> Any:
    return (RNG.normal(size=shape) * 50).astype(kind)


def places(size: int, *shape: int) -> Any:
    return RNG.integers(-size, size, shape)


def put(table: Any, where: Any, value: Any) -> Any:
    found = table.copy()
    found[where] = value
    return found


def summed(table: Any, where: Any, value: Any) -> Any:
    found = table.copy()
    np.add.at(found, where, value)
    return found


def greatest(table: Any, where: Any, value: Any) -> Any:
    found = table.copy()
    np.maximum.at(found, where, value)
    return found


@pytest.mark.parametrize(
    ("kind", "shape", "where", "value"),
    [
        ("?", (5,), (9,), (9,)),
        ("i1", (5,), (2, 6), (2, 6)),
        ("u2", (3, 4), (7,), (7, 4)),
        ("i8", (3, 4), (7,), (7, 1)),
        ("f4", (3, 2, 2), (3, 5), (3, 5, 2, 1)),
        ("f8", (4,), (40,), ()),
    ],
)
def test_scatters_are_kernels_of_the_same_bits(
    kind: str, shape: tuple[int, ...], where: tuple[int, ...], value: tuple[int, ...]
) -> None:
    given = numbers(kind, *shape), places(shape[0], *where), numbers(kind, *value)[()]
    for function in (put, summed, greatest):
        staged = ag.function(function)
        assert same(staged(*given), function(*given))
        assert "kernel scatter(" in str(staged.kernels(*given))


@pytest.mark.parametrize(("kind", "other"), [("?", "f8"), ("u2", "f4"), ("f4", "i8")])
def test_what_is_assigned_gets_the_dtype_of_the_array(kind: str, other: str) -> None:
    given = numbers(kind, 6), places(6, 8), np.abs(numbers(other, 8))
    assert same(ag.function(put)(*given), put(*given))


def test_known_numbers_are_part_of_the_kernel() -> None:
    def marked(table: Any, where: Any) -> Any:
        found = table * 2
        found[where] = 1
        return found

    given = numbers("f4", 20), places(20, 25)
    staged = ag.function(marked)
    assert same(staged(*given), marked(*given))
    assert "store(%0, 1.0: f32" in str(staged.kernels(*given))


def test_a_place_that_is_not_there_raises_at_the_users_line() -> None:
    staged, table = ag.function(put), numbers("f8", 4)
    given = np.array([0, 1, 4, 2])
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
        staged(table, given, 1.5)
    assert same(staged(table, given - 1, 1.5), put(table, given - 1, 1.5))


def test_what_nobody_uses_still_raises() -> None:
    def unused(table: Any, where: Any) -> Any:
        np.add.at(table.copy(), where, 1.0)
        return table[0]

    staged, table = ag.function(unused), numbers("f8", 4)
    assert staged(table, np.array([0, 1, 2, 3])) == table[0]
    with pytest.raises(IndexError, match="index 4 is out of bounds"):
        staged(table, np.array([0, 1, 4, 2]))


def test_numbers_that_go_into_their_own_array_are_those_before() -> None:
    def turned(x: Any, where: Any) -> Any:
        found = x.copy()
        found[where] = found
        return found

    def own(x: Any) -> Any:
        found = x.copy()
        found[found] = 7
        return found

    x, where = np.array([3, 0, 2, 1]), np.array([1, 2, 3, 0])
    assert same(ag.function(turned)(x, where), turned(x, where))
    assert ag.function(own)(x).tolist() == [7, 7, 7, 7]  # NumPy 2.2 reads what it has written


def test_sums_that_overflow_warn_as_numpy_does() -> None:
    given = np.full(2, 1e308), np.zeros(4, int), np.full(4, 1e308)
    with pytest.warns(RuntimeWarning, match="overflow encountered in add"):
        expected = summed(*given)
    with pytest.warns(RuntimeWarning, match="overflow encountered in add"):
        assert same(ag.function(summed)(*given), expected)


def test_large_arrays_with_few_places_are_left_to_numpy() -> None:
    given = numbers("f8", 50), places(50, 3), numbers("f8", 3)
    staged = ag.function(put)
    assert same(staged(*given), put(*given))
    assert "kernel scatter(" not in str(staged.kernels(*given))
