"""Derivatives of plain Python functions, through what they are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def newton(x: Any) -> Any:
    """A loop of unknown length."""
    y = x[0]
    while abs(y * y - x[0]) > 1e-13:
        y = 0.5 * (y + x[0] / y)
    return y


def branch(x: Any) -> Any:
    if np.sum(x) > 0:
        y = x * x
    else:
        y = -x
    return np.sum(y)


def indexed(x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] ** 2 * np.sin(s) + x[i]
    return s


def over_rows(x: Any) -> Any:
    s = np.zeros(3)
    for v in x:
        if v > 0:
            s = s * v + x
        else:
            s = s - v
    return np.sum(s)


def items_assigned(x: Any) -> Any:
    y = np.zeros(5)
    y[0] = x[0]
    for i in range(1, 5):
        y[i] = y[i - 1] * x[1] + x[2]
    return y[4]


def left_early(x: Any) -> Any:
    s = x[0]
    for _ in range(100):
        s = s * (1 + x[1] * x[1]) + 1
        if s > 50:
            break
    return s


def returned_early(x: Any) -> Any:
    if x[0] > 0:
        return x[0] * x[1]
    return x[2] ** 2


def growing(x: Any) -> Any:
    xs = [x[0]]
    while len(xs) < 5:
        xs.append(xs[-1] * x[1])
    total = 0.0
    for v in xs:
        total += v
    return total


def nested(x: Any) -> Any:
    total = 0.0
    for i in range(3):
        s = abs(x[i])
        while s < 10:
            s = s * 1.5 + x[0] * x[0]
        total += s
    return total


FUNCTIONS = [
    newton, branch, indexed, over_rows, items_assigned, left_early, returned_early, growing, nested,
]  # fmt: skip
POINTS = [np.array([1.3, 1.5, 0.3]), np.array([0.7, -0.5, 1.1])]


def differences(function: Callable[..., Any], x: Any, step: float = 1e-6) -> Any:
    """Return the gradient by differences to both sides."""
    rows = np.eye(len(x)) * step
    return np.array([(function(x + row) - function(x - row)) / (2 * step) for row in rows])


@pytest.mark.parametrize("function", FUNCTIONS)
def test_both_modes_and_both_orders_agree_with_differences(function: Callable[..., Any]) -> None:
    t = np.array([0.3, -0.2, 0.9])
    staged, both, derived = ag.function(function), ag.value_and_grad(function), ag.grad(function)
    twice = ag.grad(lambda x: np.sum(derived(x) * t))
    for point in POINTS:
        value, gradient = both(point)
        np.testing.assert_allclose(value, function(point), rtol=1e-14)
        np.testing.assert_allclose(gradient, differences(function, point), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(ag.jvp(staged, (point,), (t,))[1], gradient @ t, rtol=1e-10)
        along = ag.jvp(derived, (point,), (t,))[1]
        wanted = differences(lambda x: derived(x) @ t, point)
        np.testing.assert_allclose(along, wanted, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(twice(point), along, rtol=1e-9, atol=1e-9)


def test_a_gradient_has_the_structure_and_the_dtypes_of_its_argument() -> None:
    parameters = {"w": np.float32([1.0, 2.0]), "b": [np.float64(3.0)]}
    found = ag.grad(lambda p, x: np.sum(p["w"] * x) * p["b"][0])(parameters, np.float32(2.0))
    np.testing.assert_array_equal(found["w"], np.float32([6.0, 6.0]))
    assert found["w"].dtype == np.float32
    assert found["b"] == [np.float64(6.0)]


def test_a_gradient_by_a_float_of_python_is_one() -> None:
    found = ag.grad(lambda x: x**3)(2.0)
    assert found == 12.0


def test_arguments_are_chosen_by_their_numbers() -> None:
    value, (first, second) = ag.value_and_grad(lambda x, n, y: x**n * y, argnums=(0, 2))(
        np.float64(3.0), 2, np.float64(5.0)
    )
    assert (value, first, second) == (45.0, 30.0, 9.0)


def test_what_is_beside_the_loss_comes_out_as_it_is() -> None:
    found, (text, twice) = ag.grad(lambda x, *, k: (x * x, ("text", x * k)), has_aux=True)(
        np.float64(3.0), k=2
    )
    assert (found, text, twice) == (6.0, "text", 6.0)


def test_a_gradient_inside_of_a_staged_function_is_part_of_its_graph() -> None:
    @ag.function
    def descend(x: Any, rate: Any) -> Any:
        while np.sum(x * x) > 1e-6:
            x = x - rate * ag.grad(lambda y: np.sum(y * y))(x)
        return x

    assert np.sum(descend(np.array([1.0, -2.0]), np.float64(0.1)) ** 2) <= 1e-6


def test_a_function_uses_staged_values_from_outside() -> None:
    @ag.function
    def both(x: Any, y: Any) -> Any:
        return ag.grad(lambda a: ag.grad(lambda b: a * b * b * y)(x))(x)

    assert both(np.float64(3.0), np.float64(5.0)) == 2 * 3.0 * 5.0


def test_the_graph_of_a_gradient_has_no_zeros_and_no_ones() -> None:
    text = ag.grad(lambda x, y: np.sum(np.exp(x) + y)).graph(np.ones(3), np.ones(3))
    assert str(text) == ("graph(%x: f64[3], %y: f64[3]) {\n  %0: f64[3] = exp(%x)\n  return %0\n}")


def test_what_was_broadcast_is_added_up() -> None:
    assert ag.grad(lambda m: np.sum(np.ones((2, 5)) * 2.0 + m))(1.0) == 10.0
    found = ag.grad(lambda v: np.mean(np.ones((2, 5)) * 2.0 + v))(np.ones(5))
    np.testing.assert_allclose(found, np.full(5, 0.2))


def test_a_list_that_grows_in_a_loop_of_unknown_length() -> None:
    def function(x: Any) -> Any:
        items = [x[1]]
        s = x[0]
        while s < 20.0:
            s = s * 1.5
            items.append(s * x[2])
        total = 0.0
        for item in items:
            total = total + item
        return total

    found = ag.grad(function)(np.array([1.0, 1.0, 0.5]))
    np.testing.assert_allclose(found, differences(function, np.array([1.0, 1.0, 0.5])), rtol=1e-6)


def test_a_loop_that_forgets_its_state_may_have_no_rounds() -> None:
    def function(x: Any, n: Any) -> Any:
        s = x * x
        for _ in range(n):
            s = np.sin(x)
        return s

    assert ag.grad(function)(np.float64(3.0), np.int64(0)) == 6.0
    assert ag.grad(function)(np.float64(3.0), np.int64(2)) == np.cos(3.0)


def test_writes_of_a_function_are_seen_outside() -> None:
    def loss(x: Any) -> Any:
        x[0] = x[1] * x[1]
        return np.sum(x)

    x = np.array([1.0, 3.0])
    np.testing.assert_array_equal(ag.grad(loss)(x), [0.0, 7.0])
    np.testing.assert_array_equal(x, [9.0, 3.0])


def test_gradients_of_real_functions_of_complex_numbers_are_those_of_jax() -> None:
    z = np.array([1.0 + 2.0j])
    np.testing.assert_allclose(ag.grad(lambda z: np.sum(np.abs(z) ** 2))(z), 2 * np.conj(z))
    found = ag.grad(lambda z: np.sum(z**2), holomorphic=True)(z)
    np.testing.assert_allclose(found, 2 * z)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ag.grad(lambda x: x * 2)(3), r"x is int, and derivatives are by floats"),
        (lambda: ag.grad(lambda x: x * 2)(np.ones(2)), r"returns f64\[2\]; return its np.sum"),
        (lambda: ag.grad(lambda x: x > 2)(1.0), r"follows its arguments in steps"),
        (lambda: ag.grad(lambda x: (x, x))(1.0), r"is to return one float, and returns \(\*, \*\)"),
        (lambda: ag.grad(lambda x: x)("a"), r"x is 'a', and derivatives are by floats"),
        (lambda: ag.grad(lambda x: x * 1j)(1.0), r"holomorphic=True"),
        (lambda: ag.grad(lambda x: x, argnums=1)(1.0), r"argument 1 was asked for"),
        (lambda: ag.grad(lambda x: x, has_aux=True)(1.0), r"is to return a pair"),
        (lambda: ag.grad(3), "the derivative of a function"),
        (
            lambda: ag.jvp(np.sin, (np.ones(2),), (np.ones(()),)),
            r"tangent\[0\] of sin is f64\[\], and f64\[2\]",
        ),
        (lambda: ag.jvp(np.sin, (np.ones(2),), ()), "structure of what it belongs to"),
    ],
)
def test_what_cannot_be_differentiated_is_refused_by_name(
    call: Callable[[], Any], text: str
) -> None:
    with pytest.raises(TypeError, match=text):
        call()


def test_an_op_without_a_derivative_is_refused_with_its_line() -> None:
    def last(x: Any) -> Any:
        return np.sum(np.trim_zeros(x))

    with pytest.raises(ag.DerivativeError, match=r"(?s)no derivative.*np.sum\(np.trim_zeros"):
        ag.grad(last)(np.ones(3))


def test_the_way_back_through_items_that_are_assigned_copies_no_array() -> None:
    def summed(x: Any) -> Any:
        y = np.zeros(x.size)
        for i in range(1, x.size):
            y[i] = y[i - 1] * 0.5 + x[i]
        return y[-1]

    found = ag.grad(summed).get_concrete_function(np.ones(400))
    assert found.executable.plan.refused == ()
    assert np.allclose(found(np.ones(400))[-3:], [0.25, 0.5, 1.0])


def recurrent(w, x, unroll=False):
    state = np.zeros((3, 4))
    for row in ag.hint(x, unroll=unroll):
        gates = row + state @ w
        state = np.tanh(gates[:, :4]) * gates[:, 4:] + gates[:, 2:6]
    return np.sum(state)


@pytest.mark.parametrize("rounds", [0, 1, 40])
def test_weights_of_all_rounds_have_one_product_behind_the_loop(rounds):
    draw = np.random.default_rng(0)
    w, x = 0.5 * draw.normal(size=(4, 8)), draw.normal(size=(rounds, 3, 8))
    signature = [ag.TensorSpec([4, 8]), ag.TensorSpec([None, 3, 8])]
    staged = ag.function(ag.grad(recurrent), input_signature=signature)
    np.testing.assert_allclose(staged(w, x), ag.grad(recurrent)(w, x, True), rtol=1e-9, atol=1e-12)
    forward, back = str(staged.graph(w, x)).split("reduce(")[1:]
    back, behind = back.split("\n  }\n")
    assert [part.count("matmul(") for part in (forward, back, behind)] == [1, 1, 1]


def test_parts_of_slices_that_do_not_meet_are_not_added():
    def loss(x):
        return np.sum(x[:, :2] * x[:, 2:]) + x[0, 0]

    x = np.arange(8.0).reshape(2, 4)
    staged = ag.function(ag.grad(loss))
    assert staged(x).tolist() == [[3, 3, 0, 1], [6, 7, 4, 5]]
    assert str(staged.graph(x)).count("add(") == 1


def bounced(x: Any) -> Any:
    y, v, t = x[0], x[1] * 0.0, 0.0
    while t < 1.0:
        v = v - 0.1
        y = y + v * 0.05
        if y < 0.0:
            y, v = -y, -v * x[2]
        elif y > 2.0:
            v = v - np.sum(x * x) * 0.01
        for k in range(3):
            if v > x[k]:
                y = y + x[k] * 0.01
        t = t + 0.01
    return y + v


def test_branches_in_loops_add_to_the_cotangent_in_place() -> None:
    x = np.array([1.9, 0.4, 0.7, 0.2])
    gradient = ag.grad(bounced)
    steps = 1e-6 * np.eye(4)
    wanted = [(bounced(x + e) - bounced(x - e)) / 2e-6 for e in steps]
    np.testing.assert_allclose(gradient(x), wanted, rtol=1e-6, atol=1e-8)
    text = str(gradient.graph(x))
    assert "full_like" not in text  # no zeros of an arm for the one element that it reads
    assert text.count("constant(value=f64[4]") == 1


def test_a_function_that_returns_one_of_several_kinds_of_numbers_has_a_gradient() -> None:
    def function(x: Any) -> Any:
        if x > 2.0:
            return np.where(x > 3.0, x * x, x)
        if x > 1.0:
            return 5
        return x * x

    assert ag.value_and_grad(function)(np.float64(4.0)) == (16.0, 8.0)
    assert ag.value_and_grad(function)(np.float64(1.5)) == (5.0, 0.0)
    assert ag.value_and_grad(function)(np.float64(0.5)) == (0.25, 1.0)


def test_a_loop_in_an_arm_goes_back_where_another_arm_changes_the_size_of_its_state() -> None:
    def function(x: Any) -> Any:
        items = [x[0], x[1]]
        if x[0] > 2.0:
            for k in range(2):
                items[k] = items[k] * items[1 - k]
        else:
            items.append(x[1] * x[2])
        return items[0] * items[-1]

    for point in np.array([3.0, 1.0, 2.0]), np.array([1.0, 3.0, 2.0]):
        expected = differences(function, point)
        np.testing.assert_allclose(ag.grad(function)(point), expected, rtol=1e-6)


def test_functions_of_numpy_are_differentiated_as_they_are_inside_of_others() -> None:
    x = np.array([[1.0, 2.0], [3.0, 5.0]])
    np.testing.assert_allclose(ag.jacobian(np.trace)(x), np.eye(2))
    assert "numpy_call" not in str(ag.function(lambda x: ag.vmap(np.sum)(x)).graph(x))


def _either_sum(x: Any) -> Any:
    if x[0] > 0:
        return np.sum(x * x)
    return np.sin(x[1]) * x[0]


def test_graphs_of_gradients_have_no_products_with_one_and_no_integers() -> None:
    x = np.ones(3)
    text = str(ag.function(ag.grad(_either_sum)).graph(x))
    assert "f64(1.0)" not in text
    text = str(ag.function(ag.grad(lambda x: np.sum(np.where(x > 1, x * x, x)))).graph(x))
    assert "cast(" not in text
    assert "i64" not in text


@pytest.mark.parametrize(
    ("function", "absent"),
    [
        (lambda x: x[0] * 0.0 + np.sum(x[1:] ** 2), "f64(0.0)"),
        (lambda x: np.sum(x[::-1] ** 2 * np.arange(3.0)), "update("),
        (lambda x: np.sum(x.reshape(3, 1)[:, 0] ** 2), "update("),
        (lambda x: np.sum(np.take_along_axis(x[None], np.array([[1]]), 1) ** 2), "add_at("),
        (lambda x: np.sum(np.sort(x) ** 2), "add_at("),
        (lambda x: np.sum(x[:, None] + x[None] ** 2), "f64[3, 3](1.0)"),
        (lambda x: np.sum(np.concatenate([x, x * x[0]]) ** 2), "moveaxis("),
    ],
)
def test_graphs_of_gradients_write_and_add_no_zeros(function: Any, absent: str) -> None:
    assert absent not in str(ag.grad(function).graph(np.ones(3)))


def test_graphs_of_gradients_have_nothing_that_only_tangents_go_through() -> None:
    text = str(ag.grad(lambda x: np.sum(np.linalg.cholesky(x @ x.T))).graph(np.eye(3)))
    assert text.count("inv(") == 1
    assert "solve(" not in text
    assert "full_like(" not in text


@pytest.mark.parametrize("x", [[4.0, 1.0, 3.0], [4.0, 1.0, 3.0, 3.0], [7.0], [1.0, np.nan]])
def test_a_middle_follows_the_elements_in_the_middle(x: Any) -> None:
    given = np.array([x, x[::-1]])
    found = ag.grad(lambda x: np.sum(np.median(x, axis=1)))(given)
    order = np.argsort(given, 1, kind="stable")[:, (len(x) - 1) // 2 : len(x) // 2 + 1]
    expected = np.zeros_like(given)
    np.put_along_axis(expected, order, 1 / order.shape[1], 1)
    if np.isnan(x).any():
        expected[expected > 0] = np.nan
    np.testing.assert_array_equal(found, expected)


SCALE = np.array([1.0, 2.0])


def test_products_with_a_derivative_of_a_staged_function_see_what_changes_outside() -> None:
    staged, x = ag.function(lambda x: np.sum(SCALE * x)), np.ones(2)
    for slope in (1.0, 5.0):
        SCALE[0] = slope
        assert ag.jvp(staged, (x,), (x,))[1] == slope + 2
        np.testing.assert_array_equal(ag.vjp(staged, x)[1](1.0)[0], [slope, 2.0])
        assert ag.linearize(staged, x)[1](x) == slope + 2
