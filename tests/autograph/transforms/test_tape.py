"""`GradientTape`, outside of graphs and in them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import tf

X = np.array([1.5, 2.0])
SCALE = ag.Variable(3.0)


def powers(x: Any) -> Any:
    return np.sum(x**3) * x[0]


def pairs(x: Any) -> Any:
    return np.sum(np.stack([x[0] * x[1], x[1] ** 2]) * np.array([1.0, 3.0]))


def chosen(x: Any) -> Any:
    return np.sum(np.where(x > 1.6, x * x, x * 3)) + np.max(x)


def product(x: Any) -> Any:
    return np.sum(x.reshape(2, 1) @ x.reshape(1, 2)) + np.sum(np.concatenate([x, x * 2]))


def stopped(x: Any) -> Any:
    return np.sum(ag.stop_gradient(x) * x)


def halving(x: Any) -> Any:
    y = np.sum(x**3)
    while y > 1.0:
        y = y * 0.5 * x[0] * 0.9
    return y


def by_rule(x: Any) -> Any:
    return np.sum(ag.custom_gradient(lambda u: (u * u, lambda g: g * 100.0))(x))


def second_order(x: Any) -> Any:
    return np.sum(ag.grad(lambda u: np.sum(u**3))(x))


def rows(x: Any) -> Any:
    y = 1.0
    for v in x:
        y = y * v
    return y


@pytest.mark.parametrize(
    "func",
    [powers, pairs, chosen, product, stopped, halving, by_rule, second_order, rows],
)
def test_a_tape_gives_the_gradient_that_grad_gives(func: Callable[..., Any]) -> None:
    def taped(x: Any) -> Any:
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = func(x)
        return y, tape.gradient(y, x)

    value, expected = ag.value_and_grad(func)(X)
    staged = ag.function(func)

    def called(x: Any) -> Any:
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = staged(x)
        return y, tape.gradient(y, x)

    for y, found in (taped(ag.Tensor(X)), ag.function(taped)(X), called(ag.Tensor(X))):
        np.testing.assert_allclose(y, value)
        np.testing.assert_allclose(found, expected)


def test_trainable_variables_are_watched_by_themselves() -> None:
    trained, kept = ag.Variable(X), ag.Variable(2.0, trainable=False)
    with ag.GradientTape(persistent=True) as tape:
        y = np.sum(trained * trained) * kept
    assert tape.watched_variables() == (trained,)
    np.testing.assert_array_equal(tape.gradient(y, trained), X * 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert tape.gradient(y, kept) is None
    with ag.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(kept)
        y = np.sum(trained) * kept * kept
    assert tape.watched_variables() == (kept,)
    assert tape.gradient(y, kept) == 14.0


def both(function: Callable[..., Any]) -> list[Any]:
    """Return what a function of a tensor returns, outside of a graph and in one."""
    return [function(ag.Tensor(X)), ag.function(function)(X)]


def test_a_copy_of_a_tensor_follows_it() -> None:
    v = tf.Variable([1.0, 2.0])
    for function in (lambda x: (x * 2).copy(), lambda x: (x * 2).astype(np.float32)):
        with tf.GradientTape() as tape:
            y = function(v)
        assert np.array_equal(tape.gradient(y, v), [2, 2])
    with tf.GradientTape() as tape:
        mean = tf.reduce_mean(v * 2)
    assert np.array_equal(tape.gradient(mean, v), [1, 1])


def test_gradients_are_of_structures_weighted_and_zero_if_asked() -> None:
    def taped(x: Any) -> Any:
        other = x * 2
        with ag.GradientTape(persistent=True) as tape:
            tape.watch([x, other])
            y = {"a": x * 2, "b": x * x}
        weights = {"a": np.ones(2), "b": np.array([1.0, 10.0])}
        weighted = tape.gradient(y, {"x": x}, output_gradients=weights)
        zero = tape.gradient(y, (x, other), unconnected_gradients="zero")[1]
        return weighted["x"], zero, tape.gradient(y["a"], other) is None

    for weighted, zero, is_none in both(taped):
        np.testing.assert_allclose(weighted, [5.0, 42.0])
        np.testing.assert_array_equal(zero, [0.0, 0.0])
        assert is_none


def test_tapes_within_tapes_give_derivatives_of_derivatives() -> None:
    def taped(x: Any) -> Any:
        with ag.GradientTape() as outer:
            outer.watch(x)
            with ag.GradientTape() as inner:
                inner.watch(x)
                y = np.sum(x**3)
            g = inner.gradient(y, x)
        return g, outer.jacobian(g, x)

    for g, hessian in both(taped):
        np.testing.assert_allclose(g, 3 * X**2)
        np.testing.assert_allclose(hessian, np.diag(6 * X))


def test_jacobians_of_batches_are_of_each_row() -> None:
    def taped(x: Any) -> Any:
        rows = np.stack([x, x + 1])
        with ag.GradientTape() as tape:
            tape.watch(rows)
            y = rows**2
        return tape.batch_jacobian(y, rows)

    for found in both(taped):
        np.testing.assert_allclose(found, [np.diag(2 * X), np.diag(2 * X + 2)])


def test_what_is_not_recorded_is_a_constant() -> None:
    def taped(x: Any) -> Any:
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(x**2)
            with tape.stop_recording():
                factor = np.sum(x)
            z = y * factor
        return tape.gradient(z, x)

    def begun_again(x: Any) -> Any:
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(x**2)
            tape.reset()
            tape.watch(x)
            z = y * np.sum(x)
        return tape.gradient(z, x)

    for found in both(taped):
        np.testing.assert_allclose(found, 2 * X * 3.5)
    for found in both(begun_again):
        np.testing.assert_allclose(found, [6.25, 6.25])


def test_a_staged_loop_trains_a_variable() -> None:
    weight = ag.Variable(0.0)

    @ag.function
    def train(x: Any, steps: int) -> Any:
        for _ in range(steps):
            with ag.GradientTape() as tape:
                loss = np.sum((weight * x - 3.0 * x) ** 2)
            weight.assign_sub(0.05 * tape.gradient(loss, weight))
        return weight.value()

    assert train(X, np.int64(50)) == pytest.approx(3.0)


def test_what_was_staged_before_the_gradient_may_be_used_after_it() -> None:
    @ag.function
    def taped(x: Any) -> Any:
        with ag.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = np.sum(x**2)
        z = np.exp(-y)
        first, second = tape.gradient(y, x), tape.gradient(y, x)
        return y, z, first + second

    y, z, g = taped(X)
    assert (y, z) == (6.25, np.exp(-6.25))
    np.testing.assert_allclose(g, 4 * X)


def test_derivatives_end_where_a_variable_is_assigned() -> None:
    def taped(x: Any) -> Any:
        v = SCALE
        v.assign(3.0)
        with ag.GradientTape() as tape:
            v.assign(v * v)
            y = v * x[0]
        return tape.gradient(y, v)

    assert both(taped) == [1.5, 1.5]


@pytest.mark.parametrize("staged", [False, True])
def test_a_variable_is_a_target_of_which_its_gradient_is_one(staged: bool) -> None:
    v, other = ag.Variable(2.0), ag.Variable(3.0)

    def gradients() -> Any:
        with ag.GradientTape(persistent=True) as tape:
            y = v * other
        return tape.gradient(v, [v, other]), tape.gradient([y, v], v, [2.0, 5.0])

    (own, none), both = (ag.function(gradients) if staged else gradients)()
    assert (float(own), none, float(both)) == (1.0, None, 11.0)


def assigned_in_a_branch(v: Any, x: Any) -> Any:
    if x > 0:
        v.assign(v * x)
    return v * x


def assigned_in_a_loop(v: Any, x: Any) -> Any:
    k = 0
    while k < 3:
        v.assign_add(x)
        k = k + 1
    return v * v


def read_before_and_after(v: Any, x: Any) -> Any:
    y = v * x
    v.assign(5.0)
    return y * v


def averaged(v: Any, x: Any) -> Any:
    y = x
    for _ in range(3):
        v.assign(0.5 * v + 0.5 * y)
        y = (y - v) * x
    return y


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (assigned_in_a_branch, (2.0, 6.0)),
        (assigned_in_a_loop, (18.0, 0.0)),
        (read_before_and_after, (16.0, 15.0)),
        (averaged, None),
    ],
)
def test_derivatives_end_where_any_function_assigns_a_variable(
    function: Callable[..., Any], expected: tuple[float, float] | None
) -> None:
    def of(inner: Callable[..., Any], stage: Callable[..., Any]) -> list[float]:
        v = ag.Variable(3.0)

        def taped(x: Any) -> Any:
            with ag.GradientTape() as tape:
                tape.watch(x)
                y = inner(v, x)
            return tape.gradient(y, [v, x], unconnected_gradients="zero")

        return [float(g) for g in stage(taped)(ag.Tensor(np.array(2.0)))]

    stages = (lambda f: f, ag.function)
    found = [of(inner(function), stage) for inner in stages for stage in stages]
    for one in found:
        np.testing.assert_allclose(one, expected or found[0])


def test_what_is_assigned_while_a_tape_is_stopped_counts_as_what_is_held() -> None:
    def taped(x: Any) -> Any:
        SCALE.assign(3.0)
        with ag.GradientTape() as tape:
            y = SCALE * x[0]
            with tape.stop_recording():
                SCALE.assign(SCALE + 1.0)
            y = y * SCALE
            SCALE.assign(3.0)
        return tape.gradient(y, SCALE)

    assert both(taped) == [1.5 * 7, 1.5 * 7]


def test_tensorflows_names_are_the_tape() -> None:
    w = tf.Variable([[1.0]])

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.matmul(x, w) ** 2 * tf.stop_gradient(x))
        return tape.gradient(loss, w)

    found = step(tf.constant([[2.0]]))
    assert found.dtype == tf.float32
    assert found.numpy() == [[16.0]]
    with tf.GradientTape() as tape:
        y = tf.constant(1.0) * 2
    zero = tape.gradient(y, w, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert zero.numpy() == [[0.0]]


def test_a_second_gradient_says_what_to_write() -> None:
    with ag.GradientTape() as tape:
        y = SCALE * SCALE
    tape.gradient(y, SCALE)
    with pytest.raises(RuntimeError, match=r"this is a second one.*persistent=True"):
        tape.gradient(y, SCALE)


def test_what_was_not_watched_warns_and_is_none() -> None:
    x = ag.Tensor(X)
    with ag.GradientTape(persistent=True) as tape:
        y = x * SCALE
    with pytest.warns(ag.GradientWarning, match=r"not watched.*tape.watch\(x\)"):
        assert tape.gradient(y, x) is None
    with pytest.warns(ag.GradientWarning, match="does not follow anything"):
        assert tape.gradient(x, SCALE) is None
    with tape, pytest.warns(ag.GradientWarning, match="by floats"):
        tape.watch(ag.Tensor(np.array([1, 2])))


def test_arrays_of_numpy_cannot_be_watched() -> None:
    with ag.GradientTape() as tape, pytest.raises(TypeError, match=r"ag\.Tensor\(np"):
        tape.watch(X)
    with pytest.raises(RuntimeError, match="in the `with` block"):
        tape.watch(ag.Tensor(X))
    with pytest.raises(ValueError, match="'none' or 'zero', not 'nil'"):
        tape.gradient(ag.Tensor(X), ag.Tensor(X), unconnected_gradients="nil")


def test_a_recorded_array_is_not_written_in_place() -> None:
    x = ag.Tensor(X.copy())
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x * 2
        with pytest.raises(ag.MutationError, match=r"x\.copy\(\)"):
            y[0] = 5.0


def stopped_inside(x: Any) -> Any:
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(x)
        for v in x:
            with tape.stop_recording():
                y = y * v
    return tape.gradient(y, x)


def watched_inside(x: Any) -> Any:
    with ag.GradientTape() as tape:
        y = np.sum(x)
        for v in x:
            tape.watch(v)
            y = y * v
    return tape.gradient(y, x)


def asked_inside(x: Any) -> Any:
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = np.sum(x)
    total = x * 0
    for _ in x:
        total = total + tape.gradient(y, x)
    return total


def entered_again(x: Any) -> Any:
    tape = ag.GradientTape(persistent=True)
    with tape:
        tape.watch(x)
        y = np.sum(x)
    with tape:
        z = y * y
    return tape.gradient(z, x)


@pytest.mark.parametrize(
    ("func", "what"),
    [
        (stopped_inside, "stopped in another staged branch or loop"),
        (watched_inside, "watch is called in another staged branch or loop"),
        (asked_inside, "asked for in another staged branch or loop"),
        (entered_again, "make a new GradientTape"),
    ],
)
def test_a_tape_and_its_gradient_stand_in_one_region(func: Callable[..., Any], what: str) -> None:
    with pytest.raises(ag.DerivativeError, match=what):
        ag.function(func)(X)
