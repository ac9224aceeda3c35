"""What is seen outside happens once, and what calls itself has derivatives that do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def drawn(x: Any, n: Any) -> Any:
    for _ in range(n):
        if x > 0:
            x = x * np.random.uniform(0.5, 1.5)
        else:
            x = x * 2 + 0.2 * np.random.normal() + np.sin(x)
    return x


@pytest.mark.parametrize("start", [1.0, -1.0])
def test_draws_in_branches_of_loops_are_drawn_once(start: float) -> None:
    def seeded(x: float) -> Any:
        np.random.seed(3)
        return drawn(x, np.int64(6))

    np.random.seed(3)
    value, gradient = ag.value_and_grad(drawn)(np.float64(start), np.int64(6))
    assert value == seeded(start)
    wanted = (seeded(start + 1e-6) - seeded(start - 1e-6)) / 2e-6
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6)


def test_a_draw_follows_the_parameters_of_its_distribution() -> None:
    found = ag.grad(lambda m, s: np.sum(ag.random.normal(m, s, (5,)) + m), argnums=(0, 1))
    assert found(1.0, 2.0)[0] == 10.0
    assert found(1.0, 2.0)[1] != found(1.0, 2.0)[1]


def test_functions_of_python_are_called_once_and_go_back_by_their_own() -> None:
    calls: list[float] = []

    def square(x: Any) -> Any:
        calls.append(float(x))
        return np.asarray(x) ** 2

    def function(x: Any, n: Any) -> Any:
        total = 0.0
        for k in range(n):
            total += ag.numpy_function(square, [x * k], np.float64, gradient=lambda x, g: 2 * x * g)
        return total

    value, gradient = ag.value_and_grad(function)(np.float64(3.0), np.int64(4))
    assert (value, gradient) == (9.0 * 14, 6.0 * 14)
    assert calls == [0.0, 3.0, 6.0, 9.0]
    with pytest.raises(ag.DerivativeError, match=r"ag.py_function\(..., gradient=...\)"):
        ag.grad(lambda x: ag.numpy_function(square, [x], np.float64))(1.0)


def test_what_is_printed_is_printed_once(capfd: pytest.CaptureFixture[str]) -> None:
    def function(x: Any) -> Any:
        while x < 20.0:
            ag.print("x", x)
            x = x * x
            if x > 3.0:
                ag.print("large")
        return x

    ag.grad(function)(np.float64(2.0))
    assert capfd.readouterr().out == "x 2.0\nlarge\nx 4.0\nlarge\nx 16.0\nlarge\n"


def test_draws_in_a_loop_of_unknown_length_are_refused() -> None:
    def function(x: Any) -> Any:
        while x < 10.0:
            x = x * 2 + np.random.uniform()
        return x

    with pytest.raises(ag.DerivativeError, match="in a loop of unknown length"):
        ag.grad(function)(1.0)


def power(x: Any, n: Any) -> Any:
    if n == 0:
        return np.float64(1.0)
    return x * power(x, n - 1)


def fibonacci(x: Any, n: Any) -> Any:
    if n < 2:
        return x * x
    return fibonacci(x, n - 1) * 0.5 + np.sin(fibonacci(x, n - 2))


def deeper(x: Any, n: Any) -> Any:
    if x > 10.0:
        return x
    return deeper(x * x + 0.1, n) * 1.5


@pytest.mark.parametrize("function", [power, fibonacci, deeper])
def test_a_recursion_has_derivatives_of_both_orders(function: Callable[..., Any]) -> None:
    x, n, e = np.float64(1.4), np.int64(5), 1e-6
    gradient = ag.grad(function)
    wanted = (function(x + e, n) - function(x - e, n)) / (2 * e)
    np.testing.assert_allclose(gradient(x, n), wanted, rtol=1e-7)
    _, along = ag.jvp(lambda x: function(x, n), (x,), (np.float64(2.0),))
    np.testing.assert_allclose(along, 2 * wanted, rtol=1e-7)
    second = (gradient(x + e, n) - gradient(x - e, n)) / (2 * e)
    np.testing.assert_allclose(ag.grad(gradient)(x, n), second, rtol=1e-6)


def of_numpy(a: Any, rounds: int) -> Any:
    rng, s = np.random.default_rng(3), a
    for _ in range(rounds):
        s = s * 0.9 + rng.normal(a, a * a) * a + rng.uniform(-a, high=a)
        if rng.random() < 0.5:
            s = s + np.sum(rng.laplace(scale=a, size=2)) + rng.lognormal(a, a) + rng.rayleigh(a)
    return s + rng.exponential(a) + rng.gumbel(a, a) + np.sum(rng.normal(a * np.ones(3), 2.0))


def test_draws_of_numpy_follow_the_parameters_of_their_distributions() -> None:
    a, rounds, step = np.float64(0.6), np.int64(5), 1e-6
    expected = (of_numpy(a + step, rounds) - of_numpy(a - step, rounds)) / (2 * step)
    value, found = ag.value_and_grad(of_numpy)(a, rounds)
    assert value == of_numpy(a, rounds)
    np.testing.assert_allclose(found, expected, rtol=1e-7)
    along = ag.jvp(lambda a: of_numpy(a, rounds), (a,), (np.float64(2.0),))[1]
    np.testing.assert_allclose(along, 2.0 * found)


def test_draws_that_follow_nothing_are_refused_by_name() -> None:
    with pytest.raises(ag.DerivativeError, match="that of a draw by gamma is not defined"):
        ag.grad(lambda a: np.random.default_rng(2).gamma(a))(0.5)


def test_what_a_custom_function_asks_of_python_is_asked_once() -> None:
    calls = []

    def ask(x):
        def cube(x):
            calls.append(float(x))
            return x**3

        return ag.numpy_function(cube, [x], ag.TensorSpec([], np.float64))

    own = ag.custom_vjp(ask, lambda x: (ask(x), x), lambda x, g: (3 * x**2 * g,))

    @ag.function
    def summed(x):
        total = own(x)
        for k in range(2):
            if x > k:
                total += own(x * k)
        return total

    x = ag.Tensor(2.0)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = summed(x)
    assert (float(y), float(tape.gradient(y, x))) == (16.0, 24.0)
    assert calls[:3] == [2.0, 0.0, 2.0]
