"""Staged values that are assigned outside of the function: by its runs, or refused by name."""

from __future__ import annotations

import collections
import copy
from contextlib import suppress

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


def test_a_global_is_assigned_at_each_call(monkeypatch):
    monkeypatch.setitem(globals(), "total", 0.0)
    staged = ag.function(adds_to_a_global)
    staged.get_concrete_function(np.ones(3))
    assert total == 0.0
    assert [staged(np.ones(3)), staged(np.ones(3)), total] == [3, 6, 6]


def counts_before_an_error(xs, i):
    global total
    total = 1
    for x in xs:
        if x > 2:
            add_one()
        total += xs[i + total - 1] * 0
    if xs[0] > 4:
        total = f"{total} of {xs[0]}"


def add_one():
    global total
    total += 1


@pytest.mark.parametrize("i", [0, 1, 7])
def test_a_global_holds_what_python_leaves_in_it_when_there_is_an_error(i, monkeypatch):
    staged = ag.function(counts_before_an_error)
    for first in (1, 9, 3, 9):
        found = []
        for function in (counts_before_an_error, staged):
            monkeypatch.setitem(globals(), "total", 0.0)
            with suppress(IndexError):
                function(np.array([first, 5, 2, 6]), np.int64(i))
            found.append((type(total), total))
        assert found[0] == found[1]


def test_an_attribute_of_the_instance_is_assigned_at_each_call():
    counter = Counter()
    for x in (1, 2, 2):
        counter.add(np.float64(x))
    assert (type(counter.count), counter.count) == (np.float64, 5)


def test_an_attribute_of_an_argument_is_assigned_at_each_call():
    def store(x, counter):
        counter.last = [x + 1]
        return x

    counter, staged = Counter(), ag.function(store)
    for x in (np.ones(2), np.zeros(2)):
        staged(x, counter)
        np.testing.assert_array_equal(counter.last, [x + 1])


def test_a_variable_of_an_enclosing_function_is_assigned_at_each_call():
    best = None

    @ag.function
    def keep(xs):
        nonlocal best
        best = [x * 2 for x in xs if x > 1]
        return xs

    for xs in (np.arange(4), np.arange(3), np.arange(2)):
        keep(xs)
        assert best == [x * 2 for x in xs if x > 1]


def test_python_values_may_be_assigned_and_are_at_each_call():
    counter = Counter()
    for _ in range(3):
        assert counter.peek(np.float64(1)) == 1
    assert counter.calls == 3


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


def keep_a_new_object(x):
    BOX.inner.value = (1, Counter(), [made_with(x)])


def made_with(x):
    counter = Counter()
    counter.count = x
    return counter


def write_a_name_with_underscores(x):
    BOX.__kept__ = [x]


def write_a_class_of_dicts(x):
    COUNTS["a"] = x


COUNTS = collections.Counter(a=1)
LAST = None


def keep_a_new_object_in_a_global(x):
    global LAST
    LAST = made_with(x)


WRITERS = [
    write_a_dict,
    write_a_list,
    write_an_object_of_an_object,
    keep_a_new_object,
    write_a_class_of_dicts,
]


def outside():
    """Return what the functions above write, all of it."""
    inner = BOX.inner.value
    if isinstance(inner, tuple):
        inner = (inner[0], vars(inner[1]), [vars(x) for x in inner[2]])
    return copy.deepcopy((SETTINGS, ROWS, inner, COUNTS))


@pytest.mark.parametrize("function", WRITERS, ids=lambda f: f.__name__)
def test_what_is_outside_holds_what_python_leaves_in_it_at_each_call(function, monkeypatch):
    monkeypatch.setitem(SETTINGS, "inner", dict(SETTINGS["inner"]))
    monkeypatch.setitem(globals(), "ROWS", copy.deepcopy(ROWS))
    monkeypatch.setattr(BOX, "inner", Box())
    monkeypatch.setitem(COUNTS, "a", 1)
    held = SETTINGS["inner"], ROWS[1], COUNTS
    staged = ag.function(function)
    for x in (2, 3, 3):
        found = []
        for one in (function, staged):
            one(np.float64(x))
            found.append(repr(outside()))
        assert found[0] == found[1]
    assert all(a is b for a, b in zip(held, (SETTINGS["inner"], ROWS[1], COUNTS), strict=True))


def test_a_name_with_underscores_is_refused():
    with pytest.raises(ag.MutationError, match=r"'BOX\.__kept__' was assigned a staged value"):
        ag.function(write_a_name_with_underscores)(np.float64(2))
    assert not hasattr(BOX, "__kept__")


def test_what_code_that_is_not_converted_has_assigned_is_refused():
    counter = Counter()

    @ag.do_not_convert
    def put(value):
        counter.last = value

    @ag.function
    def store(x):
        put(x + 1)
        return x

    with pytest.raises(ag.MutationError, match=r"'counter.last' was assigned a staged value"):
        store(np.ones(2))
    assert not hasattr(counter, "last")


def test_a_global_is_given_a_new_object_at_each_call():
    staged = ag.function(keep_a_new_object_in_a_global)
    for x in (np.float64(2), np.float64(3)):
        staged(x)
        assert LAST.count == x
