"""Programs that use `tf` as TensorFlow's guides on functions do: each runs by the import alone."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf


class Affine(tf.Module):
    def __init__(self, width, name=None):
        super().__init__(name=name)
        self.width = width
        self.w = None
        self.b = tf.Variable(tf.zeros([width]), name="b")

    @tf.function
    def __call__(self, x):
        x = tf.convert_to_tensor(x)
        if self.w is None:
            self.w = tf.Variable(tf.ones([x.shape[-1], self.width]), name="w")
        return tf.nn.relu(x @ self.w + self.b)


class Stack(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = [Affine(3, name="first"), Affine(2)]
        self.steps = tf.Variable(0, trainable=False)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        self.steps.assign_add(1)
        return x


def test_modules_find_their_variables_and_modules():
    model = Stack()
    assert model([[1.0, 2.0]]).numpy().tolist() == [[9.0, 9.0]]
    assert model(tf.constant([[1.0, 2.0]])).numpy().tolist() == [[9.0, 9.0]]
    assert [layer.name for layer in model.submodules] == ["first", "affine"]
    assert [v.shape for v in model.trainable_variables] == [(3,), (2, 3), (2,), (3, 2)]
    assert [int(v.numpy()) for v in model.non_trainable_variables] == [2]
    assert len(model.variables) == 5
    with model.name_scope:
        assert model.name == "stack"


class Color:
    def __init__(self, shade):
        self.shade = shade

    def __tf_tracing_type__(self, context):
        return Shade(self.shade)


class Shade(tf.types.experimental.TraceType):
    def __init__(self, shade):
        self.shade = shade

    def is_subtype_of(self, other):
        return isinstance(other, Shade) and self.shade >= other.shade

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def __hash__(self):
        return hash(self.shade)

    def __eq__(self, other):
        return isinstance(other, Shade) and self.shade == other.shade


def test_classes_of_the_user_say_what_a_trace_depends_on():
    """A-074"""

    @tf.function
    def f(color, x):
        return x * color.shade

    assert f(Color(1), tf.constant(2)).numpy() == 2
    assert f(Color(1), tf.constant(3)).numpy() == 3
    assert f.experimental_get_tracing_count() == 1
    assert f(Color(0), tf.constant(3)).numpy() == 0
    assert f.experimental_get_tracing_count() == 2
    assert isinstance(Color(1), tf.types.experimental.SupportsTracingProtocol)


def test_a_concrete_function_tells_its_types_and_its_nodes():
    @tf.function
    def scaled(x, y, by=2):
        return (x + y) * by

    concrete = scaled.get_concrete_function(tf.TensorSpec([None], tf.float32), tf.constant(1.0))
    parameters = concrete.function_type.parameters
    assert [f"{x.annotation}" for x in parameters.values()] == ["f32[?]", "f32[]", "2"]
    assert f"{concrete.function_type.return_annotation}" == "f32[d0]"
    assert concrete.structured_outputs.dtype == tf.float32
    nodes = concrete.graph.as_graph_def().node
    assert [(x.name, x.op, x.input) for x in nodes if x.op != "Const"] == [
        ("x", "Placeholder", []),
        ("y", "Placeholder", []),
        ("add", "AddV2", ["x", "y"]),
        ("mul", "Mul", ["add", "mul/y"]),
        ("Identity", "Identity", ["mul"]),
    ]
    assert concrete(tf.constant([1.0]), tf.constant(2.0)).numpy().tolist() == [6.0]


def test_a_concrete_function_is_called_with_its_tensors_alone():
    def predict(model, x):
        return model.b + x

    model = Affine(2)
    predict_with = tf.function(predict).get_concrete_function(model, tf.TensorSpec([2]))
    assert predict_with(tf.constant([1.0, 2.0])).numpy().tolist() == [1.0, 2.0]
    model.b.assign([1.0, 1.0])
    assert predict_with(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 3.0]
    assert predict_with(model, x=tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 3.0]


def test_python_functions_are_decorated():
    calls = []

    @tf.py_function(Tout=tf.float32)
    def logged(x, y):
        calls.append(x.numpy() + y.numpy())
        return x * y

    @tf.numpy_function(Tout=tf.float64)
    def sorted_rows(x):
        return np.sort(x)

    @tf.function
    def f(x):
        return logged(x, x + 1.0)

    assert [f(tf.constant(2.0)).numpy(), f(tf.constant(3.0)).numpy()] == [6.0, 12.0]
    assert calls == [5.0, 7.0]
    assert sorted_rows(np.array([2.0, 1.0])).numpy().tolist() == [1.0, 2.0]


def test_init_scope_leaves_the_trace():
    total = tf.Variable(0)

    @tf.function
    def f(x):
        with tf.init_scope():
            total.assign_add(5)
        return x + total

    assert [f(tf.constant(1)).numpy(), f(tf.constant(2)).numpy()] == [6, 7]


def test_loops_over_datasets_may_change_shapes():
    @tf.function
    def mean_gap(rows):
        gap = tf.constant(0)
        for x, y in rows:
            gap += tf.abs(y - x)
        return gap

    rows = tf.data.Dataset.from_generator(lambda: [(1, 3), (5, 2)], (tf.int32, tf.int32))
    assert mean_gap(rows).numpy() == 5

    @tf.function
    def mixed(rows):
        gap = tf.constant(0)
        for x, _ in rows:
            gap = tf.cast(gap, tf.float32) + tf.cast(x, tf.float32)
        return gap

    with pytest.raises(TypeError, match="'gap' has dtype int32 before the loop, but dtype float32"):
        mixed(rows)


def test_arguments_of_another_rank_are_type_errors_too():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def f(x):
        return x + 1

    for kind in (TypeError, ValueError, tf.errors.InvalidArgumentError):
        with pytest.raises(kind, match=r"x must be i32\[\?\] by the input signature"):
            f(tf.constant([[1]]))


def test_tensors_and_variables_have_the_names_of_the_guides():
    v = tf.Variable([1.0, 2.0])
    assert v.read_value().numpy().tolist() == [1.0, 2.0]
    assert tf.constant(1).device.endswith("CPU:0")


def test_numbers_of_python_are_returned_with_the_dtypes_that_are_here():
    @tf.function
    def halved(x):
        rounds, cost = 0, 0.0
        while x > 1.0:
            x /= 2.0
            rounds += 1
            cost += 0.5
        return rounds, {"cost": cost}

    for _ in range(2):
        rounds, found = halved(tf.constant(8.0))
        assert (rounds.dtype, found["cost"].dtype) == (tf.int32, tf.float32)
        assert (rounds.numpy(), found["cost"].numpy()) == (3, 1.5)
    outputs = halved.get_concrete_function(tf.constant(8.0)).structured_outputs
    assert outputs[0].dtype == tf.int32


def test_guides_name_models_losses_and_cells_so():
    class Halved(tf.keras.models.Model):
        @tf.function
        def call(self, x):
            return x if tf.reduce_mean(x) > 0 else x // 2

    assert Halved()(tf.constant([-2, -4])).numpy().tolist() == [-1, -2]
    assert tf.keras.losses.MSE([1.0, 2.0], [1.0, 4.0]).numpy() == 2.0
    cell = tf.keras.layers.LSTMCell(3)
    output, (h, c) = tf.function(cell)(tf.ones([2, 4]), [tf.zeros([2, 3])] * 2)
    assert output.numpy().tolist() == h.numpy().tolist()
    assert c.shape == (2, 3)
    flat = tf.keras.layers.Reshape((4,), input_shape=(2, 2))
    dense = tf.keras.layers.Dense(1, kernel_initializer=tf.random.normal)
    model = tf.keras.Sequential((flat, dense))
    model.build()
    assert len(model.trainable_variables) == 2
    with pytest.raises(ValueError, match="does not know its inputs"):
        tf.keras.Sequential([tf.keras.layers.Dense(1)]).build()


def test_digits_are_read_where_keras_keeps_them(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    with pytest.raises(tf.errors.NotFoundError, match="nothing is downloaded here"):
        tf.keras.datasets.mnist.load_data()
    (tmp_path / "datasets").mkdir()
    names = ("x_train", "y_train", "x_test", "y_test")
    np.savez(tmp_path / "datasets" / "mnist.npz", **{x: np.arange(k) for k, x in enumerate(names)})
    (x, y), (_, labels) = tf.keras.datasets.mnist.load_data()
    assert [len(x), len(y), len(labels)] == [0, 1, 3]
