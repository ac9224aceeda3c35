"""What a staged function does to lists, dicts and objects that it is given."""

from __future__ import annotations

from collections import Counter, deque
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


def _take_all(queue, counts, x):
    while queue:
        x += queue.popleft()
    counts["b"] += x
    return x


def _turn(queue, counts, x):
    for k in range(x):
        queue.append(queue.popleft() + k)
    del counts["a"]
    return queue, counts, len(queue)


def _push(queue, counts, x):
    queue.append(x)
    if x > 1:
        queue.appendleft(x + 1)
    return queue[0], x in queue, queue.count(x), counts.most_common(1), str(queue)


@pytest.mark.parametrize("most", [None, 3])
@pytest.mark.parametrize("function", [_take_all, _turn, _push])
def test_the_callers_deques_and_counters_are_changed_at_every_call(function, most):
    staged = ag.function(function)
    for items in ([1, 2, 3], [7, 5, 6]):
        pairs = []
        for f in (function, staged):
            queue, counts = deque(map(np.int64, items), most), Counter(a=np.int64(2))
            pairs.append((f(queue, counts, np.int64(3)), queue, counts, queue.maxlen))
        assert pairs[0] == pairs[1]
    assert staged.trace_count == 1


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


LOG: list[float] = []


def test_a_list_from_outside_that_a_staged_branch_changes_is_changed_at_each_call(monkeypatch):
    monkeypatch.setitem(globals(), "LOG", kept := [])

    @ag.function
    def f(x):
        if x > 0:
            LOG.append(1.0)
        return x

    for x in (1, -1, 2):
        f(np.float64(x))
    assert LOG is kept
    assert LOG == [1.0, 1.0]


def test_a_list_of_an_object_that_a_staged_branch_changes_is_changed_at_each_call():
    class Model:
        def __init__(self):
            self.seen = []

        @ag.function
        def step(self, x):
            if x > 0:
                self.seen.append(x)
            return x

    model = Model()
    for x in (1, -1, 2):
        model.step(np.float64(x))
    assert model.seen == [1, 2]
