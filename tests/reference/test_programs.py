"""Programs as people write them for `tf.function`, eagerly and staged."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf


def fizzbuzz(limit):
    for number in tf.range(1, limit + 1):
        if number % 15 == 0:
            tf.print("FizzBuzz")
        elif number % 3 == 0:
            tf.print("Fizz")
        elif number % 5 == 0:
            tf.print("Buzz")
        else:
            tf.print(number)


def test_fizzbuzz(capsys):
    """A-012, A-093, A-137"""
    fizzbuzz(tf.constant(15))
    expected = capsys.readouterr().err
    tf.function(fizzbuzz)(tf.constant(15))
    assert capsys.readouterr().err == expected
    words = "1 2 Fizz 4 Buzz Fizz 7 8 Fizz Buzz 11 Fizz 13 14 FizzBuzz"
    assert " ".join(expected.split()) == words


def sum_of_even(items):
    total = 0
    for item in items:
        if item % 2 > 0:
            continue
        total += item
    return total


def largest_power(limit):
    power = tf.constant(1)
    while power * 2 <= limit:
        power *= 2
    return power


def fibonacci(count):
    a, b = tf.constant(0), tf.constant(1)
    for _ in tf.range(count):
        a, b = b, a + b
    return a


def is_prime(n):
    if n < 2:
        return tf.constant(False)
    for divisor in tf.range(2, n):
        if divisor * divisor > n:
            break
        if n % divisor == 0:
            return tf.constant(False)
    return tf.constant(True)


def appended(n):
    items = []
    for i in tf.range(n):
        items.append(i * i)
    return tf.stack(items)


def nested(matrix):
    total = tf.constant(0.0)
    for row in matrix:
        for x in row:
            if x < 0.0:
                break
            total += x
    return total


def moving_average(xs, width):
    sums = tf.TensorArray(tf.float32, size=tf.size(xs) - width + 1)
    for i in tf.range(tf.size(xs) - width + 1):
        sums = sums.write(i, tf.reduce_mean(xs[i : i + width]))
    return sums.stack()


def newton(a):
    x = a
    for _ in tf.range(100):
        better = 0.5 * (x + a / x)
        if tf.abs(better - x) < 1e-6:
            return better
        x = better
    return x


def life(board):
    neighbours = tf.zeros_like(board)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dy != 0 or dx != 0:
                neighbours += tf.roll(board, [dy, dx], [0, 1])
    born = tf.logical_and(tf.equal(board, 0), tf.equal(neighbours, 3))
    stays = tf.logical_and(tf.equal(board, 1), tf.logical_or(neighbours == 2, neighbours == 3))
    return tf.cast(tf.logical_or(born, stays), board.dtype)


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def descent(x, y):
    """Fit a line by steps down the gradient, which is written out."""
    w, b = tf.constant(0.0), tf.constant(0.0)
    for _ in tf.range(200):
        error = w * x + b - y
        w -= 0.1 * tf.reduce_mean(error * x)
        b -= 0.1 * tf.reduce_mean(error)
    return tf.stack([w, b])


GLIDER = np.zeros((6, 6), np.int32)
GLIDER[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
LINE = np.linspace(-1, 1, 20, dtype=np.float32)

PROGRAMS = [
    (sum_of_even, ([10, 12, 15, 20],), 42),
    (sum_of_even, (tf.constant([10, 12, 15, 20]),), 42),
    (largest_power, (tf.constant(100),), 64),
    (fibonacci, (tf.constant(10),), 55),
    (is_prime, (tf.constant(91),), False),
    (is_prime, (tf.constant(97),), True),
    (appended, (tf.constant(4),), [0, 1, 4, 9]),
    (nested, (tf.constant([[1.0, -1.0, 5.0], [2.0, 3.0, 4.0]]),), 10.0),
    (moving_average, (tf.constant([1.0, 2.0, 3.0, 4.0]), 2), [1.5, 2.5, 3.5]),
    (newton, (tf.constant(2.0),), np.sqrt(2)),
    (life, (tf.constant(GLIDER),), None),
    (collatz, (tf.constant(27),), 111),
    (descent, (tf.constant(LINE), tf.constant(3 * LINE + 1)), [3.0, 1.0]),
]


@pytest.mark.parametrize(
    ("program", "arguments", "expected"), PROGRAMS, ids=[p[0].__name__ for p in PROGRAMS]
)
def test_eager_and_staged_give_the_same(program, arguments, expected):
    """A-021"""
    plain, staged = program(*arguments), tf.function(program)(*arguments)
    for found in (plain, staged):
        value = found.numpy() if isinstance(found, tf.Tensor) else found
        if expected is not None:
            assert np.allclose(value, expected, atol=1e-2)
    assert isinstance(staged, tf.Tensor)
    assert np.allclose(staged.numpy(), np.asarray(tf.convert_to_tensor(plain).numpy()))


def test_more_of_datasets():
    """A-011, A-151"""

    def numbers():
        yield from [1, 2, 3]

    data = tf.data.Dataset.from_generator(
        numbers, output_signature=tf.TensorSpec(shape=(), dtype=tf.int32)
    )
    assert [x.numpy() for x in data.prefetch(tf.data.AUTOTUNE)] == [1, 2, 3]
    old = tf.data.Dataset.from_generator(numbers, tf.int32, [])
    assert [x.numpy() for x in old.cache().skip(1)] == [2, 3]
    both = tf.data.Dataset.zip((data, tf.data.Dataset.range(9)))
    assert [(a.numpy(), b.numpy()) for a, b in both] == [(1, 0), (2, 1), (3, 2)]
    flat = tf.data.Dataset.range(3).flat_map(lambda n: tf.data.Dataset.range(int(n)))
    assert [x.numpy() for x in flat] == [0, 0, 1]
    assert data.reduce(0, lambda a, x: a + x).numpy() == 6
    assert tf.function(lambda d: d.reduce(0, lambda a, x: a + x))(data).numpy() == 6
    with pytest.raises(TypeError, match="needs output_signature"):
        tf.data.Dataset.from_generator(numbers)
    (only,) = tf.data.Dataset.from_tensors([[1, 2]]).concatenate(data.take(0).batch(1).batch(1))
    assert only.numpy().tolist() == [[1, 2]]


def test_assertions_are_errors_of_arguments():
    """A-165"""

    @tf.function
    def f(x):
        assert x > 0, "x must be positive"
        return x

    assert f(tf.constant(1)).numpy() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be positive"):
        f(tf.constant(-1))


def test_concrete_functions():
    """A-007, A-008, A-063, A-064"""
    double = tf.function(lambda a: a + a)
    strings = double.get_concrete_function(tf.TensorSpec(shape=None, dtype=tf.string))
    assert "add(" in str(double.get_concrete_function(tf.constant(1.0)).graph)
    assert strings(tf.constant("a")).numpy() == b"aa"
    assert strings(a=tf.constant("b")).numpy() == b"bb"
    with pytest.raises(TypeError):
        strings(tf.constant(1.0))


def test_isinstance_of_tensors():
    @tf.function
    def f(x):
        return tf.is_tensor(x), isinstance(x, tf.Tensor)

    assert [bool(v.numpy()) for v in f(tf.constant(1.0))] == [True, True]
    assert isinstance(tf.Variable(1.0), tf.Variable)
    assert not isinstance(tf.constant(1.0), tf.Variable)
