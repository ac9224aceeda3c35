"""Rows A-130 to A-149 under our own names: what is an error there is better here, unless strict."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag


def loops_of(function: ag.Function, *args: Any) -> str:
    """Return the names of the nodes with regions of a function's graph."""
    text = str(function.graph(*args))
    return " ".join(name for name in ("cond", "while_loop", "reduce") if f"{name}(" in text)


def test_a130_and_a131_a_loop_on_an_array_is_staged(capsys: Any) -> None:
    def f(x):
        while np.sum(x) > 1:
            print("sum", np.sum(x))
            x = np.tanh(x)
        return x

    x = np.random.default_rng(0).uniform(size=5)
    found = ag.function(f)(x)
    staged = capsys.readouterr().out
    np.testing.assert_array_equal(found, f(x))
    assert staged == capsys.readouterr().out
    assert np.sum(found) <= 1
    assert staged.count("sum") > 3
    source = ag.to_code(f)
    compile(source, "f", "exec")
    assert "ag.while_(" in source


def test_a132_and_a133_python_s_branches_are_not_staged_and_those_on_arrays_are() -> None:
    @ag.function
    def cond(x):
        if x > 0:
            x = x * x
        else:
            x = x * -1
        return x

    assert cond(np.int64(-1)) == 1
    assert loops_of(cond, np.int64(-1)) == "cond"
    assert cond(-1) == 1
    assert loops_of(cond, -1) == ""


def test_a134_both_arms_are_traced(capsys: Any) -> None:
    @ag.function
    def f(x):
        if x > 0:
            ag.trace("then")
            x = x * 1
        else:
            ag.trace("else")
            x = -x
        return x

    assert f(np.int64(-1)) == 1
    assert set(capsys.readouterr().out.split()) == {"then", "else"}


def one_arm(x):
    if x > 0:
        y = x * 2
    return y


def test_a135_a_variable_of_one_arm_may_be_undefined() -> None:
    assert ag.function(one_arm)(np.int64(2)) == 4
    with pytest.raises(UnboundLocalError, match="'y'"):
        ag.function(one_arm)(np.int64(-2))
    with pytest.raises(ValueError, match="'y'"):
        ag.function(one_arm, strict=True)(np.int64(2))


def test_a136_a137_a139_and_a140_what_is_unrolled_and_what_is_a_loop() -> None:
    @ag.function
    def count(n):
        total = 0
        for k in range(n):
            total += k
        return total

    @ag.function
    def down(x):
        while x > 0:
            x -= 1
        return x

    assert count(5) == count(np.int64(5)) == 10
    assert loops_of(count, 5) == ""
    assert loops_of(count, np.int64(5)).endswith("reduce")
    assert down(5) == down(np.int64(5)) == 0
    assert (loops_of(down, 5), loops_of(down, np.int64(5))) == ("", "while_loop")


def breaks(x):
    while True:
        x -= 1
        if x <= 0:
            break
    return x


def returns(x):
    for k in range(5):
        if x < k:
            return x * 10
        x = x - 1
    return x


@pytest.mark.parametrize(("function", "expected"), [(breaks, 0), (returns, 10)])
def test_a141_and_a143_jumps_that_depend_on_arrays(function: Any, expected: int) -> None:
    x = np.int64(3)
    assert function(3) == ag.function(function)(x) == expected
    with pytest.raises((TypeError, NotImplementedError)):
        ag.function(function, strict=True)(x)


def later(x):
    for k in range(x):
        last = k
    return last


def test_a145_and_a146_a_variable_of_the_loop_alone() -> None:
    assert ag.function(later)(np.int64(3)) == 2
    with pytest.raises(UnboundLocalError, match="'last'"):
        ag.function(later)(np.int64(0))
    with pytest.raises(ValueError, match="'last'"):
        ag.function(later, strict=True)(np.int64(3))


def widens(n):
    x = np.float32(0.0)
    for k in range(n):
        x = k
    return x


def test_a147_the_dtype_may_change_in_a_loop() -> None:
    assert ag.function(widens)(np.int64(3)) == 2
    message = r"'x' has dtype float32 before .* int64 after one iteration"
    with pytest.raises(TypeError, match=message):
        ag.function(widens, strict=True)(np.int64(3))


def grows(n):
    x = np.zeros((0, 10))
    for _ in range(n):
        x = np.concatenate([x, np.ones((1, 10))])
    return x


def test_a148_and_a149_the_shape_may_change_in_a_loop() -> None:
    assert ag.function(grows)(np.int64(5)).tolist() == np.ones((5, 10)).tolist()
    with pytest.raises(ValueError, match="shape"):
        ag.function(grows, strict=True)(np.int64(5))

    @ag.function(strict=True)
    def declared(n):
        x = np.zeros((0, 10))
        for _ in ag.hint(range(n), shape_invariants={"x": (None, 10)}):
            x = np.concatenate([x, np.ones((1, 10))])
        return x

    assert declared(np.int64(5)).tolist() == np.ones((5, 10)).tolist()
