"""Objects that a staged function makes and returns are made anew by each call."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

import autograph as ag
from runtime.errors import MutationError


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y
        self.tags = ["new", x]

    def __eq__(self, other):
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None


class Slotted:
    __slots__ = ("unset", "value")

    def __init__(self, value):
        self.value = value


class Counted(dict):
    def __init__(self, n):
        super().__init__(n=n)
        self.n = n


def made(x):
    return Point(x, x + 1)


def assigned_later(x):
    point = Point(0, 0)
    if x > 0:
        point.x = x * 2
    return point


def inside_others(x):
    return {"points": [Point(x, 1), Point(2, Point(x, "text"))]}, x


def of_known_parts(x):
    return Point(1, "text"), x


def from_a_loop(x):
    point = Point(0, 0)
    for v in range(3):
        point.y = point.y + v * x
    return point


CASES = [made, assigned_later, inside_others, of_known_parts, from_a_loop]


@pytest.mark.parametrize("function", CASES)
@pytest.mark.parametrize("x", [np.int64(3), np.int64(-2)])
def test_it_holds_what_plain_python_gives_it(function, x):
    assert ag.function(function)(x) == function(x)


@pytest.mark.parametrize("function", [made, of_known_parts])
def test_each_call_returns_another_one(function):
    staged = ag.function(function)
    first, second = staged(np.int64(1)), staged(np.int64(1))
    assert first == second
    one = first if function is made else first[0]
    other = second if function is made else second[0]
    one.x = 7
    one.tags.append("changed")
    assert other.x == 1
    assert len(other.tags) == 2
    assert staged.trace_count == 1


def test_slots_without_a_value_stay_without_one():
    found = ag.function(lambda x: Slotted(x * 2))(np.int64(3))
    assert (type(found), found.value, hasattr(found, "unset")) == (Slotted, 6, False)


def test_an_object_from_outside_is_returned_itself():
    outside = Point(1, 2)
    assert ag.function(lambda x: (outside, x))(np.int64(3))[0] is outside


def test_what_is_in_two_places_is_one():
    def twice(x, given):
        point, items, known, grown = Point(x, 1), [x], [1, 2], []
        for k in range(x):
            grown.append(k * 2)
        given.append(items)
        return point, [point, items], {"a": known, "b": (known,)}, grown, grown

    given = []
    one, (other, items), known, grown, again = ag.function(twice)(np.int64(3), given)
    assert one is other
    assert items is given[0]
    assert known["a"] is known["b"][0]
    assert grown is again
    assert (one.x, items, known["a"], grown) == (3, [3], [1, 2], [0, 2, 4])


def test_what_is_part_of_itself_is_refused():
    def knot(x):
        point = Point(x, 1)
        point.y = [point]
        return point

    with pytest.raises(ag.MutationError, match="part of itself"):
        ag.function(knot)(np.int64(3))


def test_a_list_from_outside_is_returned_itself():
    outside = [1, [2]]
    found = ag.function(lambda x: (outside, x, outside[1]))(np.int64(3))
    assert found[0] is outside
    assert found[2] is outside[1]


def test_an_object_that_is_not_made_of_attributes_only_is_refused():
    with pytest.raises(ag.MutationError, match=r"class dict_values .* is not known"):
        ag.function(lambda x: {"a": x}.values())(np.int64(3))


class Row(list):
    """A list with an attribute."""

    tag = None


class Wrong(ValueError):
    def __init__(self, x, y):
        super().__init__(x)
        self.y = y


def tagged(x):
    found = Row([x, 1])
    found.tag = x + 1
    return found


@pytest.mark.parametrize(
    "function",
    [
        lambda x: Counted(x),
        tagged,
        lambda x: deque([x, Point(x, 1)], 3),
        lambda x: {"counts": Counter(a=x, b=2)},
        lambda x: slice(0, x, Point(x, 1)),
        lambda x: (Wrong(x, [x]), KeyError(x), OSError(x, "no", "file")),
        lambda x: partial(max, x, key=None),
    ],
)
def test_what_is_made_of_more_than_attributes_is_made_anew_at_each_call(function):
    staged = ag.function(function)
    for x in (np.int64(3), np.int64(-2)):
        found, expected = staged(x), function(x)
        assert repr(found) == repr(expected) or "Point" in repr(found)
        assert _parts(found) == _parts(expected)
    assert staged.trace_count == 1


def _parts(value):
    """What an object is made of, as it is copied."""
    if isinstance(value, tuple):
        return tuple(map(_parts, value))
    if isinstance(value, partial):
        return value.func, value.args, value.keywords
    make, *parts = value.__reduce_ex__(4)
    return make, *(list(x) if isinstance(x, Iterator) else x for x in parts)


def test_an_iterator_is_refused():
    def rest(x):
        iterator = iter([x, x + 1])
        if x > 0:
            next(iterator)
        return iterator

    def chunks(x):
        return (k * 2 for k in range(x) if k > 0)

    for function in (rest, chunks):
        with pytest.raises(ag.MutationError, match="an iterator is returned"):
            ag.function(function)(np.int64(3))


def a_pair_of_either(x):
    found = []
    for v in x:
        if v > 0:
            found.append(v)
    if x[0] < 0:
        return [], 0
    return found, 1


def test_a_list_of_the_graph_may_be_one_of_several_in_a_pair():
    staged = ag.function(a_pair_of_either)
    for x in ([1, -2, 3], [-1, 2, 3]):
        assert repr(staged(np.array(x))) == repr(a_pair_of_either(np.array(x)))


def either_pair_in_a_variable(x):
    found = []
    for v in x:
        if v > 0:
            found.append(v)
    pair = found, 1
    if x[0] < 0:
        pair = (), 0
    return pair


def test_a_list_of_the_graph_that_a_variable_holds_in_one_of_several_pairs_is_made():
    for x in (np.array([1, -2, 3]), np.array([-1, -2, -3])):
        assert ag.function(either_pair_in_a_variable)(x) == either_pair_in_a_variable(x)


def one_of_two_lists_in_one_of_two_results(n):
    s, t = [1], [3]
    if n > 1:
        t.append(2)
    if n > 6:
        return n
    return n, max(s, t)


def one_of_two_lists_beside_one_of_them(n):
    s = [1]
    t = s
    if n > 1:
        t.append(2)
    if n > 6:
        return n, s
    return n, s, max(s, t)


@pytest.mark.parametrize(
    "program", [one_of_two_lists_in_one_of_two_results, one_of_two_lists_beside_one_of_them]
)
def test_one_of_several_lists_is_part_of_one_of_several_results(program):
    staged = ag.function(program)
    for n in (1, 2, 8):
        assert repr(staged(np.int64(n))) == repr(program(np.int64(n)))


def scaler(n):
    return lambda x: x * n


def counter(n):
    count = 0

    def next_one():
        nonlocal count
        count += 1
        return count

    return next_one


def kept(n):
    def log(x, seen=[]):  # noqa: B006
        return [*seen, x]

    return {"log": log}


@pytest.mark.parametrize("make", [scaler, counter, kept])
def test_a_function_that_is_made_here_is_made_by_plain_python(make):
    with pytest.raises(MutationError, match="which is made here, is returned"):
        ag.function(make)(np.int64(2))
    staged = ag.function(make)
    with pytest.warns(ag.FallbackWarning):
        first = staged(np.int64(2))
    assert first is not staged(np.int64(2))
    if make is scaler:
        assert (first(3), staged(np.int64(5))(3)) == (6, 15)


def test_a_function_from_outside_is_returned():
    outside = scaler(3)
    staged = ag.function(lambda n, f: (outside, f, n))
    assert staged(np.int64(2), outside)[:2] == (outside, outside)
