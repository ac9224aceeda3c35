"""Control flow as the reference of AutoGraph has it: staged, it does what Python does."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf


class Counter:
    def __init__(self, y):
        self.y = y

    def lower(self):
        self.y -= 1


def attribute(n):
    counter = Counter(n)
    while counter.y > 0:
        counter.y = counter.y - 2
    return counter.y


def method(n):
    counter = Counter(n)
    while counter.y > 2:
        counter.lower()
    return counter.y


def item_of_a_list(n):
    held = [n]
    while held[0] > 3:
        held[0] -= 2
    return held[0]


def item_of_a_dict(n):
    held = {"field": n}
    while held["field"] > 3:
        held["field"] -= 2
    return held["field"]


def items_of_a_dict(n):
    held = {"a": tf.constant(3), "b": n}
    for i in tf.range(3):
        held = {key: value + i for key, value in held.items()}
    return held["a"] * held["b"]


def key_by_key(n):
    held = {"a": tf.constant(3), "b": n}
    for i in tf.range(3):
        for key in held:
            held[key] += i
    return held["a"] * held["b"]


def growing_array(n):
    found = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    for i in tf.range(n):
        found = found.write(found.size(), i * i)
    return found.stack()


def closure(n):
    a = tf.constant(0)

    def doubled():
        return a * 2

    for i in tf.range(n):
        a = i
    return doubled()


def function_of_a_variable(n):
    total = tf.Variable(0) if TOTAL[0] is None else TOTAL[0]
    TOTAL[0] = total
    total.assign(0)
    while n > 0:
        add_to(total)
        n -= 1
    return total + 0


TOTAL = [None]


def add_to(variable):
    variable.assign_add(2)


def rows(n):
    total = tf.constant(0)
    for row in tf.constant(((1, 2), (3, 4))):
        total += tf.reduce_sum(row) * n
    return total


def stacked(n):
    total = n
    for x in tf.stack([n, n + 1, n + 2]):
        if x > 5:
            continue
        total += x
    return total


def broken_dataset(n):
    total = tf.constant(0, tf.int64)
    for i in tf.data.Dataset.range(100):
        if i > tf.cast(n, tf.int64):
            break
        total += i
    return total


def iterator_of_a_dataset(n):
    total = tf.constant(0, tf.int64)
    for i in iter(tf.data.Dataset.range(4)):
        total += i * tf.cast(n, tf.int64)
    return total


def return_in_a_loop(n):
    i = tf.constant(0)
    while i < 10:
        if i > n:
            return i * 100
        i += 1
    return i


def static_rank(n):
    x = tf.zeros([2, 3]) + tf.cast(n, tf.float32)
    if x.shape.rank == 2 and x.shape[0] is not None:
        return tf.reshape(x, [x.shape.num_elements()])
    return x


def written_to_locals(n):
    i = 0
    if tf.greater(n, 4):
        i = 1
    return i + n


PROGRAMS = [
    attribute, method, item_of_a_list, item_of_a_dict, items_of_a_dict, key_by_key, growing_array,
    closure, function_of_a_variable, rows, stacked, broken_dataset, iterator_of_a_dataset,
    return_in_a_loop, static_rank, written_to_locals,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_staged_it_does_what_python_does(program):
    staged = tf.function(program)
    for n in (1, 5, 8):
        expected, found = program(tf.constant(n)), staged(tf.constant(n))
        assert np.array_equal(found.numpy(), expected.numpy())
        assert found.dtype == expected.dtype
    assert staged.experimental_get_tracing_count() == 1


def test_shapes_tell_what_they_are():
    x = tf.zeros([2, 3])
    assert x.shape == (2, 3)
    assert x.shape.as_list() == [2, 3]
    assert (x.shape.rank, x.shape.ndims, x.shape.num_elements()) == (2, 2, 6)
    assert x.shape.is_fully_defined()
    assert tf.TensorShape([None, 2]) == (None, 2)
    assert not tf.TensorShape([None, 2]).is_fully_defined()
    assert tf.TensorShape([None, 2]).num_elements() is None
    assert tf.TensorShape([None, 2]).is_compatible_with([5, 2])
    assert not tf.TensorShape([None, 2]).is_compatible_with([5, 3])
    assert tf.TensorShape([1]).concatenate([2, 3]) == (1, 2, 3)
    assert tf.TensorShape(None) is None
    assert tf.Variable(x).shape.as_list() == [2, 3]
    assert tf.TensorSpec(tf.TensorShape([None, 2])).shape == tf.TensorSpec([None, 2]).shape


def test_shapes_are_given_where_sizes_are():
    def grown(x):
        found = tf.while_loop(
            lambda x: tf.shape(x)[0] < 5,
            lambda x: (tf.concat([x, x], 0),),
            [x],
            shape_invariants=[tf.TensorShape([None])],
        )
        return found[0]

    assert tf.function(grown)(tf.constant([1.0])).shape == (8,)
    rows = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
    (batch,) = rows.padded_batch(2, padded_shapes=tf.TensorShape([None]))
    assert tf.reshape(batch, tf.TensorShape([4])).numpy().tolist() == [1, 0, 2, 2]
    assert tf.function(lambda x: x.shape)(batch).as_list() == [2, 2]
