"""Functions as ops (A.2 of the behaviours): programs for TensorFlow with their import changed."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf


def same(found, expected, dtype=None):
    """Tell whether a tensor has the values, and the dtype if one is given."""
    array = np.asarray(found.numpy())
    return (
        np.allclose(array, expected)
        and array.shape == np.shape(expected)
        and (dtype is None or array.dtype == dtype)
    )


def test_eager_values():
    """A-001, A-004"""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert x.dtype == tf.float32
    assert x.shape == (2, 2)
    assert same(tf.matmul(x, x), [[7, 10], [15, 22]], np.float32)
    assert same(x + 1, [[2, 3], [4, 5]], np.float32)
    assert tf.constant(3).dtype == tf.int32
    assert tf.ones([2]).dtype == tf.zeros([2]).dtype == tf.eye(2).dtype == tf.float32
    assert tf.random.uniform([3]).shape == tf.random.normal([3]).shape == (3,)


def test_a_staged_function_is_used_like_an_op():
    """A-030"""

    @tf.function
    def add(a, b):
        return a + b

    assert same(add(tf.ones([2, 2]), tf.ones([2, 2])), np.full((2, 2), 2.0), np.float32)


def test_functions_inside_functions():
    """A-032"""

    @tf.function
    def add(a, b):
        return a + b

    @tf.function
    def dense_layer(x, w, b):
        return add(tf.matmul(x, w), b)

    found = dense_layer(tf.ones([3, 2]), tf.ones([2, 2]), tf.ones([2]))
    assert same(found, np.full((3, 2), 3.0), np.float32)


def test_a_direct_wrap_gives_equal_results():
    """A-002, A-033"""

    def regression(x, y, b):
        x = tf.matmul(x, y)
        x = x + b
        return x

    x, y, b = tf.constant([[1.0, 2.0]]), tf.constant([[2.0], [3.0]]), tf.constant(4.0)
    assert same(tf.function(regression)(x, y, b), [[12.0]])
    assert same(regression(x, y, b), [[12.0]])


def test_conversion_is_recursive():
    """A-034"""

    def inner_function(x, y, b):
        return tf.matmul(x, y) + b

    @tf.function
    def outer_function(x):
        return inner_function(x, tf.constant([[2.0], [3.0]]), tf.constant(4.0))

    found = outer_function(tf.constant([[1.0, 2.0]]))
    assert same(found, [[12.0]], np.float32)
    assert "matmul" in str(outer_function.graph(tf.constant([[1.0, 2.0]])))


def test_tensors_and_variables_are_captured():
    """A-035"""
    x, y = tf.constant([10.0]), tf.Variable([3.0])

    def f(a, b):
        return a * b + 1.0

    @tf.function
    def h():
        return f(x, y)

    assert same(h(), [31.0], np.float32)
    y.assign([4.0])
    assert same(h(), [41.0], np.float32)


def test_eager_and_staged_agree():
    """A-036"""

    def f(x, y):
        return tf.reduce_mean(tf.multiply(x**2, 3) + y)

    x, y = tf.constant([[2.0, 3.0]]), tf.constant([[3.0, -2.0]])
    assert f(x, y).numpy() == tf.function(f)(x, y).numpy() == 20.0


@pytest.mark.parametrize(("x", "expected"), [(-2, 1), (3, 9)])
def test_both_arms_return(x, expected):
    """A-037"""

    @tf.function
    def square_if_positive(x):
        if tf.reduce_sum(x) > 0:
            return x * x
        else:
            return -x // 2

    assert same(square_if_positive(tf.constant(x)), expected)


@pytest.mark.parametrize(
    ("x", "expected"),
    [(1.0, 1.0), ([5.0, 5.0], [4, 4]), (2, 1), (2.0, 1.0), ([2.0, 2.0, 2.0], [1, 1, 1])],
)
def test_both_arms_return_after_a_reduction(x, expected):
    """A-038"""

    @tf.function
    def f(x):
        if tf.reduce_sum(x) <= 1:
            return x * x
        else:
            return x - 1

    assert same(f(tf.constant(x)), expected)


def test_scaled_elu():
    """A-039"""

    def scaled_elu(z, scale=1.0, alpha=1.0):
        is_positive = tf.greater_equal(z, 0.0)
        return scale * tf.where(is_positive, z, alpha * tf.nn.elu(z))

    staged = tf.function(scaled_elu)
    for z in (tf.constant(-3.0), tf.constant([-3.0, 2.5])):
        assert np.array_equal(staged(z).numpy(), scaled_elu(z).numpy())
    assert same(staged(tf.constant(-1.0)), np.expm1(-1.0))


def test_texts():
    """A-018, A-040"""

    @tf.function
    def double(a):
        return a + a

    assert double(tf.constant("a")).numpy() == b"aa"
    assert (tf.constant("hello") + tf.constant("world")).numpy() == b"helloworld"


def test_a_list_is_an_argument():
    """A-041"""

    @tf.function
    def my_relu(x):
        return tf.maximum(0.0, x)

    assert same(my_relu(tf.constant(5.5)), 5.5, np.float32)
    assert same(my_relu([1, -1]), [1.0, 0.0], np.float32)
    assert same(my_relu(tf.constant([3.0, -3.0])), [3.0, 0.0], np.float32)
    count = my_relu.trace_count
    assert same(my_relu(tf.constant(-2.5)), 0.0)
    assert same(my_relu(tf.constant([-1.0, 1.0])), [0.0, 1.0])
    assert my_relu.trace_count == count == 3


def test_errors_have_both_types():
    """A-020, A-165"""
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        tf.gather(tf.constant([0.0]), [1])
    with pytest.raises(IndexError):
        tf.gather(tf.constant([0.0]), [1])

    @tf.function
    def broken(a, b):
        return tf.matmul(a, b)

    with pytest.raises(tf.errors.InvalidArgumentError):
        broken(tf.ones([2, 3]), tf.ones([2, 3]))
    with pytest.raises(ValueError, match="matmul"):
        broken(tf.ones([2, 3]), tf.ones([2, 3]))
