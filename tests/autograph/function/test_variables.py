"""Variables in staged functions: rows A-110 to A-116 of the behaviours, and what follows from them.

Each program runs plain and staged, three times in a row, on variables of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Model:
    """What the programs below change."""

    def __init__(self) -> None:
        self.total = ag.Variable(1.0, name="total")
        self.row = ag.Variable(np.arange(4.0), name="row")
        self.count = ag.Variable(0, name="count")

    def state(self) -> list[Any]:
        return [x.numpy().tolist() for x in (self.total, self.row, self.count)]

    def add(self, x):
        self.total += x
        self.count.assign_add(1)


def in_a_branch(m, x):
    if x > 0:
        m.total.assign(m.total * 2)
        m.row[0] = x
    else:
        m.row.assign_sub(x)
    return m.total + m.row[0]


def in_a_loop(m, x):
    for k in range(4):
        if m.row[k] > x:
            m.add(m.row[k])
    while m.total < 100:
        m.total.assign_add(m.total)
        m.count += 1
    return m.count.value()


def reads_see_the_newest(m, x):
    before = m.total.value()
    m.total.assign(x)
    between = m.total * 1
    m.add(x)
    return before, between, m.total.value(), m.row.value()


def by_items(m, x):
    m.row[1:3] = x
    m.row[m.count] += 10
    m.count.assign((m.count + 1) % 4)
    part = m.row[1:]
    m.row[2] = 99.0
    return part.copy(), m.row[::2].copy()


def by_slices(m, x):
    m.count.assign(2)
    known = np.arange(6)
    rows = [m.row[m.count :], known[m.count :], known[: m.count], [7, 8, 9][m.count]]
    m.row[m.count :] = x
    return [np.sum(row) for row in rows]


def as_a_condition(m, x):
    if m.count:
        return x
    m.count.assign(5)
    return -x if not m.count else x * m.count


def in_logic(m, x):
    if m.count and x > 0:
        m.count.assign(0)
    elif not m.count or x > 0:
        m.count.assign(1)
    return m.total if m.count else -m.total


def before_an_early_return(m, x):
    m.add(x)
    if m.total > 3:
        return m.total.value()
    m.add(10.0)
    return x


def in_numpy(m, x):
    both = np.stack([m.row, m.row * x])
    np.add(m.row, 1.0, out=m.row)
    return both.sum() + np.max(m.row) + np.dot(m.row, m.row) + len(m.row) + float(m.total)


def goes_over_one(m, x):
    for item in m.row:
        x = x + item
        m.row.assign_add(1.0)
    return x


PROGRAMS = [
    in_a_branch,
    in_a_loop,
    reads_see_the_newest,
    by_items,
    by_slices,
    as_a_condition,
    in_logic,
    before_an_early_return,
    in_numpy,
    goes_over_one,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
@pytest.mark.parametrize("x", [np.float64(2.0), np.float64(-1.5)])
def test_staged_means_what_python_means(program: Callable[..., Any], x: Any) -> None:
    mine, theirs = Model(), Model()
    staged = ag.function(lambda x: program(mine, x))
    for _ in range(3):
        found, expected = staged(x), program(theirs, x)
        np.testing.assert_equal(found, expected)
        assert mine.state() == theirs.state()
    assert staged.trace_count == 1


def test_effects_keep_the_order_of_the_program_a110() -> None:
    a, b = ag.Variable(1.0), ag.Variable(2.0)

    @ag.function
    def f(x, y):
        a.assign(y * b)
        b.assign_add(x * a)
        return a + b

    assert f(1.0, 2.0) == 10.0
    assert (a, b) == (4.0, 6.0)


def test_creating_a_variable_at_each_call_is_refused_with_both_places_a111() -> None:
    @ag.function
    def f(x):
        v = ag.Variable(1.0, name="v")
        return v.assign_add(x)

    with pytest.raises(ValueError, match="tried to create variables on a non-first call") as caught:
        f(1.0)
    text = str(caught.value)
    assert "f() tried" in text
    assert "singleton variables" in text
    assert text.count('v = ag.Variable(1.0, name="v")') == 2
    assert "if self.v is None: self.v = ag.Variable(...)" in text


def test_a_variable_from_outside_is_changed_at_each_call_a112() -> None:
    v = ag.Variable(1.0)

    @ag.function
    def f(x):
        return v.assign_add(x)

    assert f(1.0) == 2.0
    assert f(2.0) == 4.0


class Created:
    def __init__(self) -> None:
        self.v = None

    @ag.function
    def __call__(self, x):
        if self.v is None:
            self.v = ag.Variable(1.0)
        return self.v.assign_add(x)


def test_a_variable_is_created_once_behind_a_condition_a113() -> None:
    g = Created()
    assert g(1.0) == 2.0
    assert g(2.0) == 4.0
    other = Created()
    assert other(np.float64(5.0)) == 6.0
    assert (g.v, other.v) == (4.0, 6.0)


def test_first_values_depend_on_arguments_and_other_variables_a114() -> None:
    state: list[ag.Variable] = []

    @ag.function
    def fn(x):
        if not state:
            state.append(ag.Variable(2.0 * x))
            state.append(ag.Variable(state[0] * 3.0))
        return state[0] * x * state[1]

    assert fn(np.float64(1.0)) == 12.0
    assert fn(np.float64(3.0)) == 36.0
    assert state == [2.0, 6.0]


def test_a_variable_is_an_implicit_parameter_a115() -> None:
    c = ag.Variable(0, name="c")

    @ag.function
    def f(x):
        c.assign_add(1)
        return x + c

    assert c == 0
    assert f(1.0) == 2.0
    assert c == 1
    assert f(1.0) == 3.0
    assert c == 2
    c.assign(10)
    assert f(1.0) == 12.0
    assert "graph(%c: i64[])" in f.graph(1.0)


def test_a_variable_created_in_a_staged_branch_is_refused_a116() -> None:
    kept = []

    @ag.function
    def f(x):
        if x > 0:
            kept.append(ag.Variable(1.0, name="late"))
        return x

    with pytest.raises(ValueError, match="variable 'late' is created in a staged branch or loop"):
        f(np.float64(1.0))


def test_variables_as_arguments_are_known_by_identity_a074() -> None:
    a, b = ag.Variable(1.0), ag.Variable(2.0)

    @ag.function
    def double(v, x):
        return v.assign(v * x)

    three = np.float64(3.0)
    assert [double(v, three) for v in (a, b, a, a, b)] == [3.0, 6.0, 9.0, 27.0, 18.0]
    assert double.trace_count == 2


def test_what_a_call_returns_is_no_part_of_the_variable() -> None:
    v = ag.Variable(np.zeros(3))

    @ag.function
    def f(x):
        v.assign(x)
        return v[1:], np.asarray(v), v.value(), x

    x = np.ones(3)
    for found in f(x):
        found[...] = 7.0
    x[...] = 8.0
    assert v.numpy().tolist() == [1.0, 1.0, 1.0]


def test_a_returned_variable_is_the_variable() -> None:
    v = ag.Variable(1.0)

    @ag.function
    def f(x):
        v.assign(x)
        return v

    assert f(np.float64(4.0)) is v
    assert v == 4.0


def test_one_staged_function_calls_another_that_changes_variables() -> None:
    c = ag.Variable(0)

    @ag.function
    def count():
        c.assign_add(1)
        return c.value()

    @ag.function
    def twice(x):
        return count() + count() + x

    count()
    assert twice(0) == 5
    assert c == 3


def test_what_was_done_before_an_error_that_is_always_raised_stays_done() -> None:
    v, kept = ag.Variable(1.0), []

    @ag.function
    def f(x):
        v.assign(x)
        kept.append(ag.Variable(x))
        raise KeyError("no")

    for k in (1, 2):
        with pytest.raises(KeyError):
            f(np.float64(3.0 * k))
        assert v == 3.0 * k
        assert [float(x) for x in kept] == [3.0, 6.0][:k]


def test_an_error_of_staging_leaves_the_variables_as_they_were() -> None:
    v = ag.Variable(1.0)

    @ag.function
    def f(x):
        v.assign(x)
        return f"{x}".encode()

    with pytest.raises(ag.StagedValueError):
        f(np.float64(3.0))
    assert v == 1.0


def test_variables_print_as_python_prints_them(capsys: Any) -> None:
    v = ag.Variable(1.5, name="v")

    @ag.function
    def f(x):
        v.assign_add(x)
        print(v, f"{v:.1f}")

    f(np.float64(2.0))
    f(np.float64(2.0))
    assert capsys.readouterr().out == (
        "Variable(np.float64(3.5), name='v') 3.5\nVariable(np.float64(5.5), name='v') 5.5\n"
    )


def test_a_shape_that_is_declared_open_may_change_between_calls() -> None:
    rows = ag.Variable(np.zeros((0, 2)), shape=[None, 2])

    @ag.function
    def add(row):
        rows.assign(np.concatenate([rows, row[None]]))
        return rows.shape[0]

    assert [add(np.ones(2) * k) for k in range(3)] == [1, 2, 3]
    assert rows.numpy().tolist() == [[0, 0], [1, 1], [2, 2]]
    assert add.trace_count == 1


def test_assigning_another_shape_or_dtype_is_refused_while_tracing() -> None:
    v = ag.Variable(np.zeros(2), name="w")
    with pytest.raises(ag.ShapeError, match="the variable 'w' is f64"):
        ag.function(lambda x: v.assign(x))(np.zeros(3))
    with pytest.raises(ag.DtypeError, match="the variable 'w' is f64"):
        ag.function(lambda x: v.assign(x))(np.zeros(2, complex))


def test_no_value_is_there_before_the_first_run() -> None:
    made: dict[str, Any] = {}

    @ag.function
    def f(x):
        if "v" not in made:
            made["v"] = ag.Variable(x, name="v")
        return made["v"] + x

    f.get_concrete_function(np.float64(1.0))
    with pytest.raises(ValueError, match="'v' has no value yet"):
        f(np.float64(1.0))


def checked(m, x):
    m.add(x)
    if x > 5:
        m.row.assign(m.row * x)
        raise ValueError("too much")
    assert m.total < 6, "no more"
    m.add(100.0)
    return m.total.value()


def checked_in_a_loop(m, x):
    for k in range(4):
        m.add(x)
        if m.total > 4:
            raise ValueError(f"after {k}")
    return m.count.value()


def caught(m, x):
    try:
        m.add(x)
        if x > 1:
            raise ValueError("caught")
        m.add(x)
    except ValueError:
        m.row[0] = 50.0
    m.add(1.0)
    return m.total.value()


def outcome(function: Callable[..., Any], x: Any) -> tuple[str, Any]:
    """Return what a call returns, or the error that it raises."""
    try:
        return "returned", function(x)
    except (ValueError, AssertionError) as error:
        return type(error).__name__, str(error).splitlines()[0]


@pytest.mark.parametrize("program", [checked, checked_in_a_loop, caught], ids=lambda p: p.__name__)
def test_what_was_assigned_before_a_check_fails_is_kept(program: Callable[..., Any]) -> None:
    mine, theirs = Model(), Model()
    staged = ag.function(lambda x: program(mine, x))
    for x in (np.float64(0.5), np.float64(2.0), np.float64(7.0), np.float64(0.25)):
        assert outcome(staged, x) == outcome(partial(program, theirs), x)
        assert mine.state() == theirs.state()
