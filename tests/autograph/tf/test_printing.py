"""`tf.print` writes tensors as TensorFlow does, at each run; `print` tells of the trace."""

from __future__ import annotations

import sys

import pytest

from autograph import tf


def shown(x, text, flag):
    tf.print("x =", x, [x, "a", 1, (text,)], {"k": flag}, 2.5, None, output_stream=sys.stdout)
    tf.print(text, tf.range(10), x / 3, sep="|", end=".\n", summarize=2, output_stream="stdout")
    tf.print(f"{x:.2f} {{}}", tf.stack([text, text]), "{}", output_stream=sys.stdout)
    tf.print(tf.range(8), summarize=-1, output_stream=sys.stdout)
    tf.print(tf.reshape(tf.range(8), [2, 2, 2]), output_stream=sys.stdout)
    tf.print("to the other stream")


SHOWN = """\
x = 1 [1, 'a', 1, (hi,)] {'k': 1} 2.5 None
hi|[0 1 ... 8 9]|0.333333343.
1.00 {} ["hi" "hi"] {}
[0 1 2 3 4 5 6 7]
[[[0 1]
  [2 3]]

 [[4 5]
  [6 7]]]
"""


@pytest.mark.parametrize("program", [shown, tf.function(shown)], ids=["eager", "staged"])
def test_tensors_are_written_as_there(program, capsys):
    for _ in range(2):
        program(tf.constant(1.0), tf.constant("hi"), tf.constant(True))
        assert tuple(capsys.readouterr()) == (SHOWN, "to the other stream\n")


def test_numbers_are_as_short_as_they_can_be(capsys):
    values = tf.constant([0.1, 1e10, float("inf"), float("nan"), -2.0])
    tf.print(values, tf.constant(1 + 2j), tf.constant(0.1, tf.float64), output_stream=sys.stdout)
    assert capsys.readouterr().out == "[0.1 1e+10 inf nan -2] (1,2) 0.1\n"


def test_another_stream_is_refused():
    with pytest.raises(TypeError, match=r"writes to sys\.stdout or sys\.stderr, and not to 'file"):
        tf.print("x", output_stream="file:///tmp/x")


def test_each_dtype_is_traced_once_and_print_shows_what_is_traced_a050(capsys):
    @tf.function
    def double(a):
        print("Tracing with", a)
        return a + a

    for _ in range(2):
        for value in (1, 1.5, "a"):
            double(tf.constant(value))
    assert capsys.readouterr().out.splitlines() == [
        'Tracing with Tensor("a:0", shape=(), dtype=int32)',
        'Tracing with Tensor("a:0", shape=(), dtype=float32)',
        'Tracing with Tensor("a:0", shape=(), dtype=string)',
    ]


def test_a_tensor_is_traced_once_and_numbers_each_a053_a054(capsys):
    @tf.function
    def train(num_steps):
        print(f"Tracing with num_steps = {num_steps}")
        for step in tf.range(num_steps):
            tf.print(step, output_stream=sys.stdout)

    for steps in (1, 2, tf.constant(1), tf.constant(2)):
        train(num_steps=steps)
    assert capsys.readouterr().out.splitlines() == [
        *("Tracing with num_steps = 1", "0"),
        *("Tracing with num_steps = 2", "0", "1"),
        *('Tracing with num_steps = Tensor("num_steps:0", shape=(), dtype=int32)', "0", "0", "1"),
    ]
