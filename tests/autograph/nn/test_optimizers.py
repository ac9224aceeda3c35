"""Optimisers: a whole loop of steps in one graph, against loops of NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import nn
from tests.autograph.nn.same import FLOATS, drawn, tolerance

optimizers = nn.optimizers
START, PULL = drawn((3, 2)), drawn((3, 2), seed=1)
STEPS = 6


def slope(x: Any) -> Any:
    """The gradient of what is minimised below: `sum(cos(x) + x * PULL)`."""
    return PULL - np.sin(x)


def sgd(x: Any) -> Any:
    for _ in range(STEPS):
        x = x - 0.1 * slope(x)
    return x


def momentum(x: Any, nesterov: bool = False) -> Any:
    m = 0.0
    for _ in range(STEPS):
        g = slope(x)
        m = 0.8 * m - 0.1 * g
        x = x + (0.8 * m - 0.1 * g if nesterov else m)
    return x


def adam(x: Any, amsgrad: bool = False, decay: float = 0.0) -> Any:
    m, v, top = 0.0, 0.0, 0.0
    for t in range(1, STEPS + 1):
        g = slope(x)
        x = x - 0.1 * decay * x
        m = 0.9 * m + 0.1 * g
        v = 0.7 * v + 0.3 * g * g
        top = np.maximum(v, top)
        used = top if amsgrad else v
        rate = 0.1 * np.sqrt(1 - 0.7**t) / (1 - 0.9**t)
        x = x - rate * m / (np.sqrt(used) + 1e-7)
    return x


def rmsprop(x: Any, momentum: float = 0.0, centered: bool = False) -> Any:
    v, mean, m = 0.0, 0.0, 0.0
    for _ in range(STEPS):
        g = slope(x)
        v = 0.9 * v + 0.1 * g * g
        mean = 0.9 * mean + 0.1 * g
        change = 0.1 * g / np.sqrt(v - (mean**2 if centered else 0) + 1e-7)
        m = momentum * m + change
        x = x - m
    return x


def adagrad(x: Any) -> Any:
    v = 0.1
    for _ in range(STEPS):
        g = slope(x)
        v = v + g * g
        x = x - 0.1 * g / np.sqrt(v + 1e-7)
    return x


def adadelta(x: Any) -> Any:
    squares, steps = 0.0, 0.0
    for _ in range(STEPS):
        g = slope(x)
        squares = 0.8 * squares + 0.2 * g * g
        change = np.sqrt(steps + 1e-7) / np.sqrt(squares + 1e-7) * g
        steps = 0.8 * steps + 0.2 * change**2
        x = x - 0.1 * change
    return x


def adamax(x: Any) -> Any:
    m, top = 0.0, 0.0
    for t in range(1, STEPS + 1):
        g = slope(x)
        m = 0.9 * m + 0.1 * g
        top = np.maximum(0.7 * top, np.abs(g))
        x = x - 0.1 / (1 - 0.9**t) * m / (top + 1e-7)
    return x


def nadam(x: Any) -> Any:
    m, v, product = 0.0, 0.0, 1.0
    for t in range(1, STEPS + 1):
        g = slope(x)
        now, after = (0.9 * (1 - 0.5 * 0.96**k) for k in (t, t + 1))
        product *= now
        m, v = 0.9 * m + 0.1 * g, 0.7 * v + 0.3 * g * g
        mean = after * m / (1 - product * after) + (1 - now) * g / (1 - product)
        x = x - 0.1 * mean / (np.sqrt(v / (1 - 0.7**t)) + 1e-7)
    return x


def lamb(x: Any) -> Any:
    m, v = 0.0, 0.0
    for t in range(1, STEPS + 1):
        g = slope(x)
        m, v = 0.9 * m + 0.1 * g, 0.7 * v + 0.3 * g * g
        change = m / (1 - 0.9**t) / (np.sqrt(v / (1 - 0.7**t)) + 1e-7)
        x = x - 0.1 * np.linalg.norm(x) / np.linalg.norm(change) * change
    return x


def lion(x: Any) -> Any:
    m = 0.0
    for _ in range(STEPS):
        g = slope(x)
        x = x - 0.1 * np.sign(0.9 * m + 0.1 * g)
        m = 0.8 * m + 0.2 * g
    return x


def ftrl(x: Any) -> Any:
    n, z = 0.1, 0.0
    for _ in range(STEPS):
        g = slope(x)
        more = n + g * g
        z = z + g + 2 * 0.3 * x - (more**0.6 - n**0.6) / 0.5 * x
        x = (np.clip(z, -0.01, 0.01) - z) / (more**0.6 / 0.5 + 2 * (0.02 + 0.1 / (2 * 0.5)))
        n = more
    return x


def clipped(x: Any, clip: Callable[[Any], Any]) -> Any:
    for _ in range(STEPS):
        x = x - 0.1 * clip(slope(x))
    return x


def shortened(g: Any) -> Any:
    return g * min(1.0, 0.5 / np.linalg.norm(g))


CASES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "SGD": (lambda: optimizers.SGD(0.1), sgd),
    "momentum": (lambda: optimizers.SGD(0.1, momentum=0.8), momentum),
    "Nesterov": (lambda: optimizers.SGD(0.1, 0.8, nesterov=True), lambda x: momentum(x, True)),
    "Adam": (lambda: optimizers.Adam(0.1, beta_2=0.7), adam),
    "amsgrad": (
        lambda: optimizers.Adam(0.1, beta_2=0.7, amsgrad=True),
        lambda x: adam(x, amsgrad=True),
    ),
    "AdamW": (lambda: optimizers.AdamW(0.1, 0.3, beta_2=0.7), lambda x: adam(x, decay=0.3)),
    "RMSprop": (lambda: optimizers.RMSprop(0.1), rmsprop),
    "centered": (
        lambda: optimizers.RMSprop(0.1, momentum=0.5, centered=True),
        lambda x: rmsprop(x, 0.5, True),
    ),
    "Adagrad": (lambda: optimizers.Adagrad(0.1), adagrad),
    "Adadelta": (lambda: optimizers.Adadelta(0.1, rho=0.8), adadelta),
    "Nadam": (lambda: optimizers.Nadam(0.1, beta_2=0.7), nadam),
    "Lamb": (lambda: optimizers.Lamb(0.1, beta_2=0.7), lamb),
    "Lion": (lambda: optimizers.Lion(0.1, beta_2=0.8), lion),
    "Ftrl": (lambda: optimizers.Ftrl(0.5, -0.6, 0.1, 0.01, 0.02, 0.3, 0.1), ftrl),
    "Adamax": (lambda: optimizers.Adamax(0.1, beta_2=0.7), adamax),
    "clipvalue": (
        lambda: optimizers.SGD(0.1, clipvalue=0.3),
        lambda x: clipped(x, lambda g: g.clip(-0.3, 0.3)),
    ),
    "clipnorm": (lambda: optimizers.SGD(0.1, clipnorm=0.5), lambda x: clipped(x, shortened)),
    "global_clipnorm": (
        lambda: optimizers.SGD(0.1, global_clipnorm=0.5),
        lambda x: clipped(x, shortened),
    ),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("case", CASES)
def test_steps_in_a_graph_are_those_of_the_formula(case: str, dtype: Any) -> None:
    make, rule = CASES[case]
    optimizer, x = make(), ag.Variable(START.astype(dtype))
    pull = PULL.astype(dtype)

    @ag.function
    def train(steps):
        for _ in range(steps):
            optimizer.minimize(lambda: np.sum(np.cos(x) + x * pull), {"x": x})

    train(np.int64(STEPS))
    assert train.trace_count == 1
    assert int(optimizer.iterations) == STEPS
    assert x.dtype == dtype
    np.testing.assert_allclose(x, rule(START), **tolerance(dtype))


def test_steps_are_the_same_outside_of_graphs() -> None:
    optimizer, x = optimizers.Adam(0.1, beta_2=0.7), ag.Variable(START)
    for _ in range(STEPS):
        with ag.GradientTape() as tape:
            loss = np.sum(np.cos(x) + x * PULL)
        optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    np.testing.assert_allclose(x, adam(START))


def test_the_rate_may_change_and_does_not_trace_again() -> None:
    optimizer, x = optimizers.SGD(0.5), ag.Variable(4.0)

    @ag.function
    def step():
        optimizer.apply([np.float64(1.0)], [x])

    step()
    optimizer.learning_rate = 0.25
    step()
    assert (float(x), step.trace_count) == (3.25, 1)
    optimizer.learning_rate = lambda iterations: 1.0 / iterations
    step()
    assert (float(x), step.trace_count) == (2.75, 2)


def test_a_variable_without_gradient_stays() -> None:
    optimizer, a, b = optimizers.SGD(0.5), ag.Variable(1.0), ag.Variable(1.0)
    optimizer.apply({"a": None, "b": np.float64(1.0)}, {"a": a, "b": b})
    assert (float(a), float(b)) == (1.0, 0.5)


def refused() -> dict[str, tuple[Callable[[], Any], str]]:
    v, w, g = ag.Variable(1.0), ag.Variable(2.0), np.float64(1.0)
    met = optimizers.SGD(name="s")
    met.apply([g], [v])
    return {
        "other form": (lambda: met.apply({"a": g}, [v]), "of 's' are of two forms: what is given"),
        "other variables": (lambda: met.apply([g], [w]), "'s' keeps a state for the 1 variables"),
        "nothing": (lambda: met.apply([None], [v]), "'s' was given no gradient"),
        "no variables": (lambda: met.apply({}, {}), "no variables. .* call the model once before"),
        "shape": (lambda: met.apply([np.ones(2)], [v]), r"gradients\[0\] of 's' has the shape"),
        "no variable": (lambda: optimizers.SGD(name="t").apply([g], [g]), "variables, and .*64"),
        "two clips": (lambda: optimizers.SGD(clipnorm=1.0, clipvalue=1.0), "one of clipnorm"),
        "momentum": (lambda: optimizers.SGD(momentum=1.5), "between 0 and 1, not 1.5"),
    }


@pytest.mark.parametrize("case", refused())
def test_what_is_wrong_is_said_with_the_name_of_the_optimiser(case: str) -> None:
    program, message = refused()[case]
    with pytest.raises((ValueError, TypeError), match=message):
        program()
