"""Sparse tensors: what `tf.sparse` makes of them is what it makes of the tensors they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf

A = np.array([[0, 5, 0, 1], [0, 0, 0, 0], [2, 0, 3, 0]], np.int32)
B = np.array([[0, -5, 7, 0], [0, 0, 0, 1], [0, 0, 4, 0]], np.int32)
sparse = tf.sparse

PROGRAMS = {
    "to_dense": (lambda a, b: sparse.to_dense(a), A),
    "default": (lambda a, b: sparse.to_dense(a, -1), np.where(A == 0, -1, A)),
    "add": (lambda a, b: sparse.to_dense(sparse.add(a, b)), A + B),
    "add a tensor": (lambda a, b: sparse.add(a, sparse.to_dense(b)), A + B),
    "beside": (lambda a, b: sparse.to_dense(sparse.concat(1, [a, b])), np.concatenate([A, B], 1)),
    "below": (lambda a, b: sparse.to_dense(sparse.concat(0, [a, b])), np.concatenate([A, B], 0)),
    "slice": (lambda a, b: sparse.to_dense(sparse.slice(a, [0, 1], [2, 9])), A[0:2, 1:]),
    "transpose": (lambda a, b: sparse.to_dense(sparse.transpose(a)), A.T),
    "reshape": (lambda a, b: sparse.to_dense(sparse.reshape(a, [2, -1])), A.reshape(2, 6)),
    "expand": (lambda a, b: sparse.to_dense(sparse.expand_dims(a, 1)), A[:, None]),
    "map_values": (
        lambda a, b: sparse.to_dense(sparse.map_values(tf.add, a, 5)),
        np.where(A == 0, 0, A + 5),
    ),
    "times": (lambda a, b: sparse.to_dense(a * 2), A * 2),
    "times a tensor": (
        lambda a, b: sparse.to_dense(a * tf.constant([1, 2, 3, 4])),
        A * [1, 2, 3, 4],
    ),
    "retain": (lambda a, b: sparse.to_dense(sparse.retain(a, a.values > 2)), A * (A > 2)),
    "sum": (lambda a, b: sparse.reduce_sum(a), np.int32(A.sum())),
    "sum of rows": (lambda a, b: sparse.reduce_sum(a, axis=1), A.sum(1)),
    "sum of columns": (lambda a, b: sparse.reduce_sum(a, axis=0), A.sum(0)),
    "max of what is told": (lambda a, b: sparse.reduce_max(b, axis=0), np.array([0, -5, 7, 1])),
    "matmul": (
        lambda a, b: sparse.sparse_dense_matmul(a, sparse.to_dense(b), adjoint_b=True),
        A @ B.T,
    ),
    "matmul after": (lambda a, b: sparse.sparse_dense_matmul(A.T, b), A.T @ B),
    "cast": (lambda a, b: sparse.to_dense(tf.cast(a, tf.float32)), A.astype(np.float32)),
    "shape": (lambda a, b: tf.shape(a), np.array([3, 4])),
    "union": (
        lambda a, b: sparse.to_dense(tf.sets.union(a, b)),
        [[-5, 1, 5, 7], [1, 0, 0, 0], [2, 3, 4, 0]],
    ),
    "difference": (
        lambda a, b: sparse.to_dense(tf.sets.difference(b, tf.constant(A), aminusb=False), 9),
        [[0, 1, 5], [0, 9, 9], [0, 2, 3]],
    ),
    "size of intersection": (
        lambda a, b: tf.sets.size(tf.sets.intersection(tf.constant(A), abs(sparse.to_dense(b)))),
        [2, 1, 1],
    ),
    "edits": (
        lambda a, b: tf.cast(tf.edit_distance(a, b, normalize=False), tf.int32),
        [2, 1, 2],
    ),
    "edits by element": (
        lambda a, b: tf.cast(tf.minimum(3 * tf.edit_distance(sparse.add(a, b), a), 99.0), tf.int32),
        [3, 99, 1],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_give_what_they_give_for_the_whole_tensor(name):
    program, expected = PROGRAMS[name]
    a, b = sparse.from_dense(A), sparse.from_dense(B)
    for call in (program, tf.function(program)):
        found = call(a, b)
        np.testing.assert_array_equal(found.numpy(), expected)
        assert found.dtype == (tf.float32 if name == "cast" else tf.int32)


def test_they_print_as_there():
    assert str(tf.SparseTensor([[0, 3], [2, 4]], [10, 20], [3, 10])) == (
        "SparseTensor(indices=tf.Tensor(\n[[0 3]\n [2 4]], shape=(2, 2), dtype=int64), "
        "values=tf.Tensor([10 20], shape=(2,), dtype=int32), "
        "dense_shape=tf.Tensor([ 3 10], shape=(2,), dtype=int64))"
    )


def test_elements_that_are_not_in_order_are_sorted_where_it_counts():
    mixed = tf.SparseTensor([[1, 0], [0, 1]], ["b", "a"], [2, 2])
    assert sparse.reorder(mixed).values.numpy().tolist() == [b"a", b"b"]
    assert sparse.to_dense(mixed, "-").numpy().tolist() == [[b"-", b"a"], [b"b", b"-"]]


def test_gradients_go_through_products():
    w = tf.Variable([[1.0], [2.0], [3.0], [4.0]])
    a = sparse.from_dense(A.astype(np.float32))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(sparse.sparse_dense_matmul(a, w))
    assert tape.gradient(loss, w).numpy().ravel().tolist() == A.sum(0).tolist()


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda a: tf.nn.relu(a), "relu takes no SparseTensor here; tf.sparse.to_dense"),
        (lambda a: tf.add(a, 1), "add takes no SparseTensor here"),
        (lambda a: a * a, "tf.sparse.add adds two sparse ones"),
        (lambda a: sparse.add(a, sparse.transpose(a)), "have not the same shape"),
        (lambda a: sparse.reshape(a, [5, 5]), "do not make such a shape"),
        (lambda a: tf.SparseTensor([[0, 9]], [1], [3, 3]), "outside of the shape"),
        (lambda a: sparse.softmax(a), "tf.sparse.softmax is not there"),
        (lambda a: tf.sets.union(a, [1]), "of one rank, 2 or more, not of 2 axes and 1"),
        (lambda a: tf.sets.union(a, [[1.0]]), "have no common dtype"),
    ],
)
def test_what_is_not_there_is_refused_with_what_to_do(program, message):
    with pytest.raises((TypeError, AttributeError, tf.errors.InvalidArgumentError), match=message):
        program(sparse.from_dense(A))
