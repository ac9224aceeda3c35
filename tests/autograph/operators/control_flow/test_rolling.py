"""Loops over Python's numbers become loops of the graph where their rounds are alike."""

from __future__ import annotations

import copy
import warnings
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest

import autograph as ag
from autograph.operators.control_flow import rolling
from autograph.operators.control_flow.rolling import Growth
from runtime.graph.node import Graph
from runtime.graph.regions import is_loop
from tests.autograph.operators.control_flow.rolling_samples import (
    ROLLED,
    UNROLLED,
    WRITTEN_DOWN,
    over_six,
    over_three,
    reflected,
)

MANY = 300


def size(graph: Graph) -> int:
    return sum(1 + sum(map(size, node.regions)) for node in graph.nodes)


def outcome(function, arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ag.FrozenRandomWarning)
        return function(*copy.deepcopy(arguments))


def assert_same(found, expected):
    assert type(found) is type(expected)
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    else:
        np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.filterwarnings("ignore::autograph.FrozenRandomWarning")
@pytest.mark.parametrize(("function", "arguments"), WRITTEN_DOWN + ROLLED + UNROLLED)
def test_it_is_the_same_as_in_plain_python_and_grows_only_where_rounds_differ(function, arguments):
    staged = ag.function(function)
    assert_same(outcome(staged, arguments), outcome(function, arguments))
    case = function, arguments
    if case not in WRITTEN_DOWN:
        concrete = staged.get_concrete_function(*copy.deepcopy(arguments))
        assert (size(concrete.traced_graph) < MANY) == (case in ROLLED)


def test_items_that_are_written_down_roll_where_rounds_are_long():
    def counted(count):
        def f(x):
            s = {}
            for v in x:
                count(s, v)
            return s

        return size(ag.function(f).get_concrete_function(np.arange(4)).traced_graph)

    assert counted(over_six) <= counted(over_three) + 20


def test_loops_in_one_another_roll_together():
    traces = []
    note = ag.do_not_convert(lambda: traces.append(1))

    @ag.function
    def f(x):
        note()
        total = x[0, 0, 0]
        for i in range(12):
            for j in range(12):
                for k in range(12):
                    total = total * 0.5 + x[i, j, k]
        return total

    x = np.arange(12.0**3).reshape(12, 12, 12)
    assert f(x) == f.python_function(x)
    assert len(traces) == 2 + 1  # the last one is plain Python's


def halved(x, count):
    total = 0
    for k in range(count):
        while x[k] > 0:
            x[k] = x[k] // 2
            total += k
    return total


@pytest.mark.parametrize(("count", "traced"), [(120, 0), (20, 2)])
def test_a_loop_of_many_rounds_rolls_before_one_of_the_graph_in_it_is_traced(
    count, traced, monkeypatch
):
    rounds, add_round = [], Growth.add_round

    def noting(self, is_last=False):
        rounds.append(1)
        add_round(self, is_last)

    monkeypatch.setattr(Growth, "add_round", noting)
    x, y = np.arange(count), np.arange(count)
    assert ag.function(halved)(x, count) == halved(y, count)
    assert (x.tolist(), len(rounds)) == (y.tolist(), traced)


def test_a_hint_decides_otherwise():
    @ag.function
    def f(x):
        for k in ag.hint(range(300), unroll=True):
            x = x * 0.5 + k
        return x

    assert size(f.get_concrete_function(np.float64(1)).traced_graph) >= MANY


def test_loops_of_a_few_hundred_nodes_roll_where_arrays_keep_their_shapes():
    @ag.function
    def alike(x):
        for k in range(25):
            x = np.tanh(x * 0.5 + k) - x[0]
        return x

    @ag.function
    def unlike(x):
        for k in range(25):
            x = np.tanh(x[1:] * 0.5 + k) - x[0]
        return x

    x = np.arange(40.0)
    assert size(alike.get_concrete_function(x).traced_graph) < 25
    assert size(unlike.get_concrete_function(x).traced_graph) > 100


def broken_off(x, change):
    numbers = [k * 0.5 for k in range(60)]
    pairs = pairwise(numbers)
    for a, b in pairs:
        x = x * 0.5 + a * b
        if x > 500:
            break
    change(numbers, x)
    for a, b in pairs:
        x = x * 0.5 - a * b
    return x


def known(numbers, x):
    numbers[50] = 100.0


def staged(numbers, x):
    if x > 0:
        numbers[50] = x


@pytest.mark.parametrize("change", [known, staged])
def test_items_that_were_taken_ahead_are_not_used_once_their_list_has_changed(change):
    with pytest.raises(ag.StagedValueError, match="Make a list of it before"):
        ag.function(lambda x: broken_off(x, change))(np.float64(1))


def test_an_iterator_over_a_list_that_was_staged_since_is_refused():
    @ag.function
    def f(x):
        numbers = [1.0, 2.0, 3.0]
        pairs = pairwise(numbers)
        if x > 0:
            numbers.append(x)
        return sum(a * b for a, b in pairs)

    with pytest.raises(ag.StagedValueError, match="has changed a list since this iterator over it"):
        f(np.float64(1))


def sums_of_lists(x, count):
    by = defaultdict(list)
    for v in x:
        by[v % 7].append(v)
    return [sum(by[k % 7]) for k in range(count)]


def moved(x, count):
    rows = [x, x * 2.0]
    for k in range(count):
        rows[k % 2] = rows[1 - k % 2] + rows[k % 2][::-1]
    return rows


@pytest.mark.parametrize(
    ("function", "x", "count", "again"),
    [(sums_of_lists, np.arange(50), 120, 1), (moved, np.arange(3.0), 600, 0)],
)
def test_a_loop_of_many_rounds_over_what_the_graph_holds_rolls_at_once(function, x, count, again):
    traces = []
    note = ag.do_not_convert(lambda: traces.append(1))

    @ag.function
    def f(x):
        note()
        return function(x, count)

    assert repr(f(x)) == repr(function(x, count))
    assert len(traces) == 1 + again


def handed_on(s, x, count):
    numbers, rows = [], []
    for _ in range(count):
        numbers.append(s)
        rows.append(x)
    rows[0][0] = 5.0
    return numbers[3] is numbers[1], rows[3] is rows[1], x


def test_what_is_only_handed_on_stays_what_it_is():
    given = np.float64(2), np.arange(3.0)
    found = ag.function(handed_on)(*copy.deepcopy(given), 600)
    assert_same(found, handed_on(*copy.deepcopy(given), 600))


def test_rounds_over_small_arrays_roll_though_their_shapes_differ():
    arguments = (np.random.default_rng(4).normal(size=(14, 12)),)
    graph = ag.function(reflected).get_concrete_function(*arguments).traced_graph
    assert any(map(is_loop, graph.nodes))


def test_long_loops_over_known_arrays_roll_where_nothing_is_staged(monkeypatch):
    monkeypatch.setattr(rolling, "MUCH_KNOWN", 30)

    def steps(n, x=0):
        found = np.zeros(n, dtype=np.int64)
        k = 1
        while k < n:
            found[k] = found[k // 2] + k % 2
            k += 1
        return found + x

    def named(n):
        found, names = np.zeros(n), []
        for k in range(n):
            found[k] = found[k - 1] + 2
            names.append(str(k))
        return found, names

    def length(function, *given):
        return size(ag.function(function).get_concrete_function(*given).traced_graph)

    assert length(steps, 40) == length(steps, 80) > 5
    assert_same(ag.function(steps)(40), steps(40))
    assert_same(ag.function(named)(40), named(40))
    assert length(named, 40) < 5
    assert length(steps, 40, np.int64(1)) < 5
