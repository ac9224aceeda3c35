"""Operators of `tf`'s tensors: dtypes are not mixed, and `x += y` writes no tensor in place."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from autograph import tf

X, N = np.float32([1, 2]), np.int32([1, 2])
WIDE = np.array([1.0, 2.0])

TAKEN = {
    "numbers of Python": (lambda x, n: x + 2, X + 2),
    "floats of Python": (lambda x, n: 2.5 * x, np.float32(2.5) * X),
    "integers of Python": (lambda x, n: n // 2 + 7, N // 2 + 7),
    "lists": (lambda x, n: x * [1, 2], X * X),
    "arrays": (lambda x, n: x * WIDE, X * X),
    "arrays first": (lambda x, n: WIDE - x, X - X),
    "scalars of NumPy": (lambda x, n: x * np.float64(2), X * 2),
    "functions": (lambda x, n: tf.maximum(0.0, x) + tf.multiply(x, WIDE), X + X * X),
    "parts": (lambda x, n: x[1] * WIDE[1] + tf.reduce_sum(x), np.float32(7)),
    "quotients": (lambda x, n: n / 2, N / 2),
    "comparisons": (lambda x, n: (x > 1) & (n == 2), N == 2),
    "products": (lambda x, n: tf.matmul(x[None], np.ones((2, 1))) @ [[2]], np.float32([[6]])),
    "choices": (lambda x, n: tf.where(n > 1, x, 0), X * np.float32([0, 1])),
    "counters": (lambda x, n: sum_to(n[1]) * n, N * 3),
}


def sum_to(n):
    total = 0
    for k in tf.range(n + 1):
        total = total + k
    return total


MIXED = {
    "a sum": lambda x, n: x + n,
    "the other sum": lambda x, n: n + x,
    "a float of Python": lambda x, n: n * 1.5,
    "an array": lambda x, n: n * WIDE,
    "a bool": lambda x, n: n + True,
    "a function": lambda x, n: tf.add(n, x),
    "a comparison": lambda x, n: x == n,
    "a choice": lambda x, n: tf.where(n > 1, x, n),
    "a product": lambda x, n: tf.matmul(x[None], tf.cast(n, tf.float64)[:, None]),
    "a change in place": lambda x, n: x.__iadd__(n),
}


@pytest.mark.parametrize("is_staged", [False, True])
@pytest.mark.parametrize(("function", "expected"), TAKEN.values(), ids=TAKEN)
def test_what_has_no_dtype_of_its_own_takes_the_tensors(function, expected, is_staged):
    called = tf.function(function) if is_staged else function
    found = called(tf.constant(X), tf.constant(N))
    assert found.numpy().tolist() == expected.tolist()
    assert found.dtype == expected.dtype


@pytest.mark.parametrize("is_staged", [False, True])
@pytest.mark.parametrize("function", MIXED.values(), ids=MIXED)
def test_dtypes_are_not_mixed(function, is_staged):
    called = tf.function(function) if is_staged else function
    for kind in (tf.errors.InvalidArgumentError, TypeError):
        with pytest.raises(kind, match=r"a tensor of .* dtypes are not mixed here; write tf.cast"):
            called(tf.constant(X), tf.constant(N))


def renamed(x):
    y = x
    y += 1
    x *= 2
    return x, y


@pytest.mark.parametrize("called", [renamed, tf.function(renamed)])
def test_a_tensor_is_not_written_in_place(called):
    x = tf.constant(X)
    found = called(x)
    assert [y.numpy().tolist() for y in found] == [[2, 4], [2, 3]]
    assert x.numpy().tolist() == [1, 2]


def test_variables_give_tensors_of_the_same_rules():
    v = tf.Variable(X)
    assert (v * WIDE).dtype == tf.float32
    with pytest.raises(TypeError, match="not mixed"):
        v + tf.constant(N)
    assert tf.function(lambda: v * WIDE)().dtype == tf.float32


def test_functions_of_datasets_follow_the_rules_too():
    data = tf.data.Dataset.from_tensor_slices(X).map(lambda x: x * WIDE[1])
    assert data.element_spec.dtype == tf.float32
    with pytest.raises(TypeError, match="not mixed"):
        tf.data.Dataset.range(3).map(lambda x: x * tf.constant(2.0))
    for x in data:
        assert (x * np.float64(2)).dtype == tf.float32


def test_tensors_of_this_library_follow_numpy():
    assert (ag.Tensor(X) * WIDE).dtype == np.float64
    assert (ag.Tensor(N) + ag.Tensor(X)).dtype == np.float64
    assert ag.function(lambda x, n: x + n)(X, N).dtype == np.float64


def test_in_place_without_a_known_rank_is_refused():
    """NumPy writes an array, and replaces a number."""

    def total(rows):
        found = np.int64(0)
        for row in rows:
            found += row
        return found

    rows = ag.data.Dataset.from_generator(lambda: [1, 2], ag.TensorSpec(None, np.int64))
    with pytest.raises(ag.MutationError, match=r"number of dimensions .* not known: .*x = x \+ y"):
        ag.function(total)(rows)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.reshape(tf.range(30), [7, -1]),
        lambda: tf.ones([2]) + tf.ones([3]),
        lambda: tf.ones([2, 3]) @ tf.ones([2, 3]),
        lambda: tf.concat([tf.ones([2]), tf.ones([1, 2])], 0),
        lambda: tf.stack([tf.ones([2]), tf.ones([3])]),
        lambda: tf.ragged.stack([1, 2]),
    ],
)
def test_shapes_that_do_not_fit_are_invalid_arguments(call):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        call()
    assert type(caught.value).__name__ == "InvalidArgumentError"
    assert isinstance(caught.value, ValueError)


def test_what_functions_of_the_user_raise_is_left_alone():
    def fail(x):
        raise ValueError("mine")

    for call in (lambda: tf.map_fn(fail, tf.ones([2])), lambda: tf.function(fail)(1)):
        with pytest.raises(ValueError, match="mine") as caught:
            call()
        assert not isinstance(caught.value, tf.errors.OpError)


BYTES = np.array([[1, 2], [250, 3]], np.uint8)


@pytest.mark.parametrize(
    "change",
    [lambda x: 255 - x, lambda x: x + 1, lambda x: 2 * x, lambda x: x // 2, lambda x: x > 2],
)
def test_integers_of_python_are_of_the_dtype_of_a_tensor_without_signs(change):
    for call in (change, tf.function(change)):
        found = call(tf.constant(BYTES)).numpy()
        np.testing.assert_array_equal(found, change(BYTES), strict=True)


def test_integers_that_do_not_fit_into_a_tensor_without_signs_are_refused():
    for number in (256, -1):
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit into uint8"):
            tf.constant(BYTES) + number


def test_staged_integers_are_of_the_dtype_of_a_tensor_without_signs():
    @tf.function
    def raised(x):
        k = 0
        while k < 3:
            x = x + k
            k += 1
        return x

    np.testing.assert_array_equal(raised(tf.constant(BYTES)).numpy(), BYTES + 3, strict=True)
