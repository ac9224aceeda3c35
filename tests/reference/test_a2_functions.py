"""Rows A-001 to A-014, A-018, A-020 and A-030 to A-041 under our own names, with NumPy's arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag


def test_a001_to_a005_the_same_functions_run_eagerly_and_staged() -> None:
    v = ag.Variable(1.0)

    def step(x):
        while np.sum(x) > 1:
            x = x / 2
        v.assign_add(np.sum(x))
        return x

    x = np.eye(2, dtype=np.float32)
    np.testing.assert_array_equal(step(x), ag.function(step)(x))
    assert v == 3.0
    assert "ag.while_(" in ag.to_code(step)
    assert ag.Tensor(x).shape == (2, 2)
    assert np.ones(2).dtype == ag.function(lambda x: x + np.ones(2))(np.ones(2)).dtype


def test_a007_and_a008_a_function_has_concrete_functions_and_these_have_graphs() -> None:
    f = ag.function(lambda x: x * 2, input_signature=[ag.TensorSpec([None], "float32")])
    concrete = f.get_concrete_function()
    assert isinstance(f, ag.Function)
    assert isinstance(concrete, ag.ConcreteFunction)
    assert "multiply(%x" in concrete.graph
    assert str(f.pretty_printed_concrete_signatures()).startswith("<lambda>(x)\n  Args:")


def test_a009_control_flow_by_functions() -> None:
    @ag.function
    def f(x):
        y = ag.cond(x > 0, lambda: x * 2, lambda: -x)
        return ag.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] + y), (0, y * 0))[1]

    assert f(np.float64(2.0)) == 12.0
    assert f(np.float64(-2.0)) == 6.0


def test_a012_effects_happen_at_each_call(capsys: Any) -> None:
    seen: list[Any] = []

    @ag.function
    def f(x):
        ag.print("x:", x)
        ag.py_function(seen.append, [x])

    f(np.int64(1))
    f(np.int64(2))
    assert seen == [1, 2]
    assert capsys.readouterr().out == "x: 1\nx: 2\n"


def test_a020_errors_are_those_of_python_and_ours() -> None:
    @ag.function
    def f(a, b):
        return a @ b

    with pytest.raises(ValueError, match="matmul"):
        f(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(ag.ShapeError):
        f(np.ones((2, 3)), np.ones((2, 3)))


def test_a021_nobody_builds_a_graph_by_hand() -> None:
    x = np.arange(3.0)
    found = ag.function(lambda x: x + 1)(x)
    assert type(found) is np.ndarray
    assert found.tolist() == [1.0, 2.0, 3.0]


def test_a030_and_a032_functions_are_used_like_ops_and_inside_each_other() -> None:
    @ag.function
    def add(a, b):
        return a + b

    @ag.function
    def dense_layer(x, w, b):
        return add(x @ w, b)

    ones = np.ones((2, 2), np.float32)
    found = add(ones, ones)
    assert (found.tolist(), found.dtype) == ([[2.0, 2.0], [2.0, 2.0]], np.float32)
    assert dense_layer(np.ones((3, 2)), ones, np.ones(2)).tolist() == [[3.0, 3.0]] * 3


def test_a033_to_a036_wrapping_gives_equal_results() -> None:
    def inner(x, y, b):
        return x @ y + b

    @ag.function
    def outer(x):
        return inner(x, np.array([[2.0], [3.0]]), 4.0)

    x, y = np.array([[1.0, 2.0]]), np.array([[2.0], [3.0]])
    assert inner(x, y, 4.0).tolist() == ag.function(inner)(x, y, 4.0).tolist() == [[12.0]]
    assert outer(x).tolist() == [[12.0]]
    assert "matmul(" in outer.graph(x)
    assert ag.function(lambda: inner(x, y, 1.0))().tolist() == [[9.0]]

    def mean(x, y):
        return np.mean(x**2 * 3 + y)

    a, b = np.array([[2.0, 3.0]]), np.array([[3.0, -2.0]])
    assert mean(a, b) == ag.function(mean)(a, b)


@pytest.mark.parametrize(("x", "expected"), [(-2, 1), (3, 9)])
def test_a037_both_arms_return(x: int, expected: int) -> None:
    @ag.function
    def f(x):
        if np.sum(x) > 0:
            return x * x
        else:
            return -x // 2

    assert f(np.int64(x)) == expected


@pytest.mark.parametrize(
    ("x", "expected"),
    [(1.0, 1.0), ([5.0, 5.0], [4, 4]), (2, 1), (2.0, 1.0), ([2.0, 2.0, 2.0], [1, 1, 1])],
)
def test_a038_both_arms_return_after_a_reduction(x: Any, expected: Any) -> None:
    @ag.function
    def f(x):
        if np.sum(x) <= 1:
            return x * x
        else:
            return x - 1

    np.testing.assert_array_equal(f(np.array(x)), expected)


def test_a039_scaled_elu() -> None:
    def scaled_elu(z, scale=1.0, alpha=1.0):
        return scale * np.where(z >= 0.0, z, alpha * np.expm1(np.minimum(z, 0.0)))

    for z in (np.float64(-3.0), np.array([-3.0, 2.5])):
        np.testing.assert_array_equal(ag.function(scaled_elu)(z), scaled_elu(z))


def test_a041_lists_and_numbers_are_arguments() -> None:
    def relu(x):
        return np.maximum(0.0, np.asarray(x))

    staged = ag.function(relu)
    for x in ([1, -1], 5.5, np.array([3.0, -3.0]), np.float64(-2.5), np.array([-1.0, 1.0])):
        np.testing.assert_array_equal(staged(x), relu(x))
    count = staged.trace_count
    staged(np.array([7.0, 7.0]))
    assert staged.trace_count == count
