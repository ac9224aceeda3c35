"""What NumPy writes into arrays that are known while tracing is seen in a staged arm or body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.analysis.support import UNARY

WRITES: tuple[Callable[[Any], Any], ...] = (
    lambda k: np.put(k, [0], 9),
    lambda k: np.place(k, k > 1, 5),
    lambda k: np.putmask(k, k > 1, 5),
    lambda k: np.copyto(k, 3),
    lambda k: np.fill_diagonal(k.reshape(2, 2), 7),
    lambda k: np.put_along_axis(k, np.array([1]), 8, 0),
    lambda k: np.nan_to_num(k - 0, copy=False) is k,
    lambda k: np.add(k, 1, out=k),
    lambda k: np.add(k, 1, k),
    lambda k: np.exp(k, k),
    lambda k: np.cumsum(k, out=k),
    lambda k: np.clip(k, 0, 1, k),
    lambda k: np.add.at(k, [0, 0], 1),
    lambda k: np.random.default_rng(0).shuffle(k),
    lambda k: k.sort(),
    lambda k: k[1:].fill(2),
    lambda k: k.partition(1),
)


@pytest.mark.parametrize("write", WRITES)
def test_an_arm_that_is_not_taken_writes_nothing(write: Callable[[Any], Any]) -> None:
    known = np.array([3.0, 2.0, 1.0, 4.0])

    @ag.function
    def f(x):
        k = known.copy()
        if x > 100:
            write(k)
            write(known)
        return x + k

    try:
        assert f(np.float64(1)).tolist() == [4, 3, 2, 5]
    except (ag.MutationError, ag.StagedValueError) as error:
        told = ("is written in a staged branch or loop", "that was made")
        assert any(text in str(error) for text in told)  # noqa: PT017  (either is right)
    assert known.tolist() == [3, 2, 1, 4]


def test_functions_that_write_do_so_to_plain_arrays() -> None:
    x, mask = np.arange(4.0), np.array([True, False, False, True])
    ag.numpy.put(x, [1], 7)
    ag.numpy.putmask(x, mask, -1)
    ag.numpy.fill_diagonal(x.reshape(2, 2), 5)
    assert x.tolist() == [5, 7, 2, 5]


def test_functions_of_one_array_are_known_by_name() -> None:
    ufuncs = {x for x in dir(np) if isinstance(getattr(np, x), np.ufunc)}
    unary = {name for name in ufuncs if getattr(np, name).nin == 1}
    assert unary <= UNARY
    assert not UNARY & (ufuncs - unary)


@pytest.mark.parametrize("dtype", [float, int, complex])
@pytest.mark.parametrize(
    "write",
    [
        lambda x, n: x.__setitem__(0, [n]),
        lambda x, n: x.__setitem__(n, [1]),
        lambda x, n: x.__setitem__((0, ...), (n,)),
        lambda x, n: x.__setitem__(slice(None), [[n, n, n]]),
        lambda x, n: x.__setitem__(slice(2, None), [[1]]),
        lambda x, n: x.__setitem__((None, 0), [n]),
        lambda x, n: x.__setitem__([0, 1], [[n, n]]),
    ],
)
def test_lists_that_are_too_deep_are_not_assigned(write: Any, dtype: Any) -> None:
    found = []
    for function in (write, ag.function(write)):
        x = np.zeros(3, dtype)
        try:
            function(x, np.int64(2))
        except (TypeError, ValueError) as error:
            found.append((type(error), str(error).partition("\n")[0], x.tolist()))
        else:
            found.append((None, "", x.tolist()))
    assert found[0] == found[1]


def raised(function: Callable[..., Any], *args: Any) -> tuple[str, str]:
    with pytest.raises(Exception) as found:  # noqa: PT011  (whichever plain Python raises)
        function(*args)
    return found.type.__name__, str(found.value).partition("\n")[0]


@pytest.mark.parametrize(
    "write",
    [
        lambda m, x: m.__setitem__(m > 0, x.tolist()),
        lambda m, x: m.__setitem__(slice(None), [complex(k) for k in x]),
        lambda m, x: m.__setitem__(0, complex(x[0])),
        lambda m, x: x[:0].__setitem__(0, x.tolist()),
        lambda m, x: x[:0].__setitem__((0, ...), [1, 2]),
        lambda m, x: m.fill(x.tolist()),
        lambda m, x: np.put(m[:0], [0], "a"),
        lambda m, x: m * "ab",
        lambda m, x: m[0] + "ab",
    ],
)
def test_what_is_no_element_raises_as_in_numpy(write: Callable[..., Any]) -> None:
    def f(m, x):
        write(m, x)

    for m in (np.arange(3.0), np.arange(3)):
        given = m, np.arange(3) + 1j
        assert raised(ag.function(f), *given) == raised(f, *given)


def test_a_number_of_several_classes_is_written_in_place() -> None:
    def f(x, n):
        x *= max(x[-1], n)
        return x

    for n in (np.int64(2), np.int64(9)):
        expected, found = (
            f(np.arange(4, dtype="f4"), n),
            ag.function(f)(np.arange(4, dtype="f4"), n),
        )
        assert repr(found) == repr(expected)


@pytest.mark.parametrize(
    "make", [lambda: np.linspace(0, 1, 4), lambda: np.tile([1.0, 2.0], 2), lambda: np.flip([1, 2])]
)
def test_what_numpy_makes_of_numbers_may_be_written(make: Callable[[], Any]) -> None:
    def f(x):
        made = make()
        made[1] = x
        return made

    np.testing.assert_array_equal(ag.function(f)(np.float64(7)), f(7.0), strict=True)


def test_a_row_takes_a_column_of_its_matrix_as_it_was_before() -> None:
    def f(m: Any, v: Any) -> Any:
        m, v = m + 0.5, v * 2
        m[1] = m.T[2] * 1
        m[:, 0] = m[2] * 1
        v[:3] = v[::2] * 1
        v[2:] = v[:-2] * 1
        return m, v

    matrix, row = np.arange(9.0).reshape(3, 3), np.arange(6.0)
    for expected, actual in zip(f(matrix, row), ag.function(f)(matrix, row), strict=True):
        np.testing.assert_array_equal(actual, expected)


def diagonal_of_the_round_before(a, n):
    x = a[0] * 1
    for _ in range(n):
        x[0] += 1.0
        x = np.diagonal(a + 1)
    return x


def diagonal_or_row(a, n):
    x = np.diagonal(a + 1) if n > 1 else a[0] * 1
    x[0] += 1.0
    return x


@pytest.mark.parametrize("program", [diagonal_of_the_round_before, diagonal_or_row])
def test_what_numpy_does_not_write_is_not_written_after_joins(program):
    with pytest.raises(
        ag.MutationError, match="the result of diagonal, which NumPy does not write"
    ):
        ag.function(program)(np.eye(3), np.int64(3))
