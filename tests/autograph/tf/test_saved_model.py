"""`tf.saved_model`: what is loaded does what was saved, without the code that made it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autograph import tf


class Inner(tf.Module):
    def __init__(self):
        super().__init__()
        self.parts = [tf.Variable(2.0, name="a"), {"k": tf.Variable(1.0)}]

    @tf.function
    def line(self, x):
        return x * self.parts[0] + self.parts[1]["k"]


class Outer(tf.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.offset = Inner(), np.full(2, 0.5, np.float32)
        self.calls = tf.Variable(0, trainable=False)

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def __call__(self, x):
        self.calls.assign_add(1)
        y = self.inner.line(x)
        while tf.reduce_sum(y) > 20:
            y = y / 2
        return {"y": y + self.offset}

    @tf.function
    def times(self, x, k=2):
        return x * k


def saved(folder: Path):
    module = Outer()
    for k in (2, 3):
        module.times(tf.constant(1.0), k=k)
    tf.saved_model.save(module, folder, signatures=module.__call__)
    return module, tf.saved_model.load(folder)


def test_functions_and_variables_are_there_again(tmp_path):
    module, loaded = saved(tmp_path)
    for rows in (1, 4):
        x = tf.constant(np.arange(2 * rows, dtype=np.float32).reshape(rows, 2))
        np.testing.assert_array_equal(loaded(x)["y"].numpy(), module(x)["y"].numpy())
    assert (int(loaded.calls), int(module.calls), len(loaded.variables)) == (2, 2, 3)
    loaded.inner.parts[0].assign(5.0)
    assert float(loaded.signatures["serving_default"](x=tf.ones((1, 2)))["y"][0, 0]) == 6.5
    assert float(loaded.times(tf.constant(2.0), k=3)) == 6.0
    with pytest.raises(ValueError, match=r"times was saved for other arguments: .* k holds 4"):
        loaded.times(tf.constant(2.0), k=4)


def test_what_is_loaded_is_staged_and_has_derivatives(tmp_path):
    loaded = saved(tmp_path)[1]

    @tf.function
    def twice(x):
        for _ in tf.range(2):
            x = loaded.times(x)
        return x

    assert float(twice(tf.constant(1.5))) == 6.0
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(loaded(tf.constant([[8.0, 16.0]]))["y"])
    weight, bias = loaded.trainable_variables
    assert [float(g) for g in tape.gradient(y, [weight, bias])] == [6.0, 0.5]


def test_a_model_is_a_function_of_batches(tmp_path):
    model, x = tf.keras.Sequential([tf.keras.layers.Dense(2, "relu")]), tf.ones((3, 4))
    expected = model(x)
    tf.saved_model.save(model, tmp_path)
    np.testing.assert_array_equal(tf.saved_model.load(tmp_path)(x).numpy(), expected.numpy())


def test_what_cannot_be_saved_or_loaded_is_told(tmp_path):
    with pytest.raises(ValueError, match=r"has no function of tf.function that was traced"):
        tf.saved_model.save(tf.Module(), tmp_path)
    outside, module = tf.Variable(1.0, name="outside"), tf.Module()
    module.f = tf.function(lambda x: x * outside, input_signature=[tf.TensorSpec([])])
    with pytest.raises(ValueError, match="uses the variable 'outside', which is in no attribute"):
        tf.saved_model.save(module, tmp_path)
    with pytest.raises(ValueError, match="is no folder that save wrote"):
        tf.saved_model.load(tmp_path / "none")


def thirds(x):
    return x / 3.0


def test_what_is_loaded_calls_the_functions_that_are_given(tmp_path):
    class Asking(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None])])
        def __call__(self, x):
            return tf.py_function(thirds, [x], tf.float32) + 1.0

    tf.saved_model.save(Asking(), tmp_path)
    loaded = tf.saved_model.load(tmp_path, functions=[thirds])
    assert loaded(tf.constant([3.0, 6.0])).numpy().tolist() == [2.0, 3.0]
    program = tmp_path / "program_0.txt"
    program.write_text(program.read_text().replace(f"{__name__}:thirds", "posix:system"))
    with pytest.raises(RuntimeError, match=r"'posix:system', and no text chooses what is called"):
        tf.saved_model.load(tmp_path, functions=[thirds])(tf.constant([3.0]))
