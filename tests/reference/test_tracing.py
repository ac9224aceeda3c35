"""Traces, signatures and the cache (A.3 of the behaviours), under TensorFlow's names."""

from __future__ import annotations

import numpy as np

from autograph import tf


def test_one_trace_for_each_dtype():
    """A-050"""
    traced = []

    @tf.function
    def double(a):
        traced.append((a.dtype, a.shape))
        return a + a

    for _ in range(2):
        assert double(tf.constant(1)).numpy() == 2
        assert double(tf.constant(1.1)).numpy() == np.float32(2.2)
        assert double(tf.constant("a")).numpy() == b"aa"
    assert traced == [(tf.int32, ()), (tf.float32, ()), (tf.string, ())]
    assert double.experimental_get_tracing_count() == 3


def test_wrapped_objects_share_no_traces():
    """A-051"""
    traced = []

    def f():
        traced.append(1)

    tf.function(f)()
    tf.function(f)()
    assert len(traced) == 2


def test_the_same_seen_with_results():
    """A-055"""
    traced = []

    @tf.function
    def f(x):
        traced.append(1)
        return x * x + tf.constant(2)

    assert f(tf.constant(2)).numpy() == 6
    assert f(tf.constant(3)).numpy() == 11
    assert len(traced) == 1
    assert f(2).numpy() == 6
    assert f(3).numpy() == 11
    assert len(traced) == 3


def test_three_shapes_are_three_graphs_and_an_open_signature_is_one():
    """A-058, A-059"""
    arguments = tf.constant(1.0), tf.constant([1.0, 2.0]), tf.constant([[1.0]])

    def f(x):
        return x + 1

    closed = tf.function(f)
    opened = tf.function(f, input_signature=[tf.TensorSpec(shape=None, dtype=tf.float32)])
    for x in arguments:
        assert np.array_equal(closed(x).numpy(), opened(x).numpy())
    assert (closed.trace_count, opened.trace_count) == (3, 1)


def test_a_signature_converts_its_arguments():
    """A-060"""

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def f(x):
        return x + 1

    assert f(1.0).numpy() == 2.0
    assert f(np.float32(2.0)).numpy() == 3.0
    assert f.trace_count == 1


def test_what_a_trace_depends_on():
    """A-052, A-056, A-057, A-067: dtype and shape of tensors, values, identity of objects"""

    class Thing:
        size = 2

    f = tf.function(lambda x, other: x * 2)
    one, two = Thing(), Thing()
    calls = [
        ((tf.constant(1), 5), 1),
        ((tf.constant(2), 5), 1),
        ((tf.constant(2), 6), 2),
        ((tf.constant(2.0), 6), 3),
        ((tf.constant([2]), 6), 4),
        ((tf.constant(2), one), 5),
        ((tf.constant(2), two), 6),
        ((tf.constant(3), one), 6),
        ((tf.constant(2), None), 7),
    ]
    for arguments, count in calls:
        f(*arguments)
        assert f.experimental_get_tracing_count() == count
