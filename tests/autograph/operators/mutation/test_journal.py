"""What an arm or body writes records itself, wherever the object is and whoever writes it."""

from __future__ import annotations

import copy
import sys

import numpy as np
import pytest

import autograph as ag


class Part:
    def __init__(self, v=0.0):
        self.v = v
        self.log = []

    def put(self, v):
        self.v = v


class Moved(Part):
    @property
    def w(self):
        return self.v

    @w.setter
    def w(self, value):
        self.v = value + 1.0


class Model:
    def __init__(self, count):
        self.parts = [Part(float(k)) for k in range(count)]


def far_away(x):
    model = Model(5000)
    if x > 0:
        model.parts[4321].put(x)
        model.parts[17].v += x
    return model.parts[4321].v, model.parts[17].v, model.parts[4320].v


def given_far_away(x, model):
    if x > 0:
        model[0].parts[4321].v = 3.0
    return model[0].parts[4321].v


def of_a_slice(x):
    numbers = [1.0, 2.0, 3.0]
    total = 0.0
    for k in range(3):
        if x > k:
            some = numbers[k:]
            some.append(x)
            more = some + numbers
            more[0] = 7.0
            total = total + sum(more)
    return total, len(numbers)


def of_a_copy(x):
    part = Part(2.0)
    if x > 0:
        other = copy.copy(part)
        other.v = x
        part.v = part.v + other.v
    return part.v


@ag.do_not_convert
def put_unseen(part, value):
    part.inner.v = value


def by_code_that_is_left(x):
    part = Part()
    part.inner = Part(1.0)
    if x > 0:
        put_unseen(part, x)
    return part.inner.v


def by_a_setter(x):
    part = Moved(1.0)
    if x > 0:
        part.w = x
        part.__dict__["v"] = part.__dict__["v"] + 1.0
    return part.v


def by_a_method_of_a_class(x):
    numbers, table = [1.0, 2.0], {"a": 1.0}
    if x > 0:
        list.__setitem__(numbers, 0, x)
        dict.update(table, a=x)
        numbers.reverse()
    return numbers, table


def by_a_default(x):
    inner = {"a": [0.0]}
    for _ in range(2):
        if x > 0:
            inner.setdefault("a", [])[0] += x
    return inner["a"]


def in_targets(x):
    part, numbers = Part(1.0), [1.0, 2.0, 3.0]
    if x > 0:
        part.v, numbers[0] = numbers[0], x
        for numbers[1] in (5.0, 6.0):
            numbers[2] += numbers[1]
    return part.v, numbers


PROGRAMS = [
    far_away,
    of_a_slice,
    of_a_copy,
    by_code_that_is_left,
    by_a_setter,
    by_a_method_of_a_class,
    by_a_default,
    in_targets,
]


@pytest.mark.parametrize("x", [2.0, -1.0])
@pytest.mark.parametrize("function", PROGRAMS)
def test_what_is_written_in_a_branch_is_written_if_it_is_taken(function, x):
    value = np.float64(x)
    assert ag.function(function)(value) == function(value)


@pytest.mark.parametrize("x", [2.0, -1.0])
def test_an_object_that_is_given_is_told_from_one_that_is_made_by_tracing_again(x):
    found = []
    for of_calls in (lambda f: f, ag.function):
        model = Model(5000)
        twice = of_calls(lambda y, model=model: given_far_away(y, [model]))
        found.append((twice(np.float64(x)), model.parts[4321].v))
    assert found[0] == found[1]


def test_a_write_before_an_error_of_tracing_is_undone():
    part = Part(1.0)

    def f(x):
        if x > 0:
            part.v = 2.0
            raise NotImplementedError
        return x

    assert ag.function(f)(np.float64(-1)) == -1.0
    assert part.v == 1.0


class Held:
    pass


class Slotted:
    __slots__ = ("a",)


def asked_by_hasattr(x, o):
    if x > 0:
        o.a = 1
    return hasattr(o, "a")


def asked_by_getattr(x, o):
    if x > 0:
        o.a = x
    return getattr(o, "a", -5.0)


def read_in_a_try(x, o):
    if x > 0:
        o.a = 1.0
    y = 0.0
    try:
        y = o.a
    except AttributeError:
        y = -7.0
    return y


def deleted_in_a_branch(x, o):
    o.a = 1.0
    if x > 0:
        del o.a
    return getattr(o, "a", 3.0)


