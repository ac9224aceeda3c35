"""What a loop leaves in a variable has the class that plain Python gives it, after no round too."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.node import Graph
from runtime.graph.regions import is_loop
from runtime.passes.pipeline import optimise


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    """Return what a function returns or raises, and of what it warns."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = f(*args)
        except ArithmeticError as error:
            return type(error), str(error), [str(x.message) for x in caught]
    return type(found), repr(found), [str(x.message) for x in caught]


def total(x):
    s = 0
    for v in x:
        s += v
    return s


def divides(x):
    s = 0
    for v in x:
        s += v - v
    return 10 // s


def asks_its_type(x):
    s = 0
    for v in x:
        s += v
    return type(s), isinstance(s, int), str(s), repr(s)


def asks_in_the_loop(x):
    s, k = 0, 0
    for v in x:
        if isinstance(s, np.number):
            k += 1
        s += v
    return s, k


def divides_in_the_loop(x):
    s = t = 0
    for v in x:
        try:
            t = 10 // s
        except ZeroDivisionError:
            t = -1
        s += v - v
    return t


def horner(x):
    h = 0
    for v in x:
        h = h * 31 + v
    return h


def best(x):
    best, at = -1, -1
    for i, v in enumerate(x):
        if v > best:
            best, at = v, i
    return best, at


def first_over(x):
    for v in x:
        if v > 1:
            return v
    return -1


def breaks(x):
    v = 0
    for v in x:
        if v == 1:
            break
    else:
        v = v * 2
    return v


def by_hand(x):
    s = i = 0
    while i < np.sum(x * 0 + 1):
        s = x[i]
        i += 1
    return s, i


def nested(x):
    total, part = 0, 0.5
    for v in x:
        part = 0
        for w in x:
            if w == v:
                break
            part += w
        total = total + part
    return total, part


def moved_along(x):
    a, b, c = 0, 1.5, np.sum(x)
    for _ in x:
        a, b, c = b, c, a
    return a, b, c


def halves(x):
    y = 1
    for _ in x:
        y = (y + 2 / y) / 2
    return y, y // 1


def first_or_none(x):
    found = None
    for v in x:
        found = 0 if found is None else v
    return found


def in_a_pair(x):
    pair = (0, [0.0])
    for v in x:
        pair = (pair[0] + v, [pair[1][0] + v])
    return pair


def in_an_attribute(x):
    class Sum:
        value = 0

    s = Sum()
    s.value = 0
    for v in x:
        s.value = s.value + v
    return s.value


def defined_in_the_loop(x):
    for v in x:
        y = 0 if v > 1 else v
    return y if np.sum(x) > 0 else None


def truth(x):
    ok = True
    for v in x:
        ok = v > 0
    return ok, not ok, ok + 1


PROGRAMS = [
    total,
    divides,
    asks_its_type,
    asks_in_the_loop,
    divides_in_the_loop,
    horner,
    best,
    first_over,
    breaks,
    by_hand,
    nested,
    moved_along,
    halves,
    first_or_none,
    in_a_pair,
    in_an_attribute,
    defined_in_the_loop,
    truth,
]
ARRAYS = [
    np.array([], np.int64),
    np.array([]),
    np.array([3, 1, 2]),
    np.array([0.5, 1.0]),
    np.array([1], np.float32),
    np.array([100, 100, 100], np.uint8),
]


@pytest.mark.parametrize("x", ARRAYS, ids=lambda x: f"{x.dtype}[{x.size}]")
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_a_loop_leaves_has_the_class_of_python(f: Callable[..., Any], x: Any) -> None:
    staged = ag.function(f)
    assert outcome(staged, x) == outcome(f, x)


def optimised(f: Callable[..., Any], x: Any) -> Graph:
    return optimise(ag.function(f).get_concrete_function(x).traced_graph)


def best_of_rows(x):
    best = 0
    for row in x:
        for v in row:
            if v > best:
                best = v
    return x > best


def test_a_class_that_nobody_asks_for_is_not_carried() -> None:
    graph = optimised(best_of_rows, np.eye(3, 4))
    (outer,) = filter(is_loop, graph.nodes)
    (inner,) = filter(is_loop, outer.regions[-1].nodes)
    assert len(outer.results) == len(inner.results) == 1


def test_a_class_that_each_round_gives_is_not_carried() -> None:
    graph = optimised(total, ag.TensorSpec([None], np.int64))
    (loop,) = filter(is_loop, graph.nodes)
    assert len(loop.results) == 1


def fails_in_each_round(x):
    s = 0
    for v in x[:2]:
        s = v
    for v in x[2:]:
        raise ZeroDivisionError(str(s))
    return s


@pytest.mark.parametrize("x", [np.array([], np.int64), np.array([3, 1]), np.array([3, 1, 2])])
def test_a_loop_that_always_fails_keeps_the_class(x: Any) -> None:
    staged = ag.function(fails_in_each_round)
    assert outcome(staged, x) == outcome(fails_in_each_round, x)


def a_cell_or_a_number(x: Any, a: Any) -> Any:
    t = -a
    while x > 0:
        x = x - 1
        t = np.where(0, 0.5, 0.25)
        if a > t:
            t = a + 1.0
    return t


@pytest.mark.parametrize("x", [-1.0, 2.5])
@pytest.mark.parametrize("a", [0.1, 2.0])
def test_a_variable_of_a_loop_may_be_an_array_without_axes(x: float, a: float) -> None:
    given = np.float64(x), np.float64(a)
    assert outcome(ag.function(a_cell_or_a_number), *given) == outcome(a_cell_or_a_number, *given)


def added(x):
    total = 0.0
    for v in x:
        total += v
    return total


def added_until(x, stop):
    total = 0
    for v in x:
        if v > stop:
            break
        total += v
    return total


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_loop_that_has_rounds_leaves_the_class_of_a_round(count):
    x = np.arange(count, dtype=np.float32)
    staged = ag.function(added)
    assert repr(staged(x)) == repr(added(x))
    assert len(staged.get_concrete_function(x).traced_graph.results) == (1 if count else 2)


@pytest.mark.parametrize("stop", [-1.0, 2.0, 9.0])
def test_a_loop_that_ends_in_its_first_round_leaves_the_class_before(stop):
    x, staged = np.arange(5.0), ag.function(added_until)
    assert repr(staged(x, np.float64(stop))) == repr(added_until(x, stop))
