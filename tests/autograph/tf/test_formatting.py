"""Tensors, variables and traces print as TensorFlow's guides show them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import autograph as ag
from autograph import tf

SQUARE = """\
tf.Tensor(
[[1. 2.]
 [3. 4.]], shape=(2, 2), dtype=float32)"""


@pytest.mark.parametrize(
    ("value", "text", "long"),
    [
        (2, "2, shape=(), dtype=int32", "shape=(), dtype=int32, numpy=2"),
        (2.2, "2.2, shape=(), dtype=float32", "shape=(), dtype=float32, numpy=2.2"),
        (True, "True, shape=(), dtype=bool", "shape=(), dtype=bool, numpy=True"),
        ("a", "b'a', shape=(), dtype=string", "shape=(), dtype=string, numpy=b'a'"),
        (
            [1, 2],
            "[1 2], shape=(2,), dtype=int32",
            "shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)",
        ),
        (
            ["é"],
            r"[b'\xc3\xa9'], shape=(1,), dtype=string",
            r"shape=(1,), dtype=string, numpy=array([b'\xc3\xa9'], dtype=object)",
        ),
    ],
)
def test_tensors_print_their_values(value, text, long):
    assert str(tf.constant(value)) == f"tf.Tensor({text})"
    assert repr(tf.constant(value)) == f"<tf.Tensor: {long}>"


def test_matrices_begin_on_a_line_of_their_own():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert str(x) == SQUARE
    assert repr(x).startswith("<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\narray([[1., 2.],\n")
    assert f"{tf.constant(4)} {tf.constant([1, 2])}" == "4 [1 2]"


def test_tensors_of_a_trace_print_their_nodes(capsys):
    v = tf.Variable(1.0)

    @tf.function
    def f(x, ys, unknown):
        print(x, ys[1], unknown, f"{x}")
        print(x + 1, x * 2, x - 1, 1 - x, x > 0, tf.reduce_sum(ys[0]), tf.constant(2), [x])
        print(tf.stack([x, x]), ys[0][0], ys[0] @ ys[1], v)
        return x

    f(tf.constant(1.0), [tf.ones([2]), tf.ones([2])], tf.constant(1))
    assert capsys.readouterr().out.splitlines() == [
        'Tensor("x:0", shape=(), dtype=float32) Tensor("ys_1:0", shape=(2,), dtype=float32) '
        'Tensor("unknown:0", shape=(), dtype=int32) Tensor("x:0", shape=(), dtype=float32)',
        'Tensor("add:0", shape=(), dtype=float32) Tensor("mul:0", shape=(), dtype=float32) '
        'Tensor("sub:0", shape=(), dtype=float32) Tensor("sub_1:0", shape=(), dtype=float32) '
        'Tensor("Greater:0", shape=(), dtype=bool) Tensor("Sum:0", shape=(), dtype=float32) '
        "Tensor(\"Const:0\", shape=(), dtype=int32) [<tf.Tensor 'x:0' shape=() dtype=float32>]",
        'Tensor("stack:0", shape=(2,), dtype=float32) '
        'Tensor("strided_slice:0", shape=(), dtype=float32) '
        'Tensor("MatMul:0", shape=(), dtype=float32) '
        "<tf.Variable 'Variable:0' shape=() dtype=float32>",
    ]


@pytest.mark.parametrize(
    ("shape", "text", "long"),
    [(None, "", " shape=<unknown>"), ([None, 2], ", shape=(None, 2)", " shape=(None, 2)")],
)
def test_what_is_not_known_of_a_shape_is_left_out_or_none(shape, text, long, capsys):
    @tf.function
    def f(x):
        print(x, [x])

    f.get_concrete_function(tf.TensorSpec(shape))
    wanted = f"Tensor(\"x:0\"{text}, dtype=float32) [<tf.Tensor 'x:0'{long} dtype=float32>]"
    assert capsys.readouterr().out == wanted + "\n"


def test_variables_print_their_names():
    assert repr(tf.Variable(7)) == "<tf.Variable 'Variable:0' shape=() dtype=int32, numpy=7>"
    rows = "numpy=array([1., 2.], dtype=float32)"
    text = f"<tf.Variable 'w:0' shape=(2,) dtype=float32, {rows}>"
    assert str(tf.Variable([1.0, 2.0], name="w")) == text


def test_what_follows_numpys_rules_prints_as_before():
    assert repr(ag.Tensor(np.arange(2))) == "Tensor(array([0, 1]))"
    assert repr(ag.Variable(1.0)) == "Variable(np.float64(1.0))"


def test_concrete_functions_tell_their_types_a063_a065():
    @tf.function
    def power(a, by=2):
        return a**by

    concrete = power.get_concrete_function(tf.TensorSpec([None], tf.float32), by=3)
    kind = "float32 Tensor, shape=(None,)"
    lines = f"  Args:\n    a: {kind}\n  Returns:\n    {kind}"
    assert str(concrete) == f"ConcreteFunction power(a, by=3)\n{lines}"
    spec = "TensorSpec(shape=(None,), dtype=tf.float32, name=None)"
    assert str(concrete.function_type) == f"(a: {spec}, by: 3) -> {spec}"
    named = "TensorSpec(shape=(None,), dtype=tf.float32, name='a')"
    assert str(concrete.structured_input_signature) == f"(({named}, 3), {{}})"


def test_a_spec_stands_for_the_tensor_of_a_call():
    @tf.function
    def double(a):
        return a + a

    double(tf.constant("x"))
    concrete = double.get_concrete_function(tf.TensorSpec([], tf.string))
    assert concrete(a=tf.constant("b")).numpy() == b"bb"
    assert double.experimental_get_tracing_count() == 1
    assert isinstance(tf.TensorSpec(), tf.TensorSpec)
    assert tf.TensorSpec([2]) == tf.TensorSpec([2])


def test_dtypes_have_tensorflows_names_and_are_numpys(capsys):
    x = tf.constant([1.0])
    assert (str(x.dtype), repr(x.dtype)) == ("<dtype: 'float32'>", "tf.float32")
    assert x.dtype is tf.float32
    assert x.dtype == np.float32 == tf.float32
    assert np.dtype("float32") == tf.float32 != tf.int32
    assert {tf.int32: 1}[np.dtype("int32")] == 1
    assert np.zeros(2, tf.float64).dtype == tf.float64
    assert (tf.string.name, tf.string.as_numpy_dtype, tf.int8.max, tf.int8.size) == (
        *("string", object),
        *(127, 1),
    )
    assert isinstance(tf.Variable(1).dtype, tf.dtypes.DType)
    assert pickle.loads(pickle.dumps(tf.int32)) is tf.int32
    assert ag.Tensor(np.arange(2)).dtype is np.dtype(int)
    with pytest.raises(TypeError, match=r"tf.float32 is a dtype, and makes no tensors"):
        tf.float32(1)


def test_dtypes_are_known_while_tracing(capsys):
    @tf.function
    def f(x, kind):
        print(x.dtype, kind)
        return tf.cast(x, kind) if x.dtype.is_floating else x

    for _ in range(2):
        assert f(tf.constant(1.5), tf.int64).dtype == tf.int64
    assert capsys.readouterr().out == "<dtype: 'float32'> <dtype: 'int64'>\n"


def test_specs_and_datasets_print_as_there():
    pairs = tf.data.Dataset.from_tensor_slices({"a": [1, 2]}).batch(2)
    spec = "{'a': TensorSpec(shape=(None,), dtype=tf.int32, name=None)}"
    assert str(pairs) == f"<Dataset element_spec={spec}>"
    assert str(tf.TensorSpec([None])) == "TensorSpec(shape=(None,), dtype=tf.float32, name=None)"
