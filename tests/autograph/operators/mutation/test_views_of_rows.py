"""What `reshape`, `ravel` and `ascontiguousarray` give of arrays in rows is written as a view."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.numpy_surface.judging import same


def of_an_argument(x: Any, k: Any) -> Any:
    flat = x.ravel()
    flat[k] = 9
    x[1] += 1
    return flat.sum(), flat


def of_what_is_computed(x: Any, k: Any) -> Any:
    y = np.zeros(x.shape) + x
    pairs = y.reshape(-1, 2)
    pairs[k] += 5
    y[0] = 1
    return pairs, y


def in_a_loop(x: Any, k: Any) -> Any:
    y = x.copy()
    y[0] = 3
    flat = y.ravel()
    for i in range(k + 2):
        flat[i] *= 2
    return y, flat


def under_a_condition(x: Any, k: Any) -> Any:
    if x[0, 0] > 0:
        x.reshape(-1)[2:4] = k
    return x


def of_parts(x: Any, k: Any) -> Any:
    x[k].ravel()[0] = -1
    x[1:][:, None].reshape(-1)[-1] = 5
    x[1, 1:].reshape(1, -1)[0] += 1
    return x


def of_a_product(x: Any, k: Any) -> Any:
    z = x[:, None] * x
    z.reshape(-1)[::2] = 0
    return z[k]


def by_other_ways(x: Any, k: Any) -> Any:
    image = (x * 2).reshape(x.shape[1], x.shape[0])
    image[image > 3] = k
    np.add.at(image.reshape(-1), [0, 0], 1)
    image.sort(axis=0)
    return image


def in_rows(x: Any, k: Any) -> Any:
    y = np.ascontiguousarray(x)
    x[k] = 7
    return y * 2, y


def of_a_diagonal(x: Any, k: Any) -> Any:
    y = np.diag(x[:, :2])
    x[k] = 7
    return y + 0


PROGRAMS: list[Callable[..., Any]] = [
    of_an_argument, of_what_is_computed, in_a_loop, under_a_condition, of_parts, of_a_product,
    by_other_ways, in_rows, of_a_diagonal,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_view_of_rows_is_written_as_in_plain_python(program: Any) -> None:
    staged = ag.function(program)
    for shift, k in ((0.0, 0), (1.0, 1), (2.0, 0)):
        mine, theirs = (np.arange(6.0).reshape(2, 3) + shift for _ in range(2))
        expected, actual = program(theirs, np.int64(k)), staged(mine, np.int64(k))
        assert same(expected, actual)
        assert same(theirs, mine)


@pytest.mark.parametrize("program", [of_an_argument, under_a_condition, in_rows])
def test_an_argument_that_does_not_lie_in_rows_is_refused(program: Any) -> None:
    staged, rows = ag.function(program), np.arange(6.0).reshape(2, 3) + 1
    for _ in range(2):
        x = rows.copy()
        staged(x, np.int64(1))
        x = np.asfortranarray(rows)
        with pytest.raises(ag.MutationError, match="x does not lie in rows"):
            staged(x, np.int64(1))
        assert same(x, np.asfortranarray(rows))


UNKNOWN: list[Callable[[Any], Any]] = [
    lambda x: x.T,
    lambda x: x[:, 1:],
    lambda x: x[::2],
    lambda x: x[::2, 1:],
    lambda x: x.T + 1,
    lambda x: np.asfortranarray(x),
    lambda x: np.sort(x, axis=0),
    lambda x: x + np.ones((4, 3), order="F"),
    lambda x: x if x[0, 0] > 0 else x + 1,
]


@pytest.mark.parametrize("base", UNKNOWN)
def test_where_rows_are_not_known_an_array_that_is_read_again_is_refused(base: Any) -> None:
    def written(x: Any) -> Any:
        y = base(x)
        flat = y.reshape(-1)
        flat[0] = 1
        return y, flat

    with pytest.raises(ag.MutationError, match="memory layout"):
        ag.function(written)(np.arange(12.0).reshape(4, 3))


def test_sums_and_products_see_the_rows_that_are_made() -> None:
    def program(x: Any) -> Any:
        y = np.ascontiguousarray(x)
        return y.sum(), y @ y.T, (y * y).sum(0), np.ascontiguousarray(x.T).sum(), y * 2

    staged, x = ag.function(program), np.random.default_rng(0).normal(size=(40, 30))
    for given in (x, np.asfortranarray(x), x[::-1, ::-1]):
        assert same(program(given), staged(given))