def made_in_a_loop(x, o):
    for k in range(3):
        if x > k:
            o.a = x
        if hasattr(o, "a"):
            o.a = o.a + 1
    return hasattr(o, "a"), getattr(o, "a", 9.0)


def read_where_it_may_be_absent(x, o):
    if x > 0:
        o.a = 1.0
    return o.a


def deleted_where_it_may_be_absent(x, o):
    if x > 0:
        o.a = 1.0
    del o.a
    return x


ABSENT = [
    asked_by_hasattr,
    asked_by_getattr,
    read_in_a_try,
    deleted_in_a_branch,
    made_in_a_loop,
]


@pytest.mark.parametrize("kind", [Held, Slotted])
@pytest.mark.parametrize("x", [2.0, -1.0])
@pytest.mark.parametrize("function", ABSENT)
def test_an_attribute_that_a_branch_makes_may_be_absent_afterwards(function, x, kind):
    value = np.float64(x)
    assert ag.function(lambda y: function(y, kind()))(value) == function(value, kind())


@pytest.mark.parametrize("function", [read_where_it_may_be_absent, deleted_where_it_may_be_absent])
def test_an_absent_attribute_is_pythons_error_when_the_graph_runs(function):
    staged = ag.function(lambda y: function(y, Held()))
    assert staged(np.float64(1)) == function(np.float64(1), Held())
    with pytest.raises(AttributeError, match="'Held' object has no attribute 'a'"):
        staged(np.float64(-1))


@pytest.mark.parametrize("ask", [vars, lambda o: o.__dict__])
def test_all_attributes_of_an_object_that_may_lack_one_are_refused(ask):
    def f(x):
        o = Held()
        if x > 0:
            o.a = 1.0
        return len(ask(o))

    with pytest.raises(ag.MutationError, match="whether it has 'a' is known only when"):
        ag.function(f)(np.float64(1))


GIVEN = np.arange(3.0)


def into_an_item(x, array):
    if x > 10:
        array[0] = 100.0
    return array + x


def in_place(x, array):
    if x > 10:
        array += 1.0
    return array + x


def by_a_method(x, array):
    if x > 10:
        array.fill(7.0)
    return array + x


def through_a_view(x, array):
    if x > 10:
        array.T[1] = 5.0
        array.flat[2] = 5.0
    return array + x


def in_rounds(x, array):
    while x > 0:
        array[0] += 1.0
        x = x - 1
    return array + x


@pytest.mark.parametrize(
    "function", [into_an_item, in_place, by_a_method, through_a_view, in_rounds]
)
@pytest.mark.parametrize("make", [lambda x: x, lambda x: x * 2])
def test_an_array_that_is_known_is_written_by_runs_and_not_while_tracing(function, make):
    given, plain = np.arange(3.0), np.arange(3.0)
    staged = ag.function(lambda x: function(x, make(given)))
    for x in (1.0, 11.0, 2.0):
        expected = function(np.float64(x), make(plain))
        assert np.array_equal(staged(np.float64(x)), expected)
        assert np.array_equal(given, plain)


def test_an_array_that_an_arm_makes_is_written_there():
    def f(x):
        y = 0.0
        if x > 0:
            own = GIVEN * 2
            own[0] = 100.0
            y = own + x
        return y

    value = np.float64(1)
    assert np.array_equal(ag.function(f)(value), f(value))


@ag.do_not_convert
def parts_of_a_model(count):
    return [Part(float(k)) for k in range(count)]


def calls_to_trace(function, *arguments):
    """Return how often anything is called in a trace, the items of generators counted."""
    ag.function(function).get_concrete_function(*arguments)  # what is known after a first one
    calls = []
    sys.setprofile(lambda frame, event, _: calls.append(None) if "call" in event else None)
    try:
        ag.function(function).get_concrete_function(*arguments)
    finally:
        sys.setprofile(None)
    return len(calls)


def test_what_a_branch_costs_does_not_depend_on_how_many_objects_there_are():
    def f(x, count):
        parts = parts_of_a_model(count)
        for k in ag.hint(range(3), mode="python"):
            if x > k:
                parts[k].v = x
        return parts[0].v

    few, many = (calls_to_trace(f, np.float64(1), count) for count in (100, 3000))
    assert many - few < 2 * 2900  # to make them, and nothing for each branch
