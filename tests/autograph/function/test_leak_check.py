"""Staged values that are assigned outside of the function are refused, and nothing is left."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag

total = 0.0


def adds_to_a_global(xs):
    global total
    for x in xs:
        total = total + x
    return total


class Counter:
    def __init__(self):
        self.count = 0
        self.calls = 0

    @ag.function
    def add(self, x):
        self.calls += 1
        if x > 0:
            self.count = self.count + x
        return self.count

    @ag.function
    def peek(self, x):
        self.calls += 1
        return self.count + x


def test_a_global_keeps_its_value():
    with pytest.raises(ag.MutationError, match="the global 'total' was assigned a staged value"):
        ag.function(adds_to_a_global)(np.ones(3))
    assert total == 0.0


def test_an_attribute_of_the_instance_keeps_its_value():
    counter = Counter()
    with pytest.raises(ag.MutationError, match=r"'self.count' was assigned a staged value"):
        counter.add(np.float64(1))
    assert counter.count == 0


def test_an_attribute_of_an_argument_keeps_its_value():
    def store(x, counter):
        counter.last = [x + 1]
        return x

    counter = Counter()
    with pytest.raises(ag.MutationError, match=r"'counter.last' was assigned"):
        ag.function(store)(np.ones(2), counter)
    assert not hasattr(counter, "last")


def test_a_variable_of_an_enclosing_function_keeps_its_value():
    best = None

    def keep(x):
        nonlocal best
        best = x * 2
        return x

    with pytest.raises(ag.MutationError, match="the variable 'best' of an enclosing function"):
        ag.function(keep)(np.ones(2))
    assert best is None


def test_python_values_may_be_assigned_and_are_once_for_each_trace():
    counter = Counter()
    for _ in range(3):
        assert counter.peek(np.float64(1)) == 1
    assert counter.calls == 1


def test_objects_made_inside_may_hold_staged_values():
    def f(x):
        counter = Counter()
        counter.count = x * 2
        return counter.count

    np.testing.assert_array_equal(ag.function(f)(np.ones(2)), [2, 2])


SETTINGS = {"rate": 1.0, "inner": {"momentum": 0.5}}
ROWS = [[1.0], [2.0]]


class Box:
    value = None


BOX = Box()
BOX.inner = Box()


def write_a_dict(x):
    SETTINGS["inner"]["momentum"] = x


def write_a_list(x):
    ROWS[1][0] = x


def write_an_object_of_an_object(x):
    BOX.inner.value = x


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (write_a_dict, r"'SETTINGS\['inner'\]\['momentum'\]'"),
        (write_a_list, r"'ROWS\[1\]\[0\]'"),
        (write_an_object_of_an_object, r"'BOX\.inner\.value'"),
    ],
)
def test_containers_outside_that_are_given_staged_values_are_named(function, name):
    with pytest.raises(ag.MutationError, match=f"^{name} was assigned a staged value"):
        ag.function(function)(np.float64(2))
    assert SETTINGS == {"rate": 1.0, "inner": {"momentum": 0.5}}
    assert ROWS == [[1.0], [2.0]]
    assert BOX.inner.value is None
