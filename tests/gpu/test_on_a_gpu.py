"""Staged functions on a GPU: these run where there is one, and are skipped elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag

pytestmark = pytest.mark.gpu
X = np.arange(12.0).reshape(3, 4)


@pytest.fixture
def cupy():
    return pytest.importorskip("cupy")


def settle(x, rate):
    rounds = 0
    while np.max(np.abs(x)) > 1.0:
        x = x * (1.0 - np.abs(rate))
        if np.sum(x) < 0:
            x = -x
        rounds += 1
    return x, rounds


def test_a_staged_loop_with_a_branch_gives_what_numpy_gives(cupy):
    found, rounds = ag.function(settle)(cupy.asarray(X), np.float64(0.5))
    wanted, count = settle(X, np.float64(0.5))
    assert type(found) is cupy.ndarray
    np.testing.assert_allclose(found.get(), wanted)
    assert rounds == count


@pytest.mark.parametrize("places", [[0, 7], [-4]])
def test_an_index_out_of_range_is_an_error(cupy, places):
    staged = ag.function(lambda x, i: x[i])
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 3"):
        staged(cupy.asarray(X), cupy.asarray(places))


def test_of_several_values_for_one_place_the_last_stays(cupy):
    def put(x, places, values):
        y = x.copy()
        y[places] = values
        return y

    places = np.random.default_rng(0).integers(0, 50, 10_000)
    given = np.zeros(50), places, np.arange(10_000.0)
    found = ag.function(put)(*map(cupy.asarray, given))
    np.testing.assert_array_equal(found.get(), put(*given))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_division_with_rest_gives_numpys_bits(cupy, dtype):
    x = (np.random.default_rng(0).normal(size=10_000) * 100).astype(dtype)
    quotient, rest = ag.function(lambda x: (x // 0.3, x % 0.3))(cupy.asarray(x))
    np.testing.assert_array_equal(quotient.get(), x // 0.3)
    np.testing.assert_array_equal(rest.get(), x % 0.3)


def test_what_numpy_raises_is_raised(cupy):
    with pytest.raises(np.linalg.LinAlgError):
        ag.function(lambda x: np.linalg.inv(x))(cupy.zeros((2, 2)))
    with pytest.raises(ValueError, match="negative integer powers"):
        ag.function(lambda x, y: x**y)(cupy.arange(3), cupy.asarray([1, -1, 2]))


def test_arguments_and_variables_are_written_on_the_device(cupy):
    weight = ag.Variable(cupy.zeros(4), name="weight")

    @ag.function
    def step(x):
        x[::2] *= 2
        weight.assign_add(x)

    x = cupy.arange(4.0)
    step(x)
    assert x.get().tolist() == [0, 1, 4, 3]
    assert weight.numpy().tolist() == [0, 1, 4, 3]
    assert type(weight.held) is cupy.ndarray


def test_gradients_are_numpys(cupy):
    def loss(w, x):
        return np.sum(np.tanh(x @ w) ** 2)

    w = np.linspace(-1, 1, 4)
    found = ag.grad(loss)(cupy.asarray(w), cupy.asarray(X))
    np.testing.assert_allclose(found.get(), ag.grad(loss)(w, X))


def test_arrays_of_two_libraries_are_an_error(cupy):
    with pytest.raises(ag.MixedArraysError, match=r"Write cupy\.asarray\(y\), or x\.get\(\)"):
        ag.function(lambda x, y: x + y)(cupy.asarray(X), X)
