"""Methods and inner functions may assign variables in staged branches and loops."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.operators.mutation.callee_writes import AssignedElsewhere
from autograph.operators.mutation.reachable_objects import reachable

COUNTER = 0


class Log:
    def __init__(self, n):
        self.rows = np.zeros(n)
        self.count = 0
        self.largest = None

    def add(self, x):
        self.rows[self.count] = x
        self.count += 1
        if self.largest is None or x > self.largest:
            self.largest = x

    def is_full(self):
        return self.count == self.rows.shape[0]


class Slotted:
    __slots__ = ("count",)

    def __init__(self):
        self.count = 0

    def step(self):
        self.count += 1
        return self.count


class Outer:
    def __init__(self):
        self.inner = Slotted()


def count_globally():
    global COUNTER
    COUNTER += 1
    return COUNTER


def method_in_a_loop(n):
    log = Slotted()
    for _ in range(n):
        log.step()
    return log.count


def method_in_a_branch(n):
    log = Slotted()
    if n > 5:
        log.step()
    return log.count


def attribute_of_an_attribute(n):
    outer = Outer()
    while n > 0:
        n -= 1
        outer.inner.step()
    return outer.inner.count


def bound_method(n):
    step = Slotted().step
    total = 0
    for _ in range(n):
        total += step()
    return total


def inner_function(n):
    calls = 0

    def square(x):
        nonlocal calls
        calls += 1
        return x * x

    total = 0
    for i in range(n):
        if square(i) % 2 == 0:
            total += square(i)
    return total, calls


def in_a_conditional_expression(n):
    log = Slotted()
    found = log.step() if n > 2 else 10
    return found, log.count


def in_a_lazy_operand(n):
    log = Slotted()
    both = n > 2 and log.step() > 0
    either = n > 2 or log.step() > 0
    return both, either, log.count


def rows_and_counts(n):
    log = Log(4)
    log.add(n * 0)
    for i in range(n):
        if not log.is_full():
            log.add(n - i)
    return log.rows, log.count, log.largest


FUNCTIONS = [
    method_in_a_loop,
    method_in_a_branch,
    attribute_of_an_attribute,
    bound_method,
    inner_function,
    in_a_conditional_expression,
    in_a_lazy_operand,
    rows_and_counts,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_is_called_may_assign(function):
    staged = ag.function(function)
    for n in (0, 1, 3, 7):
        found, expected = staged(np.int64(n)), function(np.int64(n))
        assert str(found) == str(expected) or _same(found, expected), (n, found, expected)


def _same(found, expected):
    return all(np.array_equal(x, y) for x, y in zip(found, expected, strict=True))


def test_a_global_that_what_a_branch_calls_assigns_is_assigned_by_each_run():
    global COUNTER

    @ag.function
    def f(n):
        if n > 0:
            return count_globally()
        return 0

    assert [(f(np.int64(n)), COUNTER) for n in (1, 0, 1, 1)] == [(1, 1), (0, 1), (2, 2), (3, 3)]
    COUNTER = 0


def test_a_condition_of_a_staged_loop_may_count():
    def f(n):
        log = Slotted()
        while log.step() < n:
            n -= 1
        return log.count

    assert [ag.function(f)(np.int64(n)) for n in (5, 0, -1)] == [f(n) for n in (5, 0, -1)]


def test_a_condition_of_a_staged_loop_may_make_lists_anew():
    def f(n):
        found = list(range(n))
        out = []
        while found != [] and [i for i in found if i > 1] != out:
            out.append(found.pop())
        return found, out

    staged = ag.function(f)
    for n in range(6):
        assert staged(np.int64(n)) == f(n)


def test_equal_functions_nested_deep_are_looked_into_at_once() -> None:
    depth = 30  # comparing two such code objects takes 2 ** depth steps
    lines = [f"{' ' * k}def f{k}():" for k in range(depth)]
    text = "\n".join([*lines, f"{' ' * depth}return outside"])
    found = []
    for _ in range(2):
        space: dict[str, Any] = {"outside": [[1.0]]}
        exec(compile(text, "<nested>", "exec"), space)
        found.append(reachable([space["f0"]]))
    assert [[path for path, _ in one] for one in found] == [["outside", "outside[0]"]] * 2


def test_containers_that_a_body_makes_do_not_have_it_traced_again(monkeypatch) -> None:
    def counted(x):
        total = 0
        for row in x:
            found = Counter(int(v) for v in row)
            found[3] += 1
            total = total + found[3]
        return total

    raised, before = [], AssignedElsewhere.__init__
    monkeypatch.setattr(
        AssignedElsewhere,
        "__init__",
        lambda *args, **given: raised.append(given.get("doubts")) or before(*args, **given),
    )
    x = np.arange(40).reshape(10, 4) % 5
    assert ag.function(counted)(x) == counted(x)
    assert not any(raised)
