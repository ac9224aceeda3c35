"""What one expects beside the functions: checks, texts, options of loops, devices."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from autograph import tf

CHECKS = {
    "assert_near": (
        lambda x: tf.debugging.assert_near(x, x + 1e-8),
        lambda x: tf.debugging.assert_near(x, x + 1),
    ),
    "assert_integer": (
        lambda x: tf.debugging.assert_integer(tf.cast(x, tf.int32)),
        lambda x: tf.debugging.assert_integer(x),
    ),
    "assert_scalar": (
        lambda x: tf.debugging.assert_scalar(x[0]),
        lambda x: tf.debugging.assert_scalar(x),
    ),
    "assert_rank_at_least": (
        lambda x: tf.debugging.assert_rank_at_least(x, 1),
        lambda x: tf.debugging.assert_rank_at_least(x, 2),
    ),
}


@pytest.mark.parametrize("is_staged", [False, True])
@pytest.mark.parametrize(("right", "wrong"), CHECKS.values(), ids=CHECKS)
def test_checks_pass_and_fail(right, wrong, is_staged):
    staged = tf.function if is_staged else lambda function: function
    x = tf.constant([1.0, 2.0])
    staged(right)(x)
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError), match=r"need|near"):
        staged(wrong)(x)


def test_numeric_tensors_are_told():
    assert tf.debugging.is_numeric_tensor(tf.constant(1))
    assert not tf.debugging.is_numeric_tensor(tf.constant("1"))
    assert not tf.debugging.is_numeric_tensor(1)


def test_texts_are_split_into_characters_and_formatted():
    parts = tf.strings.unicode_split(tf.constant("né€"), "UTF-8")
    assert parts.numpy().tolist() == [b"n", "é".encode(), "€".encode()]
    assert tf.strings.bytes_split("ab").numpy().tolist() == [b"a", b"b"]
    made = tf.function(lambda n, name: tf.strings.format("{} of {}!", (n, name)))
    assert made(tf.constant(3), tf.constant("x")).numpy() == b"3 of x!"
    with pytest.raises(ValueError, match=r"shorter|longer"):
        tf.strings.format("{} {}", 1)


def test_options_of_loops_are_said_in_their_bodies():
    @tf.function
    def doubled(n):
        x = tf.constant([1.0])
        while tf.shape(x)[0] < n:
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))]
            )
            x = tf.concat([x, x], 0)
        return x

    @tf.function
    def rows(n):
        v = tf.zeros([0, 2])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(v, (None, 2))])
            v = tf.concat([v, tf.fill([1, 2], tf.cast(i, tf.float32))], 0)
        return v

    assert doubled(tf.constant(5)).shape == (8,)
    assert rows(tf.constant(2)).numpy().tolist() == [[0, 0], [1, 1]]
    with pytest.raises(NotImplementedError, match="no maximum_iterations"):
        tf.autograph.experimental.set_loop_options(maximum_iterations=3)
    assert tf.autograph.experimental.do_not_convert is tf.autograph.do_not_convert


def test_a_tensor_array_takes_the_parts_of_a_tensor():
    @tf.function
    def f(x):
        return tf.TensorArray(tf.float32, size=2).split(x, [2, 2]).read(1)

    assert f(tf.constant([1.0, 2.0, 3.0, 4.0])).numpy().tolist() == [3, 4]
    with pytest.raises(ValueError, match="parts of one length here, not of"):
        tf.TensorArray(tf.float32, size=2).split([1.0, 2.0, 3.0], [1, 2])


def test_devices_and_threads():
    (device,) = tf.config.list_logical_devices("CPU")
    assert device.name == "/device:CPU:0"
    assert not tf.config.list_logical_devices("GPU")
    tf.config.set_soft_device_placement(True)
    tf.config.threading.set_inter_op_parallelism_threads(2)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    assert ag.get_threads() == 1
    tf.config.threading.set_intra_op_parallelism_threads(0)


@pytest.mark.parametrize("name", ["Session"])
def test_what_is_absent_says_what_to_do(name):
    with pytest.raises(AttributeError, match=f"tf.{name} is not there: there are no "):
        getattr(tf, name)


@pytest.mark.parametrize(
    ("kind", "python"),
    [
        (tf.errors.DataLossError, ValueError),
        (tf.errors.DeadlineExceededError, TimeoutError),
        (tf.errors.AlreadyExistsError, FileExistsError),
        (tf.errors.PermissionDeniedError, PermissionError),
    ],
)
def test_errors_are_those_of_python_too(kind, python):
    assert issubclass(kind, python)
    assert issubclass(kind, tf.errors.OpError)
    assert kind("text").message == "text"


def test_special_functions_are_those_of_floats():
    with pytest.raises(TypeError, match="special functions are those of floats, not of int32"):
        tf.math.erf([1])
    assert tf.math.erf(np.float64(0.5)).dtype == tf.float64


def test_parts_of_variables_are_assigned():
    v = tf.Variable(tf.zeros([2, 3]))
    assert v[0, 1].assign(5.0) is v

    @tf.function
    def put(x):
        for k in tf.range(2):
            v[k, 0].assign(x + tf.cast(k, tf.float32))
        v[:, 2:].assign([[x], [x]])
        return tf.reduce_sum(v)

    assert put(tf.constant(2.0)).numpy() == 14
    assert v.numpy().tolist() == [[2, 5, 2], [3, 0, 2]]
    with pytest.raises(AttributeError, match="assign"):
        (v + 1).assign(1.0)
    with pytest.raises(ValueError, match="broadcast"):
        v[0].assign([1.0, 2.0])
