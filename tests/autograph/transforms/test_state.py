"""Derivatives by variables, and through what raises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag


class Line:
    """A model with variables of its own."""

    def __init__(self) -> None:
        self.slope = ag.Variable(np.array([1.0, 2.0]), name="slope")
        self.height = ag.Variable(0.5, name="height")

    def __call__(self, x: Any) -> Any:
        return np.sum(self.slope * x) + self.height


def test_variables_are_differentiated_by_wherever_they_are_read() -> None:
    line = Line()

    def loss(variables: Any, x: Any) -> Any:
        return line(x) ** 2

    found = ag.grad(loss)((line.slope, line.height), np.array([1.0, 0.5]))
    np.testing.assert_array_equal(found[0], [5.0, 2.5])
    assert found[1] == 5.0
    assert ag.grad(lambda v: 3.0)(line.height) == 0.0


def test_a_step_of_descent_changes_variables_in_a_graph() -> None:
    line = Line()

    @ag.function
    def step(x: Any) -> Any:
        loss, (slope, height) = ag.value_and_grad(lambda _: line(x) ** 2)((line.slope, line.height))
        line.slope.assign_sub(0.1 * slope)
        line.height.assign_sub(0.1 * height)
        return loss

    losses = [step(np.array([1.0, 0.5])) for _ in range(20)]
    assert losses[0] == 6.25
    assert losses[-1] < 1e-3


def test_a_step_of_descent_in_a_staged_loop_changes_variables() -> None:
    line = Line()

    @ag.function
    def descend(x: Any, steps: Any) -> None:
        for _ in range(steps):
            _, slope = ag.value_and_grad(lambda _: line(x) ** 2)(line.slope)
            line.slope.assign_sub(0.1 * slope)

    descend(np.array([1.0, 0.5]), np.int64(1))
    np.testing.assert_array_equal(line.slope, [0.5, 1.75])


def test_a_variable_that_the_function_assigns_is_followed() -> None:
    count, held = ag.Variable(0), ag.Variable(np.array([1.0, 2.0]))

    def function(x: Any) -> Any:
        count.assign_add(1)
        held[0] = held[0] * x
        return np.sum(held * held * x)

    assert ag.grad(function)(np.float64(3.0)) == 31.0
    assert count.value() == 1
    np.testing.assert_array_equal(held.value(), [3.0, 2.0])


def test_a_tangent_of_a_variable_is_refused() -> None:
    with pytest.raises(ag.DerivativeError, match="pass its value"):
        ag.jvp(lambda v: v * v, (ag.Variable(1.0),), (1.0,))


def guarded(x: Any) -> Any:
    try:
        y = np.sqrt(x)
        if x < 0.5:
            raise ValueError("small")
        y = y * 2
    except ValueError:
        y = x * x
    return y


@pytest.mark.parametrize(("x", "wanted"), [(4.0, 0.5), (0.25, 0.5), (0.1, 0.2)])
def test_a_try_goes_back_from_where_it_was_left(x: float, wanted: float) -> None:
    assert ag.grad(guarded)(np.float64(x)) == wanted
    assert ag.jvp(guarded, (np.float64(x),), (np.float64(1.0),))[1] == wanted


def test_what_was_computed_before_an_error_is_refused() -> None:
    def function(x: Any) -> Any:
        y = x
        try:
            y = np.sin(x)
            if x < 0.5:
                raise ValueError("small")
        except ValueError:
            y = y * 2
        return y

    with pytest.raises(ag.DerivativeError, match="before the error"):
        ag.grad(function)(np.float64(0.25))


def test_errors_of_a_function_are_those_of_its_derivative() -> None:
    def function(x: Any) -> Any:
        for _ in range(5):
            if x > 100:
                raise ValueError(f"{x} is large")
            x = x * x
        return x

    with pytest.raises(ValueError, match=r"256\.0 is large"):
        ag.grad(function)(np.float64(2.0))


class _Box:
    value = 0.0


LAST = 0.0
BOX, ITEMS, NAMED = _Box(), [0.0], {"k": 0.0}


def _around():
    last = 0.0

    def around(x):
        nonlocal last
        last = 2 * x
        return x * x

    return around, lambda: last


_keep_around, _last_around = _around()


def _keep_global(x):
    global LAST
    LAST = 2 * x
    return x * x


def _keep_attribute(x):
    BOX.value = 2 * x
    return x * x


def _keep_item(x):
    ITEMS[0] = 2 * x
    return x * x


def _keep_named(x):
    NAMED["k"] = 2 * x
    return x * x


KEEPERS = [_keep_global, _keep_attribute, _keep_item, _keep_named, _keep_around]


def _forget() -> None:
    global LAST
    LAST, BOX.value, ITEMS[0], NAMED["k"] = 0.0, 0.0, 0.0, 0.0
    _keep_around(0.0)


@pytest.mark.parametrize("function", KEEPERS)
@pytest.mark.parametrize(
    "derive",
    [
        ag.grad,
        lambda f: ag.grad(ag.grad(f)),
        lambda f: ag.grad(ag.checkpoint(f)),
        lambda f: ag.grad(ag.custom_gradient(lambda x: (f(x), lambda g: 2 * x * g))),
        lambda f: lambda x: ag.jvp(f, (x,), (1.0,)),
        lambda f: lambda x: ag.vjp(f, x)[1](1.0),
        lambda f: lambda x: ag.hvp(f, (x,), (1.0,)),
        lambda f: ag.function(lambda x: ag.grad(f)(x)),
        lambda f: ag.function(lambda x: [ag.grad(f)(x + k) for k in (1.0, 0.0)]),
    ],
)
def test_a_derivative_assigns_outside_what_its_function_assigns(derive, function):
    derived = derive(function)
    for x in (3.0, 5.0):
        _forget()
        derived(np.float64(x))
        assert sorted((LAST, BOX.value, ITEMS[0], NAMED["k"], _last_around())) == [0.0] * 4 + [
            2 * x
        ]
    _forget()


@pytest.mark.parametrize("function", KEEPERS)
@pytest.mark.parametrize("derive", [ag.jacobian, ag.hessian])
def test_what_writes_outside_has_no_jacobian_which_is_made_of_many_runs(derive, function):
    _forget()
    with pytest.raises(ag.MutationError, match="the function writes"):
        derive(function)(np.float64(3.0))
    assert (LAST, BOX.value, ITEMS, NAMED, _last_around()) == (0.0, 0.0, [0.0], {"k": 0.0}, 0.0)


class _Model:
    def __init__(self) -> None:
        self.calls, self.losses, self.square = 0, [], None

    def loss(self, w):
        self.calls += 1
        for v in w:
            self.losses.append(v * 2)
        self.square = w * w
        return np.sum(w * self.square)


def test_a_staged_loop_of_derivatives_keeps_what_each_of_them_assigns():
    model, w = _Model(), np.array([1.0, -2.0])

    @ag.function
    def descend(w, n):
        for _ in range(n):
            w = w - 0.1 * ag.grad(model.loss)(w)
        return w

    found = descend(w, np.int64(2))
    first = w - 0.3 * w * w
    np.testing.assert_allclose(found, first - 0.3 * first * first)
    assert model.calls == 2
    np.testing.assert_allclose(model.losses, [*(w * 2), *(first * 2)])
    np.testing.assert_allclose(model.square, first * first)


def test_what_a_derivative_leaves_outside_may_be_used_and_is_differentiated_through():
    model = _Model()

    def outer(w):
        g = ag.grad(model.loss)(w)
        return np.sum(g * model.square) + model.losses[-1] ** 2

    w = np.array([1.0, -2.0])
    np.testing.assert_allclose(ag.grad(outer)(w), 12 * w**3 + np.array([0.0, 8 * w[1]]))


def test_an_arm_that_is_not_taken_assigns_nothing_by_its_derivative():
    model = _Model()

    @ag.function
    def function(w):
        return ag.grad(model.loss)(w) if np.sum(w) > 0 else w

    assert function(np.array([-1.0])).tolist() == [-1.0]
    assert (model.calls, model.losses, model.square) == (0, [], None)
    assert function(np.array([2.0])).tolist() == [12.0]
    assert (model.calls, model.losses) == (1, [4.0])


def test_a_tape_from_outside_of_a_function_that_is_differentiated_gives_no_gradient_in_it():
    @ag.function
    def function(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x * x

            def inner(z):
                return tape.gradient(y, x) * z

            return ag.grad(inner)(x)

    with pytest.raises(ag.DerivativeError, match="a tape that was begun outside"):
        function(np.float64(3.0))
