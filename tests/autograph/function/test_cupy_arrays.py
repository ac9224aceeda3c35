"""Staged functions of CuPy's own arrays, whose kernels are NumPy's here: no device is needed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("cupy")

import autograph as ag
from tests.runtime.backends.host_cupy import ARRAY, computing, cupy, device, host

X = np.arange(12.0).reshape(3, 4)


@pytest.fixture(autouse=True)
def on_host() -> Iterator[None]:
    with computing():
        yield


def settle(x, rate):
    rounds = 0
    while np.max(np.abs(x)) > 1.0:
        x = x * (1.0 - np.abs(rate))
        if np.sum(x) < 0:
            x = -x
        rounds += 1
    return x, rounds


def prefix(x):
    found = np.zeros_like(x)
    total = 0.0
    for i in range(len(x)):
        total = total + x[i]
        found[i] = total
    return found


def by_places(x, places):
    y = x.copy()
    y[places] = x[places] * 2 + 1
    return y // 0.7, y % 0.7, np.sort(y), y[:, 1:].T


def pieces(x):
    return x[1:], x[..., 0], x.T, x.reshape(-1), x[1, 2]


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (settle, (X, np.float64(0.5))),
        (settle, (X, 0.5)),
        (prefix, (X[0],)),
        (by_places, (X, np.array([2, -3, 2]))),
        (by_places, (X, np.array([True, False, True]))),
        (pieces, (X,)),
    ],
)
def test_results_are_numpys_in_arrays_of_cupy(function, given):
    staged = ag.function(function)
    wanted = function(*given)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for _ in range(3):
        moved = [device(x) if isinstance(x, np.ndarray) else x for x in given]
        found = staged(*moved)
        for x, y in zip(found if len(wanted) > 1 else (found,), wanted, strict=True):
            assert type(x) is ARRAY or type(x) is int
            assert np.array_equal(host(x) if type(x) is ARRAY else x, y)
    assert staged.trace_count == 1


def test_a_view_that_is_returned_is_one_of_the_argument():
    x = device(X)
    found = ag.function(lambda x: x[1:, ::2])(x)
    assert found.base is x
    assert found.strides == (32, 16)


def test_arguments_are_written_in_place():
    @ag.function
    def double_evens(x):
        evens = x[::2]
        evens *= 2

    x = device(np.arange(5.0))
    double_evens(x)
    assert host(x).tolist() == [0, 1, 4, 3, 8]


def test_donated_arrays_become_results():
    large = np.ones(1 << 15)
    staged = ag.function(lambda x: x + 1, donate="x")
    x = device(large)
    found = staged(x)
    assert found.data.ptr == x.data.ptr
    assert np.array_equal(host(found), large + 1)


def test_other_dtypes_and_shapes_are_other_traces():
    staged = ag.function(lambda x: x + 1)
    for x in (X, X.astype("float32"), X[0], X, X[0]):
        assert np.array_equal(host(staged(device(x))), x + 1)
    assert staged.trace_count == 3
    staged(X)
    assert staged.trace_count == 4


def test_numpys_and_cupys_arrays_do_not_mix():
    staged = ag.function(lambda x, y: x + y)
    with pytest.raises(
        ag.MixedArraysError,
        match=r"the argument x is an array of cupy and the argument y is one of numpy, and a graph "
        r"runs on the arrays of one library\. Write cupy\.asarray\(y\), or x\.get\(\)",
    ):
        staged(device(X), X)
    with pytest.raises(ag.MixedArraysError, match=r"Write y\.get\(\), or cupy\.asarray\(x\)"):
        staged(X, device(X))
    with pytest.raises(ag.MixedArraysError, match=r"is to run on cupy\. Write cupy\.asarray\(x\)"):
        ag.function(lambda x: x + 1, backend="cupy")(X)
    with pytest.raises(ag.MixedArraysError, match=r"is to run on native\. Write x\.get\(\), or"):
        ag.function(lambda x: x + 1, backend="native")(device(X))


def test_indices_out_of_range_are_an_error_at_the_users_line():
    staged = ag.function(lambda x, i: x[i])
    for place in (np.array(7), np.array([0, 7]), np.array([-4])):
        with pytest.raises(IndexError, match="out of bounds for axis 0 with size 3"):
            staged(device(X), device(place))


def test_a_variable_lives_where_its_first_value_is():
    weight = ag.Variable(device(X), name="weight")

    @ag.function
    def step(x):
        weight.assign_add(x)
        return weight * 2

    assert np.array_equal(host(step(device(X))), X * 4)
    assert type(weight.held) is ARRAY
    weight.assign(X)
    assert type(weight.held) is ARRAY
    weight[0] = [0.0, 1.0, 2.0, 7.0]
    assert weight.numpy()[0].tolist() == [0, 1, 2, 7]
    count = ag.Variable(0.0)
    ag.function(lambda x: count.assign(x.sum()))(device(X))
    assert type(count.held) is np.float64


SCALE = device(X)
BIAS = np.ones(4)


def test_arrays_from_outside_are_parameters_or_copied_once():
    staged = ag.function(lambda x: x * SCALE + BIAS)
    for _ in range(2):
        assert np.array_equal(host(staged(device(X))), X * X + 1)
    host(SCALE)[0] += 1
    assert np.array_equal(host(staged(device(X))), X * host(SCALE) + 1)
    assert staged.trace_count == 1
    host(SCALE)[0] -= 1


def test_arrays_that_the_function_makes_with_cupy_are_known():
    made = ag.do_not_convert(lambda: cupy.arange(4))
    staged = ag.function(lambda x: x + made())
    assert np.array_equal(host(staged(device(X))), X + np.arange(4))
    with pytest.raises(ag.MixedArraysError, match="and an array that the function makes is one"):
        staged(X)


def test_gradients_are_arrays_of_cupy():
    found = ag.grad(lambda x: np.sum(np.tanh(x) ** 2))(device(X))
    wanted = ag.grad(lambda x: np.sum(np.tanh(x) ** 2))(X)
    assert type(found) is ARRAY
    assert np.allclose(host(found), wanted)


def test_tapes_of_variables_give_arrays_of_cupy():
    weight = ag.Variable(device(X[0]), name="weight")
    for loss, wanted in ((lambda: np.sum(weight * weight), 2 * X[0]), (lambda: np.sum(weight), 1)):
        with ag.GradientTape() as tape:
            total = loss()
        found = tape.gradient(total, weight).array
        assert type(found) is ARRAY
        assert np.array_equal(host(found), wanted * np.ones(4))


def test_a_call_of_numpy_is_cupys_function_of_that_name():
    staged = ag.function(lambda x: np.packbits(x > 4, axis=1))
    assert "numpy_call" in str(staged.graph(device(X)))
    found = staged(device(X))
    assert type(found) is ARRAY
    assert np.array_equal(host(found), np.packbits(X > 4, axis=1))


def test_a_call_that_cupy_has_not_is_an_error_that_names_it():
    with pytest.raises(
        ag.BackendError,
        match=r"numpy\.polyder is a call of NumPy, and cupy has none that gives the same\. Call it "
        r"outside of the staged function",
    ):
        ag.function(lambda x: np.polyder(x) + 1)(device(X[0]))
    with pytest.raises(ag.BackendError, match=r"numpy\.linalg\.eig\(_0\) is a call of NumPy, and"):
        ag.function(lambda x: np.linalg.eig(x))(device(X[:, :3]))


OF_CUPY = (cupy.tanh, cupy.sum, cupy.zeros, cupy.linalg.norm, cupy.where, cupy.asarray)


def test_cupys_functions_in_a_staged_function_are_those_of_the_graph():
    tanh, total, zeros, norm, where, asarray = OF_CUPY  # not those that compute here

    @ag.function
    def mixed(x):
        y = zeros(4)
        y[1:] = total(tanh(asarray(x)), axis=0)[1:]
        while norm(y) > 1:
            y = where(y > 0.1, y / 2, y)
        return y

    def plain(x):
        y = np.zeros(4)
        y[1:] = np.sum(np.tanh(x), axis=0)[1:]
        while np.linalg.norm(y) > 1:
            y = np.where(y > 0.1, y / 2, y)
        return y

    assert np.array_equal(host(mixed(device(X))), plain(X))
    with pytest.raises(ag.MixedArraysError, match=r"an array that the function makes is"):
        mixed(X)
    assert np.array_equal(host(ag.function(lambda n: zeros(n) + 1)(3)), np.ones(3))


def test_draws_are_numpys_own_and_go_to_the_device():
    staged = ag.function(lambda x, rng: x + rng.normal(size=4))
    found = staged(device(X), np.random.default_rng(3))
    assert np.array_equal(host(found), X + np.random.default_rng(3).normal(size=4))
    text = staged.kernels(device(X), np.random.default_rng(3))
    assert text.startswith("all operations are calls of cupy\non the CPU: numpy_call\n")
    assert "rng.normal(size=4)" in text


def test_kernels_tell_what_the_cpu_computes():
    text = ag.function(lambda x: x + ag.random.uniform(size=4)).kernels(device(X))
    assert "on the CPU: random_real" in text
    assert ag.function(lambda x: x + 1).kernels(device(X)) == "all operations are calls of cupy"


def test_a_numpy_function_of_the_users_gets_copies_of_the_cpu():
    def on_cpu(x):
        assert type(x) is np.ndarray
        return np.unwrap(x)

    staged = ag.function(lambda x: ag.numpy_function(on_cpu, [x], ag.TensorSpec([4])) * 2)
    assert np.array_equal(host(staged(device(X[0]))), np.unwrap(X[0]) * 2)
