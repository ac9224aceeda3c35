"""Derivatives that the user says."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.interpret import interpret
from runtime.graph.printer import print_graph
from runtime.graph.reader import read_graph
from runtime.graph.verify import verify


def test_what_is_stopped_is_a_constant() -> None:
    assert ag.grad(lambda x: x * ag.stop_gradient(x * x))(3.0) == 9.0
    assert ag.stop_gradient({"a": 3.0, "b": "text"}) == {"a": 3.0, "b": "text"}


def test_a_function_goes_back_by_its_own_rule_inside_of_a_loop() -> None:
    scaled = ag.custom_vjp(
        lambda x, k: np.round(x) * k,
        lambda x, k: (np.round(x) * k, k),
        lambda k, g: (g * k * 10, None),
    )

    def total(x: Any) -> Any:
        s = 0.0
        for v in x:
            if v > 0:
                s = s + scaled(v, 2.0)
        return s

    value, found = ag.value_and_grad(total)(np.array([1.2, -1.0, 3.4]))
    assert value == 8.0
    np.testing.assert_array_equal(found, [20.0, 0.0, 20.0])
    assert scaled(np.float64(1.2), 2.0) == 2.0
    assert ag.jvp(lambda x: scaled(x, 2.0), (1.2,), (1.0,)) == (2.0, 20.0)


def test_a_rule_for_going_back_goes_forward_and_twice() -> None:
    @ag.custom_gradient
    def product(x: Any, y: Any) -> Any:
        return x * y, lambda g: (2 * g * y, 3 * g * x)

    x, y, one = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.ones(2)
    np.testing.assert_array_equal(ag.jvp(product, (x, y), (one, one))[1], 2 * y + 3 * x)
    sine = ag.custom_vjp(np.sin, lambda x: (np.sin(x), x), lambda x, g: (10 * g * np.cos(x),))

    @ag.function
    def twice(x: Any, n: Any) -> Any:
        for _ in range(n):
            x = sine(x)
        return x

    def along(x: Any) -> Any:
        return ag.jvp(lambda x: twice(x, np.int64(1)), (x,), (np.float64(1.0),))[1]

    half = np.float64(0.5)
    assert along(half) == 10 * np.cos(0.5)
    assert (
        ag.grad(along)(half) == ag.jvp(along, (half,), (np.float64(1.0),))[1] == -10 * np.sin(0.5)
    )


def test_a_rule_for_tangents_goes_both_ways_and_twice() -> None:
    @ag.function
    def cubed(x: Any) -> Any:
        return x**3

    cube = ag.custom_jvp(cubed, lambda x, t: (x[0] ** 3, 3 * x[0] ** 2 * t[0]))
    assert ag.jvp(cube, (2.0,), (1.0,)) == (8.0, 12.0)
    assert ag.grad(cube)(2.0) == 12.0
    assert ag.grad(ag.grad(cube))(2.0) == 12.0


def test_a_function_returns_its_own_gradient() -> None:
    @ag.custom_gradient
    def log1pexp(x: Any) -> Any:
        e = np.exp(x)
        return np.log(1 + e), lambda g: g * (1 - 1 / (1 + e))

    assert ag.grad(log1pexp)(np.float64(100.0)) == 1.0


def test_rules_that_do_not_fit_are_refused() -> None:
    one = ag.custom_vjp(lambda x, y: x * y, lambda x, y: (x * y, ()), lambda _, g: g)
    with pytest.raises(ag.DerivativeError, match="a tuple of 2 cotangents"):
        ag.grad(one)(1.0, 2.0)

    def outside(x: Any) -> Any:
        inner = ag.custom_vjp(lambda y: x * y, lambda y: (x * y, ()), lambda _, g: (g,))
        return inner(2.0)

    with pytest.raises(ag.DerivativeError, match="uses a value from outside"):
        ag.grad(outside)(1.0)


def long(x: Any) -> Any:
    y, t = x, 0.0
    while t < 20.0:
        y = y + 0.01 * np.sin(y) * (1 - t * 0.05)
        t = t + 0.01
    return y


def over_rows(x: Any) -> Any:
    s = 0.0
    for v in x:
        if v > 0:
            s = np.sin(s) * 0.5 + v * s + v
    return s


@pytest.mark.parametrize(
    ("function", "x"), [(long, np.float64(0.3)), (over_rows, np.linspace(-1, 2, 37))]
)
def test_a_checkpoint_changes_nothing_of_a_derivative(function: Any, x: Any) -> None:
    value, gradient = ag.value_and_grad(function)(x)
    kept, found = ag.value_and_grad(ag.checkpoint(function))(x)
    assert kept == value
    np.testing.assert_allclose(found, gradient, rtol=1e-12)
    twice = ag.grad(lambda x: np.sum(ag.grad(ag.checkpoint(function))(x)))(x)
    wanted = ag.grad(lambda x: np.sum(ag.grad(function)(x)))(x)
    np.testing.assert_allclose(twice, wanted, rtol=1e-9)


def read_inside_and_outside(x: Any) -> Any:
    part = ag.checkpoint(lambda v: np.tanh(v) * np.sum(x))
    while np.sum(x) < 9:
        x = x + abs(part(x)) + 1
    return np.sum(x + part(x))


def test_what_a_checkpoint_reads_from_outside_is_a_parameter_of_its_own() -> None:
    x = np.array([0.5, -0.1, 0.2])
    graph = ag.function(read_inside_and_outside).get_concrete_function(x).traced_graph
    verify(graph)
    text = print_graph(graph, elide=False)
    assert print_graph(read_graph(text), elide=False) == text
    assert interpret(graph, [x], np) == read_inside_and_outside(x)


def test_a_checkpoint_keeps_little_of_a_loop() -> None:
    def peak(function: Any) -> int:
        gradient = ag.grad(function)
        gradient(np.float64(0.3))
        tracemalloc.start()
        gradient(np.float64(0.3))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(long) > 2000 * 16
    assert peak(ag.checkpoint(long)) < 2000 * 8


def test_a_function_with_its_own_gradient_runs_once() -> None:
    count = ag.Variable(0.0, trainable=False)

    @ag.custom_gradient
    def drawn(x: Any) -> Any:
        count.assign_add(1.0)
        draw = ag.random.normal()
        return x * draw, lambda g: g * draw * 10

    def at_two(x: Any) -> Any:
        value, g = ag.value_and_grad(drawn)(x)
        return g / value

    assert ag.function(at_two)(np.float64(2.0)) == pytest.approx(5.0)
    assert count.numpy() == 1.0


def test_what_a_rule_uses_has_derivatives_itself() -> None:
    @ag.custom_gradient
    def cubed(x: Any) -> Any:
        square = x * x
        return square * x, lambda g: 3 * g * square

    assert ag.grad(ag.grad(ag.grad(cubed)))(np.float64(2.0)) == 6.0


def test_assignments_that_a_derivative_would_lose_are_refused() -> None:
    v = ag.Variable(0.0)

    def counting(x: Any) -> Any:
        v.assign_add(1.0)
        return x

    own = ag.custom_vjp(counting, lambda x: (counting(x), ()), lambda _, g: (g,))
    with pytest.raises(ag.DerivativeError, match="let it return what is to be assigned"):
        ag.grad(own)(1.0)


def test_a_variable_that_a_rule_does_not_take_is_refused() -> None:
    w = ag.Variable(3.0)
    times = ag.custom_gradient(lambda x: (x * w, lambda g: g * 100))
    assert ag.grad(times)(2.0) == 100.0
    with ag.GradientTape() as tape:
        y = times(w * 1.0)
    with pytest.raises(ag.DerivativeError, match="let its rule take `variables`"):
        tape.gradient(y, w)


@pytest.mark.parametrize(
    ("cotangents", "says"),
    [
        (lambda g: (g, np.ones(3)), r"returned f64\[3\] for what is f64\[\]; .* np.sum\(g, axis\)"),
        (lambda g: (g, "x"), r"returned 'x' for what is f64\[\]"),
        (lambda g: (g,), "a tuple of 2 cotangents"),
    ],
)
def test_cotangents_that_do_not_fit_are_told(cotangents: Any, says: str) -> None:
    product = ag.custom_vjp(lambda x, y: x * y, lambda x, y: (x * y, x), lambda _, g: cotangents(g))
    with pytest.raises(ag.DerivativeError, match=says):
        ag.grad(product, (0, 1))(np.float64(2.0), np.float64(3.0))


def test_tangents_that_do_not_fit_are_told() -> None:
    two = ag.custom_jvp(lambda x: (x, x * x), lambda x, t: ((x[0], x[0] ** 2), t[0]))
    with pytest.raises(ag.DerivativeError, match="the tangents of its 2 results, and returned 1"):
        ag.jvp(two, (np.float64(2.0),), (np.float64(3.0),))


def test_results_that_are_integers_have_no_part_in_the_derivative() -> None:
    both = ag.custom_jvp(lambda x: (3, x * x), lambda x, t: ((3, x[0] ** 2), (0, 2 * x[0] * t[0])))
    assert ag.jvp(both, (np.float64(2.0),), (np.float64(3.0),))[1][1] == 12.0
    assert ag.grad(lambda x: both(x)[1])(np.float64(2.0)) == 4.0
