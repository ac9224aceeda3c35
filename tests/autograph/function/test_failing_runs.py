"""What a call leaves behind that fails while its graph runs: what plain Python leaves behind.

Each program calls `tick` between its statements; one of these calls raises. So a failure is tried
at each point of a run, in plain Python and staged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.printer import print_graph

LARGE = 1 << 15
"""Arrays of this size are computed into the memory of others that are not needed any more."""


class State:
    """What the programs change."""

    def __init__(self, size: int) -> None:
        self.total = ag.Variable(1.0, name="total")
        self.row = ag.Variable(np.arange(float(size)), name="row")
        self.made: Any = None
        self.left = 0
        self.seen: list[Any] = []

    def tick(self) -> None:
        """Note what the variables hold, and fail when it is time."""
        self.seen.append((self.total.numpy(), self.row.numpy()))
        self.left -= 1
        if not self.left:
            raise InterruptedError("now")

    def held(self) -> list[Any]:
        made = [] if self.made is None else [self.made.numpy()]
        return [self.total.numpy(), self.row.numpy(), *made, *self.seen]


def tick(s):
    ag.py_function(s.tick, [])


def one_after_another(s, x):
    s.total.assign_add(1.0)
    tick(s)
    s.row.assign(s.row * 2)
    y = s.row * x + 1
    tick(s)
    z = np.sin(y) * 2
    s.row.assign(z)
    s.total.assign(5.0)
    s.total.assign(6.0)
    tick(s)
    return np.cos(z) * 2


def by_items(s, x):
    s.row[0] = x[1]
    tick(s)
    s.row[1:3] = x[0]
    before = s.row.value()
    before[0] = 99.0
    tick(s)
    s.row[3] = before[0]
    tick(s)
    return before


def in_branches(s, x):
    if x[1] > 0:
        s.row.assign_add(x)
        tick(s)
        s.total.assign(7.0)
        s.total.assign(s.row[1])
    else:
        s.row.assign(x * 3)
        tick(s)
        s.row.assign(x * 4)
    y = s.row * 2 + x
    tick(s)
    return y * 3


def in_loops(s, x):
    for k in range(3):
        s.total.assign_add(x[k])
        s.row[k] = s.total
        tick(s)
    while s.total < 60:
        s.row.assign(s.row + x)
        s.total.assign_add(10.0)
        tick(s)
    for _ in x[:3]:
        for j in x[:2]:
            s.total.assign_add(j)
            tick(s)
    return s.row.value()


def created_in_the_first_call(s, x):
    if s.made is None:
        s.made = ag.Variable(x * 2)
        tick(s)
    s.made.assign_add(x)
    tick(s)
    return s.made.value()


def in_handlers(s, x):
    try:
        s.row.assign_add(x)
        tick(s)
        if s.row[1] > 0:
            raise ValueError("caught")
        s.total.assign(3.0)
    except ValueError:
        s.total.assign(4.0)
        tick(s)
    s.total.assign_add(1.0)
    tick(s)
    return s.total.value()


PROGRAMS = [
    one_after_another,
    by_items,
    in_branches,
    in_loops,
    created_in_the_first_call,
    in_handlers,
]


def run(call: Callable[..., Any], s: State, x: np.ndarray, at: int) -> Any:
    s.left = at
    s.seen.clear()
    try:
        return "returned", call(s, x)
    except InterruptedError as error:
        return "raised", str(error)


@pytest.mark.parametrize("size", [4, LARGE])
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_a_failure_at_any_point_of_a_run_leaves_what_python_leaves(
    program: Callable[..., Any], sign: float, size: int
) -> None:
    x = sign * np.linspace(0.0, 9.0, size)
    at, is_done = 1, False
    while not is_done:
        plain, other = State(size), State(size)
        staged = ag.function(program)
        for _ in range(2):  # the first call traces
            found = run(staged, other, x, at)
            expected = run(program, plain, x, at)
            np.testing.assert_equal(found, expected)
            np.testing.assert_equal(other.held(), plain.held())
        is_done = expected[0] == "returned"
        at += 1
    assert at > 2


FAILING: list[tuple[Callable[..., Any], type[Exception]]] = [
    (lambda v, x, i: x[i], IndexError),
    (lambda v, x, i: int(i) // int(x[0]), ZeroDivisionError),
    (lambda v, x, i: np.linalg.inv(x[:4].reshape(2, 2) * 0), np.linalg.LinAlgError),
    (lambda v, x, i: int(x[0] / x[0]), ValueError),
    (lambda v, x, i: np.reshape(x[x > i], (2, 7)), ValueError),
    (lambda v, x, i: ag.py_function(lambda: 1 / 0, [], ag.TensorSpec([], float)), ArithmeticError),
    (lambda v, x, i: v.assign(v[i]), IndexError),
]


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize(("fails", "error"), FAILING)
def test_what_was_assigned_before_an_op_fails_stays(
    fails: Callable[..., Any], error: type[Exception]
) -> None:
    def program(v, x, i):
        v.assign_add(1.0)
        y = fails(v, x, i)
        v.assign(9.0)
        return y

    x = np.zeros(6)
    plain, other = ag.Variable(1.0), ag.Variable(1.0)
    staged = ag.function(program)
    for call, v in ((program, plain), (staged, other), (program, plain), (staged, other)):
        with pytest.raises(error):
            call(v, x, np.int64(7))
    assert plain == 3.0
    assert other == 3.0


def test_an_interrupted_loop_leaves_the_last_round_that_was_done() -> None:
    v, row = ag.Variable(0, name="v"), ag.Variable(np.zeros(LARGE), name="row")

    def stop(k: Any) -> None:
        if k == 5:
            raise KeyboardInterrupt

    @ag.function
    def f(n):
        for k in range(n):
            row.assign(row + 1.0)
            v.assign_add(1)
            ag.py_function(stop, [k])

    with pytest.raises(KeyboardInterrupt):
        f(np.int64(10))
    assert v == 6
    assert (row.numpy() == 6.0).all()


def test_what_a_failed_call_leaves_in_a_variable_is_nobody_elses() -> None:
    x, v = np.arange(4.0), ag.Variable(np.zeros(4))

    @ag.function
    def f(x, i):
        v.assign(x)
        return x[i]

    with pytest.raises(IndexError):
        f(x, np.int64(9))
    x[0] = 50.0
    held = v.read()
    v[1] = 70.0
    assert v.numpy().tolist() == [0.0, 70.0, 2.0, 3.0]
    assert held.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_where_nothing_may_fail_variables_cost_nothing() -> None:
    v = ag.Variable(1.0)

    @ag.function
    def f(x):
        v.assign_add(1.0)
        y = np.sin(x) + v
        if y.sum() > 0:
            v.assign(v * 2)
        while v < 100:
            v.assign_add(v)
        return y

    assert "keep(" in print_graph(f.get_concrete_function(np.ones(3)).traced_graph)
    assert "keep(" not in f.graph(np.ones(3))
