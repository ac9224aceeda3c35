"""Arrays of another library choose their own backend, and get results of their own kind."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.runtime.backends import stand_in
from tests.runtime.backends.stand_in import Box


def elementwise(x, y):
    return np.tanh(x) * 2 + y, x.sum()


def loop(x, n):
    total = x * 0
    for i in range(n):
        if i % 2 == 0:
            continue
        total = total + x * i
    return total


def branch(x):
    if x.sum() > 0:
        x[0] = 10.0
    else:
        x[1:] = x[1:] - 1
    return x


def until_small(x):
    rounds = 0
    while x.max() > 1:
        x = x / 2
        rounds += 1
    return x, rounds


def with_constant(x):
    return x + np.array([1.0, 2.0, 3.0])


A, B = np.array([1.0, -2.0, 3.0]), np.array([0.5, 5.0, -1.0])


def boxed(value: Any) -> Any:
    return Box(value.copy()) if isinstance(value, np.ndarray) else value


def opened(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(opened, value))
    assert not isinstance(value, np.ndarray | np.generic)
    return value.held if isinstance(value, Box) else value


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (elementwise, (A, B)),
        (loop, (A, 4)),
        (loop, (A, np.int64(4))),
        (branch, (A,)),
        (branch, (-A,)),
        (until_small, (A * 10,)),
        (with_constant, (A,)),
    ],
)
def test_results_are_those_of_numpy_in_the_kind_of_the_arguments(function, arguments):
    staged = ag.function(function)
    expected = function(*(np.copy(x) if isinstance(x, np.ndarray) else x for x in arguments))
    for _ in range(2):
        found = opened(staged(*map(boxed, arguments)))
        for x, y in zip(
            found if isinstance(found, tuple) else (found,),
            expected if isinstance(expected, tuple) else (expected,),
            strict=True,
        ):
            np.testing.assert_array_equal(x, y)
    assert staged.trace_count == 1


def test_a_count_of_the_other_library_stages_a_loop():
    found = ag.function(loop)(boxed(A), boxed(np.array(4)))
    np.testing.assert_array_equal(opened(found), loop(A, 4))


def test_an_argument_of_the_other_library_is_written_in_place():
    x = boxed(A)
    assert ag.function(branch)(x) is x
    assert x.held[0] == 10


def test_each_library_has_its_own_trace():
    staged = ag.function(elementwise)
    np.testing.assert_array_equal(staged(A, B)[0], opened(staged(boxed(A), boxed(B))[0]))
    assert staged.trace_count == 2


def test_tensors_of_each_library_have_their_own_trace():
    staged = ag.function(lambda x: x * 2)
    for _ in range(2):
        assert type(staged(ag.Tensor(A)).array) is np.ndarray
        assert type(staged(ag.Tensor(boxed(A))).array) is Box
    assert staged.trace_count == 2


def test_arrays_of_two_libraries_are_an_error_that_names_the_arguments():
    staged = ag.function(lambda x, y: x + y)
    for _ in range(2):
        with pytest.raises(
            ag.MixedArraysError,
            match=r"the argument x is an array of stand_in and the argument y is one of numpy, "
            r"and a graph runs on the arrays of one library\. "
            r"Write stand_in\.asarray\(y\), or numpy\.asarray\(x\)",
        ):
            staged(boxed(A), B)
    with pytest.raises(
        TypeError, match=r"the argument b\[1\]\['k'\] is one of numpy.*asarray\(b\[1\]\['k'\]\)"
    ):
        ag.function(lambda x, b: x + b[1]["k"])(boxed(A), [1, {"k": B}])


def test_numbers_go_with_arrays_of_all_libraries():
    staged = ag.function(lambda x, y, z: x * y + z)
    np.testing.assert_array_equal(opened(staged(boxed(A), np.float64(2), 1)), A * 2 + 1)


def test_a_variable_of_another_library_is_an_error_that_names_it():
    weight = ag.Variable(B, name="weight")
    with pytest.raises(ag.MixedArraysError, match="and the variable weight is one of numpy"):
        ag.function(lambda x: x + weight)(boxed(A))


SCALE = A * 2
HELD = Box(B)


def test_a_numpy_array_from_outside_is_copied_once_and_changes_are_seen():
    staged = ag.function(lambda x: x + SCALE)
    stand_in.calls.clear()
    for _ in range(3):
        np.testing.assert_array_equal(opened(staged(boxed(B))), B + SCALE)
    assert stand_in.calls["asarray"] == 1
    SCALE[0] += 1
    np.testing.assert_array_equal(opened(staged(boxed(B))), B + SCALE)


def test_an_array_of_the_library_from_outside_is_a_parameter():
    staged = ag.function(lambda x: x + HELD)
    np.testing.assert_array_equal(opened(staged(boxed(A))), A + B)
    HELD.held[0] = 9
    np.testing.assert_array_equal(opened(staged(boxed(A))), A + HELD.held)
    assert staged.trace_count == 1
    with pytest.raises(ag.MixedArraysError, match="and the array HELD is one of"):
        staged(A)


def test_arrays_of_the_other_library_in_containers_are_found():
    found = ag.function(lambda batch: batch["x"][0] + 1)({"x": [boxed(A)]})
    np.testing.assert_array_equal(opened(found), A + 1)


def test_an_array_that_fits_an_input_signature_stays_what_it_is():
    staged = ag.function(lambda x: x + 1, input_signature=[ag.TensorSpec([None])])
    np.testing.assert_array_equal(opened(staged(boxed(A))), A + 1)
    np.testing.assert_array_equal(staged(A), A + 1)


def test_cupy_that_is_not_installed_is_an_error_that_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    sys.modules["runtime.backends.cupy"].load.cache_clear()
    staged = ag.function(lambda x: x + 1, backend="cupy")
    for _ in range(2):
        with pytest.raises(ag.BackendError, match=r"needs CuPy .* pip install 'autograph-runtime"):
            staged(A)


def test_a_backend_that_does_not_exist_is_an_error_that_names_those_that_do():
    with pytest.raises(
        ag.BackendError, match="no backend 'torch'; there are native, fast, numpy, cupy"
    ):
        ag.function(lambda x: x + 1, backend="torch")(A)
