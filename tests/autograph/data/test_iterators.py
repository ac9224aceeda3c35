"""`iter(dataset)`: each element is given once, in Python and in staged functions alike."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from autograph import tf
from autograph.data import Dataset


def goes_on(data, n):
    iterator, total = iter(data), 0
    for x in iterator:
        total += x
        if x >= n:
            break
    for x in iterator:
        total += 100 * x
    return total


def nested(data, n):
    iterator, total = iter(data), 0
    for a in iterator:
        for b in iterator:
            total = total * 10 + a + b * n
            if b > 1:
                break
    return total


def one_by_one(data, n):
    iterator = iter(data)
    first = next(iterator)
    second = next(iterator, -1)
    return first * n, second, next(iterator, -2)


def in_rounds(data, n):
    iterator, total = iter(data), 0
    for _ in range(n):
        total = total * 10 + next(iterator)
    return total


@pytest.mark.parametrize("program", [goes_on, nested, one_by_one, in_rounds])
@pytest.mark.parametrize("size", [2, 5])
def test_an_iterator_made_inside_gives_each_element_once(program, size):
    data, n = Dataset.range(size), np.int64(2)
    assert ag.function(lambda n: program(data, n))(n) == program(data, n)
    assert ag.function(program)(data, n) == program(data, n)


def test_an_iterator_of_outside_goes_on_at_each_call():
    iterator = iter(Dataset.range(5))
    f = ag.function(lambda: next(iterator))
    assert [f(), f(), next(iterator), f()] == [0, 1, 2, 3]
    assert f.trace_count == 1
    assert list(iterator) == [4]
    with pytest.raises(StopIteration):
        f()


def test_an_iterator_is_an_argument_and_another_one_needs_no_trace():
    @ag.function
    def two(iterator, n):
        total = n
        for _ in range(2):
            total += next(iterator)
        return total

    first, second = iter(Dataset.range(6)), iter(Dataset.range(10, 14))
    assert [two(x, np.int64(0)) for x in (first, second, first)] == [1, 21, 5]
    assert two.trace_count == 1
    assert first.element_spec == second.element_spec


def test_an_iterator_has_structure():
    data = Dataset.from_arrays({"x": np.arange(3.0), "y": np.ones((3, 2))})
    f = ag.function(lambda iterator: next(iterator)["x"] + next(iterator)["y"])
    assert f(iter(data)).tolist() == [1.0, 1.0]


def test_iterators_of_tensors():
    iterator = iter(tf.data.Dataset.range(3))
    f = tf.function(lambda: next(iterator) * 2)
    assert [int(f()), int(iterator.get_next()), int(f())] == [0, 1, 4]
    with pytest.raises(tf.errors.OutOfRangeError):
        f()
    with pytest.raises(StopIteration):
        next(iterator)
    assert iterator.element_spec.dtype == tf.int64


def test_the_next_of_what_goes_over_a_dataset():
    assert ag.function(lambda data: next(iter(data)) + 1)(Dataset.range(3)) == 1
    assert ag.function(lambda data: next(enumerate(data.skip(1), 5)))(Dataset.range(3)) == (5, 1)


def test_a_list_of_all_elements():
    assert ag.function(lambda data: list(iter(data)))(Dataset.range(3)) == [0, 1, 2]
