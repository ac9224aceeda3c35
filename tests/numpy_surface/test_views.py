"""Views that are written, views that NumPy does not write, and arrays whose shape is set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.errors import MutationError
from tests.numpy_surface.judging import same


def _diagonal_is_written(x: Any) -> Any:
    diagonal = np.einsum("ii->i", x)
    diagonal[:2] += x[0, :2]
    np.einsum("...ij->...ji", x)[0] = 3
    return diagonal, x


def _rounds(x: Any) -> Any:
    for k in range(len(x)):
        if x[k, 0] > -1:
            np.einsum("ii->i", x)[k] = x[0, k] * 2
    return x


def _written(view: Any) -> Any:
    try:
        view[0] = 1
    except ValueError as error:
        return str(error)


def _read_only(x: Any) -> Any:
    views = np.diagonal(x), np.broadcast_to(x, (2, 3, 3))[0], x.diagonal()[1:]
    return [_written(view) for view in views], x


def _shaped(x: Any) -> Any:
    y = z = x.ravel() * 2
    counts = np.arange(9)
    counts[1] = x[0, 1]
    y.shape = counts.shape = (3, -1)
    y[0] = 1
    try:
        y.shape = (2, 7)
    except ValueError as error:
        return str(error), z, counts, z.sum(0)


def _required(x: Any) -> Any:
    views = x[:, ::2], x.T, x[::-1], x[0], x * 2
    asked = [np.require(v, float, y) for v in views for y in ("C", "F", "O", ["A"], ["C", "O"])]
    orders = [np.array(v, order="C", copy=None) for v in views]
    return asked, orders


@pytest.mark.filterwarnings("ignore:Setting the shape")  # of NumPy 2.5
@pytest.mark.parametrize(
    "function", [_diagonal_is_written, _rounds, _read_only, _shaped, _required]
)
@pytest.mark.parametrize("turn", [lambda x: x, np.transpose, lambda x: np.tile(x, 2)[::-1, ::2]])
def test_an_array_is_seen_and_written_as_in_plain_python(function: Any, turn: Any) -> None:
    plain, given = (turn(np.arange(9.0).reshape(3, 3)) for _ in range(2))
    assert same(function(plain), ag.function(function)(given))
    assert same(plain, given)


def test_derivatives_go_through_a_diagonal_that_is_written() -> None:
    def energy(x: Any) -> Any:
        y = x * 1
        np.einsum("iij->ji", y)[:] = 2 * x[0]
        return np.sum(y**2)

    x = np.arange(8.0).reshape(2, 2, 2)
    slopes = [(energy(x + step) - energy(x - step)) / 2 for step in np.eye(8).reshape(8, 2, 2, 2)]
    assert np.allclose(ag.grad(energy)(x), np.reshape(slopes, x.shape))


def _shaped_beside_a_view(x: Any) -> Any:
    y = x * 2
    first = y[0]
    y.shape = 9
    return first


def _shaped_under_a_condition(x: Any) -> Any:
    y = x * 2
    if x[0, 0] > 0:
        y.shape = 9
    return y


@pytest.mark.filterwarnings("ignore:Setting the shape")
@pytest.mark.parametrize("function", [_shaped_beside_a_view, _shaped_under_a_condition])
def test_a_shape_that_others_may_see_is_not_set(function: Any) -> None:
    with pytest.raises(MutationError, match=r"write x = x.reshape\(n\)"):
        ag.function(function)(np.ones((3, 3)))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.array([x.T, x.T * 2.0]),
        lambda x: np.flip([x.T, x], 0),
        lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, 1),
        lambda x: np.split(x, x[0, :2].astype(int))[0],
        lambda x: np.linalg.matrix_power(x.T, 0),
        lambda x: x.T.ravel("K"),
        lambda x: np.trim_zeros(x[1]),
        lambda x: np.ma.compress_cols(x),
        lambda x: np.ma.masked_greater(x, 3, copy=False),
        lambda x: np.meshgrid(x[0], copy=False)[0],
        lambda x: np.float64(x),
    ],
)
def test_results_lie_and_may_be_written_as_numpys(function: Any) -> None:
    x = np.arange(9.0).reshape(3, 3)
    found, wanted = ag.function(function)(x), function(x)
    assert same(found, wanted)
    assert not found.size or found.strides == wanted.strides
    assert found.flags.writeable is wanted.flags.writeable
    assert np.shares_memory(found, x) is np.shares_memory(wanted, x)


def _ordered(x: Any, y: Any) -> Any:
    found = [np.zeros((2, 3), order="F"), np.empty((2, 3)), np.zeros_like(y), x.copy("F")]
    np.exp(x, out=found[0])
    np.multiply(x, 2, out=found[1])
    np.clip(found[0] * 2, 1, 9, out=found[2], casting="unsafe")
    for k in range(3):
        found[3] += np.int8(k) * y
        if x[0, 0] > k:
            np.sum([x, y], axis=0, out=found[1])
    y += x
    found[2][x > 2] = 7
    found[3][y > 2] += y[y > 2]
    found += [np.select([x > 2, y > 1], [x, y]), np.select([x[0] > 1], [x[0]])]
    return *found, y * 2, found[1].T.ravel("K"), np.exp(found[2]), np.zeros((2, 3)) + x[0]


@pytest.mark.parametrize("order", ["CC", "CF", "FC", "FF"])
def test_what_is_written_keeps_its_order(order: str) -> None:
    x, y = (np.array(np.arange(6.0).reshape(2, 3), order=k) for k in order)
    expected, found = _ordered(x, y.copy("K")), ag.function(_ordered)(x, y.copy("K"))
    assert same(expected, found)
    assert [z.strides for z in found] == [z.strides for z in expected]


def test_what_delete_leaves_is_a_copy() -> None:
    x = np.ones((2, 3))
    ag.function(lambda x: np.delete(x, -1, axis=0))(x)[...] = 5
    assert x.max() == 1


def test_the_base_of_an_argument_is_plain_numpys() -> None:
    based = ag.function(lambda x: x + 1 if x.base is None else x * 2)
    x = np.arange(6.0)
    assert based(x)[1] == 2
    assert based(x[:3])[2] == 4
    assert ag.function(lambda x: x.base)(x[1:]) is x
