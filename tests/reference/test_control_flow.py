"""Control flow (A.6 of the behaviours): programs for TensorFlow with their import changed."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf


def text_of(function, *args):
    return str(function.graph(*args))


def test_a_simple_while(capsys):
    """A-130"""

    @tf.function
    def f(x):
        while tf.reduce_sum(x) > 1:
            tf.print(x)
            x = tf.tanh(x)
        return x

    found = f(tf.random.uniform([5]) + 0.5)
    assert tf.reduce_sum(found).numpy() <= 1
    assert capsys.readouterr().err.count("[") >= 1


def test_the_source_that_is_made():
    """A-003, A-131"""

    def f(x):
        while tf.reduce_sum(x) > 1:
            x = tf.tanh(x)
        return x

    code = tf.autograph.to_code(f)
    compile(code, "code", "exec")
    assert "while_" in code


def test_a_python_condition_is_not_staged():
    """A-132"""

    def make(flag):
        @tf.function
        def hyperparam_cond(x):
            if flag:
                x = x * 2
            else:
                x = x * 0
            return x

        return hyperparam_cond

    for flag, expected in ((True, 2.0), (False, 0.0)):
        f = make(flag)
        assert f(tf.ones([1])).numpy() == [expected]
        assert "cond(" not in text_of(f, tf.ones([1]))


def test_a_tensor_s_condition_is():
    """A-133"""

    @tf.function
    def maybe_tensor_cond(a):
        if a < 0:
            a = -a
        return a

    assert maybe_tensor_cond(tf.constant(-1)).numpy() == 1
    assert "cond(" in text_of(maybe_tensor_cond, tf.constant(-1))
    assert maybe_tensor_cond(-1).numpy() == 1
    assert "cond(" not in text_of(maybe_tensor_cond, -1)


def test_both_branches_are_traced(capsys):
    """A-134"""

    @tf.function
    def f(x):
        if x > 0:
            print("Tracing `then` branch")
            x = x + 1.0
        else:
            print("Tracing `else` branch")
            x = x - 1.0
        return x

    assert f(tf.constant(0.0)).numpy() == -1
    first = capsys.readouterr().out
    assert "Tracing `then` branch\n" in first
    assert "Tracing `else` branch\n" in first
    f(tf.constant(0.0))
    assert capsys.readouterr().out == ""


def test_a_variable_of_one_branch_only_is_refused():
    """A-135"""

    @tf.function
    def f():
        if tf.constant(True):
            x = tf.ones([3, 3])
        return x

    with pytest.raises(ValueError, match="'x'"):
        f()


@pytest.mark.parametrize(
    ("numbers", "is_staged"), [(lambda: range(5), False), (lambda: tf.range(5), True)]
)
def test_a_loop_over_a_range(numbers, is_staged):
    """A-136, A-137"""

    @tf.function
    def f():
        x = 0
        for i in numbers():
            x += i
        return x

    assert f().numpy() == 10
    assert ("reduce(" in text_of(f)) == is_staged


def test_a_loop_over_a_dataset():
    """A-011, A-138"""

    @tf.function
    def f():
        x = tf.constant(0, tf.int64)
        for i in tf.data.Dataset.range(5):
            x += i
        return x

    assert f().numpy() == 10
    assert f().dtype == tf.int64
    assert text_of(f).count("reduce(") == 1


@pytest.mark.parametrize(("start", "is_staged"), [(5, False), ("tensor", True)])
def test_a_while_loop(start, is_staged):
    """A-139, A-140"""

    @tf.function
    def f():
        x = tf.constant(5) if start == "tensor" else start
        while x > 0:
            x -= 1
        return x

    assert f().numpy() == 0
    assert ("while_loop(" in text_of(f)) == is_staged


def test_a_tensor_does_not_end_a_python_loop():
    """A-141"""

    @tf.function
    def forever():
        x = tf.constant(5)
        while True:
            if tf.equal(x, 0):
                break
            x -= 1
        return x

    @tf.function
    def counted():
        x = tf.constant(0)
        for i in range(5):
            if tf.equal(i, 3):
                break
            x += i
        return x

    for f in (forever, counted):
        with pytest.raises((TypeError, NotImplementedError)):
            f()


def test_early_return_in_a_staged_loop():
    """A-143"""

    @tf.function
    def f(n):
        for i in tf.range(10):
            if i * i > n:
                return i
        return tf.constant(-1)

    assert f(tf.constant(10)).numpy() == 4
    assert f(tf.constant(1000)).numpy() == -1


def test_a_variable_that_only_the_loop_assigns():
    """A-145, A-146"""

    @tf.function
    def initialised():
        x = tf.constant(0)
        for i in tf.range(3):
            x = i
        return x

    assert initialised().numpy() == 2

    @tf.function
    def not_initialised():
        for i in tf.range(3):
            x = i
        return x

    try:
        found = not_initialised().numpy()
    except ValueError as error:
        assert "'x'" in str(error)  # noqa: PT017  (the reference's versions differ)
    else:
        assert found == 2


def test_a_dtype_that_changes_is_refused():
    """A-147"""

    @tf.function
    def f():
        x = tf.constant(0.0)
        for i in tf.range(3):
            x = tf.cast(i, tf.int32)
        return x

    with pytest.raises(TypeError, match=r"'x' has dtype float32.*int32 after one iteration"):
        f()
    with pytest.raises(tf.errors.InvalidArgumentError):
        f()


def test_a_shape_that_changes_is_refused():
    """A-148"""

    @tf.function
    def f():
        x = tf.ones([0, 10])
        for _ in tf.range(5):
            x = tf.concat([x, tf.ones([1, 10])], axis=0)
        return x

    with pytest.raises(ValueError, match="shape_invariants"):
        f()


def test_the_padded_rewrite():
    """A-149"""

    @tf.function
    def f():
        x = tf.zeros([5, 10])
        for i in tf.range(5):
            y = tf.concat([x[:i], tf.ones([1, 10]), tf.zeros([4 - i, 10])], axis=0)
            y.set_shape([5, 10])
            x = y
        return x

    assert np.array_equal(f().numpy(), np.ones((5, 10)))


def test_functional_control_flow():
    """A-009"""

    @tf.function
    def f(x):
        a = tf.cond(x > 0, lambda: x * 2, lambda: x - 1)
        i, total = tf.while_loop(lambda i, t: i < 5, lambda i, t: (i + 1, t + i), (0, 0))
        chosen = tf.switch_case(x, [lambda: tf.constant(10), lambda: tf.constant(20)])
        several = tf.case([(x > 1, lambda: tf.constant(1))], default=lambda: tf.constant(0))
        return a, i, total, chosen, several

    for x, expected in ((1, (2, 5, 10, 20, 0)), (0, (-1, 5, 10, 10, 0)), (7, (14, 5, 10, 20, 1))):
        assert tuple(int(v.numpy()) for v in f(tf.constant(x))) == expected
        assert tuple(int(v.numpy()) for v in f(x)) == expected


def test_loops_with_declared_shapes_and_a_limit():
    """A-009, A-148"""

    @tf.function
    def doubled(n):
        shapes = [tf.TensorShape([]), tf.TensorShape([None])]
        return tf.while_loop(
            lambda i, x: i < n,
            lambda i, x: (i + 1, tf.concat([x, x], 0)),
            [tf.constant(0), tf.constant([1.0])],
            shape_invariants=shapes,
        )

    assert doubled(tf.constant(3))[1].shape == (8,)
    for start in (0, tf.constant(0)):
        found = tf.function(
            lambda start: tf.while_loop(
                lambda i: True, lambda i: (i + 1,), (start,), maximum_iterations=5
            )
        )(start)
        assert found.numpy() == 5


def test_maps_and_scans():
    """A-009"""

    @tf.function
    def f(xs):
        return (
            tf.map_fn(lambda x: x * x if x > 1 else -x, xs),
            tf.scan(lambda a, x: a + x, xs),
            tf.foldl(lambda a, x: a * x, xs),
            tf.foldr(lambda a, x: a - x, xs, tf.constant(0)),
        )

    xs = tf.constant([1, 2, 3])
    found = [v.numpy().tolist() for v in f(xs)]
    assert found == [[-1, 4, 9], [1, 3, 6], 6, -6]
    assert tf.data.Dataset.range(4).reduce(np.int64(1), lambda a, x: a + x).numpy() == 7
