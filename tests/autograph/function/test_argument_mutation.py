"""What a staged function does to lists, dicts and objects that it is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import autograph as ag


@dataclass
class Point:
    x: object
    y: object


def test_items_are_put_into_the_callers_list_and_dict_at_every_call():
    @ag.function
    def f(items, found, x):
        items.append(x * 2)
        found["x"] = x
        found.pop("old", None)

    for x in (np.float64(1), np.float64(2)):
        items, found = [], {"old": 1}
        f(items, found, x)
        assert items == [x * 2]
        assert found == {"x": x}
    assert f.trace_count == 1


def test_attributes_of_the_callers_dataclass_are_assigned():
    @ag.function
    def f(point, x):
        point.y = point.x + x

    point = Point(1.0, 2.0)
    f(point, np.float64(3))
    assert point == Point(1.0, 4.0)


def test_the_callers_list_is_returned_as_it_is():
    @ag.function
    def f(items, x):
        items.append(x)
        return items, (items, x)

    items = [np.ones(2)]
    first, (second, _) = f(items, np.float64(3))
    assert first is items
    assert second is items
    assert len(items) == 2


def test_a_list_in_a_list_of_the_callers_stays_the_same_list():
    @ag.function
    def f(rows, x):
        rows[0].append(x)
        rows.append([x])

    first = []
    rows = [first]
    f(rows, np.float64(3))
    assert rows == [[3.0], [3.0]]
    assert rows[0] is first


def test_a_list_that_is_given_twice_and_changed_is_refused():
    @ag.function
    def f(items, others, x):
        items.append(x)
        return len(others)

    items = [1.0]
    with pytest.raises(ag.MutationError, match="is given to a staged function twice"):
        f(items, items, np.float64(3))
    assert items == [1.0]
    f(items, [1.0], np.float64(3))
    assert items == [1.0, 3.0]


LOG: list[float] = []


def test_a_list_from_outside_that_a_staged_branch_changes_is_refused_and_left_alone():
    @ag.function
    def f(x):
        if x > 0:
            LOG.append(1.0)
        return x

    with pytest.raises(ag.MutationError, match="the list 'LOG' was made outside"):
        f(np.float64(1))
    assert LOG == []


def test_a_list_of_an_object_that_a_staged_branch_changes_is_refused_and_left_alone():
    class Model:
        def __init__(self):
            self.seen = []

        @ag.function
        def step(self, x):
            if x > 0:
                self.seen.append(x)
            return x

    model = Model()
    with pytest.raises(ag.MutationError, match=r"the list 'self.seen' was made outside"):
        model.step(np.float64(1))
    assert model.seen == []
