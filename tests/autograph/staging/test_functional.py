"""Control flow as functions gives the same results staged and not."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag


def both(function, *arguments):
    """Return the results of a function, plain and staged."""
    return function(*arguments), ag.function(function)(*arguments)


def test_cond_chooses_a_branch():
    def f(x):
        return ag.cond(x.sum() > 0, lambda v: v + 1, lambda v: v - 1, x)

    for x in (np.ones(2), -np.ones(2)):
        plain, staged = both(f, x)
        np.testing.assert_array_equal(staged, plain)


def test_switch_clamps_its_index():
    def f(i, x):
        return ag.switch(i, [lambda v: v, lambda v: -v, lambda v: v * 10], x)

    for i in (-5, 0, 1, 2, 9):
        plain, staged = both(f, np.int64(i), np.array([1.0, 2.0]))
        np.testing.assert_array_equal(staged, plain)


def test_while_loop_carries_a_structure():
    def f(n):
        def body(state):
            return {"n": state["n"] - 1, "product": state["product"] * state["n"]}

        return ag.while_loop(lambda s: s["n"] > 0, body, {"n": n, "product": np.float64(1)})

    plain, staged = both(f, np.int64(5))
    assert staged == plain == {"n": 0, "product": 120.0}


def test_fold_adds_up():
    plain, staged = both(lambda xs: ag.fold(lambda a, x: a + x, xs[0] * 0, xs), np.eye(3))
    np.testing.assert_array_equal(staged, plain)


def test_scan_stacks_outputs_of_a_structure():
    def f(xs, ys):
        return ag.scan(lambda c, x: (c + x[0], {"sum": c, "product": x[0] * x[1]}), 0.0, (xs, ys))

    (total, rows), (staged_total, staged_rows) = both(f, np.arange(4.0), np.arange(4.0))
    assert staged_total == total
    for key in rows:
        np.testing.assert_array_equal(staged_rows[key], rows[key])


def test_map_over_no_elements_keeps_the_shape_of_its_results():
    staged = ag.function(lambda xs: ag.map(lambda x: x[:, None] * 2, xs))
    assert staged(np.ones((0, 3))).shape == (0, 3, 1)


def test_loops_nest():
    def f(xs):
        return ag.map(lambda row: ag.fold(lambda a, x: a * 2 + x, 0.0, row), xs)

    plain, staged = both(f, np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(staged, plain)


def test_arrays_of_different_lengths_are_refused():
    with pytest.raises(ag.ShapeError, match="different lengths: \\[2, 3\\]"):
        ag.function(lambda x, y: ag.map(lambda v: v[0] + v[1], (x, y)))(np.ones(2), np.ones(3))


def test_a_carry_that_changes_its_structure_is_refused():
    with pytest.raises(ag.LoopStateError, match="the carry is"):
        ag.function(lambda xs: ag.fold(lambda a, x: (a, x), xs[0], xs))(np.ones(3))


def test_writing_an_element_writes_the_array_that_is_gone_over():
    def f(grid):
        for row in grid:
            row += 1
            row[0] = 0
        return grid

    grid, expected = np.ones((2, 3)), np.array([[0.0, 2, 2], [0, 2, 2]])
    assert ag.function(f)(grid) is grid
    np.testing.assert_array_equal(grid, expected)
