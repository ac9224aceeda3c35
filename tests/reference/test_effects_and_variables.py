"""Effects and variables (A.4 and A.5 of the behaviours), under TensorFlow's names."""

from __future__ import annotations

import numpy as np

from autograph import tf


def test_python_runs_on_every_call():
    """A-012, A-091"""
    external_list = []

    def side_effect(x):
        external_list.append(x)

    @tf.function
    def f(x):
        tf.py_function(side_effect, inp=[x], Tout=[])

    for _ in range(3):
        f(1)
    assert len(external_list) == 3
    assert external_list[0].numpy() == 1


def test_python_functions_give_tensors():
    """A-012"""

    @tf.function
    def f(x):
        y = tf.py_function(lambda a: a * 2, [x], tf.float32)
        low, high = tf.numpy_function(lambda a: (a.min(), a.max()), [x], [tf.float32, tf.float32])
        return y, low + high

    y, both = f(tf.constant([1.0, 2.0]))
    assert y.numpy().tolist() == [2.0, 4.0]
    assert both.numpy() == 3.0


def test_lists_grow_in_staged_loops():
    """A-096"""

    @tf.function
    def f(n):
        items = []
        for i in tf.range(n):
            items.append(i * 2)
        return tf.stack(items), len(items)

    items, count = f(tf.constant(3))
    assert items.numpy().tolist() == [0, 2, 4]
    assert count.numpy() == 3


def test_numpy_s_randomness_is_frozen_and_ours_is_not():
    """A-097"""

    @tf.function
    def ours():
        return tf.eye(5) + tf.random.normal([5, 5])

    assert not np.array_equal(ours().numpy(), ours().numpy())
    tf.random.set_seed(3)
    first = ours().numpy()
    tf.random.set_seed(3)
    assert np.array_equal(first, ours().numpy())


def test_for_over_tensors_and_datasets_always_works():
    """A-100"""

    @tf.function
    def total(rows, data):
        found = tf.constant(0, tf.int64)
        for x in rows:
            found += x
        for x in data:
            found += x
        return found

    rows = tf.constant([1, 2], tf.int64)
    assert total(rows, tf.data.Dataset.range(5)).numpy() == 13
    assert total(rows, tf.data.Dataset.range(9)).numpy() == 39
    assert total.trace_count == 1


def test_variables_are_written_in_order():
    """A-013, A-110"""
    a, b = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def f(x, y):
        a.assign(y * b)
        b.assign_add(x * a)
        return a + b

    assert f(1.0, 2.0).numpy() == 10.0


def test_a_variable_from_outside():
    """A-005, A-112"""
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        return v.assign_add(x)

    assert f(1.0).numpy() == 2.0
    assert f(2.0).numpy() == 4.0
