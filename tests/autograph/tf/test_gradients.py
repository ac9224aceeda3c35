"""Derivatives under TensorFlow's names, as its guides on automatic differentiation use them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import tf

V, W = tf.Variable(2.0), tf.Variable(3.0)


@tf.custom_gradient
def clipped(y):
    def backward(dy):
        return tf.clip_by_norm(dy, 0.5)

    return y, backward


@tf.custom_gradient
def line(x):
    def backward(dy, variables=None):
        (w,) = variables
        return 10.0 * dy * w, [100.0 * dy * x]

    return W * x, backward


@tf.custom_gradient
def fused(x):
    slope = 3 * x**2

    def first_order(dy):
        @tf.custom_gradient
        def again(unused):
            return slope, lambda ddy: ddy * 6 * x

        return dy * again(x)

    return x**3, first_order


@tf.custom_gradient
def pair(x, y, scale=2.0):
    return (x * y, x + y), lambda da, db: [da * y + db, scale * (da * x + db)]


def of_clipped():
    with tf.GradientTape() as tape:
        y = clipped(V * V)
    return [tape.gradient(y, V)]


def of_line():
    with tf.GradientTape() as tape:
        y = line(V)
    return tape.gradient(y, [V, W])


def of_fused():
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = fused(V)
        g = tape.gradient(y, V)
    return [g, outer.gradient(g, V)]


def of_pair():
    with tf.GradientTape() as tape:
        p, q = pair(V, W, scale=10.0)
        y = p + q + pair(V, W)[0]
    return tape.gradient(y, [V, W])


def in_a_loop():
    with tf.GradientTape() as tape:
        y = V * 1.0
        for _ in tf.range(3):
            y = clipped(y * 2.0)
    return [tape.gradient(y, V)]


def recomputed():
    with tf.GradientTape() as tape:
        y = tf.recompute_grad(lambda x, k: k * x**3)(V, k=2.0)
    return [tape.gradient(y, V)]


def of_a_variable():
    with tf.GradientTape(persistent=True) as tape:
        y = V
    return [tape.gradient(y, V), *tape.gradient([y, {"w": W}], [V, W])]


def stopped():
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(V * V) * V
    return [tape.gradient(y, V)]


def of_what_is_in_between():
    with tf.GradientTape() as tape:
        y = tf.identity(V * 1.0)
        z = tf.identity(y) * y
    return [tape.gradient(z, y)]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (of_clipped, [2.0]),
        (of_line, [30.0, 200.0]),
        (of_fused, [12.0, 12.0]),
        (of_pair, [7.0, 34.0]),
        (in_a_loop, [1.0]),
        (recomputed, [24.0]),
        (of_a_variable, [1.0, 1.0, 1.0]),
        (stopped, [4.0]),
        (of_what_is_in_between, [4.0]),
    ],
)
@pytest.mark.parametrize("stage", [lambda f: f, tf.function], ids=["eager", "staged"])
def test_gradients_are_those_of_tensorflow(function, expected, stage):
    assert [float(g) for g in stage(function)()] == expected


def test_variables_of_a_custom_gradient_are_taken_by_its_rule():
    with tf.GradientTape(), pytest.raises(TypeError, match="give it the parameter `variables`"):
        tf.custom_gradient(lambda x: (x * W, lambda dy: dy))(V)
    with tf.GradientTape() as tape:
        y = tf.custom_gradient(lambda x, y: (x * y, lambda dy: dy))(V * 1.0, V * 2.0)
    with pytest.raises(TypeError, match="is to return 2 gradients"):
        tape.gradient(y, V)


SMOOTH = [
    (tf.nn.sigmoid, 0.25, 0.0),
    (tf.nn.softplus, 0.5, 0.25),
    (tf.math.log_sigmoid, 0.5, -0.25),
    (tf.nn.silu, 0.5, 0.5),
    (lambda x: tf.nn.sigmoid_cross_entropy_with_logits(0.3 + 0 * x, x), 0.2, 0.25),
    (lambda x: tf.keras.losses.binary_crossentropy([0.3], x, from_logits=True), 0.2, 0.25),
    (lambda x: tf.keras.losses.huber([0.0], x), 0.0, 1.0),
    (lambda x: tf.keras.losses.log_cosh([0.0], x), 0.0, 1.0),
    (tf.nn.relu, 0.0, 0.0),
    (lambda x: tf.clip_by_norm(x, 2.0), 1.0, 0.0),
    (tf.norm, 0.0, 0.0),
]


@pytest.mark.parametrize(("function", "first", "second"), SMOOTH)
def test_what_is_smooth_at_zero_has_its_derivatives_there(function, first, second):
    x = tf.constant([0.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        g = tape.gradient(y, x)
    np.testing.assert_allclose(g, [first], atol=1e-6)
    found = outer.gradient(g, x, unconnected_gradients="zero")
    np.testing.assert_allclose(found, [second], atol=1e-6)


X, T = tf.constant([1.0, 2.0]), tf.constant([1.0, 0.5])


def cubes(x, n):
    y = x
    for _ in tf.range(n):
        y = y * x
    return y


@pytest.mark.parametrize("stage", [lambda f: f, tf.function])
def test_what_goes_forward_is_accumulated(stage):
    @stage
    def forward(x, t, n):
        with tf.autodiff.ForwardAccumulator([x, V], [t, tf.constant(1.0)]) as outer:
            with tf.autodiff.ForwardAccumulator(x, t) as inner:
                y = cubes(x, n) * V
            first = inner.jvp(y)
        return first, outer.jvp(first), outer.jvp(y), outer.jvp(t, tf.UnconnectedGradients.ZERO)

    found = forward(X, T, tf.constant(2))
    expected = [[6.0, 12.0], [12 + 3.0, 6 + 6.0], [6 + 1.0, 12 + 8.0], [0.0, 0.0]]
    for value, numbers in zip(found, expected, strict=True):
        np.testing.assert_allclose(value.numpy(), numbers, rtol=1e-6)


def test_what_does_not_fit_or_follow_goes_nowhere():
    with tf.autodiff.ForwardAccumulator(X, T) as forward:
        y = tf.sin(V)
    assert forward.jvp(y) is None
    with pytest.raises(ag.DerivativeError, match=r"the tangent of f32\[2\] is f32\[1\]"):
        tf.autodiff.ForwardAccumulator(X, tf.ones(1))


def test_gradients_and_hessians_are_of_the_graph():
    @tf.function
    def derived(x, n):
        y = cubes(x, n)
        total = tf.reduce_sum(y * V)
        return tf.gradients(total, [x, y, V]), tf.hessians(total, [x, V])

    (by_x, by_y, by_v), (twice, none) = derived(X, tf.constant(2))
    np.testing.assert_allclose(by_x.numpy(), [6.0, 24.0])
    np.testing.assert_allclose(by_y.numpy(), [2.0, 2.0])
    assert float(by_v) == 9.0
    np.testing.assert_allclose(twice.numpy(), [[12.0, 0.0], [0.0, 24.0]])
    assert float(none) == 0.0
    with pytest.raises(RuntimeError, match="use a GradientTape"):
        tf.gradients(X, X)


MIXED: dict[str, Any] = {
    "clip": lambda x: np.clip(x, 1e-7, 1 - 1e-7),
    "clip at whole numbers": lambda x: np.clip(x, 0, 1),
    "median": np.median,
    "percentile": lambda x: np.percentile(x, 30),
    "nan_to_num": np.nan_to_num,
    "interp": lambda x: np.interp(x, [0.0, 1.0], [0.0, 2.0]),
}


@pytest.mark.parametrize("name", MIXED)
def test_rules_of_derivatives_have_numpys_dtypes(name: str) -> None:
    w = tf.Variable([[0.1, 0.5, 0.7]])

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.cast(MIXED[name](w + 0.0), tf.float32))
        return tape.gradient(loss, w)

    eager, graph = gradient(), tf.function(gradient)()
    assert graph.dtype == tf.float32
    np.testing.assert_allclose(graph.numpy(), eager.numpy())
    assert np.abs(graph.numpy()).max() > 0


@pytest.mark.parametrize("loss", ["categorical_crossentropy", "binary_crossentropy"])
def test_models_of_probabilities_are_trained(loss: str) -> None:
    keras = tf.keras
    model = keras.Sequential([keras.layers.Dense(3, "softmax")])
    model.compile(keras.optimizers.Adam(0.1), loss)
    x = np.eye(3, dtype=np.float32)
    model.fit(x, x, epochs=60, verbose=0)
    assert np.argmax(model.predict(x, verbose=0), 1).tolist() == [0, 1, 2]
    assert model.evaluate(x, x, verbose=0) < 0.2


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda v: tf.math.unsorted_segment_sum(v, [0, 1, 0], 2), [8.0, 4.0, 8.0]),
        (lambda v: tf.math.segment_mean(v, [0, 0, 1]), [1.5, 1.5, 6.0]),
        (lambda v: tf.tensor_scatter_nd_add(v, [[0]], [5.0]), [12.0, 4.0, 6.0]),
        (lambda v: tf.tensor_scatter_nd_update(v, [[0]], [5.0]), [0.0, 4.0, 6.0]),
        (lambda v: tf.scatter_nd([[1]], v[:1] * 2, [3]), [8.0, 0.0, 0.0]),
    ],
)
def test_tapes_follow_what_is_added_or_written_at_places_eagerly_and_staged(program, expected):
    v = tf.Variable([1.0, 2.0, 3.0])

    def gradient():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(program(v) ** 2)
        return tape.gradient(loss, v)

    assert gradient().numpy().tolist() == expected
    assert tf.function(gradient)().numpy().tolist() == expected


@pytest.mark.parametrize("is_staged", [False, True])
@pytest.mark.parametrize(
    ("of", "expected"),
    [
        (lambda v: tf.reduce_sum([v * v, 2.0 * v]), 8.0),
        (lambda v: tf.reduce_mean([[v, 1.0], [2.0, v * v]]), 1.75),
        (lambda v: tf.reduce_sum(tf.constant([1.0, 2.0]) * [v, v * v]), 13.0),
    ],
)
def test_lists_of_tensors_are_followed(of, expected, is_staged):
    v = tf.Variable(3.0)
    run = tf.function(lambda: of(v)) if is_staged else lambda: of(v)
    with tf.GradientTape() as tape:
        y = run()
    assert tape.gradient(y, v).numpy() == expected


def test_py_function_has_the_derivative_of_what_it_computes() -> None:
    calls = []

    def cube(x, y):
        calls.append(float(x))
        return x**3 * y, x - y

    @tf.function
    def staged(x):
        a, b = tf.py_function(cube, [x, 2.0], [tf.float32, tf.float32])
        return a + b

    @tf.function
    def inner(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(cube, [x, 2.0], [tf.float32, tf.float32])[0]
        return tape.gradient(y, x)

    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        eager = tf.py_function(cube, [x, 2.0], [tf.float32, tf.float32])[0]
        outer = staged(x)
        twice = staged(2.0 * x)
    assert [float(tape.gradient(y, x)) for y in (eager, outer, twice)] == [54.0, 55.0, 434.0]
    assert float(tape.gradient(outer, x)) == 55.0
    assert float(inner(x)) == 54.0
    assert calls == [3.0, 3.0, 6.0, 3.0]


def test_what_a_staged_function_draws_is_kept_for_a_tape_around_it() -> None:
    @tf.function
    def noisy(x, n):
        scale = tf.random.normal([])
        total = 0.0
        for _ in range(n):
            total += x * tf.random.normal([])
        if total > 1e9:
            total += tf.random.normal([])
        return total * scale

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = noisy(x, 3)
    np.testing.assert_allclose(tape.gradient(y, x) * x, y, rtol=1e-5)
